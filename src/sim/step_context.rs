//! The conditions of one substep, as each matter receives them.

use crate::sim::boundary::Walls;
use crate::sim::pointer_force::PointerForce;
use glam::Vec2;

/// The conditions around a matter during one substep.
#[derive(Clone, Copy, Debug)]
pub struct StepContext<'a> {
    /// Seconds.
    pub dt: f32,
    /// m/s², with the tilt and the shaking in it.
    pub gravity: Vec2,
    /// The walls.
    pub walls: &'a Walls,
    /// The forces of pointers.
    pub pointer_forces: &'a [PointerForce],
    /// Whether the outcome may be shown or measured: sleeping particles then get a density too.
    pub shown: bool,
}
