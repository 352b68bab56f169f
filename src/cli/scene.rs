use crate::app::error::Error;
use crate::app::files;
use crate::cli::args::{scene_lookup, suggestions};
use crate::cli::own_scenes;
use crate::scene;
use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use std::ffi::OsStr;
use std::io::{self, Write};

/// Print a scene's file to start from, as in slosh scene dam > mine.toml
///
/// A file in the folder `scenes` beside the settings file is a scene of your own: slosh finds it by its name, and slosh
/// list and the picker (/) show it.
#[derive(Debug, Args)]
pub struct SceneFileArgs {
    /// Name of a scene from slosh list
    #[arg(add = ArgValueCompleter::new(names))]
    name: String,
}

fn names(typed: &OsStr) -> Vec<clap_complete::CompletionCandidate> {
    suggestions::values("scenes", || scene::names().to_vec(), typed)
}

pub fn run(args: &SceneFileArgs) -> Result<(), Error> {
    let text = match own_scenes::find(&args.name) {
        Some(own) => files::text(&own.path, "scene")?,
        None => scene::find(&args.name).ok_or_else(|| scene_lookup::unknown(&args.name))?.to_owned(),
    };
    Ok(io::stdout().lock().write_all(text.as_bytes())?)
}
