use crate::cli::args::PlayFlags;
use crate::cli::args::scene::SceneArgs;
use crate::cli::args::setting_flags::SettingFlags;
use crate::cli::settings::table::group;
use crate::data::Setting;
use crate::scene::share_code::ShareCode;
use clap::Args;
use std::path::PathBuf;

/// Arguments of the toy.
#[derive(Debug, Default, PartialEq, Args)]
pub struct ToyArgs {
    #[command(flatten)]
    pub scene: SceneArgs,
    #[command(flatten)]
    pub show: ShowArgs,
    /// Start the screensaver, as `slosh saver` does
    #[arg(long, help_heading = "Screensaver")]
    pub screensaver: bool,
    #[command(flatten)]
    saver: SettingFlags<{ group::SAVER }>,
}

impl ToyArgs {
    pub fn from_share_code(code: ShareCode) -> Self {
        let mut args = Self::default();
        args.scene.flags.set("scene", code.scene);
        args.scene.flags.set("seed", code.seed.to_string());
        // The keys of the code include the particle count, so this user's setting must not override it.
        args.scene.flags.set("particles", "auto");
        args.scene.set = code.set;
        args.show.flags.set("palette", code.palette);
        args.show.flags.set("color-by", code.color_by);
        args
    }

    pub fn settings(&self) -> Vec<Setting> {
        [self.scene.flags.settings(), self.show.flags.settings(), self.saver.settings()].concat()
    }
}

/// Arguments of all commands that play in this terminal.
#[derive(Debug, Default, PartialEq, Args)]
pub struct ShowArgs {
    #[command(flatten)]
    pub flags: PlayFlags,
    /// Record to a file that ends in .cast, .gif, .png, .apng or .slosh; R stops, and starts another
    #[arg(short, long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    /// Overwrite existing files
    #[arg(long)]
    pub force: bool,
    /// Only draw: send no queries and switch on no modes. For programs that do not pass on the terminal's replies, such
    /// as GNU screen's blanker
    #[arg(long)]
    pub output_only: bool,
}
