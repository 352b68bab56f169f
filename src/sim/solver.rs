//! The interface of a solver: what the world calls on every matter.

use crate::sim::boundary::Walls;
use crate::sim::observer::StepObserver;
use crate::sim::pointer_force::PointerForce;
use crate::sim::statistics::Stats;
use crate::sim::step_context::StepContext;
use glam::Vec2;

/// The solver of one matter: its motion, and its measurements.
pub trait Solver {
    /// Distance within which walls act on it, metres, if they act before contact.
    fn wall_reach(&self) -> Option<f32> {
        None
    }

    /// Divides its passes among `threads` threads from the next step on.
    fn set_threads(&mut self, _threads: usize) {}

    /// One substep.
    fn step(&mut self, env: &StepContext, observer: &mut dyn StepObserver);

    /// Adapts to walls that have moved and to additions.
    fn fit(&mut self, walls: &Walls);

    /// Changes to about `cells` cells, if it has a grid whose size the scene does not prescribe.
    fn set_cells(&mut self, _cells: usize, _walls: &Walls) {}

    /// The substeps, with fractions, into which a fixed step of `step` seconds must be divided under `gravity` (m/s²),
    /// in a tank of `size` metres. A solver that divides its substeps itself requires one.
    fn required_substeps(&self, _step: f32, _gravity: f32, _size: Vec2) -> f32 {
        1.0
    }

    /// Puts parts that have been at rest for long to sleep. Called before a step, with the pointer forces to come.
    fn update_sleep(&mut self, _pointer_forces: &[PointerForce]) {}

    /// Wakes every sleeping part.
    fn wake(&mut self) {}

    /// Whether nothing is faster than `speed` (m/s), or about to be.
    fn is_slower_than(&self, speed: f32) -> bool {
        self.max_speed() < speed
    }

    /// Sets all velocities to zero.
    fn zero_velocities(&mut self);

    /// Largest speed, m/s.
    fn max_speed(&self) -> f32;

    /// Velocity at a place, m/s, where there is any of the matter.
    fn velocity_at(&self, at: Vec2) -> Option<Vec2>;

    /// Pressure at a place over the density at rest, m²/s², where it is defined; on a grid up to a constant.
    fn pressure_at(&self, _at: Vec2) -> Option<f32> {
        None
    }

    /// Temperature at a place, °C, where there is matter with a temperature.
    fn temperature_at(&self, _at: Vec2) -> Option<f32> {
        None
    }

    /// Whether it has a temperature.
    fn has_temperature(&self) -> bool {
        false
    }

    /// Number of particles that are awake.
    fn awake_particles(&self) -> usize {
        0
    }

    /// Measures it under `gravity` (m/s²) in a tank of `size` metres.
    fn stats(&self, gravity: Vec2, size: Vec2) -> Stats;

    /// Further quantities of this matter, each with a name, as text for users.
    fn describe(&self, _gravity: Vec2) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}
