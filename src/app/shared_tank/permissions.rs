//! What the host lets guests do.

use crate::data;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// What guests may do; looking is always allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Permissions {
    /// Tilting and shaking.
    pub tilt: bool,
    /// Pushing, pulling and bursting.
    pub push: bool,
    /// Pouring and draining.
    pub pour: bool,
    /// Drawing and erasing walls.
    pub walls: bool,
    /// Asking for another scene.
    pub scene: bool,
    /// Asking to begin the scene again.
    pub reset: bool,
}

impl Permissions {
    pub const ALL: Self = Self { tilt: true, push: true, pour: true, walls: true, scene: true, reset: true };
    pub const NONE: Self = Self { tilt: false, push: false, pour: false, walls: false, scene: false, reset: false };

    /// The names in `--allow`.
    pub const NAMES: [&str; 6] = ["tilt", "push", "pour", "walls", "scene", "reset"];

    fn named(&mut self, name: &str) -> Option<&mut bool> {
        Some(match name {
            "tilt" => &mut self.tilt,
            "push" => &mut self.push,
            "pour" => &mut self.pour,
            "walls" => &mut self.walls,
            "scene" => &mut self.scene,
            "reset" => &mut self.reset,
            _ => return None,
        })
    }
}

impl FromStr for Permissions {
    type Err = String;

    /// Names with commas between them; `all`, or `none`.
    fn from_str(list: &str) -> Result<Self, String> {
        match list.trim() {
            "all" => return Ok(Self::ALL),
            "none" | "" => return Ok(Self::NONE),
            _ => {}
        }
        let mut allowed = Self::NONE;
        for name in list.split(',').map(str::trim) {
            let known = allowed.named(name).map(|permission| *permission = true);
            known.ok_or_else(|| {
                let names = [&Self::NAMES[..], &["all", "none"]].concat();
                format!("guests can be allowed nothing called {name:?}; {}", data::advice(name, &names))
            })?;
        }
        Ok(allowed)
    }
}
