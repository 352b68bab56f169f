//! What takes a scene with no terminal: render, probe and bench.

use crate::app::demo::Plot;
use crate::app::demo::wall_clock::TimeOfDay;
use crate::app::error::Failure;
use crate::app::headless::Tilt;
use crate::cli::demos;
use crate::cli::probe::{Piece, Section};
use crate::cli::render::Format;
use crate::cli::{KeepArgs, LookArgs, SceneArgs};
use crate::data::Setting;
use clap::Args;
use std::path::PathBuf;
use std::str::FromStr;

/// A scene that plays with no terminal.
#[derive(Clone, Debug, Args)]
pub struct StageArgs {
    #[command(flatten)]
    pub scene: SceneArgs,
    /// The window, in cells that are twice as high as wide
    #[arg(long, value_name = "WxH", default_value = "80x24")]
    pub size: Size,
    /// Turn gravity by so many degrees, from some second on; may be repeated
    #[arg(long, value_name = "DEG[@T]", allow_hyphen_values = true)]
    pub tilt: Vec<Tilt>,
    /// Do something at a second, such as 2 tilt 10deg or 3 gravity 0; may be repeated
    #[arg(long, value_names = ["T", "ACTION"], num_args = 1..=6, allow_negative_numbers = true)]
    pub at: Vec<String>,
    /// Instead of a scene, the clock from this time on, as 12:34, 12:34:50 or 9:34pm
    #[arg(long, value_name = "TIME", conflicts_with_all = ["text", "melt"])]
    pub clock: Option<TimeOfDay>,
    /// Instead of a scene, these words
    #[arg(long, value_name = "WORDS")]
    pub text: Option<String>,
    /// Instead of a scene, the text in this file with its colours; - reads standard input
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    pub melt: Option<PathBuf>,
}

impl StageArgs {
    /// What is played instead of a scene, if anything.
    pub fn plot(&self) -> Result<Option<Plot>, Failure> {
        demos::staged(self)
    }

    /// Whether anything is done on it.
    pub fn acts(&self) -> bool {
        !(self.tilt.is_empty() && self.at.is_empty())
    }
}

/// Draw frames of a scene with no terminal
///
/// Writes to standard output, or to files in the folder given by --out.
#[derive(Debug, Args)]
pub struct RenderArgs {
    #[command(flatten)]
    pub stage: StageArgs,
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
    pub keep: KeepArgs,
}

impl RenderArgs {
    /// What the flags say about pictures and files, as settings.
    pub fn settings(&self) -> Vec<Setting> {
        [self.look.settings(), self.keep.settings()].concat()
    }
}

/// Measure where the time goes
#[derive(Debug, Args)]
pub struct BenchArgs {
    #[command(flatten)]
    pub stage: StageArgs,
    #[command(flatten)]
    pub look: LookArgs,
    /// How near every glyph set comes to the ideal picture, at three sizes, and chafa where it is installed
    #[arg(long, help_heading = "Sections")]
    pub fidelity: bool,
    /// Bytes a frame by ratatui's encoder and by ours, of the same frames, at three sizes
    #[arg(long, help_heading = "Sections")]
    pub bytes: bool,
    /// Measure the solver alone: pools of 1k, 5k, 20k and 100k particles at rest, or of --particles
    #[arg(long, help_heading = "Sections")]
    pub solver: bool,
    /// Measure the scene alone: its steps, its frames and their bytes
    #[arg(long, help_heading = "Sections")]
    pub play: bool,
    /// The share of one core that the toy takes while its tank moves, at three sizes
    #[arg(long, help_heading = "Sections")]
    pub motion: bool,
    /// As JSON, for scripts
    #[arg(long)]
    pub json: bool,
    /// The solver's table for the README
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
}

/// Measure a scene over time and print it as CSV
#[derive(Debug, Args)]
pub struct ProbeArgs {
    #[command(flatten)]
    pub stage: StageArgs,
    /// Simulated seconds
    #[arg(long, value_name = "T", default_value = "10", value_parser = seconds, allow_negative_numbers = true)]
    pub seconds: f64,
    /// Simulated seconds from one row to the next
    #[arg(long, value_name = "DT", default_value = "0.1", value_parser = interval, allow_negative_numbers = true)]
    pub every: f64,
    /// Print velocities and pressures along a line at the end instead: x=0.5 is upright through the middle, y=0.5 level
    #[arg(long, value_name = "x=S|y=S")]
    pub line: Option<Section>,
    /// Measure what is in a piece of the tank too, given in shares of it; may be repeated
    #[arg(long, value_name = "LEFT,BOTTOM,RIGHT,TOP")]
    pub within: Vec<Piece>,
    /// Print where the nodes of the cloth are at the end instead
    #[arg(long, conflicts_with = "line")]
    pub nodes: bool,
}

fn seconds(text: &str) -> Result<f64, String> {
    let valid = text.parse().ok().filter(|seconds| (0.0..=36_000.0).contains(seconds));
    valid.ok_or_else(|| "must be seconds, from 0 to 36000".to_owned())
}

fn interval(text: &str) -> Result<f64, String> {
    let valid = text.parse().ok().filter(|seconds| (0.001..=36_000.0).contains(seconds));
    valid.ok_or_else(|| "must be seconds, from 0.001 to 36000".to_owned())
}

/// A window's size in cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub width: u16,
    pub height: u16,
}

impl Size {
    /// Width over height, of cells twice as high as wide.
    pub fn aspect(self) -> f32 {
        f32::from(self.width) / (2.0 * f32::from(self.height))
    }

    pub fn cells(self) -> usize {
        usize::from(self.width) * usize::from(self.height)
    }
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (width, height) = text.split_once(['x', 'X', '×']).unwrap_or((text, ""));
        let size = width.parse().ok().zip(height.parse().ok()).map(|(width, height)| Size { width, height });
        size.filter(|size| (1..=1000).contains(&size.width) && (1..=500).contains(&size.height))
            .ok_or_else(|| "must be COLUMNSxROWS, as 80x24, from 1x1 to 1000x500".to_owned())
    }
}
