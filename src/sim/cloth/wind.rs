//! Wind with gusts, and eddies that travel with it.

use fearless_simd::prelude::*;
use glam::DVec3;
use std::f64::consts::TAU;

/// Wavelengths of the gusts, metres downwind, and their weights.
const GUST_WAVES: [(f64, f64); 3] = [(1.7, 0.5), (0.83, 0.3), (0.47, 0.2)];
/// Wavenumber ratio of the pattern across the wind to that along it, the golden ratio: the two never line up.
const CROSSWIND_RATIO: f64 = 1.618;

/// Amplitudes of the gusts along the wind, and towards the viewer, relative to the wind; chosen by eye.
const GUST_ALONG: f64 = 0.6;
const GUST_IN_DEPTH: f64 = 0.5;

/// Gusts along the wind vary more slowly than those across it, by this factor, so that the two do not repeat together.
const ALONG_FREQUENCY: f64 = 0.37;

/// The Taylor coefficients of the sine, of the powers 15 to 1.
const SINE: [f64; 8] = [
    -1.0 / 1_307_674_368_000.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 39_916_800.0,
    1.0 / 362_880.0,
    -1.0 / 5_040.0,
    1.0 / 120.0,
    -1.0 / 6.0,
    1.0,
];

/// Wind with gusts at any position and time: sums of waves that travel with the wind.
#[derive(Clone, Copy, Debug)]
pub struct Wind {
    mean: DVec3,
    gusts: f64,
    speed: f64,
    /// Unit vector downwind in the picture.
    toward: DVec3,
}

impl Wind {
    pub fn new(mean: [f32; 3], gusts: f32) -> Self {
        let mean = DVec3::from(mean.map(f64::from));
        let toward = mean.with_z(0.0).try_normalize().unwrap_or(DVec3::X);
        Self { mean, gusts: gusts.into(), speed: mean.length(), toward }
    }

    pub fn blows(&self) -> bool {
        self.speed > 0.0
    }

    /// Velocity of the air, m/s, at positions in the picture and a time in seconds.
    #[inline(always)]
    pub fn at<S: Simd>(&self, simd: S, [x, y]: [S::f64s; 2], time: f64) -> [S::f64s; 3] {
        let mut along = S::f64s::splat(simd, 1.0);
        let mut in_depth = S::f64s::splat(simd, 0.0);
        if self.gusts > 0.0 {
            let downwind = x * self.toward.x + y * self.toward.y - S::f64s::splat(simd, self.speed * time);
            let sideways = y * self.toward.x - x * self.toward.y;
            let way = downwind + sideways * (1.0 / CROSSWIND_RATIO);
            for (number, (length, weight)) in GUST_WAVES.into_iter().enumerate() {
                let turns = way * (1.0 / length) + S::f64s::splat(simd, number as f64 / TAU);
                along += sine_of_turns(simd, turns * ALONG_FREQUENCY) * (weight * self.gusts * GUST_ALONG);
                in_depth += sine_of_turns(simd, turns) * (weight * self.gusts * GUST_IN_DEPTH * self.speed);
            }
        }
        [along * self.mean.x, along * self.mean.y, along * self.mean.z + in_depth]
    }
}

/// `sin 2π t`: the angle is folded into a quarter turn, where the Taylor polynomial is within 1e-11.
#[inline(always)]
fn sine_of_turns<S: Simd>(simd: S, turns: S::f64s) -> S::f64s {
    let rest = turns - turns.round_ties_even();
    let folded = rest.abs().min(S::f64s::splat(simd, 0.5) - rest.abs()).copysign(rest);
    let angle = folded * TAU;
    let square = angle * angle;
    let mut sum = S::f64s::splat(simd, SINE[0]);
    for coefficient in &SINE[1..] {
        sum = sum * square + S::f64s::splat(simd, *coefficient);
    }
    sum * angle
}
