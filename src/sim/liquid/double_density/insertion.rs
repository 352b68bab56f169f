//! Adds particles to this liquid, with their phase and heat, and moves them to their targets.

use crate::sim::liquid::double_density::DoubleDensityLiquid;
use crate::sim::liquid::particle_liquid::LiquidMethod;
use crate::sim::liquid::targets::TargetPositions;
use glam::Vec2;

impl DoubleDensityLiquid {
    /// Returns an empty liquid of the same kind with interaction radius `h` metres.
    pub(in crate::sim) fn empty_copy(&self, h: f32) -> Self {
        let mut liquid = Self::new(self.fluid, h);
        liquid.base.level = self.base.level;
        liquid.phases = self.phases.empty_copy();
        liquid.conduction = self.conduction.as_ref().map(|conduction| Box::new(conduction.empty_copy()));
        liquid
    }

    /// Adds a particle, which takes part from the next step on. It has the phase of the removed particle whose id it
    /// reuses, or the first phase.
    pub fn add(&mut self, at: Vec2, velocity: Vec2) {
        let id = self.base.insert(at, velocity);
        self.phases.assign_phase(id, self.phases.melt_of(self.phases.phase_of(id)));
        self.begin_heat(id);
    }

    /// Moves every particle to its target, at rest; see
    /// [`World::settle_at_targets`](crate::sim::World::settle_at_targets).
    pub(in crate::sim) fn settle_at_targets(&mut self) {
        let Self { base, targets, .. } = self;
        base.prefer_ids(|id| targets.of(id).is_some());
        while let Some(target) = self.targets.of(self.base.next_id()) {
            self.add(target, Vec2::ZERO);
        }
        for slot in 0..self.base.particles.slots() {
            match self.targets.of(self.base.particles.id[slot]) {
                _ if !self.base.particles.is_alive(slot) => {}
                None => self.remove(slot),
                Some(target) => {
                    self.base.particles.set_position(slot, target);
                    self.base.particles.set_velocity(slot, Vec2::ZERO);
                }
            }
        }
    }

    /// The targets of its particles, mutable.
    pub(in crate::sim) fn targets_mut(&mut self) -> &mut TargetPositions {
        &mut self.targets
    }
}
