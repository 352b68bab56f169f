//! A guest on a pty, and its terminal: it reads at the rate of its link, answers queries, and moves a pointer.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use slosh::app::action::Window;
use slosh::app::error::Error;
use std::fs::File;
use std::num::NonZeroU16;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// Width and height of a cell in pixels, as this terminal reports them.
const CELL: (u16, u16) = (8, 16);

/// The end of a frame: that of a synchronized update.
const FRAME_END: &[u8] = b"\x1b[?2026l";

/// Queries, and the terminal's replies.
const ANSWERS: [(&[u8], &[u8]); 7] = [
    (b"\x1b[5n", b"\x1b[0n"),
    (b"\x1b[c", b"\x1b[?62;22c"),
    (b"\x1b[?u", b"\x1b[?0u"),
    (b"\x1b[?2026$p", b"\x1b[?2026;2$y"),
    (b"\x1b[16t", b"\x1b[6;16;8t"),
    (b"\x1b[6n", b"\x1b[1;2R"),
    (b"\x1b]11;?", b"\x1b]11;rgb:0000/0000/0000\x1b\\"),
];

/// Length of the longest of these. This many of the last bytes are kept, because a query may be split between two
/// reads.
const LONGEST: usize = 10;

/// Bytes that a link carries at once, as a fraction of its bytes per second.
const BURST: f64 = 1.0 / 40.0;

/// A guest and its terminal.
pub struct Terminal {
    name: String,
    size: Window,
    child: Child,
    master: OwnedFd,
    /// Bytes per second; `None` is not limited.
    rate: Option<f64>,
    /// Bytes that the link may carry now, and when that was computed.
    credit: f64,
    at: Instant,
    /// The end of the bytes that were read last.
    tail: Vec<u8>,
    /// The screen, for guests whose screens are looked at.
    screen: Option<vt100::Parser>,
    /// A stalled terminal reads nothing.
    pub stalled: bool,
    /// Frames since the last reset.
    pub frames: u64,
    pub bytes: u64,
}

impl Terminal {
    /// Starts a program on a terminal of its own.
    pub fn start(
        mut command: Command,
        name: String,
        size: Window,
        rate: Option<f64>,
        watched: bool,
    ) -> Result<Self, Error> {
        let failed = |error: rustix::io::Errno| Error::Run(format!("no pty: {error}"));
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).map_err(failed)?;
        rustix::io::fcntl_setfd(&master, rustix::io::FdFlags::CLOEXEC).map_err(failed)?;
        grantpt(&master).and_then(|()| unlockpt(&master)).map_err(failed)?;
        let path = ptsname(&master, Vec::new()).map_err(failed)?;
        let slave = File::options().read(true).write(true).open(path.to_string_lossy().as_ref())?;
        let (ws_xpixel, ws_ypixel) = (size.columns * CELL.0, size.rows * CELL.1);
        let window = Winsize { ws_row: size.rows, ws_col: size.columns, ws_xpixel, ws_ypixel };
        tcsetwinsize(&master, window).map_err(failed)?;
        rustix::io::ioctl_fionbio(&master, true).map_err(failed)?;
        command.stdin(slave.try_clone()?).stdout(slave.try_clone()?).stderr(slave).process_group(0);
        let cells = |count: u16| NonZeroU16::new(count).unwrap_or(NonZeroU16::MIN);
        let screen = watched.then(|| vt100::Parser::new(cells(size.rows), cells(size.columns), 0));
        Ok(Self {
            name,
            size,
            child: command.spawn()?,
            master,
            rate,
            credit: 0.0,
            at: Instant::now(),
            tail: Vec::new(),
            screen,
            stalled: false,
            frames: 0,
            bytes: 0,
        })
    }

    pub fn process(&self) -> u32 {
        self.child.id()
    }

    pub fn is_watched(&self) -> bool {
        self.screen.is_some()
    }

    /// Returns the exit status if the guest has ended.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().ok().flatten()
    }

    /// Resets the counts.
    pub fn reset(&mut self) {
        (self.frames, self.bytes) = (0, 0);
    }

    /// Reads as many bytes as the link may carry now, and answers queries.
    pub fn serve(&mut self) {
        if self.stalled {
            return;
        }
        let now = Instant::now();
        let passed = now.duration_since(std::mem::replace(&mut self.at, now)).as_secs_f64();
        let mut buf = [0; 1 << 14];
        loop {
            let room = match self.rate {
                None => buf.len(),
                Some(rate) => {
                    self.credit = (self.credit + passed * rate).min((rate * BURST).max(1.0));
                    (self.credit as usize).min(buf.len())
                }
            };
            let Ok(count @ 1..) = rustix::io::read(&self.master, &mut buf[..room]) else { return };
            self.read(&buf[..count]);
            if self.rate.is_some() {
                self.credit -= count as f64;
                return;
            }
        }
    }

    fn read(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        if let Some(screen) = &mut self.screen {
            screen.process(bytes);
        }
        let known = self.tail.len();
        self.tail.extend_from_slice(bytes);
        // A sequence counts if it ends in the new bytes; one that ended in the kept bytes has been counted. All of them
        // begin with an escape character.
        let mut answers: Vec<&[u8]> = Vec::new();
        for start in (0..self.tail.len()).filter(|&at| self.tail[at] == b'\x1b') {
            let rest = &self.tail[start..];
            let is_new = |pattern: &[u8]| rest.starts_with(pattern) && start + pattern.len() > known;
            self.frames += u64::from(is_new(FRAME_END));
            answers.extend(ANSWERS.iter().filter(|(asked, _)| is_new(asked)).map(|(_, answer)| *answer));
        }
        let kept = self.tail.len().saturating_sub(LONGEST);
        self.tail.drain(..kept);
        answers.into_iter().for_each(|answer| self.send(answer));
    }

    /// Types bytes. Bytes that the guest does not accept are lost.
    fn send(&self, bytes: &[u8]) {
        let _ = rustix::io::write(&self.master, bytes);
    }

    /// Returns the cell, from 1, at fractions of the window.
    fn cell(&self, (x, y): (f32, f32)) -> (u16, u16) {
        let cell = |share: f32, count: u16| 1 + (share * f32::from(count - 1)).round() as u16;
        (cell(x, self.size.columns), cell(y, self.size.rows))
    }

    /// Moves the pointer with the left button down; with `press`, presses the button first.
    pub fn drag(&self, place: (f32, f32), press: bool) {
        let (column, row) = self.cell(place);
        self.send(format!("\x1b[<{};{column};{row}M", if press { 0 } else { 32 }).as_bytes());
    }

    /// Moves the pointer, and returns the row, from 0, in which its name is expected.
    pub fn point(&self, place: (f32, f32)) -> u16 {
        let (column, row) = self.cell(place);
        self.send(format!("\x1b[<35;{column};{row}M").as_bytes());
        row - 1
    }

    /// Whether the guest's own name is in that row of its screen.
    pub fn shows_own_name_in(&self, row: u16) -> bool {
        let Some(screen) = &self.screen else { return false };
        screen.screen().rows(0, self.size.columns).nth(row.into()).is_some_and(|text| text.contains(&self.name))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // The guest may already have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits for this time, or until a terminal has something to read, and serves those that have. Terminals on slow links
/// are served every few milliseconds.
pub fn wait_for_any(terminals: &mut [Terminal], time: Duration) {
    let is_fast = |terminal: &Terminal| !terminal.stalled && terminal.rate.is_none();
    let fast = terminals.iter().filter(|terminal| is_fast(terminal));
    let mut fds: Vec<PollFd> = fast.map(|terminal| PollFd::new(&terminal.master, PollFlags::IN)).collect();
    let paced = terminals.iter().any(|terminal| terminal.rate.is_some());
    let time = if paced { time.min(Duration::from_millis(2)) } else { time };
    let time = Timespec { tv_sec: time.as_secs() as i64, tv_nsec: time.subsec_nanos().into() };
    // An interrupted wait counts as a short one.
    let _ = poll(&mut fds, Some(&time));
    let mut ready: Vec<bool> = fds.iter().rev().map(|fd| !fd.revents().is_empty()).collect();
    for terminal in terminals {
        if !is_fast(terminal) || ready.pop().unwrap_or(false) {
            terminal.serve();
        }
    }
}
