//! Signals as bytes on a pipe of our own, to be polled beside the terminal. No thread.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use rustix::process::{Signal, getpid, kill_current_process_group, kill_process};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::iterator::backend::SignalDelivery;
use signal_hook::iterator::exfiltrator::SignalOnly;

const WATCHED: [i32; 7] = [SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH];

/// What a signal asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    Quit(i32),
    Stop,
    Continued,
    Resized,
}

#[derive(Debug)]
pub struct Signals {
    delivery: SignalDelivery<UnixStream, SignalOnly>,
}

impl Signals {
    pub fn watch() -> io::Result<Self> {
        let (read, write) = UnixStream::pair()?;
        let delivery = SignalDelivery::with_pipe(read, write, SignalOnly, WATCHED)?;
        Ok(Self { delivery })
    }

    /// What came since the last call. A signal that came twice is told once.
    pub fn take(&mut self) -> impl Iterator<Item = Notice> {
        self.delivery.pending().map(|signal| match signal {
            SIGCONT => Notice::Continued,
            SIGTSTP => Notice::Stop,
            SIGWINCH => Notice::Resized,
            signal => Notice::Quit(signal),
        })
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.delivery.get_read().as_fd()
    }
}

/// Stops this process; returns when it is continued.
///
/// `everyone` is for the Ctrl-Z of a terminal in raw mode: the whole foreground job gets SIGTSTP, as it
/// would from the terminal's driver, so that a script or a pipe around us stops too and the shell
/// takes over. Ourselves we stop by SIGTTIN, whose default we left alone: unlike SIGSTOP it is
/// ignored where no shell could ever continue us (`xterm -e slosh`; an orphaned process group).
pub fn stop(everyone: bool) -> io::Result<()> {
    if everyone {
        kill_current_process_group(Signal::TSTP)?;
    }
    Ok(kill_process(getpid(), Signal::TTIN)?)
}

/// Ends this process as the signal would have, so that the parent sees a death by signal (a shell
/// reports 128 + n). Call it when the terminal has been restored.
pub fn end_by(signal: i32) -> ! {
    let _ = signal_hook::low_level::emulate_default_handler(signal);
    std::process::exit(128 + signal)
}
