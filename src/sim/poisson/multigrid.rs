//! One V-cycle of multigrid: the preconditioner of the conjugate gradients (A. McAdams, E. Sifakis, J. Teran, "A parallel
//! multigrid Poisson solver for fluids simulation on large grids", Symposium on Computer Animation 2010). It must be symmetric:
//! the sweep after the coarse correction visits the colours in the opposite order of the one before, and restriction is the
//! transpose of prolongation. A coarse cell is four fine ones; its coefficients are half the sums of theirs (Braess 1995).

use fearless_simd::prelude::*;
use fearless_simd::{Level as Simdness, dispatch};
use fearless_simd_macros::simd;
use std::ops::Range;

/// Sweeps of red–black Gauss–Seidel on the coarsest grid, in each direction.
const COARSEST_SWEEPS: usize = 12;

/// Cells per piece of a row: a piece fits into the first-level cache, and buffers stay on the stack.
const PIECE: usize = 256;

/// All bits of every second element.
const CHOSEN: &[u32] = [[u32::MAX, 0]; PIECE / 2 + 1].as_flattened();

/// Grids with a side of this many cells or fewer are not coarsened.
const COARSEST: usize = 4;

/// The equations on one grid: for each cell, Σ a (φ − φ of the neighbour) over its faces, plus `anchor` times φ, is the outflow.
/// Cell (i, j), both from 1, is number `j stride + i`; a ring of ghosts surrounds the cells.
#[derive(Clone, Debug)]
pub struct Level {
    pub nx: usize,
    pub ny: usize,
    pub stride: usize,
    /// From the first row that has an equation to the last: a liquid fills a part of its tank.
    rows: Range<usize>,
    is_periodic: [bool; 2],
    /// Coefficients of the faces to the left of each cell and below it.
    pub ax: Vec<f32>,
    pub ay: Vec<f32>,
    /// Coefficient towards places near a cell at which φ is zero. Empty where no cell has such a place.
    pub anchor: Vec<f32>,
    /// One over the sum of a cell's coefficients; zero in cells without an equation.
    inv_diagonal: Vec<f32>,
    x: Vec<f32>,
    b: Vec<f32>,
}

impl Level {
    fn empty(nx: usize, ny: usize, is_periodic: [bool; 2], is_anchored: bool) -> Self {
        let stride = nx + 2;
        let zeros = || vec![0.0; stride * (ny + 2)];
        let (ax, ay, inv_diagonal, x, b) = (zeros(), zeros(), zeros(), zeros(), zeros());
        let anchor = if is_anchored { zeros() } else { Vec::new() };
        Self { nx, ny, stride, rows: 0..0, is_periodic, ax, ay, anchor, inv_diagonal, x, b }
    }

    /// Sets the coefficients to half the sums of the finer grid's.
    fn coarsen(&mut self, fine: &Level) {
        for j in 1..=self.ny + 1 {
            for i in 1..=self.nx + 1 {
                let here = j * self.stride + i;
                let corner = (2 * j - 1).min(fine.ny + 1) * fine.stride + (2 * i - 1).min(fine.nx + 1);
                // With an odd number of fine cells, the last coarse cell holds a single fine cell or face.
                let beside = if 2 * i <= fine.nx { corner + 1 } else { 0 };
                let above = if 2 * j <= fine.ny { corner + fine.stride } else { 0 };
                self.ax[here] = if j <= self.ny { 0.5 * (fine.ax[corner] + fine.ax[above]) } else { 0.0 };
                self.ay[here] = if i <= self.nx { 0.5 * (fine.ay[corner] + fine.ay[beside]) } else { 0.0 };
                if !self.anchor.is_empty() && i <= self.nx && j <= self.ny {
                    // Ghosts have no anchor.
                    let cells = [corner, corner + 1, corner + fine.stride, corner + fine.stride + 1];
                    self.anchor[here] = 0.5 * cells.map(|cell| fine.anchor[cell]).iter().sum::<f32>();
                }
            }
        }
        self.find_diagonal();
    }

    fn find_diagonal(&mut self) {
        self.rows = 0..0;
        for j in 1..=self.ny {
            let mut has_any = false;
            for here in j * self.stride + 1..=j * self.stride + self.nx {
                let sides = self.ax[here] + self.ax[here + 1] + self.ay[here] + self.ay[here + self.stride];
                let sum = sides + self.anchor.get(here).unwrap_or(&0.0);
                self.inv_diagonal[here] = if sum > 0.0 { 1.0 / sum } else { 0.0 };
                has_any |= sum > 0.0;
            }
            if has_any {
                self.rows = if self.rows.is_empty() { j } else { self.rows.start }..j + 1;
            }
        }
    }

    /// Copies the values of periodic sides into the ghosts; the others stay zero.
    fn edge(is_periodic: [bool; 2], (nx, ny, stride): (usize, usize, usize), x: &mut [f32]) {
        if is_periodic[0] {
            for line in 1..=ny {
                x[line * stride] = x[line * stride + nx];
                x[line * stride + nx + 1] = x[line * stride + 1];
            }
        }
        if is_periodic[1] {
            x.copy_within(ny * stride..(ny + 1) * stride, 0);
            x.copy_within(stride..2 * stride, (ny + 1) * stride);
        }
    }

    fn shape(&self) -> (usize, usize, usize) {
        (self.nx, self.ny, self.stride)
    }

    pub fn apply(&self, simd: Simdness, x: &mut [f32], out: &mut [f32]) {
        Self::edge(self.is_periodic, self.shape(), x);
        dispatch!(simd, simd => apply(simd, self, x, out));
    }

    /// Half a sweep of Gauss–Seidel over the cells of one colour, those with i + j + `colour` even.
    fn sweep(&mut self, simd: Simdness, colour: usize) {
        Self::edge(self.is_periodic, self.shape(), &mut self.x);
        dispatch!(simd, simd => sweep(simd, self, colour));
    }

    /// Solves the coarsest grid by a fixed number of sweeps, which suffices for so few cells.
    fn solve_small(&mut self, simd: Simdness) {
        self.x.fill(0.0);
        (0..COARSEST_SWEEPS).for_each(|_| [0, 1].into_iter().for_each(|colour| self.sweep(simd, colour)));
        (0..COARSEST_SWEEPS).for_each(|_| [1, 0].into_iter().for_each(|colour| self.sweep(simd, colour)));
    }
}

#[simd]
fn apply<S: Simd>(_simd: S, level: &Level, x: &[f32], out: &mut [f32]) {
    let (n, stride) = (level.nx, level.stride);
    out[..level.rows.start * stride].fill(0.0);
    out[level.rows.end * stride..].fill(0.0);
    for j in level.rows.clone() {
        let at = j * stride + 1;
        let (here, left, right) = (&x[at..at + n], &x[at - 1..at - 1 + n], &x[at + 1..at + 1 + n]);
        let (below, above) = (&x[at - stride..][..n], &x[at + stride..][..n]);
        let (west, east) = (&level.ax[at..][..n], &level.ax[at + 1..][..n]);
        let (south, north) = (&level.ay[at..][..n], &level.ay[at + stride..][..n]);
        let out = &mut out[at..at + n];
        for i in 0..n {
            let sides = west[i] * (here[i] - left[i]) + east[i] * (here[i] - right[i]);
            out[i] = sides + (south[i] * (here[i] - below[i]) + north[i] * (here[i] - above[i]));
        }
        if let Some(anchor) = level.anchor.get(at..at + n) {
            for i in 0..n {
                out[i] += anchor[i] * here[i];
            }
        }
    }
}

/// Sets the right-hand side of each coarse cell to the sum of the residual over its four cells.
#[simd]
fn restrict<S: Simd>(_simd: S, level: &Level, coarse: &mut Level) {
    coarse.b.fill(0.0);
    let (nx, stride) = (level.nx, level.stride);
    let mut left_over = [0.0; PIECE];
    for j in level.rows.clone() {
        for first in (1..=nx).step_by(PIECE) {
            let (at, n) = (j * stride + first, PIECE.min(nx + 1 - first));
            let x = &level.x;
            let (here, left, right) = (&x[at..][..n], &x[at - 1..][..n], &x[at + 1..][..n]);
            let (below, above) = (&x[at - stride..][..n], &x[at + stride..][..n]);
            let (west, east) = (&level.ax[at..][..n], &level.ax[at + 1..][..n]);
            let (south, north) = (&level.ay[at..][..n], &level.ay[at + stride..][..n]);
            let b = &level.b[at..][..n];
            for i in 0..n {
                let sides = west[i] * (here[i] - left[i]) + east[i] * (here[i] - right[i]);
                left_over[i] = b[i] - (sides + (south[i] * (here[i] - below[i]) + north[i] * (here[i] - above[i])));
            }
            if let Some(anchor) = level.anchor.get(at..at + n) {
                for i in 0..n {
                    left_over[i] -= anchor[i] * here[i];
                }
            }
            let to = j.div_ceil(2) * coarse.stride + first.div_ceil(2);
            let (pairs, last) = left_over[..n].as_chunks::<2>();
            let to = &mut coarse.b[to..][..n.div_ceil(2)];
            for (to, [left, right]) in to.iter_mut().zip(pairs) {
                *to += left + right;
            }
            if let ([last], Some(to)) = (last, to.last_mut()) {
                *to += last;
            }
        }
    }
}

/// Adds to each cell the correction of the coarse cell that contains it: interpolation would ignore solids between.
#[simd]
fn correct<S: Simd>(_simd: S, level: &mut Level, coarse: &Level) {
    for j in level.rows.clone() {
        let (to, from) = (j * level.stride + 1, j.div_ceil(2) * coarse.stride + 1);
        let (pairs, last) = level.x[to..to + level.nx].as_chunks_mut::<2>();
        let from = &coarse.x[from..][..coarse.nx];
        for (pair, from) in pairs.iter_mut().zip(from) {
            *pair = [pair[0] + from, pair[1] + from];
        }
        if let ([last], Some(from)) = (last, from.last()) {
            *last += from;
        }
    }
}

/// The pieces of a row of `nx` cells: of each the first cell, and how many. The last is extended over cells of the one before to
/// whole vectors: for passes that may compute a cell twice.
fn pieces(nx: usize) -> impl Iterator<Item = (usize, usize)> {
    (1..=nx).step_by(PIECE).map(move |first| {
        let end = nx.min(first + PIECE - 1) + 1;
        let first = end.saturating_sub((end - first).next_multiple_of(8)).max(1);
        (first, end - first)
    })
}

/// The first half of a sweep, from φ = 0.
#[simd]
fn begin<S: Simd>(_simd: S, level: &mut Level) {
    let (nx, stride) = (level.nx, level.stride);
    // Rows that had an equation may have none any more.
    level.x[..level.rows.start * stride].fill(0.0);
    level.x[level.rows.end * stride..].fill(0.0);
    for j in level.rows.clone() {
        for (first, n) in pieces(nx) {
            let at = j * stride + first;
            let (b, inv_diagonal) = (&level.b[at..][..n], &level.inv_diagonal[at..][..n]);
            let (here, chosen) = (&mut level.x[at..][..n], &CHOSEN[(first + j) % 2..][..n]);
            for i in 0..n {
                here[i] = f32::from_bits((b[i] * inv_diagonal[i]).to_bits() & chosen[i]);
            }
        }
    }
}

/// Whole rows are computed and every second cell kept: vectors are faster than single cells.
#[simd]
fn sweep<S: Simd>(_simd: S, level: &mut Level, colour: usize) {
    let (nx, stride) = (level.nx, level.stride);
    let mut relaxed = [0.0; PIECE];
    for j in level.rows.clone() {
        for (first, n) in pieces(nx) {
            let at = j * stride + first;
            let x = &level.x;
            let (left, right) = (&x[at - 1..][..n], &x[at + 1..][..n]);
            let (below, above) = (&x[at - stride..][..n], &x[at + stride..][..n]);
            let (west, east) = (&level.ax[at..][..n], &level.ax[at + 1..][..n]);
            let (south, north) = (&level.ay[at..][..n], &level.ay[at + stride..][..n]);
            let (b, inv_diagonal) = (&level.b[at..][..n], &level.inv_diagonal[at..][..n]);
            let (here, chosen) = (&x[at..][..n], &CHOSEN[(first + j + colour) % 2..][..n]);
            for i in 0..n {
                let around = west[i] * left[i] + east[i] * right[i] + (south[i] * below[i] + north[i] * above[i]);
                let new = (b[i] + around) * inv_diagonal[i];
                relaxed[i] = f32::from_bits(new.to_bits() & chosen[i] | here[i].to_bits() & !chosen[i]);
            }
            level.x[at..at + n].copy_from_slice(&relaxed[..n]);
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Multigrid {
    levels: Vec<Level>,
}

impl Multigrid {
    /// Grids of `nx` × `ny` cells and coarser ones, without coefficients. `is_anchored`: φ is zero somewhere.
    pub fn new(nx: usize, ny: usize, is_periodic: [bool; 2], is_anchored: bool) -> Self {
        let mut levels = vec![Level::empty(nx, ny, is_periodic, is_anchored)];
        let (mut nx, mut ny) = (nx, ny);
        while nx.min(ny) > COARSEST {
            (nx, ny) = (nx.div_ceil(2), ny.div_ceil(2));
            levels.push(Level::empty(nx, ny, is_periodic, is_anchored));
        }
        Self { levels }
    }

    /// Changes the coefficients of the finest grid by `set`, and those of the coarser grids accordingly.
    pub fn fit(&mut self, set: impl FnOnce(&mut Level)) {
        set(&mut self.levels[0]);
        self.levels[0].find_diagonal();
        for number in 1..self.levels.len() {
            let (fine, coarse) = self.levels.split_at_mut(number);
            coarse[0].coarsen(&fine[number - 1]);
        }
    }

    pub fn finest(&self) -> &Level {
        &self.levels[0]
    }

    /// Sets `z` to an approximation of A⁻¹ `r`. The finest grid borrows both arrays, so that none is copied.
    pub fn precondition(&mut self, simd: Simdness, r: &mut Vec<f32>, z: &mut Vec<f32>) {
        std::mem::swap(&mut self.levels[0].b, r);
        std::mem::swap(&mut self.levels[0].x, z);
        self.cycle(simd, 0);
        std::mem::swap(&mut self.levels[0].b, r);
        std::mem::swap(&mut self.levels[0].x, z);
    }

    fn cycle(&mut self, simd: Simdness, number: usize) {
        let (fine, coarser) = self.levels.split_at_mut(number + 1);
        let level = &mut fine[number];
        let Some(coarse) = coarser.first_mut() else { return level.solve_small(simd) };
        dispatch!(simd, simd => begin(simd, level));
        level.sweep(simd, 1);
        Level::edge(level.is_periodic, level.shape(), &mut level.x);
        dispatch!(simd, simd => restrict(simd, level, coarse));
        self.cycle(simd, number + 1);
        let (fine, coarser) = self.levels.split_at_mut(number + 1);
        let level = &mut fine[number];
        dispatch!(simd, simd => correct(simd, level, &coarser[0]));
        level.sweep(simd, 1);
        level.sweep(simd, 0);
    }
}
