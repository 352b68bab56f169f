//! The terminal device: read, write and size, none of which ever blocks.
//!
//! The terminal of standard output is opened again by its name: on this file description `O_NONBLOCK` affects no other process,
//! and it can be read whatever standard input is. `/dev/tty` would not do: macOS cannot `poll` it, and the terminal need not be
//! the controlling one.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::time::{Duration, Instant};

use crate::term::tty::types::Size;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::termios::{self, OptionalActions, QueueSelector, Termios};

/// Bytes per write where the file description had to be shared (as after `su`). Linux reports room only from this much on, so
/// such a write does not block.
const SHARED_CHUNK: usize = 128;
/// Silence beyond twice the usual reply time after which a terminal counts as stalled.
const STALLED: Duration = Duration::from_millis(100);

const SLOWEST_REPLY: Duration = Duration::from_secs(5);

pub struct Tty {
    fd: OwnedFd,
    /// Separate from that of standard output, and non-blocking.
    owns_description: bool,
    /// The last write ended inside a frame: the next output must first cancel the broken sequence.
    pub interrupted: AtomicBool,
    /// One for the last query of each burst.
    pending_replies: AtomicU32,
    /// The terminal has never replied, so no reply is waited for. Pending replies are still counted, in case it replies later.
    pub unresponsive: AtomicBool,
    /// In milliseconds; `u32::MAX` before the first.
    reply_time: AtomicU32,
    opened: Instant,
    /// In milliseconds after `opened`.
    pending_since: AtomicU32,
}

impl Tty {
    pub fn open() -> io::Result<Self> {
        let stdout = rustix::stdio::stdout();
        let name = termios::ttyname(stdout, Vec::new())?;
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let (fd, owns_description) = match rustix::fs::open(name.as_c_str(), flags, Mode::empty()) {
            Ok(fd) if termios::isatty(&fd) => (fd, true),
            _ => (stdout.try_clone_to_owned()?, false),
        };
        Ok(Self {
            fd,
            owns_description,
            interrupted: AtomicBool::new(false),
            pending_replies: AtomicU32::new(0),
            unresponsive: AtomicBool::new(false),
            reply_time: AtomicU32::new(u32::MAX),
            opened: Instant::now(),
            pending_since: AtomicU32::new(0),
        })
    }

    /// Columns, rows, and both in pixels; each 0 if the terminal does not report it.
    pub fn size(&self) -> Option<termios::Winsize> {
        termios::tcgetwinsize(&self.fd).ok()
    }

    pub fn mode(&self) -> io::Result<Termios> {
        Ok(termios::tcgetattr(&self.fd)?)
    }

    /// Whether the terminal may be used: its foreground job is this one, or it is not the controlling terminal.
    pub fn is_in_foreground(&self) -> bool {
        termios::tcgetpgrp(&self.fd).map_or(true, |group| group == rustix::process::getpgrp())
    }

    /// At once: waiting for the output to drain first might never end.
    pub fn set_mode(&self, mode: &Termios) -> io::Result<()> {
        Ok(rustix::io::retry_on_intr(|| termios::tcsetattr(&self.fd, OptionalActions::Now, mode))?)
    }

    /// Writes what fits now; returns 0 if nothing does.
    pub fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let bytes = match self.owns_description {
            true => bytes,
            false if self.poll(PollFlags::OUT, Duration::ZERO)?.contains(PollFlags::OUT) => {
                &bytes[..bytes.len().min(SHARED_CHUNK)]
            }
            false => return Ok(0),
        };
        match rustix::io::retry_on_intr(|| rustix::io::write(&self.fd, bytes)) {
            Ok(n) => Ok(n),
            Err(rustix::io::Errno::AGAIN) => Ok(0),
            Err(e) => Err(e.into()),
        }
    }

    /// Reads what is available: `None` if nothing is, 0 if the terminal has hung up.
    pub fn read(&self, buf: &mut [u8]) -> io::Result<Option<usize>> {
        match rustix::io::retry_on_intr(|| rustix::io::read(&self.fd, &mut *buf)) {
            Ok(n) => Ok(Some(n)),
            Err(rustix::io::Errno::AGAIN) => Ok(None),
            Err(e) => Err(e.into()),
        }
    }

    /// Writes all of `bytes`, or fails with `TimedOut` after `limit`.
    pub fn write_within(&self, mut bytes: &[u8], limit: Duration) -> io::Result<()> {
        let end = Instant::now() + limit;
        while !bytes.is_empty() {
            let left = end.saturating_duration_since(Instant::now());
            match self.write(bytes)? {
                0 if left.is_zero() => return Err(io::ErrorKind::TimedOut.into()),
                0 if self.is_hung_up(self.poll(PollFlags::OUT, left)?) => {
                    return Err(io::ErrorKind::BrokenPipe.into());
                }
                n => bytes = &bytes[n..],
            }
        }
        Ok(())
    }

    pub fn discard_output(&self) {
        let _ = termios::tcflush(&self.fd, QueueSelector::OFlush);
    }

    pub fn discard_input(&self) {
        let _ = termios::tcflush(&self.fd, QueueSelector::IFlush);
    }

    pub fn poll(&self, wanted: PollFlags, limit: Duration) -> io::Result<PollFlags> {
        let mut fds = [PollFd::new(&self.fd, wanted)];
        wait_for(&mut fds, limit)?;
        Ok(fds[0].revents())
    }

    pub fn is_hung_up(&self, seen: PollFlags) -> bool {
        seen.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL)
    }

    pub fn set_reply_time(&self, time: Duration) {
        self.reply_time.store(time.as_millis().min(10_000) as u32, Relaxed);
    }

    pub fn reply_time(&self) -> Option<Duration> {
        let time = self.reply_time.load(Relaxed);
        (time < u32::MAX).then_some(Duration::from_millis(time.into()))
    }

    pub fn query_sent(&self) {
        if self.pending_replies.fetch_add(1, Relaxed) == 0 {
            self.pending_since.store(self.age_ms(), Relaxed);
        }
    }

    pub fn reply_received(&self) {
        self.unresponsive.store(false, Relaxed);
        let _ = self.pending_replies.fetch_update(Relaxed, Relaxed, |n| n.checked_sub(1));
        self.pending_since.store(self.age_ms(), Relaxed);
    }

    /// Whether the terminal, which has replied before, has been silent for much longer than its reply took.
    pub fn is_stalled(&self) -> bool {
        self.pending_replies() > 0 && self.reply_time().is_some_and(|usual| self.silence() > usual * 2 + STALLED)
    }

    /// Whether a reply may still come: for some seconds after the last reply, or the first query without one.
    pub fn awaits_reply(&self) -> bool {
        self.pending_replies.load(Relaxed) > 0 && self.silence() < SLOWEST_REPLY
    }

    fn silence(&self) -> Duration {
        Duration::from_millis(self.age_ms().saturating_sub(self.pending_since.load(Relaxed)).into())
    }

    fn age_ms(&self) -> u32 {
        self.opened.elapsed().as_millis().min(u32::MAX.into()) as u32
    }

    /// 0 if the terminal never replies.
    pub fn pending_replies(&self) -> u32 {
        if self.unresponsive.load(Relaxed) { 0 } else { self.pending_replies.load(Relaxed) }
    }
}

impl AsFd for Tty {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// Of the controlling terminal, or else of the terminal on standard output.
pub fn window_size() -> Option<Size> {
    let size = match std::fs::File::open("/dev/tty") {
        Ok(tty) => termios::tcgetwinsize(tty),
        Err(_) => termios::tcgetwinsize(rustix::stdio::stdout()),
    };
    size.ok().map(Size::from)
}

impl From<termios::Winsize> for Size {
    fn from(size: termios::Winsize) -> Self {
        Self { columns: size.ws_col, rows: size.ws_row, width: size.ws_xpixel, height: size.ws_ypixel }
    }
}

/// `poll(2)`. A signal ends the wait early, as readiness does.
pub fn wait_for(fds: &mut [PollFd<'_>], limit: Duration) -> io::Result<usize> {
    let limit = Timespec::try_from(limit).unwrap_or(Timespec { tv_sec: 1, tv_nsec: 0 });
    match poll(fds, Some(&limit)) {
        Ok(n) => Ok(n),
        Err(rustix::io::Errno::INTR) => {
            fds.iter_mut().for_each(|fd| fd.clear_revents());
            Ok(0)
        }
        Err(e) => Err(e.into()),
    }
}
