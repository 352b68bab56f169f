//! A scene: data from a TOML file, checked, ready to become a [`crate::sim::World`].
//!
//! Places are shares of the tank (0 to 1, from its lower left corner), so that a scene fits a window of any shape.
//! Sizes are metres: the tank's area is the same in every window.

mod art;
mod body;
mod check;
mod cloth;
pub mod fluid;
pub mod fluids;
pub mod parameters;
mod read;
mod smoke;
mod sph;

pub use art::Art;
pub use read::PARTICLES;

use crate::sim::boundary::{Container, Shape};
use crate::sim::cloth::Fabric;
use crate::sim::grid_fluid::Medium;
use crate::sim::liquid::double_density::Fluid;
use crate::sim::liquid::sph::Substance;
use crate::sim::rigid::Stuff;
use glam::Vec2;
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

/// Everything a scene file says. [`Scene::parse`] makes one; every value is then within the range given here.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scene {
    /// What `slosh list` calls it; the file's name where the file says nothing.
    pub name: String,
    /// One line for `slosh list`.
    pub about: String,
    /// How many particles the scene's liquid is made of, 1 to 2,000,000. More make it finer, not more.
    pub particles: usize,
    /// m/s², downwards, 0 to 1000.
    pub gravity: f32,
    /// Substeps in a step of 1/60 s, at least, 1 to 1000; more are taken where the liquid's stiffness asks for them.
    pub substeps: u32,
    /// When the first obstacle is lifted as a gate is; never where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<Gate>,
    /// The palette the scene was made for, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub palette: Option<String>,
    pub tank: Tank,
    pub fluid: Fluid,
    /// Where there is liquid at the start. At least one pool, or another matter.
    pub liquid: Vec<Pool>,
    /// A liquid that follows smoothed particle hydrodynamics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sph: Option<Sph>,
    /// Smoke or dyed water that fills the tank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smoke: Option<Medium>,
    /// What floats or sinks.
    pub body: Vec<Thing>,
    /// Cloth that hangs in the tank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cloth: Option<Fabric>,
    /// What is solid.
    pub obstacle: Vec<Region>,
    pub tap: Vec<Tap>,
    pub drain: Vec<Drain>,
}

/// The opening of a gate. A scene may say `gate = 2` for `gate = { at = 2 }`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Gate {
    /// The second in which it is let go, 0 to 3600.
    pub at: f32,
    /// Seconds from then until it is out of the way, 0 to 60. A laboratory's clock starts when it is let go.
    pub takes: f32,
}

impl Gate {
    /// The second in which it is out of the way.
    pub fn gone(self) -> f64 {
        f64::from(self.at) + f64::from(self.takes)
    }
}

impl Scene {
    /// The widest tank (width over height) in which everything has room; no tank becomes wider, or as much higher.
    pub fn widest(&self) -> f32 {
        body::widest(self)
    }
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            name: String::new(),
            about: String::new(),
            particles: 3000,
            gravity: 9.81,
            substeps: 4,
            gate: None,
            palette: None,
            tank: Tank::default(),
            fluid: Fluid::default(),
            liquid: Vec::new(),
            sph: None,
            smoke: None,
            body: Vec::new(),
            cloth: None,
            obstacle: Vec::new(),
            tap: Vec::new(),
            drain: Vec::new(),
        }
    }
}

/// The vessel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tank {
    /// m², 0.01 to 100, kept in a window of any shape.
    pub area: f32,
    /// Width over height, for a tank that does not follow the window; within [`crate::sim::ASPECTS`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aspect: Option<f32>,
    pub shape: TankShape,
}

impl Default for Tank {
    fn default() -> Self {
        Self { area: 2.0, aspect: None, shape: TankShape::Box }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TankShape {
    #[default]
    Box,
    Circle,
}

impl From<TankShape> for Container {
    fn from(shape: TankShape) -> Self {
        match shape {
            TankShape::Box => Container::Box,
            TankShape::Circle => Container::Circle,
        }
    }
}

/// A liquid that follows smoothed particle hydrodynamics: what it is made of, and where it is at the start.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Sph {
    #[serde(flatten)]
    pub substance: Substance,
    /// At least one.
    pub pool: Vec<Pool>,
}

/// A region full of liquid, and how it moves at the start.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pool {
    #[serde(flatten)]
    pub region: Region,
    /// m/s.
    pub velocity: [f32; 2],
    /// How fast its particles jitter about, m/s: the root mean square along each axis. Heat, which lasts where nothing
    /// is viscous: cold particles under tension set in a lattice that bears shear, warm ones flow.
    pub warmth: f32,
    /// What it is filled with, where that is not the scene's own fluid. How densely and how stiffly that lies, and what
    /// walls do to it, is as with the scene's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fluid: Option<Fluid>,
    /// What the fluid looks like, where it is another than the scene's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub palette: Option<String>,
}

impl Pool {
    /// The number of its fluid in a tank of the scene's own and these.
    pub fn number_among(&self, others: &[(&Fluid, Option<&str>)]) -> u8 {
        let own = self.other_fluid();
        let number = others.iter().position(|&other| Some(other) == own);
        number.map_or(0, |number| number as u8 + 1)
    }

    /// Its fluid and the palette of that, if it has one of its own.
    fn other_fluid(&self) -> Option<(&Fluid, Option<&str>)> {
        self.fluid.as_ref().map(|fluid| (fluid, self.palette.as_deref()))
    }
}

impl Scene {
    /// Whether it has a liquid of the first method; cloth has one that can be poured on it, if only an empty one.
    pub fn has_liquid(&self) -> bool {
        !self.liquid.is_empty() || (self.cloth.is_some() && self.sph.is_none())
    }

    /// The fluids in its pools that are not the scene's own, and their palettes, each once.
    pub fn other_fluids(&self) -> Vec<(&Fluid, Option<&str>)> {
        let mut others = Vec::new();
        for other in self.liquid.iter().filter_map(Pool::other_fluid) {
            if other != (&self.fluid, self.palette.as_deref()) && !others.contains(&other) {
                others.push(other);
            }
        }
        others
    }
}

impl From<Region> for Pool {
    /// Still liquid.
    fn from(region: Region) -> Self {
        Self { region, velocity: [0.0, 0.0], warmth: 0.0, fluid: None, palette: None }
    }
}

/// A piece of the tank.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Region {
    /// `[left, bottom, right, top]`.
    Box([f32; 4]),
    Circle {
        at: [f32; 2],
        radius: f32,
    },
    Capsule {
        from: [f32; 2],
        to: [f32; 2],
        radius: f32,
    },
    Polygon(Vec<[f32; 2]>),
    /// A drawing in text, as large as it fits into the tank.
    Art(Art),
}

impl Region {
    /// The region in metres, in a tank of this size.
    pub fn shape(&self, tank: Vec2) -> Shape {
        let place = |share: &[f32; 2]| Vec2::from(*share) * tank;
        match self {
            Region::Box([left, bottom, right, top]) => {
                Shape::Box { min: place(&[*left, *bottom]), max: place(&[*right, *top]) }
            }
            Region::Circle { at, radius } => Shape::Circle { at: place(at), radius: *radius },
            Region::Capsule { from, to, radius } => {
                Shape::Capsule { from: place(from), to: place(to), radius: *radius }
            }
            Region::Polygon(corners) => Shape::Polygon(corners.iter().map(place).collect()),
            Region::Art(art) => art.shape(tank),
        }
    }
}

/// A rigid body as it is at the start.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Thing {
    #[serde(flatten)]
    pub outline: Outline,
    /// Where its centre of mass is, as a share of the tank.
    pub at: [f32; 2],
    /// Degrees, counter-clockwise.
    pub angle: f32,
    /// m/s.
    pub velocity: [f32; 2],
    /// Degrees a second, counter-clockwise.
    pub spin: f32,
    #[serde(flatten)]
    pub stuff: Stuff,
}

/// The outline of a body, in metres: a body has the same size in a window of any shape.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outline {
    /// Its radius.
    Disc(f32),
    /// Width and height.
    Box([f32; 2]),
    /// Corners of a convex polygon, from anywhere.
    Polygon(Vec<[f32; 2]>),
}

/// Pours what drains have taken back in, for as long as there is any.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tap {
    /// The middle of its mouth, as a share of the tank.
    pub at: [f32; 2],
    /// Where the stream goes; its length does not matter.
    pub toward: [f32; 2],
    /// Width of the mouth, metres.
    pub width: f32,
    /// Speed of the stream, m/s.
    pub speed: f32,
}

/// Takes particles out of a region.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Drain {
    #[serde(flatten)]
    pub region: Region,
    /// m² of liquid a second, at most.
    pub rate: f32,
}
