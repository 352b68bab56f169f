//! The session guard: every mode that it switched on is switched off again, in reverse order, whichever way the program ends: by
//! `leave` or `Drop`, a panic in any thread (a hook), a signal, a stop, or a failed allocation ([`restore_now`]).
//!
//! Restoring never blocks: if the terminal does not read within [`RESTORE_WAIT`], its queued output is dropped; if it still does
//! not read, restoring ends.

use std::io;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::time::{Duration, Instant};

use rustix::event::PollFlags;
use rustix::termios::Termios;

use crate::term::input::Parser;
use crate::term::input::event::{Event, Reply};
use crate::term::tty::device::Tty;
use crate::term::tty::types::{TerminalMode, restore_on_panic};

/// Longest time that a stalled terminal may delay the restoring sequence, twice at most.
const RESTORE_WAIT: Duration = Duration::from_millis(100);
const ENTER_WAIT: Duration = Duration::from_millis(2000);
/// Shortest and longest wait for pending replies on leaving, so that they do not appear at the shell's prompt. Between these
/// limits the wait is five times the usual reply time. The shell's screen is back before the wait.
const REPLY_WAIT: [Duration; 2] = [Duration::from_millis(200), Duration::from_millis(5000)];

/// The modes in the order in which a session switches them on, and the sequences that switch them on and off. xterm keeps one
/// encoding of the mouse at a time, so cells are switched on again after pixels.
const MODES: [(TerminalMode, &str, &str); 10] = [
    (TerminalMode::AlternateScreen, "\x1b[?1049h", "\x1b[?1049l"),
    (TerminalMode::HiddenCursor, "\x1b[?25l", "\x1b[?25h"),
    (TerminalMode::NoWrap, "\x1b[?7l", "\x1b[?7h"),
    (TerminalMode::Keyboard, "\x1b[>31u", "\x1b[<u"),
    (TerminalMode::Paste, "\x1b[?2004h", "\x1b[?2004l"),
    (TerminalMode::Focus, "\x1b[?1004h", "\x1b[?1004l"),
    (
        TerminalMode::Mouse,
        "\x1b[?1000h\x1b[?1002h\x1b[?1003h\x1b[?1006h",
        "\x1b[?1006l\x1b[?1003l\x1b[?1002l\x1b[?1000l",
    ),
    (TerminalMode::PixelMouse, "\x1b[?1016h", "\x1b[?1016l\x1b[?1006h"),
    (TerminalMode::Resizes, "\x1b[?2048h", "\x1b[?2048l"),
    (TerminalMode::ColorScheme, "\x1b[?2031h", "\x1b[?2031l"),
];

impl TerminalMode {
    fn enable(self) -> &'static str {
        MODES[self as usize].1
    }

    /// For a mode that is on already: 1049 would overwrite the saved cursor of the shell with the cursor of this screen.
    fn re_enable(self) -> &'static str {
        match self {
            Self::AlternateScreen => "\x1b[?47h",
            Self::Keyboard => "\x1b[=31u",
            mode => mode.enable(),
        }
    }
}

struct OpenSession {
    tty: Arc<Tty>,
    original: Termios,
    /// Kept ready, because there may be no memory left to make it.
    off: String,
}

/// Global, so that the panic hook finds it.
static OPEN: Mutex<Option<OpenSession>> = Mutex::new(None);

pub struct Session {
    tty: Arc<Tty>,
    modes: Vec<TerminalMode>,
}

impl Session {
    /// Raw mode, and `modes` in that order.
    pub fn enter(tty: Arc<Tty>, modes: &[TerminalMode]) -> io::Result<Self> {
        restore_on_panic(|| take_without_waiting().into_iter().for_each(|open| open.restore(true)));
        let mut session = Self { tty, modes: modes.to_vec() };
        session.resume()?;
        Ok(session)
    }

    /// Enters again after [`leave`](Self::leave), whatever state the terminal is in by then.
    pub fn resume(&mut self) -> io::Result<()> {
        let original = self.tty.mode()?;
        let mut open = lock();
        if open.is_some() {
            return Err(io::Error::other("a terminal session is open already"));
        }
        // The line discipline is set first: in the background this stops the process until it is in the foreground.
        self.tty.set_mode(&raw(&original))?;
        let bytes: String = self.modes.iter().map(|mode| mode.enable()).collect();
        *open = Some(OpenSession { tty: Arc::clone(&self.tty), original, off: off(&self.modes) });
        drop(open);
        self.tty.write_within(bytes.as_bytes(), ENTER_WAIT)
    }

    /// After a stop without [`leave`](Self::leave) (SIGSTOP).
    pub fn reassert(&self) -> io::Result<()> {
        let open = lock();
        let Some(open) = open.as_ref() else { return Ok(()) };
        self.tty.set_mode(&raw(&open.original))?;
        let bytes: String = self.modes.iter().map(|mode| mode.re_enable()).collect();
        self.tty.write_within(bytes.as_bytes(), ENTER_WAIT)
    }

    pub fn enable(&mut self, mode: TerminalMode) -> io::Result<()> {
        let mut open = lock();
        let Some(open) = open.as_mut().filter(|_| !self.modes.contains(&mode)) else { return Ok(()) };
        self.modes.push(mode);
        open.off = off(&self.modes);
        self.tty.write_within(mode.enable().as_bytes(), RESTORE_WAIT)
    }

    /// False once it has been left, also by a panic in another thread.
    pub fn is_open(&self) -> bool {
        lock().is_some()
    }

    pub fn leave(&mut self) {
        let open = lock().take();
        open.into_iter().for_each(|open| open.restore(true));
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.leave();
    }
}

impl OpenSession {
    /// Without memory it does not parse the replies that are still pending.
    fn restore(self, has_memory: bool) {
        let tty = &self.tty;
        let stalled = tty.is_stalled();
        // The unread output holds queries too, whose replies would reach the next reader of the terminal.
        let interrupted = stalled || tty.interrupted.load(Relaxed);
        if interrupted {
            tty.discard_output();
        }
        let cancel = if interrupted { CANCEL } else { "" };
        let restore = |cancel: &str| {
            tty.write_within(cancel.as_bytes(), RESTORE_WAIT)?;
            tty.write_within(self.off.as_bytes(), RESTORE_WAIT)
        };
        let mut sent = restore(cancel);
        if sent.as_ref().is_err_and(|e| e.kind() == io::ErrorKind::TimedOut) {
            // Dropping the queue may cut a sequence short.
            tty.discard_output();
            sent = restore(CANCEL);
        }
        if sent.is_ok() {
            let can_reply = tty.reply_time().is_some() || tty.pending_replies() > 0;
            if !stalled && can_reply && tty.write(FINAL_QUERY).is_ok_and(|n| n == FINAL_QUERY.len()) {
                tty.query_sent();
            }
            if has_memory {
                drain_replies(tty);
            } else if can_reply {
                let end = Instant::now() + REPLY_WAIT[0];
                while Instant::now() < end {
                    let _ = tty.poll(PollFlags::IN, end.saturating_duration_since(Instant::now()));
                    tty.discard_input();
                }
            }
        }
        tty.discard_input();
        let _ = tty.set_mode(&self.original);
        tty.interrupted.store(false, Relaxed);
    }
}

fn off(enabled: &[TerminalMode]) -> String {
    // Without an alternate screen (mosh, GNU screen by default), the shell's next line would appear inside the picture.
    let clear = if enabled.contains(&TerminalMode::AlternateScreen) { "\x1b[H\x1b[J" } else { "" };
    ["\x1b[m", clear].into_iter().chain(enabled.iter().rev().map(|mode| MODES[*mode as usize].2)).collect()
}

/// A session that a program on another machine opens on this terminal. Its modes are switched off if the connection ends before
/// it does that.
pub struct RelayedSession {
    tty: Arc<Tty>,
    original: Termios,
    enabled: Vec<TerminalMode>,
    /// The end of the output so far, which may be the beginning of a sequence.
    rest: Vec<u8>,
}

impl RelayedSession {
    /// Longest sequence that switches a mode, in bytes.
    const LONGEST: usize = 32;

    pub fn new() -> io::Result<Self> {
        let tty = Arc::new(Tty::open()?);
        let original = tty.mode()?;
        Ok(Self { tty, original, enabled: Vec::new(), rest: Vec::new() })
    }

    pub fn relay(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
        let mut read = 0;
        for at in (0..self.rest.len()).filter(|&at| self.rest[at] == 0x1b) {
            let sequence = &self.rest[at..];
            let begins = |with: &str| sequence.starts_with(with.as_bytes());
            let Some(&(mode, on, _)) = MODES.iter().find(|(_, on, off)| begins(on) || begins(off)) else { continue };
            self.enabled.retain(|known| *known != mode);
            self.enabled.extend(begins(on).then_some(mode));
            read = at + 1;
        }
        read = read.max(self.rest.len().saturating_sub(Self::LONGEST));
        self.rest.drain(..read);
    }

    /// Restores the terminal if the session is still open, and returns whether it was.
    pub fn restore(self) -> bool {
        if self.enabled.is_empty() {
            return false;
        }
        // The last sequence may have been cut short.
        self.tty.interrupted.store(true, Relaxed);
        OpenSession { tty: self.tty, original: self.original, off: off(&self.enabled) }.restore(true);
        true
    }
}

/// DSR: its reply comes after every mouse report that was under way when the mouse was switched off.
const FINAL_QUERY: &[u8] = b"\x1b[5n";

/// CAN ends a sequence that was cut short; then a synchronized update that may be open.
const CANCEL: &str = "\x18\x1b[?2026l";

/// Reads and drops input, mouse reports and keys included, until all pending replies have come.
fn drain_replies(tty: &Tty) {
    let usual = tty.reply_time().unwrap_or_default() * 5;
    let end = Instant::now() + usual.clamp(REPLY_WAIT[0], REPLY_WAIT[1]);
    let (mut parser, mut events, mut buf) = (Parser::default(), Vec::new(), [0; 1024]);
    while tty.pending_replies() > 0 {
        let left = end.saturating_duration_since(Instant::now());
        let seen = tty.poll(PollFlags::IN, left).unwrap_or(PollFlags::ERR);
        if left.is_zero() || tty.is_hung_up(seen) {
            return;
        }
        let Ok(Some(n @ 1..)) = tty.read(&mut buf) else { continue };
        parser.feed(&buf[..n], &mut events);
        events.drain(..).filter(ends_query).for_each(|_| tty.reply_received());
    }
}

/// The reply that ends a burst of queries (DA1) or a frame (DSR).
pub fn ends_query(event: &Event) -> bool {
    matches!(event, Event::Reply(Reply::PrimaryAttributes(_) | Reply::Status))
}

fn raw(original: &Termios) -> Termios {
    let mut raw = original.clone();
    raw.make_raw();
    raw
}

/// A panic while the lock is held leaves the value consistent, so a poisoned lock is used too.
fn lock() -> MutexGuard<'static, Option<OpenSession>> {
    OPEN.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

pub fn restore_now() {
    take_without_waiting().into_iter().for_each(|open| open.restore(false));
}

/// Does not wait for the lock: what ends the process may have happened while it was held.
fn take_without_waiting() -> Option<OpenSession> {
    for _ in 0..50 {
        match OPEN.try_lock() {
            Ok(mut open) => return open.take(),
            Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner().take(),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(10)),
        }
    }
    None
}
