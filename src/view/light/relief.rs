//! The relief of the liquid: the fraction of liquid around each sample of light, from which normals and thickness follow. The
//! plane picture is treated as a body that swells towards the viewer from its edge inward. The mean over a square, and
//! differences of it as far apart as the square is wide, are the gradient of a mean with a tent as kernel.

use crate::view::grid_layout::LANES;
use fearless_simd::f32x8;
use fearless_simd::prelude::*;

#[derive(Clone, Debug, Default)]
pub(super) struct Relief {
    pub radius: usize,
    pub mean: Vec<f32>,
    weight: Vec<f32>,
    scratch: [Vec<f32>; 2],
}

impl Relief {
    /// Computes the means of `mass`. Where there are solids, `free` is 0 in them and 1 elsewhere.
    pub fn update(&mut self, mass: &[f32], free: Option<&[f32]>, [columns, rows]: [usize; 2], radius: usize) {
        self.radius = radius;
        let Self { mean, weight, scratch, .. } = self;
        sum(mass, mean, [columns, rows], radius, scratch);
        if let Some(free) = free {
            sum(free, weight, [columns, rows], radius, scratch);
            mean.iter_mut().zip(weight).for_each(|(mean, weight)| *mean /= weight.max(1.0));
        } else {
            let within = |at: usize, count: usize| (at + radius).min(count - 1) - at.saturating_sub(radius) + 1;
            weight.clear();
            weight.extend((0..columns).map(|column| 1.0 / within(column, columns) as f32));
            for (row, line) in mean.chunks_exact_mut(columns).enumerate() {
                let share = 1.0 / within(row, rows) as f32;
                line.iter_mut().zip(&*weight).for_each(|(mean, weight)| *mean *= weight * share);
            }
        }
    }

    #[inline(always)]
    fn eight<S: Simd>(&self, simd: S, first: usize) -> f32x8<S> {
        f32x8::from_slice(simd, &self.mean[first..first + LANES])
    }

    /// Returns [`Relief::normal`] of eight samples of a row that are at least the radius away from its ends.
    #[inline(always)]
    pub fn normals<S: Simd>(&self, simd: S, column: usize, row: usize, [columns, rows]: [usize; 2]) -> [f32x8<S>; 2] {
        let (radius, here) = (self.radius, row * columns + column);
        let (up, down) = (row.saturating_sub(radius), (row + radius).min(rows - 1));
        let steep = (2 * radius + 1) as f32 / (2 * radius) as f32;
        [
            (self.eight(simd, here - radius) - self.eight(simd, here + radius)) * steep,
            (self.eight(simd, up * columns + column) - self.eight(simd, down * columns + column)) * steep,
        ]
    }

    /// Columns to the right, rows down. Its length is 1 in the middle of a straight edge.
    #[inline(always)]
    pub fn normal(&self, column: usize, row: usize, [columns, rows]: [usize; 2]) -> [f32; 2] {
        let (radius, here) = (self.radius, row * columns);
        let (left, right) = (column.saturating_sub(radius), (column + radius).min(columns - 1));
        let (up, down) = (row.saturating_sub(radius), (row + radius).min(rows - 1));
        let steep = (2 * radius + 1) as f32 / (2 * radius) as f32;
        [
            (self.mean[here + left] - self.mean[here + right]) * steep,
            (self.mean[up * columns + column] - self.mean[down * columns + column]) * steep,
        ]
    }
}

/// Sums over squares that are cut off at the borders: down each column, then along each row.
fn sum(
    values: &[f32],
    into: &mut Vec<f32>,
    [columns, rows]: [usize; 2],
    radius: usize,
    [sums, padded]: &mut [Vec<f32>; 2],
) {
    into.clear();
    into.resize(columns * rows, 0.0);
    sums.clear();
    sums.resize(columns, 0.0);
    padded.clear();
    padded.resize(columns + 2 * radius + 1, 0.0);
    let line = |row: usize| &values[row * columns..][..columns];
    for row in 0..radius.min(rows) {
        sums.iter_mut().zip(line(row)).for_each(|(sum, value)| *sum += value);
    }
    for row in 0..rows {
        if row + radius < rows {
            sums.iter_mut().zip(line(row + radius)).for_each(|(sum, value)| *sum += value);
        }
        if row > radius {
            sums.iter_mut().zip(line(row - radius - 1)).for_each(|(sum, value)| *sum -= value);
        }
        padded[radius + 1..][..columns].copy_from_slice(sums);
        let mut sum: f32 = sums[..radius.min(columns)].iter().sum();
        let ends = padded[2 * radius + 1..].iter().zip(&padded[..columns]);
        for (value, (enters, leaves)) in into[row * columns..][..columns].iter_mut().zip(ends) {
            sum += enters - leaves;
            *value = sum;
        }
    }
}
