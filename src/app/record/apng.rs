//! Animated PNG (PNG, third edition, 2025), by the crate png: a sequence of pictures in chunks of one file. The number of frames,
//! which stands before the first one, is updated with each, so that the file is complete at all times.

use crate::app::record::atomic_file::AtomicFile;
use crate::app::record::pictures::{DirtyRect, PictureEncoder, Pictures, Pipe, scaled_size};
use crate::app::record::{Format, FormatWriter, Start, png};
use ::png::Writer;
use ::png::chunk::acTL;
use std::fs::File;
use std::io;
use std::time::Duration;

pub const FORMAT: Format = Format {
    endings: &["png", "apng"],
    player: "a browser",
    shortest: Duration::from_millis(1),
    // Browsers keep up with it, and files stay small.
    interval: Duration::from_millis(40),
    open,
};

const END: &[u8] = b"\0\0\0\0IEND\xae\x42\x60\x82";
/// Offset of `acTL`: after the signature (8 bytes) and `IHDR` (25).
const CONTROL_AT: usize = 33;

struct Apng {
    file: AtomicFile,
    writer: Writer<Pipe>,
    pipe: Pipe,
    frames: u32,
}

fn open(file: File, start: &Start) -> io::Result<Box<dyn FormatWriter>> {
    let pipe = Pipe::default();
    let mut encoder = png::encoder(pipe.clone(), scaled_size(start).1);
    encoder.set_animated(u32::MAX, 0)?;
    let apng = Apng { file: AtomicFile::new(file, END), writer: encoder.write_header()?, pipe, frames: 0 };
    Ok(Box::new(Pictures::new(apng, start)))
}

impl PictureEncoder for Apng {
    fn write(&mut self, part: &DirtyRect, from: Duration, until: Duration) -> io::Result<()> {
        let [width, height, left, top] =
            [part.image.width, part.image.height, part.left, part.top].map(|pixels| pixels as u32);
        // Rounded in total, so that times do not drift. A delay is a fraction of 16-bit numbers; a long one is in larger units.
        let milliseconds = until.as_millis().saturating_sub(from.as_millis()).max(1);
        let unit = [1, 10, 100, 1000].into_iter().find(|unit| milliseconds / unit <= 65_535).unwrap_or(1000);
        self.writer.reset_frame_position()?;
        self.writer.set_frame_dimension(width, height)?;
        self.writer.set_frame_position(left, top)?;
        self.writer.set_frame_delay((milliseconds / unit).min(65_535) as u16, 1000 / unit as u16)?;
        self.writer.write_image_data(&part.image.rgb)?;
        let mut bytes = self.pipe.take();
        self.frames += 1;
        self.writer.write_chunk(acTL, &[self.frames.to_be_bytes(), [0; 4]].concat())?;
        let control = self.pipe.take();
        if self.frames == 1 {
            bytes[CONTROL_AT..][..control.len()].copy_from_slice(&control);
        }
        self.file.append(&bytes)?;
        self.file.patch(CONTROL_AT as u64, &control)
    }
}
