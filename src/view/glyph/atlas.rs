//! All glyphs of a mode as coverage masks, and how the few that may suit a cell are found among them.
//!
//! A patch falls in two along the axis in which its texels differ most: a mask of 128 bits. The glyphs whose masks are
//! nearest to it in Hamming's distance are then judged by what they truly leave of the error, which is closed-form.
//! Judging 24 of them instead of five gains 0.01 dB and takes half as long again.

use super::patch::{COUNT, Lanes, Plane, TEXELS, across, minus};
use super::shape::{self, CELL};
use super::{Glyphs, Ink, Mark, Patch, Sum, blocks, mosaic, wedge};
use crate::view::color::{Linear, Rgb};
use fearless_simd::prelude::*;
use std::sync::OnceLock;

/// How many of the nearest glyphs are judged.
const NEAREST: usize = 5;

/// How much more squared error of an edge the former cell may leave before it is given up (tones squared: six code
/// values in each channel). At rest hardly a cell changes then; PSNR loses .01 dB in a splash, .03 in calm water. (A share
/// of the error, 6 %, kept as calm as this, but a splash lost .09 dB: of much error it is much.)
const CALM: f32 = 3.0 * 6.0 * 6.0 / (255.0 * 255.0);

/// The same for slopes: code values by which colours may be off, and the share of a split's worth that is enough.
const STILL: u8 = 1;
const ENOUGH: f32 = 0.8;

/// Code values by which the two colours of a slope must differ for it to be split: less cannot be told apart.
const FLAT: u8 = 2;

/// Directions, over half a turn, for which the best split of a slope of colour is kept.
const DIRECTIONS: usize = 64;

/// A colour that changes evenly across a cell.
#[derive(Clone, Copy, Debug, Default)]
pub struct Slope {
    /// In the middle.
    pub mean: Linear,
    /// Change over a whole cell, to the right and downward.
    pub right: Linear,
    pub down: Linear,
}

/// What a cell shows, and the place of its glyph in the atlas.
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
}

/// One glyph: what it covers.
#[derive(Clone, Debug)]
struct Shape {
    glyph: char,
    weights: Plane,
    /// Share of the cell.
    area: f32,
    /// Middle of what is covered, and of what is not, from the middle of the cell in cells.
    on: [f32; 2],
    off: [f32; 2],
}

/// The glyphs of one mode.
#[derive(Clone, Debug)]
pub struct Atlas {
    /// First those that divide a cell in different ways, then those that are others inside out.
    shapes: Vec<Shape>,
    /// Texels that are covered for the most part, a bit each, row by row.
    masks: Vec<u128>,
    /// How many shapes divide a cell in different ways: with both colours free, the others add nothing.
    divisions: usize,
    /// The best division for a slope in each direction.
    slopes: [u16; DIRECTIONS],
    /// The place of the full block.
    full: u16,
}

impl Atlas {
    /// The glyphs of a mode of blocks; made once.
    pub fn of(glyphs: Glyphs) -> &'static Self {
        static ATLASES: [OnceLock<Atlas>; Glyphs::ALL.len()] = [const { OnceLock::new() }; Glyphs::ALL.len()];
        ATLASES[glyphs as usize].get_or_init(|| Self::new(&members(glyphs)))
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
        let full = first.iter().position(|shape| shape.glyph == '█').unwrap_or_default() as u16;
        let mut atlas = Self { shapes: first, masks, divisions, slopes: [0; DIRECTIONS], full };
        atlas.slopes = std::array::from_fn(|step| atlas.best_for_direction(direction(step)));
        atlas
    }

    /// The cell that comes nearest to `patch`; or what it was, if that is nearly as near.
    #[inline(always)]
    pub fn fit<S: Simd>(&self, simd: S, patch: &Patch, ink: Ink, past: Choice) -> Choice {
        let total = patch.mean(simd);
        let (wanted, among) = match ink {
            Ink::Two => (split(simd, patch, total), self.divisions),
            _ => (inside(simd, patch), self.shapes.len()),
        };
        let mut best = (f32::NEG_INFINITY, 0, (Sum::default(), 0.0), (Sum::default(), 0.0));
        for place in self.nearest(wanted, among, ink == Ink::Two) {
            let (on, off) = self.shapes[place].divide(simd, patch, total);
            let gain = ink.gain(on, off);
            if gain > best.0 + 1e-7 {
                best = (gain, place, on, off);
            }
        }
        let (gain, place, on, off) = best;
        if usize::from(past.place) < among {
            let (on, off) = self.shapes[usize::from(past.place)].divide(simd, patch, total);
            let loss = gain - ink.gain_of(past.mark, on, off);
            if loss < CALM {
                return past;
            }
        }
        Choice { place: place as u16, mark: ink.mark(self.shapes[place].glyph, on, off) }
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

    /// The cell that comes nearest to an even change of colour: split across the direction in which it changes most, or
    /// flat; or what it was, if that is nearly as near.
    #[inline(always)]
    pub fn split(&self, slope: &Slope, flatten: bool, past: Choice) -> Choice {
        let (across, down) = (dot(slope.right, slope.right), dot(slope.down, slope.down));
        let place = self.slopes[step(across - down, 2.0 * dot(slope.right, slope.down))];
        if usize::from(past.place) < self.divisions {
            let shape = &self.shapes[usize::from(past.place)];
            let was = shape.at(slope);
            let close = (past.mark.fg, past.mark.bg, was.fg, was.bg);
            if let (Some(a), Some(b), Some(c), Some(d)) = close
                && alike(a, c, STILL)
                && alike(b, d, STILL)
                && (shape.gain(slope) >= ENOUGH * self.shapes[usize::from(place)].gain(slope))
            {
                return past;
            }
        }
        let mark = self.shapes[usize::from(place)].at(slope);
        match (mark.fg, mark.bg) {
            (Some(a), Some(b)) if flatten && alike(a, b, FLAT) => {
                let mean = Some(Rgb::from_linear(slope.mean));
                Choice { place: self.full, mark: Mark { glyph: '█', fg: mean, bg: mean } }
            }
            _ => Choice { place, mark },
        }
    }

    /// The division that takes the most off the error of a unit slope along `(x, y)`.
    fn best_for_direction(&self, (x, y): (f32, f32)) -> u16 {
        let gain = |shape: &Shape| {
            let apart = (shape.on[0] - shape.off[0]) * x + (shape.on[1] - shape.off[1]) * y;
            shape.area * (1.0 - shape.area) * apart * apart
        };
        let divisions = self.shapes[..self.divisions].iter().enumerate();
        divisions
            .max_by(|a, b| gain(a.1).total_cmp(&gain(b.1)).then(b.0.cmp(&a.0)))
            .map_or(0, |(place, _)| place as u16)
    }
}

impl Shape {
    /// Sums and areas of what the glyph covers of a patch and of what it does not.
    #[inline(always)]
    fn divide<S: Simd>(&self, simd: S, patch: &Patch, total: Sum) -> ((Sum, f32), (Sum, f32)) {
        let on = patch.sum(simd, &self.weights);
        ((on, self.area), (minus(total, on), 1.0 - self.area))
    }

    /// The cell of a slope that is divided like this.
    #[inline(always)]
    fn at(&self, slope: &Slope) -> Mark {
        let (mean, right, down) = (slope.mean, slope.right, slope.down);
        let (mut on, mut off) = (mean, mean);
        for c in 0..3 {
            on[c] += right[c] * self.on[0] + down[c] * self.on[1];
            off[c] += right[c] * self.off[0] + down[c] * self.off[1];
        }
        Mark { glyph: self.glyph, fg: Some(Rgb::from_linear(on)), bg: Some(Rgb::from_linear(off)) }
    }

    /// What dividing a slope like this takes off its squared error.
    #[inline(always)]
    fn gain(&self, slope: &Slope) -> f32 {
        let (x, y) = (self.on[0] - self.off[0], self.on[1] - self.off[1]);
        let apart = [0, 1, 2].map(
            #[inline(always)]
            |c| slope.right[c] * x + slope.down[c] * y,
        );
        self.area * (1.0 - self.area) * dot(apart, apart)
    }

    fn of(glyph: char) -> Option<Self> {
        let pixels = shape::pixels(glyph)?;
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

fn members(glyphs: Glyphs) -> Vec<char> {
    let mosaic = |count: usize, of: fn(usize) -> char| (0..count).map(of).collect::<Vec<char>>();
    let (sextants, octants) = (mosaic(64, mosaic::sextant_of), mosaic(256, mosaic::octant_of));
    let halves = vec![' ', '▀', '▄', '█'];
    let blocks = blocks::all();
    let families: Vec<Vec<char>> = match glyphs {
        Glyphs::Wedge => vec![blocks, sextants, wedge::ALL.to_vec()],
        Glyphs::Sextant => vec![blocks, sextants],
        Glyphs::Quadrant => vec![blocks],
        Glyphs::Octant => vec![octants],
        Glyphs::Half | Glyphs::Ascii | Glyphs::Braille => vec![halves],
    };
    let mut members = Vec::new();
    for glyph in families.into_iter().flatten() {
        if !members.contains(&glyph) {
            members.push(glyph);
        }
    }
    members
}

#[inline(always)]
fn dot(a: Linear, b: Linear) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Whether no channel of two colours differs by more than `most`.
#[inline(always)]
fn alike(a: Rgb, b: Rgb, most: u8) -> bool {
    a.0.abs_diff(b.0).max(a.1.abs_diff(b.1)).max(a.2.abs_diff(b.2)) <= most
}

/// The texels that are more inside than outside.
#[inline(always)]
fn inside<S: Simd>(simd: S, patch: &Patch) -> u128 {
    bits(
        #[inline(always)]
        |y| Lanes::splat(simd, 0.5).simd_gt(Lanes::from_slice(simd, &patch.planes[3][y])),
    )
}

/// The texels that lie beyond the mean along the axis in which they differ most.
#[inline(always)]
fn split<S: Simd>(simd: S, patch: &Patch, mean: Sum) -> u128 {
    let axis = principal_axis(simd, patch, mean);
    let middle = Lanes::splat(simd, mean[0] * axis[0] + mean[1] * axis[1] + mean[2] * axis[2]);
    bits(
        #[inline(always)]
        |y| {
            let red = Lanes::from_slice(simd, &patch.planes[0][y]);
            let green = Lanes::from_slice(simd, &patch.planes[1][y]);
            let blue = Lanes::from_slice(simd, &patch.planes[2][y]);
            (red * axis[0] + green * axis[1] + blue * axis[2]).simd_gt(middle)
        },
    )
}

/// A bit for every texel, from a mask for every row.
#[inline(always)]
fn bits<S: Simd, M: SimdMask<S>>(mut row: impl FnMut(usize) -> M) -> u128 {
    let mut bits = 0;
    for y in 0..TEXELS.1 {
        bits |= u128::from(row(y).to_bitmask()) << (y * TEXELS.0);
    }
    bits
}

/// The direction of greatest variance, by a few steps of power iteration from the channel that varies most.
#[inline(always)]
fn principal_axis<S: Simd>(simd: S, patch: &Patch, mean: Sum) -> Linear {
    let mut lanes = [Lanes::splat(simd, 0.0); 6];
    for y in 0..TEXELS.1 {
        let r = Lanes::from_slice(simd, &patch.planes[0][y]) - mean[0];
        let g = Lanes::from_slice(simd, &patch.planes[1][y]) - mean[1];
        let b = Lanes::from_slice(simd, &patch.planes[2][y]) - mean[2];
        lanes[0] += r * r;
        lanes[1] += r * g;
        lanes[2] += r * b;
        lanes[3] += g * g;
        lanes[4] += g * b;
        lanes[5] += b * b;
    }
    let [rr, rg, rb, gg, gb, bb] = lanes.map(|lanes| across(lanes.into()));
    let rows = [[rr, rg, rb], [rg, gg, gb], [rb, gb, bb]];
    let widest = if rr >= gg && rr >= bb {
        0
    } else if gg >= bb {
        1
    } else {
        2
    };
    let mut axis = rows[widest];
    for _ in 0..2 {
        let scale = 1.0 / axis[0].abs().max(axis[1].abs()).max(axis[2].abs()).max(1e-20);
        let from = axis.map(|v| v * scale);
        axis = rows.map(|row| row[0] * from[0] + row[1] * from[1] + row[2] * from[2]);
    }
    axis
}

/// The step of a direction that is given by its double: twice the angle, as any vector along it. Angles are counted
/// around a diamond instead of a circle, which needs no arc tangent.
#[inline(always)]
fn step(x: f32, y: f32) -> usize {
    let along = y / (x.abs() + y.abs()).max(1e-20);
    let around = if x >= 0.0 { along } else { 2.0 - along };
    // From −1 to 3.
    ((around + 1.0) * (DIRECTIONS as f32 / 4.0)) as usize % DIRECTIONS
}

/// The direction in the middle of a step.
fn direction(step: usize) -> (f32, f32) {
    let around = (step as f32 + 0.5) / (DIRECTIONS as f32 / 4.0) - 1.0;
    let along = if around <= 1.0 { around } else { 2.0 - around };
    let x = if around <= 1.0 { 1.0 - along.abs() } else { along.abs() - 1.0 };
    let angle = 0.5 * along.atan2(x);
    (angle.cos(), angle.sin())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_directions_agree() {
        for number in 0..DIRECTIONS {
            let (x, y) = direction(number);
            assert_eq!(step(x * x - y * y, 2.0 * x * y), number);
        }
    }

    #[test]
    fn every_division_is_there_once() {
        for (glyphs, count) in [(Glyphs::Half, 2), (Glyphs::Quadrant, 8 + 6 + 6), (Glyphs::Octant, 128)] {
            assert_eq!(Atlas::of(glyphs).divisions, count, "{glyphs}");
        }
        // Half of the sextants, of the quadrants but for what sextants can do, and of the wedges; ▌ is in all.
        assert_eq!(Atlas::of(Glyphs::Wedge).divisions, 32 + 6 + 12 + 26);
    }
}
