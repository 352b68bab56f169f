//! Every liquid method is the solver of a matter.

use crate::sim::StepContext;
use crate::sim::boundary::Walls;
use crate::sim::liquid::particle_liquid::{LiquidMethod, ParticleLiquid, WALL_REACH};
use crate::sim::liquid::{region_probe, statistics};
use crate::sim::observer::StepObserver;
use crate::sim::pointer_force::PointerForce;
use crate::sim::solver::Solver;
use crate::sim::statistics::Stats;
use glam::Vec2;

impl<L: LiquidMethod> Solver for L {
    fn wall_reach(&self) -> Option<f32> {
        Some(WALL_REACH * self.h())
    }

    fn set_threads(&mut self, threads: usize) {
        ParticleLiquid::set_threads(self, threads);
    }

    fn step(&mut self, env: &StepContext, observer: &mut dyn StepObserver) {
        LiquidMethod::step(self, env, observer);
    }

    fn fit(&mut self, walls: &Walls) {
        LiquidMethod::fit(self, walls);
    }

    fn required_substeps(&self, step: f32, gravity: f32, size: Vec2) -> f32 {
        LiquidMethod::required_substeps(self, step, gravity, size)
    }

    fn update_sleep(&mut self, pointer_forces: &[PointerForce]) {
        LiquidMethod::update_sleep(self, pointer_forces);
    }

    fn wake(&mut self) {
        ParticleLiquid::wake(self);
    }

    fn is_slower_than(&self, speed: f32) -> bool {
        LiquidMethod::is_slower_than(self, speed)
    }

    fn zero_velocities(&mut self) {
        self.particles_mut().zero_velocities();
    }

    fn max_speed(&self) -> f32 {
        self.particles().max_speed()
    }

    fn velocity_at(&self, at: Vec2) -> Option<Vec2> {
        self.velocity(at)
    }

    fn pressure_at(&self, at: Vec2) -> Option<f32> {
        region_probe::pressure(self, at)
    }

    fn temperature_at(&self, at: Vec2) -> Option<f32> {
        if !Solver::has_temperature(self) {
            return None;
        }
        self.mean(at, |slot| self.temperature(slot).unwrap_or_default())
    }

    fn has_temperature(&self) -> bool {
        LiquidMethod::has_heat(self)
    }

    fn awake_particles(&self) -> usize {
        self.awake()
    }

    fn stats(&self, gravity: Vec2, size: Vec2) -> Stats {
        statistics::measure(self, gravity, size)
    }
}
