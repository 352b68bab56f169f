//! Diffusion by a five-point stencil in Runge–Kutta–Legendre stages of second order: about √(ν dt/dx²) of them, mostly two.

use crate::sim::grid_fluid::mac_grid::{FieldLocation, MacGrid};
use crate::sim::runge_kutta_legendre::{Rkl2Stage, rkl2_stages};
use fearless_simd::dispatch;
use fearless_simd::prelude::*;
use fearless_simd_macros::simd;

/// Factor on the stages' rate for values in cells: with it no stage passes the extremes of what is around a cell.
const MONOTONE: f32 = 2.0;

/// A cell beside a wall that is kept at a value, such as a temperature.
#[derive(Clone, Copy, Debug)]
pub struct FixedNeighbor {
    pub cell: u32,
    /// The axis across the wall: 0 is x.
    pub axis: usize,
    /// Strength of the coupling: 1 at the distance of a cell.
    pub weight: f32,
    pub value: f32,
}

#[derive(Clone, Copy, Debug)]
pub struct DiffusionStep<'a> {
    pub field: FieldLocation,
    /// ν or κ, m²/s.
    pub rate: f32,
    /// Seconds.
    pub dt: f32,
    /// The cells beside walls that are kept at a value, and the value that is zero in the array; for values in cells only.
    pub fixed: (&'a [FixedNeighbor], f32),
}

impl DiffusionStep<'_> {
    /// Parameters without walls that are kept at a value.
    pub fn new(field: FieldLocation, rate: f32, dt: f32) -> Self {
        Self { field, rate, dt, fixed: (&[], 0.0) }
    }
}

#[derive(Clone, Debug)]
pub struct Diffusion {
    stencils: [Stencil; 3],
    /// The values before the first stage, and before the last one.
    start: Vec<f32>,
    before: Vec<f32>,
    /// Changes in the time step, at the start and now.
    start_change: Vec<f32>,
    change: Vec<f32>,
}

impl Diffusion {
    pub fn new(grid: &MacGrid) -> Self {
        let zeros = || vec![0.0; grid.elements()];
        let fields = [FieldLocation::Faces(0), FieldLocation::Faces(1), FieldLocation::Cells];
        Self {
            stencils: fields.map(|field| Stencil::new(field, grid)),
            start: zeros(),
            before: zeros(),
            start_change: zeros(),
            change: zeros(),
        }
    }

    pub fn fit(&mut self) {
        self.stencils.iter_mut().for_each(|stencil| stencil.is_stale = true);
    }

    /// Diffuses `array`. Its ghosts are stale afterwards.
    pub fn diffuse(&mut self, grid: &MacGrid, array: &mut Vec<f32>, step: &DiffusionStep) {
        let Self { stencils, start, before, start_change, change } = self;
        let stencil = stencils.iter_mut().find(|stencil| stencil.field == step.field).expect("one for each location");
        if std::mem::take(&mut stencil.is_stale) {
            stencil.fit(grid);
        }
        let r = (step.rate * step.dt / (grid.cell_size * grid.cell_size)).to_array();
        let stages = rkl2_stages(stencil.fastest(r, step));
        start.copy_from_slice(array);
        before.copy_from_slice(array);
        change.fill(0.0);
        for number in 1..=stages {
            let stage = Rkl2Stage::of(number, stages);
            grid.fill_ghosts(step.field, array);
            stencil.apply(grid, array, r, change);
            let (fixed, zero) = step.fixed;
            for &FixedNeighbor { cell, axis, weight, value } in fixed {
                change[cell as usize] += r[axis] * weight * (value - zero - array[cell as usize]);
            }
            if number == 1 {
                start_change.copy_from_slice(change);
            }
            let changes: [&[f32]; 2] = [start_change, change];
            dispatch!(grid.level, simd => combine(simd, stage, [&start[..], &array[..]], changes, before));
            std::mem::swap(array, before);
        }
    }
}

/// The weights of an element's neighbours, in units of ν/dx² and ν/dy².
#[derive(Clone, Debug)]
struct Stencil {
    field: FieldLocation,
    is_stale: bool,
    /// The first column and row with elements that are not prescribed.
    first: [usize; 2],
    /// Whether all weights of a row are 1.
    is_open: Vec<bool>,
    /// To the left, to the right, below and above; 0 where the element is prescribed, or no flux passes.
    weights: [Vec<f32>; 4],
    /// The largest sum of the two weights along each axis.
    largest: [f32; 2],
}

impl Stencil {
    fn new(field: FieldLocation, grid: &MacGrid) -> Self {
        let weights = std::array::from_fn(|_| vec![0.0; grid.elements()]);
        Self { field, is_stale: true, first: [1, 1], is_open: vec![true; grid.ny + 1], weights, largest: [2.0; 2] }
    }

    fn fit(&mut self, grid: &MacGrid) {
        let (field, up) = (self.field, grid.stride);
        self.first = grid.first_free(field);
        self.largest = [2.0; 2];
        for j in self.first[1]..=grid.ny {
            let mut is_open = true;
            for at in j * up + self.first[0]..=j * up + grid.nx {
                let neighbors = [at - 1, at + 1, at - up, at + up];
                let weights = match field {
                    FieldLocation::Cells => grid.cell_weights(at),
                    // More where the face beside it is closed and the solid near.
                    FieldLocation::Faces(axis) if grid.is_free(field, at) => neighbors.map(|beside| {
                        if grid.face_fraction[axis][beside] == 0.0 { grid.no_slip_weight(axis, at) } else { 1.0 }
                    }),
                    FieldLocation::Faces(_) => [0.0; 4],
                };
                is_open &= weights == [1.0; 4];
                self.weights.iter_mut().zip(weights).for_each(|(of_all, weight)| of_all[at] = weight);
                let [left, right, below, above] = weights;
                self.largest = [self.largest[0].max(left + right), self.largest[1].max(below + above)];
            }
            self.is_open[j] = is_open;
        }
    }

    /// A bound on the rate of the fastest mode, times the time step (Gershgorin's).
    fn fastest(&self, r: [f32; 2], step: &DiffusionStep) -> f32 {
        let sum = |axis: usize| {
            let fixed = step.fixed.0.iter().filter(|it| it.axis == axis);
            let kept = fixed.map(|it| it.weight).fold(0.0, f32::max);
            r[axis] * (self.largest[axis] + kept)
        };
        let rate = 2.0 * (sum(0) + sum(1));
        if self.field == FieldLocation::Cells { MONOTONE * rate } else { rate }
    }

    fn apply(&self, grid: &MacGrid, array: &[f32], r: [f32; 2], change: &mut [f32]) {
        let n = grid.nx + 1 - self.first[0];
        for j in self.first[1]..=grid.ny {
            let at = j * grid.stride + self.first[0];
            let values = [at, at - 1, at + 1, at - grid.stride, at + grid.stride].map(|at| &array[at..at + n]);
            let change = &mut change[at..at + n];
            if self.is_open[j] {
                dispatch!(grid.level, simd => spread(simd, values, r, change));
            } else {
                let weights = self.weights.each_ref().map(|weights| &weights[at..at + n]);
                dispatch!(grid.level, simd => spread_weighted(simd, values, weights, r, change));
            }
        }
    }
}

#[simd]
fn spread<S: Simd>(_simd: S, values: [&[f32]; 5], [x, y]: [f32; 2], out: &mut [f32]) {
    let n = out.len();
    let [here, left, right, below, above] = values.map(|values| &values[..n]);
    for i in 0..n {
        let here = here[i];
        out[i] = x * ((left[i] - here) + (right[i] - here)) + y * ((below[i] - here) + (above[i] - here));
    }
}

#[simd]
fn spread_weighted<S: Simd>(_simd: S, values: [&[f32]; 5], weights: [&[f32]; 4], [x, y]: [f32; 2], out: &mut [f32]) {
    let n = out.len();
    let [here, left, right, below, above] = values.map(|values| &values[..n]);
    let [west, east, south, north] = weights.map(|weights| &weights[..n]);
    for i in 0..n {
        let here = here[i];
        let along = west[i] * (left[i] - here) + east[i] * (right[i] - here);
        out[i] = x * along + y * (south[i] * (below[i] - here) + north[i] * (above[i] - here));
    }
}

/// Computes the next stage in `before`.
#[simd]
fn combine<S: Simd>(_simd: S, stage: Rkl2Stage, values: [&[f32]; 2], changes: [&[f32]; 2], before: &mut [f32]) {
    let n = before.len();
    let [start, last] = values.map(|values| &values[..n]);
    let [start_change, change] = changes.map(|changes| &changes[..n]);
    for i in 0..n {
        let own = start[i];
        let moved = stage.last * (last[i] - own) + stage.before * (before[i] - own);
        before[i] = own + (moved + (stage.change * change[i] + stage.start * start_change[i]));
    }
}
