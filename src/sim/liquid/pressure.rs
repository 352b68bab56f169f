//! The pressure of a liquid: the choice of the method that keeps its particles apart; all else is the same.

pub mod double_density;
pub(super) mod grid_pressure;
mod medium;
pub mod wcsph;

use crate::sim::StepContext;
use crate::sim::boundary::Walls;
use crate::sim::liquid::{Fluid, ParticleStore, Phases};
use crate::sim::neighbors::Zone;
use double_density::DoubleDensity;
use glam::Vec2;
use grid_pressure::GridPressure;
pub use medium::Force;
pub(super) use medium::Medium;
use wcsph::Wcsph;

/// The method by which the particles exert pressure.
#[derive(Clone, Debug)]
pub(super) enum Pressure {
    /// Double-density relaxation: Clavet, Beaudoin & Poulin 2005; a grid may carry the weight: Raveendran, Wojtan & Turk 2011.
    Relaxation(DoubleDensity, Option<Box<GridPressure>>),
    /// Weakly compressible smoothed particles: Müller, Charypar & Gross 2003; Monaghan 1994. One fluid, without springs.
    Wcsph(Box<Wcsph>),
}

impl Pressure {
    /// The grid that carries the weight, if one does.
    pub fn grid(&self) -> Option<&GridPressure> {
        if let Self::Relaxation(_, Some(grid)) = self { Some(grid) } else { None }
    }

    /// Lets a grid carry the weight, or the particles alone.
    pub fn use_grid(&mut self, wanted: bool) {
        if let Self::Relaxation(_, grid) = self
            && grid.is_some() != wanted
        {
            *grid = wanted.then(|| Box::new(GridPressure::new()));
        }
    }

    /// Applies gravity, targets and pointer forces, and moves the particles by their velocities.
    pub fn advance(&mut self, medium: Medium, env: &StepContext) {
        match self {
            Self::Relaxation(_, None) => double_density::advance(medium, env),
            Self::Relaxation(_, Some(grid)) => grid.advance(medium, env),
            Self::Wcsph(sph) => sph.advance(medium, env),
        }
    }

    /// Computes the densities of the particles in a zone, and finds those near walls and bodies.
    pub fn update_densities(&mut self, medium: Medium, walls: &Walls, zone: Zone) {
        match self {
            Self::Relaxation(double, _) => double.update_densities(medium, walls, zone),
            Self::Wcsph(sph) => _ = sph.update_densities(medium, walls),
        }
    }

    /// Applies pressure and the viscosity of pairs. `keeps_forces`: what only pictures and measurements ask for is kept.
    pub fn relax(&mut self, medium: Medium, env: &StepContext, keeps_forces: bool) {
        match self {
            Self::Relaxation(double, grid) => double.relax(medium, env, grid.is_some()),
            Self::Wcsph(sph) => sph.relax(medium, env, keeps_forces),
        }
    }

    /// Applies the friction of walls, and puts back what has crossed one.
    pub fn resolve_walls(&mut self, medium: Medium, env: &StepContext) {
        match self {
            Self::Relaxation(double, grid) => {
                if grid.is_some() {
                    medium.store.stop_at_obstacles(env.walls);
                }
                double.resolve_walls(medium, env);
            }
            Self::Wcsph(sph) => sph.apply_wall_friction(medium, env),
        }
    }

    /// Prepares the state of particles that have been sorted anew, outside of a step.
    pub fn fit(&mut self, medium: Medium, walls: &Walls) {
        match self {
            Self::Relaxation(double, _) => double.update_densities(medium, walls, Zone::All),
            Self::Wcsph(sph) => sph.fit(medium, walls),
        }
    }

    /// The substeps, with fractions, for a step of `step` seconds under `gravity` (m/s²) in a tank of `size` metres.
    pub fn required_substeps(
        &self,
        store: &ParticleStore,
        fluid: &Fluid,
        phases: &Phases,
        step: f32,
        gravity: f32,
        size: Vec2,
    ) -> f32 {
        match self {
            Self::Relaxation(double, None) => double.required_substeps(fluid, phases, store.h, step),
            Self::Relaxation(_, Some(grid)) => grid.required_substeps(store, fluid, step),
            Self::Wcsph(sph) => sph.required_substeps(store, step, gravity, size),
        }
    }

    /// Nearness of a slot to the surface: 0 inside, 1 on it.
    pub fn surface(&self, store: &ParticleStore, density: &[f32], slot: usize) -> f32 {
        match self {
            Self::Relaxation(..) => {
                let relative = self.relative_density(store, density.get(slot).copied());
                ((1.0 - relative) / 0.3).clamp(0.0, 1.0)
            }
            Self::Wcsph(sph) => sph.surface(slot),
        }
    }

    /// Density at a slot relative to the liquid at rest, from the `density` of the medium.
    pub fn relative_density(&self, store: &ParticleStore, density: Option<f32>) -> f32 {
        match self {
            // The sum leaves out the particle itself, a constant. One that an inlet has just added has the density at rest.
            Self::Relaxation(..) => {
                let integral = store.rest.number_density * std::f32::consts::PI / 6.0;
                (density.unwrap_or(store.rest.density) - store.rest.density + integral) / integral
            }
            Self::Wcsph(_) => density.unwrap_or(0.0),
        }
    }
}
