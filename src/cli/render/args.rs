use crate::app::error::Error;
use crate::cli::args::LookArgs;
use crate::cli::args::headless::{HeadlessArgs, seconds};
use crate::cli::render::format::Format;
use clap::Args;
use std::path::{Path, PathBuf};

/// Default frame rate of a recording, frames per second: one that players and browsers can show.
pub const RECORDING_FPS: f64 = 25.0;

/// Draw frames of a scene without a terminal
///
/// Writes to standard output, or to files in the folder given by --out.
#[derive(Args)]
pub struct RenderArgs {
    #[command(flatten)]
    pub headless: HeadlessArgs,
    #[command(flatten)]
    pub look: LookArgs,
    /// Simulated seconds until the last frame [default: 2]
    #[arg(long, value_name = "T", value_parser = seconds(0.0), allow_negative_numbers = true)]
    seconds: Option<f64>,
    /// Number of frames, evenly spaced up to the last [default: 1, or 25 a second for a recording]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), allow_negative_numbers = true)]
    pub frames: Option<u32>,
    /// Format of the frames [default: ansi, or png with --out]
    #[arg(long, value_name = "F")]
    pub format: Option<Format>,
    /// Draw the ideal picture that the cells approximate, at 8x16 pixels per cell; needs --format png, or
    /// --out with a folder or a single .png
    #[arg(long)]
    pub ideal: bool,
    /// Write frame-0001.png and so on into this folder; or a recording, if it ends in .cast, .gif, .png, .apng or
    /// .slosh; - is standard output
    #[arg(short, long, value_name = "DIR|FILE", visible_alias = "record")]
    out: Option<PathBuf>,
    /// Overwrite existing files
    #[arg(long)]
    pub force: bool,
}

impl RenderArgs {
    pub fn out(&self) -> Option<&Path> {
        self.out.as_deref().filter(|path| *path != Path::new("-"))
    }

    pub fn seconds(&self) -> f64 {
        self.seconds.unwrap_or(2.0)
    }

    pub fn recording_frames(&self) -> u32 {
        (self.seconds() * RECORDING_FPS).round().max(1.0) as u32
    }

    pub fn refuse_recorded(&self, from: &Path) -> Result<(), Error> {
        let headless = &self.headless;
        let given = [
            ("size", headless.size.is_some()),
            ("seconds", self.seconds.is_some()),
            ("tilt", !headless.tilt.is_empty()),
            ("at", !headless.at.is_empty()),
            ("ideal", self.ideal),
        ];
        let here = given.into_iter().find_map(|(flag, given)| given.then_some(flag)).or(headless.demo_flag());
        let given = headless.scene.recorded_flag().or(here).or(self.look.names().next());
        let Some(flag) = given else { return Ok(()) };
        Err(Error::Input(format!(
            "--{flag} cannot change the recording {}: leave it out; --threads, --frames, --format, --out and \
             --force are possible",
            from.display()
        )))
    }

    pub fn refuse_format(&self, path: &Path) -> Result<(), Error> {
        if self.ideal || self.format.is_some() {
            let path = path.display();
            return Err(Error::Input(format!("{path} has the ending of a recording: leave --format and --ideal out")));
        }
        Ok(())
    }
}
