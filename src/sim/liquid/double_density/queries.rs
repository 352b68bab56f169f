//! What can be asked of the liquid: how dense it is, under what pressure, and how bodies in it are to be coupled.

use crate::sim::liquid::body_contacts::{ImpulseTiming, LiquidCoupling, ParticleLiquidMut};
use crate::sim::liquid::double_density::DoubleDensityLiquid;
use crate::sim::liquid::fluid::Fluid;
use crate::sim::liquid::particle_liquid::{LiquidMethod, ParticleLiquid};
use crate::sim::liquid::phases::Phases;
use crate::sim::liquid::rest_stretch::RestStretch;
use crate::sim::particles::{ParticleColor, value_at};
use glam::Vec2;

impl DoubleDensityLiquid {
    pub fn fluid(&self) -> &Fluid {
        &self.fluid
    }

    /// P and P_near of a slot (eqs. 3 and 5) as they are applied, times h: m²/s².
    pub fn pressures(&self, slot: usize) -> (f32, f32) {
        let [pressure, near] =
            self.fluid.pressures([value_at(&self.density, slot), value_at(&self.near_density, slot)]);
        let (at_rest, eased) = (self.base.rest.pressures(&self.fluid)[0], 1.0 - self.fluid.tension_scale);
        (pressure + eased * (at_rest - pressure).max(0.0), near)
    }
}

impl LiquidMethod for DoubleDensityLiquid {
    fn phases(&self) -> Option<&Phases> {
        Some(&self.phases)
    }

    fn relative_density(&self, slot: usize) -> f32 {
        // A particle does not count itself, so the sum falls short of the integral by a constant.
        let integral = self.base.rest.number_density * std::f32::consts::PI / 6.0;
        (value_at(&self.density, slot) - self.base.rest.density + integral) / integral
    }

    /// The virial, in two dimensions `p A = ½ Σ r · F` over the pairs, of each of which a half is this particle's. Walls and
    /// bodies, which are no pairs, are left out: what presses on a particle beside one is its own P alone, which is more
    /// than its neighbours' by about as much (with what is imagined behind them, it would be a quarter too much beside
    /// walls; without, it is 5 % short in the lowest h of water and 10 % in that of the blob).
    ///
    /// P + P_near are no pressures but what the kernels weigh: 2.4 times as much in water, 3 to 6 times in the blob.
    fn pressure(&self, slot: usize) -> f32 {
        let (p, h) = (&self.base.particles, self.base.h);
        let at = p.position(slot);
        let virial = self.base.grid.slots_around(at).filter(|&other| other != slot).map(|other| {
            let r = at.distance(p.position(other));
            if r < h { r * self.pair_acceleration(slot, other, r) } else { 0.0 }
        });
        self.relative_density(slot) * 0.25 * virial.sum::<f32>()
    }

    /// Eq. 6.
    fn pair_acceleration(&self, slot: usize, other: usize, r: f32) -> f32 {
        let ((own, own_near), (others, others_near)) = (self.pressures(slot), self.pressures(other));
        let g = (1.0 - r / self.base.h).max(0.0);
        0.5 / self.base.h * ((own + others) * g + (own_near + others_near) * g * g)
    }

    fn is_tinted(&self) -> bool {
        !self.tints.is_empty()
    }

    fn tint(&self, slot: usize) -> Option<ParticleColor> {
        self.tints.get(self.base.particles.id[slot] as usize).copied()
    }

    fn rest_stretches(&self) -> Vec<RestStretch> {
        self.rest_stretches_by_id()
    }

    fn add_with_phase(&mut self, phase: u8, at: Vec2, velocity: Vec2) {
        let id = self.base.insert(at, velocity);
        self.phases.assign_phase(id, phase);
    }

    fn remove(&mut self, slot: usize) {
        let id = self.base.take(slot);
        self.springs.remove_all(id);
    }

    fn coupling(&mut self) -> LiquidCoupling<'_> {
        let (area, spacing) = (self.base.particle_area(), self.base.spacing());
        let Self { base: ParticleLiquid { body_contacts, particles, h, .. }, phases, viscosity, .. } = self;
        LiquidCoupling {
            body_contacts,
            grains: ParticleLiquidMut { particles, phases: Some(phases), h: *h, spacing, area },
            impulse_timing: ImpulseTiming::FullStep,
            boundary_offset: self.fluid.body_inset(),
            viscous: &viscosity.rates,
        }
    }
}
