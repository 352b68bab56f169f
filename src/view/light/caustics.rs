//! Caustics: a curved surface gathers the light that it refracts into bright bands and spreads it into dark ones.
//!
//! In a medium whose refractive index changes, a ray bends towards the denser side: over a step dz its direction changes
//! by ∂n/∂x dz. The relief of the liquid stands for the index, so across a plane surface the changes add up to what Snell's
//! law gives for small angles. Rays are not followed one by one: their density along each line moves with their mean
//! direction, which is a few operations a sample, and exactly even under a level surface.

use super::{Light, Sweep};

/// How much a ray bends, relative to water's n − 1 = 0.33. The bands of waves of this size would lie below the floor.
const REFRACTION: f32 = 0.9;

/// The largest slope of a ray: samples along a line for each line.
const MAX_SLOPE: f32 = 0.4;

/// The share of a bend that a line takes from each of its neighbours: what is smaller than a few samples is noise.
const SMOOTHING: f32 = 0.15;

/// Differences of density that are not shown: the surface of calm liquid is a few hundredths of a sample rough.
const UNSEEN: f32 = 0.12;

/// The share of a band that shows in the liquid above the floor, and how many lines the floor's light reaches up.
const IN_LIQUID: f32 = 0.15;
const FLOOR_LINES: usize = 3;

/// How many times as bright as even light a band is at most.
const MAX_GAIN: f32 = 1.6;

/// Memory for one line of rays.
#[derive(Clone, Debug, Default)]
pub(super) struct Focus {
    density: Vec<f32>,
    slope: Vec<f32>,
    next: Vec<f32>,
}

impl Light {
    /// Multiplies the light by the density of rays, by as much as `strength` (0 to 1) says.
    pub(super) fn gather(&mut self, sweep: Sweep, strength: f32) {
        let Sweep { lines, length, stride, step, forward, .. } = sweep;
        if length < 3 {
            return;
        }
        let at = |number: usize| if forward { number * stride } else { (lines - 1 - number) * stride };
        let Focus { density, slope, next } = &mut self.focus;
        for (array, value) in [(&mut *density, 1.0), (&mut *slope, 0.0), (&mut *next, 1.0)] {
            array.clear();
            array.resize(length, value);
        }
        for number in 0..lines {
            let here = at(number);
            let index = |along: usize| self.fine.mean[here + along * step];
            for (along, slope) in slope.iter_mut().enumerate().take(length - 1).skip(1) {
                let bend = 0.5 * (index(along + 1) - index(along - 1)) * REFRACTION;
                *slope = (*slope + bend).clamp(-MAX_SLOPE, MAX_SLOPE);
            }
            // Upwind: what leaves a sample is what enters its neighbour.
            next.copy_from_slice(density);
            for along in 0..length - 1 {
                let mean = 0.5 * (slope[along] + slope[along + 1]);
                let flow = if mean > 0.0 { mean * density[along] } else { mean * density[along + 1] };
                let even = SMOOTHING * (density[along] - density[along + 1]);
                next[along] -= flow + even;
                next[along + 1] += flow + even;
            }
            std::mem::swap(density, next);
            for along in 1..length - 1 {
                next[along] = slope[along] + SMOOTHING * (slope[along - 1] + slope[along + 1] - 2.0 * slope[along]);
            }
            slope[1..length - 1].copy_from_slice(&next[1..length - 1]);
            for along in 0..length {
                let sample = here + along * step;
                let wet = self.wet[sample];
                if wet <= 0.0 {
                    // Air and walls let rays out: what lies below is lit evenly again.
                    slope[along] *= 0.5;
                    density[along] += (1.0 - density[along]) * 0.5;
                    continue;
                }
                let band = density[along] - 1.0;
                let band = band.signum() * (band.abs() - UNSEEN).max(0.0);
                let floor = (1..=FLOOR_LINES)
                    .find(|ahead| number + ahead >= lines || self.wet[at(number + ahead) + along * step] < 0.0)
                    .map_or(0.0, |ahead| 1.0 - (ahead - 1) as f32 / FLOOR_LINES as f32);
                let shown = strength * wet * (IN_LIQUID + (1.0 - IN_LIQUID) * floor);
                let light = &mut self.light[sample];
                *light = (*light * (1.0 + shown * band.clamp(-0.7, MAX_GAIN))).min(1.0);
            }
        }
    }
}
