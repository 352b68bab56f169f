//! Which parts of the liquid sleep: see `neighbors/sleep_map.rs`.

use crate::sim::boundary::Walls;
use crate::sim::forces::PointerForce;
use crate::sim::liquid::ParticleStore;
use crate::sim::neighbors::{SLEEP_SPEED, Zone};
use crate::sim::particles::Particles;
use glam::Vec2;
use std::ops::Range;

/// Ratio of a speed to the mean around it that still counts as jitter, which goes on for a minute in a liquid at rest.
const JITTER: f32 = 3.0;

/// The speed of single particles beside solids, m/s, while the liquid there rests in the mean: nobody sees them.
pub(in crate::sim::liquid) const JITTER_AT_SOLIDS: f32 = 0.25;

/// About the number of particles in a patch: a mean of fewer is dominated by jitter.
const FULL: f32 = 8.0;

/// Walls beside which one particle may tremble, in a patch of at least so many particles.
pub(in crate::sim::liquid) type TremblingAt<'a> = (&'a Walls, usize);

impl ParticleStore {
    /// Call it before the substeps of a step, with the pointer forces to come and the walls beside which single particles may
    /// tremble; a liquid for which it is never called stays awake.
    pub fn update_sleep(&mut self, pointer_forces: &[PointerForce], walls: Option<TremblingAt>) {
        let Self { grid, particles: p, sleep_map, h, body_contacts, sources, .. } = self;
        // A patch reaches 0.71 h from its middle.
        let poked = |middle: Vec2| {
            pointer_forces.iter().any(|force| force.at.distance(middle) < force.radius + *h)
                || sources.iter().any(|source| source.at.distance(middle) < 2.0 * *h)
                || body_contacts.is_active_near(middle, 1.72 * *h)
        };
        let moves = |(patch, middle)| is_moving(p, grid.block(patch), middle, SLEEP_SPEED, walls) || poked(middle);
        sleep_map.count_steps(grid.block_centers().enumerate().map(moves));
        for patch in (0..grid.rows() * grid.blocks_per_row()).filter(|&patch| sleep_map.is_asleep(patch)) {
            let slots = grid.block(patch);
            p.vx[slots.clone()].fill(0.0);
            p.vy[slots].fill(0.0);
        }
    }

    /// Whether no part moves faster than `speed` m/s, jitter aside, for which `walls` are as above.
    pub fn is_slower_than(&self, speed: f32, walls: Option<TremblingAt>) -> bool {
        // Particles added since the last sort are in no patch yet.
        let limit = if walls.is_some() { JITTER_AT_SOLIDS } else { JITTER * speed };
        self.particles.max_speed() < limit
            && !(self.grid.block_centers().enumerate())
                .any(|(patch, middle)| is_moving(&self.particles, self.grid.block(patch), middle, speed, walls))
    }

    pub fn awake(&self) -> usize {
        let slots = |row| self.sleep_map.slots(Zone::Active, &self.grid, row).map(|slots| slots.len());
        (0..self.grid.rows()).flat_map(slots).sum()
    }
}

/// Whether particles around `middle` move: in the mean, or one of them much faster than that, which may tremble at a solid.
fn is_moving(p: &Particles, slots: Range<usize>, middle: Vec2, speed: f32, walls: Option<TremblingAt>) -> bool {
    let number = slots.len();
    // One as fast as this is no jitter anywhere; in a tank in motion most patches have one.
    let surely_moves = JITTER_AT_SOLIDS.max(JITTER * speed).powi(2);
    let (mut sum, mut fastest) = (Vec2::ZERO, Vec2::ZERO);
    for slot in slots {
        let v = p.velocity(slot);
        if v.length_squared() > surely_moves {
            return true;
        }
        sum += v;
        fastest = if v.length_squared() > fastest.length_squared() { v } else { fastest };
    }
    let moves = |sum: Vec2| sum.length_squared() > (FULL.max(number as f32) * speed).powi(2);
    let is_faster_than = |speed: f32| fastest.length_squared() > speed.powi(2);
    if !moves(sum) && !is_faster_than(JITTER * speed) {
        return false;
    }
    // The walls last: in a tank in motion every patch comes here.
    is_faster_than(JITTER_AT_SOLIDS)
        || moves(sum - fastest)
        || !walls.is_some_and(|(walls, least)| number >= least && walls.distance(middle) < walls.support_radius())
}
