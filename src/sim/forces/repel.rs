use crate::sim::forces::{DyeEffect, ForceAction, MatterAt, throw};
use glam::Vec2;

/// Largest outward acceleration, m/s².
const ACCELERATION: f32 = 140.0;

/// Keeps matter away from the pointer while it acts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Repel {
    /// Factor on the acceleration.
    pub strength: f32,
}

impl Default for Repel {
    fn default() -> Self {
        Self { strength: 1.0 }
    }
}

impl ForceAction for Repel {
    fn velocity_after(&self, matter: MatterAt, dt: f32) -> Vec2 {
        throw(self.strength * ACCELERATION, matter, dt)
    }

    fn dye(&self) -> DyeEffect {
        DyeEffect::Stroke(6.0)
    }
}
