//! The drawings of animals: polygons in body lengths, sampled once for each species and scale, and then looked up in the pose of
//! each animal, which turns, bends and beats its tail.

use crate::cell::color::LinearRgb;
use crate::math::{Elementary, direction};
use crate::sim::boundary::Shape;
use crate::sim::life::Fish;
use crate::sim::life::definition::{FishDef, Part, Species};
use crate::sim::rigid::Body;
use crate::view::palette::label_color;
use glam::Vec2;
use std::sync::Arc;

/// Texels per sample of the picture, and limits on the texels of a body length.
const TEXELS_PER_SAMPLE: f32 = 1.5;
const TEXELS: [f32; 2] = [14.0, 96.0];

/// Points along each side of a texel, of whose colours it has the mean.
const POINTS: usize = 4;

/// Border around a drawing, in texels.
const BORDER: f32 = 2.5;

/// Least width of an animal that is seen from the front, relative to its length, and of a tail, relative to its own.
const MIN_TURN: f32 = 0.3;
const TAIL_SWING: f32 = 0.55;

/// The drawing of a species.
#[derive(Clone, Debug)]
struct Drawing {
    species: Arc<Species>,
    texels_per_length: f32,
    /// Corner of the first texel, in body lengths, and the number of texels.
    min: Vec2,
    size: [usize; 2],
    texels: Vec<Texel>,
    /// The place in the drawing that is at the body's centre of mass, and where its tail begins.
    center: Vec2,
    tail: f32,
}

/// A point of a drawing.
#[derive(Clone, Copy, Debug, Default)]
struct Texel {
    /// Distance from the edge, in body lengths; negative inside.
    distance: f32,
    /// Outward normal of the nearest edge.
    normal: Vec2,
    color: LinearRgb,
}

/// An animal at a point of the picture.
#[derive(Clone, Copy, Debug)]
pub struct CreatureSample {
    /// Distance from its edge, metres; negative inside.
    pub distance: f32,
    /// How much the nearest edge faces up, −1 to 1.
    pub upward: f32,
    pub color: LinearRgb,
}

/// The drawings of all species of a tank.
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

    /// The corners of a box around an animal, metres.
    pub fn bounds(&self, fish: &Fish, body: &Body) -> (Vec2, Vec2) {
        let drawing = &self.all[fish.species];
        let max = drawing.min + Vec2::new(drawing.size[0] as f32, drawing.size[1] as f32) / drawing.texels_per_length;
        let far = (drawing.min - drawing.center).abs().max((max - drawing.center).abs()) * fish.length;
        let turn = direction(body.angle).abs();
        let half = Vec2::new(far.x * turn.x + far.y * turn.y, far.x * turn.y + far.y * turn.x);
        (body.at - half, body.at + half)
    }

    /// Looks up a place of the tank in the drawing of an animal.
    pub fn sample(&self, fish: &Fish, body: &Body, at: Vec2) -> CreatureSample {
        let drawing = &self.all[fish.species];
        let mut local = body.to_local(at) / fish.length;
        let turn = fish.turn.signum() * fish.turn.abs().max(MIN_TURN);
        local.x /= turn;
        local.y += fish.bend * local.x * local.x;
        local += drawing.center;
        if local.x < drawing.tail {
            let swing = 1.0 - TAIL_SWING * fish.effort * (0.5 + 0.5 * fish.beat.sine());
            local.x = drawing.tail + (local.x - drawing.tail) / swing;
        }
        let texel = drawing.at(local);
        let normal = direction(body.angle).rotate(texel.normal * Vec2::new(turn.signum(), 1.0));
        CreatureSample { distance: texel.distance * fish.length, upward: normal.y, color: texel.color }
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
            texels: vec![Texel::default(); size[0] * size[1]],
            center: middle + species.outline(1.0).mass_data().center,
            tail: middle.x - half.x,
        };
        let part = |part: &Part| (part.shape.shape(), label_color(Some(part.label.as_str())).unwrap_or_default());
        let parts: Vec<(Shape, LinearRgb)> = species.part.iter().map(part).collect();
        for y in 0..size[1] {
            for x in 0..size[0] {
                drawing.texels[y * size[0] + x] = drawing.texel(x, y, &parts);
            }
        }
        drawing
    }

    fn texel(&self, x: usize, y: usize, parts: &[(Shape, LinearRgb)]) -> Texel {
        let place = |x: f32, y: f32| self.min + Vec2::new(x, y) / self.texels_per_length;
        let distance = |part: &(Shape, LinearRgb), p: Vec2| part.0.contact(p).distance;
        let (x, y) = (x as f32, y as f32);
        let middle = place(x + 0.5, y + 0.5);
        let edge = |p: Vec2| parts.iter().map(|part| distance(part, p)).fold(f32::INFINITY, f32::min);
        let step = 0.5 / self.texels_per_length;
        let slope = |along: Vec2| edge(middle + step * along) - edge(middle - step * along);
        let mut sum = [0.0; 3];
        let mut points = 0.0;
        for point in 0..POINTS * POINTS {
            let offset = |number: usize| (number as f32 + 0.5) / POINTS as f32;
            let p = place(x + offset(point % POINTS), y + offset(point / POINTS));
            if let Some(front) = parts.iter().rposition(|part| distance(part, p) < 0.0) {
                (0..3).for_each(|c| sum[c] += parts[front].1[c]);
                points += 1.0;
            }
        }
        let nearest =
            || (0..parts.len()).min_by(|&a, &b| distance(&parts[a], middle).total_cmp(&distance(&parts[b], middle)));
        let color =
            if points > 0.0 { sum.map(|c| c / points) } else { nearest().map_or([0.0; 3], |part| parts[part].1) };
        Texel { distance: edge(middle), normal: Vec2::new(slope(Vec2::X), slope(Vec2::Y)).normalize_or_zero(), color }
    }

    /// Interpolates between the four texels around a place, in body lengths.
    fn at(&self, place: Vec2) -> Texel {
        let at = (place - self.min) * self.texels_per_length - 0.5;
        let within =
            at.clamp(Vec2::ZERO, Vec2::new((self.size[0] - 1) as f32 - 1e-3, (self.size[1] - 1) as f32 - 1e-3));
        let (x, y) = (within.x as usize, within.y as usize);
        let part = within - Vec2::new(x as f32, y as f32);
        let row = |y: usize| self.texels[y * self.size[0] + x].mix(&self.texels[y * self.size[0] + x + 1], part.x);
        let mut texel = row(y).mix(&row(y + 1), part.y);
        texel.distance += (at - within).length() / self.texels_per_length;
        texel
    }
}

impl Texel {
    fn mix(&self, other: &Self, share: f32) -> Self {
        Self {
            distance: self.distance + (other.distance - self.distance) * share,
            normal: self.normal.lerp(other.normal, share),
            color: crate::cell::color::mix(self.color, other.color, share),
        }
    }
}
