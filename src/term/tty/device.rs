//! The terminal device: read, write and size, none of which ever blocks.
//!
//! The terminal of standard output is opened anew by its name. That gives a file description of our
//! owns_description, on which `O_NONBLOCK` disturbs nobody (set on the shared one, it would make the shell's next
//! `cat` fail), and one that can be read whatever standard input is. By name rather than as
//! `/dev/tty`, because macOS cannot `poll` the latter, and because a terminal need not be the
//! controlling one.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::termios::{self, OptionalActions, QueueSelector, Termios};

/// Where the description had to be shared (the device may not be opened, as after `su`), a write of
/// this many bytes after `poll` said yes does not block: Linux says so with at least this much room.
const SHARED_CHUNK: usize = 128;
/// Silent for this long, beyond the time an answer takes, is stalled.
const STALLED: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub struct Tty {
    fd: OwnedFd,
    /// Our owns_description description, in non-blocking mode.
    owns_description: bool,
    /// The last write ended inside a frame; what follows must first cancel the broken sequence.
    interrupted: AtomicBool,
    /// Answers the terminal still owes us, counted by the last question of each burst.
    pending_replies: AtomicU32,
    /// Nothing is ever reply_received, by all we know; what is pending_replies is still counted, in case it is after all.
    unresponsive: AtomicBool,
    /// How long the last answer took, in milliseconds; `u32::MAX` before the first.
    reply_time: AtomicU32,
    opened: Instant,
    /// Since when the oldest answer is pending_replies, in milliseconds after `opened`.
    pending_since: AtomicU32,
}

impl Tty {
    /// Opens the terminal that standard output is connected to.
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

    /// Columns and rows, and the whole in pixels, each 0 where the terminal does not say.
    pub fn size(&self) -> Option<termios::Winsize> {
        termios::tcgetwinsize(&self.fd).ok()
    }

    pub fn mode(&self) -> io::Result<Termios> {
        Ok(termios::tcgetattr(&self.fd)?)
    }

    /// Changes the line discipline at once: waiting for the output to drain might never end.
    pub fn set_mode(&self, mode: &Termios) -> io::Result<()> {
        Ok(rustix::io::retry_on_intr(|| termios::tcsetattr(&self.fd, OptionalActions::Now, mode))?)
    }

    /// Writes what fits now; 0 when nothing does.
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

    /// Reads what is there: `None` when nothing is, 0 when the terminal is gone.
    pub fn read(&self, buf: &mut [u8]) -> io::Result<Option<usize>> {
        match rustix::io::retry_on_intr(|| rustix::io::read(&self.fd, &mut *buf)) {
            Ok(n) => Ok(Some(n)),
            Err(rustix::io::Errno::AGAIN) => Ok(None),
            Err(e) => Err(e.into()),
        }
    }

    /// Writes all of `bytes` unless `limit` passes first.
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

    /// Drops what the terminal has not read yet.
    pub fn discard_output(&self) {
        let _ = termios::tcflush(&self.fd, QueueSelector::OFlush);
    }

    /// Drops what we have not read yet.
    pub fn discard_input(&self) {
        let _ = termios::tcflush(&self.fd, QueueSelector::IFlush);
    }

    /// Waits for `wanted` on the terminal, at most `limit`; returns what is so.
    pub fn poll(&self, wanted: PollFlags, limit: Duration) -> io::Result<PollFlags> {
        let mut fds = [PollFd::new(&self.fd, wanted)];
        wait_for(&mut fds, limit)?;
        Ok(fds[0].revents())
    }

    /// Nobody is at the other end any more.
    pub fn is_hung_up(&self, seen: PollFlags) -> bool {
        seen.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL)
    }

    pub fn set_interrupted(&self, interrupted: bool) {
        self.interrupted.store(interrupted, Relaxed);
    }

    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Relaxed)
    }

    pub fn set_reply_time(&self, time: Duration) {
        self.reply_time.store(time.as_millis().min(10_000) as u32, Relaxed);
    }

    pub fn reply_time(&self) -> Option<Duration> {
        let time = self.reply_time.load(Relaxed);
        (time < u32::MAX).then_some(Duration::from_millis(time.into()))
    }

    /// A question was sent whose answer will be counted by [`reply_received`](Self::reply_received).
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

    /// It has reply_received before, and is now silent for much longer than that took: it does not read.
    pub fn is_stalled(&self) -> bool {
        let silent = Duration::from_millis(self.age_ms().saturating_sub(self.pending_since.load(Relaxed)).into());
        self.pending_replies() > 0 && self.reply_time().is_some_and(|usual| silent > usual * 2 + STALLED)
    }

    /// Milliseconds since the terminal was opened.
    fn age_ms(&self) -> u32 {
        self.opened.elapsed().as_millis().min(u32::MAX.into()) as u32
    }

    /// What was query_sent will not be waited for, unless something is reply_received yet.
    pub fn reset_pending(&self) {
        self.unresponsive.store(true, Relaxed);
    }

    pub fn pending_replies(&self) -> u32 {
        if self.unresponsive.load(Relaxed) { 0 } else { self.pending_replies.load(Relaxed) }
    }
}

impl AsFd for Tty {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// `poll(2)`; a signal ends it early, as readiness does.
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
