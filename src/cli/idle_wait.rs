//! `slosh wait-idle`: waits until nobody has typed for a while, then wakes the shell that asked.

use crate::app::error::Failure;
use clap::Args;
use rustix::process::{Pid, Signal, getppid, kill_process, test_kill_process};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Wake a shell once nobody has typed for a while: for `slosh init`
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

/// How often to look whether the shell is still there.
const LOOK: Duration = Duration::from_secs(30);

/// Sends SIGALRM to the shell once its terminal has not been read for so many seconds.
pub fn run(args: &WaitArgs) -> Result<(), Failure> {
    let shell = Pid::from_raw(args.signal).ok_or_else(|| Failure::Input("--signal: no process is 0".to_owned()))?;
    let began = SystemTime::now();
    let limit = Duration::from_secs(args.seconds.into());
    loop {
        let since = began.max(last_read(&args.tty).unwrap_or(began));
        let left = limit.saturating_sub(since.elapsed().unwrap_or_default());
        if left.is_zero() {
            return kill_process(shell, Signal::ALARM).map_err(|error| Failure::Run(error.to_string()));
        }
        std::thread::sleep(left.min(LOOK));
        if test_kill_process(shell).is_err() || getppid().is_none() {
            return Ok(());
        }
    }
}

/// When somebody last typed: when the terminal was last read.
fn last_read(tty: &Path) -> Option<SystemTime> {
    let seconds = std::fs::metadata(tty).ok()?.atime();
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds.try_into().ok()?))
}
