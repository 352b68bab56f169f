use crate::sim::forces::{DRAG_RATE, DyeEffect, ForceAction, MatterAt};
use glam::Vec2;

/// The velocity of the pointer, m/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    /// Velocity of the pointer, m/s.
    pub velocity: Vec2,
}

impl ForceAction for Push {
    fn velocity_after(&self, MatterAt { weight, velocity, .. }: MatterAt, dt: f32) -> Vec2 {
        velocity + (self.velocity - velocity) * (DRAG_RATE * weight * dt).min(1.0)
    }

    fn drag(&self) -> Option<Vec2> {
        Some(self.velocity)
    }

    fn dye(&self) -> DyeEffect {
        DyeEffect::Stroke(6.0)
    }
}
