//! Playback of a `.slosh` recording in this terminal, at the recorded pace, in the middle of the window.

use crate::app::action::Action;
use crate::app::action::keymap::Keymap;
use crate::app::error::Error;
use crate::app::replay::{Played, Replay};
#[cfg(debug_assertions)]
use crate::app::run::{PANIC_AFTER, panic_after};
use crate::sim::clock::MAX_FRAME;
use crate::term::{Event, KeyEventKind, Term, TermOptions};
use crate::view::raster;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::io;
use std::time::{Duration, Instant};

/// Upper limit on the time between two polls of the terminal while there is no frame to show.
const POLL_INTERVAL: Duration = Duration::from_millis(40);

/// Plays to the end, or until the user quits. Returns the signal that ended it, if any; the terminal is restored.
pub fn run(replay: Replay, terminal: &TermOptions, keymap: &Keymap) -> Result<Option<i32>, Error> {
    let term = Term::open(terminal)?;
    let mut playback = Playback {
        term,
        replay,
        start: Instant::now(),
        paused: None,
        buffer: Buffer::default(),
        #[cfg(debug_assertions)]
        frames: 0,
    };
    let ended = playback.play(keymap);
    playback.term.close()?;
    ended
}

struct Playback {
    term: Term,
    replay: Replay,
    /// The start of the recording in real time, moved later by pauses.
    start: Instant,
    paused: Option<Instant>,
    buffer: Buffer,
    #[cfg(debug_assertions)]
    frames: u64,
}

enum PlaybackEnd {
    Asked,
    Signal(i32),
}

impl Playback {
    fn play(&mut self, keymap: &Keymap) -> Result<Option<i32>, Error> {
        // The last poll of the terminal.
        let mut heard = Instant::now();
        loop {
            let (at, drawn) = match self.replay.play_line()? {
                Played::Frame(at) => (at, true),
                // A million lines may precede the next frame; the quit key must work meanwhile.
                Played::LogEntry if heard.elapsed() >= POLL_INTERVAL => (Duration::ZERO, false),
                Played::LogEntry => continue,
                Played::All => return Ok(None),
            };
            match self.wait(at, keymap)? {
                Some(PlaybackEnd::Signal(signal)) => return Ok(Some(signal)),
                Some(PlaybackEnd::Asked) => return Ok(None),
                None if drawn => self.show()?,
                None => {}
            }
            heard = Instant::now();
            #[cfg(debug_assertions)]
            {
                self.frames += 1;
                assert!(panic_after() != Some(self.frames), "{PANIC_AFTER} asked for this");
            }
        }
    }

    /// Waits until the frame of this time is due.
    fn wait(&mut self, at: Duration, keymap: &Keymap) -> Result<Option<PlaybackEnd>, Error> {
        let mut events = Vec::new();
        loop {
            let now = Instant::now();
            let due = if self.paused.is_some() { now + Duration::from_secs(1) } else { self.start + at };
            self.term.wait(due, &mut events)?;
            for event in events.drain(..) {
                match event {
                    Event::Hangup => return Ok(Some(PlaybackEnd::Asked)),
                    Event::Quit(signal) => return Ok(Some(PlaybackEnd::Signal(signal))),
                    Event::Key(key) => match keymap.action(&key).filter(|_| key.kind != KeyEventKind::Release) {
                        Some(Action::Quit | Action::Back) => return Ok(Some(PlaybackEnd::Asked)),
                        Some(Action::Pause) => self.pause(),
                        Some(Action::Suspend) => self.suspend()?,
                        _ => {}
                    },
                    Event::Resize | Event::Resume | Event::Reply(_) => self.show()?,
                    Event::Mouse(_) | Event::Focus(_) | Event::Paste(_) => {}
                }
            }
            let now = Instant::now();
            if self.paused.is_none() && now >= self.start + at {
                // Playback does not catch up after a stop, or on a slow machine.
                self.start = self.start.max(now.checked_sub(at + MAX_FRAME).unwrap_or(self.start));
                return Ok(None);
            }
        }
    }

    fn pause(&mut self) {
        match self.paused.take() {
            Some(since) => self.start += since.elapsed(),
            None => self.paused = Some(Instant::now()),
        }
    }

    fn suspend(&mut self) -> io::Result<()> {
        let now = Instant::now();
        self.term.suspend()?;
        self.start += now.elapsed();
        Ok(())
    }

    /// Shows the current frame, if the link is ready.
    fn show(&mut self) -> io::Result<()> {
        if self.term.ready(Instant::now()) {
            let (columns, rows) = self.term.size();
            self.buffer.resize(Rect::new(0, 0, columns, rows));
            self.buffer.reset();
            lay(self.replay.frame(), &mut self.buffer);
            if !self.term.caps().utf8 {
                raster::to_ascii(&mut self.buffer);
            }
            self.term.draw(&self.buffer)?;
        }
        Ok(())
    }
}

/// Copies a frame to the middle of a window of any size, cut on all sides if it is larger.
fn lay(frame: &Buffer, window: &mut Buffer) {
    let offset = |frame: u16, window: u16| (i32::from(window) - i32::from(frame)) / 2;
    let (x, y) = (offset(frame.area.width, window.area.width), offset(frame.area.height, window.area.height));
    for at in frame.area.positions() {
        let place = (u16::try_from(i32::from(at.x) + x), u16::try_from(i32::from(at.y) + y));
        if let (Ok(column), Ok(row)) = place
            && let Some(cell) = window.cell_mut((column, row))
        {
            cell.clone_from(&frame[at]);
        }
    }
}
