//! Permissions of guests.

use crate::data;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// The actions that guests may perform; watching is always allowed.
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
    /// Heating and cooling. Older recordings do not have this permission; it was always granted then.
    #[serde(default = "allowed")]
    pub heat: bool,
    /// Asking for another scene.
    pub scene: bool,
    /// Asking to begin the scene again.
    pub reset: bool,
    /// Copying the share code of the tank to the clipboard of the guest's own terminal.
    #[serde(default)]
    pub copy: bool,
}

fn allowed() -> bool {
    true
}

impl Permissions {
    /// All permissions that act on the tank.
    pub const ALL: Self =
        Self { tilt: true, push: true, pour: true, walls: true, heat: true, scene: true, reset: true, copy: false };
    pub const NONE: Self = Self {
        tilt: false,
        push: false,
        pour: false,
        walls: false,
        heat: false,
        scene: false,
        reset: false,
        copy: false,
    };

    /// The names in `--allow`.
    pub const NAMES: [&str; 8] = ["tilt", "push", "pour", "walls", "heat", "scene", "reset", "copy"];

    /// Grants the permission of this name, and returns whether there is one.
    fn allow(&mut self, name: &str) -> bool {
        let permission = match name {
            "all" => {
                *self = Self { copy: self.copy, ..Self::ALL };
                return true;
            }
            "tilt" => &mut self.tilt,
            "push" => &mut self.push,
            "pour" => &mut self.pour,
            "walls" => &mut self.walls,
            "heat" => &mut self.heat,
            "scene" => &mut self.scene,
            "reset" => &mut self.reset,
            "copy" => &mut self.copy,
            _ => return false,
        };
        *permission = true;
        true
    }
}

impl FromStr for Permissions {
    type Err = String;

    /// Parses names separated by commas, of which one may be `all`; or `none`.
    fn from_str(list: &str) -> Result<Self, String> {
        let mut permissions = Self::NONE;
        if matches!(list.trim(), "none" | "") {
            return Ok(permissions);
        }
        for name in list.split(',').map(str::trim) {
            if !permissions.allow(name) {
                let names = [&Self::NAMES[..], &["all", "none"]].concat();
                return Err(format!("unknown permission {name:?}; {}", data::advice(name, &names)));
            }
        }
        Ok(permissions)
    }
}
