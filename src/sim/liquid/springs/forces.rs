//! Yielding and forces of springs, vectorized with a lane for each of eight particles.

use crate::sim::liquid::MAX_PHASES;
use crate::sim::liquid::springs::adjacency::{SpringPack, SpringSlice};
use crate::sim::liquid::springs::viscoelastic::Viscoelastic;
use crate::sim::neighbors::WIDTH;
use fearless_simd::f32x8;
use fearless_simd::prelude::*;
use fearless_simd_macros::simd;

/// Minimum distance for a division, in h.
const COINCIDENT: f32 = 1e-5;

#[derive(Clone, Copy, Debug)]
pub struct SpringStep<'a> {
    /// The elastic parameters of each phase.
    pub elastic: &'a [Viscoelastic],
    /// The phase of each particle, by id. Particles beyond its end are of the first phase.
    pub phase_of: &'a [u8],
    pub dt: f32,
    pub h: f32,
}

/// Coefficients of one step for the springs of one material.
#[derive(Clone, Copy, Debug, Default)]
struct SpringMaterial {
    /// ½ dt² k_spring; the other half belongs to the other end.
    half: f32,
    /// The lengths between which a spring does not yield, as fractions of its rest length.
    lower: f32,
    upper: f32,
    /// α times the seconds since the lengths were last updated; 0 if they are not updated now.
    plastic_rate: f32,
}

impl SpringMaterial {
    /// Creates the coefficients for a step of `dt` seconds, in which lengths yield for `yield_time` seconds.
    fn new(elastic: &Viscoelastic, dt: f32, yield_time: f32, h: f32) -> Self {
        let Viscoelastic { spring, yield_ratio, plasticity, .. } = *elastic;
        Self {
            half: 0.5 * dt * dt * spring / (h * h),
            lower: 1.0 - yield_ratio,
            upper: 1.0 + yield_ratio,
            plastic_rate: (plasticity * yield_time).min(1.0),
        }
    }
}

/// The coefficients of a step for a lane group.
#[derive(Clone, Copy, Debug)]
struct Pull<V> {
    h: V,
    /// The minimum distance for a division, and its square.
    closest: V,
    same: V,
    /// As in [`SpringMaterial`]; and the half over h, negated.
    half: V,
    minus_half_per_h: V,
    lower: V,
    upper: V,
    plastic_rate: V,
    yields: bool,
}

impl<S: Simd> Pull<f32x8<S>> {
    #[inline(always)]
    fn new(simd: S, of: [SpringMaterial; WIDTH], h: f32) -> Self {
        let lanes = |values: [f32; WIDTH]| f32x8::from_slice(simd, &values);
        Self {
            h: f32x8::splat(simd, h),
            closest: f32x8::splat(simd, COINCIDENT * h),
            same: f32x8::splat(simd, COINCIDENT * COINCIDENT * h * h),
            half: lanes(of.map(|of| of.half)),
            minus_half_per_h: lanes(of.map(|of| -of.half / h)),
            lower: lanes(of.map(|of| of.lower)),
            upper: lanes(of.map(|of| of.upper)),
            plastic_rate: lanes(of.map(|of| of.plastic_rate)),
            yields: of.iter().any(|of| of.plastic_rate > 0.0),
        }
    }
}

/// Lets the springs of all lists yield and pull, and stores the displacements of the lists' particles.
#[simd]
pub(super) fn pull_with<S: Simd>(
    simd: S,
    step: &SpringStep,
    yield_time: f32,
    places: &[[f32; 2]],
    lists: &mut SpringSlice,
    moved: &mut [[f32; 2]],
) {
    let &SpringStep { elastic, phase_of, dt, h } = step;
    let mut materials = [SpringMaterial::default(); MAX_PHASES];
    for (material, elastic) in materials.iter_mut().zip(elastic) {
        *material = SpringMaterial::new(elastic, dt, yield_time, h);
    }
    let mut fluids = [0; WIDTH];
    let mut pull = Pull::new(simd, [materials[0]; WIDTH], h);
    for (lane_group, moved) in moved.as_chunks_mut::<WIDTH>().0.iter_mut().enumerate() {
        let first = lists.first + lane_group * WIDTH;
        let own = std::array::from_fn(|lane| phase_of.get(first + lane).copied().unwrap_or(0));
        // A tank has few fluids, and successive lane groups mostly have the same.
        if own != fluids {
            fluids = own;
            pull = Pull::new(simd, fluids.map(|fluid| materials[usize::from(fluid) % MAX_PHASES]), h);
        }
        let torn;
        (*moved, torn) = pull_lane_group(simd, &pull, places, first, lists.lane_group(lane_group));
        for lane in (0..WIDTH).filter(|lane| torn >> lane & 1 != 0) {
            lists.remove_if(first + lane, |_, length| length > h);
        }
    }
}

/// The displacement of one end by its springs, `½ dt² k_spring (1 − L/h)(L − r) r̂` each, after `L += dt α (r − L ∓ γ L)` where r
/// is beyond `L ± γ L`. Returns the new places, and a bit for each particle with a spring longer than h.
#[inline(always)]
fn pull_lane_group<S: Simd>(
    simd: S,
    pull: &Pull<f32x8<S>>,
    places: &[[f32; 2]],
    first: usize,
    packs: &mut [SpringPack],
) -> ([[f32; 2]; WIDTH], u64) {
    let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    let (mut sum_x, mut sum_y, mut longest) = (zero, zero, zero);
    let (mut x, mut y) = ([0.0; WIDTH], [0.0; WIDTH]);
    for (lane, place) in places[first..first + WIDTH].iter().enumerate() {
        [x[lane], y[lane]] = *place;
    }
    let (own_x, own_y) = (f32x8::from_slice(simd, &x), f32x8::from_slice(simd, &y));
    for SpringPack { ends, lengths } in packs {
        for lane in 0..WIDTH {
            [x[lane], y[lane]] = places[ends[lane] as usize];
        }
        let (x, y) = (f32x8::from_slice(simd, &x) - own_x, f32x8::from_slice(simd, &y) - own_y);
        let r = (x * x + y * y).max(pull.same).sqrt();
        // Computed here so that the division does not wait for the length.
        let inv_r = one / r;
        let mut length = f32x8::from_slice(simd, &lengths[..]);
        if pull.yields {
            let (over, under) = (r - length * pull.upper, length * pull.lower - r);
            // Few springs yield at a time, and an unchanged length need not be written.
            if over.max(under).simd_gt(pull.closest).any_true() {
                length += (over.max(zero) - under.max(zero)) * pull.plastic_rate;
                length.store_slice(lengths);
                longest = longest.max(length);
            }
        }
        // Positive towards the other end, where the spring is longer than at rest.
        let share = (length * pull.minus_half_per_h + pull.half) * (r - length) * inv_r;
        sum_x += share * x;
        sum_y += share * y;
    }
    let torn = longest.simd_gt(pull.h).to_bitmask();
    sum_x.store_slice(&mut x);
    sum_y.store_slice(&mut y);
    (std::array::from_fn(|lane| [x[lane], y[lane]]), torn)
}
