//! A vortex that keeps turning: it accelerates fluid that has become slower and brakes none.

use crate::sim::forces::{ForceAction, MatterAt};
use glam::Vec2;

/// Rate at which slow fluid is accelerated, per second.
const RATE: f32 = 4.0;

/// A vortex: as a solid in the core, and in inverse proportion to the radius beyond.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Whirl {
    /// Angular velocity of the core, rad/s.
    pub spin: f32,
    /// Radius of the core, metres.
    pub core: f32,
}

impl ForceAction for Whirl {
    fn velocity_after(&self, MatterAt { offset, weight, velocity, .. }: MatterAt, dt: f32) -> Vec2 {
        let radius = offset.length().max(f32::MIN_POSITIVE);
        let around = offset.perp() * (self.spin.signum() / radius);
        let missing = self.spin.abs() * radius.min(self.core * self.core / radius) - velocity.dot(around);
        velocity + around * missing.max(0.0) * (RATE * weight * dt).min(1.0)
    }

    fn acts_on_solids(&self) -> bool {
        false
    }
}
