//! What can be asked of the liquid: how dense it is, what acts in it, and how bodies in it are to be coupled.

use crate::sim::liquid::body_contacts::{ImpulseTiming, LiquidCoupling, ParticleLiquidMut};
use crate::sim::liquid::particle_liquid::{Force, LiquidMethod, ParticleLiquid};
use crate::sim::liquid::sph::boundary::BOUNDARY_OFFSET;
use crate::sim::liquid::sph::kernels::{POLY6_SLOPE, SPIKY_SLOPE};
use crate::sim::liquid::sph::{Sph, SphMaterial};
use crate::sim::particles::value_at;
use glam::Vec2;

impl Sph {
    pub fn material(&self) -> &SphMaterial {
        &self.material
    }
}

impl LiquidMethod for Sph {
    fn relative_density(&self, slot: usize) -> f32 {
        value_at(&self.density, slot)
    }

    /// As it was at the end of the last step: that of the forces which a particle exchanges with its neighbours, without
    /// tension and its own jitter.
    fn pressure(&self, slot: usize) -> f32 {
        value_at(&self.virial, slot)
    }

    /// Asks every particle. It counts no walls, so within h of them it is too low.
    fn pressure_with_tension(&self, slot: usize) -> f32 {
        let (p, h) = (self.particles(), self.base.h);
        let virial = p.alive().filter(|&other| other != slot).map(|other| {
            let r = p.position(slot).distance(p.position(other));
            if r < h { r * self.pair_acceleration(slot, other, r) } else { 0.0 }
        });
        self.relative_density(slot) * 0.25 * virial.sum::<f32>()
    }

    /// By pressure and tension, as `pair_kernels` has them.
    fn pair_acceleration(&self, slot: usize, other: usize, r: f32) -> f32 {
        let (q, h) = ((r / self.base.h).min(1.0), self.base.h);
        let pressure = self.kernel_scale() * (value_at(&self.pressure, slot) + value_at(&self.pressure, other));
        let tension = 2.0 * self.cohesion() / self.base.rest.number_density;
        (pressure * SPIKY_SLOPE * (1.0 - q).powi(2) - tension * POLY6_SLOPE * q * (1.0 - q * q).powi(2)) / h
    }

    fn has_force_breakdown(&self) -> bool {
        true
    }

    /// As it was at the end of the last step.
    fn force(&self, force: Force, slot: usize) -> f32 {
        value_at(&self.force_magnitudes[force as usize], slot)
    }

    fn surface(&self, slot: usize) -> f32 {
        value_at(&self.surface, slot)
    }

    fn add_with_phase(&mut self, _: u8, at: Vec2, velocity: Vec2) {
        let id = self.base.insert(at, velocity) as usize;
        if let Some(before) = self.density_before.get_mut(id) {
            *before = 0.0;
        }
    }

    fn remove(&mut self, slot: usize) {
        self.base.take(slot);
    }

    fn coupling(&mut self) -> LiquidCoupling<'_> {
        let (area, spacing) = (self.base.particle_area(), self.base.spacing());
        let ParticleLiquid { body_contacts, particles, h, .. } = &mut self.base;
        LiquidCoupling {
            body_contacts,
            grains: ParticleLiquidMut { particles, phases: None, h: *h, spacing, area },
            impulse_timing: ImpulseTiming::HalfSteps,
            boundary_offset: BOUNDARY_OFFSET,
            viscous: &[],
        }
    }
}
