//! Recording: frames into a file, by its ending. What is written is whole after every frame.
//!
//! Frames are taken as they were drawn, not as the terminal got them: on a slow link the terminal gets less.

mod apng;
mod atomic_file;
mod cast;
mod crop;
mod gif;
mod input_log;
pub mod png;
pub mod session;

use crate::app::error::Failure;
use crate::app::files::{create, failed};
use crate::data;
use apng::Apng;
use cast::Cast;
pub use cast::Edition;
use gif::Gif;
use input_log::Log;
pub use input_log::{Header, LONGEST_HEADER, ReadSettings};
use ratatui_core::buffer::Buffer;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Between two frames of a picture format: what browsers and eyes keep up with, and files stay small.
const PICTURES: Duration = Duration::from_millis(40);

/// Pixels of a picture that is recorded as it is played: a window of 200×60 cells at 8×16, a larger one at 4×8 and so on.
/// A GIF's frame of 1000×500 cells is 64 million pixels otherwise, and took 9 to 13 s, at the end too.
const LIVE_PIXELS: usize = 1 << 21;

/// For how long the last frame is shown.
const LAST: Duration = Duration::from_millis(40);

/// What is recorded as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Cast,
    Gif,
    Apng,
    /// Seed and input, to be played again by slosh.
    Log,
}

impl Kind {
    const ENDINGS: [(&str, Kind); 5] =
        [("cast", Kind::Cast), ("gif", Kind::Gif), ("png", Kind::Apng), ("apng", Kind::Apng), ("slosh", Kind::Log)];

    /// What a file of that name holds, if it is a recording.
    pub fn of(path: &Path) -> Option<Kind> {
        let ending = path.extension()?.to_str()?.to_lowercase();
        Self::ENDINGS.into_iter().find(|(known, _)| *known == ending).map(|(_, kind)| kind)
    }

    /// The same, for a file that must be one.
    ///
    /// # Errors
    /// Names the endings that there are.
    pub fn needed(path: &Path) -> Result<Kind, Failure> {
        let ending = path.extension().map_or_else(String::new, |ending| ending.to_string_lossy().to_lowercase());
        let advice = data::advice(&ending, &Self::ENDINGS.map(|(ending, _)| ending));
        let message = format!("{}: unsupported extension; {advice}", path.display());
        Self::of(path).ok_or(Failure::Input(message))
    }
}

/// How files are written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Manner {
    /// A file that is there already is overwritten.
    pub force: bool,
    /// Of asciicast.
    pub edition: Edition,
    /// Somebody waits for every frame, and for the end.
    pub live: bool,
}

impl Manner {
    /// Pixels of a picture at most: what waits for nobody may have all of 65,535 × 65,535.
    fn most_pixels(self) -> usize {
        if self.live { LIVE_PIXELS } else { usize::MAX }
    }
}

#[derive(Debug)]
enum Sink {
    Cast(Box<Cast>),
    Gif(Box<Gif>),
    Apng(Box<Apng>),
    Log(Log),
}

/// A recording that goes on.
#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    sink: Sink,
    /// When the last frame was taken.
    last: Option<Duration>,
}

impl Recording {
    /// Begins one, of the size of `first`, which is not recorded by that. A log needs to know how the app began.
    ///
    /// # Errors
    /// If there is a file already that must not be overwritten, or it cannot be written.
    pub fn begin(path: &Path, first: &Buffer, manner: Manner, header: Option<&Header>) -> Result<Self, Failure> {
        let kind = Kind::needed(path)?;
        let from_the_start = || Failure::Input("a .slosh is recorded from the start: slosh --record FILE.slosh".into());
        let header = if kind == Kind::Log { Some(header.ok_or_else(from_the_start)?) } else { None };
        let at = |error: io::Error| failed(path, &error);
        let file = create(path, manner.force).map_err(at)?;
        let sink = match kind {
            Kind::Log => Sink::Log(Log::new(file, header.expect("asked for above")).map_err(at)?),
            Kind::Cast => Sink::Cast(Box::new(Cast::new(file, first, manner.edition).map_err(at)?)),
            Kind::Gif => Sink::Gif(Box::new(Gif::new(file, first, manner.most_pixels()).map_err(at)?)),
            Kind::Apng => Sink::Apng(Box::new(Apng::new(file, first, manner.most_pixels()))),
        };
        Ok(Self { path: path.to_owned(), sink, last: None })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes a frame, shown `at` so long after the beginning, or what made it.
    ///
    /// # Errors
    /// If it cannot be written; what is there already is whole.
    pub fn frame(&mut self, at: Duration, frame: &Buffer, notes: &str) -> Result<(), Failure> {
        let pause = if matches!(self.sink, Sink::Cast(_) | Sink::Log(_)) { Duration::ZERO } else { PICTURES };
        // A hair of tolerance, for frames that are evenly spaced.
        if self.last.is_some_and(|last| at + Duration::from_millis(2) < last + pause) {
            return Ok(());
        }
        self.last = Some(at);
        let taken = match &mut self.sink {
            Sink::Cast(cast) => cast.frame(at, frame),
            Sink::Gif(gif) => gif.frame(at, frame),
            Sink::Apng(apng) => apng.frame(at, frame),
            Sink::Log(log) => log.notes(notes),
        };
        taken.map_err(|error| failed(&self.path, &error))
    }

    /// Ends it.
    ///
    /// # Errors
    /// As for [`Recording::frame`].
    pub fn finish(mut self) -> Result<(), Failure> {
        let at = self.last.unwrap_or_default() + LAST;
        let done = match &mut self.sink {
            Sink::Cast(_) | Sink::Log(_) => Ok(()),
            Sink::Gif(gif) => gif.finish(at),
            Sink::Apng(apng) => apng.finish(at),
        };
        done.map_err(|error| failed(&self.path, &error))
    }
}
