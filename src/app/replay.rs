//! A `.slosh` recording, played again: the app does what it did, and every frame is held against the sum of the old one.

pub mod journal;
pub mod playback;

use super::App;
use super::action::{Action, Window};
use super::failure::Failure;
use super::record::Header;
use journal::{Again, Note, sum};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// What a file of that name holds.
pub fn is_one(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("slosh"))
}

/// A recording that is being played.
pub struct Replay {
    /// What the file is called, for errors.
    source: String,
    lines: Vec<String>,
    /// How many of the lines have been played; the first is the header.
    played: usize,
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
    pub fn open(path: &Path, threads: usize) -> Result<Self, Failure> {
        let source = path.display().to_string();
        let text = fs::read_to_string(path).map_err(|error| Failure::Input(format!("{source}: {error}")))?;
        // Whatever stopped the recording may have cut its last line off.
        let lines: Vec<String> =
            text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')).map(str::to_owned).collect();
        let first = lines.first().map_or("", String::as_str);
        let header = Header::parse(first).map_err(|message| Failure::Input(format!("{source}:1: {message}")))?;
        let mut options = header.options(&source)?;
        options.threads = threads;
        let frame = Buffer::empty(Rect::new(0, 0, 80, 24));
        Ok(Self { source, lines, played: 1, app: App::new(options), frame, now: Duration::ZERO })
    }

    /// How many frames there are in all.
    pub fn frames(&self) -> usize {
        let is_frame = |line: &&String| line.starts_with("{\"frame\"");
        self.lines.iter().filter(is_frame).count()
    }

    /// Plays on up to the next frame, and returns when it was drawn, since the beginning. Nothing at the end.
    ///
    /// # Errors
    /// If a line makes no sense, or a frame is not what it was.
    pub fn advance(&mut self) -> Result<Option<Duration>, Failure> {
        while let Some(line) = self.lines.get(self.played) {
            self.played += 1;
            let note = serde_json::from_str(line).map_err(|error| self.wrong(&error.to_string()))?;
            if self.play(note)? {
                return Ok(Some(self.now));
            }
        }
        Ok(None)
    }

    /// What was drawn last.
    pub fn frame(&self) -> &Buffer {
        &self.frame
    }

    /// Does what was done. Says whether that was drawing a frame.
    fn play(&mut self, note: Note) -> Result<bool, Failure> {
        match note {
            // How many threads there were was the other machine's affair.
            Note::Do(Action::Share(_)) => {}
            Note::Do(action) => {
                if let Action::Resize(window) = action {
                    let Window { columns, rows, .. } = window.believed().map_err(|message| self.wrong(&message))?;
                    self.frame.resize(Rect::new(0, 0, columns, rows));
                }
                self.app.update(action);
                self.app.take_request();
            }
            Note::Tick(nanos, most, stopped) => {
                let elapsed = Duration::from_nanos(nanos);
                self.now += elapsed;
                self.app.tick_watched(elapsed, most, &mut Again(stopped));
            }
            Note::Rest(nanos) => {
                self.now += Duration::from_nanos(nanos);
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

    fn wrong(&self, message: &str) -> Failure {
        Failure::Input(format!("{}:{}: {message}", self.source, self.played))
    }
}
