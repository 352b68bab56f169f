//! GIF, by the crate gif, which reduces each frame to its best 256 colours.

use crate::app::recorder::atomic_file::AtomicFile;
use crate::app::recorder::dirty_rect::{DirtyRect, DirtyRects};
use gif::{DisposalMethod, Encoder, Frame, Repeat};
use ratatui::buffer::Buffer;
use std::cell::RefCell;
use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::rc::Rc;
use std::time::Duration;

/// The trailer of a GIF.
const TRAILER: &[u8] = b"\x3b";

/// NeuQuant's speed, from 1 (best) to 30 (fastest). Every frame has its own palette, so 10 is hard to distinguish from
/// 1.
const SPEED: i32 = 10;

/// Bytes from the encoder that are not in the file yet.
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
    file: AtomicFile,
    encoder: Encoder<Pipe>,
    pipe: Pipe,
    dirty_rects: DirtyRects,
    /// The picture that is shown until the next one, and its time.
    pending: Option<(Duration, DirtyRect)>,
    /// End time of all frames so far, hundredths of a second.
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
    pub fn new(file: File, first: &Buffer, max_pixels: usize) -> io::Result<Self> {
        let dirty_rects = DirtyRects::new(first.area, max_pixels);
        let pipe = Pipe::default();
        let (width, height) = dirty_rects.size();
        let mut encoder = Encoder::new(pipe.clone(), width as u16, height as u16, &[]).map_err(io::Error::other)?;
        encoder.set_repeat(Repeat::Infinite).map_err(io::Error::other)?;
        Ok(Self { file: AtomicFile::new(file, TRAILER), encoder, pipe, dirty_rects, pending: None, shown: 0 })
    }

    /// # Errors
    /// If the file cannot be written.
    pub fn frame(&mut self, at: Duration, frame: &Buffer) -> io::Result<()> {
        let Some(dirty) = self.dirty_rects.of(frame) else { return Ok(()) };
        if self.pending.is_none() && self.shown == 0 {
            self.shown = hundredths(at);
        }
        let pending = self.pending.replace((at, dirty));
        pending.map_or(Ok(()), |(_, dirty)| self.write(dirty, at))
    }

    /// # Errors
    /// If the file cannot be written.
    pub fn finish(&mut self, at: Duration) -> io::Result<()> {
        let pending = self.pending.take();
        pending.map_or(Ok(()), |(_, dirty)| self.write(dirty, at))
    }

    /// Writes a picture that is shown until `until`. Times are rounded in total, so that they do not drift.
    fn write(&mut self, DirtyRect { image, left, top }: DirtyRect, until: Duration) -> io::Result<()> {
        let mut frame = Frame::from_rgb_speed(image.width as u16, image.height as u16, &image.rgb, SPEED);
        (frame.left, frame.top) = (left as u16, top as u16);
        frame.dispose = DisposalMethod::Keep;
        let until = hundredths(until);
        // Players treat delays of 0 and 1 as a tenth of a second.
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
