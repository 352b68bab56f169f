use crate::app::error::Error;
use crate::app::{files, record};
use crate::cli::args::scene_lookup;
use crate::cli::args::toy::ToyArgs;
use crate::cli::launch;
use crate::scene::share_code::ShareCode;
use clap::{Args, ValueHint};
use std::path::Path;

/// Play a share code (y in the toy copies one), or a recording: FILE.slosh, or FILE.cast of slosh or asciinema
#[derive(Debug, Args)]
pub struct PlayArgs {
    /// A code such as slosh1-R3VkYW0KMTIKd2F0ZXIKZGVuc2l0eQ, or a file that ends in .slosh or .cast
    #[arg(value_name = "CODE|FILE", value_hint = ValueHint::FilePath)]
    pub code: String,
}

pub fn run(args: &PlayArgs) -> Result<(), Error> {
    let path = Path::new(&args.code);
    if let Some(format) = record::Format::of(path) {
        if format.player == record::PLAYER {
            return launch::play_recording(path);
        }
        files::open(path).map_err(|error| Error::Input(format!("{}: {error}", path.display())))?;
        let (path, player) = (path.display(), format.player);
        return Err(Error::Input(format!(
            "{path} holds frames, which are played with {player}; slosh plays .slosh and .cast"
        )));
    }
    let code = ShareCode::parse(&args.code).map_err(|message| {
        let code = &args.code;
        let is_scene = !code.contains("slosh1-") && !scene_lookup::is_unknown(code);
        let advice = if is_scene { format!("; the scene is `slosh {code}`") } else { String::new() };
        Error::Input(format!("{code}: {message}{advice}"))
    })?;
    launch::play(&ToyArgs::from_share_code(code), false)
}
