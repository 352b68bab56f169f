//! The liquid around a place: sums over the particles within h, eight at a time.

use crate::math::horizontal_sum;
use crate::sim::boundary::Walls;
use crate::sim::liquid::{Liquid, ParticleStore};
use crate::sim::neighbors::{Grid, WIDTH};
use crate::sim::particles::Particles;
use fearless_simd::prelude::*;
use fearless_simd::{Level, f32x8};
use glam::Vec2;
use std::f32::consts::FRAC_PI_3;

pub(super) struct LiquidSampler<'a> {
    pub level: Level,
    grid: &'a Grid,
    pub particles: &'a Particles,
    /// The radius of the kernel, metres.
    pub h: f32,
    /// 1 over the kernel's sum in still liquid.
    norm: f32,
}

/// Sums over the neighbours of a place with the weights `(1 − r²/h²)²`, normalised so that they sum to 1 in still liquid.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Surroundings {
    /// The fraction of the kernel that is full: 1 inside, about one half on a flat surface, 0 in air.
    pub full: f32,
    /// Mean velocity, m/s; zero without neighbours.
    pub velocity: Vec2,
    /// Direction away from the liquid: the weighted offsets to the neighbours, negated, in h.
    pub outward: Vec2,
    /// Ihmsen et al.'s eq. 2, `Σ |v_ij| (1 − v̂_ij·x̂_ij) W`, m/s: the closing speed of the neighbours and the place.
    pub closing: f32,
    /// Distance to the nearest wall, metres, at most h.
    pub wall: f32,
}

impl<'a> LiquidSampler<'a> {
    pub fn new(liquid: &'a Liquid) -> Self {
        let ParticleStore { level, ref grid, ref particles, h, .. } = liquid.store;
        // ∫ (1 − r²/h²)² 2πr dr from 0 to h is πh²/3.
        let norm = liquid.particle_area() / (FRAC_PI_3 * h * h);
        Self { level, grid, particles, h, norm }
    }

    /// Around a place that moves at `velocity`; the part of the kernel that `walls` cut off does not count.
    #[inline(always)]
    pub fn look<S: Simd>(&self, simd: S, at: Vec2, velocity: Vec2, walls: &Walls) -> Surroundings {
        let (zero, one, inv_h2) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0), 1.0 / (self.h * self.h));
        let [mut weights, mut vx, mut vy, mut x, mut y, mut closing] = [zero; 6];
        let p = self.particles;
        for row in self.grid.rows_near(at.y, self.h) {
            for from in self.grid.slots_near(row, at.x, self.h).step_by(WIDTH) {
                let (dx, dy) = (read(simd, &p.x, from) - at.x, read(simd, &p.y, from) - at.y);
                let r2 = dx * dx + dy * dy;
                let room = (one - r2 * inv_h2).max(zero);
                let weight = room * room;
                let (own_vx, own_vy) = (read(simd, &p.vx, from), read(simd, &p.vy, from));
                weights += weight;
                vx += weight * own_vx;
                vy += weight * own_vy;
                x += weight * dx;
                y += weight * dy;
                let (ux, uy) = (own_vx - velocity.x, own_vy - velocity.y);
                let r = r2.max(f32x8::splat(simd, 1e-12)).sqrt();
                closing += weight * ((ux * ux + uy * uy).sqrt() - (ux * dx + uy * dy) / r);
            }
        }
        let weight = horizontal_sum(weights);
        let share = 1.0 / weight.max(f32::MIN_POSITIVE);
        // The kernel's part on the free side of a wall at t h, to 2 %: its slope at 0 is 1.02.
        let (mut free, mut wall) = (1.0, self.h);
        walls.contacts(at, self.h, |contact| {
            wall = wall.min(contact.distance);
            let t = (contact.distance / self.h).max(0.0);
            free *= 0.5 + t - 0.5 * t * t;
        });
        Surroundings {
            full: weight * self.norm / free,
            velocity: Vec2::new(horizontal_sum(vx), horizontal_sum(vy)) * share,
            outward: Vec2::new(horizontal_sum(x), horizontal_sum(y)) * (-self.norm / self.h),
            closing: horizontal_sum(closing) * self.norm,
            wall,
        }
    }
}

/// Reads eight values from a slot on. (A closure here is not inlined, and then every operation on vectors is a call.)
#[inline(always)]
fn read<S: Simd>(simd: S, array: &[f32], from: usize) -> f32x8<S> {
    f32x8::from_slice(simd, &array[from..from + WIDTH])
}
