//! GIF, by the crate gif: small, well kept, and it reduces each frame to its best 256 colours.

use crate::app::recorder::atomic_file::Whole;
use crate::app::recorder::crop::{Crop, Crops};
use gif::{DisposalMethod, Encoder, Frame, Repeat};
use ratatui_core::buffer::Buffer;
use std::cell::RefCell;
use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::rc::Rc;
use std::time::Duration;

/// The end of a GIF.
const TRAILER: &[u8] = b"\x3b";

/// Of NeuQuant's 1 (best) to 30 (fastest). Every frame has its own palette, so 10 is hard to tell from 1.
const SPEED: i32 = 10;

/// What the encoder has written and we have not.
#[derive(Clone, Debug, Default)]
struct Pipe(Rc<RefCell<Vec<u8>>>);

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

pub struct Gif {
    file: Whole,
    encoder: Encoder<Pipe>,
    pipe: Pipe,
    crops: Crops,
    /// The picture that is to be shown until the next one comes, and since when it is.
    pending: Option<(Duration, Crop)>,
    /// Until when all frames so far are shown, hundredths of a second.
    shown: u64,
}

impl fmt::Debug for Gif {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Gif").field("shown", &self.shown).finish_non_exhaustive()
    }
}

impl Gif {
    /// # Errors
    /// If the file cannot be written.
    pub fn new(file: File, first: &Buffer, most_pixels: usize) -> io::Result<Self> {
        let crops = Crops::new(first.area, most_pixels);
        let pipe = Pipe::default();
        let (width, height) = crops.size();
        let mut encoder = Encoder::new(pipe.clone(), width as u16, height as u16, &[]).map_err(io::Error::other)?;
        encoder.set_repeat(Repeat::Infinite).map_err(io::Error::other)?;
        Ok(Self { file: Whole::new(file, TRAILER), encoder, pipe, crops, pending: None, shown: 0 })
    }

    /// # Errors
    /// If the file cannot be written.
    pub fn frame(&mut self, at: Duration, frame: &Buffer) -> io::Result<()> {
        let Some(crop) = self.crops.of(frame) else { return Ok(()) };
        if self.pending.is_none() && self.shown == 0 {
            self.shown = hundredths(at);
        }
        let pending = self.pending.replace((at, crop));
        pending.map_or(Ok(()), |(_, crop)| self.write(crop, at))
    }

    /// # Errors
    /// If the file cannot be written.
    pub fn finish(&mut self, at: Duration) -> io::Result<()> {
        let pending = self.pending.take();
        pending.map_or(Ok(()), |(_, crop)| self.write(crop, at))
    }

    /// Writes a picture that is shown until `until`. Times are rounded as a whole, so that they do not drift.
    fn write(&mut self, Crop { image, left, top }: Crop, until: Duration) -> io::Result<()> {
        let mut frame = Frame::from_rgb_speed(image.width as u16, image.height as u16, &image.rgb, SPEED);
        (frame.left, frame.top) = (left as u16, top as u16);
        frame.dispose = DisposalMethod::Keep;
        let until = hundredths(until);
        // Players take 0 and 1 for a tenth of a second.
        frame.delay = until.saturating_sub(self.shown).clamp(2, 65_535) as u16;
        self.shown += u64::from(frame.delay);
        self.encoder.write_frame(&frame).map_err(io::Error::other)?;
        let bytes = std::mem::take(&mut *self.pipe.0.borrow_mut());
        self.file.append(&bytes)
    }
}

fn hundredths(time: Duration) -> u64 {
    (time.as_millis() as u64 + 5) / 10
}
