//! Insertion, removal and teleporting of particles, and what each brings along
//! besides its place.

use crate::sim::liquid::body_contacts::ParticleLiquidMut;
use crate::sim::liquid::body_contacts::{ImpulseTiming, LiquidCoupling};
use crate::sim::liquid::double_density::DoubleDensityLiquid;
use crate::sim::liquid::targets::TargetPositions;
use crate::sim::particles::ParticleColor;
use crate::sim::particles::Particles;
use glam::Vec2;

impl DoubleDensityLiquid {
    /// An empty liquid of the same sort, of interaction radius `h` metres.
    pub(in crate::sim) fn empty_copy(&self, h: f32) -> Self {
        let mut liquid = Self { level: self.level, ..Self::new(self.fluid, h) };
        for (fluid, palette) in self.mixture.fluids().iter().zip(self.mixture.palettes()).skip(1) {
            liquid.mix(*fluid, palette.as_deref());
        }
        liquid
    }

    /// Makes room for so many more particles.
    pub fn reserve(&mut self, more: usize) {
        self.particles.reserve(more);
    }

    /// For passes in which it meets another matter. Velocities may change, and places by less than h; no particle may be added.
    pub(in crate::sim) fn particles_mut(&mut self) -> &mut Particles {
        &mut self.particles
    }

    /// The liquid as bodies in it see it.
    pub(in crate::sim) fn coupling(&mut self) -> LiquidCoupling<'_> {
        let (area, spacing, h) = (self.particle_area(), self.spacing(), self.h);
        let Self { body_contacts, particles, mixture, viscosity, .. } = self;
        let grains = ParticleLiquidMut { particles, mixture: Some(mixture), h, spacing, area };
        LiquidCoupling {
            body_contacts,
            grains,
            impulse_timing: ImpulseTiming::FullStep,
            boundary_offset: self.fluid.body_inset(),
            viscous: &viscosity.rates,
        }
    }

    /// Adds a particle; it takes part from the next step on. It has the phase of the particle that has been taken
    /// out, or of the first.
    pub fn add(&mut self, at: Vec2, velocity: Vec2) {
        let number = self.free_ids.last().map_or(0, |&id| self.mixture.number(id));
        self.add_with_phase(number, at, velocity);
    }

    /// Adds a particle of the fluid with this number.
    pub fn add_with_phase(&mut self, number: u8, at: Vec2, velocity: Vec2) {
        self.sleep_map.wake_block(self.grid.block_at(at));
        let id = self.free_ids.pop().unwrap_or(self.particles.id_capacity() as u32);
        if id as usize == self.particles.id_capacity() {
            self.particles.push(at, velocity);
        } else {
            self.particles.push_with_id(id, at, velocity);
        }
        self.mixture.assign_phase(id, number);
    }

    /// Takes particles, by id, to other places and velocities.
    pub(in crate::sim) fn teleport(&mut self, mut to: impl FnMut(u32) -> Option<(Vec2, Vec2)>) {
        for slot in 0..self.particles.slots() {
            if self.particles.is_alive(slot)
                && let Some((at, velocity)) = to(self.particles.id[slot])
            {
                self.particles.set_position(slot, at);
                self.particles.set_velocity(slot, velocity);
            }
        }
    }

    /// Takes a particle out.
    pub(in crate::sim) fn remove(&mut self, slot: usize) {
        self.sleep_map.wake_block(self.grid.block_at(self.particles.position(slot)));
        let id = self.particles.id[slot];
        self.springs.forget(id);
        if self.free_ids.is_empty() {
            self.free_ids.reserve(self.particles.id_capacity());
        }
        self.free_ids.push(id);
        self.particles.remove(slot);
    }

    /// Where particles belong, to be changed.
    pub(in crate::sim) fn targets_mut(&mut self) -> &mut TargetPositions {
        &mut self.targets
    }

    /// Gives particles colours of their own, by id.
    pub(in crate::sim) fn set_particle_colors(&mut self, tints: Vec<ParticleColor>) {
        self.tints = tints;
    }

    /// Whether any particles have colours of their own.
    pub fn is_tinted(&self) -> bool {
        !self.tints.is_empty()
    }

    /// The own colour of the particle in a slot, if it has one.
    pub fn tint(&self, slot: usize) -> Option<ParticleColor> {
        self.tints.get(self.particles.id[slot] as usize).copied()
    }
}
