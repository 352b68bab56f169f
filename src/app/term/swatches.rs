//! Few colours for many: what the cells of a frame that have to be drawn can share.
//!
//! A colour costs some 18 bytes to say and one to use again, and the colours of water differ by less than is seen. So
//! the colours wanted are gathered into swatches: first each to one that is near enough (leader clustering), then the
//! swatches are merged two by two as long as the error that a merger adds is worth less than the bytes of a colour
//! (Ward 1963). Each swatch is the mean of its colours, and many cells share one while there is much to draw, few
//! when it is little.

use super::color::Paint;

type Rgb = [u8; 3];

/// Steps of brightness by which swatches are found.
const STEPS: usize = 64;
/// How many of these apart two colours are still compared: where any swatch will do, and where only one that is near.
const ANY: usize = 3;
const NEAR: usize = 1;
/// How many of the brighter swatches each one may be merged with.
const FOLLOWING: usize = 24;
/// Squared distance of a colour to a swatch that takes it in, per λ.
const TAKEN: f32 = 0.03;
/// Bytes that a colour is held to cost. More than the 18 or so of one: it is said for the text and for the background,
/// and breaks runs of cells.
const COLOUR: f32 = 60.0;
const NONE: u32 = u32::MAX;

/// A swatch while it is made: red, green, blue and weight.
type Heap = [f32; 4];

/// The swatches of a frame.
#[derive(Debug)]
pub struct Swatches {
    colours: Vec<Rgb>,
    heaps: Vec<Heap>,
    /// The first swatch of each step of brightness, and the next of the same.
    first: [u32; STEPS],
    next: Vec<u32>,
}

impl Default for Swatches {
    fn default() -> Self {
        Self { colours: Vec::new(), heaps: Vec::new(), first: [NONE; STEPS], next: Vec::new() }
    }
}

impl Swatches {
    pub fn clear(&mut self) {
        self.colours.clear();
        self.heaps.clear();
        self.next.clear();
        self.first = [NONE; STEPS];
    }

    /// A colour that is wanted on so many pixels.
    pub fn add(&mut self, paint: Paint, pixels: u32, lambda: u32) {
        let Paint::Rgb(r, g, b) = paint else { return };
        let colour = [r, g, b];
        let taken = lambda as f32 * TAKEN;
        let swatch = match self.nearest(colour, NEAR) {
            Some((swatch, distance)) if distance as f32 <= taken => swatch,
            _ => {
                self.heaps.push([0.0; 4]);
                self.place(colour)
            }
        };
        let weight = pixels as f32;
        let heap = &mut self.heaps[swatch];
        (0..3).for_each(|axis| heap[axis] += f32::from(colour[axis]) * weight);
        heap[3] += weight;
    }

    /// The swatch for a colour. The terminal's own colours are what they are.
    pub fn of(&self, paint: Paint) -> Paint {
        let Paint::Rgb(r, g, b) = paint else { return paint };
        let Some((swatch, _)) = self.nearest([r, g, b], ANY) else { return paint };
        let [r, g, b] = self.colours[swatch];
        Paint::Rgb(r, g, b)
    }

    /// Makes the swatches of the colours that were added.
    pub fn mix(&mut self, lambda: u32) {
        for heap in &mut self.heaps {
            let weight = heap[3].max(1.0);
            (0..3).for_each(|axis| heap[axis] /= weight);
        }
        let brightness = |heap: &Heap| heap[0] + 2.0 * heap[1] + heap[2];
        self.heaps.sort_unstable_by(|a, b| brightness(a).total_cmp(&brightness(b)));
        while self.merge(COLOUR * lambda as f32) {}
        self.colours.clear();
        self.next.clear();
        self.first = [NONE; STEPS];
        for swatch in 0..self.heaps.len() {
            let [r, g, b, _] = self.heaps[swatch].map(|v| (v + 0.5) as u8);
            self.place([r, g, b]);
        }
    }

    /// Merges each with the one among its brighter neighbours with which it costs least, if that is less than `most`.
    /// True if there was any.
    fn merge(&mut self, most: f32) -> bool {
        let before = self.heaps.len();
        let mut at = 0;
        while at < self.heaps.len() {
            let end = self.heaps.len().min(at + 1 + FOLLOWING);
            let here = self.heaps[at];
            let cost = |other: usize| merger(here, self.heaps[other]);
            let best = (at + 1..end).map(|other| (cost(other), other)).min_by(|a, b| a.0.total_cmp(&b.0));
            match best {
                Some((cost, other)) if cost < most => {
                    let gone = self.heaps.remove(other);
                    self.heaps[at] = merged(here, gone);
                }
                _ => at += 1,
            }
        }
        self.heaps.len() < before
    }

    fn place(&mut self, colour: Rgb) -> usize {
        let swatch = self.colours.len();
        self.colours.push(colour);
        let first = &mut self.first[step(colour)];
        self.next.push(*first);
        *first = swatch as u32;
        swatch
    }

    /// And the squared distance to it.
    #[inline]
    fn nearest(&self, colour: Rgb, within: usize) -> Option<(usize, u32)> {
        let mut best = None;
        let step = step(colour);
        for near in step.saturating_sub(within)..=(step + within).min(STEPS - 1) {
            let mut swatch = self.first[near];
            while swatch != NONE {
                let distance = apart(self.colours[swatch as usize], colour);
                if best.is_none_or(|(_, least)| distance < least) {
                    best = Some((swatch as usize, distance));
                }
                swatch = self.next[swatch as usize];
            }
        }
        best
    }
}

fn step([r, g, b]: Rgb) -> usize {
    (usize::from(r) + 2 * usize::from(g) + usize::from(b)) / (1024 / STEPS)
}

#[inline]
fn apart(a: Rgb, b: Rgb) -> u32 {
    let square = |axis: usize| u32::from(a[axis].abs_diff(b[axis])).pow(2);
    square(0) + square(1) + square(2)
}

/// The squared error that a merger adds.
#[inline]
fn merger(a: Heap, b: Heap) -> f32 {
    let square = |axis: usize| (a[axis] - b[axis]) * (a[axis] - b[axis]);
    a[3] * b[3] / (a[3] + b[3]) * (square(0) + square(1) + square(2))
}

fn merged(a: Heap, b: Heap) -> Heap {
    let weight = a[3] + b[3];
    let mean = |axis: usize| (a[axis] * a[3] + b[axis] * b[3]) / weight;
    [mean(0), mean(1), mean(2), weight]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grey(v: u8) -> Paint {
        Paint::Rgb(v, v, v)
    }

    fn swatches(colours: impl Iterator<Item = u8>, lambda: u32) -> Swatches {
        let mut swatches = Swatches::default();
        colours.for_each(|v| swatches.add(grey(v), 128, lambda));
        swatches.mix(lambda);
        swatches
    }

    #[test]
    fn few_colours_stand_for_a_gradient_and_each_is_the_mean_of_its_own() {
        let swatches = swatches(100..140, 300);
        assert!((3..16).contains(&swatches.colours.len()), "{:?}", swatches.colours);
        for v in 100..140 {
            let Paint::Rgb(near, ..) = swatches.of(grey(v)) else { panic!("not a colour") };
            assert!(near.abs_diff(v) <= 8, "{near} for {v}");
        }
    }

    #[test]
    fn what_is_free_is_not_mixed() {
        let swatches = swatches([10, 11, 200].into_iter(), 0);
        assert_eq!([10, 11, 200].map(|v| swatches.of(grey(v))), [10, 11, 200].map(grey));
        assert_eq!(swatches.of(Paint::Index(4)), Paint::Index(4));
    }
}
