//! Recordings: frames to a file, in the format of its extension. The file is complete after every frame.
//!
//! Frames are recorded as drawn; on a slow link the terminal shows less.

pub mod apng;
mod atomic_file;
mod cast;
mod dirty_rect;
mod gif;
mod input_log;
pub mod png;
pub mod session;

use crate::app::error::Error;
use crate::app::files::{create, failed};
use crate::data;
use apng::Apng;
use cast::Cast;
pub use cast::CastVersion;
use gif::Gif;
use input_log::Log;
pub use input_log::{Header, MAX_HEADER, ReadSettings};
use ratatui::buffer::Buffer;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Time between two frames of a picture format: browsers keep up with it, and files stay small.
const PICTURE_INTERVAL: Duration = Duration::from_millis(40);

/// Upper limit on the pixels of a live recording: a window of 200×60 cells at 8×16, a larger one at 4×8 and so on. A
/// GIF frame of 1000×500 cells has 64 million pixels otherwise, and took 9 to 13 s.
const MAX_LIVE_PIXELS: usize = 1 << 21;

/// Duration of the last frame.
const LAST_FRAME: Duration = Duration::from_millis(40);

/// The formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordFormat {
    Cast,
    Gif,
    Apng,
    /// Seed and input, which slosh can play again.
    Log,
}

impl RecordFormat {
    const ENDINGS: [(&str, RecordFormat); 5] = [
        ("cast", RecordFormat::Cast),
        ("gif", RecordFormat::Gif),
        ("png", RecordFormat::Apng),
        ("apng", RecordFormat::Apng),
        ("slosh", RecordFormat::Log),
    ];

    /// The format of a file by its extension, if it is a recording.
    pub fn from_path(path: &Path) -> Option<RecordFormat> {
        let ending = path.extension()?.to_str()?.to_lowercase();
        Self::ENDINGS.into_iter().find(|(known, _)| *known == ending).map(|(_, kind)| kind)
    }

    /// As [`RecordFormat::from_path`], for a file that must be a recording.
    ///
    /// # Errors
    /// Names the extensions.
    pub fn required(path: &Path) -> Result<RecordFormat, Error> {
        let ending = path.extension().map_or_else(String::new, |ending| ending.to_string_lossy().to_lowercase());
        let advice = data::advice(&ending, &Self::ENDINGS.map(|(ending, _)| ending));
        let message = format!("{}: unsupported extension; {advice}", path.display());
        Self::from_path(path).ok_or(Error::Input(message))
    }
}

/// Options for writing files.
#[derive(Clone, Copy, Debug, Default)]
pub struct WriteOptions {
    /// Overwrite an existing file.
    pub force: bool,
    /// The version of asciicast.
    pub version: CastVersion,
    /// The recording is made while playing, so every frame must be encoded in time.
    pub live: bool,
}

impl WriteOptions {
    /// Upper limit on the pixels of a picture: a recording that is not live may have all of 65,535 × 65,535.
    fn max_pixels(self) -> usize {
        if self.live { MAX_LIVE_PIXELS } else { usize::MAX }
    }
}

#[derive(Debug)]
enum FormatWriter {
    Cast(Box<Cast>),
    Gif(Box<Gif>),
    Apng(Box<Apng>),
    Log(Log),
}

/// An open recording.
#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    sink: FormatWriter,
    /// The time of the last frame.
    last: Option<Duration>,
}

impl Recording {
    /// Opens a recording of the size of `first`, which is not recorded by this. A log needs the header.
    ///
    /// # Errors
    /// If a file exists that must not be overwritten, or it cannot be written.
    pub fn begin(path: &Path, first: &Buffer, options: WriteOptions, header: Option<&Header>) -> Result<Self, Error> {
        let kind = RecordFormat::required(path)?;
        let from_the_start = || Error::Input("a .slosh is recorded from the start: slosh --record FILE.slosh".into());
        let header = if kind == RecordFormat::Log { Some(header.ok_or_else(from_the_start)?) } else { None };
        let at = |error: io::Error| failed(path, &error);
        let file = create(path, options.force).map_err(at)?;
        let sink = match kind {
            RecordFormat::Log => FormatWriter::Log(Log::new(file, header.expect("asked for above")).map_err(at)?),
            RecordFormat::Cast => FormatWriter::Cast(Box::new(Cast::new(file, first, options.version).map_err(at)?)),
            RecordFormat::Gif => FormatWriter::Gif(Box::new(Gif::new(file, first, options.max_pixels()).map_err(at)?)),
            RecordFormat::Apng => FormatWriter::Apng(Box::new(Apng::new(file, first, options.max_pixels()))),
        };
        Ok(Self { path: path.to_owned(), sink, last: None })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Records a frame at a time since the start, or the log entries that made it.
    ///
    /// # Errors
    /// If it cannot be written. What is written already is complete.
    pub fn frame(&mut self, at: Duration, frame: &Buffer, entries: &str) -> Result<(), Error> {
        let pause = if matches!(self.sink, FormatWriter::Cast(_) | FormatWriter::Log(_)) {
            Duration::ZERO
        } else {
            PICTURE_INTERVAL
        };
        // A tolerance for the rounding of evenly spaced frames.
        if self.last.is_some_and(|last| at + Duration::from_millis(2) < last + pause) {
            return Ok(());
        }
        self.last = Some(at);
        let taken = match &mut self.sink {
            FormatWriter::Cast(cast) => cast.frame(at, frame),
            FormatWriter::Gif(gif) => gif.frame(at, frame),
            FormatWriter::Apng(apng) => apng.frame(at, frame),
            FormatWriter::Log(log) => log.append(entries),
        };
        taken.map_err(|error| failed(&self.path, &error))
    }

    /// Closes the recording.
    ///
    /// # Errors
    /// As for [`Recording::frame`].
    pub fn finish(mut self) -> Result<(), Error> {
        let at = self.last.unwrap_or_default() + LAST_FRAME;
        let done = match &mut self.sink {
            FormatWriter::Cast(_) | FormatWriter::Log(_) => Ok(()),
            FormatWriter::Gif(gif) => gif.finish(at),
            FormatWriter::Apng(apng) => apng.finish(at),
        };
        done.map_err(|error| failed(&self.path, &error))
    }
}
