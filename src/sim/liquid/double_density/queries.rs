//! What can be asked of the liquid: how finely it is divided, how dense it is and under what pressure.

use crate::sim::liquid::double_density::DoubleDensityLiquid;
use crate::sim::liquid::fluid::Fluid;
use crate::sim::particles::{Particles, value_at};

impl DoubleDensityLiquid {
    pub fn fluid(&self) -> &Fluid {
        &self.fluid
    }

    /// Interaction radius, metres.
    pub fn h(&self) -> f32 {
        self.h
    }

    /// Distance between neighbours at rest, metres.
    pub fn spacing(&self) -> f32 {
        self.rest.spacing * self.h
    }

    /// The area that one particle stands for, m².
    pub fn particle_area(&self) -> f32 {
        self.h * self.h / self.rest.crowd
    }

    pub fn particles(&self) -> &Particles {
        &self.particles
    }

    /// Density at a slot relative to the liquid at rest: 1 in still water, less at a surface.
    pub fn relative_density(&self, slot: usize) -> f32 {
        // A particle does not count itself, so the sum falls short of the integral by a constant.
        let integral = self.rest.crowd * std::f32::consts::PI / 6.0;
        (value_at(&self.density, slot) - self.rest.density + integral) / integral
    }

    /// Pressure at a slot, in m²/s² (per unit of density): stiffness times the excess over the rest density.
    pub fn pressure(&self, slot: usize) -> f32 {
        let (pressure, near_pressure) = self.pressures(slot);
        pressure + near_pressure
    }

    /// P and P_near of a slot (eqs. 3 and 5) as they are applied, times h: m²/s².
    pub(in crate::sim) fn pressures(&self, slot: usize) -> (f32, f32) {
        let [pressure, near] =
            self.fluid.pressures([value_at(&self.density, slot), value_at(&self.near_density, slot)]);
        let (at_rest, eased) = (self.rest.pressures(&self.fluid)[0], 1.0 - self.fluid.tension_scale);
        (pressure + eased * (at_rest - pressure).max(0.0), near)
    }

    /// Acceleration by which two slots `r` metres apart are pushed off each other (eq. 6).
    pub(in crate::sim) fn push(&self, slot: usize, other: usize, r: f32) -> f32 {
        let ((own, own_near), (others, others_near)) = (self.pressures(slot), self.pressures(other));
        let g = (1.0 - r / self.h).max(0.0);
        0.5 / self.h * ((own + others) * g + (own_near + others_near) * g * g)
    }
}
