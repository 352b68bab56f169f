//! The free colours of a cell, and the gain of dividing the cell into two sets of texels with them.

use crate::cell::color::Rgb;
use crate::view::glyph::fitted_cell::FittedCell;
use crate::view::glyph::texel_block::{Course, SqrtLinearRgb, TexelRow, TexelSet, TexelSum, square, to_rgb, tone_of};
use fearless_simd::prelude::*;

/// Fraction of background in a foreground from which on it is not drawn.
const FAINT: f32 = 0.72;

/// Weight of the shape, in squared tones per area, where only the foreground is free: it decides only where liquid and background
/// have one colour.
const SHAPE_WEIGHT: f32 = 1e-4;

/// Weight of a break at the cell's border, in squared tones per squared tone of the texels within. Without it upright and level
/// edges are jagged with wedges.
const BREAK_WEIGHT: f32 = 0.6;

/// Decrease of that weight for edges that are bent or neither upright nor level, by the ratio of squared changes along the edge
/// and across it.
const BEND_PENALTY: f32 = 8.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ColorMode {
    TwoColors,
    /// The foreground is free; the background is the terminal's own, assumed to be of this tone. With its `color`, it may also be
    /// the foreground of a glyph.
    OnBackground {
        tone: SqrtLinearRgb,
        color: Option<Rgb>,
    },
    /// No colour is free: only the shape matters.
    ShapeOnly,
}

impl ColorMode {
    /// Decrease of the block's squared error by each of eight divisions, up to a constant of the block, less its break at the
    /// borders: the set `on` gets the foreground, the rest the background. A set of n texels x in one colour c leaves
    /// `Σ|x − c|² = Σ|x|² − 2c·Σx + n|c|²`, so it contributes `|Σx|²/n` with its best colour, the mean, or `2c·Σx − n|c|²` with a
    /// given one.
    #[inline(always)]
    pub(super) fn gains<S: Simd>(
        self,
        simd: S,
        (on, area): ([TexelRow<S>; 4], TexelRow<S>),
        Course { slant, bend }: Course<TexelRow<S>>,
        total: TexelSum,
        edge: Option<GlyphEdge>,
    ) -> TexelRow<S> {
        let (zero, one) = (TexelRow::splat(simd, 0.0), TexelRow::splat(simd, 1.0));
        let mut off = on;
        for (off, total) in off.iter_mut().zip(total) {
            *off = TexelRow::splat(simd, total) - *off;
        }
        let off_area = one - area;
        let mut off_tones = [zero; 3];
        if let ColorMode::OnBackground { tone: background, .. } = self {
            for (tone, part) in off_tones.iter_mut().zip(background) {
                *tone = TexelRow::splat(simd, part);
            }
        }
        let shape = area - on[3] * 2.0;
        let gain = match self {
            ColorMode::TwoColors => free_gains(simd, on, area) + free_gains(simd, off, off_area),
            ColorMode::OnBackground { tone: b, .. } => {
                let dot = off[0] * b[0] + off[1] * b[1] + off[2] * b[2];
                let given = dot * 2.0 - off_area * (b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
                free_gains(simd, on, area) + given + shape * SHAPE_WEIGHT
            }
            ColorMode::ShapeOnly => shape,
        };
        let Some(edge) = edge else { return gain };
        let on_tones = if self == ColorMode::ShapeOnly { [one, zero, zero] } else { means(simd, on, area) };
        if self == ColorMode::TwoColors {
            off_tones = means(simd, off, off_area);
        }
        let mut breaks = zero;
        for k in 0..3 {
            let difference = on_tones[k] - off_tones[k];
            let slanted = TexelRow::splat(simd, edge.slant[k]) - slant[edge.along] * difference;
            let bent = TexelRow::splat(simd, edge.bend[k]) - bend[edge.along] * difference;
            breaks += slanted * slanted + bent * bent;
        }
        gain - breaks * edge.weight
    }

    #[inline(always)]
    pub(super) fn gain_of(self, cell: FittedCell, on: TexelSet, off: TexelSet) -> f32 {
        let [fg, bg] = self.tones_of(cell);
        let given = |c: SqrtLinearRgb, TexelSet { sum, area }: TexelSet| {
            2.0 * (c[0] * sum[0] + c[1] * sum[1] + c[2] * sum[2]) - area * (c[0] * c[0] + c[1] * c[1] + c[2] * c[2])
        };
        match self {
            ColorMode::TwoColors => given(fg, on) + given(bg, off),
            ColorMode::OnBackground { .. } => given(fg, on) + given(bg, off) + SHAPE_WEIGHT * shape_gain(on),
            ColorMode::ShapeOnly => shape_gain(on),
        }
    }

    /// The edge of a block, if it is upright or level. An edge continues into the neighbouring cells as it is in this cell, so a
    /// glyph matches them if its course is that of the block. Only the direction along the edge matters.
    #[inline(always)]
    pub(super) fn edge(self, block: &Course<TexelSum>) -> Option<GlyphEdge> {
        let shape_only = self == ColorMode::ShapeOnly;
        let down = square(ink(block.slant[0], shape_only)) + square(ink(block.bend[0], shape_only));
        let across = square(ink(block.slant[1], shape_only)) + square(ink(block.bend[1], shape_only));
        let (along, crooked, other) = if down < across { (0, down, across) } else { (1, across, down) };
        let straight = 1.0 - BEND_PENALTY * crooked / other.max(1e-9);
        let weight = BREAK_WEIGHT * straight;
        (straight > 0.0).then(|| GlyphEdge {
            along,
            weight,
            slant: ink(block.slant[along], shape_only),
            bend: ink(block.bend[along], shape_only),
        })
    }

    #[inline(always)]
    pub(super) fn tones_of(self, cell: FittedCell) -> [SqrtLinearRgb; 2] {
        if self == ColorMode::ShapeOnly {
            return [[1.0, 0.0, 0.0], [0.0; 3]];
        }
        let background = if let ColorMode::OnBackground { tone, .. } = self { tone } else { [0.0; 3] };
        let mut tones = [background; 2];
        for (tone, color) in tones.iter_mut().zip([cell.fg, cell.bg]) {
            if let Some(rgb) = color {
                *tone = tone_of(rgb);
            }
        }
        tones
    }

    pub(super) fn cell(self, glyph: char, on: TexelSet, off: TexelSet) -> FittedCell {
        let mean = |TexelSet { sum, area }: TexelSet| {
            (area > 0.0).then(|| to_rgb([sum[0] / area, sum[1] / area, sum[2] / area]))
        };
        match self {
            ColorMode::TwoColors => {
                let (fg, bg) = (mean(on), mean(off));
                FittedCell { glyph, fg: fg.or(bg), bg: bg.or(fg) }
            }
            ColorMode::OnBackground { .. } if on.sum[3] >= FAINT * on.area => FittedCell::BLANK,
            ColorMode::OnBackground { .. } => {
                let fg = mean(on);
                // A full cell also sets the background to its colour: in many fonts the full block leaves a seam.
                FittedCell { glyph, fg, bg: if off.area == 0.0 { fg } else { None } }
            }
            ColorMode::ShapeOnly => FittedCell { glyph, fg: None, bg: None },
        }
    }
}

#[inline(always)]
fn free_gains<S: Simd>(simd: S, [red, green, blue, _]: [TexelRow<S>; 4], area: TexelRow<S>) -> TexelRow<S> {
    let zero = TexelRow::splat(simd, 0.0);
    area.simd_gt(zero).select((red * red + green * green + blue * blue) / area, zero)
}

#[inline(always)]
fn means<S: Simd>(simd: S, [red, green, blue, _]: [TexelRow<S>; 4], area: TexelRow<S>) -> [TexelRow<S>; 3] {
    let (zero, one) = (TexelRow::splat(simd, 0.0), TexelRow::splat(simd, 1.0));
    let share = area.simd_gt(zero).select(one / area, zero);
    [red * share, green * share, blue * share]
}

#[derive(Clone, Copy, Debug)]
pub(super) struct GlyphEdge {
    /// The direction in which it continues: 0 down, 1 across.
    pub along: usize,
    weight: f32,
    slant: TexelSum,
    bend: TexelSum,
}

impl GlyphEdge {
    #[inline(always)]
    pub fn break_cost(&self, [on, off]: [SqrtLinearRgb; 2], glyph: &Course<f32>) -> f32 {
        let (slant, bend) = (glyph.slant[self.along], glyph.bend[self.along]);
        let mut sum = 0.0;
        for k in 0..3 {
            let difference = on[k] - off[k];
            let (slanted, bent) = (self.slant[k] - slant * difference, self.bend[k] - bend * difference);
            sum += slanted * slanted + bent * bent;
        }
        self.weight * sum
    }
}

/// The part of a difference of sums that counts: its tones, or where only the shape counts the fraction of ink.
#[inline(always)]
fn ink(sum: TexelSum, shape_only: bool) -> TexelSum {
    if shape_only { [-sum[3], 0.0, 0.0, 0.0] } else { sum }
}

/// The gain of covering a set of texels by its shape alone: it pays if less than half of the area, `sum[3]`, is background.
#[inline(always)]
fn shape_gain(on: TexelSet) -> f32 {
    on.area - 2.0 * on.sum[3]
}
