//! Options for writing files.

use crate::cli::args::setting_flags::SettingFlags;
use crate::cli::settings::table::group;
use crate::data::Setting;
use clap::Args;

/// Options for writing files.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct OutputArgs {
    /// Overwrite existing files
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    flags: SettingFlags<{ group::FILES }>,
}

impl OutputArgs {
    pub fn settings(&self) -> Vec<Setting> {
        self.flags.settings()
    }
}
