//! Animated PNG (PNG, third edition, 2025): one picture after another in chunks of one file.
//!
//! The crate png wants to know the number of frames before the first one. A recording knows it after the last, and may
//! never get there, so the crate packs each picture, and the few chunks around it are put together here: after every
//! frame the number in `acTL` is set right, and the file is whole.

use crate::app::recorder::atomic_file::Whole;
use crate::app::recorder::crop::{Crop, Crops};
use crate::app::recorder::png;
use ratatui_core::buffer::Buffer;
use std::fs::File;
use std::io;
use std::time::Duration;

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
/// The last chunk, of no data.
const END: &[u8] = b"\0\0\0\0IEND\xae\x42\x60\x82";
/// Where `acTL` lies: after the signature (8) and `IHDR` (25).
const CONTROL_AT: u64 = 33;

#[derive(Debug)]
pub struct Apng {
    file: Whole,
    crops: Crops,
    /// The picture that is to be shown until the next one comes, and since when it is.
    pending: Option<(Duration, Crop)>,
    frames: u32,
    /// Number of the next chunk that counts.
    sequence: u32,
}

impl Apng {
    pub fn new(file: File, first: &Buffer, most_pixels: usize) -> Self {
        let crops = Crops::new(first.area, most_pixels);
        Self { file: Whole::new(file, END), crops, pending: None, frames: 0, sequence: 0 }
    }

    /// # Errors
    /// If the file cannot be written.
    pub fn frame(&mut self, at: Duration, frame: &Buffer) -> io::Result<()> {
        let Some(crop) = self.crops.of(frame) else { return Ok(()) };
        match self.pending.replace((at, crop)) {
            Some((since, crop)) => self.write(&crop, at.saturating_sub(since)),
            None => Ok(()),
        }
    }

    /// # Errors
    /// If the file cannot be written.
    pub fn finish(&mut self, at: Duration) -> io::Result<()> {
        match self.pending.take() {
            Some((since, crop)) => self.write(&crop, at.saturating_sub(since)),
            None => Ok(()),
        }
    }

    fn write(&mut self, crop: &Crop, lasts: Duration) -> io::Result<()> {
        let packed = packed(crop)?;
        let mut bytes = Vec::with_capacity(packed.len() + 128);
        if self.frames == 0 {
            let (width, height) = self.crops.size();
            let size = [(width as u32).to_be_bytes(), (height as u32).to_be_bytes()].concat();
            bytes.extend_from_slice(SIGNATURE);
            // Eight bits of red, green and blue; no interlacing.
            bytes.extend(chunk(b"IHDR", &[&size[..], &[8, 2, 0, 0, 0]].concat()));
            bytes.extend(control(1));
        }
        bytes.extend(chunk(b"fcTL", &self.frame_control(crop, lasts)));
        if self.frames == 0 {
            bytes.extend(chunk(b"IDAT", &packed));
        } else {
            let number = self.next().to_be_bytes();
            bytes.extend(chunk(b"fdAT", &[&number[..], &packed].concat()));
        }
        self.file.append(&bytes)?;
        self.frames += 1;
        self.file.patch(CONTROL_AT, &control(self.frames))
    }

    fn frame_control(&mut self, crop: &Crop, lasts: Duration) -> Vec<u8> {
        let place =
            [crop.image.width, crop.image.height, crop.left, crop.top].map(|value| (value as u32).to_be_bytes());
        let mut data = self.next().to_be_bytes().to_vec();
        data.extend(place.concat());
        let milliseconds = lasts.as_millis().clamp(1, 65_535) as u16;
        data.extend(milliseconds.to_be_bytes());
        data.extend(1000_u16.to_be_bytes());
        // Stays when the next one comes, which is laid over it as it is.
        data.extend([0, 0]);
        data
    }

    fn next(&mut self) -> u32 {
        self.sequence += 1;
        self.sequence - 1
    }
}

/// How many frames there are, and that they play for ever.
fn control(frames: u32) -> Vec<u8> {
    chunk(b"acTL", &[frames.to_be_bytes(), 0_u32.to_be_bytes()].concat())
}

fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let checked = [&kind[..], data].concat();
    [&(data.len() as u32).to_be_bytes()[..], &checked, &crc32fast::hash(&checked).to_be_bytes()].concat()
}

/// The picture's pixels as `IDAT` holds them.
fn packed(crop: &Crop) -> io::Result<Vec<u8>> {
    let file = png::encode(&crop.image).map_err(|failure| io::Error::other(failure.to_string()))?;
    let (mut data, mut rest) = (Vec::new(), &file[SIGNATURE.len()..]);
    while let Some((head, body)) = rest.split_at_checked(8) {
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        if &head[4..] == b"IDAT" {
            data.extend_from_slice(&body[..length]);
        }
        rest = &body[length + 4..];
    }
    Ok(data)
}
