use crate::data;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Permissions {
    pub tilt: bool,
    pub push: bool,
    pub pour: bool,
    pub walls: bool,
    pub heat: bool,
    pub scene: bool,
    pub reset: bool,
    /// Copying the share code of the tank to the clipboard of the guest's own terminal.
    pub copy: bool,
}

impl Permissions {
    /// All permissions that act on the tank.
    pub const ALL: Self = Self { copy: false, ..Self::EVERY };
    pub const EVERY: Self =
        Self { tilt: true, push: true, pour: true, walls: true, heat: true, scene: true, reset: true, copy: true };

    pub const NAMES: [&str; 8] = ["tilt", "push", "pour", "walls", "heat", "scene", "reset", "copy"];

    fn each_mut(&mut self) -> [&mut bool; 8] {
        let Self { tilt, push, pour, walls, heat, scene, reset, copy } = self;
        [tilt, push, pour, walls, heat, scene, reset, copy]
    }
}

impl FromStr for Permissions {
    type Err = String;

    /// Parses names separated by commas, of which one may be `all`; or `none`.
    fn from_str(list: &str) -> Result<Self, String> {
        let mut permissions = Self::default();
        if matches!(list.trim(), "none" | "") {
            return Ok(permissions);
        }
        for name in list.split(',').map(str::trim) {
            if name == "all" {
                permissions = Self { copy: permissions.copy, ..Self::ALL };
            } else if let Some(at) = Self::NAMES.iter().position(|known| *known == name) {
                *permissions.each_mut()[at] = true;
            } else {
                let names = [&Self::NAMES[..], &["all", "none"]].concat();
                return Err(format!("unknown permission {name:?}; {}", data::advice(name, &names)));
            }
        }
        Ok(permissions)
    }
}
