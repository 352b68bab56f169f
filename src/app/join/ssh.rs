//! `ssh://` addresses, and the run of ssh for one: this process waits for it, and restores the terminal if the connection ends
//! before the session on the other machine does.

use crate::app::error::Error;
use crate::app::host::socket;
use crate::term::tty::session::RelayedSession;
use crate::term::tty::signals::{Signals, end_by, stop};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use std::io::{self, Read, Write};
use std::net::Ipv6Addr;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicI32;
use std::sync::atomic::Ordering::Relaxed;
use std::thread;

static ENDED_BY: AtomicI32 = AtomicI32::new(0);

#[derive(Debug, PartialEq, Eq)]
pub struct SshAddress {
    destination: String,
    port: Option<u16>,
    pub tank: String,
}

impl SshAddress {
    /// Parses `ssh://[USER@]HOST[:PORT][/NAME]`, where an IPv6 address is in brackets.
    pub fn parse(address: &str) -> Result<Self, Error> {
        let malformed = || {
            let form = "ssh://[USER@]HOST[:PORT][/NAME], with an IPv6 address in brackets";
            Error::Input(format!("{address:?} must have the form {form}"))
        };
        let place = address.strip_prefix("ssh://").ok_or_else(malformed)?;
        let (authority, tank) = place.split_once('/').unwrap_or((place, ""));
        let tank = socket::validated_name(if tank.is_empty() { socket::DEFAULT_NAME } else { tank })?.to_owned();
        let (destination, port) = Self::authority(authority).ok_or_else(malformed)?;
        Ok(Self { destination, port, tank })
    }

    fn authority(authority: &str) -> Option<(String, Option<u16>)> {
        // A name that begins with a hyphen would be read by ssh as an option.
        let is_word = |word: &str| {
            let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
            !word.is_empty() && !word.starts_with('-') && word.chars().all(allowed)
        };
        let (user, place) = authority.rsplit_once('@').map_or((None, authority), |(user, place)| (Some(user), place));
        let (host, port) = match place.strip_prefix('[') {
            Some(rest) => {
                let (host, rest) = rest.split_once(']')?;
                let (ip, zone) = host.split_once('%').unwrap_or((host, "0"));
                ip.parse::<Ipv6Addr>().ok().filter(|_| is_word(zone))?;
                (host, if rest.is_empty() { None } else { Some(rest.strip_prefix(':')?) })
            }
            None => {
                let (host, port) = place.split_once(':').map_or((place, None), |(host, port)| (host, Some(port)));
                (is_word(host).then_some(host)?, port)
            }
        };
        let number = |port: &str| port.parse::<u16>().ok().filter(|&it| it > 0 && !port.starts_with('+'));
        let port = if let Some(port) = port { Some(number(port)?) } else { None };
        let Some(user) = user else { return Some((host.to_owned(), port)) };
        is_word(user).then(|| (format!("{user}@{host}"), port))
    }
}

/// Runs `slosh` with these arguments on the machine of the address, in a terminal, until it ends. Returns the exit code for this
/// process; an error if ssh cannot be started, or the connection ended before the session did.
pub fn play(address: &SshAddress, arguments: &[String]) -> Result<u8, Error> {
    // The shell on the other machine splits the words again.
    let quoted = arguments.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''")));
    let command = ["slosh".to_owned()].into_iter().chain(quoted).collect::<Vec<_>>().join(" ");
    let mut ssh = Command::new("ssh");
    ssh.arg("-t");
    if let Some(port) = address.port {
        ssh.arg("-p").arg(port.to_string());
    }
    ssh.arg("--").arg(&address.destination).arg(command).stdout(Stdio::piped());

    let signals = Signals::watch()?;
    let mut session = RelayedSession::new().ok();
    let mut child = ssh.spawn().map_err(|error| Error::Run(format!("ssh: {error}")))?;
    let mut output = child.stdout.take().expect("it is piped");
    let ssh = Pid::from_child(&child);
    thread::spawn(move || forward_signals(signals, ssh));
    let waiting = thread::spawn(move || wait_for(ssh));
    let relayed = relay(&mut output, session.as_mut());
    drop(output);
    let status = waiting.join().expect("it does not panic")?;
    let was_open = session.is_some_and(RelayedSession::restore);
    let signal = ENDED_BY.load(Relaxed);
    if signal != 0 {
        end_by(signal);
    }
    if was_open {
        return Err(Error::Run(format!("{}: the connection has ended", address.destination)));
    }
    relayed?;
    Ok(status)
}

fn relay(output: &mut impl Read, mut session: Option<&mut RelayedSession>) -> io::Result<()> {
    let mut bytes = [0; 16 << 10];
    let mut stdout = io::stdout().lock();
    loop {
        match output.read(&mut bytes) {
            Ok(0) => return Ok(()),
            Ok(count) => {
                if let Some(session) = &mut session {
                    session.relay(&bytes[..count]);
                }
                stdout.write_all(&bytes[..count]).and_then(|()| stdout.flush())?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Returns the exit code of ssh as a shell reports it. Stops this process too when ssh is stopped (`~^Z`).
fn wait_for(ssh: Pid) -> io::Result<u8> {
    loop {
        let Some((_, status)) = rustix::io::retry_on_intr(|| waitpid(Some(ssh), WaitOptions::UNTRACED))? else {
            continue;
        };
        if status.stopped() {
            stop(false)?;
            kill_process(ssh, Signal::CONT)?;
        } else {
            let code = status.exit_status().unwrap_or_else(|| 128 + status.terminating_signal().unwrap_or(0));
            return Ok(u8::try_from(code).unwrap_or(u8::MAX));
        }
    }
}

/// Passes on the signals that would end this process, so that ssh ends first and the terminal can be restored.
fn forward_signals(mut signals: Signals, ssh: Pid) {
    loop {
        let mut fds = [PollFd::new(&signals, PollFlags::IN)];
        let _ = poll(&mut fds, None);
        for signal in signals.take_ending().filter_map(Signal::from_named_raw) {
            ENDED_BY.store(signal.as_raw(), Relaxed);
            let _ = kill_process(ssh, signal);
        }
    }
}
