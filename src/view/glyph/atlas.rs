//! All glyphs of a mode as coverage masks, and how the few that may suit a cell are found among them.
//!
//! A patch falls in two along the axis in which its texels differ most: a mask of 128 bits. The glyphs whose masks are
//! nearest to it in Hamming's distance are then judged by what they truly leave of the error, which is closed-form.
//! Judging 24 of them instead of five gains 0.01 dB and takes half as long again.

use crate::cell::glyph_mode::{GlyphMode, Repertoire};
use crate::cell::glyph_shape::CELL;
use crate::cell::{blocks, glyph_shape};
use crate::view::glyph::gradient::DIRECTIONS;
use crate::view::glyph::halves::{inside, split};
use crate::view::glyph::texel_block::{COUNT, Plane, TEXELS, minus};
use crate::view::glyph::{Ink, Mark, Patch, Sum};
use fearless_simd::prelude::*;
use std::sync::OnceLock;

/// How many of the nearest glyphs are judged.
const NEAREST: usize = 5;

/// How much more squared error of an edge the former cell may leave before it is given up (tones squared: six code
/// values in each channel). At rest hardly a cell changes then; PSNR loses .01 dB in a splash, .03 in calm water. (A share
/// of the error, 6 %, kept as calm as this, but a splash lost .09 dB: of much error it is much.)
const CALM: f32 = 3.0 * 6.0 * 6.0 / (255.0 * 255.0);

/// Where less of a cell than this is ground, it may be filled, if two colours of liquid are nearer to it than one and the
/// ground: 0.06 to 0.15 dB in a splash. (Up to half a cell it is 0.15 to 0.5, but edges lose their shape: SSIM falls, and
/// all the more where the ground is not what it is taken to be.)
const FILLED: f32 = 0.12;

/// What a cell shows, and the place of its glyph in the atlas; of a sign, the set of parts that it stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    place: u16,
    pub mark: Mark,
}

impl Choice {
    /// Nothing, which is never kept for being nearly right.
    pub const BLANK: Self = Self::free(Mark::BLANK);

    /// A cell that no atlas has chosen.
    pub const fn free(mark: Mark) -> Self {
        Self { place: u16::MAX, mark }
    }

    pub(super) fn at(place: usize, mark: Mark) -> Self {
        Self { place: place as u16, mark }
    }

    pub(super) fn place(self) -> Option<usize> {
        (self.place != u16::MAX).then_some(usize::from(self.place))
    }
}

/// A glyph as it suits a patch.
#[derive(Clone, Copy, Debug)]
struct Judged {
    /// What it takes off the error (see [`Ink::gain`]).
    gain: f32,
    place: usize,
    on: (Sum, f32),
    off: (Sum, f32),
    ink: Ink,
}

/// One glyph: what it covers.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    pub glyph: char,
    weights: Plane,
    /// Share of the cell.
    pub area: f32,
    /// Middle of what is covered, and of what is not, from the middle of the cell in cells.
    pub on: [f32; 2],
    pub off: [f32; 2],
}

/// The glyphs of one mode.
#[derive(Clone, Debug)]
pub struct Atlas {
    /// First those that divide a cell in different ways, then those that are others inside out.
    pub(super) shapes: Vec<Shape>,
    /// Texels that are covered for the most part, a bit each, row by row.
    masks: Vec<u128>,
    /// How many shapes divide a cell in different ways.
    pub(super) divisions: usize,
    /// The best division for a slope in each direction.
    pub(super) slopes: [usize; DIRECTIONS],
    /// The place of the full block.
    pub(super) full: usize,
}

impl Atlas {
    /// The glyphs of a mode of blocks; made once.
    pub fn of(mode: GlyphMode) -> &'static Self {
        static ATLASES: [OnceLock<Atlas>; GlyphMode::ALL.len()] = [const { OnceLock::new() }; GlyphMode::ALL.len()];
        ATLASES[mode as usize].get_or_init(|| Self::new(&members(mode)))
    }

    fn new(glyphs: &[char]) -> Self {
        let shapes: Vec<Shape> = glyphs.iter().filter_map(|&glyph| Shape::of(glyph)).collect();
        let (mut first, mut inside_out) = (Vec::<Shape>::new(), Vec::new());
        // Of two that are each other inside out, the one that covers the lower right comes first: always the same
        // one, or still water would cost bytes by turning cells inside out.
        let covers_corner = |shape: &Shape| shape.weights[TEXELS.1 - 1][TEXELS.0 - 1] > 0.5;
        for shape in shapes.iter().filter(|s| covers_corner(s)).chain(shapes.iter().filter(|s| !covers_corner(s))) {
            let known = first.iter().any(|other| other.is_inverse_of(shape));
            if known { inside_out.push(shape.clone()) } else { first.push(shape.clone()) }
        }
        let divisions = first.len();
        first.append(&mut inside_out);
        let masks = first.iter().map(Shape::mask).collect();
        let full = first.iter().position(|shape| shape.glyph == '█').unwrap_or_default();
        let mut atlas = Self { shapes: first, masks, divisions, slopes: [0; DIRECTIONS], full };
        atlas.slopes = atlas.best_for_directions();
        atlas
    }

    /// The cell that comes nearest to `patch`; or what it was, if that is nearly as near.
    #[inline(always)]
    pub fn fit<S: Simd>(&self, simd: S, patch: &Patch, ink: Ink, past: Choice) -> Choice {
        let total = patch.mean(simd);
        let mut best = self.best(simd, patch, total, ink);
        if matches!(ink, Ink::Over(_)) && total[3] < FILLED {
            let filled = self.best(simd, patch, total, Ink::Two);
            if filled.gain > best.gain {
                best = filled;
            }
        }
        if let Some(place) = past.place().filter(|&place| place < self.among(best.ink)) {
            let (on, off) =
                if place == best.place { (best.on, best.off) } else { self.shapes[place].divide(simd, patch, total) };
            if best.gain - ink.gain_of(past.mark, on, off) < CALM {
                return past;
            }
        }
        Choice::at(best.place, best.ink.mark(self.shapes[best.place].glyph, best.on, best.off))
    }

    /// The glyph that takes most off the error in this ink.
    #[inline(always)]
    fn best<S: Simd>(&self, simd: S, patch: &Patch, total: Sum, ink: Ink) -> Judged {
        let wanted = if ink == Ink::Two { split(simd, patch, total) } else { inside(simd, patch) };
        let nothing = (Sum::default(), 0.0);
        let mut best = Judged { gain: f32::NEG_INFINITY, place: 0, on: nothing, off: nothing, ink };
        for place in self.nearest(wanted, self.among(ink), ink == Ink::Two) {
            let (on, off) = self.shapes[place].divide(simd, patch, total);
            let gain = ink.gain(on, off);
            if gain > best.gain + 1e-7 {
                best = Judged { gain, place, on, off, ink };
            }
        }
        best
    }

    /// How many of the shapes are of use: with both colours free, those that are others inside out add nothing.
    fn among(&self, ink: Ink) -> usize {
        if ink == Ink::Two { self.divisions } else { self.shapes.len() }
    }

    /// The glyphs that differ from `wanted` in the fewest texels; with `either`, so may their inverses.
    #[inline(always)]
    fn nearest(&self, wanted: u128, among: usize, either: bool) -> [usize; NEAREST] {
        let mut found = [(u32::MAX, 0); NEAREST];
        for (place, mask) in self.masks[..among].iter().enumerate() {
            let off = (mask ^ wanted).count_ones();
            let off = if either { off.min(COUNT as u32 - off) } else { off };
            if off < found[NEAREST - 1].0 {
                let mut at = NEAREST - 1;
                while at > 0 && found[at - 1].0 > off {
                    found[at] = found[at - 1];
                    at -= 1;
                }
                found[at] = (off, place);
            }
        }
        found.map(|(_, place)| place)
    }
}

impl Shape {
    /// Sums and areas of what the glyph covers of a patch and of what it does not.
    #[inline(always)]
    fn divide<S: Simd>(&self, simd: S, patch: &Patch, total: Sum) -> ((Sum, f32), (Sum, f32)) {
        let on = patch.sum(simd, &self.weights);
        ((on, self.area), (minus(total, on), 1.0 - self.area))
    }

    fn of(glyph: char) -> Option<Self> {
        let pixels = glyph_shape::pixels(glyph)?;
        let (wide, high) = (CELL.0 / TEXELS.0, CELL.1 / TEXELS.1);
        let weight = |x: usize, y: usize| {
            let rows = &pixels[y * high..(y + 1) * high];
            let covered =
                rows.iter().flat_map(|row| &row[x * wide..(x + 1) * wide]).map(|&v| u32::from(v)).sum::<u32>();
            covered as f32 / (255 * wide * high) as f32
        };
        let weights: Plane = std::array::from_fn(|y| std::array::from_fn(|x| weight(x, y)));
        let area = weights.iter().flatten().sum::<f32>() / COUNT as f32;
        let middle = |value: &dyn Fn(f32) -> f32| {
            let texels = (0..COUNT).map(|n| (n % TEXELS.0, n / TEXELS.0));
            let place = |number: usize, count: usize| (number as f32 + 0.5) / count as f32 - 0.5;
            let sums = texels.fold([0.0f32; 3], |[sx, sy, s], (x, y)| {
                let weight = value(weights[y][x]);
                [sx + weight * place(x, TEXELS.0), sy + weight * place(y, TEXELS.1), s + weight]
            });
            if sums[2] > 0.0 { [sums[0] / sums[2], sums[1] / sums[2]] } else { [0.0; 2] }
        };
        Some(Self { glyph, on: middle(&|w| w), off: middle(&|w| 1.0 - w), weights, area })
    }

    fn mask(&self) -> u128 {
        let covered = self.weights.iter().flatten().enumerate().filter(|(_, weight)| **weight >= 0.5);
        covered.fold(0, |mask, (bit, _)| mask | 1 << bit)
    }

    fn is_inverse_of(&self, other: &Self) -> bool {
        let pairs = self.weights.iter().flatten().zip(other.weights.iter().flatten());
        pairs.map(|(a, b)| (a + b - 1.0).abs()).fold(0.0, f32::max) < 0.01
    }
}

/// Every glyph of a mode once.
fn members(mode: GlyphMode) -> Vec<char> {
    let all = match mode.repertoire() {
        Repertoire::Blocks(all) => all(),
        // Not fitted by an atlas; the halves stand for anything.
        Repertoire::Signs { .. } => blocks::HALVES.to_vec(),
    };
    let mut members = Vec::new();
    for glyph in all {
        if !members.contains(&glyph) {
            members.push(glyph);
        }
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_division_is_there_once() {
        for (glyphs, count) in [(GlyphMode::Half, 2), (GlyphMode::Quadrant, 8 + 6 + 6), (GlyphMode::Octant, 128)] {
            assert_eq!(Atlas::of(glyphs).divisions, count, "{glyphs}");
        }
        // Half of the sextants, of the quadrants but for what sextants can do, and of the wedges; ▌ is in all.
        assert_eq!(Atlas::of(GlyphMode::Wedge).divisions, 32 + 6 + 12 + 26);
    }
}
