//! Adjacency lists of springs: the neighbours that each particle is connected to.

use crate::sim::neighbors::pairs::WIDTH;
use crate::sim::neighbors::row_chunks::{RowChunk, Split};
use crate::sim::particles::resize_buffer;

/// A particle has room for so many times as many springs as it has neighbours at rest, and for so many at the most.
const ROOM: f32 = 1.35;
const MOST: usize = 64;

/// Every particle's springs, by id.
///
/// [`WIDTH`] consecutive ids are a *team*, whose lists lie side by side: first one spring of each, then another one of
/// each, and so on, until the longest is over; the others are padded with springs from the particle to itself. Then the
/// next team follows. (With room for the longest list that there may be, a hundred thousand particles' springs took half
/// as much time again: after every gap memory is read ahead only from the third line on.)
#[derive(Clone, Debug, Default)]
pub struct Lists {
    /// How many springs a particle may have, or 0 without springs.
    most: usize,
    count: Vec<u32>,
    knots: Vec<Knot>,
    /// Where each team's knots begin, and where the last one's end.
    starts: Vec<u32>,
}

/// A spring of each of a team: the id at the other end, and the length at rest, metres. A line of the cache.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub struct Knot {
    pub ends: [u32; WIDTH],
    pub lengths: [f32; WIDTH],
}

/// The lists of some teams, to be changed.
pub struct Part<'a> {
    /// The first id.
    pub first: usize,
    count: &'a mut [u32],
    knots: &'a mut [Knot],
    /// Where these teams' knots begin, counted from the first team's of all.
    starts: &'a [u32],
}

/// One end's view of a spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// The ids of its ends.
    pub ends: [u32; 2],
    /// Length at rest, metres.
    pub length: f32,
}

impl Knot {
    /// From each particle of a team to itself.
    fn padding(team: usize) -> Self {
        Self { ends: std::array::from_fn(|lane| (team * WIDTH + lane) as u32), lengths: [0.0; WIDTH] }
    }
}

impl Lists {
    pub fn is_empty(&self) -> bool {
        self.most == 0
    }

    /// How many ids there is room for: those of whole teams.
    pub fn ids(&self) -> usize {
        self.count.len()
    }

    /// Makes room for so many ids.
    pub fn make_room(&mut self, ids: usize) {
        let ids = ids.next_multiple_of(WIDTH).max(self.ids());
        resize_buffer(&mut self.count, ids);
        let end = self.starts.last().copied().unwrap_or(0);
        self.starts.resize(ids / WIDTH + 1, end);
    }

    /// All springs that a particle has.
    pub fn of(&self, id: u32) -> impl DoubleEndedIterator<Item = Spring> + '_ {
        let (team, lane) = (id as usize / WIDTH, id as usize % WIDTH);
        let start = self.starts.get(team).map_or(0, |&start| start as usize);
        let count = self.count.get(id as usize).map_or(0, |&count| count as usize);
        let knots = self.knots[start..start + count].iter();
        knots.map(move |knot| Spring { ends: [id, knot.ends[lane]], length: knot.lengths[lane] })
    }

    /// Notes new springs, each at both of its ends, of particles with about so many neighbours; those are left out for
    /// which there is no room.
    pub fn add(&mut self, springs: &mut Vec<Spring>, neighbours: f32) {
        if self.most == 0 {
            self.most = ((neighbours * ROOM) as usize).clamp(1, MOST);
        }
        let (most, count) = (self.most as u32, &mut self.count);
        springs.retain(|Spring { ends, .. }| {
            let fits = ends.iter().all(|&end| count[end as usize] < most);
            ends.iter().for_each(|&end| count[end as usize] += u32::from(fits));
            fits
        });
        if springs.is_empty() {
            return;
        }
        self.lay();
        springs.iter().flat_map(|spring| spring.ends).for_each(|end| self.count[end as usize] -= 1);
        for &Spring { ends: [a, b], length } in springs.iter() {
            self.put(Spring { ends: [a, b], length });
            self.put(Spring { ends: [b, a], length });
        }
    }

    /// Gives every team as many knots as the longest of its lists is to have.
    fn lay(&mut self) {
        let Self { count, knots, starts, most } = self;
        let most = *most;
        let longest = |team: usize| count[team * WIDTH..(team + 1) * WIDTH].iter().copied().max().unwrap_or(0) as usize;
        let teams = count.len() / WIDTH;
        // First all the way down, as close as they can lie.
        let mut end = 0;
        for team in 0..teams {
            let old = starts[team] as usize..starts[team + 1] as usize;
            let kept = old.len().min(longest(team));
            knots.copy_within(old.start..old.start + kept, end);
            starts[team] = end as u32;
            end += kept;
        }
        starts[teams] = end as u32;
        // Then up again to where they belong, the last one first.
        let mut new_end: usize = (0..teams).map(longest).sum();
        // For the longest lists that there may be: what is never written costs no memory, and it never moves again.
        if knots.capacity() < new_end {
            knots.reserve_exact(teams * most - knots.len());
        }
        resize_buffer(knots, new_end);
        for team in (0..teams).rev() {
            let kept = starts[team] as usize..end;
            let start = new_end - longest(team);
            knots.copy_within(kept.clone(), start);
            knots[start + kept.len()..new_end].fill(Knot::padding(team));
            starts[team + 1] = new_end as u32;
            (end, new_end) = (kept.start, start);
        }
        starts[0] = 0;
    }

    /// Notes a spring at one of its ends.
    fn put(&mut self, Spring { ends: [id, end], length }: Spring) {
        let (team, lane, count) = (id as usize / WIDTH, id as usize % WIDTH, &mut self.count[id as usize]);
        let knot = &mut self.knots[(self.starts[team] + *count) as usize];
        (knot.ends[lane], knot.lengths[lane]) = (end, length);
        *count += 1;
    }

    pub fn all(&mut self) -> Part<'_> {
        let Self { count, knots, starts, .. } = self;
        Part { first: 0, count, knots, starts }
    }
}

impl Part<'_> {
    /// A team's knots.
    #[inline(always)]
    pub fn team(&mut self, team: usize) -> &mut [Knot] {
        let [start, end] = [team, team + 1].map(|team| (self.starts[team] - self.starts[0]) as usize);
        &mut self.knots[start..end]
    }

    /// Takes those springs off a list of which `cuts` says so, given the other end and the length.
    pub fn cut(&mut self, id: usize, cuts: impl Fn(u32, f32) -> bool) {
        let (number, lane) = (id - self.first, id % WIDTH);
        let mut count = self.count[number] as usize;
        let knots = self.team(number / WIDTH);
        for spring in (0..count).rev() {
            if cuts(knots[spring].ends[lane], knots[spring].lengths[lane]) {
                count -= 1;
                knots[spring].ends[lane] = knots[count].ends[lane];
                knots[spring].lengths[lane] = knots[count].lengths[lane];
                (knots[count].ends[lane], knots[count].lengths[lane]) = (id as u32, 0.0);
            }
        }
        self.count[number] = count as u32;
    }
}

/// Rows are teams, and slots their ids.
impl Split for Part<'_> {
    fn split(self, lower: &[RowChunk]) -> (Self, Self) {
        let Self { first, count, knots, starts } = self;
        let (count, upper_count) = count.split(lower);
        let teams = count.len() / WIDTH;
        let (knots, upper_knots) = knots.split_at_mut((starts[teams] - starts[0]) as usize);
        let upper =
            Self { first: first + count.len(), count: upper_count, knots: upper_knots, starts: &starts[teams..] };
        (Self { first, count, knots, starts: &starts[..=teams] }, upper)
    }
}
