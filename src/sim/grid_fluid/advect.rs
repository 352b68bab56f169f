//! Stam's semi-Lagrangian advection: paths traced back by the midpoint rule, values from 4 × 4 elements by Lagrange's cubics.

use crate::math::transpose;
use crate::sim::grid_fluid::mac_grid::MacGrid;
use fearless_simd::prelude::*;
use fearless_simd::{dispatch, f32x4, f32x8, i32x8, u32x8};
use fearless_simd_macros::simd;
use glam::Vec2;

/// Position of an array's values in a cell, from its centre, in cells.
pub const MIDDLE: Vec2 = Vec2::ZERO;
pub const LEFT: Vec2 = Vec2::new(-0.5, 0.0);
pub const BELOW: Vec2 = Vec2::new(0.0, -0.5);

/// The flow, prepared for tracing paths.
#[derive(Clone, Copy)]
pub struct Flow<'a> {
    pub grid: &'a MacGrid,
    pub velocity: &'a [Vec<f32>; 2],
    /// Cells per step at 1 m/s.
    pub scale: Vec2,
}

const WIDTH: usize = 8;

/// Both coordinates of eight places, or both components of eight velocities.
type Points<S> = [f32x8<S>; 2];

impl Flow<'_> {
    pub fn advect(&self, old: &[Vec<f32>; 2], new: &mut [Vec<f32>; 2]) {
        for ((stagger, old), new) in [LEFT, BELOW].into_iter().zip(old).zip(new) {
            dispatch!(self.grid.level, simd => advect(simd, self, stagger, old, new));
        }
    }

    /// The places from which the fluid with velocity (u, v) at (x, y) has come in `fraction` of a step.
    #[inline(always)]
    fn trace_back<S: Simd>(&self, simd: S, [x, y]: Points<S>, [u, v]: Points<S>, fraction: f32) -> Points<S> {
        let (scale, grid) = (fraction * self.scale, self.grid);
        [
            clamp_to_domain(simd, x - u * scale.x, grid.nx, grid.x.is_periodic()),
            clamp_to_domain(simd, y - v * scale.y, grid.ny, grid.y.is_periodic()),
        ]
    }
}

/// Places along one axis, brought into the tank.
#[inline(always)]
fn clamp_to_domain<S: Simd>(simd: S, mut place: f32x8<S>, cells: usize, is_periodic: bool) -> f32x8<S> {
    let [zero, first, round, last] = [0.0, 0.5, cells as f32, cells as f32 + 0.5];
    if is_periodic {
        let [zero, round] = [f32x8::splat(simd, zero), f32x8::splat(simd, round)];
        place += place.simd_lt(first).select(round, zero) - place.simd_ge(last).select(round, zero);
    }
    place.max(first).min(last)
}

#[simd]
fn advect<S: Simd>(simd: S, flow: &Flow, stagger: Vec2, old: &[f32], new: &mut [f32]) {
    let (grid, [u, v]) = (flow.grid, flow.velocity.each_ref().map(Vec::as_slice));
    let (up, along_x) = (grid.stride, stagger.x != 0.0);
    // The transverse velocity at a face is the mean of four around it.
    let (along, across, next) = if along_x { (u, v, [1, up]) } else { (v, u, [up, 1]) };
    let (columns, rows) = if along_x { (grid.nx + 1, grid.ny) } else { (grid.nx, grid.ny + 1) };
    let lanes = f32x8::from_slice(simd, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    for j in 1..=rows {
        for first in (1..=columns).step_by(WIDTH) {
            // The last elements of a row overlap those before.
            let first = first.min((columns + 1).saturating_sub(WIDTH)).max(1);
            let (at, count) = (j * up + first, WIDTH.min(columns + 1 - first));
            let place = [lanes + (first as f32 + stagger.x), f32x8::splat(simd, j as f32 + stagger.y)];
            let before = load(simd, across, at - next[0]) + load(simd, across, at);
            let beyond = load(simd, across, at - next[0] + next[1]) + load(simd, across, at + next[1]);
            let (along, around) = (load(simd, along, at), (before + beyond) * 0.25);
            let middle = flow.trace_back(simd, place, if along_x { [along, around] } else { [around, along] }, 0.5);
            let speed = [sample_all(simd, u, grid, middle, LEFT), sample_all(simd, v, grid, middle, BELOW)];
            let from = flow.trace_back(simd, place, speed, 1.0);
            let values = sample_smoothly(simd, old, grid, from, stagger);
            new[at..at + count].copy_from_slice(&values.as_slice()[..count]);
        }
    }
}

/// The elements from `at`. Beyond the array's end, which only vectors wider than the tank reach, its last.
#[inline(always)]
fn load<S: Simd>(simd: S, array: &[f32], at: usize) -> f32x8<S> {
    match array.get(at..at + WIDTH) {
        Some(elements) => f32x8::from_slice(simd, elements),
        None => f32x8::from_fn(simd, |lane| array[(at + lane).min(array.len() - 1)]),
    }
}

/// The elements to the lower left of places in an array whose values sit at `stagger`, at most `last`, and the offsets.
#[inline(always)]
fn corners<S: Simd>(places: f32x8<S>, stagger: f32, least: i32, last: i32) -> (i32x8<S>, f32x8<S>) {
    let place = places - stagger;
    let cells = (place.to_int::<i32x8<S>>() + least).max(0).min(last);
    (cells, place - cells.to_float::<f32x8<S>>())
}

/// [`sample`] at several places.
#[inline(always)]
pub fn sample_all<S: Simd>(simd: S, array: &[f32], grid: &MacGrid, [x, y]: Points<S>, stagger: Vec2) -> f32x8<S> {
    let (i, x) = corners(x, stagger.x, 0, grid.nx as i32);
    let (j, y) = corners(y, stagger.y, 0, grid.ny as i32);
    // From the four corners of the first cell: of one length, so that one comparison checks all four.
    let (up, n) = (grid.stride, array.len() - grid.stride - 1);
    let from = [0, 1, up, up + 1].map(|from| &array[from..][..n]);
    let mut values = [[0.0; WIDTH]; 4];
    for (lane, here) in (j * up as i32 + i).bitcast::<u32x8<S>>().as_slice().iter().enumerate() {
        for corner in 0..4 {
            values[corner][lane] = from[corner][*here as usize];
        }
    }
    let [a, b, c, d] = [0, 1, 2, 3].map(|corner| f32x8::from_slice(simd, &values[corner]));
    let (below, above) = (a + (b - a) * x, c + (d - c) * x);
    below + (above - below) * y
}

/// The values interpolated from sixteen elements: those around a place, or the nearest sixteen at the array's edges.
#[inline(always)]
fn sample_smoothly<S: Simd>(simd: S, array: &[f32], grid: &MacGrid, [x, y]: Points<S>, stagger: Vec2) -> f32x8<S> {
    let (i, x) = corners(x, stagger.x, -1, grid.nx as i32 - 2);
    let (j, y) = corners(y, stagger.y, -1, grid.ny as i32 - 2);
    let (x, y) = (cubic(x), cubic(y));
    let (up, n) = (grid.stride, array.len() - 3 * grid.stride);
    let from = [0, 1, 2, 3].map(|row| &array[row * up..][..n]);
    let here = (j * up as i32 + i).bitcast::<u32x8<S>>();
    // Sums over the four rows, for each place and column.
    let mut sums = [f32x4::splat(simd, 0.0); WIDTH];
    for (lane, (sum, at)) in sums.iter_mut().zip(here.as_slice()).enumerate() {
        let at = *at as usize;
        let row = |row: usize| f32x4::from_slice(simd, &from[row][at..at + 4]) * y[row].as_slice()[lane];
        *sum = (row(0) + row(1)) + (row(2) + row(3));
    }
    let columns = transpose(sums);
    let column = |number: usize| columns[number] * x[number];
    (column(0) + column(1)) + (column(2) + column(3))
}

/// The weights of four values at 0, 1, 2 and 3 for places among them.
#[inline(always)]
fn cubic<S: Simd>(place: f32x8<S>) -> [f32x8<S>; 4] {
    let t = place - 1.0;
    let (before, after) = ((t + 1.0) * t, (t - 1.0) * (t - 2.0));
    let first = t * -(1.0 / 6.0) * after;
    let third = before * -0.5 * (t - 2.0);
    let last = before * (1.0 / 6.0) * (t - 1.0);
    // Rounded separately they do not sum to 1.
    let second = -(first + third + last) + 1.0;
    [first, second, third, last]
}

/// The value interpolated from four elements, at a place in an array's own coordinates.
#[inline(always)]
pub fn sample(array: &[f32], grid: &MacGrid, place: Vec2) -> f32 {
    let (i, j) = ((place.x as usize).min(grid.nx), (place.y as usize).min(grid.ny));
    let (here, fraction) = (j * grid.stride + i, place - Vec2::new(i as f32, j as f32));
    let (lower, upper) = (&array[here..here + 2], &array[here + grid.stride..here + grid.stride + 2]);
    let below = lower[0] + (lower[1] - lower[0]) * fraction.x;
    let above = upper[0] + (upper[1] - upper[0]) * fraction.x;
    below + (above - below) * fraction.y
}
