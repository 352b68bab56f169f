//! The common base of the particle liquids: the store, the neighbour grid, sleep, and the particles near walls and
//! bodies.
//!
//! A method (double-density relaxation, smoothed particles) owns a [`ParticleLiquid`], dereferences to it, and adds
//! only what it needs. [`LiquidMethod`] is the interface of either method.

mod insertion;
mod sleep;
mod walls;

use crate::sim::StepContext;
use crate::sim::boundary::Walls;
use crate::sim::liquid::body_contacts::{BodyContacts, LiquidCoupling};
use crate::sim::liquid::fluid::Whitening;
use crate::sim::liquid::phases::Phases;
use crate::sim::liquid::rest_state::RestState;
use crate::sim::liquid::rest_stretch::RestStretch;
use crate::sim::liquid::thermal::WATER_DENSITY;
use crate::sim::neighbors::Grid;
use crate::sim::neighbors::pairs::{PairPass, add};
use crate::sim::neighbors::row_chunks::parallel_for;
use crate::sim::neighbors::separate::{LOOK_FOR_COINCIDENT, separate_coincident};
use crate::sim::neighbors::sleep_map::{SleepMap, Zone};
use crate::sim::observer::StepObserver;
use crate::sim::parallel::instructions::Instructions;
use crate::sim::particles::Particles;
use crate::sim::pointer_force::PointerForce;
use fearless_simd::Level;
use glam::Vec2;
use std::ops::{Add, DerefMut, Mul};
pub(super) use walls::WallContact;

/// Distance up to which obstacles act on liquid, in h.
pub const WALL_REACH: f32 = 1.75;

/// Maximum displacement of a particle in one substep, by its velocity and again by pressure, in h. It is a guard that
/// ordinary flow does not reach: with it, a particle farther than h from a wall before a move cannot have crossed it.
pub(super) const MAX_MOVE: f32 = 0.4;

/// A force between particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Force {
    /// Pressure, which resists compression.
    Pressure,
    /// Viscosity, which evens out velocities.
    Viscosity,
    /// Surface tension.
    Tension,
}

impl Force {
    /// Every force.
    pub const ALL: [Force; 3] = [Self::Pressure, Self::Viscosity, Self::Tension];
}

/// The particles of a liquid, sorted by place, with their neighbours, walls and bodies.
#[derive(Clone, Debug)]
pub struct ParticleLiquid {
    pub(super) h: f32,
    /// The liquid at rest; lengths in h.
    pub(super) rest: RestState,
    /// The instruction set that the pair passes use.
    pub(super) level: Level,
    /// Substeps since the start.
    substeps: u32,
    pub(super) particles: Particles,
    /// Ids of removed particles, to be reused. A particle that is poured has the phase of the one whose id it gets, so
    /// that inlets pour what outlets have removed.
    free_ids: Vec<u32>,
    /// Ids of particles that have boiled away, to be reused by drops alone.
    vapor_ids: Vec<u32>,
    pub(super) grid: Grid,
    pub(super) sleep_map: SleepMap,
    /// Neighbour ranges recorded by the density pass.
    neighbor_ranges: Vec<u32>,
    /// Sums that a pass over pairs adds to the row above each, kept apart from the sums within rows.
    pub(super) upper_sums: [Vec<f32>; 2],
    /// The grid's blocks within reach of a wall: only particles in these are tested.
    boundary_blocks: Vec<u32>,
    /// Particles within reach of walls, as the density pass found them, per chunk.
    pub(super) wall_contacts: Vec<Vec<WallContact>>,
    /// Bodies, and the particles within reach of them.
    pub(super) body_contacts: BodyContacts,
}

impl ParticleLiquid {
    /// Creates the base without particles, for interaction radius `h` metres.
    pub(super) fn new(rest: RestState, h: f32) -> Self {
        Self {
            h,
            rest,
            level: Level::new(),
            substeps: 0,
            particles: Particles::default(),
            free_ids: Vec::new(),
            vapor_ids: Vec::new(),
            grid: Grid::default(),
            sleep_map: SleepMap::default(),
            neighbor_ranges: Vec::new(),
            upper_sums: Default::default(),
            boundary_blocks: Vec::new(),
            wall_contacts: Vec::new(),
            body_contacts: BodyContacts::default(),
        }
    }

    /// Interaction radius, metres.
    pub fn h(&self) -> f32 {
        self.h
    }

    /// Returns the distance between neighbours at rest, metres.
    pub fn spacing(&self) -> f32 {
        self.rest.spacing * self.h
    }

    /// Returns the area that one particle represents, m². It is also its mass, if a square metre of liquid has mass 1.
    pub fn particle_area(&self) -> f32 {
        self.h * self.h / self.rest.number_density
    }

    /// Whether a place has no particle within a fraction of the spacing.
    pub(in crate::sim) fn has_room(&self, at: Vec2, fraction: f32) -> bool {
        let (p, least) = (&self.particles, fraction * self.spacing());
        self.grid.slots_around(at).all(|slot| !p.is_alive(slot) || p.position(slot).distance(at) > least)
    }

    /// The particle store.
    pub fn particles(&self) -> &Particles {
        &self.particles
    }

    /// Returns the grid of the last sort, and the instruction set of its passes.
    pub(super) fn grid(&self) -> (Level, &Grid) {
        (self.level, &self.grid)
    }

    /// Returns the store for couplings. Velocities may change, and positions by less than h; no particle may be added.
    pub(in crate::sim) fn particles_mut(&mut self) -> &mut Particles {
        &mut self.particles
    }

    /// Selects the instruction set, or the best available one if this machine does not have it.
    pub fn use_instructions(&mut self, instructions: Instructions) {
        self.level = instructions.level().unwrap_or_else(Level::new);
    }

    /// Divides the passes among `threads` threads from the next step on; the caller must step inside a pool of as many.
    pub fn set_threads(&mut self, threads: usize) {
        self.grid.set_threads(threads);
    }

    /// Lays the grid over a tank whose walls have moved and sorts the particles into it, with all that was added.
    pub(super) fn refit(&mut self, walls: &Walls) {
        self.grid.resize(walls.size(), self.h);
        self.grid.sort(self.level, &mut self.particles);
        self.sleep_map.resize(self.grid.rows(), self.grid.blocks_per_row());
        self.find_boundary_blocks(walls);
    }

    /// Sorts the particles by place. Coincident particles are rare, and exert no force on each other until they are
    /// separated; searching in every substep cost 2 ns a particle.
    pub(super) fn sort(&mut self) {
        self.grid.sort(self.level, &mut self.particles);
        self.substeps = self.substeps.wrapping_add(1);
        if self.substeps.is_multiple_of(LOOK_FOR_COINCIDENT) {
            separate_coincident(&mut self.particles, &self.grid, self.h);
        }
    }

    /// Returns the particles, and a pass over the pairs of which at least one is in `zone`.
    pub(super) fn pairs(&mut self, zone: Zone) -> (&Particles, PairPass<'_>) {
        let Self { level, grid, sleep_map, neighbor_ranges, upper_sums, .. } = self;
        (&self.particles, PairPass { level: *level, grid, sleep_map, zone, neighbor_ranges, upper_sums })
    }

    /// Adds the sums of the upper rows.
    pub(super) fn add_upper_sums(&self, sums: [&mut [f32]; 2]) {
        let [upper_x, upper_y] = &self.upper_sums;
        parallel_for(self.grid.chunks(), sums, &|chunk, [x, y]| {
            add(x, &upper_x[chunk.slots.clone()]);
            add(y, &upper_y[chunk.slots.clone()]);
        });
    }

    /// Velocity at a place, m/s: the weighted mean of the particles within h, the nearest counting most; none if there
    /// are none. Visits every particle.
    pub fn velocity(&self, at: Vec2) -> Option<Vec2> {
        self.mean(at, |slot| self.particles.velocity(slot))
    }

    /// Weighted mean of a per-slot quantity over the particles within h of a place, the nearest counting most; none if
    /// there are none. Visits every particle.
    pub fn mean<T: Default + Add<Output = T> + Mul<f32, Output = T>>(
        &self,
        at: Vec2,
        quantity: impl Fn(usize) -> T,
    ) -> Option<T> {
        let (mut sum, mut weights, p) = (T::default(), 0.0, &self.particles);
        for slot in p.alive() {
            let weight = 1.0 - p.position(slot).distance(at) / self.h;
            if weight > 0.0 {
                sum = sum + quantity(slot) * weight;
                weights += weight;
            }
        }
        (weights > 0.0).then(|| sum * (1.0 / weights))
    }
}

/// A method of moving the particles of a liquid, as pictures, measurements and couplings use it.
pub trait LiquidMethod: DerefMut<Target = ParticleLiquid> {
    /// One substep.
    fn step(&mut self, env: &StepContext, observer: &mut dyn StepObserver);

    /// Adapts the liquid to walls that have moved or particles that were added: sorts it and computes its densities.
    fn fit(&mut self, walls: &Walls);

    /// See [`crate::sim::solver::Solver::required_substeps`].
    fn required_substeps(&self, step: f32, gravity: f32, size: Vec2) -> f32;

    /// See [`crate::sim::solver::Solver::update_sleep`]: a liquid for which it is never called stays awake.
    fn update_sleep(&mut self, _pointer_forces: &[PointerForce]) {}

    /// Whether no part of it moves faster than `speed` (m/s).
    fn is_slower_than(&self, speed: f32) -> bool {
        self.particles().max_speed() < speed
    }

    /// Its phases and the phase of each particle, if it can have several.
    fn phases(&self) -> Option<&Phases> {
        None
    }

    /// Returns the amount of whitewater that the phase with this number emits.
    fn whitening(&self, phase: u8) -> Whitening;

    /// Whether any of its fluids makes whitewater.
    fn makes_whitewater(&self) -> bool {
        let phases = self.phases().map_or(1, |phases| phases.params().len()) as u8;
        (0..phases).any(|phase| self.whitening(phase).is_any())
    }

    /// Mass of the particle in a slot. One square metre of the first fluid has mass 1.
    fn mass(&self, slot: usize) -> f32 {
        let phases = self.phases();
        self.particle_area() * phases.map_or(1.0, |phases| phases.mass_of(self.particles().id[slot]))
    }

    /// Density at a slot relative to the liquid at rest: 1 in still water, less at a surface.
    fn relative_density(&self, slot: usize) -> f32;

    /// Pressure at a slot over the density at rest, m²/s²: of the forces exchanged with neighbours, without the
    /// momentum that the jitter carries.
    fn pressure(&self, slot: usize) -> f32;

    /// The same with the pull of surface tension, where that is a separate force.
    fn pressure_with_tension(&self, slot: usize) -> f32 {
        self.pressure(slot)
    }

    /// Acceleration by which two slots `r` metres apart repel each other, m/s², without viscosity.
    fn pair_acceleration(&self, slot: usize, other: usize, r: f32) -> f32;

    /// Whether its forces can be shown separately.
    fn has_force_breakdown(&self) -> bool {
        false
    }

    /// Magnitude of a force at a slot, m/s²; zero where forces are not kept separately.
    fn force(&self, _: Force, _slot: usize) -> f32 {
        0.0
    }

    /// Returns whether the liquid has a temperature.
    fn has_heat(&self) -> bool {
        false
    }

    /// The temperature of a slot, °C, if it has one.
    fn temperature(&self, _slot: usize) -> Option<f32> {
        None
    }

    /// The heat of a particle, J/kg above 0 °C, by id, if it has a temperature.
    fn enthalpy(&self, _id: u32) -> Option<f64> {
        None
    }

    /// Heat of the steam that has not condensed, J for each metre of the tank's depth.
    fn vapor_heat(&self) -> f64 {
        0.0
    }

    /// Mass of that steam, kg for each metre of the tank's depth.
    fn vapor_mass(&self) -> f64 {
        0.0
    }

    /// Heat received from heaters, walls, the air and brushes so far, J for each metre of the tank's depth.
    fn received_heat(&self) -> f64 {
        0.0
    }

    /// Whether any of its fluids can boil.
    fn boils(&self) -> bool {
        false
    }

    /// Vapour fraction of a slot: the part that has boiled and is still in the liquid.
    fn vapor_fraction(&self, _slot: usize) -> f32 {
        0.0
    }

    /// Where steam has left the liquid in the last step.
    fn steam(&self) -> &[Vec2] {
        &[]
    }

    /// Mass of a particle for each metre of the tank's depth, kg, by id.
    fn thermal_mass(&self, _id: u32) -> f64 {
        f64::from(self.particle_area()) * WATER_DENSITY
    }

    /// Nearness of a slot to the surface: 0 inside, 1 on it.
    fn surface(&self, slot: usize) -> f32 {
        ((1.0 - self.relative_density(slot)) / 0.3).clamp(0.0, 1.0)
    }

    /// The rest stretch of each particle, by id; empty without springs.
    fn rest_stretches(&self) -> Vec<RestStretch> {
        Vec::new()
    }

    /// Adds a particle of the phase with this number; it takes part from the next step on.
    fn add_with_phase(&mut self, phase: u8, at: Vec2, velocity: Vec2);

    /// Removes the particle in a slot.
    fn remove(&mut self, slot: usize);

    /// Returns the liquid as bodies interact with it.
    fn coupling(&mut self) -> LiquidCoupling<'_>;
}
