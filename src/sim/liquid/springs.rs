//! Springs between neighbours, and how they yield (S. Clavet, P. Beaudoin, P. Poulin, "Particle-based Viscoelastic Fluid
//! Simulation", Symposium on Computer Animation 2005, sections 5.1 and 5.2, Algorithms 3 and 4). Springs store ids, because the
//! sort moves particles; each is stored at both of its ends, and both copies are changed by the same symmetric arithmetic.
//! Departures from the paper: rest lengths yield at any distance, not within h only, and all springs pull at once.

mod adjacency;
mod forces;
mod viscoelastic;

use crate::sim::liquid::{ParticleStore, Phases};
use crate::sim::neighbors::{RowChunk, WIDTH, parallel_for};
use crate::sim::particles::{Particles, resize_buffer};
pub use adjacency::Spring;
use adjacency::{AdjacencyLists, MAX_SPRINGS};
use fearless_simd::dispatch;
use forces::{SpringStep, pull_with};
use glam::Vec2;
pub use viscoelastic::Viscoelastic;

/// Interval between searches for new neighbours, seconds: a search costs twice as much as the forces.
const SPRING_SEARCH_INTERVAL: f32 = 1.0 / 30.0;

/// Longest interval between updates of the rest lengths, seconds, or one substep if that is longer.
const PLASTIC_INTERVAL: f32 = 1.0 / 120.0;

const NEW_SPRINGS_PER_PARTICLE: usize = 4;

#[derive(Clone, Debug, Default)]
pub struct Springs {
    lists: AdjacencyLists,
    /// The particles that the one whose neighbours are looked at has springs to, by id.
    connected: Vec<u32>,
    /// Springs that the last search found.
    fresh: Vec<Spring>,
    places: Vec<[f32; 2]>,
    /// Displacement of each particle by its springs, metres.
    moved: Vec<[f32; 2]>,
    /// The lane groups of ids, divided among threads.
    chunks: Vec<RowChunk>,
    /// Seconds since the last search for neighbours, and since the last update of the lengths.
    since: f32,
    time_since_yield: f32,
}

impl Springs {
    pub fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = Spring> + '_ {
        (0..self.lists.ids() as u32).flat_map(|id| self.lists.of(id)).filter(|Spring { ends: [id, end], .. }| id < end)
    }

    /// For bodies that are elastic from the start. No spring is longer than h: it would push where it has to pull.
    pub(super) fn create(&mut self, store: &ParticleStore, phases: &Phases) {
        if phases.params.iter().any(|phase| phase.elastic.spring > 0.0) {
            self.create_in_phases(store, phases, |elastic, _, _, offset| {
                (elastic.spring > 0.0)
                    .then(|| (offset.length() * offset.normalize_or_zero().length_squared()).min(store.h))
            });
        }
    }

    /// Adds springs between new neighbours, of the paper's length h: they exert no force before they have yielded.
    pub(super) fn add_dynamic(&mut self, store: &ParticleStore, phases: &Phases) {
        self.create_in_phases(store, phases, |elastic, _, _, _| elastic.makes_springs().then_some(store.h));
    }

    /// `rest_length` returns the length of a spring between neighbours of one phase that have none, if there is to be one, from
    /// the phase's elastic parameters, its number, the two ids and the offset.
    pub(in crate::sim) fn create_in_phases(
        &mut self,
        store: &ParticleStore,
        phases: &Phases,
        rest_length: impl Fn(&Viscoelastic, u8, [u32; 2], Vec2) -> Option<f32>,
    ) {
        let p = &store.particles;
        self.lists.make_room(p.id_capacity());
        self.fresh.clear();
        let room = NEW_SPRINGS_PER_PARTICLE * self.lists.ids();
        if self.fresh.capacity() < room {
            self.fresh.reserve_exact(room);
        }
        self.connected.reserve(MAX_SPRINGS);
        let mut current = usize::MAX;
        store.grid.for_each_pair(store.level, p, store.h, |i, j, _| {
            let ends = [p.id[i], p.id[j]];
            if current != i {
                current = i;
                self.connected.clear();
                self.connected.extend(self.lists.of(ends[0]).map(|spring| spring.ends[1]));
            }
            let phase = phases.phase_of(ends[0]);
            if phase == phases.phase_of(ends[1]) && !self.connected.contains(&ends[1]) {
                let elastic = &phases.params[usize::from(phase)].elastic;
                let length = rest_length(elastic, phase, ends, p.position(j) - p.position(i));
                self.fresh.extend(length.map(|length| Spring { ends, length }));
            }
        });
        self.lists.add(&mut self.fresh, store.rest.neighbours());
        // The list is long when all pairs get springs at once.
        self.fresh.shrink_to(room);
    }

    /// Sections 5.1 and 5.2, Algorithms 3 and 4: at intervals the rest lengths yield beyond the yield ratio, and springs longer
    /// than h are removed; the others pull.
    pub(super) fn substep(&mut self, store: &mut ParticleStore, phases: &Phases, sums: &mut [Vec<f32>; 2], dt: f32) {
        let ParticleStore { level, grid, particles, h, .. } = store;
        self.locate(particles);
        self.chunks.clear();
        self.chunks.extend(RowChunk::even(self.lists.ids() / WIDTH, WIDTH, grid.chunks.len()));
        self.time_since_yield += dt;
        let due = self.time_since_yield + dt > PLASTIC_INTERVAL;
        let yield_time = if due { std::mem::take(&mut self.time_since_yield) } else { 0.0 };
        let step = SpringStep { elastic: &phases.elastic(), phase_of: &phases.fluid_of, dt, h: *h };
        let Self { lists, places, moved, chunks, .. } = self;
        let places = &places[..];
        parallel_for(chunks, (lists.all(), resize_buffer(moved, places.len())), &|_, (mut lists, moved)| {
            dispatch!(*level, simd => pull_with(simd, &step, yield_time, places, &mut lists, moved));
        });
        let (moved, id) = (&*moved, &particles.id);
        let written = sums.each_mut().map(|sums| resize_buffer(sums, id.len()));
        parallel_for(&grid.chunks, written, &|chunk, [dx, dy]| {
            for ((dx, dy), &id) in dx.iter_mut().zip(dy).zip(&id[chunk.slots.clone()]) {
                [*dx, *dy] = moved.get(id as usize).copied().unwrap_or_default();
            }
        });
        store.displace(sums, dt, 1.0, Vec2::ZERO);
    }

    pub fn search_due(&mut self, dt: f32) -> bool {
        self.since += dt;
        let due = self.since >= SPRING_SEARCH_INTERVAL;
        self.since -= if due { SPRING_SEARCH_INTERVAL } else { 0.0 };
        due
    }

    pub fn remove_all(&mut self, id: u32) {
        loop {
            let Some(Spring { ends: [_, end], .. }) = self.lists.of(id).next_back() else { return };
            self.lists.all().remove_if(end as usize, |other, _| other == id);
            self.lists.all().remove_if(id as usize, |other, _| other == end);
        }
    }

    fn locate(&mut self, p: &Particles) {
        self.lists.make_room(p.id_capacity());
        let places = resize_buffer(&mut self.places, self.lists.ids());
        for ((&x, &y), &id) in p.x.iter().zip(&p.y).zip(&p.id) {
            if let Some(place) = places.get_mut(id as usize) {
                *place = [x, y];
            }
        }
    }
}
