//! What two particles of the liquid do to each other when they meet: they add to each other's density, push each other
//! apart and brake each other. The paper's sections 4.1 and 5.3; the traversal of pairs is in [`pairs`].
//!
//! [`pairs`]: crate::sim::neighbors::pairs

use crate::sim::neighbors::Grid;
use crate::sim::neighbors::pairs::{CachedNeighbors, GridSearch, Lanes, Offset, PairKernel, Sums, for_each_pair_simd};
use crate::sim::neighbors::sleep_map::ActiveRows;
use crate::sim::particles::Particles;
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};
use fearless_simd_macros::simd;

/// The most of a pair's speed of approach that the article's viscosity (σ and β) may take from each of the two in one
/// substep. All pairs act at once, and with some thirty of them more would overshoot. A viscosity that is to be a quantity
/// is given in m²/s: see [`super::viscosity`].
const MAX_VISCOUS_FRACTION: f32 = 0.1;

/// `h g = h − r`, zero beyond h. The paper's `g = 1 − r/h` is divided by h once a particle and not once a pair: a substep
/// without viscosity took 61.0 ns a particle instead of 64.5 with SSE2, and 39.6 instead of 41.0 with AVX2 (20,000
/// particles).
#[inline(always)]
fn kernel<S: Simd, V: Lanes<S>>(simd: S, r: V, h: f32) -> V {
    (V::splat(simd, h) - r).max(V::splat(simd, 0.0))
}

/// Density `Σ (h − r)²` and near-density `Σ (h − r)³`, that is to say the paper's times h² and h³, of the pairs of which
/// the lower is in `rows`: what falls to these rows, and what falls to the rows above them. Records in `found` the ranges in
/// reach, for [`relax`].
pub fn density(level: Level, grid: &Grid, p: &Particles, h: f32, rows: &ActiveRows, found: &mut [u32], out: [Sums; 2]) {
    dispatch!(level, simd => density_with(simd, grid, p, h, rows, found, out));
}

#[simd]
fn density_with<S: Simd>(
    simd: S,
    grid: &Grid,
    p: &Particles,
    h: f32,
    rows: &ActiveRows,
    found: &mut [u32],
    out: [Sums; 2],
) {
    let mut search = GridSearch { grid, x: &p.x, base: out[0].first, neighbor_ranges: found.as_chunks_mut().0 };
    let crowding = DensityKernel { h };
    let brought: [&[f32]; 2] = [&p.x, &p.y];
    for_each_pair_simd(simd, grid, brought, rows, &mut search, &crowding, out);
}

struct DensityKernel {
    h: f32,
}

impl<S: Simd, V: Lanes<S>> PairKernel<S, V, 2> for DensityKernel {
    const ANTISYMMETRIC: bool = false;

    #[inline(always)]
    fn evaluate(&self, simd: S, _: [V; 2], _: [V; 2], offset: Offset<V>) -> [V; 2] {
        let g = kernel(simd, offset.r2.sqrt(), self.h);
        let g2 = g * g;
        [g2, g2 * g]
    }
}

/// What neighbours do to each other in [`relax`], as displacements.
pub struct PairParams<'a> {
    /// Pressure and near-pressure of every slot: halved, because a pair shares each displacement, times dt², and over h and
    /// h² for kernels that are times as much.
    pub pressures: [&'a [f32]; 2],
    /// σ and β, halved, times dt² and over h.
    pub viscosity: [f32; 2],
    /// Seconds.
    pub dt: f32,
    /// Metres.
    pub h: f32,
    /// Who is in reach, as [`density`] has found.
    pub found: &'a [u32],
}

/// Displacements `½ dt² ((Pᵢ + Pⱼ) g + (P_nearᵢ + P_nearⱼ) g²) r̂ + ½ dt² g (σ u + β u²) r̂`, outwards for both of a
/// pair; u is the speed with which they approach each other, if they do. (What is brought along is so scaled that g may be
/// h − r here.)
///
/// The viscosity impulse is met here, where the offsets are at hand, and not in a sweep of its own before the advance:
/// 10 ns a particle instead of 30. (One division for the lengths of two pairs, `1/a = b/(a b)`, was tried and dropped:
/// the same time without viscosity, and a tenth more with it.) An impulse I before the advance moves a particle by dt I and changes its velocity
/// by I, which is what a displacement of dt I does; only the offsets are those after the advance.
pub fn relax(level: Level, grid: &Grid, p: &Particles, exchange: &PairParams, rows: &ActiveRows, out: [Sums; 2]) {
    dispatch!(level, simd => relax_with(simd, grid, p, exchange, rows, out));
}

#[simd]
fn relax_with<S: Simd>(simd: S, grid: &Grid, p: &Particles, exchange: &PairParams, rows: &ActiveRows, out: [Sums; 2]) {
    let &PairParams { pressures: [pressure, near], viscosity, dt, h, found } = exchange;
    let mut reach = CachedNeighbors { neighbor_ranges: found.as_chunks().0 };
    if viscosity == [0.0; 2] {
        let brought: [&[f32]; 4] = [&p.x, &p.y, pressure, near];
        for_each_pair_simd(simd, grid, brought, rows, &mut reach, &PressureKernel { h }, out);
    } else {
        let [sigma, beta] = viscosity;
        let braking = PressureViscosityKernel { h, sigma, beta, most: MAX_VISCOUS_FRACTION * dt / h };
        let brought: [&[f32]; 6] = [&p.x, &p.y, pressure, near, &p.vx, &p.vy];
        for_each_pair_simd(simd, grid, brought, rows, &mut reach, &braking, out);
    }
}

/// What particles of several fluids bring along besides: a mixture's pressures are times the particle's mass.
#[derive(Clone, Copy)]
pub struct Mixed<'a> {
    /// σ and β, each half of what a pair feels, times dt² and the mass and over h; the mass; and a number for the fluid.
    pub brought: [&'a [f32]; 4],
    /// With what different fluids push each other off at the same place, as a displacement, over h.
    pub interfacial_repulsion: f32,
}

/// As [`relax`], between fluids of different mass: gives impulses, that is to say displacements times masses.
pub fn relax_mixed(
    level: Level,
    grid: &Grid,
    p: &Particles,
    exchange: (&PairParams, &Mixed),
    rows: &ActiveRows,
    out: [Sums; 2],
) {
    dispatch!(level, simd => relax_mixed_with(simd, grid, p, exchange, rows, out));
}

#[simd]
fn relax_mixed_with<S: Simd>(
    simd: S,
    grid: &Grid,
    p: &Particles,
    (exchange, mixed): (&PairParams, &Mixed),
    rows: &ActiveRows,
    out: [Sums; 2],
) {
    let &PairParams { pressures: [pressure, near], dt, h, found, .. } = exchange;
    let mut reach = CachedNeighbors { neighbor_ranges: found.as_chunks().0 };
    let mingling =
        MultiphaseKernel { h, most: MAX_VISCOUS_FRACTION * dt / h, interfacial_repulsion: mixed.interfacial_repulsion };
    let [sigma, beta, mass, kind] = mixed.brought;
    let brought: [&[f32]; 10] = [&p.x, &p.y, pressure, near, &p.vx, &p.vy, sigma, beta, mass, kind];
    for_each_pair_simd(simd, grid, brought, rows, &mut reach, &mingling, out);
}

/// Pressure alone.
struct PressureKernel {
    h: f32,
}

impl<S: Simd, V: Lanes<S>> PairKernel<S, V, 4> for PressureKernel {
    const ANTISYMMETRIC: bool = true;

    #[inline(always)]
    fn evaluate(&self, simd: S, own: [V; 4], theirs: [V; 4], offset: Offset<V>) -> [V; 2] {
        let r = offset.length(simd, self.h);
        let g = kernel(simd, r, self.h);
        let push = g * (own[2] + theirs[2] + (own[3] + theirs[3]) * g) / r;
        [push * offset.x, push * offset.y]
    }
}

/// Pressure and viscosity.
struct PressureViscosityKernel {
    h: f32,
    sigma: f32,
    beta: f32,
    most: f32,
}

impl<S: Simd, V: Lanes<S>> PairKernel<S, V, 6> for PressureViscosityKernel {
    const ANTISYMMETRIC: bool = true;

    #[inline(always)]
    fn evaluate(&self, simd: S, own: [V; 6], theirs: [V; 6], offset: Offset<V>) -> [V; 2] {
        let r = offset.length(simd, self.h);
        let per_r = V::splat(simd, 1.0) / r;
        let g = kernel(simd, r, self.h);
        let approach = offset.dot([own[4] - theirs[4], own[5] - theirs[5]]) * per_r;
        let u = approach.max(V::splat(simd, 0.0));
        let viscous = u * (u * self.beta + self.sigma).min(V::splat(simd, self.most));
        let push = g * (own[2] + theirs[2] + (own[3] + theirs[3]) * g + viscous) * per_r;
        [push * offset.x, push * offset.y]
    }
}

/// Pressure and viscosity between several fluids.
struct MultiphaseKernel {
    h: f32,
    most: f32,
    interfacial_repulsion: f32,
}

impl<S: Simd, V: Lanes<S>> PairKernel<S, V, 10> for MultiphaseKernel {
    const ANTISYMMETRIC: bool = true;

    #[inline(always)]
    fn evaluate(&self, simd: S, own: [V; 10], theirs: [V; 10], offset: Offset<V>) -> [V; 2] {
        let (zero, one) = (V::splat(simd, 0.0), V::splat(simd, 1.0));
        let r = offset.length(simd, self.h);
        let per_r = one / r;
        let g = kernel(simd, r, self.h);
        let approach = offset.dot([own[4] - theirs[4], own[5] - theirs[5]]) * per_r;
        let u = approach.max(zero);
        // As much as the lighter of the two bears.
        let lighter = own[8].min(theirs[8]);
        let viscous = u * (u * (own[7] + theirs[7]) + (own[6] + theirs[6])).min(lighter * self.most);
        // Numbers of fluids differ by one at the least.
        let apart = (own[9] - theirs[9]).max(theirs[9] - own[9]).min(one) * lighter * self.interfacial_repulsion;
        let push = g * (own[2] + theirs[2] + (own[3] + theirs[3]) * g + viscous + apart) * per_r;
        [push * offset.x, push * offset.y]
    }
}
