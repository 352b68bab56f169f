//! The recording that the run loop makes: begun by a flag or by a key, ended by a key or the end.

use crate::app::error::Failure;
use crate::app::files::free_name;
use crate::app::recorder::{Header, Kind, Manner, Recording};
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
    /// The first that went wrong.
    failure: Option<Failure>,
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
        match self.frame(first, notes) {
            None => Ok(()),
            Some(said) => Err(self.failure.take().unwrap_or(Failure::Run(said))),
        }
    }

    /// Starts or stops, and says what to tell about it.
    pub fn toggle(&mut self, frame: &Buffer) -> String {
        if self.running.is_some() {
            return self.end().unwrap_or_else(|failure| self.keep(failure));
        }
        match self.begin(frame, "") {
            Ok(()) => "recording".to_owned(),
            // Nothing is lost that was recorded.
            Err(failure) => failure.to_string(),
        }
    }

    /// Keeps what went wrong for the end, and says it for now.
    fn keep(&mut self, failure: Failure) -> String {
        let said = failure.to_string();
        self.failure.get_or_insert(failure);
        said
    }

    /// What was lost, at the end.
    ///
    /// # Errors
    /// The first thing that went wrong with a recording.
    pub fn lost(&mut self) -> Result<(), Failure> {
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Takes a frame and what made it. What goes wrong ends the recording, and what to tell about it is returned.
    pub fn frame(&mut self, frame: &Buffer, notes: &str) -> Option<String> {
        let (recording, began) = self.running.as_mut()?;
        let failure = recording.frame(began.elapsed(), frame, notes).err()?;
        let path = recording.path().display().to_string();
        self.running = None;
        let said = Failure::Run(format!("{failure}; the recording ends here, and what {path} holds is whole"));
        Some(self.keep(said))
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
