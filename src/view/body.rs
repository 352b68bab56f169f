//! Bodies in the picture: filled outlines over everything else, exact to less than a sample. They are signed distances, as walls
//! are, but sampled anew in every frame, around each body only. The liquid's kernels are cut off at them as at a wall.

use crate::cell::color::{LinearRgb, mix};
use crate::sim::rigid::Body;
use crate::view::grid_layout::GridLayout;
use crate::view::kernel_truncation::{KernelTruncation, MAX_GAIN, OPEN, VISIBLE};
use crate::view::palette::{Palette, label_color};
use glam::Vec2;

/// Width over which a body's edge fades, in samples.
const EDGE_WIDTH: f32 = 1.6;

/// Fraction of the light on an edge that faces sideways or down; one that faces up gets all of it.
const EDGE_LIGHT: f32 = 0.35;

/// Brightness of an edge that faces up, relative to the body's face.
const EDGE_BOOST: f32 = 1.15;

/// Fraction of the light on one half of a disc: without a mark its rotation would not be visible.
const DARK_HALF: f32 = 0.72;

/// Fraction of foam in the colour of a body without one of its own; the rest is the colour of walls.
const FOAM_SHARE: f32 = 0.5;

#[derive(Clone, Debug, Default)]
pub struct BodyLayer {
    /// Distance to the nearest body, in samples of the ordinary density; negative inside.
    pub distance: Vec<f32>,
    pub color: [Vec<f32>; 3],
    /// 1 over the fraction of the liquid's kernel that bodies leave free.
    gain: Vec<f32>,
    truncation: KernelTruncation,
}

impl BodyLayer {
    pub fn clear(&mut self) {
        self.distance.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.distance.is_empty()
    }

    /// Whether a body is visible in a block of `across` × `down` samples from the element `first` on.
    pub fn shows_in(&self, first: usize, [across, down]: [usize; 2], grid: &GridLayout) -> bool {
        let visible = |row: usize| {
            self.distance[first + row * grid.stride..][..across].iter().any(|&distance| distance < VISIBLE)
        };
        !self.is_empty() && (0..down).any(visible)
    }

    /// Samples the bodies, for liquid whose kernel spans `reach` samples of the ordinary density.
    pub fn draw(&mut self, bodies: &[Body], grid: &GridLayout, reach: f32, palette: &Palette) {
        self.distance.resize(grid.len(), OPEN);
        self.gain.clear();
        self.gain.resize(grid.len(), 1.0);
        self.color.iter_mut().for_each(|plane| plane.resize(grid.len(), 0.0));
        let samples_per_metre = grid.samples_per_metre();
        let range = KernelTruncation::range(reach) * grid.oversampling as f32;
        for body in bodies {
            let own = label_color(body.material().label.as_deref())
                .unwrap_or_else(|| mix(palette.wall, palette.foam, FOAM_SHARE));
            let (min, max) = body.hull().bounds();
            let (a, b) = (grid.to_samples(min), grid.to_samples(max));
            let (low, high) = (a.min(b) - range, a.max(b) + range);
            let within = |value: f32, count: usize| (value.max(0.0) as usize).min(count);
            for row in within(low.y, grid.rows)..within(high.y + 1.0, grid.rows) {
                for column in within(low.x, grid.columns)..within(high.x + 1.0, grid.columns) {
                    let (at, here) = (grid.position(column, row), grid.index(column, row));
                    let contact = body.hull().contact(at);
                    let distance = contact.distance * samples_per_metre;
                    self.gain[here] /= self.truncation.free_before(distance, reach);
                    if distance < self.distance[here] {
                        self.distance[here] = distance;
                        let shaded = shade(body, own, at, distance, contact.normal);
                        (0..3).for_each(|c| self.color[c][here] = shaded[c]);
                    }
                }
            }
        }
    }

    /// Raises planes of the field where bodies cut the kernels off. `raised` is the gain by walls so far; both together stay
    /// below [`MAX_GAIN`].
    pub fn compensate(&self, raised: &[f32], planes: [&mut Vec<f32>; 3]) {
        if self.is_empty() {
            return;
        }
        for plane in planes {
            for ((value, gain), raised) in plane.iter_mut().zip(&self.gain).zip(raised) {
                *value *= gain.min(MAX_GAIN / raised);
            }
        }
    }
}

/// The colour at a position in the tank, `distance` samples from the edge (negative inside), whose normal there is `normal`.
fn shade(body: &Body, own: LinearRgb, at: Vec2, distance: f32, normal: Vec2) -> LinearRgb {
    let is_disc = body.hull().corners().len() == 1;
    let face = if is_disc && body.to_local(at).x < 0.0 { own.map(|light| light * DARK_HALF) } else { own };
    let edge = (1.0 + distance / EDGE_WIDTH).clamp(0.0, 1.0);
    let lit = EDGE_LIGHT + (1.0 - EDGE_LIGHT) * normal.y.max(0.0);
    mix(face, face.map(|light| (light * lit * EDGE_BOOST).min(1.0)), edge)
}
