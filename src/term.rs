//! The terminal layer: cells in, bytes out, events back. It does not depend on the simulation.
//!
//! On Unix the device is driven through `rustix`, not through crossterm, which drops replies that it did not ask for (pacing
//! needs them), blocks on output, restores neither on a panic in another thread nor after SIGSTOP, and reports no mouse in
//! pixels. Its words for keys and mouse are used everywhere, and on Windows it does it all.

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
pub use input::event::{Event, Key, KeyCode, KeyEventKind, KeyModifiers, Mouse, MouseButton, MouseEventKind, Reply};
pub use input::keys::with_shift;
pub use tty::platform::{end_by, restore_now, window_size};
#[cfg(unix)]
pub use tty::signals::survive_file_limits;
pub use tty::types::Size;

use encoder::rate_control::RateController;
use encoder::{FrameEncoder, OutputCaps};
use pacing::Link;
use tty::platform::{TerminalConnection, TerminalMode};

/// Columns and rows if neither the terminal nor the environment gives a size: those of a VT100.
const FALLBACK_SIZE: (u16, u16) = (80, 24);

#[derive(Clone, Debug)]
pub struct TermOptions {
    pub caps: Caps,
    /// Whether the mouse is reported. If not, the terminal keeps its own selection and scrolling.
    pub mouse: bool,
    /// A ceiling set by the user, in bytes per second.
    pub bandwidth: Option<u32>,
}

/// An open terminal. Dropping it restores the terminal as it was found.
pub struct Term {
    pub device: TerminalConnection,
    pub caps: Caps,
    encoder: FrameEncoder,
    pub link: Link,
    rate_control: RateController,
    /// Output that the terminal has not taken yet. A frame that it takes in part is finished before anything else is sent, so a
    /// slow link shows whole frames and never a mixture.
    pub write_buffer: Vec<u8>,
    /// Whether the mouse is reported; and whether in pixels.
    mouse: bool,
    pixel_mouse: bool,
    /// Whether a tmux client has been attached to the pane at least once.
    was_attached: bool,
    /// Events of the layer itself, returned by the next wait.
    queued: Vec<Event>,
}

impl Term {
    /// Opens the session and sends the capability queries. Does not wait for a reply.
    pub fn open(options: &TermOptions) -> io::Result<Self> {
        let caps = options.caps.clone();
        let device = TerminalConnection::open(&modes(&caps, options.mouse))?;
        let mut term = Self {
            encoder: FrameEncoder::new(output_caps(&caps)),
            link: Link::new(caps.is_modern() && TerminalConnection::CAN_REPLY, options.bandwidth),
            rate_control: RateController::for_unknown_link(),
            caps,
            device,
            write_buffer: Vec::new(),
            mouse: options.mouse && options.caps.is_modern(),
            pixel_mouse: false,
            was_attached: false,
            queued: Vec::new(),
        };
        term.link.set_terminal(term.caps.kind);
        term.link.local = !term.caps.ssh;
        let queries = term.caps.queries();
        if !queries.is_empty() && TerminalConnection::CAN_REPLY {
            term.device.query_sent();
            term.link.acks.queries_sent_at = Some(Instant::now());
            term.write_buffer.extend_from_slice(queries.as_bytes());
            term.send()?;
        }
        Ok(term)
    }

    /// Whether replies to the queries of the start may still come.
    pub fn awaits_caps(&self) -> bool {
        TerminalConnection::CAN_REPLY && self.caps.is_modern() && !self.caps.is_last_query_answered()
    }

    pub fn size(&self) -> (u16, u16) {
        match self.device.size() {
            Some(size) if size.columns > 0 || size.rows > 0 => (size.columns.max(1), size.rows.max(1)),
            // The terminal is a serial line, or a pty without a size.
            _ => FALLBACK_SIZE,
        }
    }

    pub fn cell_pixels(&self) -> Option<(u16, u16)> {
        self.cell_size().map(|(w, h)| (w.round() as u16, h.round() as u16)).filter(|&(w, h)| w > 0 && h > 0)
    }

    /// Exact, with a fraction: the window need not be a whole number of cells.
    fn cell_size(&self) -> Option<(f32, f32)> {
        let told = self.device.size().filter(|s| s.columns > 0 && s.rows > 0 && s.width > 0 && s.height > 0);
        let cell = |s: Size| (f32::from(s.width) / f32::from(s.columns), f32::from(s.height) / f32::from(s.rows));
        told.map(cell).or_else(|| self.caps.cell_pixels.map(|(w, h)| (w.into(), h.into())))
    }

    fn send(&mut self) -> io::Result<()> {
        if !self.write_buffer.is_empty() {
            let taken = self.device.write(&self.write_buffer)?;
            self.write_buffer.drain(..taken);
        }
        Ok(())
    }

    /// Sends a sequence that is not part of a frame, between two frames. Does nothing on terminals that print unknown
    /// sequences.
    pub fn send_sequence(&mut self, sequence: &str) -> io::Result<()> {
        if self.caps.is_modern() {
            self.write_buffer.extend_from_slice(sequence.as_bytes());
            self.send()?;
        }
        Ok(())
    }

    /// Ctrl-Z: restores the terminal, stops this process or the whole job, and enters the session again when it is continued.
    /// The next wait returns [`Event::Resume`]. Returns the signal that ended the program meanwhile: then the session stays closed.
    pub fn stop(&mut self, whole_job: bool) -> io::Result<Option<i32>> {
        let ended = self.device.stop(whole_job, &mut self.queued)?;
        self.after_resume();
        Ok(ended)
    }

    /// Drops a frame that the stop has cut off: the content of the screen is unknown now.
    fn after_resume(&mut self) {
        self.write_buffer.clear();
        self.encoder.invalidate();
        self.link.reset();
        self.queued.push(Event::Resume);
    }
}

/// A terminal that prints unknown sequences gets only the modes that all terminals know.
fn modes(caps: &Caps, mouse: bool) -> Vec<TerminalMode> {
    if caps.kind == TerminalKind::OneWay {
        // GNU screen shows the cursor again by itself, and nothing else.
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
        row_order: caps.sync != Some(true),
        erase: caps.erase,
        repeat: caps.repeat,
        tabs: caps.tabs,
    }
}
