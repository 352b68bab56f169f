//! `slosh play`: plays a share code or a recording.

use crate::app::error::Error;
use crate::app::replay;
use crate::cli::args::toy::ToyArgs;
use crate::cli::launch;
use crate::scene::share_code::ShareCode;
use clap::Args;
use std::path::Path;

/// Play a share code (y in the toy copies one), or a recording made with --record FILE.slosh
#[derive(Debug, Args)]
pub struct PlayArgs {
    /// A code such as slosh1-R3VkYW0KMTIKd2F0ZXIKZGVuc2l0eQ, or a file that ends in .slosh
    #[arg(value_name = "CODE|FILE")]
    pub code: String,
}

/// Plays it in this terminal.
///
/// # Errors
/// If the code or the recording is invalid.
pub fn run(args: &PlayArgs) -> Result<(), Error> {
    let path = Path::new(&args.code);
    if replay::is_recording(path) {
        return launch::play_recording(path);
    }
    let code = ShareCode::parse(&args.code).map_err(|message| Error::Input(format!("{}: {message}", args.code)))?;
    launch::play(&ToyArgs::from_share_code(code), false)
}
