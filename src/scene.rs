//! A scene: data from a TOML file, checked, ready to become a [`crate::sim::World`].
//!
//! Places are shares of the tank (0 to 1, from its lower left corner), so that a scene fits a window of any shape.
//! Sizes are metres: the tank's area is the same in every window.

mod body;
mod check;
mod cloth;
pub mod drawing;
pub mod fluid;
pub mod fluids;
mod heat;
mod numbers;
pub mod parameters;
mod read;
#[cfg(feature = "share")]
pub mod share_code;
mod smoke;
mod sph;

pub use read::PARTICLES;

use crate::sim::definition::WorldDef;
use serde::Serialize;

/// Scenes that belong together: a folder of `data/scenes`.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// As it is written on the command line.
    pub name: &'static str,
    /// Name and text of each scene.
    pub scenes: &'static [(&'static str, &'static str)],
}

/// The scenes in one folder, by name.
macro_rules! group {
    ($name:literal, $folder:literal, $($scene:literal),+) => {
        Group { name: $name, scenes: &[$(($scene, include_str!(concat!("data/scenes/", $folder, "/", $scene, ".toml")))),+] }
    };
}

/// The scenes that come with the program, in the order in which keys and the screensaver go through them. The
/// laboratory comes last: its scenes are measured more than looked at, and are reached by name.
pub const GROUPS: [Group; 7] = [
    group!("water", "water", "dam", "circle", "drop", "zero-g", "fountain", "pegs", "hourglass", "droplets"),
    group!("materials", "materials", "honey", "lava", "jelly", "clay", "mercury", "oil", "paint", "cocktail"),
    group!("floating", "floating", "cork", "boats", "marbles", "raft", "stack", "bottle", "bell"),
    group!("smoke and ink", "smoke-and-ink", "smoke", "ink", "balloons", "karman"),
    group!("cloth", "cloth", "curtain", "flag", "hammock", "trampoline", "awning", "chain"),
    group!("heat", "heat", "lava-lamp", "kettle", "ice", "frost", "iceberg", "volcano", "candle", "geyser"),
    group!(
        "laboratory",
        "laboratory",
        "dam-break",
        "seiche",
        "u-tube",
        "vessels",
        "torricelli",
        "quiver",
        "cavity",
        "sph-dam",
        "sph-splash",
        "sph-honey"
    ),
];

/// The group whose scenes keys and the screensaver leave out.
pub const LABORATORY: Group = GROUPS[GROUPS.len() - 1];

/// Name and text of every scene, in the order of [`GROUPS`]. The first is the default.
pub const EMBEDDED: [(&str, &str); count()] = {
    let mut all = [("", ""); count()];
    let (mut group, mut next) = (0, 0);
    while group < GROUPS.len() {
        let mut scene = 0;
        while scene < GROUPS[group].scenes.len() {
            all[next] = GROUPS[group].scenes[scene];
            (scene, next) = (scene + 1, next + 1);
        }
        group += 1;
    }
    all
};

const fn count() -> usize {
    let (mut count, mut group) = (0, 0);
    while group < GROUPS.len() {
        count += GROUPS[group].scenes.len();
        group += 1;
    }
    count
}

/// Whether a scene of this name comes with the program as one of its laboratory.
pub fn is_of_laboratory(name: &str) -> bool {
    LABORATORY.scenes.iter().any(|(known, _)| *known == name)
}

/// The group of the scene of this name that comes with the program.
pub fn group_of(name: &str) -> Option<&'static str> {
    let group = GROUPS.iter().find(|group| group.scenes.iter().any(|(known, _)| *known == name));
    group.map(|group| group.name)
}

/// The text of an embedded scene.
pub fn find(name: &str) -> Option<&'static str> {
    EMBEDDED.iter().find(|(known, _)| *known == name).map(|&(_, text)| text)
}

/// The names of the embedded scenes.
pub fn names() -> &'static [&'static str] {
    const NAMES: [&str; EMBEDDED.len()] = {
        let mut names = [""; EMBEDDED.len()];
        let mut number = 0;
        while number < names.len() {
            names[number] = EMBEDDED[number].0;
            number += 1;
        }
        names
    };
    &NAMES
}

/// A scene: a world with a name. [`Scene::parse`] makes one; every value is then within its range.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Scene {
    /// What `slosh list` calls it; the file's name where the file says nothing.
    pub name: String,
    /// One line for `slosh list`.
    pub about: String,
    /// What is in the tank.
    #[serde(flatten)]
    pub world: WorldDef,
}
