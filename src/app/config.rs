//! The command line.

use super::capture::Format;
use super::failure::Failure;
use super::settings::Layer;
use super::stage::Tilt;
use super::{bench, capture, list, probe, scenes, toy};
use crate::data::Setting;
use crate::sim::scene::Scene;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use std::str::FromStr;

/// A tank of fluid in your terminal: tilt it with the arrow keys, push it with the mouse
#[derive(Debug, Parser)]
#[command(
    version,
    override_usage = "slosh [OPTIONS] [SCENE | FILE.toml]\n       slosh <COMMAND>",
    subcommand_precedence_over_arg = true,
    max_term_width = 100
)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    toy: ToyArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Name the scenes, palettes, glyph modes and drives
    List,
    Render(RenderArgs),
    Probe(ProbeArgs),
    Bench(BenchArgs),
}

/// What the toy itself takes.
#[derive(Debug, Default, PartialEq, Args)]
pub struct ToyArgs {
    #[command(flatten)]
    pub scene: SceneArgs,
    #[command(flatten)]
    pub look: Layer,
    /// Frames a second, at most
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=240), allow_negative_numbers = true)]
    pub fps: Option<u32>,
}

/// Which scene, and how it is set up.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct SceneArgs {
    /// A scene by name (`slosh list` names them), or a file such as my-scene.toml [default: dam]
    scene: Option<String>,
    /// How many particles the liquid is made of: more make it finer
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    particles: Option<String>,
    /// Where chance begins: the same seed gives the same frames
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// Change any key of the scene, as in gravity=1.6, stiffness=8 or tank.area=1; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl SceneArgs {
    /// Reads the scene with what the flags say laid over it.
    pub fn load(&self) -> Result<Scene, Failure> {
        self.load_as(self.scene.as_deref().unwrap_or(scenes::DEFAULT))
    }

    /// Whether it is to have another number of particles than the scene's own.
    pub fn particles_given(&self) -> bool {
        self.particles.is_some()
    }

    /// Reads another scene with what the flags say laid over it.
    pub fn load_as(&self, name: &str) -> Result<Scene, Failure> {
        let mut settings = Vec::new();
        for text in &self.set {
            settings.push(Setting::parse(text, "--set")?);
        }
        if let Some(particles) = &self.particles {
            settings.push(Setting::of_flag("particles", particles, "--particles"));
        }
        scenes::load(name, &settings)
    }
}

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
}

/// Draw frames of a scene with no terminal
///
/// Writes to standard output, or to files in the folder given by --out.
#[derive(Debug, Args)]
pub struct RenderArgs {
    #[command(flatten)]
    pub stage: StageArgs,
    #[command(flatten)]
    pub look: Layer,
    /// Simulated seconds until the last frame
    #[arg(long, value_name = "T", default_value = "2", value_parser = seconds, allow_negative_numbers = true)]
    pub seconds: f64,
    /// Frames, evenly spaced up to the last
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=100_000), allow_negative_numbers = true)]
    pub frames: u32,
    /// What frames are written as [default: ansi, or png with --out]
    #[arg(long, value_name = "F")]
    pub format: Option<Format>,
    /// The picture that the cells try to be, at 8x16 pixels a cell; needs --format png or ppm
    #[arg(long)]
    pub ideal: bool,
    /// Write frame-0001.png and so on into this folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// Measure where the time goes
#[derive(Debug, Args)]
pub struct BenchArgs {
    #[command(flatten)]
    pub stage: StageArgs,
    #[command(flatten)]
    pub look: Layer,
    /// How near every glyph set comes to the ideal picture, at three sizes, and chafa where it is installed
    #[arg(long, help_heading = "Sections")]
    pub fidelity: bool,
    /// Measure the solver alone: pools of 1k, 5k, 20k and 100k particles at rest, or of --particles
    #[arg(long, help_heading = "Sections")]
    pub solver: bool,
    /// Measure the scene alone: its steps, its frames and their bytes
    #[arg(long, help_heading = "Sections")]
    pub play: bool,
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

impl Cli {
    /// Does what the command line says.
    pub fn run(self) -> Result<(), Failure> {
        if self.command.is_some() && self.toy != ToyArgs::default() {
            let message = "the scene and its flags go after the subcommand, as in `slosh probe dam --seed 3`";
            return Err(Failure::Input(message.to_owned()));
        }
        match self.command {
            Some(Command::List) => list::run(),
            Some(Command::Render(args)) => capture::run(&args),
            Some(Command::Bench(args)) => bench::run(&args),
            Some(Command::Probe(args)) => probe::run(&args),
            None => toy::play(&self.toy),
        }
    }
}
