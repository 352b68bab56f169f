//! `slosh play`: a share code or a recording.

use crate::app::error::Failure;
use crate::app::replay;
use crate::app::share_code::Recipe;
use crate::cli::args::toy::ToyArgs;
use crate::cli::launch;
use clap::Args;
use std::path::Path;

/// Play what a share code holds, which y in the toy copies; or again what --record FILE.slosh recorded
#[derive(Debug, Args)]
pub struct PlayArgs {
    /// Such as slosh1-R3VkYW0KMTIKd2F0ZXIKZGVuc2l0eQ, or a file that ends in .slosh
    #[arg(value_name = "CODE|FILE")]
    pub code: String,
}

/// Plays it in this terminal.
///
/// # Errors
/// If the code or the recording is not as it must be.
pub fn run(args: &PlayArgs) -> Result<(), Failure> {
    let path = Path::new(&args.code);
    if replay::is_one(path) {
        return launch::play_recording(path);
    }
    let code = Recipe::of(&args.code).map_err(|message| Failure::Input(format!("{}: {message}", args.code)))?;
    launch::play(&ToyArgs::from_share_code(code), false)
}
