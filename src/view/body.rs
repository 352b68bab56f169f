//! Bodies in the picture: filled outlines over everything else, exact to less than a sample.
//!
//! Like walls they are signed distances, which the cells interpolate; unlike walls they move, so they are looked at
//! anew in every frame, around each body only. The liquid's kernels are cut off at them as at a wall: the field is
//! raised there, or a halo of nothing would follow every body.

use crate::cell::color::{Linear, Rgb, mix};
use crate::sim::rigid::Body;
use crate::view::field::Lattice;
use crate::view::palette::Palette;
use crate::view::wall_layer::{Cut, MOST_GAIN, OPEN, STAND_OFF};
use glam::Vec2;

/// How wide a body's edge is drawn, in samples, and how dark it is; it is lighter where it looks up.
const EDGE: f32 = 1.6;
const DARK: f32 = 0.35;

/// The share of its light that half of a disc keeps, so that one sees it turn.
const HALF: f32 = 0.72;

/// Per sample of the field, with the same margins; empty where there are no bodies.
#[derive(Clone, Debug, Default)]
pub struct Bodies {
    /// Distance to the nearest body, in samples of the ordinary density; negative inside.
    pub free: Vec<f32>,
    /// Its colour, in linear light.
    pub color: [Vec<f32>; 3],
    /// The greatest share of the liquid's kernel that they leave free.
    gain: Vec<f32>,
    cut: Cut,
}

impl Bodies {
    pub fn clear(&mut self) {
        self.free.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.free.is_empty()
    }

    /// Whether one covers a part of the samples from `first` on, `across` by `down`, in rows of `stride`.
    pub fn show(&self, first: usize, (across, down): (usize, usize), stride: usize) -> bool {
        !self.is_empty()
            && (0..down).any(|row| self.free[first + row * stride..][..across].iter().any(|&free| free < 0.49))
    }

    /// Looks at the bodies at every sample near them, of a lattice of `columns` × `rows` whose rows are `stride` long
    /// and whose samples are `fine` times as dense as the ordinary ones.
    pub fn draw(
        &mut self,
        bodies: &[Body],
        lattice: &Lattice,
        (columns, rows, stride): (usize, usize, usize),
        (fine, reach): (usize, f32),
        palette: &Palette,
    ) {
        self.free.resize(rows * stride, OPEN);
        self.gain.clear();
        self.gain.resize(rows * stride, 1.0);
        self.color.iter_mut().for_each(|plane| plane.resize(rows * stride, 0.0));
        let per_sample = 1.0 / (lattice.pitch.x * fine as f32);
        let far = (1.0 + STAND_OFF) * reach.max(1.0) + 2.0;
        for body in bodies {
            let own = body.stuff().color.as_ref().and_then(|text| text.parse().ok()).map(Rgb::linear);
            let own = own.unwrap_or_else(|| mix(palette.wall, palette.foam, 0.5));
            let (min, max) = body.hull().bounds();
            let (a, b) = (lattice.samples(min), lattice.samples(max));
            let (low, high) = (a.min(b) - far * fine as f32, a.max(b) + far * fine as f32);
            let within = |value: f32, most: usize| (value.max(0.0) as usize).min(most);
            for row in within(low.y, rows)..within(high.y + 1.0, rows) {
                for column in within(low.x, columns)..within(high.x + 1.0, columns) {
                    let (at, here) = (lattice.at(column, row), row * stride + column);
                    let contact = body.hull().contact(at);
                    let distance = contact.distance * per_sample;
                    self.gain[here] /= self.cut.free_share(distance / reach.max(1.0) - STAND_OFF);
                    if distance < self.free[here] {
                        self.free[here] = distance;
                        let shaded = shade(body, own, at, distance, contact.normal);
                        (0..3).for_each(|c| self.color[c][here] = shaded[c]);
                    }
                }
            }
        }
    }

    /// Raises the field where they cut the kernels off, beyond what walls have `raised` it by already.
    pub fn compensate(&self, raised: &[f32], planes: [&mut Vec<f32>; 3]) {
        if self.is_empty() {
            return;
        }
        for plane in planes {
            for ((value, gain), raised) in plane.iter_mut().zip(&self.gain).zip(raised) {
                *value *= gain.min(MOST_GAIN / raised);
            }
        }
    }
}

/// The colour of a body at a place that is `distance` samples from its edge, whose normal there is given.
fn shade(body: &Body, own: Linear, at: Vec2, distance: f32, normal: Vec2) -> Linear {
    let half = body.hull().corners().len() == 1 && body.to_local(at).x < 0.0;
    let plain = own.map(|light| if half { light * HALF } else { light });
    let edge = (1.0 + distance / EDGE).clamp(0.0, 1.0);
    let lit = DARK + (1.0 - DARK) * normal.y.max(0.0);
    mix(plain, plain.map(|light| (light * lit * 1.15).min(1.0)), edge)
}
