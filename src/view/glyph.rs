//! From a patch of picture to one cell: the glyph and the colours that come nearest to it.
//!
//! Every mode answers the same question: into which two sets of parts does a glyph divide the cell, such that one
//! colour for each set leaves the least squared error? With the sums of the parts' colours at hand, the error of a
//! division is closed-form (see `Ink::gain`), and the best division of n parts into two is found along the direction
//! in which they differ most, in n steps instead of 2ⁿ.

pub mod ascii;
pub mod blocks;
pub mod braille;
pub mod mosaic;

use super::color::{Linear, Rgb};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The glyphs a picture is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Glyphs {
    /// 2×4 blocks (Unicode 16, 2024): the finest; few fonts and terminals have them yet.
    Octant,
    /// 2×3 blocks (Unicode 13).
    Sextant,
    /// 2×2 blocks and eighths of a block: in nearly every font, and smooth where surfaces are level.
    #[default]
    Quadrant,
    /// Upper and lower half.
    Half,
    /// 2×4 dots.
    Braille,
    /// Letters and signs of ASCII, chosen by their shape.
    Ascii,
}

impl Glyphs {
    pub const ALL: [Glyphs; 6] = [Self::Octant, Self::Sextant, Self::Quadrant, Self::Half, Self::Braille, Self::Ascii];

    pub fn name(self) -> &'static str {
        match self {
            Self::Octant => "octant",
            Self::Sextant => "sextant",
            Self::Quadrant => "quadrant",
            Self::Half => "half",
            Self::Braille => "braille",
            Self::Ascii => "ascii",
        }
    }

    /// One line for `slosh list`.
    pub fn about(self) -> &'static str {
        match self {
            Self::Octant => "2x4 blocks, the finest; needs a Unicode 16 font",
            Self::Sextant => "2x3 blocks; needs a Unicode 13 font",
            Self::Quadrant => "2x2 blocks and eighths; nearly every font has them",
            Self::Half => "upper and lower half blocks, two colours a cell",
            Self::Braille => "2x4 dots",
            Self::Ascii => "letters and signs chosen by their shape; every terminal has them",
        }
    }

    /// How finely a cell is looked at, across and down.
    pub fn grid(self) -> (usize, usize) {
        match self {
            Self::Octant | Self::Ascii | Self::Braille => (4, 8),
            Self::Sextant => (4, 6),
            Self::Quadrant => (8, 8),
            Self::Half => (4, 4),
        }
    }

    /// The cell that comes nearest to `patch`.
    pub fn fit(self, patch: &Patch, ink: Ink) -> Mark {
        if let (Ink::Shape, true) = (ink, patch.solid > 0.5) {
            return Mark { glyph: self.solid(), fg: None, bg: None };
        }
        match self {
            Self::Octant => mosaic::octant(patch, ink),
            Self::Sextant => mosaic::sextant(patch, ink),
            Self::Quadrant => blocks::quadrant(patch, ink),
            Self::Half => blocks::half(patch, ink),
            Self::Braille => braille::fit(patch, ink),
            Self::Ascii => ascii::fit(patch, ink),
        }
    }

    /// What walls are drawn with where there are no colours to tell them from liquid.
    fn solid(self) -> char {
        match self {
            Self::Braille => '⢕',
            Self::Ascii => '%',
            _ => '▒',
        }
    }
}

impl fmt::Display for Glyphs {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Glyphs {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|glyphs| glyphs.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("no glyph mode `{name}`: choose one of {names}")
        })
    }
}

/// The share of ground from which a foreground is too faint to be drawn: it reads as dirt beside the liquid.
const FAINT: f32 = 0.72;

/// What one cell is to show. No colour means the terminal's default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mark {
    pub glyph: char,
    pub fg: Option<Rgb>,
    pub bg: Option<Rgb>,
}

impl Mark {
    pub const BLANK: Mark = Mark { glyph: ' ', fg: None, bg: None };
}

/// Sums over a set of texels: red, green and blue in linear light, and the share that is outside of everything.
pub type Sum = [f32; 4];

/// The most texels a cell is looked at with.
pub const MOST_TEXELS: usize = 64;

/// A cell of the ideal picture, row by row.
#[derive(Clone, Copy, Debug)]
pub struct Patch {
    pub columns: usize,
    pub rows: usize,
    /// Colour mixed over the ground, and the share that is ground.
    pub texels: [Sum; MOST_TEXELS],
    /// Share of the cell that is wall.
    pub solid: f32,
    /// Light in the middle of the cell, 0 to 1; letters show it where they can.
    pub light: f32,
}

impl Patch {
    /// Sums over `columns` × `rows` equal parts, row by row, each as if of area 1.
    fn parts<const N: usize>(&self, columns: usize, rows: usize) -> [Sum; N] {
        debug_assert_eq!(columns * rows, N);
        let (wide, high) = (self.columns / columns, self.rows / rows);
        let share = 1.0 / (wide * high) as f32;
        std::array::from_fn(|part| {
            let (left, top) = (part % columns * wide, part / columns * high);
            let mut sum = Sum::default();
            for row in top..top + high {
                for texel in &self.texels[row * self.columns + left..][..wide] {
                    sum = plus(sum, *texel);
                }
            }
            sum.map(|v| v * share)
        })
    }
}

#[inline]
pub(crate) fn plus(a: Sum, b: Sum) -> Sum {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]]
}

#[inline]
fn minus(a: Sum, b: Sum) -> Sum {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3]]
}

#[inline]
fn square(v: Sum) -> f32 {
    v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
}

/// What the colours of a cell may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ink {
    /// Both are free.
    Two,
    /// The background is the terminal's own, taken to be of this colour; the foreground is free.
    Over(Linear),
    /// None: only the shape counts.
    Shape,
}

impl Ink {
    /// How much of the patch's squared error a division takes away, up to a constant of the patch: the set `on` of
    /// area `n_on` gets the foreground, `off` the background.
    ///
    /// A free colour is its set's mean and leaves `Σ|x|² − |Σx|²/n`; a given one, B, leaves `Σ|x|² − 2B·Σx + n|B|²`.
    /// The sums of squares are the same for every division and drop out.
    #[inline]
    fn gain(self, (on, n_on): (Sum, f32), (off, n_off): (Sum, f32)) -> f32 {
        let free = |sum: Sum, n: f32| if n > 0.0 { square(sum) / n } else { 0.0 };
        match self {
            Ink::Two => free(on, n_on) + free(off, n_off),
            Ink::Over(b) => {
                let dot = b[0] * off[0] + b[1] * off[1] + b[2] * off[2];
                let given = 2.0 * dot - n_off * (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
                // Where liquid and ground have one colour, the shape decides.
                free(on, n_on) + given + 1e-4 * (n_on - 2.0 * on[3])
            }
            // Ink is 1 − outside; a part of which more than half is inside is worth covering.
            Ink::Shape => n_on - 2.0 * on[3],
        }
    }

    /// The cell of a division.
    fn mark(self, glyph: char, (on, n_on): (Sum, f32), (off, n_off): (Sum, f32)) -> Mark {
        let mean = |sum: Sum, n: f32| (n > 0.0).then(|| Rgb::from_linear([sum[0] / n, sum[1] / n, sum[2] / n]));
        match self {
            Ink::Two => {
                let (fg, bg) = (mean(on, n_on), mean(off, n_off));
                Mark { glyph, fg: fg.or(bg), bg: bg.or(fg) }
            }
            Ink::Over(_) if on[3] >= FAINT * n_on => Mark::BLANK,
            Ink::Over(_) => {
                let fg = mean(on, n_on);
                // A full cell has the colour behind it too: in many a font the full block leaves a seam.
                Mark { glyph, fg, bg: if n_off == 0.0 { fg } else { None } }
            }
            Ink::Shape => Mark { glyph, fg: None, bg: None },
        }
    }
}

/// Dots and letters leave most of their cell to the background. Where the cell is full, that shows the liquid too, by
/// this share of its light, so that the signs stand out.
const BODY: f32 = 0.45;

/// A full cell drawn with a sign on a darker body; two colours if its parts differ, as at an obstacle.
fn on_body(glyph: char, division: &Division) -> Mark {
    let mean = |(sum, n): (Sum, f32)| [sum[0] / n, sum[1] / n, sum[2] / n];
    let fg = mean(division.on);
    let bg = if division.off.1 > 0.0 { mean(division.off) } else { fg };
    Mark { glyph, fg: Some(Rgb::from_linear(fg)), bg: Some(Rgb::from_linear(bg.map(|v| v * BODY))) }
}

/// A division of parts: the set bits are those that get the foreground.
#[derive(Clone, Copy, Debug)]
struct Division {
    mask: usize,
    on: (Sum, f32),
    off: (Sum, f32),
    gain: f32,
}

/// The best division of N equal parts of a cell.
///
/// Parts are ordered along the axis in which they differ most; only divisions of that order can be best, up to
/// exotic ties, and there are N + 1 of them.
fn divide<const N: usize>(parts: &[Sum; N], ink: Ink) -> Division {
    let total = parts.iter().copied().fold(Sum::default(), plus);
    let axis = axis(parts, total, ink);
    let mut order: [(f32, usize); N] = std::array::from_fn(|part| {
        let p = parts[part];
        (p[0] * axis[0] + p[1] * axis[1] + p[2] * axis[2] + p[3] * axis[3], part)
    });
    order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let n = N as f32;
    let nothing = Division { mask: 0, on: (Sum::default(), 0.0), off: (total, n), gain: f32::NEG_INFINITY };
    let mut best = Division { gain: ink.gain(nothing.on, nothing.off), ..nothing };
    let mut next = nothing;
    for (count, &(_, part)) in order.iter().enumerate() {
        next.mask |= 1 << part;
        next.on = (plus(next.on.0, parts[part]), count as f32 + 1.0);
        next.off = (minus(total, next.on.0), n - count as f32 - 1.0);
        next.gain = ink.gain(next.on, next.off);
        // A little more is asked of a smaller foreground, so that ties are full cells.
        if next.gain >= best.gain - 1e-6 {
            best = next;
        }
    }
    // Either set may be the foreground when both colours are free. Always the same one, or still water would cost
    // bytes by turning cells inside out.
    let last = 1 << (N - 1);
    if ink == Ink::Two && best.mask & last == 0 {
        best = Division { mask: best.mask ^ (2 * last - 1), on: best.off, off: best.on, ..best };
    }
    best
}

/// The direction in which the parts are told apart: out of the ground where it shows, else from the mean towards the
/// part that is farthest from it (which is the principal axis for all that two colours can express).
fn axis<const N: usize>(parts: &[Sum; N], total: Sum, ink: Ink) -> Sum {
    if ink != Ink::Two {
        return [0.0, 0.0, 0.0, -1.0];
    }
    let mean = total.map(|v| v / N as f32);
    let from_mean = parts.iter().map(|&part| minus(part, mean));
    let mut axis = from_mean.max_by(|a, b| square(*a).total_cmp(&square(*b))).unwrap_or_default();
    axis[3] = 0.0;
    axis
}
