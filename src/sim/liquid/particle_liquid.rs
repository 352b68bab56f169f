//! The common base of the particle liquids: the store, the neighbour grid, sleep, and the particles near walls and bodies.
//!
//! A method (double-density relaxation, smoothed particles) owns a [`ParticleLiquid`] and adds what only it needs. It
//! dereferences to it, so that what both have is there once; [`LiquidMethod`] is what others may ask of either.

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

/// The distance within which obstacles act on the liquid, in h.
pub const WALL_REACH: f32 = 1.75;

/// The farthest that a particle may move in one substep by its velocity, and again by its displacement, in h. A guard,
/// not met in ordinary flow: with it, a particle farther than h from a wall before a move cannot have crossed it.
pub(super) const MAX_MOVE: f32 = 0.4;

/// One of the forces between particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Force {
    /// Pressure, which resists compression.
    Pressure,
    /// Viscosity.
    Viscosity,
    /// Surface tension.
    Tension,
}

impl Force {
    /// All forces.
    pub const ALL: [Force; 3] = [Self::Pressure, Self::Viscosity, Self::Tension];
}

/// The particles of a liquid, sorted by place, and what is known of their surroundings.
#[derive(Clone, Debug)]
pub struct ParticleLiquid {
    pub(super) h: f32,
    /// The rest state, in units of h.
    pub(super) rest: RestState,
    /// The instruction set that the pair passes use.
    pub(super) level: Level,
    /// Since the start.
    substeps: u32,
    pub(super) particles: Particles,
    /// Ids of removed particles, to be reused.
    free_ids: Vec<u32>,
    pub(super) grid: Grid,
    pub(super) sleep_map: SleepMap,
    /// Neighbour ranges recorded by the density pass.
    neighbor_ranges: Vec<u32>,
    /// What a pass over pairs gives to the row above each, apart from what it gives within rows.
    pub(super) upper_sums: [Vec<f32>; 2],
    /// The grid's blocks that are within reach of a wall: only particles in these are tested.
    boundary_blocks: Vec<u32>,
    /// Particles within reach of walls, as the density pass found them in each chunk.
    pub(super) wall_contacts: Vec<Vec<WallContact>>,
    /// Bodies, and the particles within reach of them.
    pub(super) body_contacts: BodyContacts,
}

impl ParticleLiquid {
    /// Creates a liquid without particles, of interaction radius `h` metres.
    pub(super) fn new(rest: RestState, h: f32) -> Self {
        Self {
            h,
            rest,
            level: Level::new(),
            substeps: 0,
            particles: Particles::default(),
            free_ids: Vec::new(),
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

    /// The particle store.
    pub fn particles(&self) -> &Particles {
        &self.particles
    }

    /// The grid of the last sort, and the instructions that its passes use.
    pub(super) fn grid(&self) -> (Level, &Grid) {
        (self.level, &self.grid)
    }

    /// For passes in which it meets another matter. Velocities may change, and positions by less than h; no particle may
    /// be added.
    pub(in crate::sim) fn particles_mut(&mut self) -> &mut Particles {
        &mut self.particles
    }

    /// Uses these instructions from now on, or the best there are if this machine does not have them.
    pub fn use_instructions(&mut self, instructions: Instructions) {
        self.level = instructions.level().unwrap_or_else(Level::new);
    }

    /// Divides the passes among so many threads from the next step on; the caller must step inside a pool of as many.
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

    /// Sorts the particles by place. Coincident ones are rare, and until they are looked for they do each other nothing:
    /// looking in every substep cost 2 ns a particle.
    pub(super) fn sort(&mut self) {
        self.grid.sort(self.level, &mut self.particles);
        self.substeps = self.substeps.wrapping_add(1);
        if self.substeps.is_multiple_of(LOOK_FOR_COINCIDENT) {
            separate_coincident(&mut self.particles, &self.grid, self.h);
        }
    }

    /// The particles, and a pass over those pairs of which one is in `zone`.
    pub(super) fn pairs(&mut self, zone: Zone) -> (&Particles, PairPass<'_>) {
        let Self { level, grid, sleep_map, neighbor_ranges, upper_sums, .. } = self;
        (&self.particles, PairPass { level: *level, grid, sleep_map, zone, neighbor_ranges, upper_sums })
    }

    /// Adds the sums that a pass over pairs collected for the upper rows.
    pub(super) fn add_upper_sums(&self, sums: [&mut [f32]; 2]) {
        let [upper_x, upper_y] = &self.upper_sums;
        parallel_for(self.grid.chunks(), sums, &|chunk, [x, y]| {
            add(x, &upper_x[chunk.slots.clone()]);
            add(y, &upper_y[chunk.slots.clone()]);
        });
    }

    /// Velocity at a place, m/s: the mean of the particles within h, the nearest counting most; none where there are
    /// none. Asks every particle.
    pub fn velocity(&self, at: Vec2) -> Option<Vec2> {
        self.mean(at, |slot| self.particles.velocity(slot))
    }

    /// The mean of a quantity that slots have over the particles within h of a place, the nearest counting most; none
    /// where there are none. Asks every particle.
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

/// A method that moves the particles of a liquid: what pictures, measurements and couplings ask of it.
pub trait LiquidMethod: DerefMut<Target = ParticleLiquid> {
    /// One substep.
    fn step(&mut self, env: &StepContext, observer: &mut dyn StepObserver);

    /// Fits the liquid to walls that have moved, or to what has been added: sorts it in and computes its densities.
    fn fit(&mut self, walls: &Walls);

    /// See [`crate::sim::solver::Solver::required_substeps`].
    fn required_substeps(&self, step: f32, gravity: f32, size: Vec2) -> f32;

    /// See [`crate::sim::solver::Solver::update_sleep`]: a liquid of which it is never called stays awake.
    fn update_sleep(&mut self, _pointer_forces: &[PointerForce]) {}

    /// Returns whether no particle is faster than `speed` (m/s).
    fn is_slower_than(&self, speed: f32) -> bool {
        self.particles().max_speed() < speed
    }

    /// Its phases and the phase of each particle, if it may have several.
    fn phases(&self) -> Option<&Phases> {
        None
    }

    /// Returns the amount of whitewater that the phase with this number emits.
    fn whitening(&self, phase: u8) -> Whitening;

    /// Returns whether any phase emits whitewater.
    fn makes_whitewater(&self) -> bool {
        let phases = self.phases().map_or(1, |phases| phases.params().len()) as u8;
        (0..phases).any(|phase| self.whitening(phase).is_any())
    }

    /// Mass of the particle in a slot, a square metre of the first fluid having mass 1.
    fn mass(&self, slot: usize) -> f32 {
        let phases = self.phases();
        self.particle_area() * phases.map_or(1.0, |phases| phases.mass_of(self.particles().id[slot]))
    }

    /// Density at a slot relative to the liquid at rest: 1 in still water, less at a surface.
    fn relative_density(&self, slot: usize) -> f32;

    /// Pressure at a slot over the density at rest, m²/s²: that of the forces which a particle exchanges with its neighbours,
    /// without what its jitter carries.
    fn pressure(&self, slot: usize) -> f32;

    /// The same with the pull of surface tension, where that is a force apart.
    fn pressure_with_tension(&self, slot: usize) -> f32 {
        self.pressure(slot)
    }

    /// Acceleration by which two slots `r` metres apart are pushed off each other, m/s²; not by viscosity.
    fn pair_acceleration(&self, slot: usize, other: usize, r: f32) -> f32;

    /// Whether a picture can tell its forces apart.
    fn has_force_breakdown(&self) -> bool {
        false
    }

    /// Magnitude of a force at a slot, m/s²; zero where it is not told from the others.
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

    /// Heat of what has boiled away and is still up, J for each metre of the tank's depth.
    fn vapor_heat(&self) -> f64 {
        0.0
    }

    /// Mass of that, kg for each metre of the tank's depth.
    fn vapor_mass(&self) -> f64 {
        0.0
    }

    /// Heat that has come in from heaters, walls, the air and hands so far, J for each metre of the tank's depth.
    fn received_heat(&self) -> f64 {
        0.0
    }

    /// Returns whether any of the liquid can turn to vapour.
    fn boils(&self) -> bool {
        false
    }

    /// The fraction of a slot that has turned to vapour, and is still in the liquid.
    fn vapor_fraction(&self, _slot: usize) -> f32 {
        0.0
    }

    /// Where vapour has left the liquid in the last step.
    fn steam(&self) -> &[Vec2] {
        &[]
    }

    /// Mass of a particle for each metre of the tank's depth, kg, by id.
    fn thermal_mass(&self, _id: u32) -> f64 {
        f64::from(self.particle_area()) * WATER_DENSITY
    }

    /// Returns the closeness of a slot to the surface: 0 inside the liquid, 1 at the surface.
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

    /// Returns the liquid's interface to the bodies in it.
    fn coupling(&mut self) -> LiquidCoupling<'_>;
}
