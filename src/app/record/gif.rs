//! GIF, by the crate gif. What a frame may take is bounded: as on a slow link, only the cells whose error is worth their bytes are
//! drawn anew, in colours that cells share; all others are transparent.

use crate::app::record::atomic_file::AtomicFile;
use crate::app::record::pictures::{DirtyRect, PictureEncoder, Pictures, scaled_size};
use crate::app::record::{Format, FormatWriter, Start};
use crate::term::encoder::rate_control::RateController;
use crate::term::encoder::{FrameEncoder, OutputCaps, RateTarget};
use gif::{DisposalMethod, Encoder, Frame, Repeat};
use ratatui::buffer::Buffer;
use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::time::Duration;

pub const FORMAT: Format = Format {
    endings: &["gif"],
    player: "a browser",
    // Players treat delays of 0 and 10 ms as 100 ms.
    shortest: Duration::from_millis(20),
    interval: Duration::from_millis(80),
    open,
};

const TRAILER: &[u8] = b"\x3b";

/// The rate to which the picture is fitted, bytes a second for each cell: 10 s of 80×24 cells in 1.4 MB.
const RATE: f64 = 72.0;

/// Colours of a frame: those of a palette, less the one of what is transparent.
const MAX_COLORS: usize = 255;

const MAX_DELAY: u64 = 65_535;

struct Gif {
    file: AtomicFile,
    encoder: Encoder<Vec<u8>>,
    screen: FrameEncoder,
    rate: RateController,
    last: Duration,
}

fn open(file: File, start: &Start) -> io::Result<Box<dyn FormatWriter>> {
    let [width, height] = scaled_size(start).1;
    let mut encoder = Encoder::new(Vec::new(), width as u16, height as u16, &[]).map_err(io::Error::other)?;
    encoder.set_repeat(Repeat::Infinite).map_err(io::Error::other)?;
    let screen = FrameEncoder::new(OutputCaps::default());
    let file = AtomicFile::new(file, TRAILER);
    let gif = Gif { file, encoder, screen, rate: RateController::economical(), last: Duration::ZERO };
    Ok(Box::new(Pictures::new(gif, start)))
}

impl PictureEncoder for Gif {
    fn approximate(&mut self, at: Duration, frame: &Buffer) -> Option<Buffer> {
        let passed = at.saturating_sub(std::mem::replace(&mut self.last, at)).max(FORMAT.shortest);
        let budget = RATE * frame.content.len() as f64 * passed.as_secs_f64();
        let target = RateTarget { max_bytes: usize::MAX, ..self.rate.target(budget as usize) };
        self.screen.encode_lossy(frame, target);
        Some(self.screen.shown())
    }

    fn write(&mut self, part: &DirtyRect, from: Duration, until: Duration) -> io::Result<()> {
        let DirtyRect { image, left, top, .. } = part;
        // Times are rounded in total, so that they do not drift.
        let mut rest = hundredths(until).saturating_sub(hundredths(from)).max(hundredths(FORMAT.shortest));
        let mut frame = Frame::from_rgba(image.width as u16, image.height as u16, &mut pixels(part));
        while rest > 0 {
            (frame.left, frame.top) = (*left as u16, *top as u16);
            frame.dispose = DisposalMethod::Keep;
            frame.delay = rest.min(MAX_DELAY) as u16;
            rest -= u64::from(frame.delay);
            self.encoder.write_frame(&frame).map_err(io::Error::other)?;
            // A still that is longer than a frame can be goes on with a pixel that changes nothing.
            frame = Frame::from_rgba(1, 1, &mut [0; 4]);
        }
        let bytes = std::mem::take(self.encoder.get_mut());
        self.rate.record(bytes.len(), false);
        self.file.append(&bytes)
    }
}

/// The pixels with their opacity. Colours are rounded until they fit a palette.
fn pixels(DirtyRect { image, unchanged, cell: [width, height], .. }: &DirtyRect) -> Vec<u8> {
    let columns = image.width / width;
    let kept = |at: usize| unchanged[at / image.width / height * columns + at % image.width / width];
    let all = |step: u8| {
        let round = move |value: u8| (value / step * step).saturating_add(step / 2);
        image.rgb.chunks_exact(3).enumerate().map(move |(at, rgb)| match kept(at) {
            true => [0; 4],
            false => [round(rgb[0]), round(rgb[1]), round(rgb[2]), 255],
        })
    };
    let fits = |step: &u8| {
        let mut colors = BTreeSet::new();
        all(*step).all(|color| {
            colors.insert(color);
            colors.len() <= MAX_COLORS
        })
    };
    let step = [1, 2, 4, 8, 16].into_iter().find(fits).unwrap_or(32);
    all(step).flatten().collect()
}

fn hundredths(time: Duration) -> u64 {
    (time.as_millis() as u64 + 5) / 10
}
