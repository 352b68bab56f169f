//! A `.slosh` recording, played again: the app does what it did, and every frame is held against the sum of the old one.

pub mod event_log;
mod lines;
pub mod playback;

use crate::app::App;
use crate::app::action::{Action, Window};
use crate::app::error::Failure;
use crate::app::recorder::{Header, ReadSettings};
use event_log::{Again, Note, sum};
use lines::Lines;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// No recording lasts longer than a year; the terminal's clock could not be told when it ends.
const LONGEST: Duration = Duration::from_secs(366 * 86_400);

/// What a file of that name holds.
pub fn is_one(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("slosh"))
}

/// What the next line was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Played {
    /// A frame, drawn so long after the beginning.
    Frame(Duration),
    /// Something that happened between frames.
    Note,
    /// There was none.
    All,
}

/// A recording that is being played.
pub struct Replay {
    /// What the file is called, for errors.
    source: String,
    path: PathBuf,
    lines: Lines,
    app: App,
    frame: Buffer,
    /// Since the beginning of the recording.
    now: Duration,
}

impl Replay {
    /// Reads a recording, to be simulated on so many threads.
    ///
    /// # Errors
    /// If it cannot be read, or is none.
    pub fn open(path: &Path, threads: usize, read_settings: ReadSettings) -> Result<Self, Failure> {
        let source = path.display().to_string();
        let lines = Lines::open(path).map_err(|error| Failure::Input(format!("{source}: {error}")))?;
        Self::begin(source, path, lines, threads, read_settings)
    }

    /// The same from memory, for tests.
    ///
    /// # Errors
    /// If it is none.
    pub fn read(
        from: impl BufRead + 'static,
        source: &str,
        threads: usize,
        read_settings: ReadSettings,
    ) -> Result<Self, Failure> {
        Self::begin(source.to_owned(), Path::new(source), Lines::new(from), threads, read_settings)
    }

    fn begin(
        source: String,
        path: &Path,
        mut lines: Lines,
        threads: usize,
        read_settings: ReadSettings,
    ) -> Result<Self, Failure> {
        let wrong = |message: String| Failure::Input(format!("{source}:1: {message}"));
        let first = lines.read().map_err(|error| wrong(error.to_string()))?;
        let header = Header::parse(first.unwrap_or_default()).map_err(wrong)?;
        let mut options = header.options(&source, read_settings)?;
        drop(header);
        options.simulation.threads = threads;
        let frame = Buffer::empty(Rect::new(0, 0, 80, 24));
        Ok(Self { path: path.to_owned(), source, lines, app: App::new(options), frame, now: Duration::ZERO })
    }

    /// How many frames there are in all.
    ///
    /// # Errors
    /// If the file can no longer be read.
    pub fn frames(&self) -> Result<usize, Failure> {
        lines::count_frames(&self.path).map_err(|error| Failure::Input(format!("{}: {error}", self.source)))
    }

    /// Plays on up to the next frame, and returns when it was drawn, since the beginning. Nothing at the end.
    ///
    /// # Errors
    /// If a line makes no sense, or a frame is not what it was.
    pub fn advance(&mut self) -> Result<Option<Duration>, Failure> {
        loop {
            match self.play_line()? {
                Played::Frame(at) => return Ok(Some(at)),
                Played::Note => {}
                Played::All => return Ok(None),
            }
        }
    }

    /// Plays the next line. Between two frames there may be any number of them.
    ///
    /// # Errors
    /// As for [`Replay::advance`].
    pub fn play_line(&mut self) -> Result<Played, Failure> {
        let note = match self.lines.read() {
            Ok(Some(line)) => serde_json::from_str(line).map_err(|error| error.to_string()),
            Ok(None) => return Ok(Played::All),
            Err(error) => Err(error.to_string()),
        };
        let note = note.map_err(|message| self.wrong(&message))?;
        Ok(if self.play(note)? { Played::Frame(self.now) } else { Played::Note })
    }

    /// What was drawn last.
    pub fn frame(&self) -> &Buffer {
        &self.frame
    }

    /// Does what was done. Says whether that was drawing a frame.
    fn play(&mut self, note: Note) -> Result<bool, Failure> {
        match note {
            Note::Do(action) => match action.believed().map_err(|message| self.wrong(&message))? {
                // How many threads there were was the other machine's affair.
                Action::Share(_) => {}
                action => {
                    if let Action::Resize(Window { columns, rows, .. }) = action {
                        self.frame.resize(Rect::new(0, 0, columns, rows));
                    }
                    self.app.update(action);
                    self.app.take_request();
                }
            },
            Note::Tick(nanos, most, stopped) => {
                let elapsed = Duration::from_nanos(nanos);
                self.pass(elapsed)?;
                self.app.tick_watched(elapsed, most, &mut Again(stopped));
            }
            Note::Rest(nanos) => {
                self.pass(Duration::from_nanos(nanos))?;
                self.app.rest(Duration::from_nanos(nanos));
            }
            Note::Say(message) => self.app.say(message),
            Note::Frame(expected) => {
                self.app.draw(&mut self.frame);
                if sum(&self.frame) != expected {
                    return Err(self.wrong("this frame is not what it was: another version of slosh recorded it"));
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn pass(&mut self, elapsed: Duration) -> Result<(), Failure> {
        let now = self.now.checked_add(elapsed).filter(|now| *now <= LONGEST);
        self.now = now.ok_or_else(|| self.wrong("no recording lasts longer than a year"))?;
        Ok(())
    }

    fn wrong(&self, message: &str) -> Failure {
        Failure::Input(format!("{}:{}: {message}", self.source, self.lines.count))
    }
}
