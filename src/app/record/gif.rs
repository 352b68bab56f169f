//! GIF, by the crate gif, which reduces each frame to its best 256 colours.

use crate::app::record::atomic_file::AtomicFile;
use crate::app::record::pictures::{DirtyRect, PictureEncoder, Pictures, scaled_size};
use crate::app::record::{Format, FormatWriter, Start};
use gif::{DisposalMethod, Encoder, Frame, Repeat};
use std::cell::RefCell;
use std::fmt;
use std::fs::File;
use std::io::{self, Write};
use std::rc::Rc;
use std::time::Duration;

pub const FORMAT: Format = Format {
    endings: &["gif"],
    player: "a browser",
    // Players treat delays of 0 and 10 ms as 100 ms.
    shortest: Duration::from_millis(20),
    interval: Duration::from_millis(40),
    is_input_log: false,
    open,
};

const TRAILER: &[u8] = b"\x3b";

/// NeuQuant's speed, from 1 (best) to 30 (fastest). Every frame has its own palette, so 10 is hard to distinguish from 1.
const SPEED: i32 = 10;

/// Upper limit on the time of a frame, hundredths of a second.
const MAX_DELAY: u64 = 65_535;

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

struct Gif {
    file: AtomicFile,
    encoder: Encoder<Pipe>,
    pipe: Pipe,
}

impl fmt::Debug for Gif {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Gif").field("file", &self.file).finish_non_exhaustive()
    }
}

fn open(file: File, start: &Start) -> io::Result<Box<dyn FormatWriter>> {
    let pipe = Pipe::default();
    let [width, height] = scaled_size(start).1;
    let mut encoder = Encoder::new(pipe.clone(), width as u16, height as u16, &[]).map_err(io::Error::other)?;
    encoder.set_repeat(Repeat::Infinite).map_err(io::Error::other)?;
    Ok(Box::new(Pictures::new(Gif { file: AtomicFile::new(file, TRAILER), encoder, pipe }, start)))
}

impl PictureEncoder for Gif {
    fn write(&mut self, part: &DirtyRect, from: Duration, until: Duration) -> io::Result<()> {
        let DirtyRect { image, left, top } = part;
        // Times are rounded in total, so that they do not drift.
        let mut rest = hundredths(until).saturating_sub(hundredths(from)).max(hundredths(FORMAT.shortest));
        let mut frame = Frame::from_rgb_speed(image.width as u16, image.height as u16, &image.rgb, SPEED);
        while rest > 0 {
            (frame.left, frame.top) = (*left as u16, *top as u16);
            frame.dispose = DisposalMethod::Keep;
            frame.delay = rest.min(MAX_DELAY) as u16;
            rest -= u64::from(frame.delay);
            self.encoder.write_frame(&frame).map_err(io::Error::other)?;
            // A still that is longer than a frame can be goes on with its first pixel.
            frame = Frame::from_rgb_speed(1, 1, &image.rgb[..3], SPEED);
        }
        let bytes = std::mem::take(&mut *self.pipe.0.borrow_mut());
        self.file.append(&bytes)
    }
}

fn hundredths(time: Duration) -> u64 {
    (time.as_millis() as u64 + 5) / 10
}
