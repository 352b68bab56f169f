//! Recordings: frames to a file, in the format of its ending. The file is complete after every frame. Frames are recorded as
//! drawn; on a slow link the terminal shows less. A format is one file and one row of [`FORMATS`].

mod apng;
mod atomic_file;
mod cast;
mod gif;
pub mod headless;
mod input_log;
mod pictures;
pub mod png;
pub mod replay;
pub mod session;

use crate::app::error::Error;
use crate::app::files::{create, failed};
use crate::data;
pub use input_log::{Header, MAX_HEADER, ReadSettings};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Upper limit on the pixels of a live picture: a window of 200×60 cells at 8×16, a larger one at 4×8 and so on.
const MAX_LIVE_PIXELS: usize = 1 << 21;

pub const PLAYER: &str = "slosh play";

pub struct Format {
    pub endings: &'static [&'static str],
    pub player: &'static str,
    /// The shortest time for which players show a frame.
    pub shortest: Duration,
    /// Time between two frames, if the frames come faster.
    interval: Duration,
    open: fn(File, &Start) -> io::Result<Box<dyn FormatWriter>>,
}

pub const FORMATS: [&Format; 4] = [&cast::FORMAT, &gif::FORMAT, &apng::FORMAT, &input_log::FORMAT];

struct Start<'a> {
    area: Rect,
    max_pixels: usize,
    header: Option<&'a Header>,
}

trait FormatWriter {
    /// Adds a frame that is shown from `at` on, and the log entries that led to it.
    fn frame(&mut self, at: Duration, frame: &Buffer, entries: &str) -> io::Result<()>;

    /// Completes the file: the last frame is shown until `end`, and these are the log entries since it.
    fn finish(&mut self, end: Duration, entries: &str) -> io::Result<()>;
}

impl Format {
    /// The format of a file by its ending, if it is a recording.
    pub fn of(path: &Path) -> Option<&'static Format> {
        let ending = path.extension()?.to_str()?.to_lowercase();
        FORMATS.into_iter().find(|format| format.endings.contains(&&*ending))
    }

    pub fn required(path: &Path) -> Result<&'static Format, Error> {
        let ending = path.extension().map_or_else(String::new, |ending| ending.to_string_lossy().to_lowercase());
        let endings: Vec<&str> = FORMATS.iter().flat_map(|format| format.endings).copied().collect();
        let advice = data::advice(&ending, &endings);
        Self::of(path).ok_or_else(|| Error::Input(format!("{}: unsupported extension; {advice}", path.display())))
    }
}

/// Whether it stores the input instead of the frames, and begins with a [`Header`].
pub fn is_input_log(path: &Path) -> bool {
    Format::of(path).is_some_and(|format| format.endings == input_log::FORMAT.endings)
}

#[derive(Clone, Copy, Debug, Default)]
pub struct WriteOptions {
    pub force: bool,
    /// It is made while playing, so every frame must be encoded in time.
    pub live: bool,
    pub every_frame: bool,
}

pub struct Recording {
    pub path: PathBuf,
    writer: Box<dyn FormatWriter>,
    interval: Duration,
    last: Option<Duration>,
    /// The frame that came too soon after it.
    skipped: Option<Buffer>,
}

impl Recording {
    /// Opens a recording of frames of this area. A `.slosh` needs the header.
    pub fn begin(path: &Path, area: Rect, options: WriteOptions, header: Option<&Header>) -> Result<Self, Error> {
        let format = Format::required(path)?;
        if is_input_log(path) && header.is_none() {
            return Err(Error::Input("a .slosh is recorded from the start: slosh --record FILE.slosh".into()));
        }
        let at = |error: io::Error| failed(path, &error);
        let max_pixels = if options.live { MAX_LIVE_PIXELS } else { usize::MAX };
        let file = create(path, options.force).map_err(at)?;
        let writer = (format.open)(file, &Start { area, max_pixels, header }).map_err(at)?;
        let interval = if options.every_frame { format.shortest } else { format.interval };
        Ok(Self { path: path.to_owned(), writer, interval, last: None, skipped: None })
    }

    /// Records a frame at a time since the start, or the log entries that made it. A frame that comes too soon is recorded later,
    /// unless another takes its place.
    pub fn frame(&mut self, at: Duration, frame: &Buffer, entries: &str) -> Result<(), Error> {
        let due =
            self.last.map_or(Duration::ZERO, |last| (last + self.interval).saturating_sub(Duration::from_millis(2)));
        if at < due {
            self.skipped.get_or_insert_default().clone_from(frame);
            return Ok(());
        }
        if at > due + self.interval {
            self.record_skipped(due)?;
        }
        self.skipped = None;
        self.last = Some(at);
        self.writer.frame(at, frame, entries).map_err(|error| failed(&self.path, &error))
    }

    fn record_skipped(&mut self, at: Duration) -> Result<(), Error> {
        let Some(frame) = self.skipped.take() else { return Ok(()) };
        self.writer.frame(at, &frame, "").map_err(|error| failed(&self.path, &error))
    }

    pub fn finish(mut self, end: Duration, entries: &str) -> Result<(), Error> {
        let last = self.last.unwrap_or_default();
        let end = end.max(last);
        let due = last + self.interval;
        self.record_skipped(if due < end { due } else { last + (end - last) / 2 })?;
        self.writer.finish(end, entries).map_err(|error| failed(&self.path, &error))
    }
}
