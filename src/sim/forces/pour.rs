use crate::sim::forces::{DyeEffect, ForceAction, MatterAt, Push};
use glam::Vec2;

/// A stream from the pointer, which carries along the fluid in its way. It acts on bodies and cloth by its fluid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pour {
    /// Velocity of the stream, m/s.
    pub velocity: Vec2,
    /// Number of the phase that a liquid gets, or of the dye that a grid gets.
    pub number: u8,
}

impl ForceAction for Pour {
    fn velocity_after(&self, matter: MatterAt, dt: f32) -> Vec2 {
        Push { velocity: self.velocity }.velocity_after(matter, dt)
    }

    fn acts_on_solids(&self) -> bool {
        false
    }

    fn dye(&self) -> DyeEffect {
        DyeEffect::Pour(self.number, 30.0)
    }
}
