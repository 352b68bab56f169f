//! Groups of arguments that several commands share.

pub mod headless;
pub mod numbers;
mod obstacle_file;
pub mod scene;
pub mod scene_lookup;
pub mod setting_flags;
pub mod suggestions;
pub mod toy;

use crate::cli::settings::table::group;

/// The flags of the picture.
pub type LookArgs = setting_flags::SettingFlags<{ group::PICTURE }>;
/// The flags of any simulation.
pub type SimulationArgs = setting_flags::SettingFlags<{ group::SIMULATION }>;
