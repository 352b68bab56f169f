//! All block glyphs of a mode as coverage masks, and the search for the few that may suit a cell.
//!
//! The texels of a block are split in two by the plane through their mean colour, across the axis in which they differ
//! most: 128 bits. The glyphs whose masks are nearest to these in Hamming distance are then scored by the squared error
//! that they leave, which is closed-form, and by the break at the cell's borders. Scoring 24 of them instead of five
//! gains 0.01 dB and takes half as long again.

use crate::cell::blocks;
use crate::cell::color::Rgb;
use crate::cell::glyph_mode::{GlyphMode, Repertoire};
use crate::view::glyph::color_mode::{ColorMode, GlyphEdge};
use crate::view::glyph::fitted_cell::{FittedCell, GlyphFit};
use crate::view::glyph::glyph_mask::GlyphMask;
use crate::view::glyph::gradient::{ColorGradient, DIRECTIONS, best_by_direction};
use crate::view::glyph::halves::{COURSE_MASKS, course_bits, inside, split};
use crate::view::glyph::texel_block::{TEXEL_COUNT, TexelBlock, TexelSet, TexelSum};
use fearless_simd::prelude::*;
use std::sync::OnceLock;

/// Number of nearest glyphs that are scored.
const NEAREST: usize = 5;

/// Capacity for the glyphs of a mode: octants have 256.
const MAX_MASKS: usize = 256;

/// Weight of one of the [`course_bits`] in the search, in texels: enough for ▐ to be among the nearest for an upright
/// edge, to which slants of the same area are otherwise nearer.
const COURSE_DISTANCE: u64 = 2;

/// Additional squared error of an edge at which the former cell is still kept (tones squared: six code values in each
/// channel). At rest hardly a cell changes then; PSNR loses 0.01 dB in a splash, 0.03 dB in calm water. (A share of the
/// error, 6 %, kept cells equally still, but a splash lost 0.09 dB, because a share of a large error is large.)
const KEEP_TOLERANCE: f32 = 3.0 * 6.0 * 6.0 / (255.0 * 255.0);

/// Fraction of background in a cell below which the cell may be filled, if two colours of liquid are nearer to it than
/// one and the background: 0.06 to 0.15 dB in a splash. (Up to half a cell it is 0.15 to 0.5 dB, but edges lose their
/// shape: SSIM falls, and all the more where the background differs from the assumed one.)
const FILLABLE: f32 = 0.12;

/// Minimum improvement in gain for a glyph to replace an earlier one, so that rounding errors do not decide.
const MIN_IMPROVEMENT: f32 = 1e-7;

/// Largest difference in code values at which the former cell of a gradient is kept, and the minimum gain of the former
/// division, as a fraction of the best one's.
const GRADIENT_TOLERANCE: u8 = 1;
const KEEP_GAIN: f32 = 0.8;

/// Minimum difference of the two colours of a gradient, in code values, for a division: less is not visible.
const FLAT: u8 = 2;

/// A glyph with its score for a block.
#[derive(Clone, Copy, Debug)]
struct ScoredGlyph {
    /// Decrease of the error (see [`ColorMode::gain`]).
    gain: f32,
    index: usize,
    on: TexelSet,
    off: TexelSet,
    mode: ColorMode,
}

/// The glyphs of one mode.
#[derive(Clone, Debug)]
pub struct Atlas {
    /// First the glyphs that divide a cell in different ways, then those that are inverse to one of these.
    masks: Vec<GlyphMask>,
    /// The masks as bits: the upper and the lower half, and their course beyond the cell. In planes, so that their
    /// differences from a split are counted together.
    upper: Vec<u64>,
    lower: Vec<u64>,
    courses: Vec<u64>,
    /// Number of masks that divide a cell in different ways.
    divisions: usize,
    /// The best division for a gradient in each direction.
    by_direction: [usize; DIRECTIONS],
    /// The index of the full block.
    full: usize,
}

impl Atlas {
    /// Returns the glyphs of a mode of blocks; built once.
    pub fn of(mode: GlyphMode) -> &'static Self {
        static ATLASES: [OnceLock<Atlas>; GlyphMode::ALL.len()] = [const { OnceLock::new() }; GlyphMode::ALL.len()];
        ATLASES[mode as usize].get_or_init(|| Self::new(&members(mode)))
    }

    fn new(glyphs: &[char]) -> Self {
        let all: Vec<GlyphMask> = glyphs.iter().filter_map(|&glyph| GlyphMask::new(glyph)).collect();
        let (mut masks, mut inverses) = (Vec::<GlyphMask>::new(), Vec::new());
        // Of two inverse glyphs the one that covers the lower right comes first. It must always be the same one,
        // because inverting cells of still water would cost bytes.
        for mask in all.iter().filter(|m| m.covers_last()).chain(all.iter().filter(|m| !m.covers_last())) {
            let known = masks.iter().any(|other| other.is_inverse_of(mask));
            if known { inverses.push(mask.clone()) } else { masks.push(mask.clone()) }
        }
        let divisions = masks.len();
        let by_direction = best_by_direction(&masks);
        masks.append(&mut inverses);
        assert!(masks.len() <= MAX_MASKS, "{} glyphs", masks.len());
        let bits: Vec<u128> = masks.iter().map(GlyphMask::bits).collect();
        let full = masks.iter().position(|mask| mask.glyph == '█').unwrap_or_default();
        Self {
            upper: bits.iter().map(|bits| *bits as u64).collect(),
            lower: bits.iter().map(|bits| (bits >> 64) as u64).collect(),
            courses: bits.iter().copied().map(course_bits).collect(),
            masks,
            divisions,
            by_direction,
            full,
        }
    }

    /// Returns the cell nearest to `block`, or the former cell if that is nearly as near.
    #[inline(always)]
    pub fn fit<S: Simd>(&self, simd: S, block: &TexelBlock, mode: ColorMode, former: GlyphFit) -> GlyphFit {
        let (total, course) = block.mean_and_course(simd);
        let edge = mode.edge(&course);
        let mut best = self.best(simd, block, total, edge, mode);
        if matches!(mode, ColorMode::OnBackground(_)) && total[3] < FILLABLE {
            let filled = self.best(simd, block, total, edge, ColorMode::TwoColors);
            if filled.gain > best.gain {
                best = filled;
            }
        }
        if let Some(index) = former.index().filter(|&index| index < self.candidates(best.mode)) {
            let [on, off] =
                if index == best.index { [best.on, best.off] } else { self.masks[index].divide(simd, block, total) };
            let course = &self.masks[index].course;
            let breaks = match &edge {
                Some(edge) => edge.break_cost(mode.tones_of(former.cell), course),
                None => 0.0,
            };
            if best.gain - mode.gain_of(former.cell, on, off) + breaks < KEEP_TOLERANCE {
                return former;
            }
        }
        GlyphFit::new(best.index, best.mode.cell(self.masks[best.index].glyph, best.on, best.off))
    }

    /// Returns the cell nearest to a gradient: divided across the direction in which it changes most, or, with
    /// `flatten`, of one colour where both are equal. The former cell is returned if it is nearly as near.
    #[inline(always)]
    pub fn fit_gradient(&self, gradient: &ColorGradient, flatten: bool, former: GlyphFit) -> GlyphFit {
        let index = self.by_direction[gradient.direction()];
        let best = &self.masks[index];
        let cell = gradient.cell(best);
        if let Some(former_index) = former.index().filter(|&index| index < self.divisions) {
            let same = former_index == index;
            let mask = &self.masks[former_index];
            let enough = same || gradient.gain(mask) >= KEEP_GAIN * gradient.gain(best);
            if enough && former.cell.is_like(if same { cell } else { gradient.cell(mask) }, GRADIENT_TOLERANCE) {
                return former;
            }
        }
        match (cell.fg, cell.bg) {
            (Some(a), Some(b)) if flatten && a.is_within(FLAT, b) => {
                let mean = Some(Rgb::from_linear(gradient.mean));
                GlyphFit::new(self.full, FittedCell { glyph: '█', fg: mean, bg: mean })
            }
            _ => GlyphFit::new(index, cell),
        }
    }

    /// Returns the glyph that lowers the error most with these colours.
    #[inline(always)]
    fn best<S: Simd>(
        &self,
        simd: S,
        block: &TexelBlock,
        total: TexelSum,
        edge: Option<GlyphEdge>,
        mode: ColorMode,
    ) -> ScoredGlyph {
        let two_colors = mode == ColorMode::TwoColors;
        let wanted = if two_colors { split(simd, block, total) } else { inside(simd, block) };
        let nothing = TexelSet::default();
        let mut best = ScoredGlyph { gain: f32::NEG_INFINITY, index: 0, on: nothing, off: nothing, mode };
        for index in self.nearest(wanted, self.candidates(mode), two_colors, edge) {
            let [on, off] = self.masks[index].divide(simd, block, total);
            let course = &self.masks[index].course;
            // (With `map_or` the closure is a call, compiled for no instruction set: 7 % of the time of the glyphs.)
            let breaks = match &edge {
                Some(edge) => edge.break_cost(mode.tones(on, off), course),
                None => 0.0,
            };
            let gain = mode.gain(on, off) - breaks;
            if gain > best.gain + MIN_IMPROVEMENT {
                best = ScoredGlyph { gain, index, on, off, mode };
            }
        }
        best
    }

    /// Number of masks that are candidates: with both colours free, inverse glyphs add nothing.
    fn candidates(&self, mode: ColorMode) -> usize {
        if mode == ColorMode::TwoColors { self.divisions } else { self.masks.len() }
    }

    /// Returns the glyphs that differ from `wanted` in the fewest texels, and in the course of an `edge`; with
    /// `or_inverse`, their inverses count too.
    #[inline(always)]
    fn nearest(&self, wanted: u128, candidates: usize, or_inverse: bool, edge: Option<GlyphEdge>) -> [usize; NEAREST] {
        let wanted_course = if edge.is_some() { course_bits(wanted) } else { 0 };
        let mask = edge.map_or(0, |edge| COURSE_MASKS[edge.along]);
        let (upper, lower) = (wanted as u64, (wanted >> 64) as u64);
        // First all distances, in a loop that the compiler vectorizes, then the least of them: glyph by glyph it took
        // half as long again.
        let mut distances = [0u64; MAX_MASKS];
        let planes = self.upper[..candidates].iter().zip(&self.lower[..candidates]).zip(&self.courses[..candidates]);
        for (distance, ((up, low), course)) in distances.iter_mut().zip(planes) {
            let differing = u64::from((up ^ upper).count_ones() + (low ^ lower).count_ones());
            let differing = if or_inverse { differing.min(TEXEL_COUNT as u64 - differing) } else { differing };
            let breaks = u64::from(((course ^ wanted_course) & mask).count_ones());
            *distance = differing + COURSE_DISTANCE * breaks;
        }
        let mut found = [(u64::MAX, 0); NEAREST];
        for (index, &distance) in distances[..candidates].iter().enumerate() {
            if distance < found[NEAREST - 1].0 {
                let mut at = NEAREST - 1;
                while at > 0 && found[at - 1].0 > distance {
                    found[at] = found[at - 1];
                    at -= 1;
                }
                found[at] = (distance, index);
            }
        }
        found.map(|(_, index)| index)
    }
}

/// Every glyph of a mode once.
fn members(mode: GlyphMode) -> Vec<char> {
    let all = match mode.repertoire() {
        Repertoire::Blocks(all) => all(),
        // Characters are not fitted by an atlas; the halves are placeholders.
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
        for (mode, count) in [(GlyphMode::Half, 2), (GlyphMode::Quadrant, 8 + 6 + 6), (GlyphMode::Octant, 128)] {
            assert_eq!(Atlas::of(mode).divisions, count, "{mode}");
        }
        // Half of the sextants, of the quadrants but for what sextants can do, and of the wedges; ▌ is in all.
        assert_eq!(Atlas::of(GlyphMode::Wedge).divisions, 32 + 6 + 12 + 26);
    }
}
