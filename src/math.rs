//! Elementary functions with the same bits on every system. Those of the standard library differ in the last bit between systems,
//! which grows to another picture within a second. Square roots are exact everywhere.

use fearless_simd::prelude::*;
use fearless_simd::{f32x4, f32x8};
use glam::Vec2;

macro_rules! elementary {
    ($($(#[$about:meta])* $name:ident($($argument:ident)?): $single:ident $double:ident;)+) => {
        /// Elementary functions of a number. The names are long because the short ones are those of the standard library.
        pub trait Elementary: Copy {
            $($(#[$about])* fn $name(self $(, $argument: Self)?) -> Self;)+
        }

        impl Elementary for f32 {
            $(fn $name(self $(, $argument: Self)?) -> Self {
                libm::$single(self $(, $argument)?)
            })+
        }

        impl Elementary for f64 {
            $(fn $name(self $(, $argument: Self)?) -> Self {
                libm::$double(self $(, $argument)?)
            })+
        }
    };
}

elementary! {
    exponential(): expf exp;
    logarithm(): logf log;
    /// `self` to the power of `exponent`.
    power(exponent): powf pow;
    cube_root(): cbrtf cbrt;
    sine(): sinf sin;
    cosine(): cosf cos;
    arc_cosine(): acosf acos;
    /// The angle in radians of the point (`x`, `self`).
    arc_tangent(x): atan2f atan2;
    hyperbolic_sine(): sinhf sinh;
    hyperbolic_cosine(): coshf cosh;
    arc_hyperbolic_sine(): asinhf asinh;
}

pub fn direction(angle: f32) -> Vec2 {
    Vec2::new(angle.cosine(), angle.sine())
}

/// A velocity without its part into a wall with this unit normal.
#[inline(always)]
pub fn slide_along(velocity: Vec2, normal: Vec2) -> Vec2 {
    velocity - velocity.dot(normal).min(0.0) * normal
}

/// A linear ramp: 0 at `from`, 1 at `to`.
#[inline(always)]
pub fn ramp(value: f32, [from, to]: [f32; 2]) -> f32 {
    ((value - from) / (to - from)).clamp(0.0, 1.0)
}

/// As [`ramp`], but level at both ends: a cubic step.
#[inline(always)]
pub fn smoothstep(value: f32, ends: [f32; 2]) -> f32 {
    let t = ramp(value, ends);
    t * t * (3.0 - 2.0 * t)
}

/// The row of a table at `place`, between two rows, which are in the order of their first numbers; none of an empty table.
pub fn interpolate<const N: usize>(rows: &[[f32; N]], place: f32) -> Option<[f32; N]> {
    let next = rows.iter().position(|row| row[0] > place).unwrap_or(rows.len());
    let (last, next) = (rows.get(next.saturating_sub(1))?, rows.get(next).or(rows.last())?);
    let share = ((place - last[0]) / (next[0] - last[0]).max(f32::MIN_POSITIVE)).clamp(0.0, 1.0);
    Some(std::array::from_fn(|column| last[column] + (next[column] - last[column]) * share))
}

/// Transposes eight vectors of four numbers. Without `array::map`, which is not inlined.
#[inline(always)]
pub fn transpose<S: Simd>([a, b, c, d, e, f, g, h]: [f32x4<S>; 8]) -> [f32x8<S>; 4] {
    let [a, b, c, d] = transpose_four([a, b, c, d]);
    let [e, f, g, h] = transpose_four([e, f, g, h]);
    [a.combine(e), b.combine(f), c.combine(g), d.combine(h)]
}

#[inline(always)]
fn transpose_four<S: Simd>([a, b, c, d]: [f32x4<S>; 4]) -> [f32x4<S>; 4] {
    let (ac, bd) = (a.zip_low(c), b.zip_low(d));
    let (ac_high, bd_high) = (a.zip_high(c), b.zip_high(d));
    [ac.zip_low(bd), ac.zip_high(bd), ac_high.zip_low(bd_high), ac_high.zip_high(bd_high)]
}

/// The sum of eight lanes, in one fixed order.
#[inline(always)]
pub fn horizontal_sum<S: Simd>(lanes: f32x8<S>) -> f32 {
    let v: [f32; 8] = lanes.into();
    ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]))
}

/// The sums of the lanes of four vectors, each in the order of [`horizontal_sum`].
#[inline(always)]
pub fn horizontal_sums<S: Simd>([a, b, c, d]: [f32x8<S>; 4]) -> f32x4<S> {
    let (a, b, c, d) = (a.split(), b.split(), c.split(), d.split());
    let (a, b, c, d) = (a.0 + a.1, b.0 + b.1, c.0 + c.1, d.0 + d.1);
    // Lanes 0 and 2, and lanes 1 and 3, of `a` and `c` and of `b` and `d`.
    let (ac, bd) = (a.zip_low(c) + a.zip_high(c), b.zip_low(d) + b.zip_high(d));
    ac.zip_low(bd) + ac.zip_high(bd)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bits were measured once. They are the same on every system that runs the tests.
    #[test]
    fn results_have_these_bits() {
        let mut sum = 0u64;
        let mut add = |bits: u64| sum = sum.rotate_left(7) ^ bits;
        for step in 1..2000 {
            let x = step as f32 * 0.013;
            for value in [(-x).exponential(), x.logarithm(), x.power(2.4), x.cube_root(), x.sine(), x.cosine()] {
                add(value.to_bits().into());
            }
            add((1.0 / x).min(1.0).arc_cosine().to_bits().into());
            add(x.arc_tangent(1.0 - x).to_bits().into());
            add((f64::from(x) * 0.1).hyperbolic_sine().to_bits());
            add((f64::from(x) * 0.1).hyperbolic_cosine().to_bits());
        }
        assert_eq!(sum, 10_614_058_182_827_644_236);
    }
}
