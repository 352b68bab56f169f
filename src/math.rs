//! Elementary functions with the same bits on every system. Those of the standard library differ in the last bit between systems,
//! which grows to another picture within a second. Square roots are exact everywhere.

use glam::Vec2;

/// Elementary functions of a number. The names are long because the short ones are those of the standard library.
pub trait Elementary: Copy {
    fn exponential(self) -> Self;
    fn logarithm(self) -> Self;
    /// `self` to the power of `exponent`.
    fn power(self, exponent: Self) -> Self;
    fn cube_root(self) -> Self;
    fn sine(self) -> Self;
    fn cosine(self) -> Self;
    fn arc_cosine(self) -> Self;
    /// The angle in radians of the point (`x`, `self`).
    fn arc_tangent(self, x: Self) -> Self;
    /// The hyperbolic sine.
    fn hyperbolic_sine(self) -> Self;
    fn hyperbolic_cosine(self) -> Self;
}

macro_rules! elementary {
    ($number:ty: $exp:ident $ln:ident $pow:ident $cbrt:ident $sin:ident $cos:ident $acos:ident $atan2:ident $sinh:ident $cosh:ident) => {
        impl Elementary for $number {
            fn exponential(self) -> Self {
                libm::$exp(self)
            }
            fn logarithm(self) -> Self {
                libm::$ln(self)
            }
            fn power(self, exponent: Self) -> Self {
                libm::$pow(self, exponent)
            }
            fn cube_root(self) -> Self {
                libm::$cbrt(self)
            }
            fn sine(self) -> Self {
                libm::$sin(self)
            }
            fn cosine(self) -> Self {
                libm::$cos(self)
            }
            fn arc_cosine(self) -> Self {
                libm::$acos(self)
            }
            fn arc_tangent(self, x: Self) -> Self {
                libm::$atan2(self, x)
            }
            fn hyperbolic_sine(self) -> Self {
                libm::$sinh(self)
            }
            fn hyperbolic_cosine(self) -> Self {
                libm::$cosh(self)
            }
        }
    };
}

elementary!(f32: expf logf powf cbrtf sinf cosf acosf atan2f sinhf coshf);
elementary!(f64: exp log pow cbrt sin cos acos atan2 sinh cosh);

pub fn direction(angle: f32) -> Vec2 {
    Vec2::new(angle.cosine(), angle.sine())
}

/// A linear ramp: 0 at `from`, 1 at `to`.
pub fn ramp(value: f32, [from, to]: [f32; 2]) -> f32 {
    ((value - from) / (to - from)).clamp(0.0, 1.0)
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
