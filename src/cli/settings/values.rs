//! The values of all settings, and the options that follow from them.

use crate::app::session::interactive::TerminalSettings;
use crate::app::session::threads;
use crate::app::{ControlOptions, LookOptions, Options, SaverOptions, SimulationOptions};
use crate::data::Setting;
use crate::scene::Scene;
use crate::sim::parallel::instructions::Instructions;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    pub scene: String,
    pub scene_origin: String,
    /// The particle count that overrides the scene's own.
    pub particles: Option<Setting>,
    pub seed: Option<u64>,
    pub threads: Option<usize>,
    pub instructions: Instructions,
    pub look: LookOptions,
    pub controls: ControlOptions,
    pub saver: SaverOptions,
    pub terminal: TerminalSettings,
    /// The scenes that settings name, and where.
    pub named_scenes: Vec<(String, String)>,
}

impl Settings {
    /// Returns the seed, or a random one. A random seed is below 2⁶³, so that it can be given as a setting again.
    pub fn seed_or_random(&self) -> u64 {
        self.seed.unwrap_or_else(|| fastrand::u64(..=i64::MAX as u64))
    }

    pub fn threads_or_suitable(&self) -> usize {
        self.threads.unwrap_or_else(threads::suitable)
    }

    pub fn options(&self, scene: Scene, scenes: Vec<Scene>) -> Options {
        Options {
            look: self.look.clone(),
            controls: self.controls.clone(),
            simulation: SimulationOptions {
                seed: self.seed.unwrap_or(0),
                threads: self.threads.unwrap_or(1),
                threads_follow_load: self.threads.is_none(),
                instructions: self.instructions,
                ..SimulationOptions::default()
            },
            saver: self.saver.clone(),
            ..Options::new(scene, scenes)
        }
    }
}
