use crate::sim::forces::{DyeEffect, ForceAction, MatterAt, throw};
use glam::Vec2;

/// Largest outward acceleration, m/s².
const ACCELERATION: f32 = 120.0;

/// A burst (the click of CS184's project), limited in the middle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Explode {
    /// Factor on the acceleration.
    pub strength: f32,
}

impl Default for Explode {
    fn default() -> Self {
        Self { strength: 1.0 }
    }
}

impl ForceAction for Explode {
    fn velocity_after(&self, matter: MatterAt, dt: f32) -> Vec2 {
        throw(self.strength * ACCELERATION, matter, dt)
    }

    fn dye(&self) -> DyeEffect {
        DyeEffect::Stroke(25.0)
    }
}
