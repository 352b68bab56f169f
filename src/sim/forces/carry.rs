//! A push by hand: the fluid under the brush turns with it about the centre of curvature of the path.

use crate::sim::forces::{DRAG_RATE, DyeEffect, ForceAction, MatterAt};
use glam::Vec2;

/// Speed below which a carrying pointer acts in proportion to its speed, m/s, so that a hand that stops before it releases does
/// not stop the vortex.
const MIN_SPEED: f32 = 0.3;

/// The motion of the pointer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Carry {
    /// Velocity of the pointer, m/s.
    pub velocity: Vec2,
    /// The rate at which its path turns, rad/s.
    pub spin: f32,
}

impl ForceAction for Carry {
    fn velocity_after(&self, MatterAt { offset, weight, velocity, .. }: MatterAt, dt: f32) -> Vec2 {
        let rate = DRAG_RATE * (self.velocity.length() / MIN_SPEED).min(1.0);
        // As a solid's up to the pointer, and as a vortex's, in inverse proportion to the radius, beyond.
        let solid = self.velocity + self.spin * offset.perp();
        let squared_radius = solid.length_squared() / self.velocity.length_squared().max(f32::MIN_POSITIVE);
        velocity + (solid / squared_radius.max(1.0) - velocity) * (rate * weight * dt).min(1.0)
    }

    fn drag(&self) -> Option<Vec2> {
        Some(self.velocity)
    }

    fn dye(&self) -> DyeEffect {
        DyeEffect::Stroke(6.0)
    }
}
