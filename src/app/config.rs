//! The command line.

use super::failure::Failure;
use super::stage::Tilt;
use super::{probe, scenes};
use crate::data::Setting;
use crate::sim::scene::Scene;
use clap::{Args, Parser, Subcommand};
use std::str::FromStr;

/// A tank of fluid in your terminal: tilt it with the arrow keys, push it with the mouse
#[derive(Debug, Parser)]
#[command(version, subcommand_precedence_over_arg = true, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    toy: ToyArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    Probe(ProbeArgs),
}

/// What the toy itself takes.
#[derive(Debug, Default, PartialEq, Args)]
pub struct ToyArgs {
    #[command(flatten)]
    pub scene: SceneArgs,
}

/// Which scene, and how it is set up.
#[derive(Debug, Default, PartialEq, Args)]
pub struct SceneArgs {
    /// A scene by name (`slosh list` names them), or a file such as my-scene.toml [default: dam]
    scene: Option<String>,
    /// How many particles the liquid is made of: more make it finer
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    particles: Option<String>,
    /// Where chance begins: the same seed gives the same frames
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// Change any key of the scene, as in gravity=1.6, stiffness=8 or tank.area=1; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl SceneArgs {
    /// Reads the scene with what the flags say laid over it.
    pub fn load(&self) -> Result<Scene, Failure> {
        let mut settings = Vec::new();
        for text in &self.set {
            settings.push(Setting::parse(text, "--set")?);
        }
        if let Some(particles) = &self.particles {
            settings.push(Setting::of_flag("particles", particles, "--particles"));
        }
        scenes::load(self.scene.as_deref().unwrap_or(scenes::DEFAULT), &settings)
    }
}

/// A scene that plays with no terminal.
#[derive(Debug, Args)]
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

/// Measure a scene over time and print it as CSV
#[derive(Debug, Args)]
pub struct ProbeArgs {
    #[command(flatten)]
    pub stage: StageArgs,
    /// Simulated seconds
    #[arg(long, value_name = "T", default_value = "10", value_parser = seconds)]
    pub seconds: f64,
    /// Simulated seconds from one row to the next
    #[arg(long, value_name = "DT", default_value = "0.1", value_parser = interval)]
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
            Some(Command::Probe(args)) => probe::run(&args),
            None => Err(Failure::Run("no toy yet".to_owned())),
        }
    }
}
