use crate::app::error::Error;
use clap::Args;
use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Signal a shell after its terminal has had no input for a while; used by `slosh init`
#[derive(Debug, Args)]
pub struct WaitArgs {
    #[arg(long)]
    pub seconds: u32,
    /// Process that gets SIGALRM
    #[arg(long)]
    pub signal: i32,
    /// Terminal of the shell
    #[arg(long)]
    pub tty: PathBuf,
}

const CHECK_INTERVAL: Duration = Duration::from_secs(30);

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
        if test_kill_process(shell).is_err() {
            return Ok(());
        }
    }
}

fn last_read(tty: &Path) -> Option<SystemTime> {
    let seconds = std::fs::metadata(tty).ok()?.atime();
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds.try_into().ok()?))
}
