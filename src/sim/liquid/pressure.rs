//! The pressure of a liquid: the choice of the method that keeps its particles apart.
//!
//! Everything else of a liquid (springs, viscosity, heat, phases, walls' friction, sleep) is the same for every choice. A
//! choice is a struct with the methods that [`Liquid`](crate::sim::liquid::Liquid) calls here.

pub mod double_density;
pub(super) mod grid_pressure;
mod medium;
pub mod wcsph;

use crate::sim::StepContext;
use crate::sim::boundary::Walls;
use crate::sim::liquid::fluid::Fluid;
use crate::sim::liquid::store::ParticleStore;
use crate::sim::neighbors::sleep_map::Zone;
use double_density::{DoubleDensity, Load};
use glam::Vec2;
use grid_pressure::GridPressure;
pub use medium::Force;
pub(super) use medium::Medium;
use wcsph::Wcsph;

impl Default for Pressure {
    fn default() -> Self {
        Self::DoubleDensity(DoubleDensity::default())
    }
}

/// The method by which the particles exert pressure.
#[derive(Clone, Debug)]
pub(super) enum Pressure {
    /// Double-density relaxation: Clavet, Beaudoin & Poulin 2005.
    DoubleDensity(DoubleDensity),
    /// A grid for weight and long waves, and double-density relaxation for the rest: Raveendran, Wojtan & Turk 2011.
    Grid(Box<GridPressure>),
    /// Weakly compressible smoothed particles: Müller, Charypar & Gross 2003; Monaghan 1994. It has one fluid, without
    /// springs and heat, and does not sleep in parts.
    Wcsph(Box<Wcsph>),
}

impl Pressure {
    /// Double-density relaxation, alone or beside a grid.
    pub fn relaxation(&self) -> Option<&DoubleDensity> {
        match self {
            Self::DoubleDensity(double) => Some(double),
            Self::Grid(grid) => Some(&grid.relaxation),
            Self::Wcsph(_) => None,
        }
    }

    /// The same, mutable.
    pub fn relaxation_mut(&mut self) -> Option<&mut DoubleDensity> {
        match self {
            Self::DoubleDensity(double) => Some(double),
            Self::Grid(grid) => Some(&mut grid.relaxation),
            Self::Wcsph(_) => None,
        }
    }

    /// Lets a grid carry the weight, or the particles alone.
    pub fn use_grid(&mut self, grid: bool) {
        if grid == matches!(self, Self::Grid(_)) {
            return;
        }
        *self = match std::mem::take(self) {
            Self::DoubleDensity(double) if grid => Self::Grid(Box::new(GridPressure::new(double))),
            Self::Grid(pressure) if !grid => Self::DoubleDensity(pressure.relaxation),
            same => same,
        };
    }

    /// Applies gravity, targets and pointer forces, and moves the particles by their velocities.
    pub fn advance(&mut self, medium: Medium, env: &StepContext) {
        match self {
            Self::DoubleDensity(_) => double_density::advance(medium, env),
            Self::Grid(grid) => grid.advance(medium, env),
            Self::Wcsph(sph) => sph.advance(medium, env),
        }
    }

    /// Computes the densities of the particles in a zone, and finds those near walls and bodies.
    pub fn update_densities(&mut self, medium: Medium, walls: &Walls, zone: Zone) {
        match self {
            Self::DoubleDensity(double) => double.update_densities(medium, walls, zone),
            Self::Grid(grid) => grid.relaxation.update_densities(medium, walls, zone),
            Self::Wcsph(sph) => _ = sph.update_densities(medium, walls),
        }
    }

    /// Applies pressure and the viscosity of pairs. If `keeps_forces`, it keeps what only pictures and measurements ask
    /// for, as far as that costs time.
    pub fn relax(&mut self, medium: Medium, env: &StepContext, keeps_forces: bool) {
        match self {
            Self::DoubleDensity(double) => double.relax(medium, env, Load::Everything),
            Self::Grid(grid) => grid.relaxation.relax(medium, env, Load::Spacing),
            Self::Wcsph(sph) => sph.relax(medium, env, keeps_forces),
        }
    }

    /// Applies the friction of walls, and puts back what has crossed one.
    pub fn resolve_walls(&mut self, medium: Medium, env: &StepContext) {
        match self {
            Self::DoubleDensity(double) => double.resolve_walls(medium, env),
            Self::Grid(grid) => {
                medium.store.stop_at_obstacles(env.walls);
                grid.relaxation.resolve_walls(medium, env);
            }
            Self::Wcsph(sph) => sph.apply_wall_friction(medium, env),
        }
    }

    /// Prepares the state of particles that have been sorted anew, outside of a step.
    pub fn fit(&mut self, medium: Medium, walls: &Walls) {
        match self {
            Self::DoubleDensity(double) => double.update_densities(medium, walls, Zone::All),
            Self::Grid(grid) => grid.relaxation.update_densities(medium, walls, Zone::All),
            Self::Wcsph(sph) => sph.fit(medium, walls),
        }
    }

    /// The substeps, with fractions, into which a step of `step` seconds must be divided under `gravity` (m/s²), in a
    /// tank of `size` metres.
    pub fn required_substeps(&self, store: &ParticleStore, fluid: &Fluid, step: f32, gravity: f32, size: Vec2) -> f32 {
        match self {
            Self::DoubleDensity(double) => double.required_substeps(fluid, store.h, step),
            Self::Grid(grid) => grid.required_substeps(store, fluid, step),
            Self::Wcsph(sph) => sph.required_substeps(store, step, gravity, size),
        }
    }

    /// Nearness of a slot to the surface: 0 inside, 1 on it.
    pub fn surface(&self, store: &ParticleStore, density: &[f32], slot: usize) -> f32 {
        match self {
            Self::DoubleDensity(_) | Self::Grid(_) => {
                let relative = self.relative_density(store, density.get(slot).copied());
                ((1.0 - relative) / 0.3).clamp(0.0, 1.0)
            }
            Self::Wcsph(sph) => sph.surface(slot),
        }
    }

    /// Density at a slot relative to the liquid at rest, from the `density` of the medium.
    pub fn relative_density(&self, store: &ParticleStore, density: Option<f32>) -> f32 {
        match self {
            Self::DoubleDensity(_) | Self::Grid(_) => double_density::relative_density(store, density),
            Self::Wcsph(_) => density.unwrap_or(0.0),
        }
    }
}
