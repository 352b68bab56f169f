//! What the toy takes, and how whatever is played is shown.

use crate::app::share_code::Recipe;
use crate::cli::args::output::{flag, switched};
use crate::cli::args::value_parsers::{DISMISSALS, Named};
use crate::cli::{KeepArgs, LookArgs, SceneArgs};
use crate::data::Setting;
use clap::Args;
use std::path::PathBuf;

/// What the toy itself takes.
#[derive(Debug, Default, PartialEq, Args)]
pub struct ToyArgs {
    #[command(flatten)]
    pub scene: SceneArgs,
    #[command(flatten)]
    pub show: ShowArgs,
    /// Play the screensaver, as `slosh saver` does
    #[arg(long, help_heading = "Screensaver")]
    pub(in crate::cli) screensaver: bool,
    /// Let the screensaver play once nobody has touched anything for so many seconds, until somebody does
    #[arg(long, value_name = "SECONDS", help_heading = "Screensaver", allow_negative_numbers = true)]
    idle: Option<String>,
    /// What ends the screensaver: key, key+mouse, focus or none
    #[arg(long, value_name = "BY", help_heading = "Screensaver", value_parser = Named(DISMISSALS), hide_possible_values = true)]
    dismiss: Option<String>,
    /// Reduced motion
    #[arg(long, help_heading = "Screensaver")]
    calm: bool,
}

impl ToyArgs {
    /// A toy with this scene and these looks, and all else as it is usual.
    pub fn of(scene: SceneArgs, look: LookArgs) -> Self {
        Self { scene, show: ShowArgs { look, ..ShowArgs::default() }, ..Self::default() }
    }

    /// What a share code stands for, in place of what these flags say.
    pub(in crate::cli) fn following(mut self, recipe: Recipe) -> Self {
        self.scene.scene = Some(recipe.scene);
        self.scene.seed = Some(recipe.seed.to_string());
        // What was set stands in the code with the number of particles, over whatever this user has in his file.
        self.scene.particles = Some("auto".to_owned());
        self.scene.set = recipe.set;
        self.show.look.palette = Some(recipe.palette);
        self.show.look.drive = Some(recipe.drive);
        self
    }

    /// What the flags say, as settings.
    pub fn settings(&self) -> Vec<Setting> {
        let mut settings = self.scene.settings();
        settings.extend(self.show.settings());
        settings.extend(flag("idle", self.idle.as_ref()));
        settings.extend(flag("dismiss", self.dismiss.as_ref()));
        settings.extend(switched(self.calm, "calm", "true", "--calm"));
        settings
    }
}

/// How whatever is played is shown in this terminal.
#[derive(Debug, Default, PartialEq, Args)]
pub struct ShowArgs {
    #[command(flatten)]
    pub look: LookArgs,
    /// Frames a second, at most; half as many on battery (Linux)
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    fps: Option<String>,
    /// Record into a file that ends in .cast, .gif, .png, .apng or .slosh; R stops, and starts another
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,
    #[command(flatten)]
    pub keep: KeepArgs,
    /// Leave the mouse to the terminal
    #[arg(long)]
    no_mouse: bool,
    /// Only draw: ask the terminal nothing, and switch nothing on in it. For programs that keep what it says to
    /// themselves, as GNU screen's blanker does
    #[arg(long)]
    pub output_only: bool,
    /// Bytes a second that are sent, at most, as 20K or 1.5M; auto is what the link takes
    #[arg(long, value_name = "RATE", allow_negative_numbers = true)]
    bandwidth: Option<String>,
}

impl ShowArgs {
    pub(in crate::cli) fn settings(&self) -> Vec<Setting> {
        let mut settings = [self.look.settings(), self.keep.settings()].concat();
        settings.extend(flag("fps", self.fps.as_ref()));
        settings.extend(switched(self.no_mouse, "mouse", "false", "--no-mouse"));
        settings.extend(flag("bandwidth", self.bandwidth.as_ref()));
        settings
    }
}
