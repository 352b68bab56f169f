//! Small things in a liquid, such as a fin or a crumb: they see what is within h, and exchange impulses with it.

use crate::sim::liquid::Liquid;
use glam::{DVec2, Vec2};
use std::f32::consts::PI;

/// Full fraction of the kernel from which on the liquid takes a whole impulse: a few drops would fly off with it.
const WHOLE_PUSH: f32 = 0.3;

/// The liquid around a point.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings {
    at: Vec2,
    /// Full fraction of the kernel: 1 in liquid at rest, one half on its surface.
    pub full: f32,
    /// Mean velocity, m/s; zero where there is no liquid.
    pub velocity: Vec2,
    /// Sum of the masses, times their weights.
    mass: f32,
}

impl Liquid {
    pub(in crate::sim) fn around(&self, at: Vec2) -> Surroundings {
        let (mut weights, mut velocity, mut mass) = (0.0, Vec2::ZERO, 0.0);
        let p = self.particles();
        for slot in self.store.grid.slots_around(at) {
            let weight = kernel(p.position(slot).distance_squared(at) / (self.h() * self.h()));
            if weight > 0.0 && p.is_alive(slot) {
                weights += weight;
                velocity += weight * p.velocity(slot);
                mass += weight * self.mass(slot);
            }
        }
        // In liquid at rest the sum is the integral of the kernel, times the particles per h².
        let full = weights / (PI / 3.0 * self.store.rest.number_density);
        Surroundings { at, full, velocity: velocity / weights.max(f32::MIN_POSITIVE), mass }
    }

    /// Gives an impulse to the particles within h of a place, and returns what they have taken: less where there are few.
    pub(in crate::sim) fn push(&mut self, at: Vec2, impulse: Vec2) -> Vec2 {
        let around = self.around(at);
        self.push_around(&around, impulse)
    }

    /// As [`Self::push`], where no particle has moved since the surroundings were found.
    pub(in crate::sim) fn push_around(&mut self, around: &Surroundings, impulse: Vec2) -> Vec2 {
        let at = around.at;
        if around.mass == 0.0 || !impulse.is_finite() {
            return Vec2::ZERO;
        }
        let change = impulse * (around.full / WHOLE_PUSH).min(1.0) / around.mass;
        let mut taken = DVec2::ZERO;
        let (h, area) = (self.h(), self.particle_area());
        let Self { store, phases, .. } = self;
        store.sleep_map.wake_block(store.grid.block_at(at));
        let p = &mut store.particles;
        for slot in store.grid.slots_around(at) {
            let weight = kernel(p.position(slot).distance_squared(at) / (h * h));
            if weight > 0.0 && p.is_alive(slot) {
                let before = p.velocity(slot);
                p.set_velocity(slot, before + weight * change);
                // Single precision has rounded the change.
                let mass = f64::from(area * phases.mass_of(p.id[slot]));
                taken += (p.velocity(slot).as_dvec2() - before.as_dvec2()) * mass;
            }
        }
        taken.as_vec2()
    }
}

/// The weight at a squared distance, in h².
fn kernel(squared: f32) -> f32 {
    (1.0 - squared).max(0.0).powi(2)
}
