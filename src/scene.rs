//! A scene: data from a TOML file, checked, from which a [`crate::sim::World`] is built. Positions are fractions of the tank (0
//! to 1, from its lower left corner), so that a scene fits a window of any shape. Sizes are in metres: the tank's area is the
//! same in every window.

mod body;
mod check;
mod cloth;
pub mod drawing;
pub mod feed;
pub mod fish;
mod fluid;
pub mod fluids;
mod mark;
pub mod parameters;
mod piston;
mod polygon;
mod read;
mod region;
#[cfg(feature = "share")]
pub mod share_code;
mod smoke;
mod sph;
mod table;

use crate::sim::MAX_PARTICLES;
use crate::sim::definition::WorldDef;
use serde::Serialize;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

/// Range of a scene's particle count.
pub const PARTICLES: RangeInclusive<i64> = 1..=MAX_PARTICLES as i64;

/// A group of scenes: a folder of `data/scenes`.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// The name of the group on the command line.
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

/// The scenes that come with the program, in the order of `n`, `p` and the screensaver. The laboratory, which is for measurements
/// and reached by name only, comes last.
pub const GROUPS: [Group; 8] = [
    group! {
        "water", "water", "dam", "circle", "drop", "rain", "beach", "waterfall", "aquarium", "zero-g", "fountain", "pegs",
        "levels", "spectrum", "hourglass"
    },
    group! { "materials", "materials", "honey", "lava", "jelly", "clay", "mercury", "oil", "paint" },
    group! { "floating", "floating", "cork", "boats", "marbles", "bottle" },
    group! { "smoke and ink", "smoke-and-ink", "smoke", "ink", "balloons", "karman" },
    group! { "cloth", "cloth", "curtain", "flag", "hammock", "chain" },
    group! {
        "heat", "heat", "lava-lamp", "kettle", "fire", "ice", "frost", "iceberg", "volcano", "candle", "geyser", "convection"
    },
    group! { "sources", "sources", "blobs", "metaballs", "swirl", "sph-dam", "sph-splash", "sph-honey", "sph-droplets" },
    group! { "laboratory", "laboratory", "dam-break", "seiche", "u-tube", "vessels", "torricelli", "quiver", "cavity" },
];

/// The group that `n`, `p` and the screensaver leave out.
pub const LABORATORY: Group = GROUPS[GROUPS.len() - 1];

/// Name and text of every scene, in the order of [`GROUPS`]. The first is the default.
pub static EMBEDDED: LazyLock<Vec<(&str, &str)>> =
    LazyLock::new(|| GROUPS.iter().flat_map(|group| group.scenes).copied().collect());

/// Whether an embedded scene of this name belongs to the laboratory.
pub fn is_of_laboratory(name: &str) -> bool {
    LABORATORY.scenes.iter().any(|(known, _)| *known == name)
}

/// Returns the group of the embedded scene of this name.
pub fn group_of(name: &str) -> Option<&'static str> {
    let group = GROUPS.iter().find(|group| group.scenes.iter().any(|(known, _)| *known == name));
    group.map(|group| group.name)
}

/// Returns the text of an embedded scene.
pub fn find(name: &str) -> Option<&'static str> {
    EMBEDDED.iter().find(|(known, _)| *known == name).map(|&(_, text)| text)
}

/// The names of the embedded scenes.
pub fn names() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&str>> = LazyLock::new(|| EMBEDDED.iter().map(|(name, _)| *name).collect());
    &NAMES
}

/// A scene: a world with a name. [`Scene::parse`] returns one in which every value is within its range.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Scene {
    /// The name in `slosh list`. If the file gives none, it is the file's name.
    pub name: String,
    /// The description in `slosh list`.
    pub about: String,
    /// What numbers from outside drive, in `slosh feed`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub feed: Vec<feed::FeedDef>,
    /// The content of the tank.
    #[serde(flatten)]
    pub world: WorldDef,
}
