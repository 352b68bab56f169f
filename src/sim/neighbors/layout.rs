//! The layout of the grid's cells, and of particles in vectors.

use fearless_simd::f32x8;
use fearless_simd::prelude::*;
use glam::Vec2;

/// Number of candidates tested together. This many slots after the last of a row must not reach into the next row.
pub const WIDTH: usize = 8;

pub const BATCH: usize = 4;

/// Columns per interaction radius.
pub const COLUMNS_PER_H: usize = 4;

#[derive(Clone, Copy, Debug, Default)]
pub struct CellLayout {
    /// The lower left corner, metres.
    pub origin: Vec2,
    inv_column_width: f32,
    /// 1/m.
    pub inv_row_height: f32,
    pub columns: usize,
    pub rows: usize,
}

impl CellLayout {
    /// Computes the layout for a tank of `size` metres and interaction radius `h`, with a margin of one h around it.
    pub fn new(size: Vec2, h: f32) -> Self {
        Self {
            origin: Vec2::splat(-h),
            inv_row_height: 1.0 / h,
            inv_column_width: COLUMNS_PER_H as f32 / h,
            rows: (size.y / h).ceil() as usize + 2,
            columns: (size.x / h).ceil() as usize * COLUMNS_PER_H + 2 * COLUMNS_PER_H,
        }
    }

    /// Entries from a cell to the one above: each row has one entry more than cells, its end.
    pub fn stride(&self) -> usize {
        self.columns + 1
    }

    /// Columns and rows of eight positions, before rounding down.
    #[inline(always)]
    pub fn cell_coords<S: Simd>(&self, x: f32x8<S>, y: f32x8<S>) -> (f32x8<S>, f32x8<S>) {
        let simd = x.token();
        let within =
            |at: f32x8<S>, cells: usize| at.max(f32x8::splat(simd, 0.0)).min(f32x8::splat(simd, (cells - 1) as f32));
        let column = within((x - self.origin.x) * self.inv_column_width, self.columns);
        (column, within((y - self.origin.y) * self.inv_row_height, self.rows))
    }

    /// Column of an x coordinate; positions outside belong to the outermost.
    #[inline]
    pub fn column_of(&self, x: f32) -> usize {
        (((x - self.origin.x) * self.inv_column_width).max(0.0) as usize).min(self.columns - 1)
    }
}
