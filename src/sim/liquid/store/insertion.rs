use crate::sim::liquid::ParticleStore;
use glam::Vec2;

impl ParticleStore {
    /// Returns the id of the next particle: that of a removed one, or a new one.
    pub(in crate::sim::liquid) fn next_id(&self) -> u32 {
        self.free_ids.last().copied().unwrap_or(self.particles.id_capacity() as u32)
    }

    /// Makes the next particles reuse first those ids of removed ones for which `first` is true.
    pub(in crate::sim::liquid) fn prefer_ids(&mut self, first: impl Fn(u32) -> bool) {
        self.free_ids.sort_unstable_by_key(|&id| (first(id), id));
    }

    /// Inserts a particle, which takes part from the next step on, and returns its id.
    pub(in crate::sim::liquid) fn insert(&mut self, at: Vec2, velocity: Vec2) -> u32 {
        self.sleep_map.wake_block(self.grid.block_at(at));
        let id = self.next_id();
        self.free_ids.pop();
        self.particles.push(id, at, velocity);
        id
    }

    /// Removes the particle in a slot, and returns its id.
    pub(in crate::sim) fn take(&mut self, slot: usize) -> u32 {
        self.sleep_map.wake_block(self.grid.block_at(self.particles.position(slot)));
        let id = self.particles.id[slot];
        if self.free_ids.is_empty() {
            self.free_ids.reserve(self.particles.id_capacity());
        }
        self.free_ids.push(id);
        self.particles.remove(slot);
        id
    }

    /// Keeps the id of the particle that was removed last for a drop of condensed vapour.
    pub(in crate::sim) fn keep_id_for_drop(&mut self) {
        if self.vapor_ids.is_empty() {
            self.vapor_ids.reserve(self.particles.id_capacity());
        }
        self.vapor_ids.extend(self.free_ids.pop());
    }

    /// Returns the id of the next particle, which is a drop of condensed vapour.
    pub(in crate::sim::liquid) fn next_id_of_drop(&mut self) -> u32 {
        self.free_ids.extend(self.vapor_ids.pop());
        self.next_id()
    }
}
