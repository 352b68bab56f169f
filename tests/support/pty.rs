//! A terminal for the tests: a pty, a program on its slave side, an emulator on its master side.
//!
//! The emulator (`vt100`) keeps the screen. State that it does not have (modes, keyboard flags, queries) is kept here,
//! so that a test can check whether the terminal is as it was found. Queries are answered only on request, since many
//! terminals do not answer.
//!
//! A program gets the pty as its controlling terminal only from within, after `setsid`. Doing that between fork and
//! exec would be unsafe code, so a launcher does it: this test binary itself, started with a filter that runs only
//! [`launch`], which then executes the program.

use crate::program;
use std::collections::{BTreeSet, VecDeque};
use std::fs::File;
use std::num::NonZeroU16;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcgetattr, tcsetwinsize};

/// A trace: the driver echoed unread input.
pub const ECHO: &str = "an answer or a key echoed by the terminal's driver";

/// The shortest time for which a program that ends waits for the last reply.
const REPLY_WAIT: Duration = Duration::from_millis(200);

/// The mode of a synchronized update.
const SYNCHRONIZED: u16 = 2026;

const ARGV: &str = "SLOSH_TEST_ARGV";
const CONTROLLING: &str = "SLOSH_TEST_CONTROLLING";
/// What the launcher's `#[test]` calls; see the top of this file.
pub fn launch() {
    let Ok(argv) = std::env::var(ARGV) else {
        return;
    };
    let mut argv = argv.split('\x1f');
    rustix::process::setsid().expect("the launcher leads no process group yet");
    if std::env::var_os(CONTROLLING).is_some() {
        rustix::process::ioctl_tiocsctty(rustix::stdio::stdin()).expect("the pty is nobody's terminal yet");
    }
    let terminal = || rustix::stdio::stdin().try_clone_to_owned().expect("standard input is open");
    let mut program = Command::new(argv.next().expect("a program"));
    program.args(argv).env_remove(ARGV).env_remove(CONTROLLING).stdout(terminal()).stderr(terminal());
    panic!("{}", program.exec());
}

/// The parameters of a program's start.
pub struct Setup {
    argv: Vec<String>,
    vars: Vec<(String, String)>,
    size: (u16, u16),
    controlling: bool,
    answering: bool,
    link: Link,
}

impl Setup {
    pub fn new<'a>(argv: impl IntoIterator<Item = &'a str>) -> Self {
        Self {
            argv: argv.into_iter().map(str::to_owned).collect(),
            vars: Vec::new(),
            size: (80, 24),
            controlling: true,
            answering: false,
            link: Link::LOCAL,
        }
    }

    /// Puts the emulator at the far end of a link.
    pub fn link(mut self, link: Link) -> Self {
        self.link = link;
        self
    }

    pub fn var(mut self, name: &str, value: &str) -> Self {
        self.vars.push((name.into(), value.into()));
        self
    }

    pub fn size(mut self, columns: u16, rows: u16) -> Self {
        self.size = (columns, rows);
        self
    }

    /// The pty is not the controlling terminal: the kernel sends no SIGHUP when it closes.
    pub fn not_controlling(mut self) -> Self {
        self.controlling = false;
        self
    }

    /// The emulator answers queries.
    pub fn answering(mut self) -> Self {
        self.answering = true;
        self
    }

    pub fn start(self) -> Pty {
        // With the flag where there is one: another test may start a child between two separate calls.
        #[cfg(target_os = "linux")]
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a pty");
        #[cfg(not(target_os = "linux"))]
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pty");
        #[cfg(not(target_os = "linux"))]
        rustix::io::fcntl_setfd(&master, rustix::io::FdFlags::CLOEXEC).expect("closed in children");
        grantpt(&master).and_then(|()| unlockpt(&master)).expect("its slave");
        let name = ptsname(&master, Vec::new()).expect("its name").into_string().expect("ASCII");
        let slave = File::options().read(true).write(true).open(name).expect("its slave");
        set_size(&master, self.size);
        rustix::io::ioctl_fionbio(&master, true).expect("a non-blocking master");
        let found = format!("{:?}", tcgetattr(&slave).expect("its mode"));
        let child = self.command(&slave).spawn().expect("the test binary itself");
        let (columns, rows) = (self.size.0.max(1), self.size.1.max(1));
        let parser = vt100::Parser::new_with_callbacks(cells(rows), cells(columns), 0, Terminal::default());
        Pty {
            master: Some(master),
            slave: Some(slave),
            child,
            found,
            parser,
            answering: self.answering,
            wire: Wire::new(self.link),
            looked: Instant::now(),
            is_late: false,
            output: Vec::new(),
        }
    }

    fn command(&self, slave: &File) -> Command {
        let mut command = program::command(std::env::current_exe().expect("a path"));
        command.args(["--exact", "launcher", "--ignored"]).env(ARGV, self.argv.join("\x1f"));
        command.envs(self.vars.iter().map(|(n, v)| (n, v)));
        if self.controlling {
            command.env(CONTROLLING, "1");
        }
        command.stdin(slave.try_clone().expect("the slave")).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }
}

fn cells(n: u16) -> NonZeroU16 {
    NonZeroU16::new(n).unwrap_or(NonZeroU16::MIN)
}

fn set_size(master: &impl AsFd, (columns, rows): (u16, u16)) {
    tcsetwinsize(master, Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).expect("a size");
}

/// The part of the terminal's state that the emulator does not keep.
#[derive(Default)]
pub struct Terminal {
    modes: BTreeSet<u16>,
    keyboard: Vec<u16>,
    popped_too_often: bool,
    pending: Vec<u8>,
    pub requests: usize,
    pub errors: Vec<String>,
}

impl Terminal {
    fn answer(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
    }
}

impl vt100::Callbacks for Terminal {
    fn unhandled_csi(
        &mut self,
        screen: &mut vt100::Screen,
        i1: Option<u8>,
        i2: Option<u8>,
        params: &[&[u16]],
        last: char,
    ) {
        let first = params.first().and_then(|p| p.first()).copied().unwrap_or(0);
        match (i1, i2, last) {
            (Some(b'?'), None, 'h') => drop(self.modes.insert(first)),
            (Some(b'?'), None, 'l') => drop(self.modes.remove(&first)),
            (Some(b'>'), None, 'u') => self.keyboard.push(first),
            (Some(b'='), None, 'u') => {
                self.keyboard.pop();
                self.keyboard.push(first);
            }
            (Some(b'<'), None, 'u') => self.popped_too_often |= self.keyboard.pop().is_none(),
            (Some(b'?'), None, 'u') => {
                let flags = self.keyboard.last().copied().unwrap_or(0);
                self.answer(format!("\x1b[?{flags}u").as_bytes());
            }
            (Some(b'?'), Some(b'$'), 'p') => self.answer(format!("\x1b[?{first};2$y").as_bytes()),
            (Some(b'>'), None, 'q') => self.answer(b"\x1bP>|tester 1.0\x1b\\"),
            (None, None, 'c') => self.answer(b"\x1b[?62;22c"),
            (None, None, 'n') if first == 6 => {
                let (row, column) = screen.cursor_position();
                self.answer(format!("\x1b[{};{}R", row + 1, column + 1).as_bytes());
            }
            (None, None, 'n') => {
                self.requests += 1;
                self.answer(b"\x1b[0n");
            }
            (None, None, 't') if first == 16 => self.answer(b"\x1b[6;16;8t"),
            // The title, saved and restored; GNU screen requests that.
            (None, None, 't') if first == 22 || first == 23 => {}
            _ => self.errors.push(format!("CSI {i1:?} {i2:?} {params:?} {last}")),
        }
    }

    fn unhandled_osc(&mut self, _: &mut vt100::Screen, params: &[&[u8]]) {
        match params {
            [b"10", b"?"] => self.answer(b"\x1b]10;rgb:d0d0/d0d0/d0d0\x1b\\"),
            // The named colours; xterm's own.
            [b"4", ..] => {}
            [b"11", b"?"] => self.answer(b"\x1b]11;rgb:1c1c/1c1c/1c1c\x1b\\"),
            _ => self.errors.push(format!("OSC {params:?}")),
        }
    }

    fn unhandled_escape(&mut self, _: &mut vt100::Screen, i1: Option<u8>, _: Option<u8>, last: u8) {
        // `ESC \` only ends a string.
        if last != b'\\' {
            self.errors.push(format!("ESC {i1:?} {last}"));
        }
    }

    fn unhandled_char(&mut self, _: &mut vt100::Screen, c: char) {
        self.errors.push(format!("character {c:?}"));
    }

    fn unhandled_control(&mut self, _: &mut vt100::Screen, byte: u8) {
        // CAN ends a truncated sequence.
        if byte != 0x18 {
            self.errors.push(format!("control {byte}"));
        }
    }
}

/// The link between the program and the emulator.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Bytes per second towards the emulator.
    pub rate: f64,
    /// Bytes that the link accepts before the emulator has read them: sshd and the like accept megabytes, a serial line
    /// none.
    pub ahead: usize,
    /// Delay of a reply.
    pub delay: Duration,
}

impl Link {
    pub const LOCAL: Self = Self { rate: f64::INFINITY, ahead: 1 << 21, delay: Duration::ZERO };

    /// A link that accepts all bytes at once, like an ssh channel.
    pub const fn deep(rate: f64) -> Self {
        Self { rate, ..Self::LOCAL }
    }

    /// Upper limit on the bytes carried at once: those that the emulator reads between two looks at its screen.
    pub fn burst(&self) -> f64 {
        self.rate / 40.0
    }

    /// A link with back-pressure.
    pub const fn shallow(rate: f64) -> Self {
        Self { rate, ahead: 256, ..Self::LOCAL }
    }
}

/// A link in operation: bytes queue up, leave at the link's rate, and are answered only after the emulator has read
/// them.
pub struct Wire {
    link: Link,
    queue: VecDeque<u8>,
    /// Bytes that may leave now, and when that was computed.
    credit: f64,
    at: Instant,
    answers: VecDeque<(Instant, Vec<u8>)>,
    /// Maxima of the bytes on the link and of the unanswered status requests since the last reset.
    pub most_queued: usize,
    pub most_in_flight: usize,
}

const FENCE: &[u8] = b"\x1b[5n";

impl Wire {
    fn new(link: Link) -> Self {
        Self {
            link,
            queue: VecDeque::new(),
            credit: 0.0,
            at: Instant::now(),
            answers: VecDeque::new(),
            most_queued: 0,
            most_in_flight: 0,
        }
    }

    fn has_room(&self) -> bool {
        self.queue.len() < self.link.ahead
    }

    /// Time until the next change.
    fn patience(&self) -> Duration {
        let busy = !self.queue.is_empty() || !self.answers.is_empty();
        if busy { Duration::from_millis(1) } else { Duration::from_millis(20) }
    }

    /// Takes the program's output, as far as there is room.
    fn take(&mut self, master: &OwnedFd) {
        let mut buf = [0; 1 << 14];
        let room = self.link.ahead.saturating_sub(self.queue.len()).min(buf.len());
        let Ok(n) = rustix::io::read(master, &mut buf[..room]) else { return };
        self.queue.extend(&buf[..n]);
        self.note();
    }

    /// Updates the maxima of bytes on the link and of unanswered requests.
    fn note(&mut self) {
        let queued = self.queue.make_contiguous().windows(FENCE.len()).filter(|bytes| *bytes == FENCE).count();
        let answers = self.answers.iter().map(|(_, answer)| answer);
        let answered: usize = answers.map(|a| a.windows(4).filter(|bytes| *bytes == b"\x1b[0n").count()).sum();
        self.most_queued = self.most_queued.max(self.queue.len());
        self.most_in_flight = self.most_in_flight.max(queued + answered);
    }

    /// Resets the maxima.
    pub fn reset(&mut self) {
        (self.most_queued, self.most_in_flight) = (0, 0);
    }

    /// Returns the bytes that have arrived at the emulator.
    fn arrived(&mut self) -> Vec<u8> {
        let now = Instant::now();
        let passed = now.duration_since(std::mem::replace(&mut self.at, now)).as_secs_f64();
        // By the clock. Bytes that could not be carried in time, because the machine was busy or the link idle, are not
        // made up for by a burst: with a burst of a tenth of a second, the program measured too high a rate.
        self.credit = (self.credit + passed * self.link.rate).min(self.link.burst());
        let n = (self.credit as usize).min(self.queue.len());
        self.credit = if n == self.queue.len() { 0.0 } else { self.credit - n as f64 };
        self.queue.drain(..n).collect()
    }

    fn answer(&mut self, bytes: Vec<u8>) {
        self.answers.push_back((Instant::now() + self.link.delay, bytes));
    }

    fn answers_arrived(&mut self) -> Vec<Vec<u8>> {
        let now = Instant::now();
        let due = self.answers.iter().take_while(|(at, _)| *at <= now).count();
        self.answers.drain(..due).map(|(_, bytes)| bytes).collect()
    }
}

/// A running program and its terminal.
pub struct Pty {
    master: Option<OwnedFd>,
    slave: Option<File>,
    child: Child,
    found: String,
    parser: vt100::Parser<Terminal>,
    answering: bool,
    wire: Wire,
    /// When the terminal last looked for output. What a test does itself between two waits does not count.
    looked: Instant,
    /// The machine was so busy that the last reply came too late for a program that was ending. Then it was rightly echoed.
    pub is_late: bool,
    /// All output that the emulator has read.
    pub output: Vec<u8>,
}

impl Pty {
    pub fn screen(&self) -> &vt100::Screen {
        self.parser.screen()
    }

    pub fn terminal(&self) -> &Terminal {
        self.parser.callbacks()
    }

    /// Types bytes.
    pub fn send(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let master = self.master.as_ref().expect("an open terminal");
            match rustix::io::write(master, rest) {
                Ok(n) => rest = &rest[n..],
                Err(rustix::io::Errno::AGAIN) => self.pump(Duration::from_millis(5)),
                Err(e) => panic!("typing: {e}"),
            }
        }
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).expect("a running program");
    }

    pub fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    pub fn resize(&mut self, columns: u16, rows: u16) {
        set_size(self.master.as_ref().expect("an open terminal"), (columns, rows));
        self.parser.set_size(cells(rows), cells(columns));
    }

    /// Closes the terminal.
    pub fn hang_up(&mut self) {
        self.slave = None;
        self.master = None;
    }

    /// Sends a report of the terminal itself, with the delay of a reply.
    pub fn tell(&mut self, bytes: &[u8]) {
        self.wire.answer(bytes.to_vec());
    }

    /// Reads the program's output for this time.
    pub fn pump(&mut self, time: Duration) {
        self.pump_until(time, |_| false);
    }

    /// Reads the program's output until `enough`; returns false if that takes longer than `limit`. As a terminal shows
    /// a synchronized update (DECSET 2026) whole or not at all, so it is asked only between updates: cells are drawn
    /// style by style, and of two texts on a row one may be gone before the other has appeared.
    pub fn pump_until(&mut self, limit: Duration, enough: impl Fn(&Self) -> bool) -> bool {
        self.looked = Instant::now();
        let end = self.looked + limit;
        while self.terminal().modes.contains(&SYNCHRONIZED) || !enough(self) {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            self.read_some(left.min(Duration::from_millis(20)));
        }
        true
    }

    /// Lets the link carry what it can, and waits at most this long for something to carry.
    fn read_some(&mut self, wait: Duration) {
        let Some(master) = &self.master else {
            return std::thread::sleep(wait);
        };
        let wait = Timespec::try_from(wait.min(self.wire.patience())).expect("short");
        if self.wire.has_room() {
            let _ = poll(&mut [PollFd::new(master, PollFlags::IN)], Some(&wait));
            self.wire.take(master);
        } else {
            std::thread::sleep(Duration::from_nanos(wait.tv_nsec as u64));
        }
        let bytes = self.wire.arrived();
        self.parser.process(&bytes);
        self.output.extend(bytes);
        let answers = std::mem::take(&mut self.parser.callbacks_mut().pending);
        if self.answering && !answers.is_empty() {
            self.wire.answer(answers);
        }
        for answer in self.wire.answers_arrived() {
            self.send(&answer);
            self.is_late = self.looked.elapsed() > REPLY_WAIT;
        }
        self.looked = Instant::now();
    }

    /// Changes the link of a running program.
    pub fn set_link(&mut self, link: Link) {
        self.wire.link = link;
    }

    /// Returns the link.
    pub fn wire(&mut self) -> &mut Wire {
        &mut self.wire
    }

    /// Number of frames that ended with a status request. A second request right after one is a probe of the delay,
    /// ahead of a frame.
    pub fn frames(&self) -> usize {
        let fences =
            |fences: usize| self.output.windows(fences * FENCE.len()).filter(|at| *at == FENCE.repeat(fences)).count();
        fences(1) - fences(2)
    }

    /// Waits until the program has drawn something on the alternate screen.
    pub fn wait_for_picture(&mut self) {
        let drawn = |pty: &Self| pty.screen().alternate_screen() && pty.screen().contents().chars().any(|c| c > ' ');
        assert!(self.pump_until(Duration::from_secs(20), drawn), "no picture; it wrote {:?}", self.tail());
    }

    /// Reads until the program has ended; returns `None` if it does not within `limit`.
    pub fn end(&mut self, limit: Duration) -> Option<ExitStatus> {
        self.looked = Instant::now();
        let end = self.looked + limit;
        loop {
            let status = self.child.try_wait().expect("our child");
            self.read_some(Duration::from_millis(if status.is_some() { 0 } else { 5 }));
            match status {
                Some(_) => {
                    self.pump(Duration::from_millis(20));
                    return status;
                }
                None if Instant::now() > end => return None,
                None => {}
            }
        }
    }

    /// Reads the output of all until each has ended; returns false if they do not within `limit`. In turns: a program that
    /// ends waits only a moment for its terminal's last reply.
    pub fn all_end(ptys: &mut [&mut Self], limit: Duration) -> bool {
        let end = Instant::now() + limit;
        while Instant::now() < end {
            let ended = ptys.iter_mut().filter_map(|pty| pty.end(Duration::from_millis(2))).count();
            if ended == ptys.len() {
                return true;
            }
        }
        false
    }

    /// The same of one without reading a byte.
    pub fn end_unread(&mut self, limit: Duration) -> Option<ExitStatus> {
        let end = Instant::now() + limit;
        while Instant::now() < end {
            if let Some(status) = self.child.try_wait().expect("our child") {
                return Some(status);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        None
    }

    /// The exit code as a shell reports it.
    pub fn code(status: ExitStatus) -> i32 {
        status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
    }

    /// Asserts that the program ends in time, with this code, and leaves no trace.
    #[track_caller]
    pub fn assert_ends(&mut self, limit: Duration, code: i32) {
        let status = self.end(limit).expect("it should have ended by now");
        assert_eq!(Self::code(status), code, "{}", self.tail());
        assert_eq!(self.traces(), [""; 0], "{:?}", self.tail());
    }

    /// Returns the differences from the initial state of the terminal; empty if there are none.
    pub fn traces(&self) -> Vec<String> {
        let (screen, terminal) = (self.screen(), self.terminal());
        let mut traces = terminal.errors.clone();
        // An aborted frame may end inside a character, followed by CAN. Incomplete characters are allowed nowhere else.
        if self.output.contains(&0x18) {
            traces.retain(|trace| trace != "character '\u{fffd}'");
        }
        let mut note = |is: bool, what: &str| {
            if is {
                traces.push(what.into())
            }
        };
        note(screen.alternate_screen(), "alternate screen");
        note(screen.hide_cursor(), "cursor hidden");
        note(screen.mouse_protocol_mode() != vt100::MouseProtocolMode::None, "mouse");
        note(screen.mouse_protocol_encoding() != vt100::MouseProtocolEncoding::Default, "mouse encoding");
        note(screen.bracketed_paste(), "paste");
        note(screen.fgcolor() != vt100::Color::Default || screen.bgcolor() != vt100::Color::Default, "colour");
        note(screen.bold() || screen.inverse() || screen.underline(), "attributes");
        note(!terminal.keyboard.is_empty() || terminal.popped_too_often, "keyboard flags");
        // Autowrap is the only mode that is on by default: it is switched off and on again.
        let modes: Vec<_> = terminal.modes.iter().filter(|&&mode| mode != 7).collect();
        note(!modes.is_empty(), &format!("modes {modes:?}"));
        note(terminal.modes.is_empty() && self.output.windows(5).any(|w| w == b"\x1b[?7l"), "wrap");
        note(!self.is_late && self.output.windows(2).any(|w| w == b"^["), ECHO);
        note(self.line_discipline() != self.found, "line discipline");
        traces
    }

    fn line_discipline(&self) -> String {
        let slave = self.slave.as_ref().expect("an open terminal");
        format!("{:?}", tcgetattr(slave).expect("its mode"))
    }

    /// The end of the output, for messages.
    pub fn tail(&self) -> String {
        let start = self.output.len().saturating_sub(300);
        String::from_utf8_lossy(&self.output[start..]).into_owned()
    }

    /// Processor time used so far, in clock ticks (Linux).
    pub fn ticks(&self) -> Option<u64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.pid().as_raw_pid())).ok()?;
        let fields: Vec<_> = stat.rsplit(')').next()?.split_whitespace().collect();
        Some(fields[11].parse::<u64>().ok()? + fields[12].parse::<u64>().ok()?)
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
