//! The program under test, and the programs around it: none sees the environment of whoever runs the tests, and none is
//! waited for without a limit.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

pub const SLOSH: &str = env!("CARGO_BIN_EXE_slosh");

/// Upper limit on the time of what happens at once, on a machine that is busy with other tests.
pub const SOON: Duration = Duration::from_secs(20);

/// Upper limit on the time of a whole program.
const LIMIT: Duration = Duration::from_secs(240);

/// The variables that programs inherit. Everything else could change what they do: settings, a multiplexer around the
/// tests, a locale, colours.
const INHERITED: &[&str] =
    &["PATH", "USER", "LOGNAME", "TMPDIR", "LD_LIBRARY_PATH", "LLVM_PROFILE_FILE", "SystemRoot", "TEMP"];

/// A folder of the test's own, empty.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// A program in the environment of the tests: no settings, a home that is empty, UTF-8, and the signals of keys in force.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    #[cfg(unix)]
    restore_signals();
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("home");
    fs::create_dir_all(&home).expect("a folder");
    let mut command = Command::new(program);
    command.env_clear();
    command.envs(INHERITED.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
    command.env("HOME", &home).env("XDG_CONFIG_HOME", home.join("no-settings"));
    command.env("LANG", "C.UTF-8").env("TERM", "xterm-256color");
    command
}

/// The program under test.
pub fn slosh() -> Command {
    command(SLOSH)
}

/// Gives the signals of keys their usual effect in programs started from now on, if whoever started the tests ignores
/// them, as `nohup` and a shell's `&` do: a signal with a handler is reset when a program starts, an ignored one is not.
#[cfg(unix)]
pub fn restore_signals() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTSTP};
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
        let ignored = |signal: &i32| mask.unwrap_or(0) >> (signal - 1) & 1 == 1;
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTSTP].into_iter().filter(ignored) {
            signal_hook::flag::register(signal, Default::default()).expect("a handler");
        }
    });
}

/// Waits for the end of a program, which is killed after a time limit.
pub fn finish(child: Child) -> Output {
    let (ended, end) = channel::<()>();
    let number = child.id();
    std::thread::spawn(move || {
        if end.recv_timeout(LIMIT) == Err(RecvTimeoutError::Timeout) {
            eprintln!("process {number} does not end");
            #[cfg(unix)]
            let _ = rustix::process::Pid::from_raw(number as i32)
                .map(|pid| rustix::process::kill_process(pid, rustix::process::Signal::KILL));
        }
    });
    let output = child.wait_with_output().expect("its output");
    drop(ended);
    output
}

/// Waits for the end of a program without its output, within the same limit.
#[cfg(unix)]
pub fn wait(child: &mut Child) -> ExitStatus {
    let end = Instant::now() + LIMIT;
    while Instant::now() < end {
        if let Some(status) = child.try_wait().expect("our child") {
            return status;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    panic!("process {} does not end", child.id());
}

/// Runs a program to its end, within a time limit.
pub trait Finished {
    fn finished(&mut self) -> Output;
}

impl Finished for Command {
    fn finished(&mut self) -> Output {
        finish(self.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts"))
    }
}

/// Whether a program is installed. If CI is set, it must be.
pub fn is_installed(program: &str, package: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    if !found {
        let message = format!("{program} is not installed (Debian: apt-get install {package})");
        assert!(std::env::var_os("CI").is_none(), "{message}");
        eprintln!("\n*** NOT TESTED: {message} ***\n");
    }
    found
}
