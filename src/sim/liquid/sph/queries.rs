//! What can be asked of the liquid: how finely it is divided, how dense it is and what acts in it.

use crate::sim::liquid::sph::kernels::{POLY6_SLOPE, SPIKY_SLOPE};
use crate::sim::liquid::sph::{Force, Sph, SphMaterial};
use crate::sim::particles::{Particles, value_at};

impl Sph {
    pub fn substance(&self) -> &SphMaterial {
        &self.substance
    }

    /// Interaction radius, metres.
    pub fn h(&self) -> f32 {
        self.h
    }

    /// Distance between neighbours at rest, metres.
    pub fn spacing(&self) -> f32 {
        self.rest.spacing * self.h
    }

    /// The area that one particle stands for, m²; also its mass, a square metre of liquid having mass 1.
    pub fn particle_area(&self) -> f32 {
        self.h * self.h / self.rest.crowd
    }

    pub fn particles(&self) -> &Particles {
        &self.particles
    }

    /// Density at a slot relative to the liquid at rest: 1 in still water, less at a surface.
    pub fn relative_density(&self, slot: usize) -> f32 {
        value_at(&self.density, slot)
    }

    /// Pressure at a slot over ρ₀, m²/s², as it was at the end of the last step: that of the forces which it exchanges with
    /// its neighbours, without tension and its own jitter.
    pub fn pressure(&self, slot: usize) -> f32 {
        value_at(&self.virial, slot)
    }

    /// Acceleration by which pressure and tension push two slots `r` metres apart, each off the other: as
    /// `pair_kernels::forces` has it.
    pub(in crate::sim) fn push(&self, slot: usize, other: usize, r: f32) -> f32 {
        let (q, h) = ((r / self.h).min(1.0), self.h);
        let weighed = self.lattice.share / self.substance.density.at(0.0);
        let pressure = weighed * (value_at(&self.pressure, slot) + value_at(&self.pressure, other));
        let tension = 2.0 * self.cohesion() / self.rest.crowd;
        (pressure * SPIKY_SLOPE * (1.0 - q).powi(2) - tension * POLY6_SLOPE * q * (1.0 - q * q).powi(2)) / h
    }

    /// How much of the surface a slot is, 0 to 1.
    pub fn surface(&self, slot: usize) -> f32 {
        value_at(&self.surface, slot)
    }

    /// Magnitude of one of the forces at a slot, m/s², as it was at the end of the last step.
    pub fn force(&self, force: Force, slot: usize) -> f32 {
        value_at(&self.felt[force as usize], slot)
    }
}
