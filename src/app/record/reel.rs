//! The recording that the run loop makes: begun by a flag or by a key, ended by a key or the end.

use crate::app::failure::Failure;
use crate::app::files::free_name;
use crate::app::record::{Header, Kind, Manner, Recording};
use ratatui_core::buffer::Buffer;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Where to, and what is going on.
#[derive(Debug, Default)]
pub struct Reel {
    /// What the flag says.
    pub path: Option<PathBuf>,
    manner: Manner,
    /// How the app began, if what happens to it is recorded.
    header: Option<Header>,
    running: Option<(Recording, Instant)>,
    /// How many were begun.
    count: u32,
}

impl Reel {
    pub fn new(path: Option<PathBuf>, manner: Manner) -> Self {
        Self { path, manner, ..Self::default() }
    }

    /// Whether it wants to know what happens to the app, from the start.
    pub fn is_log(&self) -> bool {
        self.path.as_deref().and_then(Kind::of) == Some(Kind::Log)
    }

    pub fn is_running(&self) -> bool {
        self.running.is_some()
    }

    /// Tells how the app begins.
    pub fn head(&mut self, header: Header) {
        self.header = Some(header);
    }

    /// Begins where the flag says; without the flag, and the second time, where there is no file yet.
    ///
    /// # Errors
    /// As for [`Recording::begin`].
    pub fn begin(&mut self, first: &Buffer, notes: &str) -> Result<(), Failure> {
        let named = self.path.clone().filter(|_| self.count == 0);
        let path = named.unwrap_or_else(|| free_name(self.path.as_deref().unwrap_or(Path::new("slosh.cast"))));
        self.count += 1;
        let recording = Recording::begin(&path, first, self.manner, self.header.take().as_ref())?;
        self.running = Some((recording, Instant::now()));
        self.frame(first, notes).map_or(Ok(()), Err)
    }

    /// Starts or stops, and says what to tell about it.
    pub fn toggle(&mut self, frame: &Buffer) -> String {
        if self.running.is_some() {
            return self.end().unwrap_or_else(|failure| failure.to_string());
        }
        match self.begin(frame, "") {
            Ok(()) => "recording".to_owned(),
            Err(failure) => failure.to_string(),
        }
    }

    /// Takes a frame and what made it. What goes wrong ends the recording and is returned.
    pub fn frame(&mut self, frame: &Buffer, notes: &str) -> Option<Failure> {
        let (recording, began) = self.running.as_mut()?;
        let failure = recording.frame(began.elapsed(), frame, notes).err()?;
        self.running = None;
        Some(failure)
    }

    /// Ends the recording, if there is one, and says what to tell about it.
    ///
    /// # Errors
    /// As for [`Recording::finish`].
    pub fn end(&mut self) -> Result<String, Failure> {
        let Some((recording, _)) = self.running.take() else { return Ok(String::new()) };
        let said = format!("recorded {}", recording.path().display());
        recording.finish().map(|()| said)
    }
}
