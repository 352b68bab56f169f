//! Animated PNG (PNG, third edition, 2025): a sequence of pictures in chunks of one file. The crate png needs the number of
//! frames before the first one, which a live recording does not know. So the crate packs each picture, and the chunks around it
//! are written here: after every frame the count in `acTL` is updated, and the file is complete.

use crate::app::record::atomic_file::AtomicFile;
use crate::app::record::pictures::{DirtyRect, PictureEncoder, Pictures, scaled_size};
use crate::app::record::{Format, FormatWriter, Start, png};
use std::fs::File;
use std::io;
use std::time::Duration;

pub const FORMAT: Format = Format {
    endings: &["png", "apng"],
    player: "a browser",
    shortest: Duration::from_millis(1),
    // Browsers keep up with it, and files stay small.
    interval: Duration::from_millis(40),
    is_input_log: false,
    open,
};

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
const END: &[u8] = b"\0\0\0\0IEND\xae\x42\x60\x82";
/// Offset of `acTL`: after the signature (8 bytes) and `IHDR` (25).
const CONTROL_AT: u64 = 33;

#[derive(Debug)]
struct Apng {
    file: AtomicFile,
    size: [usize; 2],
    frames: u32,
    sequence: u32,
}

fn open(file: File, start: &Start) -> io::Result<Box<dyn FormatWriter>> {
    let apng = Apng { file: AtomicFile::new(file, END), size: scaled_size(start).1, frames: 0, sequence: 0 };
    Ok(Box::new(Pictures::new(apng, start)))
}

impl PictureEncoder for Apng {
    fn write(&mut self, part: &DirtyRect, from: Duration, until: Duration) -> io::Result<()> {
        let packed = packed(part)?;
        let mut bytes = Vec::with_capacity(packed.len() + 128);
        if self.frames == 0 {
            let size = self.size.map(|pixels| (pixels as u32).to_be_bytes()).concat();
            bytes.extend_from_slice(SIGNATURE);
            // Eight bits of red, green and blue; no interlacing.
            bytes.extend(chunk(b"IHDR", &[&size[..], &[8, 2, 0, 0, 0]].concat()));
            bytes.extend(control(1));
        }
        bytes.extend(chunk(b"fcTL", &self.frame_control(part, from, until)));
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
}

impl Apng {
    fn frame_control(&mut self, part: &DirtyRect, from: Duration, until: Duration) -> Vec<u8> {
        let place =
            [part.image.width, part.image.height, part.left, part.top].map(|value| (value as u32).to_be_bytes());
        let mut data = self.next().to_be_bytes().to_vec();
        data.extend(place.concat());
        // Rounded in total, so that times do not drift. A delay is a fraction of 16-bit numbers; a long one is in larger units.
        let milliseconds = until.as_millis().saturating_sub(from.as_millis()).max(1);
        let unit = [1, 10, 100, 1000].into_iter().find(|unit| milliseconds / unit <= 65_535).unwrap_or(1000);
        data.extend(((milliseconds / unit).min(65_535) as u16).to_be_bytes());
        data.extend((1000 / unit as u16).to_be_bytes());
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

fn packed(part: &DirtyRect) -> io::Result<Vec<u8>> {
    let file = png::encode(&part.image).map_err(|failure| io::Error::other(failure.to_string()))?;
    let mut data = Vec::new();
    let mut rest = &file[SIGNATURE.len()..];
    while let Some((head, body)) = rest.split_at_checked(8) {
        let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
        if &head[4..] == b"IDAT" {
            data.extend_from_slice(&body[..length]);
        }
        rest = &body[length + 4..];
    }
    Ok(data)
}
