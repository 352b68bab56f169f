//! Which colours of a cell are free, and what a division of the cell into two sets of texels is worth for that.

use crate::cell::color::Rgb;
use crate::view::glyph::fitted_cell::FittedCell;
use crate::view::glyph::texel_block::{SqrtLinearRgb, TexelSet, sqrt_linear, square, to_rgb};

/// The share of background in a foreground from which on it is not drawn: so faint, it reads as dirt beside the liquid.
const FAINT: f32 = 0.72;

/// The weight of the shape, in squared tones per area, where only the foreground is free. Below a code value of error, so
/// that it decides only where liquid and background have one colour.
const SHAPE_WEIGHT: f32 = 1e-4;

/// Which colours of a cell are free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ColorMode {
    /// Both.
    TwoColors,
    /// The foreground; the background is the terminal's own, taken to be of this colour.
    OnBackground(SqrtLinearRgb),
    /// None: only the shape counts.
    ShapeOnly,
}

impl ColorMode {
    /// By how much a division lowers the block's squared error, up to a constant of the block: the set `on` gets the
    /// foreground, `off` the background.
    ///
    /// A set of n texels x in one colour c leaves `Σ|x − c|² = Σ|x|² − 2c·Σx + n|c|²`. A free colour is best as the set's
    /// mean Σx/n, and leaves `Σ|x|² − |Σx|²/n`. The sums of squares are the same for every division and drop out, so
    /// what a set contributes is `|Σx|²/n`, or `2c·Σx − n|c|²` for a given colour.
    #[inline(always)]
    pub(super) fn gain(self, on: TexelSet, off: TexelSet) -> f32 {
        let free = |set: TexelSet| if set.area > 0.0 { square(set.sum) / set.area } else { 0.0 };
        match self {
            ColorMode::TwoColors => free(on) + free(off),
            ColorMode::OnBackground(b) => {
                let dot = b[0] * off.sum[0] + b[1] * off.sum[1] + b[2] * off.sum[2];
                let given = 2.0 * dot - off.area * (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
                free(on) + given + SHAPE_WEIGHT * shape_gain(on)
            }
            ColorMode::ShapeOnly => shape_gain(on),
        }
    }

    /// The same where the colours are those of `cell`.
    #[inline(always)]
    pub(super) fn gain_of(self, cell: FittedCell, on: TexelSet, off: TexelSet) -> f32 {
        let given = |color: Option<Rgb>, TexelSet { sum, area }: TexelSet| {
            let background = if let ColorMode::OnBackground(background) = self { background } else { [0.0; 3] };
            let c = color.map_or(background, |rgb| sqrt_linear(rgb.linear()));
            2.0 * (c[0] * sum[0] + c[1] * sum[1] + c[2] * sum[2]) - area * (c[0] * c[0] + c[1] * c[1] + c[2] * c[2])
        };
        match self {
            ColorMode::TwoColors => given(cell.fg, on) + given(cell.bg, off),
            ColorMode::OnBackground(_) => given(cell.fg, on) + given(cell.bg, off) + SHAPE_WEIGHT * shape_gain(on),
            ColorMode::ShapeOnly => self.gain(on, off),
        }
    }

    /// The cell of a division: each set in its mean colour, as far as that is free.
    pub(super) fn cell(self, glyph: char, on: TexelSet, off: TexelSet) -> FittedCell {
        let mean = |TexelSet { sum, area }: TexelSet| {
            (area > 0.0).then(|| to_rgb([sum[0] / area, sum[1] / area, sum[2] / area]))
        };
        match self {
            ColorMode::TwoColors => {
                let (fg, bg) = (mean(on), mean(off));
                FittedCell { glyph, fg: fg.or(bg), bg: bg.or(fg) }
            }
            ColorMode::OnBackground(_) if on.sum[3] >= FAINT * on.area => FittedCell::BLANK,
            ColorMode::OnBackground(_) => {
                let fg = mean(on);
                // A full cell has the colour behind it too: in many fonts the full block leaves a seam.
                FittedCell { glyph, fg, bg: if off.area == 0.0 { fg } else { None } }
            }
            ColorMode::ShapeOnly => FittedCell { glyph, fg: None, bg: None },
        }
    }
}

/// What covering a set of texels is worth by its shape: `sum[3]` of its area is background, and the rest, if it is more
/// than half, is worth covering.
#[inline(always)]
fn shape_gain(on: TexelSet) -> f32 {
    on.area - 2.0 * on.sum[3]
}
