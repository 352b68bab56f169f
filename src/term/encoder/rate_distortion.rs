//! RateDistortion: what of a frame is worth its bytes.
//!
//! Rate–distortion choice. For every cell that is not as it should be, the encoder can leave what is there, draw exactly
//! what is wanted, draw it with colours that other cells of the frame use too (see [`ColorQuantizer`]) or with those of the
//! cell to its left, or make it flat. Each has an error on the screen and a price in bytes, and the least of
//! *error + λ · bytes* is chosen. Then every style has to earn its bytes (see `styles`): one that all its cells
//! together do not need badly enough is not taken up. Last, cells side by side are drawn alike where that saves more
//! than it costs (see `runs`).
//!
//! What a byte buys lasts for as long as the cell stays as it is, and what has been wanted for a while will be for another
//! (Lindy's law): so there an error counts for [`STABLE_WEIGHT`] frames of it, and the calm of a pool becomes exact while its
//! surface still moves. That is done for all such cells together in one of [`REVIEW_INTERVAL`] frames, since many share a style
//! and few do not. (In every frame: calm water at 80×24, 120×40 and 200×60 takes 146, 130, 483 B a frame; so: 84, 116,
//! 383, .02 dB less near at most. Not at all: 114, 97, 319, but .1 dB. Where the weight rises by and by, cells
//! are drawn several times on the way, which takes a tenth more; where a change only halves what was known of a cell's
//! age, swell and splash take a tenth more, and calm water hardly less.)
//!
//! At λ = 0 nothing that can be seen is spared; as λ rises, ever larger differences are, but no cell is off by more
//! than [`MAX_ERROR`] · λ.
//!
//! FrameCells in whose shapes nothing is known, letters above all, get the right one at any price; only their colours may be
//! near.
//!
//! Tried and dropped: choosing cell by cell along the row with the style of the moment, colours exact (a splash at
//! 120×40 and −0.1 dB: 8.6 KB a frame, calm water 490 B; so: 5.9 KB, 310 B). Counting an error for more the longer it
//! has been on the screen, up to 16 times: good for the former (calm −28 %), bad for what is shown (calm +150 %),
//! because water that comes to rest trembles, and tomorrow's colour is yesterday's. Counting it for as many frames as
//! it has grown over, so that a drift counts and a tremble does not: a swell takes 10 to 20 % more at equal dB. Aiming at
//! the mean of a cell's colours over time, so that it need not follow a tremble: 1 to 2 % fewer in a splash for .02 to
//! .05 dB, where a higher λ saves 6 to 13 %. Weighing errors double in every second or third frame, or row, so that runs
//! become longer: 0 to 10 % more. What is left is in the pictures: four tenths of a splash's bytes are moves, four
//! tenths glyphs, and half of its cells do change.

mod distortion;
mod runs;
mod style_selection;

use crate::term::encoder::color::PackedColor;
use crate::term::encoder::color_quantizer::{ColorQuantizer, Effort};
use crate::term::encoder::glyph_coverage::{PIXELS, shape};
use crate::term::encoder::packed_cell::{CellStyle, PackedCell};
use distortion::{CellCoverage, blend, squared_distance};
use runs::{FrameCells, RunOptimizer};
use style_selection::StyleSet;

pub use distortion::error;

/// The most error of a cell per λ: what an exact cell costs, and what a style does.
pub const MAX_ERROR: u32 = EXACT_BYTES + STYLE_BYTES;
/// Bytes of an exact cell: a move, two colours and a glyph.
const EXACT_BYTES: u32 = 48;
/// Bytes that the cells of a style together must be worth. More than the 20 or so that it takes: to leave them may be all
/// the same in the next frame too. (60: calm water takes 8 % more and a splash 1 %, for less than .01 dB; 160: 5 % and
/// .5 % fewer, for .01 dB.)
const STYLE_BYTES: u32 = 120;
/// Bytes of a cell in a colour that others use too: a space or a glyph, and a share in a move.
const SHARED_FLAT_BYTES: u32 = 3;
const SHARED_GLYPH_BYTES: u32 = 7;
/// The same where the cell to the left has this style too.
const RUN_FLAT_BYTES: u32 = 1;
const RUN_GLYPH_BYTES: u32 = 3;
/// An error that is worth fewer bytes is not looked at. (8: a swell takes 3 to 4 % more at equal dB.)
const MIN_ERROR_BYTES: u32 = 4;
/// What has been wanted for so many frames is taken to last, and then its error counts so many times.
const STABLE_AFTER: u8 = 8;
const STABLE_WEIGHT: u32 = 8;
/// In one of so many frames, as long as less is sent than the plain_bytes difference of the frames would be: where hardly
/// anything changes, to draw nearer what has been off since more did is dear by comparison.
const REVIEW_INTERVAL: u32 = 20;
/// Bytes of a plain_bytes difference, rather too few: of the first cell of a run, and of each further one. A cell alone takes
/// some 40, one in a splash 20.
const RUN_START_BYTES: i32 = 22;
const RUN_CELL_BYTES: i32 = 18;
/// Bytes that may be saved_bytes up for a review.
const MAX_SAVED_BYTES: i32 = 500;
/// From this λ on liquid is a rough mosaic, in which hardly any error is seen; but what is left behind on bare ground is,
/// so there an error counts so many times. At 8 KB/s a splash at 80×24 left 15 such cells in each frame of its first two
/// seconds; so it leaves none, in no more bytes and .2 dB nearer. (Twice as much leaves some in one frame of ten.)
const COARSE_LAMBDA: u32 = 1 << 12;
const GHOST_WEIGHT: u32 = 4;
/// Below this λ the link is faster than the picture needs, and the processor's time is dearer than the bytes that longer
/// runs save.
pub const THOROUGH_LAMBDA: u32 = 80;
/// Below this λ colours are exact: there is not enough error to share one.
const MIN_LOSSY_LAMBDA: u32 = 32;

/// Whether the processor's time is dearer than bytes at this λ.
pub fn is_quick(lambda: u32) -> bool {
    lambda < THOROUGH_LAMBDA
}

/// What is wanted on the screen, and for how many frames it has been.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    pub cells: &'a [PackedCell],
    pub ages: &'a [u8],
}

/// A cell whose error is worth a look.
#[derive(Clone, Copy, Debug)]
struct DirtyCell {
    cell: u32,
    /// Times weight.
    error: u32,
    weight: u32,
    /// Numbers of the cubes that its two colours are in.
    cubes: [Option<u32>; 2],
}

/// What is to become of a cell.
#[derive(Clone, Copy, Debug)]
struct EncodeChoice {
    /// Of the style.
    key: u64,
    cell: u32,
    packed: PackedCell,
    /// How many times an error of it counts.
    weight: u32,
    /// How much less error and bytes come to than to leave the cell alone.
    gain: u32,
}

/// The chooser, and its buffers.
#[derive(Debug, Default)]
pub struct RateDistortion {
    /// Frames since what lasts was weighed as such.
    frames_since_review: u32,
    /// Bytes that the plain_bytes difference between this frame and the last would take at least, and by how many all frames
    /// of late took less than it.
    plain_bytes: i32,
    saved_bytes: i32,
    dirty: Vec<DirtyCell>,
    /// How many times an error of each cell counts.
    weights: Vec<u8>,
    quantizer: ColorQuantizer,
    choices: Vec<EncodeChoice>,
    styles: StyleSet,
    runs: RunOptimizer,
}

impl RateDistortion {
    /// Writes to `next` what to show of `wanted` in the place of `shown`, at a price of `lambda` a byte. There are
    /// `width` cells in a row.
    pub fn choose(&mut self, lambda: u32, width: usize, shown: &[PackedCell], wanted: Wanted, next: &mut [PackedCell]) {
        self.collect_dirty(lambda, shown, wanted, next);
        let wanted = wanted.cells;
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
        self.runs.optimize(lambda, width, FrameCells { shown, wanted, weights: &self.weights }, next);
    }

    /// The frame took so many bytes.
    pub fn record_bytes(&mut self, bytes: usize) {
        let bytes = i32::try_from(bytes).unwrap_or(i32::MAX);
        self.saved_bytes = self
            .saved_bytes
            .saturating_add(self.plain_bytes.saturating_sub(bytes))
            .clamp(-MAX_SAVED_BYTES, MAX_SAVED_BYTES);
    }

    /// Finds the cells to be looked at. CandidateStyles are exact, or stay as they are.
    fn collect_dirty(&mut self, lambda: u32, shown: &[PackedCell], wanted: Wanted, next: &mut [PackedCell]) {
        self.dirty.clear();
        self.weights.clear();
        self.weights.resize(shown.len(), 1);
        let runs = wanted.ages.chunk_by(|a, b| (*a == 0) == (*b == 0)).filter(|run| run[0] == 0);
        self.plain_bytes = runs.map(|run| RUN_START_BYTES + RUN_CELL_BYTES * (run.len() as i32 - 1)).sum();
        self.frames_since_review += 1;
        let review = self.frames_since_review >= REVIEW_INTERVAL && self.saved_bytes > 0;
        if review {
            self.frames_since_review = 0;
        }
        let lasting = if review { STABLE_WEIGHT } else { 1 };
        let least = lambda * MIN_ERROR_BYTES;
        for (cell, ((&shown, &packed), next)) in shown.iter().zip(wanted.cells).zip(next).enumerate() {
            *next = shown;
            if shown == packed {
                continue;
            }
            let Some(error) = error(shown, packed) else {
                *next = packed;
                continue;
            };
            let weight = if wanted.ages[cell] < STABLE_AFTER { 1 } else { lasting };
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
            let packed = wanted[dirty_cell.cell as usize];
            let Some(coverage) = CellCoverage::new(packed) else { continue };
            let colours = [(packed.style.fg, coverage.covered), (packed.style.bg, coverage.uncovered)].into_iter();
            for (cube, (color, pixels)) in
                dirty_cell.cubes.iter_mut().zip(colours).filter(|(_, (_, pixels))| *pixels > 0)
            {
                *cube = self.quantizer.add(color, pixels * dirty_cell.weight);
            }
        }
        self.quantizer.quantize(lambda, if is_quick(lambda) { Effort::Quick } else { Effort::Thorough });
    }

    fn choose_cell(
        &mut self,
        lambda: u32,
        DirtyCell { cell, error, weight, cubes }: DirtyCell,
        shown: PackedCell,
        wanted: PackedCell,
    ) {
        let mut best = BestOption { lambda, weight, packed: shown, cost: error };
        best.offer(canonical(wanted), 0, EXACT_BYTES);
        match CellCoverage::new(wanted) {
            Some(coverage) if is_quick(lambda) => self.offer_options_quick(coverage, wanted, (cell, cubes), &mut best),
            Some(coverage) => self.offer_options(coverage, wanted, cell, &mut best),
            None => {}
        }
        let BestOption { packed, cost, .. } = best;
        if packed != shown {
            self.choices.push(EncodeChoice { key: packed.style.key(), cell, packed, weight, gain: error - cost });
        }
    }

    /// As [`RateDistortion::offer_options`], but a cell of two colours is made flat only where they are much alike, and then in either.
    fn offer_options_quick(
        &self,
        coverage: CellCoverage,
        wanted: PackedCell,
        (cell, cubes): (u32, [Option<u32>; 2]),
        best: &mut BestOption,
    ) {
        let shared = |cube: Option<u32>, color| cube.map_or(color, |cube| self.quantizer.color_of_cube(cube));
        let style = CellStyle::new(shared(cubes[0], wanted.style.fg), shared(cubes[1], wanted.style.bg));
        let two = coverage.covered > 0 && coverage.uncovered > 0;
        let alike = two
            && coverage.known
            && squared_distance(wanted.style.fg, wanted.style.bg)
                <= 2 * best.lambda / coverage.covered.min(coverage.uncovered);
        if !two || alike {
            let color = if coverage.covered > coverage.uncovered { style.fg } else { style.bg };
            best.offer(PackedCell::flat(color), coverage.error_flat(wanted.style, color), SHARED_FLAT_BYTES);
        }
        if two {
            best.offer(
                canonical(PackedCell { style, ..wanted }.normalized()),
                coverage.error_with_style(wanted.style, style),
                SHARED_GLYPH_BYTES,
            );
        }
        let Some(left) = self.choices.last().filter(|left| left.cell + 1 == cell) else { return };
        let style = left.packed.style;
        if !two {
            best.offer(PackedCell::flat(style.bg), coverage.error_flat(wanted.style, style.bg), RUN_FLAT_BYTES);
        } else if !left.packed.shows_only_background() {
            best.offer(
                PackedCell { style, ..wanted }.normalized(),
                coverage.error_with_style(wanted.style, style),
                RUN_GLYPH_BYTES,
            );
        }
    }

    fn offer_options(&mut self, coverage: CellCoverage, wanted: PackedCell, cell: u32, best: &mut BestOption) {
        let two = coverage.covered > 0 && coverage.uncovered > 0;
        let flat = |color: PackedColor| (PackedCell::flat(color), coverage.error_flat(wanted.style, color));
        let glyph = |style: CellStyle| {
            (PackedCell { style, ..wanted }.normalized(), coverage.error_with_style(wanted.style, style))
        };
        if coverage.known {
            let (packed, error) = flat(self.quantizer.nearest_color(blend(
                wanted.style,
                coverage.covered.into(),
                coverage.uncovered.into(),
            )));
            best.offer(packed, error, SHARED_FLAT_BYTES);
        }
        if two {
            let CellStyle { fg, bg, .. } = wanted.style;
            let (packed, error) =
                glyph(CellStyle::new(self.quantizer.nearest_color(fg), self.quantizer.nearest_color(bg)));
            best.offer(canonical(packed), error, SHARED_GLYPH_BYTES);
        }
        let Some(left) = self.choices.last().filter(|left| left.cell + 1 == cell) else { return };
        let style = left.packed.style;
        if coverage.known {
            let (packed, error) = flat(style.bg);
            best.offer(packed, error, RUN_FLAT_BYTES);
        }
        if two && !left.packed.shows_only_background() {
            let (packed, error) = glyph(style);
            best.offer(packed, error, RUN_GLYPH_BYTES);
            let (packed, error) = glyph(CellStyle::new(style.bg, style.fg));
            best.offer(canonical(packed), error, RUN_GLYPH_BYTES);
        }
    }
}

/// Of cells that look the same always the same one, so that more cells share a style: a space for one colour, and of a
/// glyph and its inverse, with the colours swapped, the one whose colours are in order.
fn canonical(packed: PackedCell) -> PackedCell {
    let CellStyle { fg, bg, attributes } = packed.style;
    let Some(shape) = shape(packed.glyph.code()).filter(|_| attributes.is_empty() && fg != PackedColor::DEFAULT) else {
        return packed;
    };
    match shape.inverse {
        _ if shape.covered == PIXELS || fg == bg => PackedCell::flat(fg),
        Some(inverse) if fg.key() < bg.key() => PackedCell { glyph: inverse.into(), style: CellStyle::new(bg, fg) },
        _ => packed,
    }
}

/// The cheapest so far.
struct BestOption {
    lambda: u32,
    weight: u32,
    packed: PackedCell,
    cost: u32,
}

impl BestOption {
    #[inline]
    fn offer(&mut self, packed: PackedCell, error: u32, bytes: u32) {
        let cost = error * self.weight + self.lambda * bytes;
        if cost < self.cost {
            (self.packed, self.cost) = (packed, cost);
        }
    }
}
