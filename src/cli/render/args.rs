//! The arguments of `slosh render`.

use crate::app::error::Failure;
use crate::cli::args::LookArgs;
use crate::cli::args::headless::{HeadlessArgs, seconds};
use crate::cli::args::output::OutputArgs;
use crate::cli::render::format::Format;
use crate::data::Setting;
use clap::Args;
use std::path::{Path, PathBuf};

/// Frames a second of a recording, unless their number is given: what players and browsers keep up with.
pub const RECORDING_FPS: f64 = 25.0;

/// Draw frames of a scene with no terminal
///
/// Writes to standard output, or to files in the folder given by --out.
#[derive(Debug, Args)]
pub struct RenderArgs {
    #[command(flatten)]
    pub headless: HeadlessArgs,
    #[command(flatten)]
    pub look: LookArgs,
    /// Simulated seconds until the last frame
    #[arg(long, value_name = "T", default_value = "2", value_parser = seconds, allow_negative_numbers = true)]
    pub seconds: f64,
    /// Frames, evenly spaced up to the last [default: 1, or 25 a second for a recording]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), allow_negative_numbers = true)]
    pub frames: Option<u32>,
    /// What frames are written as [default: ansi, or png with --out]
    #[arg(long, value_name = "F")]
    pub format: Option<Format>,
    /// The picture that the cells try to be, at 8x16 pixels a cell; needs --format png or ppm
    #[arg(long)]
    pub ideal: bool,
    /// Write frame-0001.png and so on into this folder; or a recording, where it ends in .cast, .gif, .png,
    /// .apng or .slosh
    #[arg(long, value_name = "DIR|FILE", visible_alias = "record")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub keep: OutputArgs,
}

impl RenderArgs {
    /// What the flags say about pictures and files, as settings.
    pub fn settings(&self) -> Vec<Setting> {
        [self.look.settings(), self.keep.settings()].concat()
    }

    /// Refuses a format of single frames where a recording is written to `path`.
    ///
    /// # Errors
    /// If one is given.
    pub fn refuse_format(&self, path: &Path) -> Result<(), Failure> {
        if self.ideal || self.format.is_some() {
            return Err(Failure::Input(format!("{} is a recording by its ending: leave --format out", path.display())));
        }
        Ok(())
    }
}
