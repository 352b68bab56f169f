//! The measurements.

use std::time::{Duration, Instant};

use super::pty::{Link, Pty, Setup};
use super::servers::{Sshd, Tmux};

const SLOSH: &str = env!("CARGO_BIN_EXE_slosh");
const KEYS: usize = 100;
/// The variable that sets another number of keys.
const KEYS_VAR: &str = "KEYS";
const QUITS: usize = 20;
/// The time that `Pty::end` waits after the end, in milliseconds.
const AFTERMATH: f64 = 20.;
/// A key without an effect within this time is lost.
const LOST: Duration = Duration::from_secs(5);
/// Upper limit on the total wait.
const MOST: Duration = Duration::from_secs(45);
/// 160 kbit/s.
const SLOW: f64 = 20e3;

/// A link by name, and its measurement.
type Case = (&'static str, fn(Program));

const LINKS: [Case; 8] = [
    ("local", |program| program.local(Link::LOCAL)),
    ("pty", |program| program.local(Link::shallow(SLOW))),
    ("deep", |program| program.local(Link::deep(SLOW))),
    ("ssh", |program| program.over_ssh((80, 24), SLOW)),
    ("ssh-1M", |program| program.over_ssh((120, 40), 125e3)),
    ("tmux", |program| program.in_tmux(Link::shallow(SLOW))),
    ("quit-pty", |program| program.quit(Link::shallow(SLOW))),
    ("quit-deep", |program| program.quit(Link::deep(SLOW))),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Program {
    Slosh,
    Plain,
}

/// `LINK` for slosh, `plain-LINK` for the plain loop; all of both without an argument.
pub fn run(wanted: &[&str]) {
    println!("{:18}{:>8}{:>8}{:>8}{:>8}{:>10}{:>8}", "ms", "median", "90 %", "worst", "shown", "bytes/s", "fps");
    for (name, measure) in LINKS {
        for program in [Program::Slosh, Program::Plain] {
            let name = if program == Program::Plain { format!("plain-{name}") } else { name.to_owned() };
            if wanted.is_empty() || wanted.contains(&&*name) {
                print!("{name:18}");
                measure(program);
            }
        }
    }
}

impl Program {
    fn argv(self) -> Vec<String> {
        let us = std::env::current_exe().expect("a path").display().to_string();
        match self {
            Self::Slosh => vec![SLOSH.to_owned(), "dam".to_owned()],
            Self::Plain => vec![us, "plain".to_owned(), "dam".to_owned()],
        }
    }

    /// The same as a shell command.
    fn command(self) -> String {
        format!("COLORTERM=truecolor LANG=C.UTF-8 {}", self.argv().join(" "))
    }

    fn local(self, link: Link) {
        let argv = self.argv();
        let setup = Setup::new(argv.iter().map(String::as_str)).var("COLORTERM", "truecolor");
        measure(setup.answering().link(link));
    }

    /// Latency from `q` to the end of the process, with frames on their way.
    fn quit(self, link: Link) {
        let times = (0..QUITS).filter_map(|_| {
            let argv = self.argv();
            let setup = Setup::new(argv.iter().map(String::as_str)).size(120, 40).var("COLORTERM", "truecolor");
            let mut pty = setup.answering().link(link).start();
            pty.pump(Duration::from_millis(1500));
            let pressed = Instant::now();
            pty.send(b"q");
            pty.end(LOST).map(|_| pressed.elapsed().as_secs_f64() * 1e3 - AFTERMATH)
        });
        let times: Vec<f64> = times.collect();
        report(times, QUITS, "");
    }

    fn over_ssh(self, (columns, rows): (u16, u16), rate: f64) {
        let Some(sshd) = Sshd::start() else { return };
        let us = std::env::current_exe().expect("a path");
        let proxy = format!("ProxyCommand={} pump %p {rate}", us.display());
        let argv = sshd.client_by(&["-o", &proxy], &self.command());
        measure(Setup::new(argv.iter().map(String::as_str)).size(columns, rows).answering());
    }

    fn in_tmux(self, link: Link) {
        let Some(tmux) = Tmux::start() else { return };
        tmux.run(&["set", "-g", "status", "off"]);
        tmux.run(&["set", "-ga", "terminal-overrides", ",*:RGB"]);
        tmux.run(&["new-window", &self.command()]);
        let argv = tmux.attach();
        // While the client is connected.
        let _client = measure(Setup::new(argv.iter().map(String::as_str)).answering().link(link));
        println!(
            "{:18}{} bytes discarded by tmux",
            "",
            tmux.run(&["list-clients", "-F", "#{client_discarded}"]).trim()
        );
    }
}

fn measure(setup: Setup) -> Pty {
    let mut pty = setup.start();
    pty.pump(Duration::from_millis(3000));
    let (start, before) = (Instant::now(), pty.output.len());
    let mut random = fastrand::Rng::with_seed(5);
    let mut times = Vec::new();
    let most = std::env::var(KEYS_VAR).ok().and_then(|keys| keys.parse().ok()).unwrap_or(KEYS);
    let mut keys = 0;
    while keys < most && start.elapsed() < MOST {
        keys += 1;
        times.extend(if keys % 2 == 0 {
            press(&mut pty, b"H]", "speed 1x")
        } else {
            press(&mut pty, b"L[", "speed 0.5x")
        });
        // At a random moment of a frame, and before the liquid comes to rest.
        pty.pump(Duration::from_millis(random.u64(150..300)));
    }
    let seconds = start.elapsed().as_secs_f64();
    let output = &pty.output[before..];
    let frames = output.windows(8).filter(|bytes| *bytes == b"\x1b[?2026l").count();
    report(times, keys, &format!("{:10.0}{:8.1}", output.len() as f64 / seconds, frames as f64 / seconds));
    pty
}

fn report(mut times: Vec<f64>, of: usize, more: &str) {
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times.get(((times.len() as f64 - 1.0) * share) as usize).copied().unwrap_or(f64::NAN);
    println!("{:8.0}{:8.0}{:8.0}{:>8}{more}", at(0.5), at(0.9), at(1.0), format!("{}/{of}", times.len()));
}

/// Milliseconds from `keys` until `effect` is on the screen, if it appears.
fn press(pty: &mut Pty, keys: &[u8], effect: &str) -> Option<f64> {
    let pressed = Instant::now();
    pty.send(keys);
    pty.pump_until(LOST, |pty| pty.screen().contents().contains(effect)).then(|| pressed.elapsed().as_secs_f64() * 1e3)
}
