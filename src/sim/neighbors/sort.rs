//! The counting sort that puts particles into the grid's order, chunk by chunk. Every chunk finds its own particles in the old
//! rows from which any have come to it, in their old order, so the result is the same wherever chunks end.

use crate::sim::neighbors::layout::{BATCH, CellLayout, WIDTH};
use crate::sim::neighbors::row_chunks::{RowChunk, Stretch, parallel_for};
use crate::sim::particles::{INVALID_ID, Particles, SENTINEL_POS, resize_buffer};
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f32x8, u32x8};
use fearless_simd_macros::simd;
use std::ops::Range;

#[derive(Clone, Debug, Default)]
pub struct CountingSort {
    /// First slot of each row, and the end of the last one; slots after it were added since.
    pub starts: Vec<u32>,
    /// Rows to which the particles of each old row have moved, and those that were added.
    dest_rows: Vec<Range<u32>>,
    /// The new cell of every old slot.
    cells: Vec<u32>,
    back_buffer: Particles,
    sizes: Vec<usize>,
}

impl CountingSort {
    /// Writes the first slot of every cell into `first`. The chunks keep their rows, with new slots.
    pub fn sort(
        &mut self,
        level: Level,
        layout: &CellLayout,
        p: &mut Particles,
        first: &mut Vec<u32>,
        chunks: &mut Vec<RowChunk>,
    ) {
        self.locate(level, layout, p, chunks);
        if chunks.last().map(|chunk| chunk.rows.end) != Some(layout.rows) {
            let count = chunks.len();
            for (number, chunk) in chunks.iter_mut().enumerate() {
                chunk.rows = layout.rows * number / count..layout.rows * (number + 1) / count;
            }
        }
        first.resize(layout.rows * layout.stride(), 0);
        self.count(layout, first, chunks);
        self.scatter(layout, p, first, chunks);
        std::mem::swap(&mut self.back_buffer, p);
        self.starts.clear();
        self.starts.extend(first.iter().step_by(layout.stride()));
        self.starts.push(p.slots() as u32);
    }

    /// Computes each particle's new cell, and the rows to which the particles of each old row have moved.
    fn locate(&mut self, level: Level, layout: &CellLayout, p: &Particles, chunks: &mut Vec<RowChunk>) {
        self.starts.resize(self.starts.len().max(1), 0);
        self.starts.push(p.slots() as u32);
        let rows = self.starts.len() - 1;
        // The added particles are few, and belong to the last chunk.
        chunks.resize(chunks.len().max(1), RowChunk::default());
        if let Some(last) = chunks.last_mut() {
            (last.rows.end, last.slots.end) = (rows, p.slots());
        }
        resize_buffer(&mut self.cells, p.slots());
        self.dest_rows.resize(rows, 0..0);
        let starts = &self.starts;
        let written = (&mut self.cells[..], Stretch::per_row(1, &mut self.dest_rows));
        parallel_for(chunks, written, &|chunk, (mut cells, dest_rows)| {
            for (row, dest_rows) in chunk.rows.clone().zip(dest_rows.all) {
                let slots = starts[row] as usize..starts[row + 1] as usize;
                let cells = cells.split_off_mut(..slots.len()).unwrap_or_default();
                let at = [&p.x[slots.clone()], &p.y[slots]];
                *dest_rows = dispatch!(level, simd => locate_with(simd, layout, at, cells));
            }
        });
        if let Some(last) = chunks.last_mut() {
            last.rows.end -= 1;
        }
    }

    /// Returns the old slots from which particles may have moved to these rows, one old row at a time.
    fn sources(&self, rows: &Range<usize>) -> impl DoubleEndedIterator<Item = Range<usize>> + '_ {
        let (first, end) = (rows.start as u32, rows.end as u32);
        let met = move |(_, dest_rows): &(usize, &Range<u32>)| dest_rows.start < end && first < dest_rows.end;
        let slots = |row: usize| self.starts[row] as usize..self.starts[row + 1] as usize;
        self.dest_rows.iter().enumerate().filter(met).map(move |(row, _)| slots(row))
    }

    /// `first` becomes the end of every cell, counted from the chunk's first slot.
    fn count(&mut self, layout: &CellLayout, first: &mut [u32], chunks: &mut [RowChunk]) {
        let mut sizes = std::mem::take(&mut self.sizes);
        sizes.resize(chunks.len(), 0);
        let stride = layout.stride();
        let written = (Stretch::per_row(stride, first), Stretch::per_chunk(&mut sizes));
        parallel_for(chunks, written, &|chunk, (Stretch { all: ends, .. }, size)| {
            let base = (chunk.rows.start * stride) as u32;
            ends.fill(0);
            for slots in self.sources(&chunk.rows) {
                for cell in &self.cells[slots] {
                    // Skips sentinels and particles of other chunks.
                    if let Some(count) = ends.get_mut(cell.wrapping_sub(base) as usize) {
                        *count += 1;
                    }
                }
            }
            let mut next = 0;
            for row in ends.chunks_exact_mut(stride) {
                let start = next;
                for count in row {
                    next += *count;
                    *count = next;
                }
                next = padded(start..next);
            }
            size.all[0] = next as usize;
        });
        let mut next = 0;
        for (chunk, size) in chunks.iter_mut().zip(&sizes) {
            chunk.slots = next..next + size;
            next = chunk.slots.end;
        }
        self.sizes = sizes;
    }

    /// The last particle comes first, so that the ends of cells become their beginnings.
    fn scatter(&mut self, layout: &CellLayout, p: &Particles, first: &mut [u32], chunks: &[RowChunk]) {
        let mut back_buffer = std::mem::take(&mut self.back_buffer);
        back_buffer.resize_from(p, chunks.last().map_or(0, |chunk| chunk.slots.end));
        let stride = layout.stride();
        let floats = [&mut back_buffer.x[..], &mut back_buffer.y, &mut back_buffer.vx, &mut back_buffer.vy];
        let per_slot = usize::from(!back_buffer.gradient.is_empty());
        let gradients = Stretch::per_slot(per_slot, &mut back_buffer.gradient);
        let written = ((floats, (&mut back_buffer.id[..], gradients)), Stretch::per_row(stride, first));
        parallel_for(chunks, written, &|chunk, (([x, y, vx, vy], (id, gradients)), Stretch { all: ends, .. })| {
            // Slices of one length, so that one bounds check serves all.
            let slots = x.len();
            let (y, vx, vy, id) = (&mut y[..slots], &mut vx[..slots], &mut vy[..slots], &mut id[..slots]);
            for padding in paddings(ends, stride) {
                x[padding.clone()].fill(SENTINEL_POS);
                y[padding.clone()].fill(SENTINEL_POS);
                vx[padding.clone()].fill(0.0);
                vy[padding.clone()].fill(0.0);
                id[padding].fill(INVALID_ID);
            }
            let base = (chunk.rows.start * stride) as u32;
            for slots in self.sources(&chunk.rows).rev() {
                let cells = &self.cells[slots.clone()];
                let [xs, ys, vxs, vys] = [&p.x, &p.y, &p.vx, &p.vy].map(|old| &old[slots.clone()][..cells.len()]);
                let ids = &p.id[slots.clone()][..cells.len()];
                let old_gradients = p.gradient.get(slots).unwrap_or_default();
                for from in (0..cells.len()).rev() {
                    if let Some(end) = ends.get_mut(cells[from].wrapping_sub(base) as usize) {
                        *end -= 1;
                        let to = *end as usize;
                        (x[to], y[to], vx[to], vy[to]) = (xs[from], ys[from], vxs[from], vys[from]);
                        id[to] = ids[from];
                        if let (Some(gradient), Some(old)) = (gradients.all.get_mut(to), old_gradients.get(from)) {
                            *gradient = *old;
                        }
                    }
                }
            }
            ends.iter_mut().for_each(|first| *first += chunk.slots.start as u32);
        });
        self.back_buffer = back_buffer;
    }
}

/// Computes the new cells of the particles in a row's old slots; returns the rows to which they have moved. Eight at a time.
#[simd]
fn locate_with<S: Simd>(simd: S, layout: &CellLayout, [x, y]: [&[f32]; 2], cells: &mut [u32]) -> Range<u32> {
    let mut lowest = f32x8::splat(simd, f32::MAX);
    let mut highest = f32x8::splat(simd, -1.0);
    for ((cells, x), y) in cells.chunks_mut(WIDTH).zip(x.chunks(WIDTH)).zip(y.chunks(WIDTH)) {
        // Only the added particles do not fill their last vector.
        let mut whole_x = [SENTINEL_POS; WIDTH];
        let mut whole_y = [SENTINEL_POS; WIDTH];
        let mut whole_cells = [INVALID_ID; WIDTH];
        whole_x[..x.len()].copy_from_slice(x);
        whole_y[..y.len()].copy_from_slice(y);
        let (x, y) = (f32x8::from_slice(simd, &whole_x), f32x8::from_slice(simd, &whole_y));
        let (column, row) = layout.cell_coords(x, y);
        let valid = x.simd_lt(f32x8::splat(simd, 0.5 * SENTINEL_POS));
        lowest = lowest.min(valid.select(row, lowest));
        highest = highest.max(valid.select(row, highest));
        let cell = row.to_int::<u32x8<S>>() * layout.stride() as u32 + column.to_int::<u32x8<S>>();
        valid.select(cell, u32x8::splat(simd, INVALID_ID)).store_slice(&mut whole_cells);
        cells.copy_from_slice(&whole_cells[..cells.len()]);
    }
    let (lowest, highest) = (lowest.reduce_min(), highest.reduce_max());
    if highest < 0.0 { 0..0 } else { lowest as u32..highest as u32 + 1 }
}

/// Returns the end of the padding of a row. A vector that begins in the row ends before it; an empty row has none.
fn padded(row: Range<u32>) -> u32 {
    if row.is_empty() { row.end } else { (row.end + WIDTH as u32 - 1).next_multiple_of(BATCH as u32) }
}

/// The slots of each row's padding. A row's last entry is its end.
fn paddings(ends: &[u32], stride: usize) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = 0;
    ends.chunks_exact(stride).map(move |row| {
        let end = row[stride - 1];
        start = padded(start..end);
        end as usize..start as usize
    })
}
