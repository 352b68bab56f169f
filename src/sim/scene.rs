//! A scene: data from a TOML file, checked, ready to become a [`super::World`].
//!
//! Places are shares of the tank (0 to 1, from its lower left corner), so that a scene fits a window of any shape.
//! Sizes are metres: the tank's area is the same in every window.

use super::ddr::Fluid;
use super::walls::{Container, Shape};
use glam::Vec2;
use serde::{Deserialize, Serialize};

/// Everything a scene file says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Scene {
    /// What `slosh list` calls it; the file's name where the file says nothing.
    pub name: String,
    /// One line for `slosh list`.
    pub about: String,
    /// How many particles the scene's liquid is made of. More make it finer, not more.
    pub particles: usize,
    /// m/s², downwards. May be zero.
    pub gravity: f32,
    /// Substeps in a step of 1/60 s, at least; more are taken where the liquid's stiffness asks for them.
    pub substeps: u32,
    /// The palette the scene was made for, by name.
    pub palette: Option<String>,
    pub tank: Tank,
    pub fluid: Fluid,
    /// Where there is liquid at the start.
    pub liquid: Vec<Region>,
    /// What is solid.
    pub obstacle: Vec<Region>,
    pub tap: Vec<Tap>,
    pub drain: Vec<Drain>,
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            name: String::new(),
            about: String::new(),
            particles: 3000,
            gravity: 9.81,
            substeps: 4,
            palette: None,
            tank: Tank::default(),
            fluid: Fluid::default(),
            liquid: Vec::new(),
            obstacle: Vec::new(),
            tap: Vec::new(),
            drain: Vec::new(),
        }
    }
}

/// The vessel.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tank {
    /// m², kept in a window of any shape.
    pub area: f32,
    /// Width over height, for a tank that does not follow the window.
    pub aspect: Option<f32>,
    pub shape: TankShape,
}

impl Default for Tank {
    fn default() -> Self {
        Self { area: 2.0, aspect: None, shape: TankShape::Box }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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

/// A piece of the tank.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
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
        }
    }
}

/// Pours what drains have taken back in, for as long as there is any.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drain {
    pub region: Region,
    /// m² of liquid a second, at most.
    pub rate: f32,
}
