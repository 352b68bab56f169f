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
pub mod parameters;
mod read;
mod smoke;
mod sph;

pub use read::PARTICLES;

use crate::sim::definition::WorldDef;
use serde::Serialize;

/// The scenes that come with the program: name and text, in the order in which `n` walks through them. The first is
/// the default.
pub const EMBEDDED: [(&str, &str); 41] = [
    ("dam", include_str!("data/scenes/dam.toml")),
    ("circle", include_str!("data/scenes/circle.toml")),
    ("drop", include_str!("data/scenes/drop.toml")),
    ("zero-g", include_str!("data/scenes/zero-g.toml")),
    ("fountain", include_str!("data/scenes/fountain.toml")),
    ("pegs", include_str!("data/scenes/pegs.toml")),
    ("hourglass", include_str!("data/scenes/hourglass.toml")),
    ("cork", include_str!("data/scenes/cork.toml")),
    ("boats", include_str!("data/scenes/boats.toml")),
    ("marbles", include_str!("data/scenes/marbles.toml")),
    ("raft", include_str!("data/scenes/raft.toml")),
    ("stack", include_str!("data/scenes/stack.toml")),
    ("honey", include_str!("data/scenes/honey.toml")),
    ("lava", include_str!("data/scenes/lava.toml")),
    ("jelly", include_str!("data/scenes/jelly.toml")),
    ("clay", include_str!("data/scenes/clay.toml")),
    ("mercury", include_str!("data/scenes/mercury.toml")),
    ("oil", include_str!("data/scenes/oil.toml")),
    ("paint", include_str!("data/scenes/paint.toml")),
    ("cocktail", include_str!("data/scenes/cocktail.toml")),
    ("smoke", include_str!("data/scenes/smoke.toml")),
    ("ink", include_str!("data/scenes/ink.toml")),
    ("balloons", include_str!("data/scenes/balloons.toml")),
    ("karman", include_str!("data/scenes/karman.toml")),
    ("cavity", include_str!("data/scenes/cavity.toml")),
    ("curtain", include_str!("data/scenes/curtain.toml")),
    ("flag", include_str!("data/scenes/flag.toml")),
    ("hammock", include_str!("data/scenes/hammock.toml")),
    ("trampoline", include_str!("data/scenes/trampoline.toml")),
    ("awning", include_str!("data/scenes/awning.toml")),
    ("chain", include_str!("data/scenes/chain.toml")),
    ("dam-break", include_str!("data/scenes/dam-break.toml")),
    ("seiche", include_str!("data/scenes/seiche.toml")),
    ("u-tube", include_str!("data/scenes/u-tube.toml")),
    ("vessels", include_str!("data/scenes/vessels.toml")),
    ("torricelli", include_str!("data/scenes/torricelli.toml")),
    ("quiver", include_str!("data/scenes/quiver.toml")),
    ("sph-dam", include_str!("data/scenes/sph-dam.toml")),
    ("sph-splash", include_str!("data/scenes/sph-splash.toml")),
    ("sph-honey", include_str!("data/scenes/sph-honey.toml")),
    ("droplets", include_str!("data/scenes/droplets.toml")),
];

/// The text of an embedded scene.
pub fn find(name: &str) -> Option<&'static str> {
    EMBEDDED.iter().find(|(known, _)| *known == name).map(|&(_, text)| text)
}

/// The names of the embedded scenes.
pub fn names() -> [&'static str; EMBEDDED.len()] {
    EMBEDDED.map(|(name, _)| name)
}

/// A scene: a world with a name. [`Scene::parse`] makes one; every value is then within its range.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Scene {
    /// What `slosh list` calls it; the file's name where the file says nothing.
    pub name: String,
    /// One line for `slosh list`.
    pub about: String,
    #[serde(flatten)]
    pub world: WorldDef,
}
