//! The terminal: a session that leaves no trace, its events, and frames in few bytes.
//!
//! ```text
//! Term          the facade the run loop uses
//! ├ device      the tty, the session on it, signals: the one place that waits (Unix)
//! │ ├ session     what was switched on is switched off, whatever ends us
//! │ ├ signals     signals as notices on a pipe; stopping and ending as a shell expects
//! │ ├ tmux        what tmux says of its clients
//! │ ├ tty         a file description of our own, never blocking
//! │ └ common      what devices of all platforms speak of
//! ├ input       bytes → Event
//! ├ caps        environment and answers → Caps
//! ├ screen      Buffer → bytes: only what differs, in the shortest form; `want` reads, `draw` writes
//! │ ├ tile        what a terminal shows in a cell
//! │ ├ thrift      what of a changed cell is worth its bytes
//! │ │ ├ swatches    few colours for many
//! │ │ └ coverage    which pixels a glyph covers
//! │ ├ strokes     cells in the order of their pens
//! │ ├ wire        pen and cursor, and the shortest way to change them
//! │ │ └ sgr         the parameters of a pen
//! │ └ quality     how much is worth a byte, from frame to frame
//! ├ link        when, and how much: pacing by acknowledgement
//! │ ├ fences      what has been read at the far end, and how fast
//! │ ├ pace        what is given up first where it is too much
//! │ └ throttle    how much tmux is given
//! ├ ask         the same questions, waited for
//! └ outbox      what the terminal has not taken yet
//! ```

mod ask;
pub mod caps;
pub mod color;
pub mod event;
pub mod input;
pub mod link;
pub mod quality;
pub mod screen;

mod backend;
mod common;
mod coverage;
mod fences;
mod outbox;
mod pace;
mod sgr;
mod strokes;
mod swatches;
mod thrift;
mod throttle;
mod tile;
mod wire;

#[cfg(unix)]
mod device;
#[cfg(unix)]
mod session;
#[cfg(unix)]
mod signals;
#[cfg(unix)]
mod tmux;
#[cfg(unix)]
mod tty;

#[cfg(windows)]
#[path = "term/windows.rs"]
mod device;

use std::io;
use std::time::Instant;

use ratatui_core::buffer::Buffer;

use crate::view::ColorDepth;

pub use ask::{Asked, ask};
pub use caps::{Caps, Env, Fact, Glyphs, Ground, Host};
pub use common::Size;
#[cfg(windows)]
pub use device::end_by;
pub use event::{Button, Event, Key, KeyCode, KeyKind, Mods, Mouse, MouseKind, Reply};
#[cfg(unix)]
pub use signals::end_by;

use device::{Device, Mode};
use link::Link;
use outbox::Outbox;
use quality::Quality;
use screen::{Dialect, Screen};

const FENCE: &[u8] = b"\x1b[5n";
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

/// What became of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameStats {
    /// False if the frame was dropped, because the one before is not out yet.
    pub sent: bool,
    pub bytes: usize,
    /// Cells that changed.
    pub cells: usize,
    /// The terminal shows the frame as it is. If not, draw it again to come nearer.
    pub exact: bool,
}

/// An open terminal. Dropping it restores the terminal as it was found.
#[derive(Debug)]
pub struct Term {
    device: Device,
    caps: Caps,
    screen: Screen,
    link: Link,
    quality: Quality,
    outbox: Outbox,
    /// The mouse is reported; and in pixels.
    mouse: bool,
    pixel_mouse: bool,
    /// Events of our own, told by the next wait.
    queued: Vec<Event>,
    /// For users of the [`Backend`](ratatui_core::backend::Backend) trait.
    back: Buffer,
}

impl Term {
    /// Opens the session and sends the questions. Waits for no answer.
    ///
    /// # Errors
    /// If standard output is not a terminal, or it cannot be put into raw mode.
    pub fn open(options: &TermOptions) -> io::Result<Self> {
        let caps = options.caps.clone();
        let device = Device::open(&modes(&caps, options.mouse))?;
        let mut term = Self {
            screen: Screen::new(dialect(&caps)),
            link: Link::new(caps.is_modern() && device.answers(), options.bandwidth),
            quality: Quality::cautious(),
            caps,
            device,
            outbox: Outbox::default(),
            mouse: options.mouse && options.caps.is_modern(),
            pixel_mouse: false,
            queued: Vec::new(),
            back: Buffer::default(),
        };
        term.link.set_host(term.caps.host);
        term.ask()?;
        Ok(term)
    }

    fn ask(&mut self) -> io::Result<()> {
        let questions = self.caps.questions();
        if questions.is_empty() || !self.device.answers() {
            return Ok(());
        }
        self.device.asked();
        self.link.asked(Instant::now());
        self.outbox.push(questions.as_bytes());
        self.send()
    }

    /// Columns and rows, each at least 1.
    pub fn size(&self) -> (u16, u16) {
        match self.device.size() {
            Some(size) if size.columns > 0 || size.rows > 0 => (size.columns.max(1), size.rows.max(1)),
            // A serial line, or a pty whose size nobody set: the size of old.
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
        let cell =
            |s: device::Size| (f32::from(s.width) / f32::from(s.columns), f32::from(s.height) / f32::from(s.rows));
        told.map(cell).or_else(|| self.caps.cell_pixels.map(|(w, h)| (w.into(), h.into())))
    }

    pub fn caps(&self) -> &Caps {
        &self.caps
    }

    pub fn link(&self) -> &Link {
        &self.link
    }

    /// Waits for events, at most until `until`, and appends them to `out`; pointer motion is reduced
    /// to the last of each run.
    ///
    /// # Errors
    /// After [`Event::Hangup`] was told, or if another thread panicked (which restored the terminal).
    pub fn wait(&mut self, until: Instant, out: &mut Vec<Event>) -> io::Result<()> {
        let start = out.len();
        out.append(&mut self.queued);
        while out.len() == start {
            let woke = self.device.wait(until, !self.outbox.is_empty(), out)?;
            if woke.writable {
                self.send()?;
            }
            if woke.stop {
                self.stop(false, out)?;
            } else if woke.continued {
                self.continued(out)?;
            }
            if Instant::now() >= until {
                break;
            }
        }
        self.heed(&out[start..]);
        event::coalesce_motion(out);
        Ok(())
    }

    /// Takes answers to heart; the application sees them too.
    fn heed(&mut self, events: &[Event]) {
        let now = Instant::now();
        for event in events {
            match event {
                Event::Reply(Reply::Status) => self.answered(now),
                Event::Reply(reply) => self.learn(reply, now),
                Event::Resize => self.refine(),
                _ => {}
            }
        }
    }

    fn answered(&mut self, now: Instant) {
        self.link.answered(now);
        self.device.set_answer_time(self.link.answer_time());
    }

    fn learn(&mut self, reply: &Reply, now: Instant) {
        self.link.heard(now);
        self.device.set_answer_time(self.link.answer_time());
        if self.caps.learn(reply) {
            self.adapt();
            self.link.set_host(self.caps.host);
            self.refine();
        }
    }

    /// Asks for reports that only some terminals know, as soon as no half-sent frame is in the way.
    fn refine(&mut self) {
        if self.caps.resizes && self.outbox.is_empty() {
            self.device.turn_on(Mode::Resizes);
        }
        self.refine_mouse();
    }

    /// Reports in pixels, as soon as the terminal knows them, the size of a cell is known, and no
    /// half-sent frame is in the way.
    fn refine_mouse(&mut self) {
        let cell = self.cell_size();
        if self.mouse && self.caps.pixel_mouse && cell.is_some() && self.outbox.is_empty() {
            self.device.turn_on(Mode::PixelMouse);
            self.pixel_mouse = true;
        }
        self.device.set_pixel_mouse(cell.filter(|_| self.pixel_mouse));
    }

    /// May a frame be sent that is begun now? If not, an event or the next tick will tell; draw nothing meanwhile.
    pub fn ready(&mut self, now: Instant) -> bool {
        if let Some(behind) = self.device.look_behind(now) {
            self.link.look_behind(behind, now);
        }
        self.outbox.is_empty() && self.link.ready(now)
    }

    /// How many bytes the next frame should have at most.
    pub fn budget(&self, now: Instant) -> usize {
        let (columns, rows) = self.size();
        self.link.budget(usize::from(columns) * usize::from(rows), now)
    }

    /// Shows `frame`, or drops it if the one before is not out yet; one write, never blocking.
    ///
    /// # Errors
    /// If another thread panicked. That the terminal is gone is told by the next wait.
    pub fn draw(&mut self, frame: &Buffer) -> io::Result<FrameStats> {
        if !self.outbox.is_empty() {
            self.send()?;
        }
        if !self.outbox.is_empty() {
            return Ok(FrameStats::default());
        }
        if self.mouse && self.caps.pixel_mouse && !self.pixel_mouse {
            self.refine();
        }
        let now = Instant::now();
        let stats = self.encode(frame, now);
        if stats.bytes == 0 {
            return Ok(stats);
        }
        self.outbox.push(self.screen.bytes());
        let fence = self.link.wants_fence(now);
        if fence {
            self.outbox.push(FENCE);
            self.device.asked();
        } else if self.link.is_mute(now) {
            self.device.expect_no_answers();
        }
        self.link.sent(stats.bytes, fence, now);
        if fence && self.link.rate().is_some() {
            self.device.set_answer_time(self.link.answer_time());
        }
        self.send()?;
        Ok(stats)
    }

    fn encode(&mut self, frame: &Buffer, now: Instant) -> FrameStats {
        let terms = self.quality.terms(self.budget(now));
        let bytes = self.screen.encode_thriftily(frame, terms).len();
        self.quality.took(bytes, self.screen.is_still());
        self.link.took(terms.lambda, now);
        self.screen.set_depth(self.bearable().depth);
        // Fewer colours than there could be are never the last word: at rest they come back.
        let exact = self.screen.is_exact() && self.depth() == self.caps.depth;
        FrameStats { sent: true, bytes, cells: self.screen.cells_changed(), exact }
    }

    /// How many colours frames are sent in: the terminal's, or fewer where the link is too slow for them.
    pub fn depth(&self) -> ColorDepth {
        self.screen.dialect().depth
    }

    /// What the terminal understands and the link can bear.
    fn bearable(&self) -> Dialect {
        let mut dialect = dialect(&self.caps);
        if !self.caps.depth_fixed {
            dialect.depth = dialect.depth.min(self.link.depth());
        }
        dialect
    }

    /// Speaks as the terminal turned out to understand.
    fn adapt(&mut self) {
        let dialect = self.bearable();
        if dialect != self.screen.dialect() {
            self.screen.set_dialect(dialect);
        }
    }

    fn send(&mut self) -> io::Result<()> {
        let device = &mut self.device;
        self.outbox.flush(|bytes| device.write(bytes))
    }

    /// The bytes of the last frame, without our questions: what a recording plays back.
    pub fn last_frame(&self) -> &[u8] {
        self.screen.bytes()
    }

    /// Sends something that is no picture, between two frames; to a terminal that prints what it does not know, nothing.
    ///
    /// # Errors
    /// As for [`Term::draw`].
    pub fn tell(&mut self, sequence: &str) -> io::Result<()> {
        if self.caps.is_modern() {
            self.outbox.push(sequence.as_bytes());
            self.send()?;
        }
        Ok(())
    }

    /// The next frame is drawn whole.
    pub fn redraw(&mut self) {
        self.screen.forget();
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

    fn stop(&mut self, everyone: bool, out: &mut Vec<Event>) -> io::Result<()> {
        self.device.stop(everyone, out)?;
        self.begin_anew(out);
        Ok(())
    }

    fn continued(&mut self, out: &mut Vec<Event>) -> io::Result<()> {
        self.device.reassert()?;
        self.begin_anew(out);
        Ok(())
    }

    /// A frame that was cut short by the stop is not finished: the screen is another now.
    fn begin_anew(&mut self, out: &mut Vec<Event>) {
        self.outbox.clear();
        self.screen.forget();
        self.link.restart();
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
fn modes(caps: &Caps, mouse: bool) -> Vec<Mode> {
    let mut modes = vec![Mode::AlternateScreen, Mode::HiddenCursor, Mode::NoWrap];
    if caps.is_modern() {
        modes.extend([Mode::Keyboard, Mode::Paste, Mode::Focus]);
        modes.extend(mouse.then_some(Mode::Mouse));
    }
    modes
}

fn dialect(caps: &Caps) -> Dialect {
    Dialect {
        depth: caps.depth,
        sync: caps.is_modern() && caps.sync != Some(false),
        erase: caps.erase,
        repeat: caps.repeat,
    }
}
