//! Few colours for many: what the cells of a frame that have to be drawn can share.
//!
//! A colour costs some 18 bytes to say and one to use again, and the colours of water differ by less than is seen. So
//! the colours wanted are gathered into quantizer: first those of the same few leading bits, then the
//! quantizer are merged two by two as long as the error that a merger adds is worth less than the bytes of a colour
//! (Ward 1963). Each swatch is the mean of its colours, and many cells share one while there is much to draw, few
//! when it is little.

use crate::term::encoder::color::{PackedColor, apart};

type Rgb = [u8; 3];

/// Steps of brightness by which quantizer are found.
const STEPS: usize = 64;
/// How many of these apart a colour and a swatch are still compared.
const APART: usize = 3;
/// How many of the brighter quantizer each one may be merged with.
const FOLLOWING: usize = 24;
/// The same where time is dearer than bytes.
const FOLLOWING_QUICK: usize = 8;
/// Squared width of the cubes in which colours are first gathered, per λ; as a power of two at most this.
const CUBE: f32 = 0.06;
const WIDEST: u32 = 6;
/// Places in which is noted what becomes of a colour. Where two would have the same place, the later has it.
const NOTES: usize = 4096;
/// Bytes that a colour is held to cost. More than the 18 or so of one: it is said for the text and for the background,
/// and breaks runs of cells. (60: 1 % fewer bytes and .01 dB less near; 90: 2 %, .02 dB.)
const COLOUR: f32 = 45.0;
const NONE: u32 = u32::MAX;
/// Marks the number of a swatch among numbers of cubes.
const MERGED: u32 = 1 << 31;

/// A swatch while it is made: red, green, blue and weight.
type ClusterSum = [f32; 4];

/// How much is done to find few quantizer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// A colour goes where its cube went, and each swatch is compared with few others, once. (At 200×60 a splash takes a
    /// quarter of the time so.)
    Quick,
    /// A colour goes to the nearest of the quantizer, and they are merged until nothing is gained.
    Thorough,
}

/// The quantizer of a frame.
#[derive(Debug)]
pub struct ColorQuantizer {
    colours: Vec<Rgb>,
    /// With the number of the cube that each was at first.
    heaps: Vec<(ClusterSum, u32)>,
    /// For each cube the one that it was merged with, or itself; then its swatch.
    parents: Vec<u32>,
    /// The first swatch of each step of brightness, and the next of the same.
    first: [u32; STEPS],
    next: Vec<u32>,
    notes: ClusterCache,
}

impl Default for ColorQuantizer {
    fn default() -> Self {
        let notes = ClusterCache { bits: 0, places: Box::new([(NONE, NONE); NOTES]) };
        Self {
            colours: Vec::new(),
            heaps: Vec::new(),
            parents: Vec::new(),
            first: [NONE; STEPS],
            next: Vec::new(),
            notes,
        }
    }
}

/// The swatch of each colour that was asked for, by all but the last bits of its channels.
#[derive(Debug)]
struct ClusterCache {
    bits: u32,
    places: Box<[(u32, u32); NOTES]>,
}

impl ClusterCache {
    fn clear(&mut self, bits: u32) {
        self.bits = bits;
        self.places.fill((NONE, NONE));
    }

    /// The place of a colour and the swatch that is noted there for it.
    #[inline]
    fn find(&self, [r, g, b]: Rgb) -> (usize, u32, Option<usize>) {
        let key = u32::from_be_bytes([0, r >> self.bits, g >> self.bits, b >> self.bits]);
        let place = (key.wrapping_mul(0x9e37_79b1) >> 20) as usize % NOTES;
        let (of, swatch) = self.places[place];
        (place, key, (of == key).then_some(swatch as usize))
    }
}

impl ColorQuantizer {
    /// Begins anew.
    pub fn clear(&mut self, lambda: u32) {
        self.colours.clear();
        self.heaps.clear();
        self.next.clear();
        self.first = [NONE; STEPS];
        self.notes.clear(cube(lambda));
    }

    /// A colour that is wanted on so many pixels. Returns the number of its cube; `None` for the terminal's own colours.
    pub fn add(&mut self, paint: PackedColor, pixels: u32) -> Option<u32> {
        let colour = paint.channels()?;
        let (place, key, noted) = self.notes.find(colour);
        let swatch = noted.unwrap_or_else(|| {
            self.notes.places[place] = (key, self.heaps.len() as u32);
            self.heaps.push(([0.0; 4], self.heaps.len() as u32));
            self.heaps.len() - 1
        });
        let weight = pixels as f32;
        let heap = &mut self.heaps[swatch].0;
        (0..3).for_each(|axis| heap[axis] += f32::from(colour[axis]) * weight);
        heap[3] += weight;
        Some(swatch as u32)
    }

    /// The swatch that a cube went to, after [`Effort::Quick`].
    #[inline]
    pub fn of_cube(&self, cube: u32) -> PackedColor {
        let [r, g, b] = self.colours[self.parents[cube as usize] as usize];
        PackedColor::rgb(r, g, b)
    }

    /// The swatch for a colour. The terminal's own colours are what they are.
    pub fn of(&mut self, paint: PackedColor) -> PackedColor {
        let Some(colour) = paint.channels() else { return paint };
        let (place, key, noted) = self.notes.find(colour);
        let Some(swatch) = noted.or_else(|| self.nearest(colour)) else { return paint };
        self.notes.places[place] = (key, swatch as u32);
        let [r, g, b] = self.colours[swatch];
        PackedColor::rgb(r, g, b)
    }

    /// Makes the quantizer of the colours that were added.
    pub fn mix(&mut self, lambda: u32, effort: Effort) {
        for (heap, _) in &mut self.heaps {
            let weight = heap[3].max(1.0);
            (0..3).for_each(|axis| heap[axis] /= weight);
        }
        let brightness = |heap: &ClusterSum| heap[0] + 2.0 * heap[1] + heap[2];
        self.heaps.sort_unstable_by(|a, b| brightness(&a.0).total_cmp(&brightness(&b.0)).then(a.1.cmp(&b.1)));
        self.parents.clear();
        self.parents.extend(0..self.heaps.len() as u32);
        let most = COLOUR * lambda as f32;
        match effort {
            Effort::Quick => _ = self.merge(most, FOLLOWING_QUICK),
            Effort::Thorough => while self.merge(most, FOLLOWING) {},
        }
        self.colours.clear();
        self.next.clear();
        self.first = [NONE; STEPS];
        for swatch in 0..self.heaps.len() {
            let [r, g, b, _] = self.heaps[swatch].0.map(|v| (v + 0.5) as u8);
            self.place([r, g, b]);
        }
        if effort == Effort::Quick {
            self.follow_parents();
        }
        self.notes.clear(cube(lambda).saturating_sub(1));
    }

    /// Merges each with the one among its `following` brighter neighbours with which it costs least, if that is less than
    /// `most`, as often as that is so. True if there was any.
    fn merge(&mut self, most: f32, following: usize) -> bool {
        let before = self.heaps.len();
        for at in 0..before {
            let (mut here, number) = self.heaps[at];
            while here[3] > 0.0 {
                let alive = self.heaps.iter().enumerate().skip(at + 1).filter(|(_, (other, _))| other[3] > 0.0);
                let costs = alive.take(following).map(|(other, (heap, _))| (merger(here, *heap), other));
                let best = costs.min_by(|a, b| a.0.total_cmp(&b.0));
                let Some((_, other)) = best.filter(|(cost, _)| *cost < most) else { break };
                here = merged(here, self.heaps[other].0);
                self.heaps[at].0 = here;
                self.heaps[other].0[3] = 0.0;
                self.parents[self.heaps[other].1 as usize] = number;
            }
        }
        self.heaps.retain(|(heap, _)| heap[3] > 0.0);
        self.heaps.len() < before
    }

    /// Makes of what each cube was merged with its swatch.
    fn follow_parents(&mut self) {
        // What is left is merged into nothing, and is told by its own number from those that were.
        for (swatch, &(_, number)) in self.heaps.iter().enumerate() {
            self.parents[number as usize] = MERGED | swatch as u32;
        }
        for cube in 0..self.parents.len() {
            let mut swatch = self.parents[cube];
            while swatch & MERGED == 0 {
                swatch = self.parents[swatch as usize];
            }
            self.parents[cube] = swatch;
        }
        self.parents.iter_mut().for_each(|swatch| *swatch &= !MERGED);
    }

    fn place(&mut self, colour: Rgb) {
        let first = &mut self.first[step(colour)];
        self.next.push(*first);
        *first = self.colours.len() as u32;
        self.colours.push(colour);
    }

    fn nearest(&self, colour: Rgb) -> Option<usize> {
        let (mut best, mut least) = (None, u32::MAX);
        let step = step(colour);
        for near in step.saturating_sub(APART)..=(step + APART).min(STEPS - 1) {
            let mut swatch = self.first[near];
            while swatch != NONE {
                let distance = apart(self.colours[swatch as usize], colour);
                if distance < least {
                    (best, least) = (Some(swatch as usize), distance);
                }
                swatch = self.next[swatch as usize];
            }
        }
        best
    }
}

/// Bits of a channel within a cube.
fn cube(lambda: u32) -> u32 {
    let width = (lambda as f32 * CUBE).sqrt();
    (width.max(1.0).log2().round() as u32).min(WIDEST)
}

fn step([r, g, b]: Rgb) -> usize {
    (usize::from(r) + 2 * usize::from(g) + usize::from(b)) / (1024 / STEPS)
}

/// The squared error that a merger adds.
#[inline]
fn merger(a: ClusterSum, b: ClusterSum) -> f32 {
    let square = |axis: usize| (a[axis] - b[axis]) * (a[axis] - b[axis]);
    a[3] * b[3] / (a[3] + b[3]) * (square(0) + square(1) + square(2))
}

fn merged(a: ClusterSum, b: ClusterSum) -> ClusterSum {
    let weight = a[3] + b[3];
    let mean = |axis: usize| (a[axis] * a[3] + b[axis] * b[3]) / weight;
    [mean(0), mean(1), mean(2), weight]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grey(v: u8) -> PackedColor {
        PackedColor::rgb(v, v, v)
    }

    fn quantizer(colours: impl Iterator<Item = u8>, lambda: u32) -> ColorQuantizer {
        let mut quantizer = ColorQuantizer::default();
        quantizer.clear(lambda);
        colours.for_each(|v| {
            quantizer.add(grey(v), 128);
        });
        quantizer.mix(lambda, Effort::Thorough);
        quantizer
    }

    #[test]
    fn few_colours_stand_for_a_gradient_and_each_is_the_mean_of_its_own() {
        let mut quantizer = quantizer(100..140, 300);
        assert!((3..16).contains(&quantizer.colours.len()), "{:?}", quantizer.colours);
        for v in 100..140 {
            let [near, ..] = quantizer.of(grey(v)).channels().expect("a colour");
            assert!(near.abs_diff(v) <= 8, "{near} for {v}");
        }
    }

    #[test]
    fn what_is_free_is_not_mixed() {
        let mut quantizer = quantizer([10, 11, 200].into_iter(), 0);
        assert_eq!([10, 11, 200].map(|v| quantizer.of(grey(v))), [10, 11, 200].map(grey));
        assert_eq!(quantizer.of(PackedColor::index(4)), PackedColor::index(4));
    }
}
