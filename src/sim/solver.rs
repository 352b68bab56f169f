//! The interface of a solver: what the world calls on every matter.

use crate::sim::boundary::Walls;
use crate::sim::observer::StepObserver;
use crate::sim::pointer_force::PointerForce;
use crate::sim::statistics::Stats;
use crate::sim::step_context::StepContext;
use glam::Vec2;

/// The solver of one matter: how it moves, and what can be measured of it.
pub trait Solver {
    /// The distance from which it feels walls, metres, if it does before it touches them.
    fn wall_reach(&self) -> Option<f32> {
        None
    }

    /// Divides its passes among so many threads from the next step on.
    fn set_threads(&mut self, _threads: usize) {}

    /// One substep.
    fn step(&mut self, env: &StepContext, observer: &mut dyn StepObserver);

    /// Takes in where the walls are now, and what has been added.
    fn fit(&mut self, walls: &Walls);

    /// Takes on about `cells` cells, if it has cells and their number is not the scene's own business.
    fn set_cells(&mut self, _cells: usize, _walls: &Walls) {}

    /// The substeps, with fractions, that a fixed step of `step` seconds must be divided into under `gravity` (m/s²), in a
    /// tank of `size` metres. One that divides its substeps by itself asks for one.
    fn required_substeps(&self, _step: f32, _gravity: f32, _size: Vec2) -> f32 {
        1.0
    }

    /// Lets those parts sleep that have been at rest for long. Called before a step, with what is going to disturb them.
    fn update_sleep(&mut self, _pointer_forces: &[PointerForce]) {}

    /// Wakes every part that sleeps.
    fn wake(&mut self) {}

    /// Whether nothing is faster than `speed` (m/s), or about to be.
    fn is_slower_than(&self, speed: f32) -> bool {
        self.max_speed() < speed
    }

    /// Takes all speed out.
    fn zero_velocities(&mut self);

    /// Speed of what moves fastest, m/s.
    fn max_speed(&self) -> f32;

    /// Velocity at a place, m/s, where there is any of it.
    fn velocity_at(&self, at: Vec2) -> Option<Vec2>;

    /// Pressure at a place over the density at rest, m²/s², where that can be said; on a grid up to a constant.
    fn pressure_at(&self, _at: Vec2) -> Option<f32> {
        None
    }

    /// Temperature at a place, °C, where there is any of it that has one.
    fn temperature_at(&self, _at: Vec2) -> Option<f32> {
        None
    }

    /// Whether it has a temperature.
    fn has_temperature(&self) -> bool {
        false
    }

    /// Number of particles that are not asleep.
    fn awake_particles(&self) -> usize {
        0
    }

    /// Measures it, under `gravity` (m/s²) in a tank of `size` metres.
    fn stats(&self, gravity: Vec2, size: Vec2) -> Stats;

    /// Further quantities of this matter, each with a name, as text for users.
    fn describe(&self, _gravity: Vec2) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}
