//! Springs between neighbours, and how they give way: what makes a liquid elastic and plastic.
//!
//! S. Clavet, P. Beaudoin, P. Poulin, "Particle-based Viscoelastic Fluid Simulation", Symposium on Computer Animation
//! 2005, sections 5.1 and 5.2 (Algorithms 3 and 4).
//!
//! The sort moves particles in every substep, so springs do not know slots but ids, which are handed out anew when
//! somebody has left and so never exceed the number of particles by much. Each particle has a list of its own, of
//! fixed room: no search, no list to permute, and the particles may be divided among threads as one likes. So a spring
//! is noted at both of its ends. Both notes are changed by the same arithmetic on the same bits, because nothing in it
//! asks who is whom; they stay equal, and what the one end receives the other receives with the sign turned.
//!
//! A single note, given to the other end by a scattered write, was the other way: it needs half as much arithmetic, but
//! a read and a write for each end instead of one read, and no two threads may do it at once.
//!
//! Two departures. Lengths yield wherever the ends are: the paper's loop visits pairs within h only, and what has been
//! drawn out further would pull for ever. And all springs pull at once, as all neighbours push at once (see
//! [`super::ddr`]).

mod elastic;
mod pull;

use super::bands::{Band, ByRow, share};
use super::grid::Grid;
use super::pairs::WIDTH;
use super::particles::{Particles, room};
pub use elastic::Elastic;
use fearless_simd::{Level, dispatch};
use glam::Vec2;
use pull::pull_with;

/// New neighbours are looked for once in so many seconds: it takes 50 ns a particle, twice what pulling does.
const LOOK_FOR_NEW: f32 = 1.0 / 30.0;

/// Lengths follow at least once in so many seconds, or in every step if those are longer; the quickest material takes
/// 1/100 s for it. In every substep a liquid that yields took 28 to 31 ns a particle, so 22 to 28.
const YIELD: f32 = 1.0 / 120.0;

/// A particle has room for so many times as many springs as it has neighbours at rest, and for so many at the most.
const ROOM: f32 = 1.3;
const MOST: usize = 64;

/// All springs of a liquid.
#[derive(Clone, Debug, Default)]
pub struct Springs {
    /// How many a particle may have: a multiple of [`WIDTH`], or 0 where nobody has any.
    most: usize,
    /// By id: how many each has, who is at the other end (padded with the particle itself), and lengths at rest, metres.
    count: Vec<u32>,
    ends: Vec<u32>,
    lengths: Vec<f32>,
    /// By id, metres: where each is, and where its springs move it.
    places: Vec<[f32; 2]>,
    moved: Vec<[f32; 2]>,
    /// The ids, divided among threads.
    bands: Vec<Band>,
    /// Seconds since new neighbours were looked for, and since lengths have followed.
    since: f32,
    unyielding: f32,
}

/// One end's view of a spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// The ids of its ends.
    pub ends: [u32; 2],
    /// Length at rest, metres.
    pub length: f32,
}

impl Springs {
    /// Whether there is nothing to do.
    pub fn is_empty(&self) -> bool {
        self.most == 0
    }

    /// Every spring, once.
    pub fn iter(&self) -> impl Iterator<Item = Spring> + '_ {
        let of = |id: usize| (id * self.most..id * self.most + self.count[id] as usize).map(move |at| (id as u32, at));
        let each = (0..self.count.len()).flat_map(of);
        each.filter(|&(id, at)| id < self.ends[at])
            .map(|(id, at)| Spring { ends: [id, self.ends[at]], length: self.lengths[at] })
    }

    /// Makes room for particles with about so many neighbours, and so many ids.
    fn make_room(&mut self, neighbours: f32, ids: usize) {
        if self.most == 0 {
            self.most = ((neighbours * ROOM) as usize).clamp(1, MOST).next_multiple_of(WIDTH);
        }
        let old = self.count.len();
        room(&mut self.count, ids.max(old));
        room(&mut self.lengths, ids.max(old) * self.most);
        let ends = room(&mut self.ends, ids.max(old) * self.most);
        for (id, ends) in ends.chunks_exact_mut(self.most).enumerate().skip(old) {
            ends.fill(id as u32);
        }
    }

    /// Ties every two neighbours that `ties` wants tied and that are not yet, by a spring of the length that it says. It is
    /// told their ids and the way from the one to the other.
    pub fn tie(
        &mut self,
        (level, grid, p): (Level, &Grid, &Particles),
        (h, neighbours): (f32, f32),
        ties: impl Fn(u32, u32, Vec2) -> Option<f32>,
    ) {
        self.make_room(neighbours, p.ids());
        grid.each_pair(level, p, h, |i, j, _| {
            let (a, b) = (p.id[i], p.id[j]);
            // First what nearly always ends it.
            if !self.list(a).contains(&b)
                && self.has_room(a)
                && self.has_room(b)
                && let Some(length) = ties(a, b, p.at(j) - p.at(i))
            {
                self.put(a, b, length);
                self.put(b, a, length);
            }
        });
    }

    /// Lets `dt` seconds pass, and says whether it is time to look for new neighbours.
    pub fn is_time(&mut self, dt: f32) -> bool {
        self.since += dt;
        let due = self.since >= LOOK_FOR_NEW;
        self.since -= if due { LOOK_FOR_NEW } else { 0.0 };
        due
    }

    /// The other ends of a particle's springs, and the padding: itself. (Marking by id who is on the list, and asking
    /// for the marks instead of searching it, was tried and dropped: it took as long.)
    fn list(&self, id: u32) -> &[u32] {
        &self.ends[id as usize * self.most..][..self.most]
    }

    fn has_room(&self, id: u32) -> bool {
        (self.count[id as usize] as usize) < self.most
    }

    fn put(&mut self, id: u32, end: u32, length: f32) {
        let at = id as usize * self.most + self.count[id as usize] as usize;
        (self.ends[at], self.lengths[at]) = (end, length);
        self.count[id as usize] += 1;
    }

    /// Unties a particle from everybody.
    pub fn forget(&mut self, id: u32) {
        let Some(&count) = self.count.get(id as usize) else { return };
        for number in (0..count as usize).rev() {
            let end = self.ends[id as usize * self.most + number];
            self.cut(end, |other, _| other == id);
        }
        self.cut(id, |_, _| true);
    }

    /// Takes those springs off a particle's list of which `cuts` says so, given the other end and the length.
    fn cut(&mut self, id: u32, cuts: impl Fn(u32, f32) -> bool) {
        let Self { most, count, ends, lengths, .. } = self;
        Lists { first: 0, most: *most, count, ends, lengths }.cut(id as usize, cuts);
    }

    /// Algorithms 3 and 4 for a step of `dt` seconds: now and then (see `YIELD`) lengths follow what is beyond the yield
    /// ratio, and springs longer than h vanish; the others pull. Where they move everybody is then known to [`Self::moved`].
    ///
    /// `elastic` are the fluids' materials and `fluid_of` says by id which of them somebody is of; of the first where it
    /// says nothing.
    pub fn pull(
        &mut self,
        (level, parts): (Level, usize),
        p: &Particles,
        (elastic, fluid_of): (&[Elastic], &[u8]),
        (dt, h): (f32, f32),
    ) {
        self.locate(p);
        self.divide(parts);
        self.unyielding += dt;
        let due = self.unyielding + dt > YIELD;
        let times = (dt, if due { std::mem::take(&mut self.unyielding) } else { 0.0 });
        let Self { most, count, ends, lengths, places, moved, bands, .. } = self;
        let (most, places) = (*most, &places[..]);
        let lists = (ByRow(most, &mut ends[..]), ByRow(most, &mut lengths[..]), &mut count[..]);
        share(bands, (lists, room(moved, places.len())), &|band, ((ends, lengths, count), moved)| {
            let first = band.rows.start;
            let mut lists = Lists { first, most, count, ends: ends.1, lengths: lengths.1 };
            dispatch!(level, simd => pull_with(simd, (elastic, fluid_of), (times, h), places, &mut lists, moved));
        });
    }

    /// Where its springs have moved a particle, metres.
    pub fn moved(&self, id: u32) -> [f32; 2] {
        self.moved.get(id as usize).copied().unwrap_or_default()
    }

    /// Notes where everybody is.
    fn locate(&mut self, p: &Particles) {
        self.make_room(0.0, p.ids());
        let places = room(&mut self.places, self.count.len());
        for ((&x, &y), &id) in p.x.iter().zip(&p.y).zip(&p.id) {
            if let Some(place) = places.get_mut(id as usize) {
                *place = [x, y];
            }
        }
    }

    /// Divides the ids into so many bands.
    fn divide(&mut self, parts: usize) {
        let ids = self.count.len();
        self.bands.clear();
        self.bands.extend((0..parts).map(|part| {
            let ids = ids * part / parts..ids * (part + 1) / parts;
            Band { rows: ids.clone(), slots: ids, above: 0..0 }
        }));
    }
}

/// The lists of the ids from `first` on.
struct Lists<'a> {
    first: usize,
    most: usize,
    count: &'a mut [u32],
    ends: &'a mut [u32],
    lengths: &'a mut [f32],
}

impl Lists<'_> {
    /// Takes those springs off a list of which `cuts` says so, given the other end and the length.
    fn cut(&mut self, number: usize, cuts: impl Fn(u32, f32) -> bool) {
        let here = number * self.most..(number + 1) * self.most;
        let (ends, lengths) = (&mut self.ends[here.clone()], &mut self.lengths[here]);
        for spring in (0..self.count[number] as usize).rev() {
            if cuts(ends[spring], lengths[spring]) {
                self.count[number] -= 1;
                let last = self.count[number] as usize;
                (ends[spring], lengths[spring]) = (ends[last], lengths[last]);
                (ends[last], lengths[last]) = ((self.first + number) as u32, 0.0);
            }
        }
    }
}
