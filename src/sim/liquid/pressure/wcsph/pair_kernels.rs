use crate::sim::liquid::pressure::wcsph::kernels::{POLY6_SLOPE, SPIKY_SLOPE, VISCOSITY_LAPLACIAN};
use crate::sim::neighbors::{Lanes, Offset, PairKernel};
use fearless_simd::prelude::*;

/// `Σ (1 − q)³` over the neighbours for the density by the spiky kernel, else `Σ (1 − q²)³`; and `Σ (1 − q²)³` for the colour.
#[derive(Clone, Copy)]
pub(super) struct SphDensityKernel<const SPIKY: bool> {
    pub inv_h2: f32,
}

impl<const SPIKY: bool> PairKernel<2> for SphDensityKernel<SPIKY> {
    const ANTISYMMETRIC: bool = false;

    #[inline(always)]
    fn evaluate<S: Simd>(&self, simd: S, _: [[Lanes<S>; 2]; 2], offset: Offset<S>) -> [Lanes<S>; 2] {
        let smooth = smooth(simd, offset.r2, self.inv_h2);
        let colour = smooth * smooth * smooth;
        if !SPIKY {
            return [colour, colour];
        }
        let g = (Lanes::splat(simd, 1.0) - (offset.r2 * self.inv_h2).sqrt()).max(Lanes::splat(simd, 0.0));
        [g * g * g, colour]
    }
}

/// `1 − q²`, zero beyond h.
#[inline(always)]
fn smooth<S: Simd>(simd: S, r2: Lanes<S>, inv_h2: f32) -> Lanes<S> {
    (Lanes::splat(simd, 1.0) - r2 * inv_h2).max(Lanes::splat(simd, 0.0))
}

/// `Σ (P + P′) q (−W′_spiky)` over the neighbours, with the pressures P of [`SphForceKernel`].
#[derive(Clone, Copy)]
pub(super) struct VirialKernel {
    pub inv_h2: f32,
}

impl PairKernel<3> for VirialKernel {
    const ANTISYMMETRIC: bool = false;

    #[inline(always)]
    fn evaluate<S: Simd>(&self, simd: S, [own, theirs]: [[Lanes<S>; 3]; 2], offset: Offset<S>) -> [Lanes<S>; 2] {
        let q = (offset.r2 * self.inv_h2).sqrt();
        let g = (Lanes::splat(simd, 1.0) - q).max(Lanes::splat(simd, 0.0));
        let share = (own[2] + theirs[2]) * q * g * g * SPIKY_SLOPE;
        [share, share]
    }
}

/// Accelerations by pressure, A (Pᵢ/dᵢ² + Pⱼ/dⱼ²) W′_spiky r̂ (Müller's eq. 10, not halved), and viscosity, 4 ν A/(dᵢ dⱼ) ((vⱼ −
/// vᵢ) · r̂) r̂ ∇²W_viscosity (eq. 14, along r̂ only). A is the area of a particle, d relative densities and P pressures over ρ₀.
/// Each particle brings P/d² (m²/s²), 1/d and its velocity. With surface tension besides, `−2 K A W′_poly6 r̂`, which is eq. 19 as
/// an energy's force.
#[derive(Clone, Copy)]
pub(super) struct SphForceKernel<const TENSION: bool> {
    h: f32,
    inv_h: f32,
    inv_h2: f32,
    pressure: f32,
    viscosity: f32,
    pub tension: f32,
}

impl<const TENSION: bool> SphForceKernel<TENSION> {
    /// `strength` has the factors of pressure, viscosity (ν, m²/s) and cohesion (K, m²/s²), zero for none; `areas` are a
    /// particle's area as the density counts it and its true area, m².
    pub(super) fn new(h: f32, areas: [f32; 2], strength: [f32; 3]) -> Self {
        Self {
            h,
            inv_h: 1.0 / h,
            inv_h2: 1.0 / (h * h),
            pressure: strength[0] * areas[0] * SPIKY_SLOPE / h.powi(3),
            viscosity: strength[1] * 4.0 * areas[1] * VISCOSITY_LAPLACIAN / h.powi(4),
            tension: 2.0 * strength[2] * areas[1] * POLY6_SLOPE / h.powi(4),
        }
    }
}

impl<const TENSION: bool> PairKernel<6> for SphForceKernel<TENSION> {
    const ANTISYMMETRIC: bool = true;

    #[inline(always)]
    fn evaluate<S: Simd>(&self, simd: S, [own, theirs]: [[Lanes<S>; 6]; 2], offset: Offset<S>) -> [Lanes<S>; 2] {
        let r = offset.length(simd, self.h);
        let inv_r = Lanes::splat(simd, 1.0) / r;
        let g = (Lanes::splat(simd, 1.0) - r * self.inv_h).max(Lanes::splat(simd, 0.0));
        let approach = offset.dot([own[4] - theirs[4], own[5] - theirs[5]]) * inv_r;
        let pressure = (own[2] + theirs[2]) * g * self.pressure;
        let mut push = (pressure + approach * own[3] * theirs[3] * self.viscosity) * g * inv_r;
        if TENSION {
            let g = smooth(simd, offset.r2, self.inv_h2);
            push -= g * g * self.tension;
        }
        [push * offset.x, push * offset.y]
    }
}
