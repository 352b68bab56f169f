//! The terminal on Unix: the device, the session on it, the signals, and the one place that waits.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use signal_hook::consts::{SIGCONT, SIGTSTP, SIGWINCH};

use crate::term::input::event::Event;
use crate::term::input::{PASTE_PAUSE, Parser};
use crate::term::pacing::tmux::Tmux;
use crate::term::pacing::tmux_rate::ClientState;
pub use crate::term::tty::device::window_size;
use crate::term::tty::device::{Tty, wait_for};
pub use crate::term::tty::session::restore_now;
use crate::term::tty::session::{Session, ends_query};
pub use crate::term::tty::signals::end_by;
use crate::term::tty::signals::{self, Signals};
pub use crate::term::tty::types::{Size, TerminalMode, WaitResult};

/// Time within which SIGCONT must come after the process stopped itself; otherwise stopping was not allowed. The signal that ends a
/// process in the background comes within the same time.
const STOPPED_WAIT: Duration = Duration::from_millis(50);

pub struct TerminalConnection {
    tty: Arc<Tty>,
    signals: Signals,
    session: Session,
    parser: Parser,
    /// `None`: tmux is not asked about its clients.
    pub tmux: Option<Tmux>,
    /// Ends a wait when it is readable, or closed by the other side.
    pub watched: Option<OwnedFd>,
    last_input: Instant,
    /// A write found the terminal closed; and the hangup event was returned.
    write_failed: bool,
    hangup_told: bool,
}

impl TerminalConnection {
    pub const CAN_REPLY: bool = true;

    /// Signals are watched first, so that none is lost while the session is entered.
    pub fn open(modes: &[TerminalMode]) -> io::Result<Self> {
        let tty = Arc::new(Tty::open()?);
        let signals = Signals::watch()?;
        let session = Session::enter(Arc::clone(&tty), modes).map_err(|error| {
            let has_gone = tty.poll(PollFlags::IN, Duration::ZERO).is_ok_and(|seen| tty.is_hung_up(seen));
            if has_gone { io::ErrorKind::BrokenPipe.into() } else { error }
        })?;
        Ok(Self {
            tty,
            signals,
            session,
            parser: Parser::default(),
            tmux: Tmux::spawn(),
            watched: None,
            last_input: Instant::now(),
            write_failed: false,
            hangup_told: false,
        })
    }

    pub fn size(&self) -> Option<Size> {
        self.tty.size().map(Size::from)
    }

    /// Writes what fits now. If the terminal has hung up all bytes count as written, and the next wait reports it.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.session.is_open() {
            return Err(closed_by_panic());
        }
        let written = self.tty.write(bytes).unwrap_or_else(|_| {
            self.write_failed = true;
            bytes.len()
        });
        self.tty.interrupted.store(written < bytes.len(), Relaxed);
        Ok(written)
    }

    /// `None` outside tmux, and while it is unknown.
    pub fn poll_clients(&mut self, now: Instant) -> Option<ClientState> {
        self.tmux.as_mut()?.poll(now)
    }

    pub fn awaits_clients(&self, now: Instant) -> bool {
        self.tmux.as_ref().is_some_and(|tmux| tmux.is_first_answer_due(now))
    }

    /// A lone ESC is reported later than it was typed.
    pub fn input_age(&self) -> Duration {
        self.last_input.elapsed()
    }

    pub fn set_reply_time(&self, time: Duration) {
        self.tty.set_reply_time(time);
    }

    /// A query that ends with DA1 or DSR, whose reply is read before the session ends.
    pub fn query_sent(&self) {
        self.tty.query_sent();
    }

    /// The end of the session waits for no reply, because the terminal never sends any.
    pub fn clear_pending(&self) {
        self.tty.unresponsive.store(true, Relaxed);
    }

    /// If the terminal has hung up the next wait reports it.
    pub fn enable(&mut self, mode: TerminalMode) {
        let _ = self.session.enable(mode);
    }

    pub fn set_pixel_mouse(&mut self, cell: Option<(f32, f32)>) {
        self.parser.set_pixel_mouse(cell);
    }

    pub fn wait(&mut self, until: Instant, writing: bool, out: &mut Vec<Event>) -> io::Result<WaitResult> {
        if self.hangup_told {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        if !self.session.is_open() {
            return Err(closed_by_panic());
        }
        self.parser.awaits_reply = self.tty.awaits_reply();
        let (seen, watched) = self.poll(until, writing)?;
        let mut result = self.take_signals(out);
        (result.writable, result.watched) = (seen.contains(PollFlags::OUT), watched);
        let start = out.len();
        let ended = seen.contains(PollFlags::IN) && !self.read(out);
        if ended || self.write_failed || self.tty.is_hung_up(seen) {
            self.hangup_told = true;
            out.push(Event::Hangup);
        }
        if self.parser_deadline().is_some_and(|end| end <= Instant::now()) {
            self.parser.expire(out);
        }
        out[start..].iter().filter(|event| ends_query(event)).for_each(|_| self.tty.reply_received());
        Ok(result)
    }

    /// The readiness of the terminal, and whether the watched descriptor is ready.
    fn poll(&self, until: Instant, writing: bool) -> io::Result<(PollFlags, bool)> {
        let until = self.parser_deadline().map_or(until, |end| end.min(until));
        let wanted = if writing { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
        let beside = self.watched.as_ref().map_or(self.signals.as_fd(), OwnedFd::as_fd);
        let mut fds = [
            PollFd::new(&*self.tty, wanted),
            PollFd::new(&self.signals, PollFlags::IN),
            PollFd::from_borrowed_fd(beside, PollFlags::IN),
        ];
        wait_for(&mut fds, until.saturating_duration_since(Instant::now()))?;
        Ok((fds[0].revents(), self.watched.is_some() && !fds[2].revents().is_empty()))
    }

    fn parser_deadline(&self) -> Option<Instant> {
        self.parser.timeout().map(|timeout| self.last_input + timeout)
    }

    fn read(&mut self, out: &mut Vec<Event>) -> bool {
        let mut buf = [0; 4096];
        match self.tty.read(&mut buf) {
            Ok(Some(0)) | Err(_) => return false,
            Ok(Some(n)) => {
                if self.last_input.elapsed() >= PASTE_PAUSE {
                    self.parser.pause();
                }
                self.last_input = Instant::now();
                self.parser.feed(&buf[..n], out);
            }
            Ok(None) => {}
        }
        true
    }

    fn take_signals(&mut self, out: &mut Vec<Event>) -> WaitResult {
        let mut result = WaitResult::default();
        for signal in self.signals.take() {
            match signal {
                SIGWINCH => out.push(Event::Resize),
                SIGTSTP => result.stop = true,
                SIGCONT => result.continued = true,
                ending => out.push(Event::Quit(ending)),
            }
        }
        result
    }

    /// Leaves the session, stops until continued, and enters it again. Signals that arrive in the meantime are appended to `out`.
    /// After one that ends the program, which is returned, the session stays closed: the terminal may be the shell's.
    pub fn stop(&mut self, whole_job: bool, out: &mut Vec<Event>) -> io::Result<Option<i32>> {
        if !self.signals.can_stop {
            return Ok(None);
        }
        self.session.leave();
        // Continued in the background, it stops again here: setting the mode of the terminal would stop it where no signal ends it.
        loop {
            let buffer = self.tmux.as_ref().map(Tmux::block_spawn);
            signals::stop(whole_job)?;
            drop(buffer);
            let end = Instant::now() + STOPPED_WAIT;
            let mut continued = false;
            loop {
                continued |= self.take_signals(out).continued;
                let ending = |event: &Event| if let Event::Quit(signal) = event { Some(*signal) } else { None };
                if let Some(signal) = out.iter().find_map(ending) {
                    return Ok(Some(signal));
                }
                if continued && self.tty.is_in_foreground() || Instant::now() >= end {
                    break;
                }
                let left = end.saturating_duration_since(Instant::now());
                wait_for(&mut [PollFd::new(&self.signals, PollFlags::IN)], left)?;
            }
            if !continued || self.tty.is_in_foreground() {
                break;
            }
        }
        self.session.resume().map(|()| None)
    }

    /// After a stop that was not requested (SIGSTOP).
    pub fn reassert(&mut self) -> io::Result<()> {
        self.session.reassert()
    }
}

fn closed_by_panic() -> io::Error {
    io::Error::other("the terminal session has ended: another thread panicked")
}
