//! Rate–distortion optimization: which changes of a frame are worth their bytes. A cell that differs from its target can be
//! kept, drawn exactly, in shared colours (`color_quantizer`) or those of the cell to its left, or flat; the least *error + λ
//! · bytes* wins. Then each style must earn its bytes (`style_selection`), and neighbouring cells are drawn alike where that
//! saves more than it costs (`runs`). In one of `REVIEW_INTERVAL` frames errors of stable cells count `STABLE_WEIGHT`
//! times, so a calm pool becomes exact. The byte constants are measured means.

mod distortion;
mod runs;
mod style_selection;

use crate::term::encoder::color::PackedColor;
use crate::term::encoder::color_quantizer::ColorQuantizer;
use crate::term::encoder::glyph_coverage::{PIXELS, shape};
use crate::term::encoder::packed_cell::{CellStyle, PackedCell};
use distortion::{CellCoverage, Drawn, squared_distance};
use runs::RunOptimizer;
use style_selection::StyleSet;

pub use distortion::error;

/// Largest error of a cell per unit of λ: the bytes of an exact cell and of a style.
pub const MAX_ERROR: u32 = EXACT_BYTES + STYLE_BYTES;
/// Bytes of an exact cell: a move (4 to 8), two true colours (up to 37) and a glyph (3).
const EXACT_BYTES: u32 = 48;
/// Bytes that the cells of a style must save together: more than those of its SGR, since kept cells may be good enough next time.
const STYLE_BYTES: u32 = 120;
/// A space, and a part of a move.
const SHARED_FLAT_BYTES: u32 = 3;
/// A block glyph in a style that others use too: three bytes of UTF-8, and a part of a move.
const SHARED_GLYPH_BYTES: u32 = 7;
const RUN_FLAT_BYTES: u32 = 1;
const RUN_GLYPH_BYTES: u32 = 3;
/// Bytes that an error must be worth to be considered.
const MIN_ERROR_BYTES: u32 = 4;
/// Frames after which an unchanged target counts as stable.
const STABLE_AFTER: u8 = 8;
/// Factor on the error of a stable cell in a review.
const STABLE_WEIGHT: u32 = 8;
/// Minimum frames between two reviews of the stable cells. A review takes place only if fewer bytes were sent than the plain
/// difference of the frames would take.
const REVIEW_INTERVAL: u32 = 20;
/// Bytes of the first cell of a run in a plain difference, estimated low.
const RUN_START_BYTES: i32 = 22;
const RUN_CELL_BYTES: i32 = 18;
/// Largest number of bytes, saved or lost against the plain difference, that is carried over from frame to frame.
const MAX_SAVED_BYTES: i32 = 500;
/// λ above which liquid is a rough mosaic that hides nearly all errors, but not remains of liquid on an empty background, whose
/// errors count [`GHOST_WEIGHT`] times.
const COARSE_LAMBDA: u32 = 1 << 12;
const GHOST_WEIGHT: u32 = 4;
/// λ below which processor time matters more than the bytes of longer runs.
pub const THOROUGH_LAMBDA: u32 = 80;
/// λ below which colours are exact.
const MIN_LOSSY_LAMBDA: u32 = 32;

pub fn is_quick(lambda: u32) -> bool {
    lambda < THOROUGH_LAMBDA
}

#[derive(Clone, Copy, Debug)]
struct DirtyCell {
    cell: u32,
    error: u32,
    weight: u32,
    /// Colour cubes of its text colour and its background.
    cubes: [Option<u32>; 2],
}

#[derive(Clone, Copy, Debug)]
struct EncodeChoice {
    cell: u32,
    packed: PackedCell,
    weight: u32,
    gain: u32,
}

#[derive(Debug, Default)]
pub struct RateDistortion {
    frames_since_review: u32,
    /// Estimated bytes of the plain difference of this frame; and the bytes that recent frames saved compared with it.
    plain_bytes: i32,
    saved_bytes: i32,
    dirty: Vec<DirtyCell>,
    weights: Vec<u8>,
    quantizer: ColorQuantizer,
    choices: Vec<EncodeChoice>,
    styles: StyleSet,
    runs: RunOptimizer,
}

impl RateDistortion {
    /// Writes to `next` the cells to show instead of `shown`, with `lambda` as the price of a byte. Rows have `width` cells;
    /// `ages` are the frames for which each cell has had the same target.
    pub fn choose(
        &mut self,
        lambda: u32,
        width: usize,
        shown: &[PackedCell],
        (wanted, ages): (&[PackedCell], &[u8]),
        next: &mut [PackedCell],
    ) {
        self.collect_dirty(lambda, shown, (wanted, ages), next);
        self.quantizer.clear(lambda);
        if lambda >= MIN_LOSSY_LAMBDA {
            self.quantize(lambda, wanted);
        }
        self.choices.clear();
        for dirty_cell in 0..self.dirty.len() {
            let dirty_cell = self.dirty[dirty_cell];
            let cell = dirty_cell.cell as usize;
            self.choose_cell(lambda, dirty_cell, shown[cell], wanted[cell]);
        }
        if is_quick(lambda) {
            self.styles.select_quick(lambda, &mut self.choices, next);
            return;
        }
        self.styles.select(lambda, &mut self.choices, wanted, next);
        self.runs.optimize(lambda, width, [shown, wanted], &self.weights, next);
    }

    pub fn record_bytes(&mut self, bytes: usize) {
        let bytes = i32::try_from(bytes).unwrap_or(i32::MAX);
        let saved = self.saved_bytes.saturating_add(self.plain_bytes.saturating_sub(bytes));
        self.saved_bytes = saved.clamp(-MAX_SAVED_BYTES, MAX_SAVED_BYTES);
    }

    /// Lists the cells to consider; the others equal their target, or are close enough.
    fn collect_dirty(
        &mut self,
        lambda: u32,
        shown: &[PackedCell],
        (wanted, ages): (&[PackedCell], &[u8]),
        next: &mut [PackedCell],
    ) {
        self.dirty.clear();
        self.weights.clear();
        self.weights.resize(shown.len(), 1);
        let runs = ages.chunk_by(|a, b| (*a == 0) == (*b == 0)).filter(|run| run[0] == 0);
        self.plain_bytes = runs.map(|run| RUN_START_BYTES + RUN_CELL_BYTES * (run.len() as i32 - 1)).sum();
        self.frames_since_review += 1;
        let review = self.frames_since_review >= REVIEW_INTERVAL && self.saved_bytes > 0;
        if review {
            self.frames_since_review = 0;
        }
        let lasting = if review { STABLE_WEIGHT } else { 1 };
        let least = lambda * MIN_ERROR_BYTES;
        for (cell, ((&shown, &packed), next)) in shown.iter().zip(wanted).zip(next).enumerate() {
            *next = shown;
            if shown == packed {
                continue;
            }
            let Some(error) = error(shown, packed) else {
                *next = packed;
                continue;
            };
            let weight = if ages[cell] < STABLE_AFTER { 1 } else { lasting };
            let ghost = lambda > COARSE_LAMBDA && packed == PackedCell::BLANK;
            let weight = if ghost { weight * GHOST_WEIGHT } else { weight };
            self.weights[cell] = weight as u8;
            if error * weight > least {
                self.dirty.push(DirtyCell { cell: cell as u32, error: error * weight, weight, cubes: [None; 2] });
            }
        }
    }

    fn quantize(&mut self, lambda: u32, wanted: &[PackedCell]) {
        for dirty_cell in &mut self.dirty {
            let Some(coverage) = CellCoverage::new(wanted[dirty_cell.cell as usize]) else { continue };
            for (cube, (color, pixels)) in dirty_cell.cubes.iter_mut().zip(coverage.colors()) {
                if pixels > 0 {
                    *cube = self.quantizer.add(color, pixels * dirty_cell.weight);
                }
            }
        }
        self.quantizer.quantize(lambda, is_quick(lambda));
    }

    fn choose_cell(&mut self, lambda: u32, dirty_cell: DirtyCell, shown: PackedCell, wanted: PackedCell) {
        let DirtyCell { cell, error, weight, .. } = dirty_cell;
        let mut best = BestOption { lambda, weight, packed: shown, cost: error };
        best.offer(canonical((wanted, 0)), EXACT_BYTES);
        match CellCoverage::new(wanted) {
            Some(coverage) if is_quick(lambda) => self.offer_options_quick(coverage, dirty_cell, &mut best),
            Some(coverage) => self.offer_options(coverage, cell, &mut best),
            None => {}
        }
        let BestOption { packed, cost, .. } = best;
        if packed != shown {
            self.choices.push(EncodeChoice { cell, packed, weight, gain: error - cost });
        }
    }

    /// As [`RateDistortion::offer_options`], but a cell of two colours is drawn flat only if they are similar.
    fn offer_options_quick(&self, coverage: CellCoverage, dirty_cell: DirtyCell, best: &mut BestOption) {
        let DirtyCell { cell, cubes, .. } = dirty_cell;
        let CellStyle { fg, bg, .. } = coverage.cell.style;
        let shared = |cube: Option<u32>, color| cube.map_or(color, |cube| self.quantizer.color_of_cube(cube));
        let style = CellStyle::new(shared(cubes[0], fg), shared(cubes[1], bg));
        let two = coverage.has_two_colors();
        let alike = two
            && coverage.known
            && squared_distance(fg, bg) <= 2 * best.lambda / coverage.covered.min(coverage.uncovered);
        if !two || alike {
            let color = if coverage.covered > coverage.uncovered { style.fg } else { style.bg };
            best.offer(coverage.flat(color), SHARED_FLAT_BYTES);
        }
        if two {
            best.offer(canonical(coverage.glyph(style)), SHARED_GLYPH_BYTES);
        }
        let Some(left) = self.choices.last().filter(|left| left.cell + 1 == cell) else { return };
        let style = left.packed.style;
        if !two {
            best.offer(coverage.flat(style.bg), RUN_FLAT_BYTES);
        } else if !left.packed.shows_only_background() {
            best.offer(coverage.glyph(style), RUN_GLYPH_BYTES);
        }
    }

    fn offer_options(&mut self, coverage: CellCoverage, cell: u32, best: &mut BestOption) {
        let two = coverage.has_two_colors();
        if coverage.known {
            best.offer(coverage.flat(self.quantizer.nearest_color(coverage.blend())), SHARED_FLAT_BYTES);
        }
        if two {
            let [fg, bg] = coverage.colors().map(|(color, _)| self.quantizer.nearest_color(color));
            best.offer(canonical(coverage.glyph(CellStyle::new(fg, bg))), SHARED_GLYPH_BYTES);
        }
        let Some(left) = self.choices.last().filter(|left| left.cell + 1 == cell) else { return };
        let style = left.packed.style;
        if coverage.known {
            best.offer(coverage.flat(style.bg), RUN_FLAT_BYTES);
        }
        if two && !left.packed.shows_only_background() {
            best.offer(coverage.glyph(style), RUN_GLYPH_BYTES);
            best.offer(canonical(coverage.glyph(CellStyle::new(style.bg, style.fg))), RUN_GLYPH_BYTES);
        }
    }
}

/// The same representation for all cells that look alike. Of a glyph and its inverse with swapped colours, it is the one whose
/// text colour has the greater key.
fn canonical((packed, error): Drawn) -> Drawn {
    let CellStyle { fg, bg, attributes } = packed.style;
    let Some(shape) = shape(packed.glyph.code()).filter(|_| attributes.is_empty() && fg != PackedColor::DEFAULT) else {
        return (packed, error);
    };
    let packed = match shape.inverse {
        _ if shape.covered == PIXELS || fg == bg => PackedCell::flat(fg),
        Some(inverse) if fg.key() < bg.key() => PackedCell { glyph: inverse.into(), style: CellStyle::new(bg, fg) },
        _ => packed,
    };
    (packed, error)
}

struct BestOption {
    lambda: u32,
    weight: u32,
    packed: PackedCell,
    cost: u32,
}

impl BestOption {
    #[inline]
    fn offer(&mut self, (packed, error): Drawn, bytes: u32) {
        let cost = error * self.weight + self.lambda * bytes;
        if cost < self.cost {
            (self.packed, self.cost) = (packed, cost);
        }
    }
}
