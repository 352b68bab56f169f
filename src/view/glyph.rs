//! From a patch of picture to one cell: the glyph and the colours that come nearest to it.
//!
//! Every mode answers the same question: into which two sets does a glyph divide the cell, such that one colour for
//! each set leaves the least squared error? With the sums of both sets' colours at hand, the error of
//! a division is closed-form (see `Ink::gain`), so what is left is to find the few glyphs that are worth it:
//! `atlas` has them by the shape that the patch itself falls into, `divide` by trying the n + 1 best of 2ⁿ divisions.

pub mod atlas;
pub mod gradient;
mod halves;
mod partition;
pub mod texel_block;
mod text_glyphs;

pub use texel_block::{Patch, Sum};

use crate::cell::color::Rgb;
use crate::cell::glyph_mode::{GlyphMode, Repertoire};
use atlas::{Atlas, Choice};
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};
use texel_block::{Tone, shown, square, tone};

/// The cell that comes nearest to `patch`.
pub fn fit(mode: GlyphMode, patch: &Patch, ink: Ink) -> Mark {
    dispatch!(Level::new(), simd => fit_after(simd, mode, patch, ink, Choice::BLANK)).mark
}

/// The same within code for an instruction set, for a cell that was `past`, which is kept if it is nearly as near.
#[inline(always)]
pub(super) fn fit_after<S: Simd>(simd: S, mode: GlyphMode, patch: &Patch, ink: Ink, past: Choice) -> Choice {
    if let (Ink::Shape, true) = (ink, patch.solid > 0.5) {
        return Choice::free(Mark { glyph: mode.wall(), fg: None, bg: None });
    }
    match mode.repertoire() {
        Repertoire::Blocks(_) => Atlas::of(mode).fit(simd, patch, ink, past),
        Repertoire::Signs { outline, full } => text_glyphs::fit(patch, ink, past, outline, full),
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
