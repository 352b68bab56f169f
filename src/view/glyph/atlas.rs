//! All block glyphs of a mode as coverage masks, and the search for the few that may suit a cell. The texels of a block are split
//! in two by the plane through their mean colour, across the axis in which they differ most: 128 bits. The glyphs whose masks are
//! nearest in Hamming distance are scored by the squared error that they leave, and by the break at the cell's borders.

use crate::cell::blocks;
use crate::cell::color::Rgb;
use crate::cell::glyph_mode::{GlyphMode, Repertoire};
use crate::cell::wedge;
use crate::math::transpose;
use crate::view::glyph::color_mode::{ColorMode, GlyphEdge};
use crate::view::glyph::fitted_cell::{FittedCell, GlyphFit};
use crate::view::glyph::glyph_mask::GlyphMask;
use crate::view::glyph::gradient::{ColorGradient, DIRECTIONS, best_by_direction};
use crate::view::glyph::halves::{COURSE_MASKS, course_bits, inside, split};
use crate::view::glyph::texel_block::{Course, TEXEL_COUNT, TexelBlock, TexelRow, TexelSet, TexelSum, minus, tone_of};
use fearless_simd::prelude::*;
use fearless_simd::{f32x4, i32x8};
use std::collections::HashSet;
use std::sync::OnceLock;

const NEAREST: usize = 5;

/// Capacity for the glyphs of a mode that divide a cell in different ways: of 256 octants, one of each two inverse ones.
const MAX_DIVISIONS: usize = 128;

/// Divisions whose distances are compared together.
const LANES: usize = 8;

/// Bits of a glyph's index in the keys of the search, and the key of no glyph. (It counts as glyph 0.)
const INDEX_BITS: u32 = 8;
const NO_KEY: i32 = i32::MAX >> INDEX_BITS << INDEX_BITS;

/// Weight of one of the [`course_bits`] in the search, in texels: enough for ▐ to be among the nearest for an upright edge.
const COURSE_DISTANCE: u32 = 2;

/// Additional distance of a slanted glyph from a cell with straight walls: more than any other.
const SLANTED: u32 = 1 << 10;

/// Additional squared error of an edge at which the former cell is still kept (tones squared: six code values in each channel),
/// so that at rest hardly a cell changes.
const KEEP_TOLERANCE: f32 = 3.0 * 6.0 * 6.0 / (255.0 * 255.0);

/// Fraction of background in a cell below which the cell may be filled, if two colours of liquid are nearer to it.
const FILLABLE: f32 = 0.12;

/// Minimum improvement in gain for a glyph to replace an earlier one, so that rounding errors do not decide.
const MIN_IMPROVEMENT: f32 = 1e-7;

/// Largest difference in code values at which the former cell of a gradient is kept, and the minimum gain of the former division,
/// as a fraction of the best one's.
const GRADIENT_TOLERANCE: u8 = 1;
const KEEP_GAIN: f32 = 0.8;

/// Minimum difference of the two colours of a gradient, in code values, for a division: less is not visible.
const FLAT: u8 = 2;

struct ScoredGlyph {
    gain: f32,
    index: usize,
    on: TexelSet,
    off: TexelSet,
    mode: ColorMode,
}

pub struct Atlas {
    /// First the glyphs that divide a cell in different ways, then those that are inverse to one of these, and then the reversed
    /// masks of divisions without an inverse glyph.
    masks: Vec<GlyphMask>,
    /// The masks of the divisions as bits: the upper and the lower half, and their course beyond the cell. In planes, so that
    /// their differences from a split are counted together.
    upper: Vec<u64>,
    lower: Vec<u64>,
    courses: Vec<u64>,
    /// [`SLANTED`] for a mask that is cut by a slanted line, and else 0.
    slants: Vec<u32>,
    /// The mask that is inverse to each division: its bits are the other ones, and its course is the same.
    inverses: Vec<u8>,
    divisions: usize,
    /// The number of divisions and inverse glyphs.
    glyphs: usize,
    /// The best division for a gradient in each direction.
    by_direction: [usize; DIRECTIONS],
    full: usize,
}

impl Atlas {
    pub fn of(mode: GlyphMode) -> &'static Self {
        static ATLASES: [OnceLock<Atlas>; GlyphMode::ALL.len()] = [const { OnceLock::new() }; GlyphMode::ALL.len()];
        ATLASES[mode as usize].get_or_init(|| Self::new(&members(mode)))
    }

    fn new(glyphs: &[char]) -> Self {
        let all: Vec<GlyphMask> = glyphs.iter().filter_map(|&glyph| GlyphMask::new(glyph)).collect();
        let (mut masks, mut inverses, mut inverse_to) = (Vec::<GlyphMask>::new(), Vec::new(), Vec::new());
        // Of two inverse glyphs the one that covers the lower right comes first: inverting cells of still water would cost bytes.
        for mask in all.iter().filter(|m| m.covers_last()).chain(all.iter().filter(|m| !m.covers_last())) {
            match masks.iter().position(|other| other.is_inverse_of(mask)) {
                Some(division) => {
                    inverses.push(mask.clone());
                    inverse_to.push(division);
                }
                None => masks.push(mask.clone()),
            }
        }
        let divisions = masks.len();
        let by_direction = best_by_direction(&masks);
        let bits: Vec<u128> = masks.iter().map(GlyphMask::bits).collect();
        let mut inverse_of: Vec<Option<u8>> = vec![None; divisions];
        for (number, (mask, &division)) in inverses.iter().zip(&inverse_to).enumerate() {
            assert_eq!(mask.bits(), !bits[division], "{} has the other texels", mask.glyph);
            assert_eq!(inverse_of[division], None, "{} is the only inverse", mask.glyph);
            inverse_of[division] = Some((divisions + number) as u8);
        }
        masks.append(&mut inverses);
        let glyphs = masks.len();
        let inverses = inverse_of.into_iter().enumerate().map(|(division, inverse)| {
            inverse.unwrap_or_else(|| {
                masks.push(masks[division].reversed());
                (masks.len() - 1) as u8
            })
        });
        let inverses = inverses.collect();
        assert!(divisions <= MAX_DIVISIONS && masks.len() <= 1 << INDEX_BITS, "{} glyphs", masks.len());
        let full = masks.iter().position(|mask| mask.glyph == '█').unwrap_or_default();
        let wedges = wedge::all();
        Self {
            upper: bits.iter().map(|bits| *bits as u64).collect(),
            lower: bits.iter().map(|bits| (bits >> 64) as u64).collect(),
            slants: masks.iter().map(|mask| if wedges.contains(&mask.glyph) { SLANTED } else { 0 }).collect(),
            courses: bits.iter().copied().map(course_bits).collect(),
            inverses,
            masks,
            divisions,
            glyphs,
            by_direction,
            full,
        }
    }

    #[inline(always)]
    pub fn fit<S: Simd>(&self, simd: S, block: &TexelBlock, mode: ColorMode, former: GlyphFit) -> GlyphFit {
        let (total, course) = block.mean_and_course(simd);
        let edge = mode.edge(&course);
        let mut best = self.best(simd, block, total, edge, mode);
        if matches!(mode, ColorMode::OnBackground { .. }) && total[3] < FILLABLE {
            let filled = self.best(simd, block, total, edge, ColorMode::TwoColors);
            if filled.gain > best.gain {
                best = filled;
            }
        }
        let may_stay =
            |&index: &usize| index < self.candidates(best.mode) && !(block.straight && self.slants[index] > 0);
        if let Some(index) = former.index().filter(may_stay) {
            let [on, off] =
                if index == best.index { [best.on, best.off] } else { self.masks[index].divide(simd, block, total) };
            let mask = &self.masks[index];
            let cell = mask.swapped(former.cell, None);
            let breaks = if let Some(edge) = &edge { edge.break_cost(mode.tones_of(cell), &mask.course) } else { 0.0 };
            if best.gain - mode.gain_of(cell, on, off) + breaks < KEEP_TOLERANCE {
                return former;
            }
        }
        let mask = &self.masks[best.index];
        let cell = best.mode.cell(mask.glyph, best.on, best.off);
        let ColorMode::OnBackground { color, .. } = best.mode else { return GlyphFit::new(best.index, cell) };
        GlyphFit::new(best.index, if cell == FittedCell::BLANK { cell } else { mask.swapped(cell, color) })
    }

    /// Divided across the direction in which the colour changes most, or, with `flatten`, of one colour where both are equal. The
    /// former cell is returned if it is nearly as near.
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

    /// Whether a former cell is nearly as near to a gradient as the nearest one, as [`Atlas::fit`] judges it.
    #[inline(always)]
    pub fn keeps(&self, gradient: &ColorGradient, former: GlyphFit) -> bool {
        let Some(mask) = former.index().filter(|&index| index < self.divisions).map(|index| &self.masks[index]) else {
            return false;
        };
        let distance = |a: Option<Rgb>, b: Option<Rgb>| match (a.map(tone_of), b.map(tone_of)) {
            (Some(a), Some(b)) => (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum(),
            _ => f32::INFINITY,
        };
        let own = gradient.cell(mask);
        let off = if mask.area < 1.0 { distance(own.bg, former.cell.bg) } else { 0.0 };
        let colors = mask.area * distance(own.fg, former.cell.fg) + (1.0 - mask.area) * off;
        let tones = gradient.tones();
        let best = &self.masks[self.by_direction[gradient.direction()]];
        tones.gain(best) - tones.gain(mask) + colors < KEEP_TOLERANCE
    }

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
        let nearest = self.nearest(simd, wanted, mode, edge, block.straight);
        let mut sums = [f32x4::splat(simd, 0.0); LANES];
        let (mut area, mut slant, mut bend) = ([0.0; LANES], [[0.0; LANES]; 2], [[0.0; LANES]; 2]);
        for (lane, &index) in nearest.iter().enumerate() {
            let mask = &self.masks[index];
            sums[lane] = block.sum(simd, &mask.weights);
            area[lane] = mask.area;
            for axis in 0..2 {
                (slant[axis][lane], bend[axis][lane]) = (mask.course.slant[axis], mask.course.bend[axis]);
            }
        }
        let course = Course {
            slant: [TexelRow::from_slice(simd, &slant[0]), TexelRow::from_slice(simd, &slant[1])],
            bend: [TexelRow::from_slice(simd, &bend[0]), TexelRow::from_slice(simd, &bend[1])],
        };
        let divisions = (transpose(sums), TexelRow::from_slice(simd, &area));
        let gains: [f32; LANES] = mode.gains(simd, divisions, course, total, edge).into();
        let (mut gain, mut best) = (f32::NEG_INFINITY, 0);
        for (lane, &own) in gains[..NEAREST].iter().enumerate() {
            if own > gain + MIN_IMPROVEMENT {
                (gain, best) = (own, lane);
            }
        }
        let (sum, area): (TexelSum, f32) = (sums[best].into(), area[best]);
        let on = TexelSet { sum, area };
        ScoredGlyph { gain, index: nearest[best], on, off: TexelSet { sum: minus(total, sum), area: 1.0 - area }, mode }
    }

    /// Number of masks that are candidates: with both colours free, inverse ones add nothing, and reversed ones need the colour of
    /// the background.
    fn candidates(&self, mode: ColorMode) -> usize {
        match mode {
            ColorMode::TwoColors => self.divisions,
            ColorMode::OnBackground { color: Some(_), .. } => self.masks.len(),
            ColorMode::OnBackground { .. } | ColorMode::ShapeOnly => self.glyphs,
        }
    }

    /// The glyphs that differ from `wanted` in the fewest texels, and in the course of an `edge`; ties go to the lower index.
    /// With both colours free there are only divisions, and their inverses count too. Keys of distance and index are compared in
    /// vectors.
    #[inline(always)]
    fn nearest<S: Simd>(
        &self,
        simd: S,
        wanted: u128,
        mode: ColorMode,
        edge: Option<GlyphEdge>,
        straight: bool,
    ) -> [usize; NEAREST] {
        let mut keys = [[NO_KEY; LANES]; 2 * MAX_DIVISIONS / LANES];
        let count = self.keys(wanted, self.candidates(mode), edge, straight, &mut keys);
        let keys = &keys[..count];
        let mut least = i32x8::splat(simd, NO_KEY);
        for lanes in keys {
            least = least.min(i32x8::from_slice(simd, lanes));
        }
        let mut found = [NO_KEY; NEAREST];
        for key in <[i32; LANES]>::from(least) {
            insert(&mut found, key);
        }
        let limit = i32x8::splat(simd, found[NEAREST - 1]);
        found = [NO_KEY; NEAREST];
        for lanes in keys {
            let mut near = i32x8::from_slice(simd, lanes).simd_le(limit).to_bitmask();
            while near != 0 {
                insert(&mut found, lanes[near.trailing_zeros() as usize]);
                near &= near - 1;
            }
        }
        let mut nearest = [0; NEAREST];
        for (index, key) in nearest.iter_mut().zip(found) {
            *index = (key & ((1 << INDEX_BITS) - 1)) as usize;
        }
        nearest
    }

    /// A key for each division, its distance before its index, and for each inverse mask among the `candidates`. If none is, the
    /// distance of a division is the least of it and its inverse. Returns the number of vectors.
    #[inline(always)]
    fn keys(
        &self,
        wanted: u128,
        candidates: usize,
        edge: Option<GlyphEdge>,
        straight: bool,
        keys: &mut [[i32; LANES]; 2 * MAX_DIVISIONS / LANES],
    ) -> usize {
        let or_inverse = candidates == self.divisions;
        let (upper, lower) = (wanted as u64, (wanted >> 64) as u64);
        let (mut differing, mut breaks) = ([0u32; MAX_DIVISIONS], [0u32; MAX_DIVISIONS]);
        for (differing, (up, low)) in differing.iter_mut().zip(self.upper.iter().zip(&self.lower)) {
            *differing = (up ^ upper).count_ones() + (low ^ lower).count_ones();
        }
        if let Some(edge) = edge {
            let (wanted, mask) = (course_bits(wanted), COURSE_MASKS[edge.along]);
            for (breaks, course) in breaks.iter_mut().zip(&self.courses) {
                *breaks = COURSE_DISTANCE * ((course ^ wanted) & mask).count_ones();
            }
        }
        if straight {
            breaks.iter_mut().zip(&self.slants).for_each(|(breaks, slant)| *breaks += slant);
        }
        let key = |distance: u32, index: u32| (distance << INDEX_BITS | index) as i32;
        let own = keys.as_flattened_mut()[..self.divisions].iter_mut();
        for (index, ((to, differing), breaks)) in own.zip(&differing).zip(&breaks).enumerate() {
            let inverse = TEXEL_COUNT as u32 - differing;
            let differing = if or_inverse { inverse.min(*differing) } else { *differing };
            *to = key(differing + breaks, index as u32);
        }
        let vectors = self.divisions.div_ceil(LANES);
        if or_inverse {
            return vectors;
        }
        let others = keys.as_flattened_mut()[vectors * LANES..].iter_mut();
        for (((to, inverse), differing), breaks) in others.zip(&self.inverses).zip(&differing).zip(&breaks) {
            if usize::from(*inverse) < candidates {
                *to = key(TEXEL_COUNT as u32 - differing + breaks, u32::from(*inverse));
            }
        }
        2 * vectors
    }
}

/// Inserts a key among the least keys, which are sorted, if it is one of them.
#[inline(always)]
fn insert(least: &mut [i32; NEAREST], mut key: i32) {
    for other in least {
        (*other, key) = ((*other).min(key), (*other).max(key));
    }
}

fn members(mode: GlyphMode) -> Vec<char> {
    let mut all = match mode.repertoire() {
        Repertoire::Blocks(all) => all(),
        // Characters are not fitted by an atlas; the halves are placeholders.
        Repertoire::Signs { .. } => blocks::HALVES.to_vec(),
    };
    let mut seen = HashSet::new();
    all.retain(|glyph| seen.insert(*glyph));
    all
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
