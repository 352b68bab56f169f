//! What two particles of the liquid do to each other: they add to each other's density, push each other apart and brake each
//! other (sections 4.1 and 5.3). The traversal of pairs is in [`crate::sim::neighbors::pairs`].

use crate::sim::neighbors::{Lanes, Offset, PairKernel};
use fearless_simd::prelude::*;

/// `h g = h − r`, zero beyond h. The paper's `g = 1 − r/h` is divided by h once a particle and not once a pair.
#[inline(always)]
fn kernel<S: Simd>(simd: S, r: Lanes<S>, h: f32) -> Lanes<S> {
    (Lanes::splat(simd, h) - r).max(Lanes::splat(simd, 0.0))
}

/// Density `Σ (h − r)²` and near-density `Σ (h − r)³`: the paper's times h² and h³.
#[derive(Clone, Copy)]
pub struct DensityKernel {
    pub h: f32,
}

impl PairKernel<2> for DensityKernel {
    const ANTISYMMETRIC: bool = false;

    #[inline(always)]
    fn evaluate<S: Simd>(&self, simd: S, _: [[Lanes<S>; 2]; 2], offset: Offset<S>) -> [Lanes<S>; 2] {
        let g = kernel(simd, offset.r2.sqrt(), self.h);
        let g2 = g * g;
        [g2, g2 * g]
    }
}

/// Pressure and viscosity: displacements `½ dt² ((Pᵢ + Pⱼ) g + (P_nearᵢ + P_nearⱼ) g² + g (σ u + β u²)) r̂`, outwards for both of a
/// pair, where u is the speed with which they approach each other. A displacement of dt I here is the paper's impulse I before the
/// advance. The first attributes are pressure and near-pressure: halved, times dt², and over h and h², because g is h − r here.
#[derive(Clone, Copy)]
pub struct PressureKernel {
    pub h: f32,
    /// σ and β are halved, times dt² and over h.
    pub sigma: f32,
    pub beta: f32,
    /// Upper limit on σ + β u, in the same units.
    pub max_viscous: f32,
}

impl PairKernel<6> for PressureKernel {
    const ANTISYMMETRIC: bool = true;

    #[inline(always)]
    fn evaluate<S: Simd>(&self, simd: S, [own, theirs]: [[Lanes<S>; 6]; 2], offset: Offset<S>) -> [Lanes<S>; 2] {
        let r = offset.length(simd, self.h);
        let per_r = Lanes::splat(simd, 1.0) / r;
        let g = kernel(simd, r, self.h);
        let approach = offset.dot([own[4] - theirs[4], own[5] - theirs[5]]) * per_r;
        let u = approach.max(Lanes::splat(simd, 0.0));
        let viscous = u * (u * self.beta + self.sigma).min(Lanes::splat(simd, self.max_viscous));
        let push = g * (own[2] + theirs[2] + (own[3] + theirs[3]) * g + viscous) * per_r;
        [push * offset.x, push * offset.y]
    }
}

/// Pressure and viscosity between phases of different mass. The results are impulses: displacements times masses. The attributes
/// are both pressures times the mass, the velocity, and `[½σ′m, ½β′m, m, phase]` with σ′ = σ·½dt²/h³ and β′ = β·½dt²/h².
#[derive(Clone, Copy)]
pub struct MultiphaseKernel {
    pub h: f32,
    /// As that of [`PressureKernel`].
    pub max_viscous: f32,
    /// The repulsion of different phases at zero distance, as a displacement over h.
    pub interfacial_repulsion: f32,
}

impl PairKernel<10> for MultiphaseKernel {
    const ANTISYMMETRIC: bool = true;

    #[inline(always)]
    fn evaluate<S: Simd>(&self, simd: S, [own, theirs]: [[Lanes<S>; 10]; 2], offset: Offset<S>) -> [Lanes<S>; 2] {
        let (zero, one) = (Lanes::splat(simd, 0.0), Lanes::splat(simd, 1.0));
        let r = offset.length(simd, self.h);
        let per_r = one / r;
        let g = kernel(simd, r, self.h);
        let approach = offset.dot([own[4] - theirs[4], own[5] - theirs[5]]) * per_r;
        let u = approach.max(zero);
        // The limit is that of the lighter of the two.
        let lighter = own[8].min(theirs[8]);
        let viscous = u * (u * (own[7] + theirs[7]) + (own[6] + theirs[6])).min(lighter * self.max_viscous);
        // Numbers of phases differ by at least one.
        let apart = (own[9] - theirs[9]).max(theirs[9] - own[9]).min(one) * lighter * self.interfacial_repulsion;
        let push = g * (own[2] + theirs[2] + (own[3] + theirs[3]) * g + viscous + apart) * per_r;
        [push * offset.x, push * offset.y]
    }
}
