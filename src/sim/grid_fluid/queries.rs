//! Queries of the fluid: at a place, of the whole, and whether it is at rest.

use crate::sim::grid_fluid::advect::{BELOW, LEFT, MIDDLE, sample, sample_all};
use crate::sim::grid_fluid::{GridFluid, middle_velocity};
use crate::sim::statistics::Stats;
use fearless_simd::f32x8;
use fearless_simd::prelude::*;
use glam::{DVec2, Vec2};

impl GridFluid {
    /// Interpolates an array whose values sit at `stagger` at a place in the tank, metres.
    pub(super) fn read(&self, array: &[f32], stagger: Vec2, at: Vec2) -> f32 {
        let most = Vec2::new(self.grid.nx as f32, self.grid.ny as f32) + 0.5;
        sample(array, &self.grid, self.grid.place(at).clamp(Vec2::splat(0.5), most) - stagger)
    }

    /// Velocity at a place in the tank, m/s.
    pub fn velocity(&self, at: Vec2) -> Vec2 {
        Vec2::new(self.read(&self.velocity[0], LEFT, at), self.read(&self.velocity[1], BELOW, at))
    }

    /// Pressure over density at a place, m²/s²: the mean over the last substep, up to a constant.
    pub fn pressure(&self, at: Vec2) -> f32 {
        self.read(&self.projection.impulse, MIDDLE, at) / self.dt
    }

    /// Amount of dye number `dye` at a place, 0 to 1.
    pub fn dye(&self, dye: usize, at: Vec2) -> f32 {
        self.read(&self.dyes[dye], MIDDLE, at)
    }

    /// Amounts of dye number `dye` at eight places, by their coordinates.
    #[inline(always)]
    pub fn dye_at_each<S: Simd>(&self, simd: S, dye: usize, [x, y]: [f32x8<S>; 2]) -> f32x8<S> {
        let Vec2 { x: width, y: height } = self.grid.cell_size;
        let x = (x / width + 0.5).max(0.5).min(self.grid.nx as f32 + 0.5);
        let y = (y / height + 0.5).max(0.5).min(self.grid.ny as f32 + 0.5);
        sample_all(simd, &self.dyes[dye], &self.grid, [x, y], MIDDLE)
    }

    /// Whether it has a temperature.
    pub fn has_temperature(&self) -> bool {
        self.heat.as_ref().is_some_and(|heat| heat.has_temperature())
    }

    /// Temperature at a place, °C, if it has one.
    pub fn temperature(&self, at: Vec2) -> Option<f32> {
        let (excess, tank) = self.heat.as_ref().filter(|heat| heat.has_temperature())?.excess();
        Some(tank + self.read(excess, MIDDLE, at))
    }

    /// Velocities at the centres of the cells that are not solid.
    pub(super) fn velocities(&self) -> impl Iterator<Item = Vec2> + '_ {
        let cells = self.grid.fluid_cells();
        cells.map(|at| middle_velocity(&self.grid, &self.velocity, at))
    }

    /// Flow through a cell over its area; faces that are open in part count by that part.
    fn flow(&self, at: usize) -> Vec2 {
        let (grid, up) = (&self.grid, at + self.grid.stride);
        let mean = |axis: usize, next: usize| {
            let (velocity, open) = (&self.velocity[axis], &grid.face_fraction[axis]);
            velocity[at] * open[at] + velocity[next] * open[next]
        };
        0.5 * Vec2::new(mean(0, at + 1), mean(1, up))
    }

    /// Measures the fluid. The density is that of all dyes together.
    pub fn stats(&self) -> Stats {
        let mass = f64::from(self.definition.density * self.grid.cell_size.x * self.grid.cell_size.y);
        let mut stats = Stats::default();
        let (mut count, mut dyed) = (0.0, 0.0);
        for at in self.grid.fluid_cells() {
            let v = middle_velocity(&self.grid, &self.velocity, at).as_dvec2();
            let dye: f64 = self.dyes.iter().map(|dye| f64::from(dye[at])).sum();
            count += 1.0;
            dyed += dye;
            stats.kinetic += 0.5 * mass * v.length_squared();
            stats.momentum += mass * self.flow(at).as_dvec2();
            stats.centre_of_mass += dye * self.grid.center(at).as_dvec2();
            stats.mean_speed += v.length();
            stats.max_speed = stats.max_speed.max(v.length());
            stats.density_max = stats.density_max.max(dye);
        }
        (stats.samples, stats.dense) = (count, count);
        stats.mean_speed /= f64::max(count, 1.0);
        stats.density_mean = dyed / f64::max(count, 1.0);
        stats.centre_of_mass = if dyed > 0.0 { stats.centre_of_mass / dyed } else { DVec2::ZERO };
        stats.divergence_max = f64::from(self.divergence.after);
        stats.divergence_before = f64::from(self.divergence.before);
        self.heat.iter().for_each(|heat| heat.measure(&self.grid, &self.definition, &mut stats));
        stats
    }
}
