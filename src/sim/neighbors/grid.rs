//! The neighbour grid: which particles are in each cell.

use crate::sim::neighbors::layout::{BATCH, COLUMNS_PER_H, CellLayout, WIDTH};
use crate::sim::neighbors::row_chunks::{CHUNKS_PER_THREAD, RowChunk};
use crate::sim::neighbors::sort::CountingSort;
use crate::sim::particles::Particles;
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f32x8};
use fearless_simd_macros::simd;
use glam::Vec2;
use std::ops::Range;

#[derive(Clone, Debug, Default)]
pub struct Grid {
    layout: CellLayout,
    /// First slot of every cell, row by row; each row ends with one more entry, the end of its last cell.
    first: Vec<u32>,
    sort: CountingSort,
    chunk_count: usize,
    /// The rows in chunks of about equal numbers of particles, from the lowest to the highest.
    pub chunks: Vec<RowChunk>,
}

impl Grid {
    /// Lays the grid over a tank of `size` metres for interaction radius `h`, with a margin of one h around it.
    pub fn resize(&mut self, size: Vec2, h: f32) {
        self.layout = CellLayout::new(size, h);
    }

    pub fn rows(&self) -> usize {
        self.layout.rows
    }

    pub fn set_threads(&mut self, threads: usize) {
        self.chunk_count = if threads > 1 { threads * CHUNKS_PER_THREAD } else { 1 };
    }

    /// The sort is stable, so the result depends only on the positions and the earlier order.
    pub fn sort(&mut self, level: Level, particles: &mut Particles) {
        self.sort.sort(level, &self.layout, particles, &mut self.first, &mut self.chunks);
        self.balance();
        self.check_order(particles);
    }

    /// Cells are in order, rows begin at whole batches, and sentinels lie between the particles of one row and the next.
    fn check_order(&self, particles: &Particles) {
        debug_assert!(self.first.is_sorted(), "the cells' slots are in order");
        debug_assert!(self.sort.starts.iter().all(|&start| (start as usize).is_multiple_of(BATCH)), "whole batches");
        debug_assert_eq!(self.sort.starts.last().map(|&end| end as usize), Some(particles.slots()), "all slots");
        let row_end = |row: usize| self.sort.starts[row + 1] as usize;
        debug_assert!(
            (0..self.rows()).all(|row| (self.row(row).end..row_end(row)).all(|slot| !particles.is_alive(slot))),
            "padding holds sentinels"
        );
    }

    /// Divides the rows anew, so that all chunks have about the same number of slots.
    fn balance(&mut self) {
        let starts = &self.sort.starts;
        let rows = self.layout.rows;
        let slots = *starts.last().unwrap_or(&0) as usize;
        let chunk_count = self.chunk_count.clamp(1, rows);
        let start = |row: usize| starts[row.min(rows)] as usize;
        let cut = |part: usize| match slots * part / chunk_count {
            _ if part == chunk_count => rows,
            target => {
                let row = starts[..rows].partition_point(|&start| (start as usize) < target);
                let before = row.saturating_sub(1);
                if target - start(before).min(target) < start(row) - target { before } else { row }
            }
        };
        self.chunks.clear();
        self.chunks.extend((0..chunk_count).map(|part| {
            let rows = cut(part)..cut(part + 1);
            let upper_halo = start(rows.start + 1)..start(rows.end + 1);
            RowChunk { slots: start(rows.start)..start(rows.end), upper_halo, rows }
        }));
    }

    #[inline]
    pub fn row(&self, row: usize) -> Range<usize> {
        let stride = self.layout.stride();
        self.first[row * stride] as usize..self.first[(row + 1) * stride - 1] as usize
    }

    /// The slots of every cell of `row` that holds more than one particle.
    pub fn multi_occupied_cells(&self, row: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        let stride = self.layout.stride();
        let cells = self.first[row * stride..(row + 1) * stride].windows(2);
        cells.map(|cell| cell[0] as usize..cell[1] as usize).filter(|cell| cell.len() > 1)
    }

    /// The centres of the grid's blocks of h × h, row by row, metres.
    pub fn block_centers(&self) -> impl Iterator<Item = Vec2> + '_ {
        let side = 1.0 / self.layout.inv_row_height;
        let center =
            move |row: usize, column: usize| self.layout.origin + side * (Vec2::new(column as f32, row as f32) + 0.5);
        (0..self.layout.rows).flat_map(move |row| (0..self.blocks_per_row()).map(move |column| center(row, column)))
    }

    /// The slots of the particles that were in this block at the last sort.
    #[inline]
    pub fn block(&self, number: usize) -> Range<usize> {
        let blocks_per_row = self.blocks_per_row();
        let cell = number / blocks_per_row * self.layout.stride() + number % blocks_per_row * COLUMNS_PER_H;
        self.first[cell] as usize..self.first[cell + COLUMNS_PER_H] as usize
    }

    pub fn blocks_per_row(&self) -> usize {
        self.layout.columns / COLUMNS_PER_H
    }

    /// The block of a place; places outside belong to the outermost.
    pub fn block_at(&self, at: Vec2) -> usize {
        let (column, row) = self.block_coords(at);
        row * self.blocks_per_row() + column
    }

    /// The same, as a column and a row.
    fn block_coords(&self, at: Vec2) -> (usize, usize) {
        let within = ((at - self.layout.origin) * self.layout.inv_row_height).max(Vec2::ZERO).as_usizevec2();
        (within.x.min(self.blocks_per_row().saturating_sub(1)), within.y.min(self.layout.rows.saturating_sub(1)))
    }

    /// The slots of particles that may be within h of a place: those of its block and the blocks beside it at the last sort.
    pub fn slots_around(&self, at: Vec2) -> impl Iterator<Item = usize> + '_ {
        let (column, row) = self.block_coords(at);
        let columns = column.saturating_sub(1)..(column + 2).min(self.blocks_per_row());
        let rows = row.saturating_sub(1)..(row + 2).min(self.layout.rows);
        rows.flat_map(move |row| self.block_slots(row, columns.clone()))
    }

    /// The rows within `radius` (at most h) of a height.
    #[inline]
    pub fn rows_near(&self, y: f32, radius: f32) -> Range<usize> {
        let row = |y: f32| {
            (((y - self.layout.origin.y) * self.layout.inv_row_height).max(0.0) as usize).min(self.layout.rows - 1)
        };
        row(y - radius)..row(y + radius) + 1
    }

    /// The slots in `row` that may lie within `radius` of `x`, allowing a movement of up to a column since the sort.
    #[inline]
    pub fn slots_near(&self, row: usize, x: f32, radius: f32) -> Range<usize> {
        let left = self.layout.column_of(x - radius).saturating_sub(1);
        let right = (self.layout.column_of(x + radius) + 2).min(self.layout.columns);
        let row = row * self.layout.stride();
        self.first[row + left] as usize..self.first[row + right] as usize
    }

    /// The slots of a chunk that may lie in the rectangle between two corners, row by row.
    pub fn slots_in_box(&self, chunk: &RowChunk, min: Vec2, max: Vec2) -> impl Iterator<Item = usize> + '_ {
        let ((left, low), (right, high)) = (self.block_coords(min), self.block_coords(max));
        let rows = low.max(chunk.rows.start)..(high + 1).min(chunk.rows.end);
        rows.flat_map(move |row| self.block_slots(row, left..right + 1))
    }

    /// The slots in `row` that lie in these of its blocks.
    #[inline]
    pub fn block_slots(&self, row: usize, blocks: Range<usize>) -> Range<usize> {
        let row = row * self.layout.stride();
        self.first[row + blocks.start * COLUMNS_PER_H] as usize..self.first[row + blocks.end * COLUMNS_PER_H] as usize
    }

    /// The slots of those of `blocks`, which are in order, that lie in `chunk`, block by block.
    pub fn blocks_in_chunk<'a>(
        &'a self,
        chunk: &RowChunk,
        blocks: &'a [u32],
    ) -> impl Iterator<Item = Range<usize>> + 'a {
        let blocks_per_row = self.blocks_per_row();
        let [first, end] = [chunk.rows.start, chunk.rows.end]
            .map(|row| blocks.partition_point(|&block| (block as usize) < row * blocks_per_row));
        blocks[first..end].iter().map(|&block| self.block(block as usize))
    }

    /// Once for every two particles nearer than `h`, with slots and squared distance; for occasional passes.
    pub fn for_each_pair(&self, level: Level, p: &Particles, h: f32, mut visit: impl FnMut(usize, usize, f32)) {
        dispatch!(level, simd => for_each_pair_with(simd, self, p, h, &mut visit));
    }

    /// The slots that may hold unvisited neighbours of those from `first` on, in `row` from `x` to `x_last`: behind, and above.
    #[inline(always)]
    pub fn candidate_ranges(&self, row: usize, first: usize, x: f32, x_last: f32) -> [Range<usize>; 2] {
        let left = self.layout.column_of(x.min(x_last)).saturating_sub(COLUMNS_PER_H);
        let right = (self.layout.column_of(x.max(x_last)) + COLUMNS_PER_H + 1).min(self.layout.columns);
        let own = row * self.layout.stride();
        let above = own + self.layout.stride();
        let own_end = (self.first[own + right] as usize).max(first + 1);
        let above_run = match self.first.get(above + left) {
            Some(&from) => from as usize..self.first[above + right] as usize,
            None => 0..0,
        };
        [first + 1..own_end, above_run]
    }
}

/// Eight candidates at a time, of which two in three are out of range.
#[simd]
fn for_each_pair_with<S: Simd, F: FnMut(usize, usize, f32)>(
    simd: S,
    grid: &Grid,
    p: &Particles,
    h: f32,
    visit: &mut F,
) {
    let squared_radius = f32x8::splat(simd, h * h);
    for row in 0..grid.rows() {
        for i in grid.row(row) {
            for run in grid.candidate_ranges(row, i, p.x[i], p.x[i]) {
                for from in run.clone().step_by(WIDTH) {
                    let [x, y] = [&p.x, &p.y].map(|at| f32x8::from_slice(simd, &at[from..from + WIDTH]));
                    let (x, y) = (x - p.x[i], y - p.y[i]);
                    let r2 = x * x + y * y;
                    let mut near = r2.simd_lt(squared_radius).to_bitmask();
                    while near != 0 {
                        let lane = near.trailing_zeros() as usize;
                        if from + lane < run.end {
                            visit(i, from + lane, r2.as_slice()[lane]);
                        }
                        near &= near - 1;
                    }
                }
            }
        }
    }
}
