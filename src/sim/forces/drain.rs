use crate::sim::forces::{DyeEffect, ForceAction, MatterAt, attract};
use glam::Vec2;

/// Pull towards it, m/s².
const ACCELERATION: f32 = 80.0;

/// Draws fluid to the pointer and removes it there; the dyes of a grid fade.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drain;

impl ForceAction for Drain {
    fn velocity_after(&self, matter: MatterAt, dt: f32) -> Vec2 {
        attract(ACCELERATION, matter, dt)
    }

    fn acts_on_solids(&self) -> bool {
        false
    }

    fn dye(&self) -> DyeEffect {
        DyeEffect::Dilute(8.0)
    }
}
