//! The values of all settings, and the options that follow from them.

use crate::app::error::Error;
use crate::app::interactive::TerminalSettings;
use crate::app::recorder::CastVersion;
use crate::app::threads;
use crate::app::{ControlOptions, LookOptions, Options, SaverOptions, SimulationOptions};
use crate::data;
use crate::data::Setting;
use crate::scene::Scene;
use crate::sim::parallel::instructions::Instructions;
use crate::view::Palette;

/// The values in force. `None` leaves a choice to the terminal, the scene or the machine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    pub scene: String,
    /// Where the scene is named.
    pub scene_origin: String,
    /// Laid over the scene.
    pub particles: Option<Setting>,
    pub seed: Option<u64>,
    /// 1 to 64.
    pub threads: Option<usize>,
    /// Available on this machine.
    pub instructions: Instructions,
    pub look: LookOptions,
    pub controls: ControlOptions,
    pub saver: SaverOptions,
    pub terminal: TerminalSettings,
    pub cast: CastVersion,
    /// The scenes that settings name, and where.
    pub named_scenes: Vec<(String, String)>,
}

impl Settings {
    /// The seed, or a random one that can be given back as a setting: share codes are read that way.
    pub fn seed_or_random(&self) -> u64 {
        self.seed.unwrap_or_else(|| fastrand::u64(..=i64::MAX as u64))
    }

    /// The thread count, or the one that suits the machine at this moment.
    pub fn threads_or_suitable(&self) -> usize {
        self.threads.unwrap_or_else(threads::suitable)
    }

    /// The options of an app that shows these scenes. The seed is 0 where none is set.
    pub fn options(&self, scene: Scene, scenes: Vec<Scene>) -> Options {
        Options {
            look: self.look.clone(),
            controls: self.controls.clone(),
            simulation: SimulationOptions {
                seed: self.seed.unwrap_or(0),
                threads: self.threads_or_suitable(),
                threads_follow_load: self.threads.is_none(),
                instructions: self.instructions,
                ..SimulationOptions::default()
            },
            saver: self.saver.clone(),
            ..Options::new(scene, scenes)
        }
    }

    /// The palette that is set, else the one that a scene was made for, else the default.
    ///
    /// # Errors
    /// If the scene names a palette that does not exist.
    pub fn palette_for(&self, scene: &Scene) -> Result<Palette, Error> {
        if let Some(palette) = &self.look.palette {
            return Ok(palette.clone());
        }
        let Some(name) = scene.world.fluid_label.as_deref() else { return Ok(Palette::default()) };
        let all = &self.look.palettes;
        all.iter().find(|palette| palette.name() == name).cloned().ok_or_else(|| {
            let names: Vec<&str> = all.iter().map(Palette::name).collect();
            let advice = data::advice(name, &names);
            Error::Input(format!("{}: unknown palette {name:?}; {advice}", scene.name))
        })
    }
}
