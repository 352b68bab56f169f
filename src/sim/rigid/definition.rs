use crate::sim::boundary::Hull;
use crate::sim::rigid::{Body, Material};
use glam::Vec2;
use serde::Serialize;

/// A rigid body as it is at the start.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BodyDef {
    /// Its outline.
    #[serde(flatten)]
    pub outline: Outline,
    /// Centre of mass, as a fraction of the tank.
    pub at: [f32; 2],
    /// Angle, degrees, counter-clockwise.
    pub angle: f32,
    /// Velocity, m/s.
    pub velocity: [f32; 2],
    /// Angular velocity, degrees a second, counter-clockwise.
    pub angular_velocity: f32,
    /// Temperature, °C, if it differs from the tank's.
    pub temperature: Option<f32>,
    /// Its material.
    #[serde(flatten)]
    pub material: Material,
}

/// The outline of a body, in metres: a body has the same size in a window of any shape.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outline {
    /// A disc of this radius.
    Disc(f32),
    /// A box of this width and height.
    Box([f32; 2]),
    /// A convex polygon of these corners, from any origin.
    Polygon(Vec<[f32; 2]>),
}

impl BodyDef {
    /// Diameter of the smallest circle around its centre of mass that contains it, metres.
    pub fn width(&self) -> f32 {
        2.0 * self.build(Vec2::ONE).bounding_radius()
    }

    /// Creates the body in a tank of this size.
    pub fn build(&self, tank: Vec2) -> Body {
        let hull = match &self.outline {
            Outline::Disc(radius) => Hull::disc(Vec2::ZERO, *radius),
            Outline::Box([width, height]) => {
                let half = 0.5 * Vec2::new(*width, *height);
                Hull::polygon(vec![-half, Vec2::new(half.x, -half.y), half, Vec2::new(-half.x, half.y)])
            }
            Outline::Polygon(corners) => Hull::polygon(corners.iter().copied().map(Vec2::from).collect()),
        };
        let mut body = Body::new(hull, self.material.clone(), Vec2::from(self.at) * tank, self.angle.to_radians());
        (body.velocity, body.angular_velocity) = (self.velocity.into(), self.angular_velocity.to_radians());
        body.temperature = self.temperature.map(f64::from);
        body
    }
}
