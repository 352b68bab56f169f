//! Replay of a recording. Of a `.slosh` the app repeats the events, and the checksum of every frame is compared; an asciicast
//! holds the frames.

mod cast;
pub mod event_log;
pub mod lines;

use crate::app::App;
use crate::app::action::Action;
use crate::app::error::Error;
use crate::app::record::{Header, ReadSettings};
use crate::app::shared_tank::recording::TankReplay;
use cast::CastPlayer;
use event_log::{LogEntry, sum};
use lines::LineReader;
use ratatui::buffer::Buffer;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Upper limit on the duration: an `Instant` plus this is still representable.
const MAX_DURATION: Duration = Duration::from_secs(366 * 86_400);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Played {
    Frame(Duration),
    LogEntry,
    All,
}

enum ReplaySession {
    Cast(Box<CastPlayer>),
    App(Box<App>),
    Tank(Box<TankReplay>),
}

/// Repeats an event other than a frame, and returns the time that it takes.
fn play_in_app(app: &mut App, entry: LogEntry, frame: &mut Buffer) -> Result<Duration, String> {
    match entry {
        LogEntry::Do(action) => match action.validated()? {
            // The recorded thread count is ignored: this machine has its own.
            Action::SetThreads(_) => {}
            action => {
                if let Action::Resize(window) = action {
                    frame.resize(window.area());
                }
                app.update(action);
                app.take_request();
            }
        },
        LogEntry::Tick(nanos, most, stopped) => {
            let elapsed = Duration::from_nanos(nanos);
            app.tick(elapsed, if stopped > 0 { stopped.min(most) } else { most });
            return Ok(elapsed);
        }
        LogEntry::Rest(nanos) => {
            let elapsed = Duration::from_nanos(nanos);
            app.rest(elapsed);
            return Ok(elapsed);
        }
        LogEntry::Say(message) => app.show_message(message),
        _ => return Err("only a shared tank has such an event".to_owned()),
    }
    Ok(Duration::ZERO)
}

pub struct Replay {
    path: PathBuf,
    lines: LineReader,
    session: ReplaySession,
    pub frame: Buffer,
    pub now: Duration,
}

fn open_lines(path: &Path) -> Result<LineReader, Error> {
    LineReader::open(path).map_err(|error| Error::Input(format!("{}: {error}", path.display())))
}

impl Replay {
    pub fn open(path: &Path, threads: usize, read: ReadSettings) -> Result<Self, Error> {
        Self::read(open_lines(path)?, path, threads, read)
    }

    /// As [`Replay::open`], of lines that may be in memory; `path` names them in errors.
    pub fn read(mut lines: LineReader, path: &Path, threads: usize, read: ReadSettings) -> Result<Self, Error> {
        let source = path.display().to_string();
        let wrong = |message: String| Error::Input(format!("{source}:1: {message}"));
        let first = lines.read().map_err(|error| wrong(error.to_string()))?;
        let first = first.unwrap_or_default();
        let (session, frame) = if let Some(player) = CastPlayer::parse(first) {
            let (player, mut frame) = (player.map_err(wrong)?, Buffer::default());
            lines.max_line = cast::MAX_LINE;
            player.show(&mut frame);
            (ReplaySession::Cast(Box::new(player)), frame)
        } else {
            let header = Header::parse(first).map_err(wrong)?;
            if let Some((config, view)) = header.tank(&source, read)? {
                let replay = TankReplay::new(config, &view, threads).map_err(|error| wrong(error.to_string()))?;
                (ReplaySession::Tank(Box::new(replay)), Buffer::empty(view.window.area()))
            } else {
                let mut options = header.options(&source, read)?;
                options.simulation.threads = threads;
                let frame = Buffer::empty(options.window.area());
                (ReplaySession::App(Box::new(App::new(options))), frame)
            }
        };
        Ok(Self { path: path.to_owned(), lines, session, frame, now: Duration::ZERO })
    }

    /// The number of frames: the lines of the file that begin like the line of a frame, up to one that cannot be read.
    pub fn frames(&self) -> Result<usize, Error> {
        let mut lines = open_lines(&self.path)?;
        let mut frames = 0;
        while let Ok(Some(line)) = lines.read() {
            frames += usize::from(line.starts_with("{\"frame\""));
        }
        Ok(frames)
    }

    /// Plays up to the next frame, and returns its time since the start; `None` at the end.
    pub fn advance(&mut self) -> Result<Option<Duration>, Error> {
        loop {
            match self.play_line()? {
                Played::Frame(at) => return Ok(Some(at)),
                Played::LogEntry => {}
                Played::All => return Ok(None),
            }
        }
    }

    /// Plays the next line. Any number of lines may lie between two frames.
    pub fn play_line(&mut self) -> Result<Played, Error> {
        let played = self.play_next();
        played.map_err(|message| Error::Input(format!("{}:{}: {message}", self.path.display(), self.lines.count)))
    }

    fn play_next(&mut self) -> Result<Played, String> {
        let Some(line) = self.lines.read().map_err(|error| error.to_string())? else { return Ok(Played::All) };
        let frame = &mut self.frame;
        if let ReplaySession::Cast(player) = &mut self.session {
            return player.play(line, frame);
        }
        let entry = serde_json::from_str(line).map_err(|error| error.to_string())?;
        if let LogEntry::Frame(expected) = entry {
            match &mut self.session {
                ReplaySession::Cast(_) => {}
                ReplaySession::App(app) => app.draw(frame),
                ReplaySession::Tank(tank) => tank.draw(frame),
            }
            if sum(frame) != expected {
                return Err("this frame differs from the recorded one: another version of slosh recorded it".to_owned());
            }
            return Ok(Played::Frame(self.now));
        }
        let elapsed = match &mut self.session {
            ReplaySession::Cast(_) => Duration::ZERO,
            ReplaySession::App(app) => play_in_app(app, entry, frame)?,
            ReplaySession::Tank(tank) => tank.play(entry)?,
        };
        let now = self.now.checked_add(elapsed).filter(|now| *now <= MAX_DURATION);
        self.now = now.ok_or("the recording is longer than a year")?;
        Ok(Played::LogEntry)
    }
}
