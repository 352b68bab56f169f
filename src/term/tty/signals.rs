//! Signals as bytes on a pipe, polled beside the terminal. No thread.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;

use rustix::process::{Signal, getpid, kill_current_process_group, kill_process};
use signal_hook::consts::{
    SIGABRT, SIGALRM, SIGCONT, SIGHUP, SIGINT, SIGIO, SIGPROF, SIGQUIT, SIGSYS, SIGTERM, SIGTRAP, SIGTSTP, SIGUSR1,
    SIGUSR2, SIGVTALRM, SIGWINCH, SIGXCPU, SIGXFSZ,
};
use signal_hook::iterator::backend::SignalDelivery;
use signal_hook::iterator::exfiltrator::SignalOnly;

const WATCHED: [i32; 3] = [SIGCONT, SIGTSTP, SIGWINCH];

/// The signals that would end the process at once. Left out are those of faults (SIGSEGV, SIGBUS, SIGFPE, SIGILL), after which no
/// code can go on.
const ENDING: [i32; 14] = [
    SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGABRT, SIGALRM, SIGIO, SIGPROF, SIGSYS, SIGTRAP, SIGUSR1, SIGUSR2, SIGVTALRM,
    SIGXCPU,
];

/// SIGSTKFLT, SIGPWR and the real-time signals.
#[cfg(target_os = "linux")]
const ENDING_ON_LINUX: [std::ops::RangeInclusive<i32>; 3] = [16..=16, 30..=30, 35..=64];
#[cfg(not(target_os = "linux"))]
const ENDING_ON_LINUX: [std::ops::RangeInclusive<i32>; 0] = [];

/// The signals of the terminal's keys. One that the parent process ignored (a lock script) stays ignored.
const KEYBOARD_SIGNALS: [i32; 3] = [SIGINT, SIGQUIT, SIGTSTP];

pub struct Signals {
    delivery: SignalDelivery<UnixStream, SignalOnly>,
    pub can_stop: bool,
}

impl Signals {
    pub fn watch() -> io::Result<Self> {
        let (read, write) = UnixStream::pair()?;
        let ignored = ignored();
        let is_ignored = |signal: i32| KEYBOARD_SIGNALS.contains(&signal) && ignored >> (signal - 1) & 1 == 1;
        let watched = WATCHED.into_iter().chain(ENDING).filter(|&signal| !is_ignored(signal));
        let delivery = SignalDelivery::with_pipe(read, write, SignalOnly, watched)?;
        for signal in ENDING_ON_LINUX.into_iter().flatten() {
            // Some of them belong to the C library, or have other numbers on this processor.
            let _ = delivery.handle().add_signal(signal);
        }
        Ok(Self { delivery, can_stop: !is_ignored(SIGTSTP) })
    }

    /// A signal that came twice since the last call is returned once.
    pub fn take(&mut self) -> impl Iterator<Item = i32> {
        self.delivery.pending()
    }

    pub fn take_ending(&mut self) -> impl Iterator<Item = i32> {
        self.take().filter(|signal| !WATCHED.contains(signal))
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.delivery.get_read().as_fd()
    }
}

/// A write beyond a limit on the size of files fails, as on a full disk, instead of ending the process.
pub fn survive_file_limits() {
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::default());
}

/// The signals that were ignored at the start, from bit 0 for signal 1. A call of the C library would need unsafe code.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// Stops this process; returns when it is continued.
///
/// `whole_job`: the whole foreground job gets SIGTSTP, as it would from the terminal driver, so that a script around it stops
/// too. The process itself stops by SIGTTIN, which unlike SIGSTOP is ignored where no shell could ever continue the process
/// (`xterm -e slosh`).
pub fn stop(whole_job: bool) -> io::Result<()> {
    if whole_job {
        kill_current_process_group(Signal::TSTP)?;
    }
    Ok(kill_process(getpid(), Signal::TTIN)?)
}

/// Ends this process as the signal would have, after the terminal was restored: the parent sees a death by signal.
pub fn end_by(signal: i32) -> ! {
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    std::process::exit(128 + signal)
}
