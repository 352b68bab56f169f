//! How files are written; and flags as settings.

use crate::cli::args::value_parsers::{CASTS, Named};
use crate::data::Setting;
use clap::Args;

/// How files are written.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct KeepArgs {
    /// Overwrite what is there
    #[arg(long)]
    pub force: bool,
    /// What a .cast is written in: asciicast v2, which every player reads, or v3, from asciinema 3 on
    #[arg(long, value_name = "V", value_parser = Named(CASTS), hide_possible_values = true)]
    cast: Option<String>,
}

impl KeepArgs {
    /// What is said, as settings.
    pub fn settings(&self) -> Vec<Setting> {
        flag("cast", self.cast.as_ref()).into_iter().collect()
    }
}

/// What the flag of that name says, if it was given.
pub fn flag(key: &str, value: Option<&String>) -> Option<Setting> {
    value.map(|value| Setting::of_flag(key, value, &format!("--{key}")))
}

/// What a flag without a value says, if it was given.
pub fn switched(on: bool, key: &str, value: &str, flag: &str) -> Option<Setting> {
    on.then(|| Setting::of_origin(key, value, flag))
}
