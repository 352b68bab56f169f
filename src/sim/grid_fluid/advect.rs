//! Stam's semi-Lagrangian advection: paths traced back by the midpoint rule, values from 4 × 4 elements by Lagrange's cubics.

use crate::sim::grid_fluid::mac_grid::MacGrid;
use fearless_simd::dispatch;
use fearless_simd::prelude::*;
use fearless_simd_macros::simd;
use glam::{Vec2, Vec4};

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

/// One coordinate of each of these elements.
type Coordinates = [f32; WIDTH];

impl Flow<'_> {
    /// Advects the velocities from `old` into `new`.
    pub fn advect(&self, old: &[Vec<f32>; 2], new: &mut [Vec<f32>; 2]) {
        for ((stagger, old), new) in [LEFT, BELOW].into_iter().zip(old).zip(new) {
            dispatch!(self.grid.level, simd => advect(simd, self, stagger, old, new));
        }
    }

    /// The places from which the fluid with velocity (u, v) at (x, y) has come in `fraction` of a step.
    #[inline(always)]
    fn trace_back(&self, [x, y]: [&Coordinates; 2], [u, v]: [&Coordinates; 2], fraction: f32) -> [Coordinates; 2] {
        let (scale, grid) = (fraction * self.scale, self.grid);
        [
            clamp_to_domain(x, u, scale.x, grid.nx, grid.x.is_periodic()),
            clamp_to_domain(y, v, scale.y, grid.ny, grid.y.is_periodic()),
        ]
    }
}

/// The departure points along one axis for these speeds, within the tank.
#[inline(always)]
fn clamp_to_domain(
    from: &Coordinates,
    speed: &Coordinates,
    scale: f32,
    cells: usize,
    is_periodic: bool,
) -> Coordinates {
    let (cells, mut places) = (cells as f32, [0.0; WIDTH]);
    for lane in 0..WIDTH {
        let mut place = from[lane] - speed[lane] * scale;
        if is_periodic {
            place += if place < 0.5 { cells } else { 0.0 } - if place >= cells + 0.5 { cells } else { 0.0 };
        }
        places[lane] = place.clamp(0.5, cells + 0.5);
    }
    places
}

#[simd]
fn advect<S: Simd>(_simd: S, flow: &Flow, stagger: Vec2, old: &[f32], new: &mut [f32]) {
    let (grid, [u, v]) = (flow.grid, flow.velocity.each_ref().map(Vec::as_slice));
    let (up, along_x) = (grid.stride, stagger.x != 0.0);
    // The transverse velocity at a face is the mean of four around it.
    let (across, next) = if along_x { (v, [1, up]) } else { (u, [up, 1]) };
    let (columns, rows) = if along_x { (grid.nx + 1, grid.ny) } else { (grid.nx, grid.ny + 1) };
    for j in 1..=rows {
        for first in (1..=columns).step_by(WIDTH) {
            // The last elements of a row overlap those before.
            let first = first.min((columns + 1).saturating_sub(WIDTH)).max(1);
            let (at, count) = (j * up + first, WIDTH.min(columns + 1 - first));
            let [mut x, mut here_u, mut here_v] = [[0.0; WIDTH]; 3];
            let y = [j as f32 + stagger.y; WIDTH];
            for lane in 0..count {
                let at = at + lane;
                x[lane] = (first + lane) as f32 + stagger.x;
                let [left, right] = [at - next[0], at];
                let around =
                    0.25 * ((across[left] + across[right]) + (across[left + next[1]] + across[right + next[1]]));
                (here_u[lane], here_v[lane]) = if along_x { (u[at], around) } else { (around, v[at]) };
            }
            let middle = flow.trace_back([&x, &y], [&here_u, &here_v], 0.5);
            let speed = [sample_all(u, grid, &middle, LEFT), sample_all(v, grid, &middle, BELOW)];
            let from = flow.trace_back([&x, &y], [&speed[0], &speed[1]], 1.0);
            let values = sample_smoothly(old, grid, &from, stagger);
            new[at..at + count].copy_from_slice(&values[..count]);
        }
    }
}

/// The elements to the lower left of places in an array whose values sit at `stagger`, at most `last`, and the offsets.
#[inline(always)]
fn corners(places: &Coordinates, stagger: f32, least: i32, last: i32) -> ([i32; WIDTH], Coordinates) {
    let (mut cells, mut shares) = ([0; WIDTH], [0.0; WIDTH]);
    for lane in 0..WIDTH {
        let place = places[lane] - stagger;
        cells[lane] = (place as i32 + least).clamp(0, last);
        shares[lane] = place - cells[lane] as f32;
    }
    (cells, shares)
}

/// [`sample`] at several places.
#[inline(always)]
fn sample_all(array: &[f32], grid: &MacGrid, [x, y]: &[Coordinates; 2], stagger: Vec2) -> Coordinates {
    let (i, x) = corners(x, stagger.x, 0, grid.nx as i32);
    let (j, y) = corners(y, stagger.y, 0, grid.ny as i32);
    let mut values = [0.0; WIDTH];
    for lane in 0..WIDTH {
        let here = j[lane] as usize * grid.stride + i[lane] as usize;
        let all = &array[here..here + grid.stride + 2];
        let below = all[0] + (all[1] - all[0]) * x[lane];
        let above = all[grid.stride] + (all[grid.stride + 1] - all[grid.stride]) * x[lane];
        values[lane] = below + (above - below) * y[lane];
    }
    values
}

/// The values interpolated from sixteen elements: those around a place, or the nearest sixteen at the array's edges.
#[inline(always)]
fn sample_smoothly(array: &[f32], grid: &MacGrid, [x, y]: &[Coordinates; 2], stagger: Vec2) -> Coordinates {
    let (i, x) = corners(x, stagger.x, -1, grid.nx as i32 - 2);
    let (j, y) = corners(y, stagger.y, -1, grid.ny as i32 - 2);
    let (x, y, mut values) = (cubic(&x), cubic(&y), [0.0; WIDTH]);
    for lane in 0..WIDTH {
        let (here, up) = (j[lane] as usize * grid.stride + i[lane] as usize, grid.stride);
        let all = &array[here..here + 3 * up + 4];
        let row = |number: usize| Vec4::from_slice(&all[number * up..]) * y[number][lane];
        let along = (row(0) + row(1)) + (row(2) + row(3));
        let [a, b, c, d] = (along * Vec4::new(x[0][lane], x[1][lane], x[2][lane], x[3][lane])).to_array();
        values[lane] = (a + b) + (c + d);
    }
    values
}

/// The weights of four values at 0, 1, 2 and 3 for places among them.
#[inline(always)]
fn cubic(places: &Coordinates) -> [Coordinates; 4] {
    let mut weights = [[0.0; WIDTH]; 4];
    for lane in 0..WIDTH {
        let t = places[lane] - 1.0;
        let (before, after) = ((t + 1.0) * t, (t - 1.0) * (t - 2.0));
        weights[0][lane] = -(1.0 / 6.0) * t * after;
        weights[2][lane] = -0.5 * before * (t - 2.0);
        weights[3][lane] = (1.0 / 6.0) * before * (t - 1.0);
        // Rounded separately they do not sum to 1.
        weights[1][lane] = 1.0 - (weights[0][lane] + weights[2][lane] + weights[3][lane]);
    }
    weights
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
