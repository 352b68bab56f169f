//! `slosh wait-idle`: waits until a terminal has had no input for a while, then signals its shell.

use crate::app::error::Error;
use clap::Args;
use rustix::process::{Pid, Signal, getppid, kill_process, test_kill_process};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Signal a shell once its terminal has had no input for a while: for `slosh init`
#[derive(Debug, Args)]
pub struct WaitArgs {
    #[arg(long)]
    pub seconds: u32,
    /// The process that gets SIGALRM
    #[arg(long)]
    pub signal: i32,
    /// The terminal it reads
    #[arg(long)]
    pub tty: PathBuf,
}

/// Interval of the checks whether the shell still exists.
const CHECK_INTERVAL: Duration = Duration::from_secs(30);

/// Sends SIGALRM to the shell once its terminal has not been read for so many seconds.
pub fn run(args: &WaitArgs) -> Result<(), Error> {
    let shell = Pid::from_raw(args.signal).ok_or_else(|| Error::Input("--signal: must not be 0".to_owned()))?;
    let began = SystemTime::now();
    let limit = Duration::from_secs(args.seconds.into());
    loop {
        let since = began.max(last_read(&args.tty).unwrap_or(began));
        let left = limit.saturating_sub(since.elapsed().unwrap_or_default());
        if left.is_zero() {
            return kill_process(shell, Signal::ALARM).map_err(|error| Error::Run(error.to_string()));
        }
        std::thread::sleep(left.min(CHECK_INTERVAL));
        if test_kill_process(shell).is_err() || getppid().is_none() {
            return Ok(());
        }
    }
}

/// Time of the last input: when the terminal was last read.
fn last_read(tty: &Path) -> Option<SystemTime> {
    let seconds = std::fs::metadata(tty).ok()?.atime();
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds.try_into().ok()?))
}
