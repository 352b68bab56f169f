//! tmux, asked about the clients that show our pane.
//!
//! `tmux list-clients` runs on a thread of its own, at most once a second and only while frames are sent, so nothing
//! ever waits for it: a server that hangs costs one sleeping thread. It names the clients' terminals, and whether one
//! takes no more is then asked of the kernel before each frame, which costs a microsecond.

use std::fs::File;
use std::io;
use std::process::{Command, Stdio};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags};
use rustix::fs::{Mode, OFlags};

use crate::term::pacing::tmux_rate::ClientState;
use crate::term::tty::device::wait_for;

const EVERY: Duration = Duration::from_secs(1);
/// More clients than this are not looked at one by one.
const MOST_CLIENTS: usize = 8;
const FORMAT: &str = "#{client_discarded} #{client_pid} #{client_tty}";

#[derive(Debug, Default)]
struct Clients {
    /// Somebody has been asked.
    known: bool,
    remote: bool,
    /// Nobody is attached.
    nobody: bool,
    discarded: u64,
    terminals: Vec<File>,
}

#[derive(Debug)]
pub struct Tmux {
    ask: SyncSender<()>,
    asked: Option<Instant>,
    clients: Arc<Mutex<Clients>>,
    starting: Arc<Mutex<()>>,
}

impl Tmux {
    /// `None` outside tmux. Where there is no program `tmux` it never tells anything.
    pub fn watch() -> Option<Self> {
        std::env::var_os("TMUX").filter(|value| !value.is_empty())?;
        let pane = std::env::var("TMUX_PANE").unwrap_or_default();
        let (ask, asked) = sync_channel::<()>(1);
        let clients = Arc::new(Mutex::new(Clients::default()));
        let starting = Arc::default();
        let (shared, start) = (Arc::clone(&clients), Arc::clone(&starting));
        let watch = move || {
            while asked.recv().is_ok() {
                let Ok(found) = list(&pane, &start) else { return };
                *shared.lock().unwrap_or_else(PoisonError::into_inner) = found;
            }
        };
        std::thread::Builder::new().name("tmux".into()).spawn(watch).ok()?;
        Some(Self { ask, asked: None, clients, starting })
    }

    /// No program is being started as long as this is held. One that is stopped between fork and exec, as the rest of our
    /// job, would keep the thread that waits for its exec from stopping, and the shell would wait for ever.
    pub fn start_nothing(&self) -> MutexGuard<'_, ()> {
        self.starting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How it stands, as far as known; asks again now and then.
    pub fn look(&mut self, now: Instant) -> Option<ClientState> {
        if self.asked.is_none_or(|asked| now.saturating_duration_since(asked) >= EVERY) {
            self.asked = Some(now);
            // Full is being asked already; closed is no program to ask.
            let _ = self.ask.try_send(());
        }
        let clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let Clients { known, remote, nobody, discarded, terminals } = &*clients;
        let stuck = || terminals.iter().any(is_stuck);
        known.then(|| ClientState { remote: *remote, discarded: *discarded, stuck: stuck(), nobody: *nobody })
    }
}

/// The kernel holds as much for this terminal as it will.
fn is_stuck(terminal: &File) -> bool {
    let mut fds = [PollFd::new(terminal, PollFlags::OUT)];
    let asked = wait_for(&mut fds, Duration::ZERO);
    asked.is_ok() && !fds[0].revents().intersects(PollFlags::OUT | PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL)
}

fn list(pane: &str, starting: &Mutex<()>) -> io::Result<Clients> {
    let mut tmux = Command::new("tmux");
    tmux.args(["list-clients", "-F", FORMAT]);
    if !pane.is_empty() {
        tmux.args(["-t", pane]);
    }
    tmux.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let child = {
        let _held = starting.lock().unwrap_or_else(PoisonError::into_inner);
        tmux.spawn()?
    };
    let output = child.wait_with_output()?;
    let clients = read(&String::from_utf8_lossy(&output.stdout));
    // A server that could not be asked says nothing about who is there.
    Ok(Clients { nobody: clients.nobody && output.status.success(), ..clients })
}

fn read(text: &str) -> Clients {
    let mut clients = Clients { known: true, nobody: text.trim().is_empty(), ..Clients::default() };
    for line in text.lines() {
        let mut words = line.splitn(3, ' ');
        let (discarded, pid, tty) = (words.next(), words.next(), words.next());
        clients.discarded += discarded.and_then(|n| n.parse::<u64>().ok()).unwrap_or(0);
        clients.remote |= pid.is_some_and(is_remote);
        let flags = OFlags::WRONLY | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let terminal = tty.filter(|_| clients.terminals.len() < MOST_CLIENTS);
        clients
            .terminals
            .extend(terminal.and_then(|tty| rustix::fs::open(tty, flags, Mode::empty()).ok()).map(File::from));
    }
    clients
}

/// Whether that process was started over ssh. Where it cannot be looked at (not Linux), we take it to be as local as
/// we are.
fn is_remote(pid: &str) -> bool {
    match std::fs::read(format!("/proc/{pid}/environ")) {
        Ok(vars) => vars.split(|&byte| byte == 0).any(|var| var.starts_with(b"SSH_CONNECTION=")),
        Err(_) => std::env::var_os("SSH_CONNECTION").is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_as_tmux_lists_them() {
        let us = std::process::id();
        let clients = read(&format!("120 {us} /dev/null\n30 {us} /dev/does-not-exist\n\nwhat\n"));
        assert_eq!((clients.discarded, clients.terminals.len()), (150, 1));
        assert!(!is_stuck(&clients.terminals[0]), "nothing fills up /dev/null");
        assert!(!clients.nobody);
        let nobody = read("");
        assert!(nobody.nobody && nobody.discarded == 0, "nobody is attached");
    }
}
