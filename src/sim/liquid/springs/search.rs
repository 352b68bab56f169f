//! The search for neighbours without a spring between them. Nearly all are connected, so each particle first marks, by slot, the
//! particles on its list; the candidates' marks are then tested eight at a time together with their distance.

use crate::sim::liquid::springs::adjacency::AdjacencyLists;
use crate::sim::liquid::store::ParticleStore;
use crate::sim::neighbors::WIDTH;
use crate::sim::particles::{INVALID_ID, resize_buffer};
use fearless_simd::prelude::*;
use fearless_simd::{dispatch, f32x8, u32x8};
use fearless_simd_macros::simd;

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
        dispatch!(store.level, simd => unconnected_pairs_with(simd, store, lists, slots, asked_by, &mut meet));
    }
}

#[simd]
fn unconnected_pairs_with<S: Simd, F: FnMut(usize, usize)>(
    simd: S,
    store: &ParticleStore,
    lists: &AdjacencyLists,
    slots: &[u32],
    asked_by: &mut [u32],
    meet: &mut F,
) {
    let ParticleStore { grid, particles: p, h, .. } = store;
    let reach = f32x8::splat(simd, *h * *h);
    for row in 0..grid.rows() {
        for i in grid.row(row) {
            for spring in lists.of(p.id[i]) {
                asked_by[slots[spring.ends[1] as usize] as usize] = i as u32;
            }
            let asks = u32x8::splat(simd, i as u32);
            for run in grid.candidate_ranges(row, i, p.x[i], p.x[i]) {
                for from in run.clone().step_by(WIDTH) {
                    let [x, y] = [&p.x, &p.y].map(|at| f32x8::from_slice(simd, &at[from..from + WIDTH]));
                    let (x, y) = (x - p.x[i], y - p.y[i]);
                    let near = (x * x + y * y).simd_lt(reach);
                    let connected = u32x8::from_slice(simd, &asked_by[from..from + WIDTH]).simd_eq(asks);
                    let mut unconnected = (near & !connected).to_bitmask();
                    while unconnected != 0 {
                        let j = from + unconnected.trailing_zeros() as usize;
                        if j < run.end {
                            meet(i, j);
                        }
                        unconnected &= unconnected - 1;
                    }
                }
            }
        }
    }
}
