//! Which styles are selected up.
//!
//! StyleSet are looked at in the order of what all their cells gain. One that gains too little is not selected up, and its
//! cells stay as they are: they may be all the same in the next frame too. Nor is one that would hardly be missed, because
//! styles that were selected up before it come so near that the difference is worth less than its bytes: then each of its
//! cells is drawn with the nearest of those, turned inside out or made flat where that is nearer still.
//!
//! (Bytes of a splash at 80×24, 120×40, 200×60, and dB: with no style standing in for another 3370, 6591, 12611 at 30.10,
//! 32.02, 33.82; so 3100, 6010, 11460, .005 dB less near. Each cell with the best of all other styles, the rarest dropped
//! first: 3 % fewer, in half as much time again for the whole encoder. Only what gains too little drawn with the styles that
//! are there: nothing.)

use crate::term::encoder::color::PackedColor;
use crate::term::encoder::glyph_coverage::shape;
use crate::term::encoder::packed_cell::{CellStyle, PackedCell};
use crate::term::encoder::rate_distortion::distortion::{CellCoverage, blend, error, squared_distance};
use crate::term::encoder::rate_distortion::{EncodeChoice, STYLE_BYTES};
use std::cmp::Reverse;

/// Bytes of a style for which nearest_styles may stand in: it is said, and the cursor sent to its cells, which are runs of their
/// own then. (40: 4 % more bytes, .01 dB nearer, at equal λ.)
const SUBSTITUTED_STYLE_BYTES: u32 = 80;
/// More of them where nothing has this background yet.
const NEW_BACKGROUND_BYTES: u32 = 30;
/// Of a background alone.
const BACKGROUND_ONLY_BYTES: u32 = 26;

/// The cells that a style would draw.
#[derive(Clone, Copy, Debug)]
struct StyleCandidate {
    /// Among the choices.
    first: u32,
    count: u32,
    gain: u64,
}

/// The chooser among styles, and its buffers.
#[derive(Debug, Default)]
pub struct StyleSet {
    candidates: Vec<StyleCandidate>,
    /// StyleSet that were selected up to draw glyphs, and backgrounds.
    selected: Vec<CellStyle>,
    backgrounds: Vec<PackedColor>,
    /// What the cells of a style would be drawn as with nearest_styles.
    substitutes: Vec<PackedCell>,
}

impl StyleSet {
    /// Draws into `next` what is worth it.
    pub fn select(
        &mut self,
        lambda: u32,
        choices: &mut [EncodeChoice],
        wanted: &[PackedCell],
        next: &mut [PackedCell],
    ) {
        choices.sort_unstable_by_key(|choice| (choice.key, choice.cell));
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

    /// The same where time is dearer than bytes: no style stands in for another.
    pub fn select_quick(&mut self, lambda: u32, choices: &mut [EncodeChoice], next: &mut [PackedCell]) {
        choices.sort_unstable_by_key(|choice| (choice.key, choice.cell));
        let enough = u64::from(STYLE_BYTES * lambda);
        let background = |choice: &EncodeChoice| (choice.packed.style.bg, choice.packed.style.attributes);
        for same_background in choices.chunk_by(|a, b| background(a) == background(b)) {
            let mut drawn = 0;
            // FrameCells of the background alone are first among them, and cost nothing where another draws on it.
            for cells in same_background.chunk_by(|a, b| a.key == b.key).rev() {
                let gain: u64 = cells.iter().map(|choice| u64::from(choice.gain)).sum();
                if gain >= enough || drawn > 0 && cells[0].packed.shows_only_background() {
                    cells.iter().for_each(|choice| next[choice.cell as usize] = choice.packed);
                    drawn += 1;
                }
            }
        }
    }

    /// The styles of the choices, from the one that gains most.
    fn rank_candidates(&mut self, choices: &[EncodeChoice]) {
        self.candidates.clear();
        // Room for as many as there may be: a calmer frame than the first may have more styles.
        self.candidates.reserve(choices.len());
        self.substitutes.clear();
        self.substitutes.reserve(choices.len());
        let mut first = 0;
        for cells in choices.chunk_by(|a, b| a.key == b.key) {
            let gain = cells.iter().map(|choice| u64::from(choice.gain)).sum();
            self.candidates.push(StyleCandidate { first, count: cells.len() as u32, gain });
            first += cells.len() as u32;
        }
        self.candidates.sort_unstable_by_key(|style| (Reverse(style.gain), style.first));
    }

    /// Whether these cells can be drawn with styles that are selected up, for less error than `most` more; and how.
    fn substitute(&mut self, cells: &[EncodeChoice], most: u32, wanted: &[PackedCell]) -> bool {
        self.substitutes.clear();
        if most == 0 {
            return false;
        }
        let Some(nearest_styles) = self.nearest_styles(cells) else { return false };
        let mut more = 0;
        for choice in cells {
            let wanted = wanted[choice.cell as usize];
            let Some((off, packed)) = nearest_styles.nearest(choice.packed, wanted) else { return false };
            more += off.saturating_sub(error(choice.packed, wanted).unwrap_or(0)) * choice.weight;
            if more >= most {
                return false;
            }
            self.substitutes.push(packed);
        }
        true
    }

    /// The styles that come nearest to that of these cells, by how much of them each of its colours covers; none if that
    /// is not known.
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

/// What may stand in for a style: styles as they are, styles with glyphs turned inside out, backgrounds.
#[derive(Clone, Copy, Default)]
struct CandidateStyles {
    same: TwoNearest<CellStyle>,
    swapped: TwoNearest<CellStyle>,
    backgrounds: TwoNearest<PackedColor>,
}

impl CandidateStyles {
    /// The packed by them that comes nearest to what is wanted, and its error. What was to be flat stays so.
    fn nearest(self, chosen: PackedCell, wanted: PackedCell) -> Option<(u32, PackedCell)> {
        let coverage = CellCoverage::new(wanted)?;
        let backgrounds = self.backgrounds.all().filter(|_| coverage.known);
        let flat =
            backgrounds.map(|background| (coverage.error_flat(wanted.style, background), PackedCell::flat(background)));
        let same = self
            .same
            .all()
            .map(|style| (coverage.error_with_style(wanted.style, style), PackedCell { style, ..wanted }));
        let inverse = shape(wanted.glyph.code()).and_then(|shape| shape.inverse);
        let turned = |(style, inverse): (CellStyle, char)| {
            (coverage.error_inverted(wanted.style, style), PackedCell { glyph: inverse.into(), style })
        };
        let swapped = self.swapped.all().zip(inverse.into_iter().cycle()).map(turned);
        let marks = same.chain(swapped).filter(|_| !chosen.shows_only_background());
        flat.chain(marks).min_by_key(|(off, _)| *off).map(|(off, packed)| (off, packed.normalized()))
    }
}

/// The nearest two of those that were offered.
#[derive(Clone, Copy)]
struct TwoNearest<T>([Option<(u64, T)>; 2]);

impl<T> Default for TwoNearest<T> {
    fn default() -> Self {
        Self([None, None])
    }
}

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
