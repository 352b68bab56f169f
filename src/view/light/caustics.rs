//! Caustics: a curved surface gathers the light that it refracts into bright bands and spreads it into dark ones. Over a step dz
//! the direction of a ray changes by ∂n/∂x dz; the relief of the liquid stands for the index n. Rays are not followed one by one:
//! their density along each line moves with their mean direction.

use super::{Light, Sweep};

/// Strength with which a ray bends, in place of water's n − 1 = 0.33, whose bands would lie below the floor.
const REFRACTION: f32 = 0.9;

/// The largest slope of a ray: samples along a line for each line.
const MAX_SLOPE: f32 = 0.4;

/// Fraction by which density and slope of a sample move towards those of each neighbour along the line.
const SMOOTHING: f32 = 0.25;

/// Deviation of the density of rays from 1 that is not shown: calm liquid has a roughness of a few hundredths of a sample.
const UNSEEN: f32 = 0.2;

/// Fraction of a band that shows in the liquid far above the floor, and the number of lines above the floor in which more of it
/// shows.
const IN_LIQUID: f32 = 0.05;
const FLOOR_LINES: usize = 3;

/// Maximum brightening of a band, relative to even light.
const MAX_GAIN: f32 = 1.6;

#[derive(Clone, Debug, Default)]
pub(super) struct Focus {
    density: Vec<f32>,
    slope: Vec<f32>,
    next: Vec<f32>,
    line: Vec<f32>,
}

impl Light {
    /// Multiplies the light by the density of rays, to the degree of `strength` (0 to 1).
    pub(super) fn gather(&mut self, sweep: Sweep, strength: f32) {
        let Sweep { lines, length, stride, step, forward, .. } = sweep;
        if length < 3 {
            return;
        }
        let at = |number: usize| if forward { number * stride } else { (lines - 1 - number) * stride };
        let Focus { density, slope, next, line } = &mut self.focus;
        for (array, value) in [(&mut *density, 1.0), (&mut *slope, 0.0), (&mut *next, 0.0), (&mut *line, 0.0)] {
            array.clear();
            array.resize(length, value);
        }
        let (mean, wet, light) = (&self.fine.mean, &self.wet, &mut self.light);
        let mut even = true;
        for number in 0..lines {
            let here = at(number);
            if step == 1 {
                line.copy_from_slice(&mean[here..][..length]);
            } else {
                line.iter_mut().zip(mean[here..].iter().step_by(step)).for_each(|(to, from)| *to = *from);
            }
            // This line lies above the liquid.
            if even && line.iter().all(|index| *index == 0.0) {
                continue;
            }
            even = false;
            let inner = &mut slope[1..length - 1];
            for ((slope, before), after) in inner.iter_mut().zip(&line[..]).zip(&line[2..]) {
                *slope = (*slope + 0.5 * REFRACTION * (after - before)).clamp(-MAX_SLOPE, MAX_SLOPE);
            }
            // The flow is upwind: the outflow of a sample is the inflow of its neighbour.
            for (((flow, slopes), here), there) in
                next.iter_mut().zip(slope.windows(2)).zip(&density[..]).zip(&density[1..])
            {
                let mean = 0.5 * (slopes[0] + slopes[1]);
                *flow = mean.max(0.0) * here + mean.min(0.0) * there + SMOOTHING * (here - there);
            }
            density[..length - 1].iter_mut().zip(&next[..]).for_each(|(density, flow)| *density -= flow);
            density[1..].iter_mut().zip(&next[..length - 1]).for_each(|(density, flow)| *density += flow);
            for (next, slopes) in next.iter_mut().zip(slope.windows(3)) {
                *next = slopes[1] + SMOOTHING * (slopes[0] + slopes[2] - 2.0 * slopes[1]);
            }
            slope[1..length - 1].copy_from_slice(&next[..length - 2]);
            for (along, (density, slope)) in density.iter_mut().zip(slope.iter_mut()).enumerate() {
                let sample = here + along * step;
                let full = wet[sample];
                if full <= 0.0 {
                    // Rays spread evenly again in air and walls, which light the liquid below evenly.
                    *slope *= 0.5;
                    *density += (1.0 - *density) * 0.5;
                    continue;
                }
                let band = *density - 1.0;
                if band.abs() <= UNSEEN {
                    continue;
                }
                let band = (band - UNSEEN.copysign(band)).clamp(-0.7, MAX_GAIN);
                let floor = (1..=FLOOR_LINES)
                    .find(|ahead| number + ahead >= lines || wet[at(number + ahead) + along * step] < 0.0)
                    .map_or(0.0, |ahead| 1.0 - (ahead - 1) as f32 / FLOOR_LINES as f32);
                let shown = strength * full * (IN_LIQUID + (1.0 - IN_LIQUID) * floor);
                light[sample] = (light[sample] * (1.0 + shown * band)).min(1.0);
            }
        }
    }
}
