//! Springs between neighbours, and how they give way: what makes a liquid elastic and plastic.
//!
//! S. Clavet, P. Beaudoin, P. Poulin, "Particle-based Viscoelastic Fluid Simulation", Symposium on Computer Animation
//! 2005, sections 5.1 and 5.2 (Algorithms 3 and 4).
//!
//! The sort moves particles in every substep, so springs do not know slots but ids, which are handed out anew when
//! a particle has been removed and so never exceed the number of particles by much. Each particle has a list of its own (see
//! `adjacency.rs`): no search, no list to permute, and the particles may be divided among threads as one likes. So a spring
//! is stored at both of its ends. Both copies are changed by the same arithmetic on the same bits, since it is symmetric in
//! the ends: they stay equal, and the forces on the ends are equal and opposite.
//!
//! A flat list of `{a, b, rest length}`, each spring once, was the alternative: half as much arithmetic, but a read and a
//! write for each end instead of one read, and threads would have to take turns. With 178,000 springs of 20,000 particles, in
//! eights, on one thread, that pass took 48 to 52 ns a particle and this one 9 (4.3 to 5.6 times as much from 1,000 to 100,000
//! particles); a substep of jelly, 52 ns a particle in all, would take 1.7 times as long.
//!
//! Two departures. Lengths yield wherever the ends are: the paper's loop visits pairs within h only, and what has been
//! drawn out further would pull for ever. And all springs pull at once, as all neighbours push at once (see
//! [`crate::sim::liquid::double_density`]).

mod adjacency;
mod forces;
mod search;
mod viscoelastic;

use crate::sim::neighbors::Grid;
use crate::sim::neighbors::pairs::WIDTH;
use crate::sim::neighbors::row_chunks::{RowChunk, parallel_for};
use crate::sim::particles::{Particles, resize_buffer};
use adjacency::AdjacencyLists;
pub use adjacency::Spring;
use fearless_simd::{Level, dispatch};
use forces::pull_with;
use glam::Vec2;
use search::UnconnectedSearch;
pub use viscoelastic::Viscoelastic;

/// New neighbours are looked for once in so many seconds: it takes 30 to 40 ns a particle, twice what pulling
/// does.
const SPRING_SEARCH_INTERVAL: f32 = 1.0 / 30.0;

/// Lengths follow at least once in so many seconds, or in every step if those are longer; the quickest material takes
/// 1/100 s for it. In every substep a liquid that yields took 28 to 31 ns a particle, so 22 to 28 (lists of eight particles
/// side by side take 10 less of either).
const PLASTIC_INTERVAL: f32 = 1.0 / 120.0;

/// Room for so many new springs a particle is kept. Lava that is shaken made 2 at a time.
const FRESH: usize = 4;

/// The particles among which springs are created, in the order of their grid.
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

/// A step of the springs.
#[derive(Clone, Copy, Debug)]
pub struct SpringStep<'a> {
    /// How elastic each phase is.
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
    /// Those that have just been found.
    fresh: Vec<Spring>,
    /// By id, metres: where each is, and where its springs move it.
    places: Vec<[f32; 2]>,
    moved: Vec<[f32; 2]>,
    /// The lane groups of ids, divided among threads.
    chunks: Vec<RowChunk>,
    /// Seconds since new neighbours were looked for, and since lengths have followed.
    since: f32,
    time_since_yield: f32,
}

impl Springs {
    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }

    /// Every spring, once.
    pub fn iter(&self) -> impl Iterator<Item = Spring> + '_ {
        (0..self.lists.ids() as u32).flat_map(|id| self.lists.of(id)).filter(|Spring { ends: [id, end], .. }| id < end)
    }

    /// Connects every two neighbours that have no spring yet by one of the length that `rest_length` says, if it says any,
    /// given their ids and the offset from the one to the other. At rest a particle has about so many `neighbours`.
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
        // When all pairs get springs at once, they are many.
        self.fresh.shrink_to(room);
    }

    /// Lets `dt` seconds pass, and says whether it is time to look for new neighbours.
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

    /// Algorithms 3 and 4 for a step of `dt` seconds: now and then (see `PLASTIC_INTERVAL`) lengths follow what is beyond the yield
    /// ratio, and springs longer than h vanish; the others pull. The displacements are then available from [`Self::moved`].
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

    /// Where its springs have moved a particle, metres.
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

    /// Divides the lane groups into so many chunks.
    fn divide(&mut self, count: usize) {
        let lane_groups = self.lists.ids() / WIDTH;
        self.chunks.clear();
        self.chunks.extend((0..count).map(|part| {
            let rows = lane_groups * part / count..lane_groups * (part + 1) / count;
            RowChunk { slots: rows.start * WIDTH..rows.end * WIDTH, rows, upper_halo: 0..0 }
        }));
    }
}
