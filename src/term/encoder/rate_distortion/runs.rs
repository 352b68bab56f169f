//! RunOptimizer: what a cell costs depends on the one before it.
//!
//! A cell that goes on where the cursor is, with the pen in force, takes the bytes of its glyph alone; any other takes
//! a move more. So once every cell has its choice, and the pens of the frame are known, each row is gone through again
//! as a whole: every cell may stay as it is, be drawn as chosen, or be drawn with the pen of the next drawn cell to its
//! left or to its right, and the way through the row with the least *error + λ · bytes* is found (Viterbi 1967). Gaps
//! close, and runs of several pens become one. No pen is added.
//!
//! (At equal λ: a splash at 80×24, 120×40, 200×60 takes 1.2, 1.6, 1.9 % fewer bytes, a swell 1, 4, 2 %, and is .003 to
//! .015 dB nearer, since the bytes of a run buy cells that were not worth a move.)

use crate::term::encoder::packed_cell::PackedCell;
use crate::term::encoder::rate_distortion::distortion::{CellCoverage, error};

/// What may become of a cell: it stays, it is drawn as chosen, or with the pen to its left or to its right.
const WAYS: usize = 4;
const STAY: usize = 0;
const CHOSEN: usize = 1;
const BESIDE: usize = 2;

/// Further away a drawn cell's pen is not looked at.
const REACH: usize = 4;
/// Bytes of a move, and of glyphs.
const MOVE: u64 = 4;
const FLAT: u64 = 1;
const MARK: u64 = 3;

/// Costs more than a row of all ways that there are.
const NEVER: u64 = 1 << 60;

/// What is shown, what is wanted, and how many times an error of it counts.
#[derive(Clone, Copy)]
pub struct FrameCells<'a> {
    pub shown: &'a [PackedCell],
    pub wanted: &'a [PackedCell],
    pub weights: &'a [u8],
}

impl<'a> FrameCells<'a> {
    fn row(self, row: std::ops::Range<usize>) -> Self {
        let (shown, wanted) = (&self.shown[row.clone()], &self.wanted[row.clone()]);
        Self { shown, wanted, weights: &self.weights[row] }
    }
}

#[derive(Clone, Copy, Debug)]
struct CellOption {
    tile: PackedCell,
    drawn: bool,
    /// Error, and λ times the bytes of the glyph.
    cost: u64,
}

impl CellOption {
    const NONE: Self = Self { tile: PackedCell::UNKNOWN, drawn: false, cost: NEVER };

    /// Whether the cursor and the pen are right for this after `before`, in the cell to its left.
    fn follows(&self, before: &Self) -> bool {
        let (a, b) = (before.tile, self.tile);
        let same = a.pen == b.pen || a.pen.bg == b.pen.bg && (a.shows_only_background() || b.shows_only_background());
        before.drawn && same
    }
}

/// Finds the way through each row, and its buffers.
#[derive(Debug, Default)]
pub struct RunOptimizer {
    ways: Vec<[CellOption; WAYS]>,
    /// By which way of the cell before each way is reached best.
    back: Vec<[u8; WAYS]>,
}

impl RunOptimizer {
    /// Changes what is `next`, in rows of `width` cells.
    pub fn join(&mut self, lambda: u32, width: usize, cells: FrameCells, next: &mut [PackedCell]) {
        for (number, next) in next.chunks_exact_mut(width.max(1)).enumerate() {
            let cells = cells.row(number * width..(number + 1) * width);
            if cells.shown != next {
                self.find_ways(lambda.into(), cells, next);
                self.take_cheapest(lambda.into(), next);
            }
        }
    }

    fn find_ways(&mut self, lambda: u64, cells: FrameCells, next: &[PackedCell]) {
        self.ways.clear();
        let is_drawn = |cell: usize| next[cell] != cells.shown[cell];
        let (mut left, mut right) = (None, 0);
        for cell in 0..next.len() {
            // The next drawn cell after this one.
            right = right.max(cell + 1);
            while right < next.len().min(cell + 1 + REACH) && !is_drawn(right) {
                right += 1;
            }
            let on_right = (right < next.len() && right <= cell + REACH && is_drawn(right)).then(|| next[right]);
            let on_left = left.filter(|left| left + REACH >= cell).map(|left| next[left]);
            self.ways.push(ways(lambda, cells, (cell, next[cell]), [on_left, on_right]));
            if is_drawn(cell) {
                left = Some(cell);
            }
        }
    }

    fn take_cheapest(&mut self, lambda: u64, next: &mut [PackedCell]) {
        self.back.clear();
        let mut sums = [0; WAYS];
        for cell in 0..next.len() {
            let (mut here, mut back) = ([NEVER; WAYS], [0; WAYS]);
            for (number, way) in self.ways[cell].iter().enumerate().filter(|(_, way)| way.cost < NEVER) {
                for (from, &sum) in sums.iter().enumerate() {
                    let goes_on = !way.drawn || cell > 0 && way.follows(&self.ways[cell - 1][from]);
                    let sum = sum + if goes_on { 0 } else { lambda * MOVE };
                    if sum < here[number] {
                        (here[number], back[number]) = (sum, from as u8);
                    }
                }
                here[number] += way.cost;
            }
            self.back.push(back);
            sums = here;
        }
        let mut way = (0..WAYS).min_by_key(|&way| sums[way]).unwrap_or(STAY);
        for cell in (0..next.len()).rev() {
            next[cell] = self.ways[cell][way].tile;
            way = self.back[cell][way].into();
        }
    }
}

/// What may become of a cell for which `chosen` was chosen, with drawn cells `beside` it.
fn ways(
    lambda: u64,
    cells: FrameCells,
    (cell, chosen): (usize, PackedCell),
    beside: [Option<PackedCell>; 2],
) -> [CellOption; WAYS] {
    let (shown, wanted) = (cells.shown[cell], cells.wanted[cell]);
    let mut ways = [CellOption::NONE; WAYS];
    ways[STAY] = CellOption { tile: shown, drawn: false, cost: 0 };
    let is_drawn = chosen != shown;
    if !is_drawn && beside == [None, None] {
        return ways;
    }
    let off =
        |tile: PackedCell| error(tile, wanted).map_or(NEVER, |error| u64::from(error) * u64::from(cells.weights[cell]));
    let draw = |tile: PackedCell| {
        let glyph = if tile.shows_only_background() { FLAT } else { MARK };
        CellOption { tile, drawn: true, cost: (off(tile) + lambda * glyph).min(NEVER) }
    };
    ways[STAY].cost = off(shown);
    if is_drawn {
        ways[CHOSEN] = draw(chosen);
    }
    // What cannot be counted, as text in bold, was chosen, or left, at any price: then it is the only way.
    let decided = if is_drawn { CHOSEN } else { STAY };
    if ways[decided].cost >= NEVER {
        ways[decided].cost = 0;
        return ways;
    }
    let Some(outline) = CellCoverage::of(wanted).filter(|outline| outline.known) else { return ways };
    for (way, tile) in ways[BESIDE..].iter_mut().zip(beside) {
        let Some(tile) = tile.filter(|tile| tile.pen.attributes.is_empty()) else { continue };
        *way = draw(PackedCell::flat(tile.pen.bg));
        if !tile.shows_only_background() && outline.lit > 0 && outline.unlit > 0 {
            let mark = draw(PackedCell { pen: tile.pen, ..wanted }.normal());
            *way = if mark.cost < way.cost { mark } else { *way };
        }
    }
    ways
}
