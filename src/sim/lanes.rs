//! Eight `f32` side by side: the arithmetic of the pair passes.
//!
//! Plain arrays, which the compiler turns into vector instructions wherever the surrounding function is compiled for
//! a machine that has them (see `multiversion` in [`super::ddr`]). Only operations that IEEE 754 rounds exactly
//! appear here (no reciprocal estimates, no fused multiply–add), so every machine computes the same bits.

use std::array::from_fn;
use std::ops::{Add, Mul, Sub};

/// How many candidates a pair pass looks at together; rows of particles are padded to a multiple of it.
pub const WIDTH: usize = 8;

#[derive(Clone, Copy)]
pub struct Lanes(pub [f32; WIDTH]);

impl Lanes {
    #[inline(always)]
    pub fn splat(v: f32) -> Self {
        Self([v; WIDTH])
    }

    /// The eight values from `at` on.
    #[inline(always)]
    pub fn load(array: &[f32], at: usize) -> Self {
        let eight: &[f32; WIDTH] = array[at..at + WIDTH].try_into().expect("the slice is WIDTH long");
        Self(*eight)
    }

    /// Adds each lane to the value in its place from `at` on.
    #[inline(always)]
    pub fn add_to(self, array: &mut [f32], at: usize) {
        let sum = Self::load(array, at) + self;
        array[at..at + WIDTH].copy_from_slice(&sum.0);
    }

    #[inline(always)]
    pub fn min(self, o: Self) -> Self {
        Self(from_fn(|l| if self.0[l] < o.0[l] { self.0[l] } else { o.0[l] }))
    }

    #[inline(always)]
    pub fn max(self, floor: f32) -> Self {
        Self(from_fn(|l| if self.0[l] > floor { self.0[l] } else { floor }))
    }

    #[inline(always)]
    pub fn sqrt(self) -> Self {
        Self(from_fn(|l| self.0[l].sqrt()))
    }

    /// `1 / self`, by true division.
    #[inline(always)]
    pub fn recip(self) -> Self {
        Self(from_fn(|l| 1.0 / self.0[l]))
    }

    /// The lanes whose number is above `last`; `other` in the rest. Hides a particle and its predecessors from itself.
    #[inline(always)]
    pub fn keep_above(self, last: isize, other: f32) -> Self {
        Self(from_fn(|l| if l as isize > last { self.0[l] } else { other }))
    }

    /// Sum over the lanes, always in the same order.
    #[inline(always)]
    pub fn sum(self) -> f32 {
        let v = &self.0;
        ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]))
    }

    #[inline(always)]
    pub fn any_below(self, limit: f32) -> bool {
        let mut any = false;
        for v in self.0 {
            any |= v < limit;
        }
        any
    }
}

impl Add for Lanes {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self(from_fn(|l| self.0[l] + o.0[l]))
    }
}

impl Sub for Lanes {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self(from_fn(|l| self.0[l] - o.0[l]))
    }
}

impl Mul for Lanes {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Self(from_fn(|l| self.0[l] * o.0[l]))
    }
}
