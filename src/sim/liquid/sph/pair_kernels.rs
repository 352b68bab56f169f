//! What a pair of neighbours does to each other, in vectors: see [`crate::sim::neighbors::pairs`].

use crate::sim::liquid::sph::kernels::{Kernel, POLY6_SLOPE, SPIKY_SLOPE, VISCOSITY_LAPLACIAN};
use crate::sim::neighbors::Grid;
use crate::sim::neighbors::pairs::{CachedNeighbors, GridSearch, Lanes, Offset, PairKernel, Sums, for_each_pair_simd};
use crate::sim::neighbors::sleep_map::ActiveRows;
use crate::sim::particles::Particles;
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};
use fearless_simd_macros::simd;

/// `Σ (1 − q)³` over the neighbours for the density, or as much of another kernel, and `Σ (1 − q²)³` for the colour;
/// records in `found` the neighbour ranges.
#[expect(clippy::too_many_arguments, reason = "they are what every sweep has")]
pub fn density(
    level: Level,
    kernel: Kernel,
    grid: &Grid,
    p: &Particles,
    h: f32,
    rows: &ActiveRows,
    found: &mut [u32],
    out: [Sums; 2],
) {
    match kernel {
        Kernel::Spiky => dispatch!(level, simd => density_with::<_, true>(simd, grid, p, h, rows, found, out)),
        Kernel::Poly6 => dispatch!(level, simd => density_with::<_, false>(simd, grid, p, h, rows, found, out)),
    }
}

#[simd]
fn density_with<S: Simd, const SPIKY: bool>(
    simd: S,
    grid: &Grid,
    p: &Particles,
    h: f32,
    rows: &ActiveRows,
    found: &mut [u32],
    out: [Sums; 2],
) {
    let mut search = GridSearch { grid, x: &p.x, base: out[0].first, neighbor_ranges: found.as_chunks_mut().0 };
    let crowding = DensityKernel::<SPIKY> { per_h2: 1.0 / (h * h) };
    let brought: [&[f32]; 2] = [&p.x, &p.y];
    for_each_pair_simd(simd, grid, brought, rows, &mut search, &crowding, out);
}

struct DensityKernel<const SPIKY: bool> {
    per_h2: f32,
}

impl<S: Simd, V: Lanes<S>, const SPIKY: bool> PairKernel<S, V, 2> for DensityKernel<SPIKY> {
    const ANTISYMMETRIC: bool = false;

    #[inline(always)]
    fn evaluate(&self, simd: S, _: [V; 2], _: [V; 2], offset: Offset<V>) -> [V; 2] {
        let smooth = smooth(simd, offset.r2, self.per_h2);
        let colour = smooth * smooth * smooth;
        if !SPIKY {
            return [colour, colour];
        }
        let g = (V::splat(simd, 1.0) - (offset.r2 * self.per_h2).sqrt()).max(V::splat(simd, 0.0));
        [g * g * g, colour]
    }
}

/// `1 − q²`, zero beyond h.
#[inline(always)]
fn smooth<S: Simd, V: Lanes<S>>(simd: S, r2: V, per_h2: f32) -> V {
    (V::splat(simd, 1.0) - r2 * per_h2).max(V::splat(simd, 0.0))
}

/// `Σ (P + P′) q (−W′_spiky)` over the neighbours, of the pressures P that [`forces`] has.
pub fn virial(
    level: Level,
    grid: &Grid,
    p: &Particles,
    known: (&[f32], f32, &[u32]),
    rows: &ActiveRows,
    out: [Sums; 2],
) {
    dispatch!(level, simd => virial_with(simd, grid, p, known, rows, out));
}

#[simd]
fn virial_with<S: Simd>(
    simd: S,
    grid: &Grid,
    p: &Particles,
    (pressure, h, found): (&[f32], f32, &[u32]),
    rows: &ActiveRows,
    out: [Sums; 2],
) {
    let mut reach = CachedNeighbors { neighbor_ranges: found.as_chunks().0 };
    let brought: [&[f32]; 3] = [&p.x, &p.y, pressure];
    for_each_pair_simd(simd, grid, brought, rows, &mut reach, &Pressing { per_h2: 1.0 / (h * h) }, out);
}

struct Pressing {
    per_h2: f32,
}

impl<S: Simd, V: Lanes<S>> PairKernel<S, V, 3> for Pressing {
    const ANTISYMMETRIC: bool = false;

    #[inline(always)]
    fn evaluate(&self, simd: S, own: [V; 3], theirs: [V; 3], offset: Offset<V>) -> [V; 2] {
        let q = (offset.r2 * self.per_h2).sqrt();
        let g = (V::splat(simd, 1.0) - q).max(V::splat(simd, 0.0));
        let share = (own[2] + theirs[2]) * q * g * g * SPIKY_SLOPE;
        [share, share]
    }
}

/// What neighbours do to each other in [`forces`], as accelerations.
#[derive(Clone, Copy)]
pub struct PairParams<'a> {
    /// Pressure over ρ₀ and over the square of the relative density d, m²/s²; and 1/d.
    pub pressure: &'a [f32],
    pub inv_density: &'a [f32],
    /// What pressure, viscosity (ν, m²/s) and cohesion (K, m²/s²) are multiplied by; zero for none.
    pub strength: [f32; 3],
    /// The area of a particle as the density counts it, and as it is, m².
    pub areas: [f32; 2],
    pub h: f32,
    pub found: &'a [u32],
}

/// Accelerations by the three forces. With A the area of a particle, d relative densities and P pressures over ρ₀:
///
/// ```text
/// pressure   A (Pᵢ/dᵢ² + Pⱼ/dⱼ²) W′_spiky r̂                            Müller's eq. 10, not halved
/// viscosity  4 ν A/(dᵢ dⱼ) ((vⱼ − vᵢ) · r̂) r̂ ∇²W_viscosity             eq. 14, along r̂ only
/// tension    −2 K A W′_poly6 r̂                                          eq. 19, as an energy's force
/// ```
pub fn forces(level: Level, grid: &Grid, p: &Particles, exchange: &PairParams, rows: &ActiveRows, out: [Sums; 2]) {
    dispatch!(level, simd => forces_with(simd, grid, p, exchange, rows, out));
}

#[simd]
fn forces_with<S: Simd>(simd: S, grid: &Grid, p: &Particles, exchange: &PairParams, rows: &ActiveRows, out: [Sums; 2]) {
    let &PairParams { pressure, inv_density, strength, areas: [weighed, area], h, found } = exchange;
    let mut reach = CachedNeighbors { neighbor_ranges: found.as_chunks().0 };
    let moving = PressureViscosityKernel {
        h,
        per_h: 1.0 / h,
        pressure: strength[0] * weighed * SPIKY_SLOPE / h.powi(3),
        viscosity: strength[1] * 4.0 * area * VISCOSITY_LAPLACIAN / h.powi(4),
    };
    let tension = 2.0 * strength[2] * area * POLY6_SLOPE / h.powi(4);
    let drawing = TensionKernel { moving, per_h2: 1.0 / (h * h), tension };
    let brought: [&[f32]; 6] = [&p.x, &p.y, pressure, inv_density, &p.vx, &p.vy];
    if tension == 0.0 {
        for_each_pair_simd(simd, grid, brought, rows, &mut reach, &drawing.moving, out);
    } else {
        for_each_pair_simd(simd, grid, brought, rows, &mut reach, &drawing, out);
    }
}

/// Pressure and viscosity.
struct PressureViscosityKernel {
    h: f32,
    per_h: f32,
    pressure: f32,
    viscosity: f32,
}

impl PressureViscosityKernel {
    /// What is given along the line between the two, over its length.
    #[inline(always)]
    fn push<S: Simd, V: Lanes<S>>(&self, simd: S, own: [V; 6], theirs: [V; 6], offset: Offset<V>) -> V {
        let r = offset.length(simd, self.h);
        let per_r = V::splat(simd, 1.0) / r;
        let g = (V::splat(simd, 1.0) - r * self.per_h).max(V::splat(simd, 0.0));
        let approach = offset.dot([own[4] - theirs[4], own[5] - theirs[5]]) * per_r;
        let pressure = (own[2] + theirs[2]) * g * self.pressure;
        (pressure + approach * own[3] * theirs[3] * self.viscosity) * g * per_r
    }
}

impl<S: Simd, V: Lanes<S>> PairKernel<S, V, 6> for PressureViscosityKernel {
    const ANTISYMMETRIC: bool = true;

    #[inline(always)]
    fn evaluate(&self, simd: S, own: [V; 6], theirs: [V; 6], offset: Offset<V>) -> [V; 2] {
        let push = self.push(simd, own, theirs, offset);
        [push * offset.x, push * offset.y]
    }
}

/// Pressure, viscosity and surface tension.
struct TensionKernel {
    moving: PressureViscosityKernel,
    per_h2: f32,
    tension: f32,
}

impl<S: Simd, V: Lanes<S>> PairKernel<S, V, 6> for TensionKernel {
    const ANTISYMMETRIC: bool = true;

    #[inline(always)]
    fn evaluate(&self, simd: S, own: [V; 6], theirs: [V; 6], offset: Offset<V>) -> [V; 2] {
        let g = smooth(simd, offset.r2, self.per_h2);
        let push = self.moving.push(simd, own, theirs, offset) - g * g * self.tension;
        [push * offset.x, push * offset.y]
    }
}
