//! How springs yield and pull, in vectors.

use super::Lists;
use super::elastic::Elastic;
use crate::sim::fluids::MOST_FLUIDS;
use crate::sim::pairs::WIDTH;
use fearless_simd::{f32x8, prelude::*};
use fearless_simd_macros::simd;

/// The least distance that is divided by, in h.
const COINCIDENT: f32 = 1e-5;

/// What a step does to the springs of one material; in every lane the same.
#[derive(Clone, Copy, Debug)]
struct Pull<V> {
    h: V,
    /// The least distance that is divided by, and its square.
    closest: V,
    same: V,
    /// ½ dt² k_spring, the other half being the other end's; and the same over h, with the sign turned.
    half: V,
    minus_half_per_h: V,
    /// The lengths, as shares of its own, between which a spring does not yield.
    least: V,
    greatest: V,
    /// α times the seconds since lengths have followed, and whether they do so now.
    flow: V,
    yields: bool,
}

impl<S: Simd> Pull<f32x8<S>> {
    /// Splat once for all lists: splat anew for each vector of springs they were a tenth of the pass.
    #[inline(always)]
    fn new(simd: S, elastic: Option<&Elastic>, (dt, since): (f32, f32), h: f32) -> Self {
        let Elastic { spring, yield_ratio, plasticity, .. } = elastic.copied().unwrap_or_default();
        let (half, flow) = (0.5 * dt * dt * spring / (h * h), (plasticity * since).min(1.0));
        Self {
            h: f32x8::splat(simd, h),
            closest: f32x8::splat(simd, COINCIDENT * h),
            same: f32x8::splat(simd, COINCIDENT * COINCIDENT * h * h),
            half: f32x8::splat(simd, half),
            minus_half_per_h: f32x8::splat(simd, -half / h),
            least: f32x8::splat(simd, 1.0 - yield_ratio),
            greatest: f32x8::splat(simd, 1.0 + yield_ratio),
            flow: f32x8::splat(simd, flow),
            yields: flow > 0.0,
        }
    }
}

/// Lets the springs of every list yield and pull, and notes where they move whose list it is.
#[simd]
pub(super) fn pull_with<S: Simd>(
    simd: S,
    (elastic, fluid_of): (&[Elastic], &[u8]),
    (times, h): ((f32, f32), f32),
    places: &[[f32; 2]],
    lists: &mut Lists,
    moved: &mut [[f32; 2]],
) {
    let mut pulls = [Pull::new(simd, None, times, h); MOST_FLUIDS];
    for (pull, elastic) in pulls.iter_mut().zip(elastic) {
        *pull = Pull::new(simd, Some(elastic), times, h);
    }
    let (first, most) = (lists.first, lists.most);
    for (number, moved) in moved.iter_mut().enumerate() {
        let pull = &pulls[usize::from(fluid_of.get(first + number).copied().unwrap_or(0)) % MOST_FLUIDS];
        let here = number * most..number * most + (lists.count[number] as usize).next_multiple_of(WIDTH);
        let (ends, lengths) = (&lists.ends[here.clone()], &mut lists.lengths[here]);
        let torn;
        (*moved, torn) = pull_one(simd, pull, places, places[first + number], ends, lengths);
        if torn {
            lists.cut(number, |_, length| length > h);
        }
    }
}

/// Moves one end of its springs by `½ dt² k_spring (1 − L/h)(L − r) r̂` each, after `L += dt α (r − L ∓ γ L)` where r is
/// beyond `L ± γ L`. Returns where to, and whether there are springs longer than h.
///
/// Tried and dropped: places as one f64 each, shuffled apart in registers, instead of two f32 (a twentieth less, at a thousand
/// particles only); and `1/√r²` by Newton's method from the exponent, without a root and a division (27 ns instead of 20).
#[inline(always)]
fn pull_one<S: Simd>(
    simd: S,
    pull: &Pull<f32x8<S>>,
    places: &[[f32; 2]],
    own: [f32; 2],
    ends: &[u32],
    lengths: &mut [f32],
) -> ([f32; 2], bool) {
    let (zero, one) = (f32x8::splat(simd, 0.0), f32x8::splat(simd, 1.0));
    let (mut sum_x, mut sum_y, mut longest) = (zero, zero, zero);
    for (ends, lengths) in ends.chunks_exact(WIDTH).zip(lengths.chunks_exact_mut(WIDTH)) {
        let (mut x, mut y) = ([0.0; WIDTH], [0.0; WIDTH]);
        for k in 0..WIDTH {
            [x[k], y[k]] = places[ends[k] as usize];
        }
        let (x, y) = (f32x8::from_slice(simd, &x) - own[0], f32x8::from_slice(simd, &y) - own[1]);
        let r = (x * x + y * y).max(pull.same).sqrt();
        // Here, so as not to wait for the length.
        let per_r = one / r;
        let mut length = f32x8::from_slice(simd, lengths);
        if pull.yields {
            let (over, under) = (r - length * pull.greatest, length * pull.least - r);
            // Few do at a time, and a length that stays need not be written.
            if over.max(under).simd_gt(pull.closest).any_true() {
                length += (over.max(zero) - under.max(zero)) * pull.flow;
                length.store_slice(lengths);
                longest = longest.max(length);
            }
        }
        // Towards the other end, where the spring is longer than at rest.
        let share = (length * pull.minus_half_per_h + pull.half) * (r - length) * per_r;
        sum_x += share * x;
        sum_y += share * y;
    }
    let torn = longest.simd_gt(pull.h).any_true();
    ([total(sum_x), total(sum_y)], torn)
}

/// The sum over lanes, in the same order on every instruction set.
#[inline(always)]
fn total<S: Simd>(lanes: f32x8<S>) -> f32 {
    let mut sum = [0.0; WIDTH];
    lanes.store_slice(&mut sum);
    let [a, b, c, d, e, f, g, h] = sum;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}
