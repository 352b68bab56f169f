//! Passes over pairs of neighbours. Every pair is visited once (see [`crate::sim::neighbors`]), and the result is added to one
//! particle and subtracted from the other, so momentum is conserved to rounding. A block of `BATCH` consecutive particles is
//! tested against the same vectors of eight candidates, whose sums are updated by contiguous reads and writes. Only operations
//! that IEEE 754 rounds exactly are used, always eight lanes wide, so every instruction set computes the same bits.

use crate::math::horizontal_sums;
use crate::sim::neighbors::grid::Grid;
use crate::sim::neighbors::layout::{BATCH, WIDTH};
use crate::sim::neighbors::row_chunks::{RowChunk, Stretch, parallel_for};
use crate::sim::neighbors::separate::COINCIDENT_R2;
use crate::sim::neighbors::sleep_map::{SleepMap, Zone};
use crate::sim::particles::resize_buffer;
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f32x4, f32x8};
use fearless_simd_macros::simd;
use std::ops::Range;

/// Sums of two quantities over neighbours: a range of slots that begins with a row's first.
struct Sums<'a> {
    first: usize,
    of: [&'a mut [f32]; 2],
}

impl Sums<'_> {
    /// Returns the sums of N slots from `slot` on.
    #[inline(always)]
    fn at<const N: usize>(&mut self, slot: usize) -> [&mut [f32]; 2] {
        let from = slot - self.first;
        self.of.each_mut().map(|sums| &mut sums[from..from + N])
    }
}

fn zero<'a>(chunk: &RowChunk, sums: [&'a mut [f32]; 2], above: [Stretch<'a, f32>; 2]) -> [Sums<'a>; 2] {
    let zero = |sums: &'a mut [f32]| {
        sums.fill(0.0);
        sums
    };
    let (own, above) = (sums.map(zero), above.map(|above| zero(above.all)));
    [Sums { first: chunk.slots.start, of: own }, Sums { first: chunk.upper_halo.start, of: above }]
}

/// Returns the buffers for the sums of the upper rows. The lowest row receives nothing.
fn upper_row_buffers<'a>(above: &'a mut [Vec<f32>; 2], slots: usize, chunks: &[RowChunk]) -> [Stretch<'a, f32>; 2] {
    let lowest = chunks.first().map_or(0, |chunk| chunk.upper_halo.start);
    above.each_mut().map(|sums| {
        let (lowest, above) = resize_buffer(sums, slots).split_at_mut(lowest);
        lowest.fill(0.0);
        Stretch::upper_halo(above)
    })
}

pub(in crate::sim) fn add(sums: &mut [f32], more: &[f32]) {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

/// A number of each of eight candidates.
pub type Lanes<S> = f32x8<S>;

/// The offsets from one particle to eight candidates, and their squares. Those already visited appear out of range.
#[derive(Clone, Copy)]
pub struct Offset<S: Simd> {
    pub x: Lanes<S>,
    pub y: Lanes<S>,
    /// Squared length, m².
    pub r2: Lanes<S>,
}

impl<S: Simd> Offset<S> {
    /// Safe to divide by: coincident particles have been separated before.
    #[inline(always)]
    pub fn length(self, simd: S, h: f32) -> Lanes<S> {
        self.r2.max(Lanes::splat(simd, COINCIDENT_R2 * h * h)).sqrt()
    }

    #[inline(always)]
    pub fn dot(self, v: [Lanes<S>; 2]) -> Lanes<S> {
        v[0] * self.x + v[1] * self.y
    }
}

/// The interaction of two particles, each with K attributes including its position.
pub trait PairKernel<const K: usize>: Copy + Sync {
    /// A particle receives the opposite of what its neighbour does (an impulse), not the same (a part of its density).
    const ANTISYMMETRIC: bool;

    /// Whether any of a batch of particles with these attributes gives anything to others, or gets anything from them.
    #[inline(always)]
    fn acts_on(&self, _batch: [&[f32]; K]) -> bool {
        true
    }

    /// Returns the two quantities that the first of the pair, a particle, contributes to the other, the candidates.
    fn evaluate<S: Simd>(&self, simd: S, pair: [[Lanes<S>; K]; 2], offset: Offset<S>) -> [Lanes<S>; 2];
}

/// The candidates for the neighbours of each batch of a chunk: by a search in the grid, or the ranges that it has recorded.
struct Candidates<'a, const SEARCHES: bool> {
    grid: &'a Grid,
    sleep_map: &'a SleepMap,
    zone: Zone,
    chunk: &'a RowChunk,
    x: &'a [f32],
    ranges: &'a mut [[u32; BATCH]],
}

impl<const SEARCHES: bool> Candidates<'_, SEARCHES> {
    /// The slots that may hold neighbours of the block `first` to `last` which it has not visited: in the block's own row,
    /// beginning with the block itself, and in the row above.
    #[inline(always)]
    fn ranges(&self, row: usize, first: usize, last: usize) -> [Range<usize>; 2] {
        if SEARCHES {
            let [own, above] = self.grid.candidate_ranges(row, first, self.x[first], self.x[last]);
            return [first..own.end, above];
        }
        let recorded = self.ranges[(first - self.chunk.slots.start) / BATCH];
        let [own_end, above_start, above_end, _] = recorded.map(|slot| slot as usize);
        [first..own_end, above_start..above_end]
    }

    /// Records the slots of those ranges between which candidates were in range.
    #[inline(always)]
    fn record(&mut self, first: usize, own: Range<usize>, above: Range<usize>) {
        self.ranges[(first - self.chunk.slots.start) / BATCH] =
            [own.end as u32, above.start as u32, above.end as u32, 0];
    }
}

/// Added to the squared distances between the particles of a block: excludes a particle itself and those that it has already met.
const SELF_MASK: [[f32; WIDTH]; BATCH] = {
    let mut met = [[0.0; WIDTH]; BATCH];
    let mut own = 0;
    while own < BATCH {
        let mut other = 0;
        while other <= own {
            met[own][other] = 1e30;
            other += 1;
        }
        own += 1;
    }
    met
};

/// A pass over pairs: the pairs that it visits, and the source of candidates.
pub struct PairPass<'a> {
    pub level: Level,
    pub grid: &'a Grid,
    pub sleep_map: &'a SleepMap,
    /// The pass visits pairs of which at least one particle is in this zone.
    pub zone: Zone,
    /// Per batch of particles: the ranges in which [`Self::search`] found neighbours.
    pub neighbor_ranges: &'a mut Vec<u32>,
    /// Contributions of each row to the one above, kept apart so that sums do not depend on how threads share rows.
    pub upper_sums: &'a mut [Vec<f32>; 2],
}

impl PairPass<'_> {
    /// Records the neighbours of each batch. The attributes begin with x and y.
    pub fn search<const K: usize>(self, attributes: [&[f32]; K], kernel: impl PairKernel<K>, sums: [&mut Vec<f32>; 2]) {
        self.run::<true, K>(attributes, kernel, sums);
    }

    /// Over the pairs that the last search found. The attributes begin with x and y.
    pub fn visit<const K: usize>(self, attributes: [&[f32]; K], kernel: impl PairKernel<K>, sums: [&mut Vec<f32>; 2]) {
        self.run::<false, K>(attributes, kernel, sums);
    }

    fn run<const SEARCHES: bool, const K: usize>(
        self,
        attributes: [&[f32]; K],
        kernel: impl PairKernel<K>,
        sums: [&mut Vec<f32>; 2],
    ) {
        let Self { level, grid, sleep_map, zone, neighbor_ranges, upper_sums } = self;
        let x = attributes[0];
        let sums = sums.map(|sums| resize_buffer(sums, x.len()));
        let above = upper_row_buffers(upper_sums, x.len(), &grid.chunks);
        let written = ((sums, above), resize_buffer(neighbor_ranges, x.len()));
        parallel_for(&grid.chunks, written, &|chunk, ((sums, above), ranges)| {
            let ranges = ranges.as_chunks_mut().0;
            let mut candidates = Candidates::<SEARCHES> { grid, sleep_map, zone, chunk, x, ranges };
            let out = zero(chunk, sums, above);
            dispatch!(level, simd => for_each_pair(simd, attributes, &mut candidates, kernel, out));
        });
    }
}

/// Visits every pair of neighbours in a chunk of which one is in the zone once, and sums the contributions. Candidates are read
/// from where a run begins.
#[simd]
fn for_each_pair<S: Simd, const SEARCHES: bool, const K: usize, M: PairKernel<K>>(
    simd: S,
    attributes: [&[f32]; K],
    candidates: &mut Candidates<SEARCHES>,
    kernel: M,
    out: [Sums; 2],
) {
    let slots = attributes[0].len();
    let attributes = attributes.map(|values| &values[..slots]);
    let [mut own_sums, mut above_sums] = out;
    let &mut Candidates { grid, sleep_map, zone, chunk, .. } = candidates;
    let zero = Lanes::splat(simd, 0.0);
    for row in chunk.rows.clone() {
        let slots = grid.row(row);
        for batches in sleep_map.batches::<BATCH>(zone, grid, row) {
            for first in batches.step_by(BATCH) {
                let members = attributes.map(|values| &values[first..first + BATCH]);
                if !SEARCHES && !kernel.acts_on(members) {
                    continue;
                }
                let [own, above] = candidates.ranges(row, first, (first + BATCH - 1).min(slots.end - 1));
                let mut batch = Batch { attributes: [[zero; K]; BATCH], sums: [[zero; BATCH]; 2] };
                for (i, particle) in batch.attributes.iter_mut().enumerate() {
                    for (attribute, values) in particle.iter_mut().zip(members) {
                        *attribute = Lanes::splat(simd, values[i]);
                    }
                }
                let theirs = attributes.map(|values| &values[first..first + WIDTH]);
                batch.meet(simd, theirs, Some(&SELF_MASK), &kernel, own_sums.at::<WIDTH>(first));
                let behind = first + WIDTH..own.end;
                let hit_own = batch.meet_range::<SEARCHES, _>(simd, attributes, behind, &kernel, &mut own_sums);
                let hit_above =
                    batch.meet_range::<SEARCHES, _>(simd, attributes, above.clone(), &kernel, &mut above_sums);
                if SEARCHES {
                    // Sentinels are in range of each other.
                    let own = hit_own.start..hit_own.end.max(first).min(own.end);
                    candidates.record(first, own, hit_above.start..hit_above.end.min(above.end));
                }
                for (out, sums) in own_sums.at::<BATCH>(first).into_iter().zip(batch.sums) {
                    let (sum, total) = (f32x4::from_slice(simd, out), horizontal_sums(sums));
                    (if M::ANTISYMMETRIC { sum - total } else { sum + total }).store_slice(out);
                }
            }
        }
    }
}

/// Consecutive particles, and the sums of what their neighbours contribute to them, by lane of the candidates.
struct Batch<S: Simd, const K: usize> {
    attributes: [[Lanes<S>; K]; BATCH],
    sums: [[Lanes<S>; BATCH]; 2],
}

impl<S: Simd, const K: usize> Batch<S, K> {
    /// Meets the candidates in `run`, eight by eight. Returns the slots between which candidates were in range, if it `SEARCHES`.
    #[inline(always)]
    fn meet_range<const SEARCHES: bool, M: PairKernel<K>>(
        &mut self,
        simd: S,
        attributes: [&[f32]; K],
        run: Range<usize>,
        kernel: &M,
        sums: &mut Sums,
    ) -> Range<usize> {
        let mut in_range = Range { start: usize::MAX, end: 0 };
        let mut at = run.start;
        while at < run.end {
            // The hits in 64 slots form a word.
            let first = at;
            let end = run.end.min(at + 64);
            let mut hit = 0u64;
            while at < end {
                let theirs = attributes.map(|values| &values[at..at + WIDTH]);
                let given = self.meet(simd, theirs, None, kernel, sums.at::<WIDTH>(at));
                if SEARCHES {
                    hit |= given.simd_gt(Lanes::splat(simd, 0.0)).to_bitmask() << (at - first);
                }
                at += WIDTH;
            }
            if hit != 0 {
                in_range.start = in_range.start.min(first + hit.trailing_zeros() as usize);
                in_range.end = in_range.end.max(first + 64 - hit.leading_zeros() as usize);
            }
        }
        in_range
    }

    /// Evaluates the kernel for the batch and eight candidates. Returns the first of the contributions to them.
    #[inline(always)]
    fn meet<M: PairKernel<K>>(
        &mut self,
        simd: S,
        candidates: [&[f32]; K],
        met: Option<&[[f32; WIDTH]; BATCH]>,
        kernel: &M,
        given: [&mut [f32]; 2],
    ) -> Lanes<S> {
        // Loops instead of closures: a closure is compiled as a function without these instructions.
        let zero = Lanes::splat(simd, 0.0);
        let mut theirs = [zero; K];
        for k in 0..K {
            theirs[k] = Lanes::from_slice(simd, candidates[k]);
        }
        let mut sums = [zero; 2];
        for i in 0..BATCH {
            let own = self.attributes[i];
            let (x, y) = (theirs[0] - own[0], theirs[1] - own[1]);
            let mut r2 = x * x + y * y;
            if let Some(met) = met {
                r2 = r2.max(Lanes::from_slice(simd, &met[i]));
            }
            // Added at once: adding two by two makes AVX2 run out of registers.
            let gives = kernel.evaluate(simd, [own, theirs], Offset { x, y, r2 });
            for k in 0..2 {
                self.sums[k][i] += gives[k];
                sums[k] += gives[k];
            }
        }
        for k in 0..2 {
            (Lanes::from_slice(simd, given[k]) + sums[k]).store_slice(given[k]);
        }
        sums[0]
    }
}
