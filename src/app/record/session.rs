//! The recordings of the run loop: started by a flag or a key, ended by a key or the end.

use crate::app::error::Error;
use crate::app::files::{failed, free_name};
use crate::app::record::{Format, Header, Recording, WriteOptions, is_input_log};
use crate::cell::color::TerminalColors;
use ratatui::buffer::Buffer;
use ratatui::style::Color;
use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

#[derive(Default)]
pub struct Recorder {
    pub path: Option<PathBuf>,
    options: WriteOptions,
    usual: &'static str,
    /// How the app of a `.slosh` starts.
    pub header: Option<Header>,
    /// Those of the terminal on which the frames are seen.
    pub colors: TerminalColors,
    running: Option<(Recording, Instant)>,
    count: u32,
    failure: Option<Error>,
}

impl Recorder {
    /// `usual`: the ending of recordings that have no path.
    pub fn new(path: Option<PathBuf>, force: bool, usual: &'static str) -> Result<Self, Error> {
        if let Some(path) = &path {
            Format::required(path)?;
            if path.exists() && !force {
                return Err(failed(path, &io::ErrorKind::AlreadyExists.into()));
            }
        }
        let options = WriteOptions { force, live: true, ..WriteOptions::default() };
        Ok(Self { path, options, usual, ..Self::default() })
    }

    /// Whether it records a `.slosh`, which needs the app's log from the start.
    pub fn is_log(&self) -> bool {
        self.path.as_deref().is_some_and(is_input_log)
    }

    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// A path of the flag is used once; then, and without a flag, a new name.
    pub fn begin(&mut self, first: &Buffer, entries: &str) -> Result<(), Error> {
        let named = self.path.clone().filter(|_| self.count == 0);
        let usual = || Path::new("slosh").with_extension(self.usual);
        let path = named.unwrap_or_else(|| free_name(&self.path.clone().unwrap_or_else(usual)));
        self.count += 1;
        let recording = Recording::begin(&path, first.area, self.options, self.header.take().as_ref())?;
        self.running = Some((recording, Instant::now()));
        self.write(first, entries)
    }

    /// Starts or stops a recording, and returns a message for it. `entries` are the log entries since the last frame.
    pub fn toggle(&mut self, frame: &Buffer, entries: &str) -> String {
        if self.running.is_some() {
            return self.end(entries).unwrap_or_else(|failure| self.keep(failure));
        }
        match self.begin(frame, "") {
            Ok(()) => "recording".to_owned(),
            // All recorded frames are in the file.
            Err(failure) => failure.to_string(),
        }
    }

    fn keep(&mut self, failure: Error) -> String {
        let said = failure.to_string();
        self.failure.get_or_insert(failure);
        said
    }

    pub fn lost(&mut self) -> Result<(), Error> {
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Records a frame and its log entries. An error ends the recording, and its message is returned.
    pub fn frame(&mut self, frame: &Buffer, entries: &str) -> Option<String> {
        self.write(frame, entries).err().map(|failure| self.keep(failure))
    }

    fn write(&mut self, frame: &Buffer, entries: &str) -> Result<(), Error> {
        let Some((recording, began)) = &mut self.running else { return Ok(()) };
        let frame = with_defaults(frame, &self.colors);
        let Err(failure) = recording.frame(began.elapsed(), &frame, entries) else { return Ok(()) };
        let path = recording.path.clone();
        self.running = None;
        // A file without a frame is of no use, and stands in the way of the next recording.
        let is_empty = std::fs::metadata(&path).is_ok_and(|file| file.is_file() && file.len() == 0);
        let ended = if is_empty && std::fs::remove_file(&path).is_ok() {
            format!("{failure}; nothing was recorded")
        } else {
            format!("{failure}; the recording ends here, and what {} holds is whole", path.display())
        };
        Err(Error::Run(ended))
    }

    /// Returns a message for the user. `entries` are the log entries since the last frame.
    pub fn end(&mut self, entries: &str) -> Result<String, Error> {
        let Some((recording, began)) = self.running.take() else { return Ok(String::new()) };
        let said = format!("recorded {}", recording.path.display());
        recording.finish(began.elapsed(), entries).map(|()| said)
    }
}

/// The frame with the terminal's default colours as RGB, where they are known: the player's defaults are others, and edges of the
/// liquid carry this background.
fn with_defaults<'a>(frame: &'a Buffer, colors: &TerminalColors) -> Cow<'a, Buffer> {
    let Some(background) = colors.background else { return Cow::Borrowed(frame) };
    let mut frame = frame.clone();
    for cell in &mut frame.content {
        if cell.fg == Color::Reset {
            cell.fg = colors.text(Color::Reset).into();
        }
        if cell.bg == Color::Reset {
            cell.bg = background.into();
        }
    }
    Cow::Owned(frame)
}
