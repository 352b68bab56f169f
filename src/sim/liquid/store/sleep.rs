//! Which parts of the liquid sleep: see `neighbors/sleep_map.rs`.

use crate::sim::forces::PointerForce;
use crate::sim::liquid::store::ParticleStore;
use crate::sim::neighbors::sleep_map::{SLEEP_SPEED, Zone};
use crate::sim::particles::Particles;
use glam::Vec2;
use std::ops::Range;

/// Ratio of a speed to the mean around it that still counts as jitter, which goes on for a minute in a liquid at rest.
const JITTER: f32 = 3.0;

/// About the number of particles in a patch: a mean of fewer is dominated by jitter.
const FULL: f32 = 8.0;

impl ParticleStore {
    /// Call it before the substeps of a step, with the pointer forces to come; a liquid for which it is never called stays awake.
    pub fn update_sleep(&mut self, pointer_forces: &[PointerForce]) {
        let Self { grid, particles: p, sleep_map, h, body_contacts, .. } = self;
        // A patch reaches 0.71 h from its middle.
        let poked = |middle: Vec2| {
            pointer_forces.iter().any(|force| force.at.distance(middle) < force.radius + *h)
                || body_contacts.is_active_near(middle, 1.72 * *h)
        };
        let moves = |(patch, middle)| is_moving(p, grid.block(patch), SLEEP_SPEED) || poked(middle);
        sleep_map.count_steps(grid.block_centers().enumerate().map(moves));
        for patch in (0..grid.rows() * grid.blocks_per_row()).filter(|&patch| sleep_map.is_asleep(patch)) {
            let slots = grid.block(patch);
            p.vx[slots.clone()].fill(0.0);
            p.vy[slots].fill(0.0);
        }
    }

    /// Whether no part moves faster than `speed` m/s, jitter aside.
    pub fn is_slower_than(&self, speed: f32) -> bool {
        // Particles added since the last sort are in no patch yet.
        self.particles.max_speed() < JITTER * speed
            && !(0..self.grid.rows() * self.grid.blocks_per_row())
                .any(|patch| is_moving(&self.particles, self.grid.block(patch), speed))
    }

    pub fn awake(&self) -> usize {
        let slots = |row| self.sleep_map.slots(Zone::Active, &self.grid, row).map(|slots| slots.len());
        (0..self.grid.rows()).flat_map(slots).sum()
    }
}

/// Whether particles move: in the mean, or one of them much faster than that.
fn is_moving(p: &Particles, slots: Range<usize>, speed: f32) -> bool {
    let (mut sum, number) = (Vec2::ZERO, slots.len() as f32);
    let mut fastest = 0f32;
    for slot in slots {
        let v = p.velocity(slot);
        sum += v;
        fastest = fastest.max(v.length_squared());
    }
    fastest > (JITTER * speed).powi(2) || sum.length_squared() > (number.max(FULL) * speed).powi(2)
}
