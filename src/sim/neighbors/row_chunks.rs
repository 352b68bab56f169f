//! Chunks of rows: the division of a pass among the workers of a thread pool. A chunk of consecutive rows is one stretch of every
//! array. A pass gets its own stretch of each array that it writes, and may read what it does not write. The result must not
//! depend on where one chunk ends and the next begins.

use crate::sim::parallel;
use std::ops::Range;

/// With several, a thread that finishes first takes over a chunk of another thread.
pub const CHUNKS_PER_THREAD: usize = 4;

/// Empties a chunk's contact list, with room for two entries a slot: else lists double one after the other.
pub fn clear_list<T>(list: &mut Vec<T>, chunk: &RowChunk) {
    list.clear();
    let slots = chunk.slots.len();
    if list.capacity() < slots {
        list.reserve_exact(2 * slots);
    }
}

/// A chunk, and its place in the arrays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowChunk {
    pub rows: Range<usize>,
    /// Slots of the particles in them, padding included.
    pub slots: Range<usize>,
    /// The same rows, moved up by one: where the pair passes find the neighbours above.
    pub upper_halo: Range<usize>,
}

impl RowChunk {
    /// Divides `rows` of `width` slots each evenly among `count` chunks.
    pub fn even(rows: usize, width: usize, count: usize) -> impl Iterator<Item = Self> {
        (0..count).map(move |part| {
            let rows = rows * part / count..rows * (part + 1) / count;
            Self { slots: rows.start * width..rows.end * width, rows, upper_halo: 0..0 }
        })
    }
}

/// An array, or several, of which every chunk gets a stretch.
pub trait Split: Send {
    /// Splits off the part that belongs to the `lower` chunks. Each part begins at its first chunk.
    fn split(self, lower: &[RowChunk]) -> (Self, Self)
    where
        Self: Sized;
}

impl<T: Send> Split for &mut [T] {
    fn split(self, lower: &[RowChunk]) -> (Self, Self) {
        let slots = lower.iter().map(|chunk| chunk.slots.len()).sum();
        self.split_at_mut(slots)
    }
}

/// An array with so many entries for each unit of what a chunk has of something else than slots.
pub struct Stretch<'a, T> {
    pub all: &'a mut [T],
    width: usize,
    units: fn(&RowChunk) -> usize,
}

impl<'a, T> Stretch<'a, T> {
    pub fn upper_halo(all: &'a mut [T]) -> Self {
        Self { all, width: 1, units: |chunk| chunk.upper_halo.len() }
    }

    /// With `width` entries a row.
    pub fn per_row(width: usize, all: &'a mut [T]) -> Self {
        Self { all, width, units: |chunk| chunk.rows.len() }
    }

    /// With `width` entries a slot; none of an empty array.
    pub fn per_slot(width: usize, all: &'a mut [T]) -> Self {
        Self { all, width, units: |chunk| chunk.slots.len() }
    }

    pub fn per_chunk(all: &'a mut [T]) -> Self {
        Self { all, width: 1, units: |_| 1 }
    }
}

impl<T: Send> Split for Stretch<'_, T> {
    fn split(self, lower: &[RowChunk]) -> (Self, Self) {
        let Self { all, width, units } = self;
        let (lower, upper) = all.split_at_mut(width * lower.iter().map(units).sum::<usize>());
        (Self { all: lower, width, units }, Self { all: upper, width, units })
    }
}

impl Split for () {
    fn split(self, _: &[RowChunk]) -> (Self, Self) {
        ((), ())
    }
}

impl<S: Split, const N: usize> Split for [S; N] {
    fn split(self, lower: &[RowChunk]) -> (Self, Self) {
        let mut upper = [const { None }; N];
        let mut number = 0;
        let lower = self.map(|stretch| {
            let (low, high) = stretch.split(lower);
            upper[number] = Some(high);
            number += 1;
            low
        });
        (lower, upper.map(|high| high.expect("each has been split")))
    }
}

impl<A: Split, B: Split> Split for (A, B) {
    fn split(self, lower: &[RowChunk]) -> (Self, Self) {
        let (a, upper_a) = self.0.split(lower);
        let (b, upper_b) = self.1.split(lower);
        ((a, b), (upper_a, upper_b))
    }
}

/// A single chunk runs on the calling thread; several are shared by the pool that the caller works in.
pub fn parallel_for<S: Split>(chunks: &[RowChunk], written: S, work: &(impl Fn(&RowChunk, S) + Sync)) {
    parallel_for_grain(1, chunks, written, work);
}

/// As [`parallel_for`], for a pass of a few microseconds: every thread gets one range of chunks, which saves scheduling.
pub fn parallel_for_coarse<S: Split>(chunks: &[RowChunk], written: S, work: &(impl Fn(&RowChunk, S) + Sync)) {
    parallel_for_grain(CHUNKS_PER_THREAD, chunks, written, work);
}

/// Schedules ranges of at most `grain` chunks.
fn parallel_for_grain<S: Split>(grain: usize, chunks: &[RowChunk], written: S, work: &(impl Fn(&RowChunk, S) + Sync)) {
    match chunks {
        [] => {}
        [chunk] => work(chunk, written),
        _ => {
            let (lower, upper) = chunks.split_at(chunks.len().div_ceil(2));
            let (below, above) = written.split(lower);
            let one = || parallel_for_grain(grain, lower, below, work);
            let other = || parallel_for_grain(grain, upper, above, work);
            if chunks.len() > grain {
                parallel::join(one, other);
            } else {
                one();
                other();
            }
        }
    }
}
