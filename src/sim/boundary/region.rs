//! Regions of a tank in fractions of it, which become [`Shape`]s in metres once the tank has a size.

use crate::sim::boundary::drawing::Drawing;
use crate::sim::boundary::shape::Shape;
use glam::Vec2;
use serde::Serialize;

/// A region of the tank.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Region {
    /// `[left, bottom, right, top]`.
    Box([f32; 4]),
    /// A disc.
    Circle {
        /// Its centre, fractions of the tank's sides.
        at: [f32; 2],
        /// Metres.
        radius: f32,
    },
    /// A thick line with round ends.
    Capsule {
        /// One end, fractions of the tank's sides.
        from: [f32; 2],
        /// The other end.
        to: [f32; 2],
        /// Metres.
        radius: f32,
    },
    /// Corners, fractions of the tank's sides.
    Polygon(Vec<[f32; 2]>),
    /// A pattern of solid cells, as large as it fits into the tank. A scene file draws it in text.
    #[serde(rename = "art")]
    Drawing(Drawing),
}

impl Region {
    /// The region in metres, in a tank of this size.
    pub fn shape(&self, tank: Vec2) -> Shape {
        let scale = |point: &[f32; 2]| Vec2::from(*point) * tank;
        match self {
            Region::Box([left, bottom, right, top]) => {
                Shape::Box { min: scale(&[*left, *bottom]), max: scale(&[*right, *top]) }
            }
            Region::Circle { at, radius } => Shape::Circle { at: scale(at), radius: *radius },
            Region::Capsule { from, to, radius } => {
                Shape::Capsule { from: scale(from), to: scale(to), radius: *radius }
            }
            Region::Polygon(corners) => Shape::Polygon(corners.iter().map(scale).collect()),
            Region::Drawing(drawing) => drawing.shape(tank),
        }
    }
}
