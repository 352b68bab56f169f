//! Wind with gusts, and eddies that travel with it.

use crate::math::Elementary;
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

    pub fn at(&self, position: DVec3, time: f64) -> DVec3 {
        if self.gusts == 0.0 {
            return self.mean;
        }
        let mut along = 0.0;
        let mut in_depth = 0.0;
        let downwind = position.dot(self.toward) - self.speed * time;
        let sideways = position.x * -self.toward.y + position.y * self.toward.x;
        for (number, (length, weight)) in GUST_WAVES.into_iter().enumerate() {
            let phase = TAU / length * (downwind + sideways / CROSSWIND_RATIO) + number as f64;
            along += weight * (ALONG_FREQUENCY * phase).sine();
            in_depth += weight * phase.sine();
        }
        self.mean * (1.0 + self.gusts * GUST_ALONG * along)
            + DVec3::Z * (self.gusts * GUST_IN_DEPTH * self.speed * in_depth)
    }
}
