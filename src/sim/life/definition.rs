//! Fish, crawlers and weeds of a scene: species, and how many of each there are.

use crate::sim::boundary::{Hull, Shape};
use crate::sim::parameters::parameters;
use glam::Vec2;
use serde::Serialize;
use std::f32::consts::TAU;
use std::sync::Arc;

/// Corners of the outline that pushes the water.
const CORNERS: usize = 10;

/// Upper part of a crawler that is narrower than its foot, as a fraction of its length and of its height.
const SHELL: [f32; 2] = [0.55, 0.25];

parameters! {
    /// A species. Lengths are in body lengths and speeds in body lengths a second, except where a unit is given.
    #[derive(Clone, Debug, PartialEq, Serialize)]
    pub struct Species {
        /// Its name.
        pub name: String = String::new();
        /// Where it lives.
        pub habitat: Habitat = Habitat::Water;
        /// Length of a young one, metres, from the nose to the end of the tail.
        pub length: f32 = 0.15, 0.04..=0.6;
        /// Speed at which it cruises, and the greatest speed, of flight.
        pub speed: f32 = 1.0, 0.05..=3.0;
        pub burst: f32 = 4.0, 0.1..=10.0;
        /// Number of a school, 1 to 80; 1 swims alone.
        pub school: usize = 1;
        /// Weights of the rules of a school (C. Reynolds 1987): keep apart, swim alike, stay together.
        pub separation: f32 = 1.0, 0.0..=10.0;
        pub alignment: f32 = 1.0, 0.0..=10.0;
        pub cohesion: f32 = 1.0, 0.0..=10.0;
        /// The heights between which it swims, as fractions of the water's depth.
        pub depth: [f32; 2] = [0.25, 0.85];
        /// Seconds for which it rests between two ways; zeros for one that always swims.
        pub rest: [f32; 2] = [0.0, 0.0];
        /// Distance from which it flees a moving pointer, metres.
        pub shyness: f32 = 0.0, 0.0..=2.0;
        /// How soon it is hungry: 1 in a minute.
        pub appetite: f32 = 1.0, 0.0..=10.0;
        /// Length of a grown one, relative to a young one.
        pub growth: f32 = 1.3, 1.0..=2.0;
        /// How it is drawn, facing right, in body lengths; the first part is the body, whose extent makes the outline.
        pub part: Vec<Part> = Vec::new();
    }
}

named! {
    /// Where a species lives.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Habitat {
        /// It swims.
        #[default]
        Water => "water",
        /// It walks on the floor.
        Floor => "floor",
    }
}

/// A part of a drawing, in front of those before it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// Its shape.
    #[serde(flatten)]
    pub shape: PartShape,
    /// A label for the view, such as a colour; the simulation does not read it. A scene file calls it `color`.
    #[serde(rename = "color")]
    pub label: String,
}

/// The shape of a part, in body lengths.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PartShape {
    /// A polygon of these corners.
    Polygon(Vec<[f32; 2]>),
    /// A disc: its centre, and its radius.
    Disc([f32; 3]),
}

/// The fish of one species.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FishDef {
    /// How many there are at the start.
    pub count: usize,
    /// The species.
    pub species: Arc<Species>,
}

/// A weed, rooted in the floor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WeedDef {
    /// Place of its root, as a fraction of the tank's width.
    pub at: f32,
    /// Length, metres.
    pub length: f32,
    /// Width, metres.
    pub width: f32,
    /// A label for the view, such as a colour; the simulation does not read it. A scene file calls it `color`.
    #[serde(rename = "color")]
    pub label: Option<String>,
}

/// A place on the floor from which bubbles rise.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BubblesDef {
    /// Its place, as a fraction of the tank.
    pub at: [f32; 2],
    /// Bubbles a second.
    pub rate: f32,
}

impl Species {
    /// Middle and half the size of its body, in body lengths.
    pub fn body(&self) -> (Vec2, Vec2) {
        let (min, max) = self.part.first().map_or((Vec2::ZERO, Vec2::ZERO), |part| part.shape.bounds());
        (0.5 * (min + max), (0.5 * (max - min)).max(Vec2::splat(0.02)))
    }

    /// The outline at this length in metres. It is the same for both directions that the animal may face.
    pub fn outline(&self, length: f32) -> Hull {
        let half = length * self.body().1;
        let corners = match self.habitat {
            Habitat::Water => (0..CORNERS)
                .map(|corner| half * crate::math::direction((corner as f32 + 0.5) / CORNERS as f32 * TAU))
                .collect(),
            Habitat::Floor => {
                let shell = half * Vec2::new(SHELL[0], 1.0);
                let edge = half * Vec2::new(1.0, SHELL[1] - 1.0);
                let foot = half * Vec2::new(0.9, -1.0);
                let left = |p: Vec2| Vec2::new(-p.x, p.y);
                vec![left(foot), foot, edge, shell, left(shell), left(edge)]
            }
        };
        Hull::polygon(corners)
    }
}

impl PartShape {
    /// The shape, in body lengths.
    pub fn shape(&self) -> Shape {
        match self {
            Self::Polygon(corners) => Shape::Polygon(corners.iter().copied().map(Vec2::from).collect()),
            Self::Disc([x, y, radius]) => Shape::Circle { at: Vec2::new(*x, *y), radius: *radius },
        }
    }

    /// Its bounding box.
    pub fn bounds(&self) -> (Vec2, Vec2) {
        match self {
            Self::Polygon(corners) => {
                let corners = || corners.iter().copied().map(Vec2::from);
                (corners().fold(Vec2::INFINITY, Vec2::min), corners().fold(Vec2::NEG_INFINITY, Vec2::max))
            }
            Self::Disc([x, y, radius]) => (Vec2::new(*x, *y) - *radius, Vec2::new(*x, *y) + *radius),
        }
    }
}
