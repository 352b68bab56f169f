//! The conditions of one substep, as each matter receives them.

use crate::sim::boundary::Walls;
use crate::sim::forces::PointerForce;
use glam::Vec2;

#[derive(Clone, Copy, Debug)]
pub struct StepContext<'a> {
    /// Length of the substep, seconds.
    pub dt: f32,
    /// Gravity, m/s², with tilt and shaking included.
    pub gravity: Vec2,
    pub walls: &'a Walls,
    pub pointer_forces: &'a [PointerForce],
}
