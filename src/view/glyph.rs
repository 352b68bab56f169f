//! From a patch of picture to one cell: the glyph and the colours that come nearest to it.
//!
//! Every mode answers the same question: into which two sets does a glyph divide the cell, such that one colour for
//! each set leaves the least squared error? With the sums of both sets' colours at hand, the error of
//! a division is closed-form (see `Ink::gain`), so what is left is to find the few glyphs that are worth it:
//! `atlas` has them by the shape that the patch itself falls into, `divide` by trying the n + 1 best of 2ⁿ divisions.

pub mod ascii;
pub mod atlas;
mod braille;
pub mod gradient;
mod halves;
pub mod mosaic;
mod partition;
pub mod texel_block;
mod text_glyphs;

pub use texel_block::{Patch, Sum};

use crate::cell::color::Rgb;
use atlas::{Atlas, Choice};
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;
use texel_block::{Tone, shown, square, tone};

/// The glyphs a picture is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Glyphs {
    /// All of the below and cells cut by slanted lines (Unicode 13): the smoothest.
    Wedge,
    /// All of the below and 2×3 blocks (Unicode 13).
    Sextant,
    /// 2×2 blocks and eighths of a block: in nearly every font, and smooth where surfaces are level.
    #[default]
    Quadrant,
    /// Upper and lower half.
    Half,
    /// Letters and signs of ASCII, chosen by their shape.
    Ascii,
    /// 2×4 dots: a style.
    Braille,
    /// 2×4 blocks (Unicode 16, 2024): few fonts and terminals have them yet, so they are shown only when asked for.
    Octant,
}

impl Glyphs {
    pub const ALL: [Glyphs; 7] =
        [Self::Wedge, Self::Sextant, Self::Quadrant, Self::Half, Self::Ascii, Self::Braille, Self::Octant];

    pub fn name(self) -> &'static str {
        match self {
            Self::Wedge => "wedge",
            Self::Sextant => "sextant",
            Self::Quadrant => "quadrant",
            Self::Half => "half",
            Self::Ascii => "ascii",
            Self::Braille => "braille",
            Self::Octant => "octant",
        }
    }

    /// One line for `slosh list`.
    pub fn about(self) -> &'static str {
        match self {
            Self::Wedge => "slanted edges, 2x3 blocks and eighths, the smoothest; Unicode 13",
            Self::Sextant => "2x3 blocks and eighths; Unicode 13",
            Self::Quadrant => "2x2 blocks and eighths; nearly every font has them",
            Self::Half => "upper and lower half blocks, two colours a cell",
            Self::Ascii => "letters and signs chosen by their shape; every terminal has them",
            Self::Braille => "2x4 dots",
            Self::Octant => "2x4 blocks; needs a Unicode 16 font",
        }
    }

    /// Whether a glyph is a division of its cell, rather than a sign or dots on it.
    pub fn are_blocks(self) -> bool {
        !matches!(self, Self::Ascii | Self::Braille)
    }

    /// The cell that comes nearest to `patch`.
    pub fn fit(self, patch: &Patch, ink: Ink) -> Mark {
        dispatch!(Level::new(), simd => self.fit_after(simd, patch, ink, Choice::BLANK)).mark
    }

    /// The same within code for an instruction set, for a cell that was `past`, which is kept if it is nearly as near.
    #[inline(always)]
    pub(super) fn fit_after<S: Simd>(self, simd: S, patch: &Patch, ink: Ink, past: Choice) -> Choice {
        if let (Ink::Shape, true) = (ink, patch.solid > 0.5) {
            return Choice::free(Mark { glyph: self.solid(), fg: None, bg: None });
        }
        match self {
            Self::Braille => braille::fit(patch, ink, past),
            Self::Ascii => ascii::fit(patch, ink, past),
            _ => Atlas::of(self).fit(simd, patch, ink, past),
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

    /// Whether another has the same glyph, and colours of which no channel is off by more than `most`.
    fn is_like(self, other: Mark, most: u8) -> bool {
        let alike = |a: Option<Rgb>, b: Option<Rgb>| match (a, b) {
            (Some(a), Some(b)) => a.is_within(most, b),
            _ => a == b,
        };
        self.glyph == other.glyph && alike(self.fg, other.fg) && alike(self.bg, other.bg)
    }
}

/// What the colours of a cell may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ink {
    /// Both are free.
    Two,
    /// The background is the terminal's own, taken to be of this colour; the foreground is free.
    Over(Tone),
    /// None: only the shape counts.
    Shape,
}

impl Ink {
    /// How much of the patch's squared error a division takes away, up to a constant of the patch: the set `on` of
    /// area `n_on` gets the foreground, `off` the background.
    ///
    /// A free colour is its set's mean and leaves `Σ|x|² − |Σx|²/n`; a given one, B, leaves `Σ|x|² − 2B·Σx + n|B|²`.
    /// The sums of squares are the same for every division and drop out.
    #[inline(always)]
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

    /// The same where the colours are those of `mark`.
    #[inline(always)]
    fn gain_of(self, mark: Mark, (on, n_on): (Sum, f32), (off, n_off): (Sum, f32)) -> f32 {
        let given = |color: Option<Rgb>, sum: Sum, n: f32| {
            let ground = if let Ink::Over(ground) = self { ground } else { [0.0; 3] };
            let c = color.map_or(ground, |rgb| tone(rgb.linear()));
            2.0 * (c[0] * sum[0] + c[1] * sum[1] + c[2] * sum[2]) - n * (c[0] * c[0] + c[1] * c[1] + c[2] * c[2])
        };
        match self {
            Ink::Two => given(mark.fg, on, n_on) + given(mark.bg, off, n_off),
            Ink::Over(_) => given(mark.fg, on, n_on) + given(mark.bg, off, n_off) + 1e-4 * (n_on - 2.0 * on[3]),
            Ink::Shape => self.gain((on, n_on), (off, n_off)),
        }
    }

    /// The cell of a division.
    fn mark(self, glyph: char, (on, n_on): (Sum, f32), (off, n_off): (Sum, f32)) -> Mark {
        let mean = |sum: Sum, n: f32| (n > 0.0).then(|| shown([sum[0] / n, sum[1] / n, sum[2] / n]));
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
