//! The drawings of animals: polygons in body lengths, sampled once for each species and scale, and then looked up in the pose of
//! each animal, which turns, bends and beats its tail.

use crate::cell::color::LinearRgb;
use crate::math::{Elementary, direction};
use crate::sim::boundary::Shape;
use crate::sim::life::Fish;
use crate::sim::life::definition::{FishDef, Part, Species};
use crate::sim::rigid::Body;
use crate::view::palette::label_color;
use glam::{Mat2, Vec2};
use std::f32::consts::FRAC_1_SQRT_2;
use std::sync::Arc;

/// Texels per sample of the picture, and limits on the texels of a body length.
const TEXELS_PER_SAMPLE: f32 = 1.5;
const TEXELS: [f32; 2] = [14.0, 96.0];

/// Points along each side of a texel on an edge, of whose colours it has the mean.
const POINTS: usize = 4;

/// Border around a drawing, in texels.
const BORDER: f32 = 2.5;

/// Least width of an animal that is seen from the front, relative to its length, and of a tail, relative to its own.
const MIN_TURN: f32 = 0.3;
const TAIL_SWING: f32 = 0.55;

#[derive(Clone, Debug)]
struct Drawing {
    species: Arc<Species>,
    texels_per_length: f32,
    /// Corner of the first texel, in body lengths, and the number of texels.
    min: Vec2,
    size: [usize; 2],
    /// Distance of each texel from the edge, in body lengths; negative inside.
    distances: Vec<f32>,
    texels: Vec<Texel>,
    /// The place in the drawing that is at the body's centre of mass, and where its tail begins.
    center: Vec2,
    tail: f32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Texel {
    /// Outward normal of the nearest edge.
    normal: Vec2,
    color: LinearRgb,
}

pub struct Pose<'a> {
    drawing: &'a Drawing,
    at: Vec2,
    /// Unit vector from its tail to its head.
    forward: Vec2,
    /// Metres.
    length: f32,
    /// From metres around its centre to body lengths, stretched as its width is shortened.
    to_local: Mat2,
    /// Its width relative to its length, negative if it faces left.
    width: f32,
    bend: f32,
    /// 1 over the length of its tail relative to that of the drawing.
    tail_stretch: f32,
}

#[derive(Clone, Debug, Default)]
pub struct Drawings {
    all: Vec<Drawing>,
    /// Their numbers, the largest first.
    pub order: Vec<usize>,
}

impl Drawings {
    /// Samples the species at a scale, unless they are known at it.
    pub fn prepare(&mut self, species: &[FishDef], samples_per_metre: f32) {
        let texels = |species: &Species| {
            (TEXELS_PER_SAMPLE * samples_per_metre * species.length).round().clamp(TEXELS[0], TEXELS[1])
        };
        let is_known = |(drawing, def): (&Drawing, &FishDef)| {
            Arc::ptr_eq(&drawing.species, &def.species) && drawing.texels_per_length == texels(&def.species)
        };
        if self.all.len() != species.len() || !self.all.iter().zip(species).all(is_known) {
            self.all = species.iter().map(|def| Drawing::new(&def.species, texels(&def.species))).collect();
            self.order = (0..species.len()).collect();
            self.order.sort_by(|&a, &b| species[b].species.length.total_cmp(&species[a].species.length));
        }
    }

    pub fn pose(&self, fish: &Fish, body: &Body) -> Pose<'_> {
        let forward = direction(body.angle);
        let width = fish.turn.signum() * fish.turn.abs().max(MIN_TURN);
        let swing = 1.0 - TAIL_SWING * fish.effort * (0.5 + 0.5 * fish.beat.sine());
        Pose {
            drawing: &self.all[fish.species],
            at: body.at,
            forward,
            length: fish.length,
            to_local: Mat2::from_cols(forward / (fish.length * width), forward.perp() / fish.length).transpose(),
            width,
            bend: fish.bend,
            tail_stretch: 1.0 / swing,
        }
    }
}

impl Pose<'_> {
    /// The corners of a box around the animal, metres.
    pub fn bounds(&self) -> (Vec2, Vec2) {
        let Drawing { min, size, texels_per_length, center, .. } = *self.drawing;
        let border = BORDER / texels_per_length;
        let low = min + border - center;
        let high = min - border + Vec2::new(size[0] as f32, size[1] as f32) / texels_per_length - center;
        let bent = self.bend * low.x.abs().max(high.x.abs()).powi(2);
        let (low, high) = (Vec2::new(low.x, low.y - bent.max(0.0)), Vec2::new(high.x, high.y - bent.min(0.0)));
        let corners = [low, Vec2::new(high.x, low.y), Vec2::new(low.x, high.y), high]
            .map(|corner| self.at + self.length * self.forward.rotate(corner * Vec2::new(self.width, 1.0)));
        corners.into_iter().fold((self.at, self.at), |(min, max), corner| (min.min(corner), max.max(corner)))
    }

    /// Distance of a place of the tank from the animal's edge, metres; negative inside.
    pub fn distance(&self, at: Vec2) -> f32 {
        let distances = &self.drawing.distances;
        let between = |a, b, share| a + (b - a) * share;
        let (distance, beyond) = self.drawing.mean(self.place(at), |texel| distances[texel], between);
        (distance + beyond) * self.length
    }

    /// How much the edge nearest to a place of the tank faces up, from −1 to 1, and the colour there.
    pub fn look(&self, at: Vec2) -> (f32, LinearRgb) {
        let texels = &self.drawing.texels;
        let (Texel { normal, color }, _) = self.drawing.mean(self.place(at), |texel| texels[texel], Texel::mix);
        (self.forward.rotate(normal * Vec2::new(self.width.signum(), 1.0)).y, color)
    }

    /// Converts a place of the tank to one in the drawing, in body lengths.
    fn place(&self, at: Vec2) -> Vec2 {
        let Drawing { center, tail, .. } = *self.drawing;
        let mut local = self.to_local * (at - self.at);
        local.y += self.bend * local.x * local.x;
        local += center;
        if local.x < tail {
            local.x = tail + (local.x - tail) * self.tail_stretch;
        }
        local
    }
}

impl Drawing {
    fn new(species: &Arc<Species>, texels_per_length: f32) -> Self {
        let bounds = species.part.iter().map(|part| part.shape.bounds());
        let (min, max) = bounds.reduce(|(a, b), (c, d)| (a.min(c), b.max(d))).unwrap_or_default();
        let border = BORDER / texels_per_length;
        let min = min - border;
        let count = ((max + border - min) * texels_per_length).ceil();
        let size = [count.x as usize, count.y as usize];
        let (middle, half) = species.body();
        let mut drawing = Self {
            species: Arc::clone(species),
            texels_per_length,
            min,
            size,
            distances: vec![0.0; size[0] * size[1]],
            texels: vec![Texel::default(); size[0] * size[1]],
            center: middle + species.outline(1.0).mass_data().center,
            tail: middle.x - half.x,
        };
        let part = |part: &Part| (part.shape.shape(), label_color(Some(part.label.as_str())).unwrap_or_default());
        let parts: Vec<(Shape, LinearRgb)> = species.part.iter().map(part).collect();
        for y in 0..size[1] {
            for x in 0..size[0] {
                let at = y * size[0] + x;
                (drawing.distances[at], drawing.texels[at]) = drawing.texel(x, y, &parts);
            }
        }
        drawing
    }

    fn texel(&self, x: usize, y: usize, parts: &[(Shape, LinearRgb)]) -> (f32, Texel) {
        let place = |x: f32, y: f32| self.min + Vec2::new(x, y) / self.texels_per_length;
        let distance = |part: &(Shape, LinearRgb), p: Vec2| part.0.contact(p).distance;
        let (x, y) = (x as f32, y as f32);
        let middle = place(x + 0.5, y + 0.5);
        let edge = |p: Vec2| parts.iter().map(|part| distance(part, p)).fold(f32::INFINITY, f32::min);
        let step = 0.5 / self.texels_per_length;
        let slope = |along: Vec2| edge(middle + step * along) - edge(middle - step * along);
        let mut sum = [0.0; 3];
        let mut points = 0.0;
        let half_diagonal = FRAC_1_SQRT_2 / self.texels_per_length;
        let side = if parts.iter().any(|part| distance(part, middle).abs() < half_diagonal) { POINTS } else { 1 };
        for point in 0..side * side {
            let offset = |number: usize| (number as f32 + 0.5) / side as f32;
            let p = place(x + offset(point % side), y + offset(point / side));
            if let Some(front) = parts.iter().rposition(|part| distance(part, p) < 0.0) {
                (0..3).for_each(|c| sum[c] += parts[front].1[c]);
                points += 1.0;
            }
        }
        let nearest =
            || (0..parts.len()).min_by(|&a, &b| distance(&parts[a], middle).total_cmp(&distance(&parts[b], middle)));
        let color =
            if points > 0.0 { sum.map(|c| c / points) } else { nearest().map_or([0.0; 3], |part| parts[part].1) };
        let normal = Vec2::new(slope(Vec2::X), slope(Vec2::Y)).normalize_or_zero();
        (edge(middle), Texel { normal, color })
    }

    /// The mean of a value over the four texels around a place or, outside of the drawing, around the nearest place in it, and how
    /// far that is.
    fn mean<T>(&self, place: Vec2, value: impl Fn(usize) -> T, mix: impl Fn(T, T, f32) -> T) -> (T, f32) {
        let at = (place - self.min) * self.texels_per_length - 0.5;
        let within =
            at.clamp(Vec2::ZERO, Vec2::new((self.size[0] - 1) as f32 - 1e-3, (self.size[1] - 1) as f32 - 1e-3));
        let (x, y) = (within.x as usize, within.y as usize);
        let (first, row) = (y * self.size[0] + x, self.size[0]);
        let share = within - Vec2::new(x as f32, y as f32);
        let along = |first: usize| mix(value(first), value(first + 1), share.x);
        (mix(along(first), along(first + row), share.y), (at - within).length() / self.texels_per_length)
    }
}

impl Texel {
    fn mix(self, other: Self, share: f32) -> Self {
        Self {
            normal: self.normal.lerp(other.normal, share),
            color: crate::cell::color::mix(self.color, other.color, share),
        }
    }
}
