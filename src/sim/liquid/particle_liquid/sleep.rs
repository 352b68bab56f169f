//! Which parts of the liquid sleep: see [`sleep_map`].
//!
//! [`sleep_map`]: crate::sim::neighbors::sleep_map

use crate::sim::liquid::particle_liquid::ParticleLiquid;
use crate::sim::neighbors::sleep_map::{SLEEP_SPEED, Zone};
use crate::sim::particles::Particles;
use crate::sim::pointer_force::PointerForce;
use glam::Vec2;
use std::ops::Range;

/// How many times as fast as the mean of those around it a particle may be where all rests: the last jitter of a liquid goes
/// on for a minute after it has come to rest, and moves no surface.
const JITTER: f32 = 3.0;

/// About as many particles as a patch holds: of fewer the mean is jitter.
const FULL: f32 = 8.0;

impl ParticleLiquid {
    /// Wakes every part of the liquid that sleeps.
    pub fn wake(&mut self) {
        self.sleep_map.wake();
    }

    /// Lets those parts sleep, until something comes near them, that have been at rest for long. To be called before
    /// the substeps of a step, with what is going to disturb them: a liquid of which it is never called stays awake.
    pub fn update_sleep(&mut self, pointer_forces: &[PointerForce]) {
        let Self { grid, particles: p, sleep_map, h, body_contacts, .. } = self;
        // A patch reaches 0.71 h from its middle.
        let poked = |middle: Vec2| {
            pointer_forces.iter().any(|force| force.at.distance(middle) < force.radius + *h)
                || body_contacts.is_active_near(middle, 1.72 * *h)
        };
        sleep_map.count_steps(
            grid.block_centers()
                .enumerate()
                .map(|(patch, middle)| is_moving(p, grid.block(patch), SLEEP_SPEED) || poked(middle)),
        );
        for patch in (0..grid.rows() * grid.blocks_per_row()).filter(|&patch| sleep_map.is_asleep(patch)) {
            let slots = grid.block(patch);
            p.vx[slots.clone()].fill(0.0);
            p.vy[slots].fill(0.0);
        }
    }

    /// Whether it moves nowhere faster than so many m/s, jitter aside.
    pub fn is_slower_than(&self, speed: f32) -> bool {
        // Those that have been added since the last sort are in no patch yet.
        let mut patches = 0..self.grid.rows() * self.grid.blocks_per_row();
        let fast = self.particles.max_speed() >= JITTER * speed;
        !fast && !patches.any(|patch| is_moving(&self.particles, self.grid.block(patch), speed))
    }

    /// How many particles are awake.
    pub fn awake(&self) -> usize {
        let slots = |row| self.sleep_map.slots(Zone::Active, &self.grid, row).map(|slots| slots.len());
        (0..self.grid.rows()).flat_map(slots).sum()
    }
}

/// Whether particles move: their mean, or one of them much.
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
