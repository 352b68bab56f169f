//! Asks tmux about the clients that show this pane.
//!
//! `tmux list-clients` runs on its own thread, at most once a second and only while frames are sent. It lists the ttys of the
//! clients, and before each frame the kernel is asked whether they are writable.

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

const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum time that the first frame waits for what tmux reports.
const FIRST_ANSWER: Duration = Duration::from_millis(150);
const MAX_CLIENTS: usize = 8;
const FORMAT: &str = "#{client_discarded} #{client_pid} #{client_termfeatures} #{client_tty}";
/// The feature of a client's terminal that makes tmux pass 24-bit colours on (since 3.2).
const TRUE_COLOR: &str = "RGB";

#[derive(Debug, Default)]
struct Clients {
    state: ClientState,
    terminals: Vec<File>,
}

pub struct Tmux {
    ask: SyncSender<()>,
    asked: Option<Instant>,
    first_asked: Option<Instant>,
    clients: Arc<Mutex<Option<Clients>>>,
    spawn_lock: Arc<Mutex<()>>,
}

impl Tmux {
    /// `None` outside tmux. Without a program `tmux` it never reports anything.
    pub fn spawn() -> Option<Self> {
        std::env::var_os("TMUX").filter(|value| !value.is_empty())?;
        let (ask, asked) = sync_channel::<()>(1);
        let clients = Arc::new(Mutex::new(None));
        let spawn_lock = Arc::default();
        let (shared, start) = (Arc::clone(&clients), Arc::clone(&spawn_lock));
        let watch = move || {
            while asked.recv().is_ok() {
                let Ok(found) = list(&start) else { return };
                *shared.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
            }
        };
        std::thread::Builder::new().name("tmux".into()).spawn(watch).ok()?;
        Some(Self { ask, asked: None, first_asked: None, clients, spawn_lock })
    }

    /// Blocks the start of programs while the guard is held. A child that is stopped between fork and exec would keep the thread
    /// that waits for its exec from stopping, and the shell would wait for ever.
    pub fn block_spawn(&self) -> MutexGuard<'_, ()> {
        self.spawn_lock.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A frame before that has too few colours, and on a slow link they stay for seconds where they are nearly right.
    pub fn is_first_answer_due(&self, now: Instant) -> bool {
        let waiting = self.first_asked.is_some_and(|asked| now.saturating_duration_since(asked) < FIRST_ANSWER);
        waiting && self.clients.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }

    pub fn poll(&mut self, now: Instant) -> Option<ClientState> {
        if self.asked.is_none_or(|asked| now.saturating_duration_since(asked) >= POLL_INTERVAL) {
            self.asked = Some(now);
            self.first_asked.get_or_insert(now);
            // A full channel: a run is pending already. A closed one: there is no program `tmux`.
            let _ = self.ask.try_send(());
        }
        let clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        let Clients { state, terminals } = clients.as_ref()?;
        Some(ClientState { blocked: terminals.iter().any(is_blocked), ..*state })
    }
}

fn is_blocked(terminal: &File) -> bool {
    let mut fds = [PollFd::new(terminal, PollFlags::OUT)];
    let asked = wait_for(&mut fds, Duration::ZERO);
    asked.is_ok() && !fds[0].revents().intersects(PollFlags::OUT | PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL)
}

pub fn clients_have_true_color() -> bool {
    list(&Mutex::default()).is_ok_and(|clients| clients.state.true_color)
}

fn list(spawn_lock: &Mutex<()>) -> io::Result<Clients> {
    let mut tmux = Command::new("tmux");
    tmux.args(["list-clients", "-F", FORMAT]);
    if let Some(pane) = std::env::var_os("TMUX_PANE").filter(|pane| !pane.is_empty()) {
        tmux.arg("-t").arg(pane);
    }
    tmux.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let child = {
        let _held = spawn_lock.lock().unwrap_or_else(PoisonError::into_inner);
        tmux.spawn()?
    };
    let output = child.wait_with_output()?;
    let mut clients = read(&String::from_utf8_lossy(&output.stdout));
    // If tmux failed, an empty list does not mean that no client is attached.
    clients.state.detached &= output.status.success();
    Ok(clients)
}

fn read(text: &str) -> Clients {
    let detached = text.trim().is_empty();
    let mut terminals = Vec::new();
    let mut state = ClientState { detached, true_color: !detached, ..ClientState::default() };
    for line in text.lines() {
        let mut words = line.splitn(4, ' ');
        let (discarded, pid, features, tty) = (words.next(), words.next(), words.next(), words.next());
        state.true_color &= features.is_some_and(|features| features.split(',').any(|name| name == TRUE_COLOR));
        state.discarded += discarded.and_then(|n| n.parse::<u64>().ok()).unwrap_or(0);
        state.remote |= pid.is_some_and(is_remote);
        let flags = OFlags::WRONLY | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let terminal = tty.filter(|_| terminals.len() < MAX_CLIENTS);
        terminals.extend(terminal.and_then(|tty| rustix::fs::open(tty, flags, Mode::empty()).ok()).map(File::from));
    }
    Clients { state, terminals }
}

/// Whether that process was started over ssh. Where its environment cannot be read (not Linux), that of this process decides.
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
        let clients = read(&format!("120 {us} 256,RGB /dev/null\n30 {us}  /dev/does-not-exist\n\nwhat\n"));
        assert_eq!((clients.state.discarded, clients.terminals.len()), (150, 1));
        assert!(!is_blocked(&clients.terminals[0]), "nothing fills up /dev/null");
        assert!(!clients.state.detached && !clients.state.true_color);
        let colored = read(&format!("0 {us} 256,RGB,title /dev/null\n"));
        assert_eq!((colored.terminals.len(), colored.state.detached, colored.state.true_color), (1, false, true));
        let detached = read("").state;
        assert!(detached.detached && !detached.true_color && detached.discarded == 0, "detached is attached");
    }
}
