//! The start of a liquid at rest: on a lattice not yet compressed by the weight above, a pool would ring for a minute.

use crate::math::slide_along;
use crate::sim::StepContext;
use crate::sim::boundary::Walls;
use crate::sim::clock::STEP;
use crate::sim::liquid::pressure::wcsph::{BOUNDARY_OFFSET, EffectiveMaterial, SphMaterial};
use crate::sim::liquid::{Liquid, ParticleStore};
use glam::Vec2;

/// Substeps in which particles find their places; sound travels 40 h in that time.
const SUBSTEPS: usize = 200;

/// Maximum compression of a pool by its weight for which it begins compressed: see [`Liquid::sink`].
const MAX_SINKING: f32 = 0.05;

/// A pool of the liquid's start.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// The height of its surface above the floor, metres, if it stands on the floor.
    pub standing: Option<f32>,
    /// Σ v² of its particles after the substep before.
    pub energy: f32,
}

impl Liquid {
    /// Relaxes the particles of each pool under the weight (`gravity`, m/s²) of those that stand on the floor. Whenever the
    /// kinetic energy begins to fall, the velocities are set to zero. Afterwards the particles have the velocities that they were
    /// given. Pools in the air stay there. `pool` returns the pool of a particle by id.
    pub(in crate::sim) fn find_places(
        &mut self,
        pools: &mut [Start],
        pool: impl Fn(u32) -> usize,
        gravity: f32,
        walls: &Walls,
    ) {
        let Some(material) = self.material().copied() else { return };
        self.sink(&material, pools, &pool, gravity);
        let p = &mut self.store.particles;
        let mut given = vec![Vec2::ZERO; p.slots()];
        p.alive().for_each(|slot| given[p.id[slot] as usize] = p.velocity(slot));
        p.zero_velocities();
        let down = Vec2::new(0.0, -gravity);
        for _ in 0..SUBSTEPS {
            let dt = STEP / self.required_substeps(STEP, gravity, walls.size()).max(1.0);
            self.substep(&StepContext { dt, gravity: down, walls, pointer_forces: &[] }, &mut ());
            self.put_out_of_bodies();
            self.hold_up(pools, &pool, down * dt);
        }
        self.store.particles.set_velocities(|id| given[id as usize]);
        self.fit(walls);
    }

    /// Compresses pools on the floor by the weight above: pressure grows by g with depth, and density by that over c².
    fn sink(&mut self, material: &SphMaterial, pools: &[Start], pool: &impl Fn(u32) -> usize, gravity: f32) {
        for slot in 0..self.store.particles.slots() {
            let Some(level) = self.pool_of(slot, pool).and_then(|pool| pools[pool].standing) else { continue };
            let at = self.store.particles.position(slot);
            let below = (level - at.y).max(0.0);
            let stiff = EffectiveMaterial::of(material, gravity * level).sound().powi(2);
            // Beyond that the relation is not linear, and the pool would begin with a shock.
            let strength = (MAX_SINKING * stiff / (gravity * level).max(f32::MIN_POSITIVE)).min(1.0);
            let sunk = strength * gravity * at.y * (below + 0.5 * at.y) / stiff;
            self.store.particles.set_position(slot, Vec2::new(at.x, at.y - sunk));
        }
    }

    /// Moves particles out of bodies, which do not move yet, and stops them.
    fn put_out_of_bodies(&mut self) {
        let ParticleStore { body_contacts, particles: p, h, .. } = &mut self.store;
        for contact in body_contacts.contacts.iter().flatten() {
            let (slot, depth) = (contact.slot as usize, -BOUNDARY_OFFSET * *h - contact.distance);
            if depth > 0.0 {
                p.set_position(slot, p.position(slot) + depth * contact.normal);
                p.set_velocity(slot, slide_along(p.velocity(slot), contact.normal));
            }
        }
    }

    /// Removes the `fall` (m/s) of a substep from pools in the air, and all motion from those in which it fades.
    fn hold_up(&mut self, pools: &mut [Start], pool: &impl Fn(u32) -> usize, fall: Vec2) {
        let mut energies = vec![0.0; pools.len()];
        for slot in 0..self.store.particles.slots() {
            let Some(pool) = self.pool_of(slot, pool) else { continue };
            let v =
                self.store.particles.velocity(slot) - if pools[pool].standing.is_none() { fall } else { Vec2::ZERO };
            self.store.particles.set_velocity(slot, v);
            energies[pool] += v.length_squared();
        }
        for (start, energy) in pools.iter_mut().zip(energies) {
            start.energy = if energy < start.energy { 0.0 } else { energy };
        }
        for slot in 0..self.store.particles.slots() {
            if self.pool_of(slot, pool).is_some_and(|pool| pools[pool].energy == 0.0) {
                self.store.particles.set_velocity(slot, Vec2::ZERO);
            }
        }
    }

    fn pool_of(&self, slot: usize, pool: &impl Fn(u32) -> usize) -> Option<usize> {
        self.store.particles.is_alive(slot).then(|| pool(self.store.particles.id[slot]))
    }
}
