//! The equation of pressure on a rectangular grid, `A φ = b`, by conjugate gradients with multigrid as preconditioner. All sums
//! run in a fixed order: the same bits on any machine and number of threads.

pub mod body_flows;
pub mod multigrid;

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch, f32x8};
use fearless_simd_macros::simd;
use multigrid::Multigrid;

/// The solver. It owns its arrays, which have the layout of [`multigrid::Level`].
#[derive(Clone, Debug, Default)]
pub struct ConjugateGradients {
    pub grids: Multigrid,
    /// `b − A φ`.
    pub residual: Vec<f32>,
    z: Vec<f32>,
    p: Vec<f32>,
    ap: Vec<f32>,
}

impl ConjugateGradients {
    /// A solver for `nx` × `ny` cells, without coefficients. `is_anchored`: φ is zero somewhere.
    pub fn new(nx: usize, ny: usize, is_periodic: [bool; 2], is_anchored: bool) -> Self {
        let zeros = || vec![0.0; (nx + 2) * (ny + 2)];
        let grids = Multigrid::new(nx, ny, is_periodic, is_anchored);
        Self { grids, residual: zeros(), z: zeros(), p: zeros(), ap: zeros() }
    }

    /// Improves `phi`, whose residual must be in `residual`, until no cell's exceeds `tolerance`. `couple` adds to its second
    /// argument what A has beside the grid's coefficients, applied to its first.
    pub fn solve(
        &mut self,
        level: Level,
        phi: &mut [f32],
        tolerance: f32,
        max_iterations: usize,
        mut couple: impl FnMut(&[f32], &mut [f32]),
    ) {
        let Self { grids, residual, z, p, ap } = self;
        let mut rz = 0.0;
        for iteration in 0..max_iterations {
            if max_norm(level, residual) <= tolerance {
                return;
            }
            grids.precondition(level, residual, z);
            let rz_before = std::mem::replace(&mut rz, dispatch!(level, simd => dot(simd, residual, z)));
            let beta = if iteration == 0 { 0.0 } else { rz / rz_before };
            dispatch!(level, simd => turn(simd, p, beta, z));
            grids.finest().apply(level, p, ap);
            couple(p, ap);
            let curvature = dispatch!(level, simd => dot(simd, p, ap));
            if curvature <= 0.0 || !curvature.is_finite() {
                return;
            }
            let alpha = rz / curvature;
            add_scaled(level, phi, alpha, p);
            add_scaled(level, residual, -alpha, ap);
        }
    }
}

pub fn max_norm(level: Level, values: &[f32]) -> f32 {
    dispatch!(level, simd => max_norm_simd(simd, values))
}

#[simd]
pub fn max_norm_simd<S: Simd>(simd: S, values: &[f32]) -> f32 {
    let (chunks, rest) = values.as_chunks::<8>();
    let mut most = f32x8::splat(simd, 0.0);
    for chunk in chunks {
        most = most.max_precise(f32x8::from_slice(simd, chunk).abs());
    }
    most.as_slice().iter().chain(rest).fold(0.0, |most, value| most.max(value.abs()))
}

#[simd]
fn dot<S: Simd>(simd: S, a: &[f32], b: &[f32]) -> f32 {
    let mut sums = f32x8::splat(simd, 0.0);
    let ((a, last_a), (b, last_b)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    for (a, b) in a.iter().zip(b) {
        sums += f32x8::from_slice(simd, a) * f32x8::from_slice(simd, b);
    }
    for ((sum, a), b) in sums.as_mut_slice().iter_mut().zip(last_a).zip(last_b) {
        *sum += a * b;
    }
    sums.as_slice().iter().sum()
}

pub fn add_scaled(level: Level, to: &mut [f32], scale: f32, from: &[f32]) {
    dispatch!(level, simd => add_scaled_simd(simd, to, scale, from));
}

#[simd]
fn add_scaled_simd<S: Simd>(_simd: S, to: &mut [f32], scale: f32, from: &[f32]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += scale * from;
    }
}

/// The next direction: conjugate to those before.
#[simd]
fn turn<S: Simd>(_simd: S, p: &mut [f32], beta: f32, z: &[f32]) {
    for (p, z) in p.iter_mut().zip(z) {
        *p = z + beta * *p;
    }
}
