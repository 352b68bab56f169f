//! Which scene, and how it is set up.

use crate::app::error::Failure;
use crate::app::replay;
use crate::cli::args::obstacle_file::ObstacleFile;
use crate::cli::args::output::flag;
use crate::cli::args::scene_lookup;
use crate::cli::args::value_parsers::{Named, SCENES};
use crate::cli::settings::Settings;
use crate::data::Setting;
use crate::scene::Scene;
use clap::Args;
use std::path::Path;

/// Which scene, and how it is set up.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct SceneArgs {
    /// A scene by name (`slosh list` names them), or a file such as my-scene.toml [default: dam]
    #[arg(value_parser = Named(SCENES), hide_possible_values = true)]
    pub(in crate::cli) scene: Option<String>,
    /// How many particles the liquid is made of: more make it finer; auto, as many as the machine can [default: auto in
    /// the toy, else the scene's own]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub(in crate::cli) particles: Option<String>,
    /// Where chance begins: the same seed gives the same frames
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    pub(in crate::cli) seed: Option<String>,
    /// How many threads share the simulation, or auto for as many as there are free cores; all give the same frames
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    threads: Option<String>,
    /// Change any key of the scene, as in gravity=1.6, stiffness=8 or tank.area=1; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub(in crate::cli) set: Vec<String>,
    /// Solid walls in the tank, drawn in a text file: whatever is not blank is solid; - reads standard input
    #[arg(long, value_name = "FILE", value_parser = ObstacleFile::read)]
    obstacles: Option<ObstacleFile>,
}

impl SceneArgs {
    /// What the flags say, as settings.
    pub fn settings(&self) -> Vec<Setting> {
        let scene = self.scene.as_ref().map(|scene| Setting::of_text("scene", scene, "the command line"));
        let flags = [("particles", &self.particles), ("seed", &self.seed), ("threads", &self.threads)]
            .map(|(key, value)| flag(key, value.as_ref()));
        scene.into_iter().chain(flags.into_iter().flatten()).collect()
    }

    /// The recording of slosh's own that is named in the place of a scene.
    pub fn replay(&self) -> Option<&Path> {
        self.scene.as_deref().map(Path::new).filter(|path| replay::is_one(path))
    }

    /// Whether it is to have another number of particles than the scene's own.
    pub fn particles_given(&self) -> bool {
        self.particles.is_some()
    }

    /// Whether it is to have as many as suit the machine.
    pub fn particles_auto(&self) -> bool {
        self.particles.as_deref() == Some("auto")
    }

    /// Reads the scene that is in force, with what is set laid over it.
    pub fn load(&self, settings: &Settings) -> Result<Scene, Failure> {
        self.load_as(&settings.scene, settings).map_err(|failure| match failure {
            Failure::Input(message) if self.scene.is_none() => {
                Failure::Input(format!("{}: {message}", settings.scene_origin))
            }
            failure => failure,
        })
    }

    /// All that is laid over the scene, as texts.
    pub fn set_with(&self, settings: &Settings) -> Vec<String> {
        self.set.iter().cloned().chain(settings.particles.as_ref().map(Setting::to_text)).collect()
    }

    /// Reads another scene with what is set laid over it.
    pub fn load_as(&self, name: &str, settings: &Settings) -> Result<Scene, Failure> {
        let mut over = Vec::new();
        for text in &self.set {
            over.push(Setting::parse(text, "--set")?);
        }
        over.extend(settings.particles.clone());
        let scene = scene_lookup::load(name, &over)?;
        self.obstacles.as_ref().map_or(Ok(scene.clone()), |drawing| drawing.lay_in(scene))
    }
}
