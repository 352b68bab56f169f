use crate::app::error::Error;
use crate::app::record::is_input_log;
use crate::cli::args::obstacle_file::ObstacleFile;
use crate::cli::args::setting_flags::SettingFlags;
use crate::cli::args::{scene_lookup, texture};
use crate::cli::settings::Settings;
use crate::cli::settings::table::group;
use crate::data::Setting;
use crate::scene::Scene;
use clap::{Args, ValueHint};
use std::path::{Path, PathBuf};

/// The scene and its parameters.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct SceneArgs {
    #[command(flatten)]
    pub flags: SettingFlags<{ group::SCENE | group::SIMULATION }>,
    /// Set any key of the scene, as in gravity=1.6, stiffness=8 or tank.area=1; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Add solid walls from a text file: every character that is not blank is solid; - reads standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, value_parser = ObstacleFile::read)]
    obstacles: Option<ObstacleFile>,
    /// Put a picture on the scene's cloth: a PNG file, or text with ANSI colors
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, hide_short_help = true)]
    texture: Option<PathBuf>,
}

impl SceneArgs {
    pub fn replay(&self) -> Option<&Path> {
        self.flags.value("scene").map(Path::new).filter(|path| is_input_log(path))
    }

    /// Returns the first flag for a value that a `.slosh` recording contains itself. The number of threads is no such value.
    pub fn recorded_flag(&self) -> Option<&'static str> {
        let setting = self.flags.names().find(|name| !["scene", "threads"].contains(name));
        let other = [
            ("set", !self.set.is_empty()),
            ("obstacles", self.obstacles.is_some()),
            ("texture", self.texture.is_some()),
        ];
        setting.or(other.into_iter().find_map(|(flag, given)| given.then_some(flag)))
    }

    pub fn particles_auto(&self) -> bool {
        self.flags.value("particles") == Some("auto")
    }

    pub fn load(&self, settings: &Settings) -> Result<Scene, Error> {
        let scene = self.load_as(&settings.scene, settings).map_err(|failure| match failure {
            // What the scene is not to blame for has an origin of its own.
            Error::Input(message)
                if self.flags.value("scene").is_none() && scene_lookup::load(&settings.scene, &[]).is_err() =>
            {
                Error::Input(format!("{}: {message}", settings.scene_origin))
            }
            failure => failure,
        })?;
        scene_lookup::check_palettes(&settings.scene, &scene, settings).map(|()| scene)
    }

    pub fn overrides(&self, settings: &Settings) -> Vec<String> {
        self.set.iter().cloned().chain(settings.particles.as_ref().map(Setting::to_text)).collect()
    }

    pub fn load_as(&self, name: &str, settings: &Settings) -> Result<Scene, Error> {
        let set = self.set.iter().map(|text| Setting::parse(text, "--set"));
        let mut overrides = set.collect::<Result<Vec<_>, _>>()?;
        overrides.extend(settings.particles.clone());
        let mut scene = scene_lookup::load(name, &overrides)?;
        if let Some(path) = &self.texture {
            let cloth = scene.world.cloth.as_mut();
            let cloth =
                cloth.ok_or_else(|| Error::Input(format!("--texture: {name} has no cloth; flag and curtain have")))?;
            texture::apply(cloth, path).map_err(|message| Error::Input(format!("--texture: {message}")))?;
        }
        self.obstacles.as_ref().map_or(Ok(scene.clone()), |drawing| drawing.lay_in(scene))
    }
}
