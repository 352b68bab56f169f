//! Transport of dyes by the flow from cell to cell: the outflow of one is the inflow of the next, so the total is conserved. The
//! flow through a face is the fraction of the upwind cell that passes, from the parabola through three cells, limited so that no
//! cell exceeds its neighbours (M. Arora, P. Roe, "A Well-Behaved TVD Limiter for High-Resolution Calculations of Unsteady Flow",
//! Journal of Computational Physics 1997). The directions alternate in order (E. Puckett et al. 1997).

use crate::sim::grid_fluid::mac_grid::MacGrid;
use fearless_simd::prelude::*;
use fearless_simd::{dispatch, f32x8};
use fearless_simd_macros::simd;

/// Maximum fraction of a cell that flows out at a time, in each direction; a larger flow is divided into parts.
const MAX_OUTFLOW: f32 = 0.98;

/// Maximum number of parts of a step; beyond, dye lags behind the fluid.
const MAX_PARTS: usize = 48;

/// Minimum of the fraction of a cell by which the limiter divides.
const STILL: f32 = 1e-3;

/// Amounts below this count as none. Beyond a front they fall to a fraction from cell to cell, down to denormal numbers, and a
/// processor takes a hundred times as long to multiply those, or numbers whose product is one.
const LEAST: f32 = 1e-15;

/// Flow through the left and lower faces in a part of a step, as fractions of a cell, and scratch arrays.
#[derive(Clone, Debug)]
pub struct Transport {
    fraction: [Vec<f32>; 2],
    parts: usize,
    new: Vec<f32>,
    /// A row with two ghosts at each end, and the fluxes through the faces of two rows.
    line: Vec<f32>,
    flux: [Vec<f32>; 2],
    /// Which direction comes first; it alternates.
    turn: bool,
}

impl Transport {
    pub fn new(grid: &MacGrid) -> Self {
        let zeros = || vec![0.0; grid.elements()];
        let row = || vec![0.0; grid.stride];
        Self {
            fraction: [zeros(), zeros()],
            parts: 1,
            new: zeros(),
            line: vec![0.0; grid.nx + 4],
            flux: [row(), row()],
            turn: false,
        }
    }

    /// Sets the divergence-free flow of a step of `dt` seconds.
    pub fn follow(&mut self, grid: &MacGrid, velocity: &[Vec<f32>; 2], dt: f32) {
        for (axis, fraction) in self.fraction.iter_mut().enumerate() {
            let (open, solid, per) = (&grid.face_fraction[axis], &grid.solid_velocity[axis], dt / grid.cell_size[axis]);
            for (((fraction, speed), open), solid) in fraction.iter_mut().zip(&velocity[axis]).zip(open).zip(solid) {
                // A body carries the fluid in the cells that it covers.
                *fraction = (speed * open + solid * (1.0 - open)) * per;
            }
        }
        let most = dispatch!(grid.level, simd => max_outflow(simd, grid, &self.fraction));
        self.parts = ((most / MAX_OUTFLOW).ceil() as usize).clamp(1, MAX_PARTS);
        let (part, most) = (1.0 / self.parts as f32, 0.5 * MAX_OUTFLOW);
        for fractions in &mut self.fraction {
            if self.parts > 1 {
                fractions.iter_mut().for_each(|fraction| *fraction *= part);
            }
            if self.parts == MAX_PARTS {
                fractions.iter_mut().for_each(|fraction| *fraction = fraction.clamp(-most, most));
            }
        }
        self.turn = !self.turn;
    }

    pub fn carry(&mut self, grid: &MacGrid, array: &mut Vec<f32>) {
        for part in 0..self.parts {
            grid.apply_cell_boundary(array);
            let across_first = self.turn == (part % 2 == 0);
            for first in [true, false] {
                if first == across_first {
                    self.carry_across(grid, array, first);
                } else {
                    self.carry_up(grid, array, first);
                }
                grid.apply_cell_boundary(array);
            }
        }
    }

    fn carry_across(&mut self, grid: &MacGrid, array: &mut [f32], first: bool) {
        let (n, line) = (grid.nx, &mut self.line);
        for j in 1..=grid.ny {
            let row = j * grid.stride..(j + 1) * grid.stride;
            line[1..n + 3].copy_from_slice(&array[row.clone()]);
            (line[0], line[n + 3]) = if grid.x.is_periodic() { (line[n], line[3]) } else { (line[1], line[n + 2]) };
            let (fraction, flux) = (&self.fraction[0][row.start + 1..row.end], &mut self.flux[0][1..]);
            let values = [&line[0..], &line[1..], &line[2..], &line[3..]].map(|values| &values[..n + 1]);
            dispatch!(grid.level, simd => flow(simd, fraction, values, flux));
            let (here, after) = (&self.flux[0][1..=n], &self.flux[0][2..]);
            let cells = &mut array[row.start + 1..=row.start + n];
            dispatch!(grid.level, simd => take(simd, [&fraction[..n], &fraction[1..]], [here, after], cells, first));
        }
    }

    fn carry_up(&mut self, grid: &MacGrid, array: &mut Vec<f32>, first: bool) {
        let (n, stride) = (grid.nx, grid.stride);
        // Rows beyond the ghosts are those that wrap around, or the ghosts again.
        let row = |j: isize| {
            let ny = grid.ny as isize;
            let j = if grid.y.is_periodic() { (j + ny - 1).rem_euclid(ny) + 1 } else { j.clamp(0, ny + 1) };
            j as usize * stride + 1
        };
        for j in 1..=grid.ny + 1 {
            let values = [-2, -1, 0, 1].map(|by| &array[row(j as isize + by)..][..n]);
            let fraction = &self.fraction[1][j * stride + 1..][..n];
            let [here, after] = &mut self.flux;
            std::mem::swap(here, after);
            dispatch!(grid.level, simd => flow(simd, fraction, values, &mut after[1..]));
            if j > 1 {
                let at = (j - 1) * stride + 1;
                let shares = [&self.fraction[1][at..][..n], fraction];
                self.new[at..at + n].copy_from_slice(&array[at..at + n]);
                let cells = &mut self.new[at..at + n];
                dispatch!(grid.level, simd => take(simd, shares, [&here[1..=n], &after[1..=n]], cells, first));
            }
        }
        std::mem::swap(array, &mut self.new);
    }
}

/// Largest outflow of a cell in one direction, as a fraction of its content.
#[simd]
fn max_outflow<S: Simd>(simd: S, grid: &MacGrid, [across, up]: &[Vec<f32>; 2]) -> f32 {
    let zero = f32x8::splat(simd, 0.0);
    let (mut most, mut last) = (zero, 0.0f32);
    for j in 1..=grid.ny {
        let row = grid.row(j);
        let next = row.start + 1..row.end + 1;
        let above = row.start + grid.stride..row.end + grid.stride;
        for (low, high) in [(&across[row.clone()], &across[next]), (&up[row.clone()], &up[above])] {
            let ((lows, last_low), (highs, last_high)) = (low.as_chunks::<8>(), high.as_chunks::<8>());
            for (low, high) in lows.iter().zip(highs) {
                let [low, high] = [f32x8::from_slice(simd, low).min(zero), f32x8::from_slice(simd, high).max(zero)];
                most = most.max_precise(high - low);
            }
            for (low, high) in last_low.iter().zip(last_high) {
                last = last.max(high.max(0.0) - low.min(0.0));
            }
        }
    }
    most.as_slice().iter().copied().fold(last, f32::max)
}

/// Computes the flux through each face: `values` are those of the two cells before it and the two behind it.
#[simd]
fn flow<S: Simd>(_simd: S, fraction: &[f32], values: [&[f32]; 4], flux: &mut [f32]) {
    let n = fraction.len();
    let [a, b, c, d] = values.map(|values| &values[..n]);
    let flux = &mut flux[..n];
    for i in 0..n {
        let (part, forward) = (fraction[i].abs(), fraction[i] >= 0.0);
        let [low, middle, high] = [b[i] - a[i], c[i] - b[i], d[i] - c[i]];
        let (from, before, after) = if forward { (b[i], low, middle) } else { (c[i], -high, -middle) };
        let rest = 1.0 - part;
        let parabola = 0.5 * rest * (after * ((2.0 - part) / 3.0) + before * ((1.0 + part) / 3.0));
        let steepest = rest / part.max(STILL) * before.abs();
        let size = parabola.abs().min(after.abs()).min(steepest);
        let more = if before * after > 0.0 { size.copysign(after) } else { 0.0 };
        flux[i] = fraction[i] * (from + more);
    }
}

/// Updates the cells: `fraction` and `flux` are of the faces before and behind them.
#[simd]
fn take<S: Simd>(_simd: S, fraction: [&[f32]; 2], flux: [&[f32]; 2], cells: &mut [f32], first: bool) {
    let n = cells.len();
    let [low, high] = fraction.map(|fraction| &fraction[..n]);
    let [comes, goes] = flux.map(|flux| &flux[..n]);
    if first {
        for i in 0..n {
            cells[i] = (cells[i] + (comes[i] - goes[i])) / (1.0 - (high[i] - low[i]));
        }
    } else {
        for i in 0..n {
            let amount = cells[i] + ((comes[i] - goes[i]) + cells[i] * (high[i] - low[i]));
            cells[i] = if amount.abs() < LEAST { 0.0 } else { amount };
        }
    }
}
