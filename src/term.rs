//! The terminal: a session that leaves no trace, its events, and frames in few bytes.
//!
//! ```text
//! Term          the facade the run loop uses
//! │ frame, hear   what goes out and what comes in: its two halves
//! ├ device      the tty, the session on it, signals: the one place that waits (Unix)
//! │ ├ session     what was switched on is switched off, whatever ends us
//! │ ├ signals     signals as notices on a pipe; stopping and ending as a shell expects
//! │ ├ tmux        what tmux says of its clients
//! │ ├ tty         a file description of our own, never blocking
//! │ └ common      what devices of all platforms speak of
//! ├ input       bytes → Event
//! ├ caps        environment and answers → Caps
//! ├ encoder      Buffer → bytes: only what differs, in the shortest form; `want` reads, `draw` writes
//! │ ├ tile        what a terminal shows in a cell
//! │ ├ thrift      what of a changed cell is worth its bytes; `loss` counts its error, `pens` weighs pens
//! │ │ ├ swatches    few colours for many
//! │ │ └ coverage    which pixels a glyph covers
//! │ ├ strokes     cells in the order of their pens
//! │ ├ wire        pen and cursor, and the shortest way to change them
//! │ │ └ sgr         the parameters of a pen
//! │ └ rate_control     how much is worth a byte, from frame to frame
//! ├ link        when, and how much: pacing by acknowledgement
//! │ ├ fences      what has been read at the far end, and how fast
//! │ ├ pace        what is given up first where it is too much
//! │ └ throttle    how much tmux is given
//! ├ ask         the same queries, waited for
//! └ write_buffer      what the terminal has not taken yet
//! ```

pub mod capabilities;
pub mod encoder;
pub mod input;
pub mod pacing;
pub(crate) mod sanitize;
pub mod tty;

mod events;
mod frames;

use std::io;
use std::time::Instant;

pub use capabilities::query::{QueryResult, query};
pub use capabilities::{Caps, Env, Fact, Provenance, TerminalKind};
pub use frames::FrameStats;
pub use input::event::{Button, Event, Key, KeyCode, KeyKind, Mods, Mouse, MouseKind, Reply};
#[cfg(windows)]
pub use tty::platform::end_by;
#[cfg(unix)]
pub use tty::signals::end_by;
pub use tty::types::Size;

use encoder::rate_control::RateController;
use encoder::{FrameEncoder, OutputCaps};
use pacing::Link;
use pacing::write_buffer::WriteBuffer;
use tty::platform::{Device, TerminalMode};

/// Where neither the terminal nor the environment gives a size.
const FALLBACK_SIZE: (u16, u16) = (80, 24);

/// What the terminal is opened for.
#[derive(Clone, Debug)]
pub struct TermOptions {
    pub caps: Caps,
    /// Report the mouse; without, the terminal keeps its own selection and scrolling.
    pub mouse: bool,
    /// The most bytes a second, set by hand.
    pub bandwidth: Option<u32>,
}

/// An open terminal. Dropping it restores the terminal as it was found.
#[derive(Debug)]
pub struct Term {
    device: Device,
    caps: Caps,
    encoder: FrameEncoder,
    link: Link,
    rate_control: RateController,
    write_buffer: WriteBuffer,
    /// The mouse is reported; and in pixels.
    mouse: bool,
    pixel_mouse: bool,
    /// A client of tmux has shown us.
    was_attached: bool,
    /// Events of our own, told by the next wait.
    queued: Vec<Event>,
}

impl Term {
    /// Opens the session and sends the queries. Waits for no answer.
    ///
    /// # Errors
    /// If standard output is not a terminal, or it cannot be put into raw mode.
    pub fn open(options: &TermOptions) -> io::Result<Self> {
        let caps = options.caps.clone();
        let device = Device::open(&modes(&caps, options.mouse))?;
        let mut term = Self {
            encoder: FrameEncoder::new(output_caps(&caps)),
            link: Link::new(caps.is_modern() && device.can_reply(), options.bandwidth),
            rate_control: RateController::for_unknown_link(),
            caps,
            device,
            write_buffer: WriteBuffer::default(),
            mouse: options.mouse && options.caps.is_modern(),
            pixel_mouse: false,
            was_attached: false,
            queued: Vec::new(),
        };
        term.link.set_terminal(term.caps.kind);
        term.send_queries()?;
        Ok(term)
    }

    fn send_queries(&mut self) -> io::Result<()> {
        let queries = self.caps.queries();
        if queries.is_empty() || !self.device.can_reply() {
            return Ok(());
        }
        self.device.query_sent();
        self.link.queries_sent(Instant::now());
        self.write_buffer.push(queries.as_bytes());
        self.send()
    }

    /// Columns and rows, each at least 1.
    pub fn size(&self) -> (u16, u16) {
        match self.device.size() {
            Some(size) if size.columns > 0 || size.rows > 0 => (size.columns.max(1), size.rows.max(1)),
            // A serial line, or a pty whose size detached set: the size of old.
            _ => FALLBACK_SIZE,
        }
    }

    /// A cell in pixels, width and height, if the terminal tells.
    pub fn cell_pixels(&self) -> Option<(u16, u16)> {
        self.cell_size().map(|(w, h)| (w.round() as u16, h.round() as u16)).filter(|&(w, h)| w > 0 && h > 0)
    }

    /// The same, exactly: the window's pixels need not be a multiple of its cells.
    fn cell_size(&self) -> Option<(f32, f32)> {
        let told = self.device.size().filter(|s| s.columns > 0 && s.rows > 0 && s.width > 0 && s.height > 0);
        let cell = |s: Size| (f32::from(s.width) / f32::from(s.columns), f32::from(s.height) / f32::from(s.rows));
        told.map(cell).or_else(|| self.caps.cell_pixels.map(|(w, h)| (w.into(), h.into())))
    }

    pub fn caps(&self) -> &Caps {
        &self.caps
    }

    pub fn link(&self) -> &Link {
        &self.link
    }

    fn send(&mut self) -> io::Result<()> {
        let device = &mut self.device;
        self.write_buffer.flush(|bytes| device.write(bytes))
    }

    /// Sends something that is no picture, between two frames; to a terminal that prints what it does not know, nothing.
    ///
    /// # Errors
    /// As for [`Term::draw`].
    pub fn send_sequence(&mut self, sequence: &str) -> io::Result<()> {
        if self.caps.is_modern() {
            self.write_buffer.push(sequence.as_bytes());
            self.send()?;
        }
        Ok(())
    }

    /// Ctrl-Z: restores the terminal, stops the whole job, and enters again when it is continued.
    /// The next wait tells [`Event::Resume`].
    ///
    /// # Errors
    /// If the terminal cannot be entered again.
    pub fn suspend(&mut self) -> io::Result<()> {
        let mut events = std::mem::take(&mut self.queued);
        let result = self.stop(true, &mut events);
        self.queued = events;
        result
    }

    fn stop(&mut self, whole_job: bool, out: &mut Vec<Event>) -> io::Result<()> {
        self.device.stop(whole_job, out)?;
        self.after_resume(out);
        Ok(())
    }

    fn continued(&mut self, out: &mut Vec<Event>) -> io::Result<()> {
        self.device.reassert()?;
        self.after_resume(out);
        Ok(())
    }

    /// A frame that was cut short by the stop is not finished: the encoder is another now.
    fn after_resume(&mut self, out: &mut Vec<Event>) {
        self.write_buffer.clear();
        self.encoder.invalidate();
        self.link.reset();
        out.push(Event::Resume);
    }

    /// Restores the terminal. The same as dropping.
    ///
    /// # Errors
    /// None today.
    pub fn close(mut self) -> io::Result<()> {
        self.device.leave();
        Ok(())
    }
}

/// What is switched on: on a terminal that prints what it does not know, only what all know.
fn modes(caps: &Caps, mouse: bool) -> Vec<TerminalMode> {
    if caps.kind == TerminalKind::OneWay {
        // GNU encoder shows the cursor again by itself, and nothing else.
        return vec![TerminalMode::HiddenCursor];
    }
    let mut modes = vec![TerminalMode::AlternateScreen, TerminalMode::HiddenCursor, TerminalMode::NoWrap];
    if caps.is_modern() {
        modes.extend([TerminalMode::Keyboard, TerminalMode::Paste, TerminalMode::Focus]);
        modes.extend(mouse.then_some(TerminalMode::Mouse));
    }
    modes
}

fn output_caps(caps: &Caps) -> OutputCaps {
    OutputCaps {
        depth: caps.depth,
        sync: caps.is_modern() && caps.sync != Some(false),
        erase: caps.erase,
        repeat: caps.repeat,
    }
}
