//! The terminal contract, for every program that draws: however it ends, in whatever terminal and environment, the
//! terminal is left as it was found, in time, and the exit code tells how the program ended.
//!
//! Every row of [`TRIALS`] is an environment and an ending, and every program in [`programs`] runs every row. So each
//! environment and each ending is tested with each program, but not every combination of environment and ending. The
//! rows run in parallel, because they mostly wait.
#![cfg(unix)]

use crate::program::{self, Finished, SLOSH, SOON};
use crate::pty::{Pty, Setup};
use rustix::process::Signal;
use slosh::app::action::{Action, Window};
use slosh::app::demo::DemoSpec;
use slosh::app::demo::clock::ClockFormat;
use slosh::app::host::server::Server;
use slosh::app::host::socket::Socket;
use slosh::app::shared_tank::{DEFAULT_ASPECT, Permissions, SharedTank, TankConfig};
use slosh::app::{App, Options, SaverOptions};
use slosh::scene;
use slosh::scene::Scene;
use std::fs;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

/// Number of rows that run at the same time.
const AT_ONCE: usize = 6;

fn folder(name: &str) -> PathBuf {
    program::folder(&format!("contract/{name}"))
}

/// A command that draws in a terminal.
#[derive(Clone, Debug)]
struct Program {
    name: &'static str,
    args: Vec<String>,
    /// The content of standard input.
    stdin: String,
}

/// All commands that draw, prepared once for all tests.
fn programs() -> &'static [Program] {
    static PROGRAMS: OnceLock<Vec<Program>> = OnceLock::new();
    PROGRAMS.get_or_init(prepared)
}

fn prepared() -> Vec<Program> {
    let folder = folder("programs");
    let page = folder.join("page");
    fs::write(&page, "a page \x1b[31mof\x1b[m words\n\x1b]0;title\x07and more\n").expect("written");
    let log = folder.join("log.slosh");
    let log = log.to_str().expect("UTF-8");
    let render = "render drop --seed 3 --particles 100 --size 40x12 --seconds 60 --frames 900 --out";
    let status = program::slosh().args(render.split(' ')).arg(log).status().expect("slosh starts");
    assert!(status.success());
    let program = |name, args: &str| Program {
        name,
        args: args.split(' ').map(str::to_owned).collect(),
        stdin: "/dev/null".to_owned(),
    };
    let code = "slosh1-XxBnZGFtCjEyCndhdGVyCmRlbnNpdHkKcGFydGljbGVzPTEwMA";
    vec![
        program("toy", "dam --particles 100"),
        program("saver", "saver --particles 100"),
        program("clock", "clock --seconds"),
        program("text", "text hi"),
        Program { stdin: page.to_str().expect("UTF-8").to_owned(), ..program("melt", "melt") },
        program("play", &format!("play {code}")),
        program("replay", &format!("play {log}")),
        program("recording", "dam --particles 100 --record @.cast --force"),
        program("join", "join"),
    ]
}

/// The runtime folder for `slosh join`: a folder with a short name, and the socket of a host that lives as long as the
/// tests.
fn runtime() -> &'static str {
    static FOLDER: OnceLock<String> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = std::env::temp_dir().join(format!("slosh-contract-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a temporary folder");
        let socket = Socket::open_in(&folder.join("slosh"), "tank", None).expect("a socket");
        let scene = Scene::parse(scene::find("fountain").expect("a scene"), "fountain").expect("a scene");
        std::thread::spawn(move || {
            let (scenes, allow) = (vec![scene], Permissions::ALL);
            let config =
                TankConfig { scenes, aspect: DEFAULT_ASPECT, allow, particles: Some(100), ..TankConfig::default() };
            let tank = SharedTank::new(config).expect("a tank");
            let mut server = Server::new(tank, None, 1, false, Instant::now()).expect("a host");
            let (wake, _never) = UnixStream::pair().expect("a pair of sockets");
            server.serve(&socket, &wake, || false)
        });
        folder.to_str().expect("UTF-8").to_owned()
    })
}

/// A row of the table.
struct Trial {
    name: &'static str,
    /// Shell commands before the program starts.
    before: &'static str,
    vars: &'static [(&'static str, &'static str)],
    size: (u16, u16),
    answering: bool,
    controlling: bool,
    ending: Ending,
}

/// The way in which it ends.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ending {
    Signal(Signal),
    /// A key that ends it, sent twice: words flow back first.
    Key(&'static [u8]),
    HangUp,
    Panic,
    /// Stopped and continued by signals, then SIGTERM.
    Stopped,
    /// 500 resizes, then SIGTERM.
    Resizes,
    /// Saves and records in a folder without write permission, then q.
    Writes,
    /// The clock is set back by years, then SIGTERM.
    ClockSetBack,
    /// The signals of the terminal's keys, which the parent has ignored, then SIGTERM.
    Ignored,
}

const USUAL: Trial = Trial {
    name: "",
    before: "",
    vars: &[],
    size: (60, 18),
    answering: false,
    controlling: true,
    ending: Ending::Signal(Signal::TERM),
};

const TRIALS: &[Trial] = &[
    Trial { name: "SIGTERM", answering: true, ..USUAL },
    Trial { name: "no size; SIGINT", size: (0, 0), ending: Ending::Signal(Signal::INT), ..USUAL },
    Trial { name: "1×1; SIGHUP", size: (1, 1), ending: Ending::Signal(Signal::HUP), ..USUAL },
    Trial { name: "3×2; SIGQUIT", size: (3, 2), answering: true, ending: Ending::Signal(Signal::QUIT), ..USUAL },
    Trial { name: "1000×500; SIGTERM", size: (1000, 500), ..USUAL },
    Trial { name: "answers; Ctrl-C", answering: true, ending: Ending::Key(b"\x03"), ..USUAL },
    Trial { name: "TERM=dumb; q", vars: &[("TERM", "dumb")], ending: Ending::Key(b"q"), ..USUAL },
    Trial { name: "no TERM; SIGTERM", before: "unset TERM; ", ..USUAL },
    Trial { name: "TERM=linux; Ctrl-C", vars: &[("TERM", "linux")], ending: Ending::Key(b"\x03"), ..USUAL },
    Trial { name: "TERM=vt100; q", vars: &[("TERM", "vt100")], ending: Ending::Key(b"q"), ..USUAL },
    Trial { name: "TERM=vt220; SIGINT", vars: &[("TERM", "vt220")], ending: Ending::Signal(Signal::INT), ..USUAL },
    Trial { name: "LC_ALL=C; SIGHUP", vars: &[("LC_ALL", "C")], ending: Ending::Signal(Signal::HUP), ..USUAL },
    Trial { name: "the terminal goes away", ending: Ending::HangUp, ..USUAL },
    Trial { name: "it goes away without SIGHUP", controlling: false, answering: true, ending: Ending::HangUp, ..USUAL },
    Trial { name: "a panic", answering: true, vars: &[("RUST_BACKTRACE", "0")], ending: Ending::Panic, ..USUAL },
    Trial { name: "stopped and continued", answering: true, ending: Ending::Stopped, ..USUAL },
    Trial { name: "500 sizes", ending: Ending::Resizes, ..USUAL },
    // Even the superuser cannot write to /proc.
    Trial {
        name: "no home, and a folder that cannot be written",
        before: "unset HOME XDG_CONFIG_HOME; cd /proc; ",
        ending: Ending::Writes,
        ..USUAL
    },
    Trial {
        name: "signals that are ignored",
        before: "trap '' INT QUIT TSTP; ",
        answering: true,
        ending: Ending::Ignored,
        ..USUAL
    },
    Trial { name: "a clock that goes back", ending: Ending::ClockSetBack, ..USUAL },
    Trial { name: "a clock in the year 9999", vars: &[("FAKETIME", "@9999-12-31 22:59:58")], ..USUAL },
];

/// The library that fakes the time of a program.
fn faketime() -> Option<String> {
    let folders = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"];
    let found = folders
        .map(|folder| format!("{folder}/faketime/libfaketime.so.1"))
        .into_iter()
        .find(|it| Path::new(it).exists());
    if found.is_none() {
        let message = "faketime is not installed (Debian: apt-get install faketime)";
        assert!(std::env::var_os("CI").is_none(), "{message}");
        eprintln!("\n*** NOT TESTED: {message} ***\n");
    }
    found
}

/// Repeats a test in which the machine was too busy for the terminal to reply in time, so that what it left says nothing about
/// the program. Fails if it always is.
#[track_caller]
fn in_time(test: impl Fn() -> Pty) {
    assert!((0..5).any(|_| !test().is_late), "the machine is too busy for a terminal that replies in time");
}

impl Trial {
    fn run(&self, program: &Program, number: usize) {
        // A release build has no way to make it panic.
        if self.ending == Ending::Panic && !cfg!(debug_assertions) {
            return;
        }
        let own = folder(&number.to_string());
        let own = own.to_str().expect("UTF-8");
        let mut vars: Vec<(&str, String)> = self.vars.iter().map(|&(name, value)| (name, value.to_owned())).collect();
        let clock = format!("{own}/clock");
        if self.ending == Ending::ClockSetBack || self.vars.iter().any(|(name, _)| *name == "FAKETIME") {
            let Some(library) = faketime() else { return };
            vars.extend([("LD_PRELOAD", library), ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned())]);
        }
        if self.ending == Ending::ClockSetBack {
            vars.extend([("FAKETIME_TIMESTAMP_FILE", clock.clone()), ("FAKETIME_NO_CACHE", "1".to_owned())]);
        }
        if self.ending == Ending::Panic {
            vars.push(("SLOSH_PANIC_AFTER", "3".to_owned()));
        }
        let script = format!("{}exec \"$0\" \"$@\" < {}", self.before, program.stdin);
        let args = program.args.iter().map(|arg| arg.replace('@', &format!("{own}/it")));
        let argv: Vec<String> = ["/bin/sh", "-c", &script, SLOSH].into_iter().map(str::to_owned).chain(args).collect();
        in_time(|| {
            if self.ending == Ending::ClockSetBack {
                fs::write(&clock, "+0y").expect("written");
            }
            let setup = Setup::new(argv.iter().map(String::as_str)).size(self.size.0, self.size.1);
            let mut setup = setup.var("XDG_RUNTIME_DIR", runtime());
            setup = vars.iter().fold(setup, |setup, (name, value)| setup.var(name, value));
            if self.answering {
                setup = setup.answering();
            }
            if !self.controlling {
                setup = setup.not_controlling();
            }
            let mut pty = setup.start();
            if self.ending != Ending::Panic {
                self.wait_for_picture(&mut pty);
            }
            self.end(&mut pty, &clock);
            self.look_at(&pty);
            pty
        });
    }

    /// Waits until something is drawn; where there is no room for a picture, until the session has begun.
    fn wait_for_picture(&self, pty: &mut Pty) {
        let seen = |pty: &Pty| pty.screen().contents().chars().any(|c| c > ' ');
        let roomy = (500..50_000).contains(&(u32::from(self.size.0) * u32::from(self.size.1)));
        let drawn = |pty: &Pty| pty.screen().alternate_screen() && (seen(pty) || !roomy);
        assert!(pty.pump_until(SOON, drawn), "no picture: {:?}", pty.tail());
    }

    fn end(&self, pty: &mut Pty, clock: &str) {
        match self.ending {
            Ending::Signal(signal) => {
                pty.signal(signal);
                pty.assert_ends(SOON, 128 + signal.as_raw());
            }
            Ending::Key(key) => {
                // A screensaver reacts to input after a second.
                let ended = (0..40).any(|_| {
                    // Once the shell's screen is back, the terminal's driver makes a signal of Ctrl-C.
                    if pty.screen().alternate_screen() {
                        pty.send(key);
                    }
                    pty.end(Duration::from_millis(250)).is_some()
                });
                assert!(ended, "no key ends it: {:?}", pty.tail());
                pty.assert_ends(SOON, 0);
            }
            Ending::HangUp => {
                pty.hang_up();
                let status = pty.end(SOON).expect("still running without a terminal");
                let code = Pty::code(status);
                assert!([0, 128 + Signal::HUP.as_raw()].contains(&code), "it ended with {code}: {:?}", pty.tail());
            }
            Ending::Panic => {
                pty.assert_ends(SOON, 101);
                assert!(pty.screen().contents().contains("panicked"), "{}", pty.screen().contents());
            }
            Ending::Stopped => {
                pty.signal(Signal::STOP);
                pty.pump(Duration::from_millis(300));
                pty.signal(Signal::CONT);
                let before = pty.output.len();
                let whole = |pty: &Pty| pty.output[before..].windows(4).any(|bytes| bytes == b"\x1b[2J");
                assert!(pty.pump_until(SOON, whole), "no whole frame: {:?}", pty.tail());
                self.terminate(pty);
            }
            Ending::Resizes => {
                let mut random = fastrand::Rng::with_seed(7);
                for _ in 0..500 {
                    pty.resize(random.u16(0..220), random.u16(0..70));
                    pty.pump(Duration::from_millis(random.u64(0..2)));
                }
                pty.resize(60, 18);
                self.terminate(pty);
            }
            Ending::Writes => {
                pty.send(b"SR");
                pty.pump(Duration::from_millis(100));
                let ended = (0..40).any(|_| {
                    pty.send(b"q");
                    pty.end(Duration::from_millis(250)).is_some()
                });
                assert!(ended, "no key ends it: {:?}", pty.tail());
                pty.assert_ends(SOON, 0);
            }
            Ending::Ignored => {
                for signal in [Signal::INT, Signal::QUIT, Signal::TSTP] {
                    pty.signal(signal);
                    let before = pty.output.len();
                    pty.pump_until(Duration::from_millis(100), |pty| pty.output.len() > before + 4000);
                }
                assert!(pty.end(Duration::from_millis(50)).is_none(), "it ended by a signal that is ignored");
                self.terminate(pty);
            }
            Ending::ClockSetBack => {
                for offset in ["-10y", "+20y", "-50y"] {
                    fs::write(clock, offset).expect("written");
                    let before = pty.output.len();
                    // A clock draws every second, a tank continuously.
                    pty.pump_until(Duration::from_millis(300), |pty| pty.output.len() > before + 4000);
                }
                self.terminate(pty);
            }
        }
    }

    fn terminate(&self, pty: &mut Pty) {
        pty.signal(Signal::TERM);
        pty.assert_ends(SOON, 128 + Signal::TERM.as_raw());
    }

    /// Checks that the output suits this terminal.
    fn look_at(&self, pty: &Pty) {
        let wrote = |bytes: &[u8]| pty.output.windows(bytes.len()).any(|window| window == bytes);
        let term = self.vars.iter().find(|(name, _)| *name == "TERM").map(|(_, term)| *term);
        if self.before.contains("TERM") || term.is_some() {
            for sequence in
                [&b"\x1bP"[..], b"\x1b]", b"\x1b[>", b"\x1b[?1000h", b"\x1b[?2004h", b"\x1b[?2026h", b"\x1b[c"]
            {
                assert!(!wrote(sequence), "{:?} was written", String::from_utf8_lossy(sequence));
            }
        }
        if self.vars.contains(&("LC_ALL", "C")) {
            assert!(pty.output.is_ascii(), "not all of it is ASCII");
        }
    }
}

/// Calls `run` for every case, several at a time, and reports all failures.
#[track_caller]
fn all<T: Sync>(cases: &[T], name: impl Fn(&T) -> String + Sync, run: impl Fn(&T, usize) + Sync) {
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(case) = cases.get(number) else { return };
                    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| run(case, number))) {
                        let said = panic.downcast_ref::<String>().cloned();
                        let said = said.or_else(|| panic.downcast_ref::<&str>().map(|&said| said.to_owned()));
                        let message = format!("{}: {}", name(case), said.unwrap_or_default());
                        wrong.lock().expect("no panic").push(message);
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no panic");
    assert!(wrong.is_empty(), "{} of {} cases:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn whatever_draws_leaves_the_terminal_as_it_was() {
    let programs = programs();
    // One program after the other, so that not all of them draw the large window at once.
    let cases: Vec<(&Program, &Trial)> =
        programs.iter().flat_map(|program| TRIALS.iter().map(move |trial| (program, trial))).collect();
    let name = |(program, trial): &(&Program, &Trial)| format!("{}, {}", program.name, trial.name);
    all(&cases, name, |(program, trial), number| trial.run(program, number));
}

/// Every signal that ends a program and can be caught.
#[test]
fn every_signal_restores_the_terminal() {
    use rustix::process::Signal as S;
    let usual = [S::ABORT, S::ALARM, S::IO, S::PROF, S::SYS, S::TRAP, S::USR1, S::USR2, S::VTALARM, S::XCPU];
    #[cfg(target_os = "linux")]
    let usual = [&usual[..], &[S::POWER, S::STKFLT]].concat();
    all(
        &usual,
        |signal| format!("signal {}", signal.as_raw()),
        |signal, _| {
            in_time(|| {
                let mut pty = Setup::new([SLOSH, "dam", "--particles", "100"]).size(60, 18).answering().start();
                pty.wait_for_picture();
                pty.signal(*signal);
                pty.assert_ends(SOON, 128 + signal.as_raw());
                pty
            });
        },
    );
}

/// Rust aborts without a panic if there is no memory.
#[cfg(target_os = "linux")]
#[test]
fn a_failed_allocation_restores_the_terminal() {
    use rustix::process::{Resource, Rlimit, prlimit};
    in_time(|| {
        let mut pty = Setup::new([SLOSH, "dam", "--particles", "100"]).size(60, 18).answering().start();
        pty.wait_for_picture();
        let pages = fs::read_to_string(format!("/proc/{}/statm", pty.pid().as_raw_pid())).expect("a running program");
        let used = pages.split(' ').next().and_then(|pages| pages.parse::<u64>().ok()).expect("its size") << 12;
        let limit = Rlimit { current: Some(used + (1 << 20)), maximum: Some(used + (1 << 20)) };
        prlimit(Some(pty.pid()), Resource::As, limit).expect("a limit");
        // Its buffers need more than the limit. In the largest window the emulator itself would take too long to reply.
        pty.resize(400, 150);
        pty.assert_ends(SOON, 128 + Signal::ABORT.as_raw());
        assert!(pty.screen().contents().contains("memory allocation"), "{}", pty.screen().contents());
        pty
    });
}

/// If standard output is not a terminal, an error says so and nothing is drawn: to a file, to /dev/null, to a full
/// disk.
#[test]
fn whatever_draws_needs_a_terminal() {
    let cases: Vec<(Program, &str)> = programs()
        .iter()
        .flat_map(|program| [">&-", ">/dev/full", ">/dev/null", "| cat"].map(|to| (program.clone(), to)))
        .collect();
    all(
        &cases,
        |(program, to)| format!("{} {to}", program.name),
        |(program, to), _| {
            let args = program.args.join(" ").replace('@', "/nowhere/it");
            let script = format!("{SLOSH} {args} <{} {to}", program.stdin);
            let output = program::command("/bin/sh").args(["-c", &script]).finished();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.code() == Some(2) || *to == "| cat", "{:?}", output.status);
            assert_eq!(output.stdout, b"", "{said}");
            let refused = said.contains("standard output is not a terminal");
            assert!(refused && !said.contains('\x1b') && !said.contains("panicked"), "{said:?}");
        },
    );
}

/// Stopped by Ctrl-Z and continued by fg, in common shells.
#[test]
fn control_z_and_fg_in_real_shells() {
    let shells: [(&str, &[&str]); 2] =
        [("bash", &["bash", "--norc", "--noprofile", "-i"]), ("zsh", &["zsh", "-f", "-i"])];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_there = |shell: &str| std::env::split_paths(&path).any(|folder| folder.join(shell).is_file());
    let programs = programs();
    let mut cases = Vec::new();
    for (shell, argv) in shells {
        if is_there(shell) {
            // A screensaver ends at any key, including this one.
            cases.extend(programs.iter().filter(|program| program.name != "saver").map(|program| (argv, program)));
        } else {
            assert!(std::env::var_os("CI").is_none(), "{shell} is not installed");
            eprintln!("\n*** NOT TESTED: {shell} is not installed ***\n");
        }
    }
    let name = |(argv, program): &(&[&str], &Program)| format!("{} in {}", program.name, argv[0]);
    all(&cases, name, |(argv, program), number| {
        let own = folder(&format!("shell-{number}"));
        let own = own.to_str().expect("UTF-8");
        let mut setup = Setup::new(argv.iter().copied()).var("SLOSH", SLOSH).var("HOME", own).size(60, 18);
        setup = setup.var("XDG_RUNTIME_DIR", runtime());
        setup = if number % 2 == 0 { setup.answering() } else { setup };
        let mut pty = setup.start();
        let says = |what: &'static str| {
            move |pty: &Pty| !pty.screen().alternate_screen() && pty.screen().contents().contains(what)
        };
        // The sums are not in the typed commands, so they can only come from the shell.
        pty.send(b"PS1='> '; echo ready$((40+2))\r");
        assert!(pty.pump_until(SOON, says("ready42")), "{:?}", pty.tail());
        let args = program.args.join(" ").replace('@', &format!("{own}/it"));
        pty.send(format!("\"$SLOSH\" {args} <{}; echo ended$((40+3))\r", program.stdin).as_bytes());
        pty.wait_for_picture();
        let back = |pty: &Pty| !pty.screen().alternate_screen();
        // Input typed while replies are awaited is dropped with them, and on a busy machine that takes a while. So
        // everything is typed until it has its effect.
        let typed = |pty: &mut Pty, keys: &[u8], patience: Duration, effect: &dyn Fn(&Pty) -> bool| {
            let seen = (0..40).any(|_| {
                pty.send(keys);
                pty.pump_until(patience, effect)
            });
            assert!(seen, "{:?} has no effect: {:?}", String::from_utf8_lossy(keys), pty.tail());
        };
        typed(&mut pty, b"\x1a", Duration::from_secs(1), &back);
        typed(&mut pty, b"\x15clear; jobs; echo listed$((40+4))\r", Duration::from_secs(2), &says("listed44"));
        let listed = pty.screen().contents().to_lowercase();
        assert!(listed.contains("stopped") || listed.contains("suspended"), "{listed}");
        assert!(!listed.contains("^["), "{listed}");
        pty.send(b"fg; echo over$((40+5))\r");
        pty.wait_for_picture();
        typed(&mut pty, b"q", Duration::from_millis(250), &back);
        // Late keys are on the command line.
        let ended = (0..40).find_map(|_| {
            pty.send(b"\x15exit 7\r");
            pty.end(Duration::from_millis(500))
        });
        let status = ended.expect("the shell should have ended by now");
        assert_eq!(Pty::code(status), 7, "{:?}", pty.tail());
        assert!(!pty.screen().contents().contains("^["), "{}", pty.screen().contents());
    });
}

/// The minutes in which a program is stopped, or its machine suspended, are skipped.
#[test]
fn a_minute_of_suspension_is_skipped() {
    let scene = Scene::parse(scene::find("dam").expect("a scene"), "dam").expect("a scene");
    let window = Window { columns: 60, rows: 18, cell: [0, 0] };
    let text = "a page\n".to_owned();
    let plots = [
        DemoSpec::Clock { format: ClockFormat::default(), now: 0 },
        DemoSpec::Text("hi".to_owned()),
        DemoSpec::ScreenCapture { text, window, loops: true },
    ];
    let saver = SaverOptions { from_start: true, ..SaverOptions::default() };
    let toy = Options::new(scene, Vec::new());
    let mut all = vec![toy.clone(), Options { saver, ..toy }];
    all.extend(plots.map(|plot| {
        let act = plot.build().expect("an act");
        Options { demo: Some(act.clone()), ..Options::new(act.scene(), Vec::new()) }
    }));
    for options in all {
        let mut options = Options { window, ..options };
        options.simulation.particles = Some(100);
        let mut app = App::new(options);
        app.update(Action::Resize(window));
        // At four times the speed, a quarter of a second is 60 steps. It is the longest time that one frame stands for.
        let steps: Vec<u32> = [60, 60].map(|away| app.tick(Duration::from_secs(away), u32::MAX)).to_vec();
        assert!(steps.iter().all(|&steps| steps <= 15), "{steps:?} steps after a minute each");
    }
}
