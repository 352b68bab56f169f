//! Groups of arguments that several commands share.

pub mod headless;
mod obstacle_file;
pub mod scene;
pub mod scene_lookup;
pub mod setting_flags;
pub mod suggestions;
pub mod texture;
pub mod toy;

use crate::cli::settings::table::group;

pub type LookArgs = setting_flags::SettingFlags<{ group::PICTURE }>;
pub type PlayFlags = setting_flags::SettingFlags<{ group::PICTURE | group::TERMINAL }>;
pub type SimulationArgs = setting_flags::SettingFlags<{ group::SIMULATION }>;
