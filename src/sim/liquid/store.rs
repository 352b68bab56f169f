//! The particles of a liquid with their neighbour grid, their sleep, and the lists of those near walls and bodies.

mod insertion;
pub mod sleep;
mod walls;

use crate::sim::boundary::Walls;
use crate::sim::liquid::{BodyContacts, ImmersedSheets, RestState, WallContact};
use crate::sim::neighbors::pairs::{PairPass, add};
use crate::sim::neighbors::separate::{SEPARATION_INTERVAL, separate_coincident};
use crate::sim::neighbors::{Grid, SleepMap, Zone, parallel_for, parallel_for_coarse};
use crate::sim::particles::Particles;
use fearless_simd::Level;
use glam::Vec2;

/// Distance up to which obstacles act on liquid, in h.
pub const WALL_REACH: f32 = 1.75;

/// Maximum displacement in one substep, in h: a particle farther than h from a wall before a move cannot have crossed it.
pub(in crate::sim) const MAX_MOVE: f32 = 0.4;

#[derive(Clone, Debug)]
pub struct ParticleStore {
    pub(in crate::sim) h: f32,
    pub(in crate::sim) rest: RestState,
    pub(in crate::sim) level: Level,
    /// Substeps since the start.
    substeps: u32,
    pub(in crate::sim) particles: Particles,
    /// Ids of removed particles, to be reused: a particle that is poured has the phase of the one whose id it gets.
    free_ids: Vec<u32>,
    /// Ids of particles that have boiled away, to be reused by drops alone.
    vapor_ids: Vec<u32>,
    pub(in crate::sim) grid: Grid,
    pub(in crate::sim) sleep_map: SleepMap,
    /// Neighbour ranges recorded by the density pass.
    neighbor_ranges: Vec<u32>,
    /// Sums that a pass over pairs adds to the row above each, kept apart from the sums within rows.
    pub(in crate::sim) upper_sums: [Vec<f32>; 2],
    /// The grid's blocks within reach of a wall: only particles in these are tested.
    boundary_blocks: Vec<u32>,
    /// Particles within reach of walls, as the density pass found them, per chunk.
    pub(in crate::sim) wall_contacts: Vec<Vec<WallContact>>,
    pub(in crate::sim) body_contacts: BodyContacts,
    pub(in crate::sim) sheets: ImmersedSheets,
    /// Those of the next step.
    pub(in crate::sim) sources: Vec<Source>,
}

/// A place where liquid comes, or goes, through no face.
#[derive(Clone, Copy, Debug)]
pub(in crate::sim) struct Source {
    pub at: Vec2,
    /// m² a second; negative where it goes.
    pub rate: f32,
    /// It goes only where the liquid is not compressed.
    pub draws: bool,
}

impl ParticleStore {
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
            sheets: ImmersedSheets::default(),
            sources: Vec::new(),
        }
    }

    pub fn spacing(&self) -> f32 {
        self.rest.spacing * self.h
    }

    /// Returns the area that one particle represents, m². It is also its mass, if the liquid is water.
    pub fn particle_area(&self) -> f32 {
        self.h * self.h / self.rest.number_density
    }

    /// Lays the grid over a tank whose walls have moved and sorts the particles into it.
    pub(super) fn refit(&mut self, walls: &Walls) {
        self.grid.resize(walls.extent(), self.h);
        self.grid.sort(self.level, &mut self.particles);
        self.sleep_map.resize(self.grid.rows(), self.grid.blocks_per_row());
        self.find_boundary_blocks(walls);
    }

    pub(super) fn sort(&mut self) {
        self.grid.sort(self.level, &mut self.particles);
        self.substeps = self.substeps.wrapping_add(1);
        if self.substeps.is_multiple_of(SEPARATION_INTERVAL) {
            separate_coincident(&mut self.particles, &self.grid, self.h);
        }
    }

    /// Returns the particles, and a pass over the pairs of which at least one is in `zone`.
    pub(in crate::sim) fn pairs(&mut self, zone: Zone) -> (&Particles, PairPass<'_>) {
        let Self { level, grid, sleep_map, neighbor_ranges, upper_sums, .. } = self;
        (&self.particles, PairPass { level: *level, grid, sleep_map, zone, neighbor_ranges, upper_sums })
    }

    pub(super) fn add_upper_sums(&self, sums: [&mut [f32]; 2]) {
        let [upper_x, upper_y] = &self.upper_sums;
        parallel_for(&self.grid.chunks, sums, &|chunk, [x, y]| {
            add(x, &upper_x[chunk.slots.clone()]);
            add(y, &upper_y[chunk.slots.clone()]);
        });
    }

    /// Applies the displacements `sums` = Δ: `v += Δ/dt` and `x += f Δ`; f is 1 in the paper (see `thermostat`). f also scales
    /// the fall `g dt²` of this substep, so that a particle at rest has no velocity for any f.
    pub(super) fn displace(&mut self, sums: &[Vec<f32>; 2], dt: f32, forward: f32, fall: Vec2) {
        let inv_dt = 1.0 / dt;
        let limit = MAX_MOVE * self.h;
        let Self { grid, sleep_map, particles, .. } = self;
        parallel_for_coarse(&grid.chunks, particles.slice_mut().0, &|chunk, p| {
            for slots in sleep_map.active_slots(grid, chunk) {
                let own = slots.start - chunk.slots.start..slots.end - chunk.slots.start;
                let [dx, dy] = sums.each_ref().map(|sums| &sums[slots.clone()]);
                displace(&mut p.x[own.clone()], &mut p.vx[own.clone()], dx, limit, inv_dt, forward, fall.x);
                displace(&mut p.y[own.clone()], &mut p.vy[own], dy, limit, inv_dt, forward, fall.y);
            }
        });
    }
}

fn displace(at: &mut [f32], v: &mut [f32], moved: &[f32], limit: f32, inv_dt: f32, forward: f32, fall: f32) {
    for ((at, v), moved) in at.iter_mut().zip(v).zip(moved) {
        let moved = moved.clamp(-limit, limit);
        *at += forward * moved - (1.0 - forward) * fall;
        *v += moved * inv_dt;
    }
}
