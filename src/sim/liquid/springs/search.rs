//! The search for neighbours without a spring. Each particle first marks, by slot, the particles on its list.

use crate::sim::liquid::ParticleStore;
use crate::sim::liquid::springs::adjacency::AdjacencyLists;
use crate::sim::particles::{INVALID_ID, resize_buffer};

#[derive(Clone, Debug, Default)]
pub struct UnconnectedSearch {
    /// By id: the particle's slot.
    slots: Vec<u32>,
    /// By slot: the slot of the particle that marked it last.
    asked_by: Vec<u32>,
}

impl UnconnectedSearch {
    /// Calls a function once for every two neighbours without a spring between them, with their slots.
    pub fn unconnected_pairs(
        &mut self,
        store: &ParticleStore,
        lists: &AdjacencyLists,
        mut meet: impl FnMut(usize, usize),
    ) {
        let p = &store.particles;
        let slots = resize_buffer(&mut self.slots, p.id_capacity());
        for (slot, &id) in p.id.iter().enumerate() {
            if let Some(own) = slots.get_mut(id as usize) {
                *own = slot as u32;
            }
        }
        let asked_by = resize_buffer(&mut self.asked_by, p.slots());
        asked_by.fill(INVALID_ID);
        let mut asking = usize::MAX;
        store.grid.for_each_pair(store.level, p, store.h, |i, j, _| {
            if asking != i {
                asking = i;
                lists.of(p.id[i]).for_each(|spring| asked_by[slots[spring.ends[1] as usize] as usize] = i as u32);
            }
            if asked_by[j] != i as u32 {
                meet(i, j);
            }
        });
    }
}
