//! Adjacency lists: the springs of each particle.

use crate::sim::neighbors::{RowChunk, Split, WIDTH};
use crate::sim::particles::resize_buffer;

/// Capacity of a particle's list: this factor times its neighbours at rest, and an upper limit.
const CAPACITY_FACTOR: f32 = 1.35;
pub(super) const MAX_SPRINGS: usize = 64;

/// Every particle's springs, by id. [`WIDTH`] consecutive ids are a *lane group*, whose lists lie side by side: first one spring
/// of each, then the next one of each, up to the longest list; the others are padded with springs from the particle to itself.
#[derive(Clone, Debug, Default)]
pub struct AdjacencyLists {
    /// Maximum number of springs of a particle; 0 without springs.
    max_springs: usize,
    count: Vec<u32>,
    packs: Vec<SpringPack>,
    /// Index of each lane group's first pack, and the end of the last one's.
    starts: Vec<u32>,
}

/// One spring of each particle of a lane group: the id at the other end, and the rest length, metres. It fills a cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub struct SpringPack {
    pub ends: [u32; WIDTH],
    pub lengths: [f32; WIDTH],
}

/// The lists of a range of lane groups, mutable.
pub struct SpringSlice<'a> {
    pub first: usize,
    count: &'a mut [u32],
    packs: &'a mut [SpringPack],
    /// Index of each lane group's first pack, counted from the first lane group of all.
    starts: &'a [u32],
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    pub ends: [u32; 2],
    pub length: f32,
}

impl SpringPack {
    /// Padding: a spring from each particle of a lane group to itself.
    fn padding(lane_group: usize) -> Self {
        Self { ends: std::array::from_fn(|lane| (lane_group * WIDTH + lane) as u32), lengths: [0.0; WIDTH] }
    }
}

impl AdjacencyLists {
    pub fn is_empty(&self) -> bool {
        self.max_springs == 0
    }

    pub fn ids(&self) -> usize {
        self.count.len()
    }

    pub fn make_room(&mut self, ids: usize) {
        let ids = ids.next_multiple_of(WIDTH).max(self.ids());
        resize_buffer(&mut self.count, ids);
        let end = self.starts.last().copied().unwrap_or(0);
        self.starts.resize(ids / WIDTH + 1, end);
    }

    pub fn of(&self, id: u32) -> impl DoubleEndedIterator<Item = Spring> + '_ {
        let (lane_group, lane) = (id as usize / WIDTH, id as usize % WIDTH);
        let start = self.starts.get(lane_group).map_or(0, |&start| start as usize);
        let count = self.count.get(id as usize).map_or(0, |&count| count as usize);
        let packs = self.packs[start..start + count].iter();
        packs.map(move |pack| Spring { ends: [id, pack.ends[lane]], length: pack.lengths[lane] })
    }

    /// At both of their ends, for particles with about `neighbours` neighbours; springs for which there is no room are left out.
    pub fn add(&mut self, springs: &mut Vec<Spring>, neighbours: f32) {
        if self.max_springs == 0 {
            self.max_springs = ((neighbours * CAPACITY_FACTOR) as usize).clamp(1, MAX_SPRINGS);
        }
        let (max_springs, count) = (self.max_springs as u32, &mut self.count);
        springs.retain(|Spring { ends, .. }| {
            let fits = ends.iter().all(|&end| count[end as usize] < max_springs);
            ends.iter().for_each(|&end| count[end as usize] += u32::from(fits));
            fits
        });
        if springs.is_empty() {
            return;
        }
        self.repack();
        springs.iter().flat_map(|spring| spring.ends).for_each(|end| self.count[end as usize] -= 1);
        for &Spring { ends: [a, b], length } in springs.iter() {
            self.put(Spring { ends: [a, b], length });
            self.put(Spring { ends: [b, a], length });
        }
    }

    /// Gives every lane group as many packs as its longest list needs.
    fn repack(&mut self) {
        let Self { count, packs, starts, max_springs } = self;
        let max_springs = *max_springs;
        let longest = |lane_group: usize| {
            count[lane_group * WIDTH..(lane_group + 1) * WIDTH].iter().copied().max().unwrap_or(0) as usize
        };
        let lane_groups = count.len() / WIDTH;
        // First pass: move all down, packed without gaps.
        let mut end = 0;
        for lane_group in 0..lane_groups {
            let old = starts[lane_group] as usize..starts[lane_group + 1] as usize;
            let kept = old.len().min(longest(lane_group));
            packs.copy_within(old.start..old.start + kept, end);
            starts[lane_group] = end as u32;
            end += kept;
        }
        starts[lane_groups] = end as u32;
        // Second pass: move each up to its place, the last one first.
        let mut new_end: usize = (0..lane_groups).map(longest).sum();
        // Reserved for the longest possible lists: memory that is never written costs nothing, and the array never moves again.
        if packs.capacity() < new_end {
            packs.reserve_exact(lane_groups * max_springs - packs.len());
        }
        resize_buffer(packs, new_end);
        for lane_group in (0..lane_groups).rev() {
            let kept = starts[lane_group] as usize..end;
            let start = new_end - longest(lane_group);
            packs.copy_within(kept.clone(), start);
            packs[start + kept.len()..new_end].fill(SpringPack::padding(lane_group));
            starts[lane_group + 1] = new_end as u32;
            (end, new_end) = (kept.start, start);
        }
        starts[0] = 0;
        debug_assert!(starts.is_sorted(), "the packs of lane groups are in order");
    }

    /// Adds a spring at one of its ends.
    fn put(&mut self, Spring { ends: [id, end], length }: Spring) {
        let (lane_group, lane, count) = (id as usize / WIDTH, id as usize % WIDTH, &mut self.count[id as usize]);
        let pack = &mut self.packs[(self.starts[lane_group] + *count) as usize];
        (pack.ends[lane], pack.lengths[lane]) = (end, length);
        *count += 1;
    }

    pub fn all(&mut self) -> SpringSlice<'_> {
        let Self { count, packs, starts, .. } = self;
        SpringSlice { first: 0, count, packs, starts }
    }
}

impl SpringSlice<'_> {
    #[inline(always)]
    pub fn lane_group(&mut self, lane_group: usize) -> &mut [SpringPack] {
        let [start, end] =
            [lane_group, lane_group + 1].map(|lane_group| (self.starts[lane_group] - self.starts[0]) as usize);
        &mut self.packs[start..end]
    }

    pub fn remove_if(&mut self, id: usize, removed: impl Fn(u32, f32) -> bool) {
        let (number, lane) = (id - self.first, id % WIDTH);
        let mut count = self.count[number] as usize;
        let packs = self.lane_group(number / WIDTH);
        for spring in (0..count).rev() {
            if removed(packs[spring].ends[lane], packs[spring].lengths[lane]) {
                count -= 1;
                packs[spring].ends[lane] = packs[count].ends[lane];
                packs[spring].lengths[lane] = packs[count].lengths[lane];
                (packs[count].ends[lane], packs[count].lengths[lane]) = (id as u32, 0.0);
            }
        }
        self.count[number] = count as u32;
    }
}

/// A row is a lane group, and a slot is an id.
impl Split for SpringSlice<'_> {
    fn split(self, lower: &[RowChunk]) -> (Self, Self) {
        let Self { first, count, packs, starts } = self;
        let (count, upper_count) = count.split(lower);
        let lane_groups = count.len() / WIDTH;
        let (packs, upper_packs) = packs.split_at_mut((starts[lane_groups] - starts[0]) as usize);
        let upper =
            Self { first: first + count.len(), count: upper_count, packs: upper_packs, starts: &starts[lane_groups..] };
        (Self { first, count, packs, starts: &starts[..=lane_groups] }, upper)
    }
}
