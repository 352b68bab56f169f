//! Style selection: which styles are worth their bytes, in the order of their gain. A style that gains too little is dropped, and
//! the screen keeps its cells. A style that differs from selected ones by less than its bytes is dropped too, and its cells are
//! drawn in the nearest of those, inverted or flat where that is nearer.

use crate::term::encoder::color::PackedColor;
use crate::term::encoder::glyph_coverage::shape;
use crate::term::encoder::packed_cell::{CellStyle, PackedCell, sort_key};
use crate::term::encoder::rate_distortion::distortion::{CellCoverage, Drawn, blend, error, squared_distance};
use crate::term::encoder::rate_distortion::{EncodeChoice, STYLE_BYTES};
use std::cmp::Reverse;

/// Bytes of a style that others may replace: its SGR (20), and the moves to its cells.
const SUBSTITUTED_STYLE_BYTES: u32 = 80;
/// Further bytes of a style if no selected style has its background.
const NEW_BACKGROUND_BYTES: u32 = 30;
/// Bytes of a background without a text colour: one true colour (18), and a move (4 to 8).
const BACKGROUND_ONLY_BYTES: u32 = 26;

/// The range of its cells in the choices, and their gain.
#[derive(Clone, Copy, Debug)]
struct StyleCandidate {
    first: u32,
    count: u32,
    gain: u64,
}

#[derive(Debug, Default)]
pub struct StyleSet {
    candidates: Vec<StyleCandidate>,
    /// Styles selected for glyphs, and backgrounds.
    selected: Vec<CellStyle>,
    backgrounds: Vec<PackedColor>,
    /// The cells of a style, as they are drawn in other styles.
    substitutes: Vec<PackedCell>,
    order: Vec<u128>,
    sorted: Vec<EncodeChoice>,
}

impl StyleSet {
    pub fn select(
        &mut self,
        lambda: u32,
        choices: &mut Vec<EncodeChoice>,
        wanted: &[PackedCell],
        next: &mut [PackedCell],
    ) {
        self.sort_by_style(choices);
        self.rank_candidates(choices);
        self.selected.clear();
        self.selected.reserve(self.candidates.capacity());
        self.backgrounds.clear();
        self.backgrounds.reserve(self.candidates.capacity());
        for at in 0..self.candidates.len() {
            let StyleCandidate { first, count, gain } = self.candidates[at];
            let cells = &choices[first as usize..(first + count) as usize];
            let packed = cells[0].packed;
            let (flat, same_background) = (packed.shows_only_background(), self.backgrounds.contains(&packed.style.bg));
            let price = match (flat, same_background) {
                (true, true) => 0,
                (true, false) => BACKGROUND_ONLY_BYTES,
                (false, true) => SUBSTITUTED_STYLE_BYTES,
                (false, false) => SUBSTITUTED_STYLE_BYTES + NEW_BACKGROUND_BYTES,
            };
            if price > 0 && gain < u64::from(STYLE_BYTES * lambda) {
                continue;
            }
            if self.substitute(cells, price * lambda, wanted) {
                cells.iter().zip(&self.substitutes).for_each(|(choice, packed)| next[choice.cell as usize] = *packed);
                continue;
            }
            cells.iter().for_each(|choice| next[choice.cell as usize] = choice.packed);
            if !flat {
                self.selected.push(packed.style);
            }
            if !same_background {
                self.backgrounds.push(packed.style.bg);
            }
        }
    }

    /// No style replaces another, which takes less processor time.
    pub fn select_quick(&mut self, lambda: u32, choices: &mut Vec<EncodeChoice>, next: &mut [PackedCell]) {
        self.sort_by_style(choices);
        let enough = u64::from(STYLE_BYTES * lambda);
        let background = |choice: &EncodeChoice| (choice.packed.style.bg, choice.packed.style.attributes);
        for same_background in choices.chunk_by(|a, b| background(a) == background(b)) {
            let mut drawn = 0;
            // Cells that show the background alone are considered last: they cost no SGR where another style draws on that
            // background.
            for cells in same_background.chunk_by(|a, b| a.packed.style == b.packed.style).rev() {
                let gain: u64 = cells.iter().map(|choice| u64::from(choice.gain)).sum();
                if gain >= enough || drawn > 0 && cells[0].packed.shows_only_background() {
                    cells.iter().for_each(|choice| next[choice.cell as usize] = choice.packed);
                    drawn += 1;
                }
            }
        }
    }

    /// Choices are large, so their keys are sorted first.
    fn sort_by_style(&mut self, choices: &mut Vec<EncodeChoice>) {
        self.order.clear();
        self.order
            .extend(choices.iter().zip(0u32..).map(|(choice, number)| sort_key(choice.packed.style.key(), number)));
        self.order.sort_unstable();
        self.sorted.clear();
        self.sorted.extend(self.order.iter().map(|&key| choices[key as u32 as usize]));
        std::mem::swap(choices, &mut self.sorted);
    }

    fn rank_candidates(&mut self, choices: &[EncodeChoice]) {
        self.candidates.clear();
        // Reserved for the maximum: a later frame may have more styles.
        self.candidates.reserve(choices.len());
        self.substitutes.clear();
        self.substitutes.reserve(choices.len());
        let mut first = 0;
        for cells in choices.chunk_by(|a, b| a.packed.style == b.packed.style) {
            let gain = cells.iter().map(|choice| u64::from(choice.gain)).sum();
            self.candidates.push(StyleCandidate { first, count: cells.len() as u32, gain });
            first += cells.len() as u32;
        }
        self.candidates.sort_unstable_by_key(|style| (Reverse(style.gain), style.first));
    }

    /// Whether these cells can be drawn in selected styles for less than `most` additional error; writes them to `substitutes`.
    fn substitute(&mut self, cells: &[EncodeChoice], most: u32, wanted: &[PackedCell]) -> bool {
        self.substitutes.clear();
        if most == 0 {
            return false;
        }
        let Some(nearest_styles) = self.nearest_styles(cells) else { return false };
        let mut more = 0;
        for choice in cells {
            let wanted = wanted[choice.cell as usize];
            let Some((packed, off)) = nearest_styles.nearest(choice.packed, wanted) else { return false };
            more += off.saturating_sub(error(choice.packed, wanted).unwrap_or(0)) * choice.weight;
            if more >= most {
                return false;
            }
            self.substitutes.push(packed);
        }
        true
    }

    /// The nearest selected styles, weighted by the pixels of each colour; `None` if the pixels are unknown.
    fn nearest_styles(&self, cells: &[EncodeChoice]) -> Option<CandidateStyles> {
        let CellStyle { fg, bg, .. } = cells[0].packed.style;
        let (mut covered, mut uncovered) = (0, 0);
        for choice in cells {
            let coverage = CellCoverage::new(choice.packed)?;
            covered += u64::from(coverage.covered * choice.weight);
            uncovered += u64::from(coverage.uncovered * choice.weight);
        }
        let off = |text: u32, background: u32| covered * u64::from(text) + uncovered * u64::from(background);
        let mut nearest_styles = CandidateStyles::default();
        if covered > 0 {
            for &style in &self.selected {
                nearest_styles.same.offer(off(squared_distance(fg, style.fg), squared_distance(bg, style.bg)), style);
                nearest_styles
                    .swapped
                    .offer(off(squared_distance(fg, style.bg), squared_distance(bg, style.fg)), style);
            }
        }
        let mean = blend(cells[0].packed.style, covered, uncovered);
        for &background in &self.backgrounds {
            nearest_styles.backgrounds.offer(squared_distance(mean, background).into(), background);
        }
        Some(nearest_styles)
    }
}

/// With the same glyphs, with inverted glyphs, or as backgrounds alone.
#[derive(Clone, Copy, Default)]
struct CandidateStyles {
    same: TwoNearest<CellStyle>,
    swapped: TwoNearest<CellStyle>,
    backgrounds: TwoNearest<PackedColor>,
}

impl CandidateStyles {
    /// The cell in these styles nearest to the target, and its error. A flat cell stays flat.
    fn nearest(self, chosen: PackedCell, wanted: PackedCell) -> Option<Drawn> {
        let coverage = CellCoverage::new(wanted)?;
        let flat = self.backgrounds.all().filter(|_| coverage.known).map(|background| coverage.flat(background));
        let same = self.same.all().map(|style| coverage.glyph(style));
        let inverse = shape(wanted.glyph.code()).and_then(|shape| shape.inverse);
        let swapped = self.swapped.all().zip(inverse.into_iter().cycle());
        let swapped = swapped.map(|(style, inverse)| coverage.inverted(inverse, style));
        let marks = same.chain(swapped).filter(|_| !chosen.shows_only_background());
        flat.chain(marks).min_by_key(|(_, error)| *error)
    }
}

#[derive(Clone, Copy, Default)]
struct TwoNearest<T>([Option<(u64, T)>; 2]);

impl<T: Copy> TwoNearest<T> {
    fn offer(&mut self, off: u64, one: T) {
        let [first, second] = &mut self.0;
        let nearer = |than: &Option<(u64, T)>| than.is_none_or(|(least, _)| off < least);
        if nearer(first) {
            *second = first.replace((off, one));
        } else if nearer(second) {
            *second = Some((off, one));
        }
    }

    fn all(self) -> impl Iterator<Item = T> {
        self.0.into_iter().flatten().map(|(_, one)| one)
    }
}
