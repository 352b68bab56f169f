//! The part of the field's kernels that a wall or a body cuts off, and the factor on the field that makes up for it.

use crate::math::Elementary;
use std::sync::LazyLock;

/// Distance from a wall at which the liquid is taken to end, in R. Particles keep up to a spacing from walls, and without this,
/// gaps between liquid and glass open and close at random.
const WALL_CLEARANCE: f32 = 0.2;

/// Maximum factor on the field: in a corner between walls next to nothing of the kernel is left.
pub const MAX_GAIN: f32 = 10.0;

/// The distance of a sample that is far from everything solid, in samples.
pub const OPEN: f32 = 1.0e3;

/// A solid shows in a cell if one of the cell's samples is nearer to it than this, in samples: the outermost texels lie ⅜ of a
/// sample from it and an edge is blurred by ⅛. Slightly less than ½, so that the tank's own walls do not count.
pub const VISIBLE: f32 = 0.49;

/// Steps of the table, from −R to R. Linear interpolation between 64 of them is off by less than 1e-3.
const STEPS: usize = 64;

/// The share of the kernel's integral that lies on the near side of a straight wall, summed up slice by slice. At distance t from
/// the kernel's centre, in R, a line along the wall runs through it for |s| ≤ √(1 − t²), and ∫ (1 − t² − s²)³ ds =
/// (1 − t²)^3.5 · ∫ (1 − u²)³ du by s = u √(1 − t²). The last factor drops out of the fraction.
static FREE: LazyLock<[f32; STEPS + 1]> = LazyLock::new(|| {
    let slice = |step: usize| {
        let t = (step as f32 + 0.5) / STEPS as f32 * 2.0 - 1.0;
        (1.0 - t * t).power(3.5)
    };
    let mut sums = [0.0; STEPS + 1];
    for step in 0..STEPS {
        sums[step + 1] = sums[step] + slice(step);
    }
    sums.map(|sum| sum / sums[STEPS])
});

/// The fraction of a kernel of `reach` samples that a solid, `distance` samples from the sample (negative inside), leaves free.
pub fn free_before(distance: f32, reach: f32) -> f32 {
    free_fraction(distance / reach.max(1.0) - WALL_CLEARANCE)
}

/// The distance, in samples, from which on a solid cuts less than a hundredth off a kernel of `reach` samples.
pub fn range(reach: f32) -> f32 {
    (0.7 + WALL_CLEARANCE) * reach.max(1.0)
}

/// The share on the near side of a wall at `distance`, in R (negative behind the wall): from 1/[`MAX_GAIN`] to 1.
fn free_fraction(distance: f32) -> f32 {
    let place = (distance.clamp(-1.0, 1.0) + 1.0) / 2.0 * STEPS as f32;
    let step = (place as usize).min(STEPS - 1);
    let fraction = FREE[step] + (FREE[step + 1] - FREE[step]) * (place - step as f32);
    fraction.max(1.0 / MAX_GAIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wall_through_the_middle_leaves_half_the_kernel() {
        assert!((free_fraction(0.0) - 0.5).abs() < 1e-3);
        assert!((free_fraction(1.0) - 1.0).abs() < 1e-3 && free_fraction(9.0) <= 1.0);
        assert!(free_fraction(-9.0) > 0.0);
        assert!(free_before(range(7.0), 7.0) > 0.99);
    }
}
