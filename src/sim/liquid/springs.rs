//! Springs between neighbours, and how they yield: they make a liquid elastic and plastic.
//!
//! S. Clavet, P. Beaudoin, P. Poulin, "Particle-based Viscoelastic Fluid Simulation", Symposium on Computer Animation
//! 2005, sections 5.1 and 5.2 (Algorithms 3 and 4).
//!
//! The sort moves particles in every substep, so springs store ids instead of slots. Ids of removed particles are
//! reused, so they never exceed the number of particles by much. Each particle has a list of its own (see
//! `adjacency.rs`): there is no search and no list to permute, and the particles may be divided among threads in any
//! way. A spring is therefore stored at both of its ends. Both copies are changed by the same arithmetic on the same
//! bits, which is symmetric in the ends: they stay equal, and the forces on the ends are equal and opposite.
//!
//! A flat list of `{a, b, rest length}`, each spring once, was the alternative: half as much arithmetic, but a read and
//! a write for each end instead of one read, and threads would have to take turns. With 178,000 springs of 20,000
//! particles, in eights, on one thread, that pass took 48 to 52 ns a particle and this one 9 (4.3 to 5.6 times as much
//! from 1,000 to 100,000 particles); a substep of jelly, 52 ns a particle in all, would take 1.7 times as long.
//!
//! Two departures. Rest lengths yield at any distance: the paper's loop visits pairs within h only, and a spring drawn
//! out further would pull for ever. And all springs pull at once, as all neighbours push at once (see
//! [`crate::sim::liquid::pressure::double_density`]).

mod adjacency;
mod forces;
mod search;
mod viscoelastic;

use crate::sim::liquid::phases::Phases;
use crate::sim::liquid::rest_stretch::RestStretch;
use crate::sim::liquid::store::ParticleStore;
use crate::sim::neighbors::Grid;
use crate::sim::neighbors::WIDTH;
use crate::sim::neighbors::row_chunks::{RowChunk, parallel_for};
use crate::sim::particles::{Particles, resize_buffer};
use adjacency::AdjacencyLists;
pub use adjacency::Spring;
use fearless_simd::{Level, dispatch};
use forces::pull_with;
use glam::Vec2;
use search::UnconnectedSearch;
pub use viscoelastic::Viscoelastic;

/// Interval between searches for new neighbours, seconds: a search takes 30 to 40 ns a particle, twice the cost of the
/// forces.
const SPRING_SEARCH_INTERVAL: f32 = 1.0 / 30.0;

/// Longest interval between updates of the rest lengths, seconds, or one step if that is longer; the quickest material
/// needs 1/100 s. Updated in every substep, a liquid that yields took 28 to 31 ns a particle; like this it takes 22 to
/// 28 (lists of eight particles side by side take 10 less of either).
const PLASTIC_INTERVAL: f32 = 1.0 / 120.0;

/// New springs per particle for which room is kept. Lava that is shaken made 2 at a time.
const FRESH: usize = 4;

/// The particles between which springs are created, in the order of their grid.
#[derive(Clone, Copy, Debug)]
pub struct SortedParticles<'a> {
    /// The instruction set to use.
    pub level: Level,
    /// The grid by which they are sorted.
    pub grid: &'a Grid,
    /// The store.
    pub particles: &'a Particles,
    /// Interaction radius, metres.
    pub h: f32,
}

/// The parameters of a step of the springs.
#[derive(Clone, Copy, Debug)]
pub struct SpringStep<'a> {
    /// The elastic parameters of each phase.
    pub elastic: &'a [Viscoelastic],
    /// The phase of each particle, by id. Particles beyond its end are of the first phase.
    pub phase_of: &'a [u8],
    /// Seconds.
    pub dt: f32,
    /// Interaction radius, metres.
    pub h: f32,
}

/// All springs of a liquid.
#[derive(Clone, Debug, Default)]
pub struct Springs {
    lists: AdjacencyLists,
    search: UnconnectedSearch,
    /// Springs that the last search found.
    fresh: Vec<Spring>,
    /// By id, metres: the position, and the displacement by the springs.
    places: Vec<[f32; 2]>,
    moved: Vec<[f32; 2]>,
    /// The lane groups of ids, divided among threads.
    chunks: Vec<RowChunk>,
    /// Seconds since the last search for neighbours, and since the last update of the lengths.
    since: f32,
    time_since_yield: f32,
}

impl Springs {
    /// Whether there are no springs.
    pub fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }

    /// Returns every spring once.
    pub fn iter(&self) -> impl Iterator<Item = Spring> + '_ {
        (0..self.lists.ids() as u32).flat_map(|id| self.lists.of(id)).filter(|Spring { ends: [id, end], .. }| id < end)
    }

    /// Connects neighbours that have no spring yet. `rest_length` returns the spring's length, if there is to be one,
    /// from the two ids and the offset between them. `neighbours` is about the number that a particle has at rest.
    pub fn create_where(
        &mut self,
        among: &SortedParticles,
        neighbours: f32,
        rest_length: impl Fn(u32, u32, Vec2) -> Option<f32>,
    ) {
        let p = among.particles;
        self.lists.make_room(p.id_capacity());
        self.fresh.clear();
        let room = FRESH * self.lists.ids();
        if self.fresh.capacity() < room {
            self.fresh.reserve_exact(room);
        }
        self.search.unconnected_pairs(among, &self.lists, |i, j| {
            let ends = [p.id[i], p.id[j]];
            let length = rest_length(ends[0], ends[1], p.position(j) - p.position(i));
            self.fresh.extend(length.map(|length| Spring { ends, length }));
        });
        self.lists.add(&mut self.fresh, neighbours);
        // The list is long when all pairs get springs at once.
        self.fresh.shrink_to(room);
    }

    /// Connects all unconnected neighbours, if the fluids have springs: for bodies that are elastic from the start, as a
    /// jelly is. `stretch` gives the rest stretch of each particle by id. No spring is longer than h: it would push where it
    /// has to pull.
    pub(super) fn create(&mut self, store: &ParticleStore, phases: &Phases, stretch: impl Fn(u32) -> RestStretch) {
        if phases.params().iter().any(|phase| phase.elastic.spring > 0.0) {
            self.create_in_phases(store, phases, |elastic, _, ends, offset| {
                (elastic.spring > 0.0).then(|| RestStretch::between(ends.map(&stretch)).length(offset).min(store.h))
            });
        }
    }

    /// Adds springs between new neighbours. The paper gives them a length of h: they exert no force before they have
    /// yielded. The search runs at intervals, because testing every pair takes five times as long as the springs do.
    pub(super) fn add_dynamic(&mut self, store: &ParticleStore, phases: &Phases) {
        self.create_in_phases(store, phases, |elastic, _, _, _| elastic.makes_springs().then_some(store.h));
    }

    /// Connects neighbours of one phase that have no spring yet. `rest_length` returns the spring's length, if there is
    /// to be one, from the phase's elastic parameters, its number, the two ids and the offset between them.
    pub(super) fn create_in_phases(
        &mut self,
        store: &ParticleStore,
        phases: &Phases,
        rest_length: impl Fn(&Viscoelastic, u8, [u32; 2], Vec2) -> Option<f32>,
    ) {
        let among = SortedParticles { level: store.level, grid: &store.grid, particles: &store.particles, h: store.h };
        self.create_where(&among, store.rest.neighbours(), |a, b, offset| {
            let phase = phases.phase_of(a);
            let elastic = &phases.params()[usize::from(phase)].elastic;
            if phase == phases.phase_of(b) { rest_length(elastic, phase, [a, b], offset) } else { None }
        });
    }

    /// Sections 5.1 and 5.2, Algorithms 3 and 4: springs yield, break and pull.
    pub(super) fn substep(&mut self, store: &mut ParticleStore, phases: &Phases, sums: &mut [Vec<f32>; 2], dt: f32) {
        let ParticleStore { level, grid, particles, h, .. } = store;
        let (elastic, chunks) = (phases.elastic(), grid.chunks());
        let step = SpringStep { elastic: &elastic, phase_of: phases.fluid_of(), dt, h: *h };
        self.pull(*level, chunks.len(), particles, &step);
        let (springs, id) = (&*self, &particles.id);
        let written = sums.each_mut().map(|sums| resize_buffer(sums, id.len()));
        parallel_for(chunks, written, &|chunk, [dx, dy]| {
            for ((dx, dy), &id) in dx.iter_mut().zip(dy).zip(&id[chunk.slots.clone()]) {
                [*dx, *dy] = springs.moved(id);
            }
        });
        store.displace(sums, dt, 1.0, Vec2::ZERO);
    }

    /// Advances the clock by `dt` seconds, and returns whether it is time to search for new neighbours.
    pub fn search_due(&mut self, dt: f32) -> bool {
        self.since += dt;
        let due = self.since >= SPRING_SEARCH_INTERVAL;
        self.since -= if due { SPRING_SEARCH_INTERVAL } else { 0.0 };
        due
    }

    /// Removes all springs of a particle.
    pub fn remove_all(&mut self, id: u32) {
        loop {
            let Some(Spring { ends: [_, end], .. }) = self.lists.of(id).next_back() else { return };
            self.lists.all().remove_if(end as usize, |other, _| other == id);
            self.lists.all().remove_if(id as usize, |other, _| other == end);
        }
    }

    /// Algorithms 3 and 4 for a step of `dt` seconds: at intervals (see `PLASTIC_INTERVAL`) the rest lengths yield
    /// beyond the yield ratio, and springs longer than h are removed; the others pull. [`Self::moved`] then returns the
    /// displacements.
    pub fn pull(&mut self, level: Level, chunks: usize, p: &Particles, step: &SpringStep) {
        self.locate(p);
        self.divide(chunks);
        self.time_since_yield += step.dt;
        let due = self.time_since_yield + step.dt > PLASTIC_INTERVAL;
        let yield_time = if due { std::mem::take(&mut self.time_since_yield) } else { 0.0 };
        let Self { lists, places, moved, chunks, .. } = self;
        let places = &places[..];
        parallel_for(chunks, (lists.all(), resize_buffer(moved, places.len())), &|_, (mut lists, moved)| {
            dispatch!(level, simd => pull_with(simd, step, yield_time, places, &mut lists, moved));
        });
    }

    /// Displacement of a particle by its springs, metres.
    pub fn moved(&self, id: u32) -> [f32; 2] {
        self.moved.get(id as usize).copied().unwrap_or_default()
    }

    /// Copies the positions by id.
    fn locate(&mut self, p: &Particles) {
        self.lists.make_room(p.id_capacity());
        let places = resize_buffer(&mut self.places, self.lists.ids());
        for ((&x, &y), &id) in p.x.iter().zip(&p.y).zip(&p.id) {
            if let Some(place) = places.get_mut(id as usize) {
                *place = [x, y];
            }
        }
    }

    /// Divides the lane groups into `count` chunks.
    fn divide(&mut self, count: usize) {
        let lane_groups = self.lists.ids() / WIDTH;
        self.chunks.clear();
        self.chunks.extend((0..count).map(|part| {
            let rows = lane_groups * part / count..lane_groups * (part + 1) / count;
            RowChunk { slots: rows.start * WIDTH..rows.end * WIDTH, rows, upper_halo: 0..0 }
        }));
    }
}
