//! RateDistortion: what of a frame is worth its bytes.
//!
//! Rate–distortion choice. For every cell that is not as it should be, the encoder can leave what is there, draw exactly
//! what is wanted, draw it with colours that other cells of the frame use too (see [`ColorQuantizer`]) or with those of the
//! cell to its left, or make it flat. Each has an error on the screen and a price in bytes, and the least of
//! *error + λ · bytes* is chosen. Then every pen has to earn its bytes (see `pens`): one that all its cells
//! together do not need badly enough is not taken up. Last, cells side by side are drawn alike where that saves more
//! than it costs (see `runs`).
//!
//! What a byte buys lasts for as long as the cell stays as it is, and what has been wanted for a while will be for another
//! (Lindy's law): so there an error counts for [`FRAMES`] frames of it, and the calm of a pool becomes exact while its
//! surface still moves. That is done for all such cells together in one of [`REVIEW`] frames, since many share a pen
//! and few do not. (In every frame: calm water at 80×24, 120×40 and 200×60 takes 146, 130, 483 B a frame; so: 84, 116,
//! 383, .02 dB less near at most. Not at all: 114, 97, 319, but .1 dB. Where the weight rises by and by, cells
//! are drawn several times on the way, which takes a tenth more; where a change only halves what was known of a cell's
//! age, swell and splash take a tenth more, and calm water hardly less.)
//!
//! At λ = 0 nothing that can be seen is spared; as λ rises, ever larger differences are, but no cell is off by more
//! than [`MOST`] · λ.
//!
//! FrameCells in whose shapes nothing is known, letters above all, get the right one at any price; only their colours may be
//! near.
//!
//! Tried and dropped: choosing cell by cell along the row with the pen of the moment, colours exact (a splash at
//! 120×40 and −0.1 dB: 8.6 KB a frame, calm water 490 B; so: 5.9 KB, 310 B). Counting an error for more the longer it
//! has been on the screen, up to 16 times: good for the former (calm −28 %), bad for what is here (calm +150 %),
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
use distortion::{CellCoverage, apart, blend};
use runs::{FrameCells, RunOptimizer};
use style_selection::StyleSet;

pub use distortion::error;

/// The most error of a cell per λ: what an exact cell costs, and what a pen does.
pub const MOST: u32 = EXACT + PEN;
/// Bytes of an exact cell: a move, two colours and a glyph.
const EXACT: u32 = 48;
/// Bytes that the cells of a pen together must be worth. More than the 20 or so that it takes: to leave them may be all
/// the same in the next frame too. (60: calm water takes 8 % more and a splash 1 %, for less than .01 dB; 160: 5 % and
/// .5 % fewer, for .01 dB.)
const PEN: u32 = 120;
/// Bytes of a cell in a colour that others use too: a space or a glyph, and a share in a move.
const FLAT: u32 = 3;
const MARK: u32 = 7;
/// The same where the cell to the left has this pen too.
const NEXT_FLAT: u32 = 1;
const NEXT_MARK: u32 = 3;
/// An error that is worth fewer bytes is not looked at. (8: a swell takes 3 to 4 % more at equal dB.)
const LEAST: u32 = 4;
/// What has been wanted for so many frames is taken to last, and then its error counts so many times.
const LASTING: u8 = 8;
const FRAMES: u32 = 8;
/// In one of so many frames, as long as less is sent than the plain difference of the frames would be: where hardly
/// anything changes, to draw nearer what has been off since more did is dear by comparison.
const REVIEW: u32 = 20;
/// Bytes of a plain difference, rather too few: of the first cell of a run, and of each further one. A cell alone takes
/// some 40, one in a splash 20.
const ALONE: i32 = 22;
const PLAIN: i32 = 18;
/// Bytes that may be saved up for a review.
const MOST_SAVED: i32 = 500;
/// From this λ on liquid is a rough mosaic, in which hardly any error is seen; but what is left behind on bare ground is,
/// so there an error counts so many times. At 8 KB/s a splash at 80×24 left 15 such cells in each frame of its first two
/// seconds; so it leaves none, in no more bytes and .2 dB nearer. (Twice as much leaves some in one frame of ten.)
const ROUGH: u32 = 1 << 12;
const GHOST: u32 = 4;
/// Below this λ the link is faster than the picture needs, and the processor's time is dearer than the bytes that longer
/// runs save.
pub const SCARCE: u32 = 80;
/// Below this λ colours are exact: there is not enough error to share one.
const EXACTING: u32 = 32;

/// Whether the processor's time is dearer than bytes at this λ.
pub fn is_quick(lambda: u32) -> bool {
    lambda < SCARCE
}

/// What is wanted on the screen, and for how many frames it has been.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    pub tiles: &'a [PackedCell],
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
    /// Of the pen.
    key: u64,
    cell: u32,
    tile: PackedCell,
    /// How many times an error of it counts.
    weight: u32,
    /// How much less error and bytes come to than to leave the cell alone.
    gain: u32,
}

/// The chooser, and its buffers.
#[derive(Debug, Default)]
pub struct RateDistortion {
    /// Frames since what lasts was weighed as such.
    waited: u32,
    /// Bytes that the plain difference between this frame and the last would take at least, and by how many all frames
    /// of late took less than it.
    plain: i32,
    saved: i32,
    jobs: Vec<DirtyCell>,
    /// How many times an error of each cell counts.
    weights: Vec<u8>,
    quantizer: ColorQuantizer,
    choices: Vec<EncodeChoice>,
    pens: StyleSet,
    runs: RunOptimizer,
}

impl RateDistortion {
    /// Writes to `next` what to show of `wanted` in the place of `shown`, at a price of `lambda` a byte. There are
    /// `width` cells in a row.
    pub fn choose(&mut self, lambda: u32, width: usize, shown: &[PackedCell], wanted: Wanted, next: &mut [PackedCell]) {
        self.gather(lambda, shown, wanted, next);
        let wanted = wanted.tiles;
        self.quantizer.clear(lambda);
        if lambda >= EXACTING {
            self.mix(lambda, wanted);
        }
        self.choices.clear();
        for job in 0..self.jobs.len() {
            let job = self.jobs[job];
            let cell = job.cell as usize;
            self.choose_one(lambda, job, shown[cell], wanted[cell]);
        }
        if is_quick(lambda) {
            self.pens.settle_quickly(lambda, &mut self.choices, next);
            return;
        }
        self.pens.settle(lambda, &mut self.choices, wanted, next);
        self.runs.join(lambda, width, FrameCells { shown, wanted, weights: &self.weights }, next);
    }

    /// The frame took so many bytes.
    pub fn spent(&mut self, bytes: usize) {
        let bytes = i32::try_from(bytes).unwrap_or(i32::MAX);
        self.saved = self.saved.saturating_add(self.plain.saturating_sub(bytes)).clamp(-MOST_SAVED, MOST_SAVED);
    }

    /// Finds the cells to be looked at. CandidateStyles are exact, or stay as they are.
    fn gather(&mut self, lambda: u32, shown: &[PackedCell], wanted: Wanted, next: &mut [PackedCell]) {
        self.jobs.clear();
        self.weights.clear();
        self.weights.resize(shown.len(), 1);
        let runs = wanted.ages.chunk_by(|a, b| (*a == 0) == (*b == 0)).filter(|run| run[0] == 0);
        self.plain = runs.map(|run| ALONE + PLAIN * (run.len() as i32 - 1)).sum();
        self.waited += 1;
        let review = self.waited >= REVIEW && self.saved > 0;
        if review {
            self.waited = 0;
        }
        let lasting = if review { FRAMES } else { 1 };
        let least = lambda * LEAST;
        for (cell, ((&here, &tile), next)) in shown.iter().zip(wanted.tiles).zip(next).enumerate() {
            *next = here;
            if here == tile {
                continue;
            }
            let Some(error) = error(here, tile) else {
                *next = tile;
                continue;
            };
            let weight = if wanted.ages[cell] < LASTING { 1 } else { lasting };
            let ghost = lambda > ROUGH && tile == PackedCell::BLANK;
            let weight = if ghost { weight * GHOST } else { weight };
            self.weights[cell] = weight as u8;
            if error * weight > least {
                self.jobs.push(DirtyCell { cell: cell as u32, error: error * weight, weight, cubes: [None; 2] });
            }
        }
    }

    fn mix(&mut self, lambda: u32, wanted: &[PackedCell]) {
        for job in &mut self.jobs {
            let tile = wanted[job.cell as usize];
            let Some(outline) = CellCoverage::of(tile) else { continue };
            let colours = [(tile.pen.fg, outline.lit), (tile.pen.bg, outline.unlit)].into_iter();
            for (cube, (paint, pixels)) in job.cubes.iter_mut().zip(colours).filter(|(_, (_, pixels))| *pixels > 0) {
                *cube = self.quantizer.add(paint, pixels * job.weight);
            }
        }
        self.quantizer.mix(lambda, if is_quick(lambda) { Effort::Quick } else { Effort::Thorough });
    }

    fn choose_one(
        &mut self,
        lambda: u32,
        DirtyCell { cell, error, weight, cubes }: DirtyCell,
        here: PackedCell,
        wanted: PackedCell,
    ) {
        let mut best = BestOption { lambda, weight, tile: here, cost: error };
        best.offer(upright(wanted), 0, EXACT);
        match CellCoverage::of(wanted) {
            Some(outline) if is_quick(lambda) => self.consider_quickly(outline, wanted, (cell, cubes), &mut best),
            Some(outline) => self.consider(outline, wanted, cell, &mut best),
            None => {}
        }
        let BestOption { tile, cost, .. } = best;
        if tile != here {
            self.choices.push(EncodeChoice { key: tile.pen.key(), cell, tile, weight, gain: error - cost });
        }
    }

    /// As [`RateDistortion::consider`], but a cell of two colours is made flat only where they are much alike, and then in either.
    fn consider_quickly(
        &self,
        outline: CellCoverage,
        wanted: PackedCell,
        (cell, cubes): (u32, [Option<u32>; 2]),
        best: &mut BestOption,
    ) {
        let swatch = |cube: Option<u32>, paint| cube.map_or(paint, |cube| self.quantizer.of_cube(cube));
        let pen = CellStyle::of(swatch(cubes[0], wanted.pen.fg), swatch(cubes[1], wanted.pen.bg));
        let two = outline.lit > 0 && outline.unlit > 0;
        let alike = two
            && outline.known
            && apart(wanted.pen.fg, wanted.pen.bg) <= 2 * best.lambda / outline.lit.min(outline.unlit);
        if !two || alike {
            let paint = if outline.lit > outline.unlit { pen.fg } else { pen.bg };
            best.offer(PackedCell::flat(paint), outline.flattened(wanted.pen, paint), FLAT);
        }
        if two {
            best.offer(upright(PackedCell { pen, ..wanted }.normal()), outline.recoloured(wanted.pen, pen), MARK);
        }
        let Some(left) = self.choices.last().filter(|left| left.cell + 1 == cell) else { return };
        let pen = left.tile.pen;
        if !two {
            best.offer(PackedCell::flat(pen.bg), outline.flattened(wanted.pen, pen.bg), NEXT_FLAT);
        } else if !left.tile.shows_only_background() {
            best.offer(PackedCell { pen, ..wanted }.normal(), outline.recoloured(wanted.pen, pen), NEXT_MARK);
        }
    }

    fn consider(&mut self, outline: CellCoverage, wanted: PackedCell, cell: u32, best: &mut BestOption) {
        let two = outline.lit > 0 && outline.unlit > 0;
        let flat = |paint: PackedColor| (PackedCell::flat(paint), outline.flattened(wanted.pen, paint));
        let mark = |pen: CellStyle| (PackedCell { pen, ..wanted }.normal(), outline.recoloured(wanted.pen, pen));
        if outline.known {
            let (tile, error) = flat(self.quantizer.of(blend(wanted.pen, outline.lit.into(), outline.unlit.into())));
            best.offer(tile, error, FLAT);
        }
        if two {
            let CellStyle { fg, bg, .. } = wanted.pen;
            let (tile, error) = mark(CellStyle::of(self.quantizer.of(fg), self.quantizer.of(bg)));
            best.offer(upright(tile), error, MARK);
        }
        let Some(left) = self.choices.last().filter(|left| left.cell + 1 == cell) else { return };
        let pen = left.tile.pen;
        if outline.known {
            let (tile, error) = flat(pen.bg);
            best.offer(tile, error, NEXT_FLAT);
        }
        if two && !left.tile.shows_only_background() {
            let (tile, error) = mark(pen);
            best.offer(tile, error, NEXT_MARK);
            let (tile, error) = mark(CellStyle::of(pen.bg, pen.fg));
            best.offer(upright(tile), error, NEXT_MARK);
        }
    }
}

/// Of tiles that look the same always the same one, so that more cells share a pen: a space for one colour, and of a
/// glyph and its inverse, with the colours swapped, the one whose colours are in order.
fn upright(tile: PackedCell) -> PackedCell {
    let CellStyle { fg, bg, attributes } = tile.pen;
    let Some(shape) = shape(tile.glyph.code()).filter(|_| attributes.is_empty() && fg != PackedColor::DEFAULT) else {
        return tile;
    };
    match shape.inverse {
        _ if shape.lit == PIXELS || fg == bg => PackedCell::flat(fg),
        Some(inverse) if fg.key() < bg.key() => PackedCell { glyph: inverse.into(), pen: CellStyle::of(bg, fg) },
        _ => tile,
    }
}

/// The cheapest so far.
struct BestOption {
    lambda: u32,
    weight: u32,
    tile: PackedCell,
    cost: u32,
}

impl BestOption {
    #[inline]
    fn offer(&mut self, tile: PackedCell, error: u32, bytes: u32) {
        let cost = error * self.weight + self.lambda * bytes;
        if cost < self.cost {
            (self.tile, self.cost) = (tile, cost);
        }
    }
}
