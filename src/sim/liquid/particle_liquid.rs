//! A liquid made of particles, whatever method moves them: what pictures and measurements ask of it.

use crate::sim::liquid::double_density::DoubleDensityLiquid;
use crate::sim::liquid::phases::Phases;
use crate::sim::liquid::rest_stretch::RestStretch;
use crate::sim::liquid::sph::{Force, Sph};
use crate::sim::particles::ParticleColor;
use crate::sim::particles::Particles;
use glam::Vec2;
use std::ops::{Add, Mul};

/// A look at one of a tank's liquids.
#[derive(Clone, Copy, Debug)]
pub enum ParticleLiquidRef<'a> {
    Liquid(&'a DoubleDensityLiquid),
    Sph(&'a Sph),
}

impl<'a> ParticleLiquidRef<'a> {
    pub fn particles(self) -> &'a Particles {
        match self {
            ParticleLiquidRef::Liquid(liquid) => liquid.particles(),
            ParticleLiquidRef::Sph(sph) => sph.particles(),
        }
    }

    /// Interaction radius, metres.
    pub fn h(self) -> f32 {
        match self {
            ParticleLiquidRef::Liquid(liquid) => liquid.h(),
            ParticleLiquidRef::Sph(sph) => sph.h(),
        }
    }

    /// Distance between neighbours at rest, metres.
    pub fn spacing(self) -> f32 {
        match self {
            ParticleLiquidRef::Liquid(liquid) => liquid.spacing(),
            ParticleLiquidRef::Sph(sph) => sph.spacing(),
        }
    }

    /// The area that one particle stands for, m².
    pub fn particle_area(self) -> f32 {
        match self {
            ParticleLiquidRef::Liquid(liquid) => liquid.particle_area(),
            ParticleLiquidRef::Sph(sph) => sph.particle_area(),
        }
    }

    /// Its phases and the phase of each particle, if it may have several.
    pub fn mixture(self) -> Option<&'a Phases> {
        match self {
            ParticleLiquidRef::Liquid(liquid) => Some(liquid.mixture()),
            ParticleLiquidRef::Sph(_) => None,
        }
    }

    /// Mass of the particle in a slot, a square metre of the first fluid having mass 1.
    #[inline]
    pub fn mass(self, slot: usize) -> f32 {
        match self {
            ParticleLiquidRef::Liquid(liquid) => liquid.mass(slot),
            ParticleLiquidRef::Sph(sph) => sph.particle_area(),
        }
    }

    /// Density at a slot relative to the liquid at rest: 1 in still water, less at a surface.
    #[inline]
    pub fn relative_density(self, slot: usize) -> f32 {
        match self {
            ParticleLiquidRef::Liquid(liquid) => liquid.relative_density(slot),
            ParticleLiquidRef::Sph(sph) => sph.relative_density(slot),
        }
    }

    /// Pressure at a slot per unit of density, m²/s².
    #[inline]
    pub fn pressure(self, slot: usize) -> f32 {
        match self {
            ParticleLiquidRef::Liquid(liquid) => liquid.pressure(slot),
            ParticleLiquidRef::Sph(sph) => sph.pressure(slot),
        }
    }

    /// Acceleration by which two slots `r` metres apart are pushed off each other, m/s²; not by viscosity.
    pub fn push(self, slot: usize, other: usize, r: f32) -> f32 {
        match self {
            ParticleLiquidRef::Liquid(liquid) => liquid.push(slot, other, r),
            ParticleLiquidRef::Sph(sph) => sph.push(slot, other, r),
        }
    }

    /// Whether a picture can tell its forces apart.
    pub fn has_force_breakdown(self) -> bool {
        matches!(self, ParticleLiquidRef::Sph(_))
    }

    /// Magnitude of a force at a slot, m/s²; zero where it is not told from the others.
    #[inline]
    pub fn force(self, force: Force, slot: usize) -> f32 {
        match self {
            ParticleLiquidRef::Liquid(_) => 0.0,
            ParticleLiquidRef::Sph(sph) => sph.force(force, slot),
        }
    }

    /// How near a slot is to the surface: 0 inside, 1 on it.
    #[inline]
    pub fn surface(self, slot: usize) -> f32 {
        match self {
            ParticleLiquidRef::Liquid(liquid) => ((1.0 - liquid.relative_density(slot)) / 0.3).clamp(0.0, 1.0),
            ParticleLiquidRef::Sph(sph) => sph.surface(slot),
        }
    }

    /// Whether any of it has a colour of its own.
    pub fn is_tinted(self) -> bool {
        match self {
            ParticleLiquidRef::Liquid(liquid) => liquid.is_tinted(),
            ParticleLiquidRef::Sph(_) => false,
        }
    }

    /// The colour of a slot, where it has one of its own.
    #[inline]
    pub fn tint(self, slot: usize) -> Option<ParticleColor> {
        match self {
            ParticleLiquidRef::Liquid(liquid) => liquid.tint(slot),
            ParticleLiquidRef::Sph(_) => None,
        }
    }

    /// The rest stretch of each particle, by id; empty without springs.
    pub fn strains(self) -> Vec<RestStretch> {
        match self {
            ParticleLiquidRef::Liquid(liquid) => liquid.strains(),
            ParticleLiquidRef::Sph(_) => Vec::new(),
        }
    }

    /// Velocity at a place, m/s: the mean of the particles within h, the nearest counting most; none where there are
    /// none. Asks every particle.
    pub fn velocity(self, at: Vec2) -> Option<Vec2> {
        self.mean(at, |slot| self.particles().velocity(slot))
    }

    /// The mean of a quantity that slots have over the particles within h of a place, the nearest counting most; none
    /// where there are none. Asks every particle.
    pub fn mean<T: Default + Add<Output = T> + Mul<f32, Output = T>>(
        self,
        at: Vec2,
        quantity: impl Fn(usize) -> T,
    ) -> Option<T> {
        let (mut sum, mut weights, p) = (T::default(), 0.0, self.particles());
        for slot in p.alive() {
            let weight = 1.0 - p.position(slot).distance(at) / self.h();
            if weight > 0.0 {
                sum = sum + quantity(slot) * weight;
                weights += weight;
            }
        }
        (weights > 0.0).then(|| sum * (1.0 / weights))
    }
}
