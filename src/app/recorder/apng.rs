//! Animated PNG (PNG, third edition, 2025): a sequence of pictures in chunks of one file.
//!
//! The crate png needs the number of frames before the first one. A live recording knows it after the last, and may be
//! cut off before, so the crate packs each picture, and the chunks around it are written here: after every frame the
//! count in `acTL` is updated, and the file is complete.

use crate::app::recorder::atomic_file::AtomicFile;
use crate::app::recorder::dirty_rect::{DirtyRect, DirtyRects};
use crate::app::recorder::png;
use ratatui::buffer::Buffer;
use std::fs::File;
use std::io;
use std::time::Duration;

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
/// The last chunk, without data.
const END: &[u8] = b"\0\0\0\0IEND\xae\x42\x60\x82";
/// Offset of `acTL`: after the signature (8 bytes) and `IHDR` (25).
const CONTROL_AT: u64 = 33;

#[derive(Debug)]
pub struct Apng {
    file: AtomicFile,
    dirty_rects: DirtyRects,
    /// The picture that is shown until the next one, and its time.
    pending: Option<(Duration, DirtyRect)>,
    frames: u32,
    /// Sequence number of the next chunk.
    sequence: u32,
}

impl Apng {
    pub fn new(file: File, first: &Buffer, max_pixels: usize) -> Self {
        let dirty_rects = DirtyRects::new(first.area, max_pixels);
        Self { file: AtomicFile::new(file, END), dirty_rects, pending: None, frames: 0, sequence: 0 }
    }

    /// # Errors
    /// If the file cannot be written.
    pub fn frame(&mut self, at: Duration, frame: &Buffer) -> io::Result<()> {
        let Some(dirty) = self.dirty_rects.of(frame) else { return Ok(()) };
        match self.pending.replace((at, dirty)) {
            Some((since, dirty)) => self.write(&dirty, at.saturating_sub(since)),
            None => Ok(()),
        }
    }

    /// # Errors
    /// If the file cannot be written.
    pub fn finish(&mut self, at: Duration) -> io::Result<()> {
        match self.pending.take() {
            Some((since, dirty)) => self.write(&dirty, at.saturating_sub(since)),
            None => Ok(()),
        }
    }

    fn write(&mut self, dirty: &DirtyRect, lasts: Duration) -> io::Result<()> {
        let packed = packed(dirty)?;
        let mut bytes = Vec::with_capacity(packed.len() + 128);
        if self.frames == 0 {
            let (width, height) = self.dirty_rects.size();
            let size = [(width as u32).to_be_bytes(), (height as u32).to_be_bytes()].concat();
            bytes.extend_from_slice(SIGNATURE);
            // Eight bits of red, green and blue; no interlacing.
            bytes.extend(chunk(b"IHDR", &[&size[..], &[8, 2, 0, 0, 0]].concat()));
            bytes.extend(control(1));
        }
        bytes.extend(chunk(b"fcTL", &self.frame_control(dirty, lasts)));
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

    fn frame_control(&mut self, dirty: &DirtyRect, lasts: Duration) -> Vec<u8> {
        let place =
            [dirty.image.width, dirty.image.height, dirty.left, dirty.top].map(|value| (value as u32).to_be_bytes());
        let mut data = self.next().to_be_bytes().to_vec();
        data.extend(place.concat());
        let milliseconds = lasts.as_millis().clamp(1, 65_535) as u16;
        data.extend(milliseconds.to_be_bytes());
        data.extend(1000_u16.to_be_bytes());
        // Disposal: none; blending: source.
        data.extend([0, 0]);
        data
    }

    fn next(&mut self) -> u32 {
        self.sequence += 1;
        self.sequence - 1
    }
}

/// Frame count and endless looping.
fn control(frames: u32) -> Vec<u8> {
    chunk(b"acTL", &[frames.to_be_bytes(), 0_u32.to_be_bytes()].concat())
}

fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let checked = [&kind[..], data].concat();
    [&(data.len() as u32).to_be_bytes()[..], &checked, &crc32fast::hash(&checked).to_be_bytes()].concat()
}

/// The pixels of a picture as packed in `IDAT`.
fn packed(dirty: &DirtyRect) -> io::Result<Vec<u8>> {
    let file = png::encode(&dirty.image).map_err(|failure| io::Error::other(failure.to_string()))?;
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
