//! Which parts of the liquid sleep: see [`drowse`].
//!
//! [`drowse`]: crate::sim::grid::drowse

use super::Liquid;
use crate::sim::grid::drowse::{SLEEPY, Zone};
use crate::sim::poke::Poke;
use crate::sim::walls::Walls;
use glam::Vec2;

impl Liquid {
    /// Wakes every part of the liquid that sleeps.
    pub fn wake(&mut self) {
        self.drowse.wake();
    }

    /// Lets those parts sleep, until something comes near them, that have been at rest for long. To be called before
    /// the substeps of a step, with what is going to disturb them: a liquid of which it is never called stays awake.
    pub fn drowse(&mut self, pokes: &[Poke]) {
        let Self { grid, particles: p, drowse, h, banks, .. } = self;
        let fast = |slot: usize| p.velocity(slot).length_squared() > SLEEPY * SLEEPY;
        // A patch reaches 0.71 h from its middle.
        let poked = |middle: Vec2| {
            pokes.iter().any(|poke| poke.at.distance(middle) < poke.radius + *h) || banks.stirs(middle, 1.72 * *h)
        };
        drowse.count(grid.patches().enumerate().map(|(patch, middle)| grid.patch(patch).any(fast) || poked(middle)));
        for patch in (0..grid.rows() * grid.across()).filter(|&patch| drowse.is_asleep(patch)) {
            let slots = grid.patch(patch);
            p.vx[slots.clone()].fill(0.0);
            p.vy[slots].fill(0.0);
        }
    }

    /// How many particles are awake.
    pub fn awake(&self) -> usize {
        let slots = |row| self.drowse.slots(Zone::Moved, &self.grid, row).map(|slots| slots.len());
        (0..self.grid.rows()).flat_map(slots).sum()
    }

    /// Computes the densities of those who sleep, if nobody did in the last substep: for a picture between substeps.
    pub fn weigh(&mut self, walls: &Walls) {
        if self.awake() < self.particles.len() {
            self.compute_density(walls, Zone::Everybody);
        }
    }
}
