//! Adds, removes and moves particles, with their phase and heat.

use crate::sim::clock::STEP;
use crate::sim::liquid::pressure::Pressure;
use crate::sim::liquid::{Liquid, ParticleStore, Removable, Source};
use glam::Vec2;

/// Its multiples are spread evenly over the fractions (the golden ratio, less 1).
const GOLDEN_RATIO: f64 = 0.618_033_988_749_894_9;

/// Sources for which there is room from the start, so that a usual step allocates nothing.
const USUAL_SOURCES: usize = 512;

/// Distance from the middle of a block of the grid to its corners, in h.
const BLOCK_RADIUS: f32 = 0.71;

/// Upper limit on the places to which a region draws liquid.
const MAX_DRAINS: usize = 32;

impl Liquid {
    /// It takes part from the next step on, with the phase of the removed particle whose id it reuses, or the first phase.
    pub fn add(&mut self, at: Vec2, velocity: Vec2) {
        let phase = self.phases.melt_of(self.phases.phase_of(self.store.next_id()));
        self.add_with_phase(phase, at, velocity);
    }

    /// Adds a particle of the phase with this number.
    pub fn add_with_phase(&mut self, phase: u8, at: Vec2, velocity: Vec2) {
        let id = self.store.insert(at, velocity);
        self.phases.assign_phase(id, phase);
        if let Some(conduction) = &mut self.conduction {
            conduction.heat.begin(id, &mut self.phases);
        }
        if let Pressure::Wcsph(sph) = &mut self.pressure {
            sph.add(id);
        }
    }

    /// Adds a particle of its gas, if it has one, and returns whether it has.
    pub(in crate::sim) fn add_gas(&mut self, at: Vec2, velocity: Vec2) -> bool {
        let Some(number) = self.phases.params.iter().position(|phase| phase.gas) else { return false };
        self.add_with_phase(number as u8, at, velocity);
        true
    }

    /// Removes the particle in a slot.
    pub fn remove(&mut self, slot: usize) {
        let id = self.store.take(slot);
        self.springs.remove_all(id);
    }

    /// Removes at most `max` particles where `taken` is true, from all parts of that region alike, and returns their number. Without
    /// `only`, in all states.
    pub fn remove_where(&mut self, max: usize, only: Option<Removable>, taken: impl Fn(Vec2) -> bool) -> usize {
        if max == 0 {
            return 0;
        }
        let is_candidate = |liquid: &Self, slot: usize| {
            let p = &liquid.store.particles;
            p.is_alive(slot)
                && taken(p.position(slot))
                && only.is_none_or(|only| only.includes(&liquid.phases, p.id[slot]))
        };
        let slots = 0..self.store.particles.slots();
        let count = slots.clone().filter(|&slot| is_candidate(self, slot)).count();
        let removed = max.min(count);
        self.removal_offset = (self.removal_offset + GOLDEN_RATIO).fract();
        // Slots are sorted by place: one is taken from each of as many equal parts of them.
        let mut carry = (self.removal_offset * count as f64) as usize;
        for slot in slots {
            if is_candidate(self, slot) {
                carry += removed;
                if carry >= count {
                    carry -= count;
                    self.feed(self.store.particles.position(slot), -self.particle_area() / STEP);
                    self.remove(slot);
                }
            }
        }
        removed
    }

    /// Tells the pressure of the next step that `rate` m² a second come at a place, or go.
    pub(in crate::sim) fn feed(&mut self, at: Vec2, rate: f32) {
        self.store.sources.push(Source { at, rate, draws: false });
    }

    /// Lets the pressure of the next step draw `rate` m² a second to where particles are within `reach` metres of a region.
    pub(in crate::sim) fn draw_within(&mut self, rate: f32, reach: f32, distance: impl Fn(Vec2) -> f32) {
        let ParticleStore { grid, particles: p, h, sources, .. } = &mut self.store;
        let near = || {
            let blocks =
                grid.block_centers().enumerate().filter(|(_, center)| distance(*center) < reach + BLOCK_RADIUS * *h);
            let slots = blocks.flat_map(|(block, _)| grid.block(block)).filter(|&slot| p.is_alive(slot));
            slots.map(|slot| p.position(slot)).filter(|at| distance(*at) < reach)
        };
        let count = near().count();
        let every = count.div_ceil(MAX_DRAINS).max(1);
        let share = -rate / count.div_ceil(every).max(1) as f32;
        sources.extend(near().step_by(every).map(|at| Source { at, rate: share, draws: true }));
    }

    /// Forgets the sources of the last step.
    pub(in crate::sim) fn forget_sources(&mut self) {
        self.store.sources.clear();
        self.store.sources.reserve(USUAL_SOURCES);
    }

    /// Adds a drop of condensed vapour, of this enthalpy, J/kg.
    pub(in crate::sim) fn add_drop(&mut self, phase: u8, at: Vec2, enthalpy: f64) {
        let id = self.store.next_id_of_drop();
        self.add_with_phase(phase, at, Vec2::ZERO);
        if let Some(conduction) = &mut self.conduction {
            conduction.heat.set_enthalpy(id, enthalpy, &mut self.phases);
        }
    }

    /// Sets the temperature of the last added particle, °C, if it has one; none is that at which its fluid is poured.
    pub(in crate::sim) fn set_temperature_of_last(&mut self, temperature: Option<f32>) {
        let Self { store, phases, conduction: Some(conduction), .. } = self else { return };
        // Added particles lie behind all rows.
        if let Some(&id) = store.particles.id.last() {
            let temperature = temperature.unwrap_or_else(|| conduction.heat.poured_temperature(id, phases));
            conduction.heat.set_temperature(id, temperature, phases);
        }
    }

    /// Moves every particle to its target, at rest; see [`World::settle_at_targets`](crate::sim::World::settle_at_targets).
    pub(in crate::sim) fn settle_at_targets(&mut self) {
        let Self { store, targets, .. } = self;
        store.prefer_ids(|id| targets.of(id).is_some());
        while let Some(target) = self.targets.of(self.store.next_id()) {
            self.add(target, Vec2::ZERO);
        }
        for slot in 0..self.store.particles.slots() {
            match self.targets.of(self.store.particles.id[slot]) {
                _ if !self.store.particles.is_alive(slot) => {}
                None => self.remove(slot),
                Some(target) => {
                    self.store.particles.set_position(slot, target);
                    self.store.particles.set_velocity(slot, Vec2::ZERO);
                }
            }
        }
    }

    /// Moves particles, by id, to other positions and velocities.
    pub(in crate::sim) fn teleport(&mut self, mut to: impl FnMut(u32) -> Option<(Vec2, Vec2)>) {
        let p = &mut self.store.particles;
        for slot in 0..p.slots() {
            if p.is_alive(slot)
                && let Some((at, velocity)) = to(p.id[slot])
            {
                p.set_position(slot, at);
                p.set_velocity(slot, velocity);
            }
        }
    }
}
