//! Run optimization: a cell that continues at the cursor with the style in force takes only the bytes of its glyph.
//!
//! Each row is optimized as a whole: every cell may be kept, be drawn as chosen, or be drawn in the style of the next drawn cell
//! to its left or right. Dynamic programming finds the least *error + λ · bytes* (Viterbi 1967).

use crate::term::encoder::packed_cell::PackedCell;
use crate::term::encoder::rate_distortion::distortion::{CellCoverage, error};

/// Kept, drawn as chosen, drawn in the style to its left or to its right.
const OPTIONS: usize = 4;
const KEEP: usize = 0;
const CHOSEN: usize = 1;
const NEIGHBOR_STYLE: usize = 2;

const STYLE_REACH: usize = 4;
const MOVE_BYTES: u64 = 4;
const FLAT_BYTES: u64 = 1;
const GLYPH_BYTES: u64 = 3;

const INFINITE_COST: u64 = 1 << 60;

/// Its cost is the weighted error, and λ times the bytes of the glyph.
#[derive(Clone, Copy, Debug)]
struct CellOption {
    packed: PackedCell,
    drawn: bool,
    cost: u64,
}

impl CellOption {
    const NONE: Self = Self { packed: PackedCell::UNKNOWN, drawn: false, cost: INFINITE_COST };

    /// Whether cursor and style are already right after `before`, the option of the cell to its left.
    fn follows(&self, before: &Self) -> bool {
        let (a, b) = (before.packed, self.packed);
        let same =
            a.style == b.style || a.style.bg == b.style.bg && (a.shows_only_background() || b.shows_only_background());
        before.drawn && same
    }
}

#[derive(Debug, Default)]
pub struct RunOptimizer {
    options: Vec<[CellOption; OPTIONS]>,
    /// For each option of a cell, the best option of the cell before.
    best_previous: Vec<[u8; OPTIONS]>,
}

impl RunOptimizer {
    /// `weights` are factors on the error of each cell.
    pub fn optimize(
        &mut self,
        lambda: u32,
        width: usize,
        [shown, wanted]: [&[PackedCell]; 2],
        weights: &[u8],
        next: &mut [PackedCell],
    ) {
        for (number, next) in next.chunks_exact_mut(width.max(1)).enumerate() {
            let row = number * width..(number + 1) * width;
            if shown[row.clone()] != *next {
                self.list_options(lambda.into(), [&shown[row.clone()], &wanted[row.clone()]], &weights[row], next);
                self.take_cheapest_path(lambda.into(), next);
            }
        }
    }

    fn list_options(&mut self, lambda: u64, [shown, wanted]: [&[PackedCell]; 2], weights: &[u8], next: &[PackedCell]) {
        self.options.clear();
        let is_drawn = |cell: &usize| next[*cell] != shown[*cell];
        for cell in 0..next.len() {
            let on_left = (cell.saturating_sub(STYLE_REACH)..cell).rev().find(is_drawn);
            let on_right = (cell + 1..next.len().min(cell + 1 + STYLE_REACH)).find(is_drawn);
            let beside = [on_left, on_right].map(|cell| cell.map(|cell| next[cell]));
            let weight = weights[cell].into();
            self.options.push(options(lambda, weight, [shown[cell], wanted[cell], next[cell]], beside));
        }
    }

    fn take_cheapest_path(&mut self, lambda: u64, next: &mut [PackedCell]) {
        self.best_previous.clear();
        let mut sums = [0; OPTIONS];
        for cell in 0..next.len() {
            let (mut here, mut best_previous) = ([INFINITE_COST; OPTIONS], [0; OPTIONS]);
            for (number, option) in
                self.options[cell].iter().enumerate().filter(|(_, option)| option.cost < INFINITE_COST)
            {
                for (from, &sum) in sums.iter().enumerate() {
                    let goes_on = !option.drawn || cell > 0 && option.follows(&self.options[cell - 1][from]);
                    let sum = sum + if goes_on { 0 } else { lambda * MOVE_BYTES };
                    if sum < here[number] {
                        (here[number], best_previous[number]) = (sum, from as u8);
                    }
                }
                here[number] += option.cost;
            }
            self.best_previous.push(best_previous);
            sums = here;
        }
        let mut option = (0..OPTIONS).min_by_key(|&option| sums[option]).unwrap_or(KEEP);
        for cell in (0..next.len()).rev() {
            next[cell] = self.options[cell][option].packed;
            option = self.best_previous[cell][option].into();
        }
    }
}

/// `beside` holds the nearest drawn cells on its left and on its right.
fn options(
    lambda: u64,
    weight: u64,
    [shown, wanted, chosen]: [PackedCell; 3],
    beside: [Option<PackedCell>; 2],
) -> [CellOption; OPTIONS] {
    let mut options = [CellOption::NONE; OPTIONS];
    options[KEEP] = CellOption { packed: shown, drawn: false, cost: 0 };
    let is_drawn = chosen != shown;
    if !is_drawn && beside == [None, None] {
        return options;
    }
    let weighted_error =
        |packed: PackedCell| error(packed, wanted).map_or(INFINITE_COST, |error| u64::from(error) * weight);
    let draw = |packed: PackedCell| {
        let glyph = if packed.shows_only_background() { FLAT_BYTES } else { GLYPH_BYTES };
        CellOption { packed, drawn: true, cost: (weighted_error(packed) + lambda * glyph).min(INFINITE_COST) }
    };
    options[KEEP].cost = weighted_error(shown);
    if is_drawn {
        options[CHOSEN] = draw(chosen);
    }
    // No error can be computed, as for bold text.
    let fallback = if is_drawn { CHOSEN } else { KEEP };
    if options[fallback].cost >= INFINITE_COST {
        options[fallback].cost = 0;
        return options;
    }
    let Some(coverage) = CellCoverage::new(wanted).filter(|coverage| coverage.known) else { return options };
    for (option, packed) in options[NEIGHBOR_STYLE..].iter_mut().zip(beside) {
        let Some(packed) = packed.filter(|packed| packed.style.attributes.is_empty()) else { continue };
        *option = draw(PackedCell::flat(packed.style.bg));
        if !packed.shows_only_background() && coverage.has_two_colors() {
            let glyph = draw(coverage.glyph(packed.style).0);
            *option = if glyph.cost < option.cost { glyph } else { *option };
        }
    }
    options
}
