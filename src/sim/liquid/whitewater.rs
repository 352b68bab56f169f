//! Spray, foam and bubbles, and the embers of lava: specks finer than the liquid's particles (M. Ihmsen, N. Akinci, G. Akinci, M.
//! Teschner, "Unified spray, foam and bubbles for particle-based fluids", The Visual Computer 28, 2012). Once a step, fast
//! particles near the surface make specks ([`potentials`]); each speck is spray, foam or a bubble by how much liquid is around it
//! ([`specks`]), and pushes nothing. In the plane kinds go by the full fraction of the kernel.

pub mod potentials;
pub mod specks;
mod surroundings;

use crate::sim::boundary::Walls;
use crate::sim::liquid::Liquid;
use fearless_simd::dispatch;
use glam::Vec2;
use specks::{Kind, Speck, SpeckStep, random};

/// The maximum number of specks, which is also limited by the number of particles.
const MAX_SPECKS: usize = 2048;

#[derive(Clone, Debug, Default)]
pub struct Whitewater {
    pub specks: Vec<Speck>,
    limit: usize,
    /// Steps since the start: the counter of the random numbers.
    steps: u32,
}

impl Whitewater {
    pub fn reserve(&mut self, particles: usize) {
        let limit = particles.next_power_of_two().min(MAX_SPECKS);
        if limit > self.limit {
            self.limit = limit;
            self.specks.reserve_exact(limit - self.specks.len());
        }
    }

    /// Advances the specks by `dt` seconds with the liquid, and adds new ones.
    pub fn step(&mut self, liquid: &Liquid, walls: &Walls, gravity: Vec2, dt: f32) {
        self.steps = self.steps.wrapping_add(1);
        let makes_any = liquid.makes_whitewater();
        if self.specks.is_empty() && !makes_any {
            return;
        }
        self.reserve(liquid.particles().len());
        let around = surroundings::LiquidSampler::new(liquid);
        let level = around.level;
        let scale = liquid.fluid().scale;
        let step = SpeckStep { walls, gravity, dt, number: self.steps, scale };
        dispatch!(level, simd => specks::advance(simd, &mut self.specks, &around, &step));
        if makes_any {
            dispatch!(level, simd => potentials::emit(simd, liquid, &around, &step, &mut self.specks, self.limit));
            potentials::emit_where_steam_leaves(liquid, &step, &mut self.specks, self.limit);
        }
    }

    /// Adds bubbles at a place: `count` of them in the mean, whole ones by chance.
    pub fn add_bubbles(&mut self, at: Vec2, count: f32) {
        let id = at.x.to_bits() ^ at.y.to_bits().rotate_left(16);
        if self.specks.len() < self.limit && random(id, self.steps, 9) < count {
            self.specks.push(Speck::new(Kind::Bubble, [at; 2], Vec2::ZERO, 0, [id, self.steps, 0]));
        }
    }

    /// Removes a fraction of the specks in a region. `share` is called only if there is a speck inside.
    pub fn remove_share(&mut self, inside: impl Fn(Vec2) -> bool, share: impl FnOnce() -> f32) {
        if !self.specks.iter().any(|speck| inside(speck.at)) {
            return;
        }
        let (share, steps) = (share(), self.steps);
        self.specks.retain(|speck| !inside(speck.at) || random(speck.variation.to_bits(), steps, 9) >= share);
    }
}
