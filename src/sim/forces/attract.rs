use crate::sim::forces::{ForceAction, MatterAt, attract};
use glam::Vec2;

/// Acceleration, m/s²: it reaches 46 m/s² at 0.58 of the radius, 4.7 times gravity, so that it can lift.
const ACCELERATION: f32 = 120.0;

/// A pull to the pointer, which holds what it has drawn there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attract {
    /// Factor on the acceleration.
    pub strength: f32,
}

impl Default for Attract {
    fn default() -> Self {
        Self { strength: 1.0 }
    }
}

impl ForceAction for Attract {
    fn velocity_after(&self, matter: MatterAt, dt: f32) -> Vec2 {
        attract(self.strength * ACCELERATION, matter, dt)
    }

    fn angular_drag(&self) -> f32 {
        4.0
    }
}
