//! Which pens are taken up.
//!
//! StyleSet are looked at in the order of what all their cells gain. One that gains too little is not taken up, and its
//! cells stay as they are: they may be all the same in the next frame too. Nor is one that would hardly be missed, because
//! pens that were taken up before it come so near that the difference is worth less than its bytes: then each of its
//! cells is drawn with the nearest of those, turned inside out or made flat where that is nearer still.
//!
//! (Bytes of a splash at 80×24, 120×40, 200×60, and dB: with no pen standing in for another 3370, 6591, 12611 at 30.10,
//! 32.02, 33.82; so 3100, 6010, 11460, .005 dB less near. Each cell with the best of all other pens, the rarest dropped
//! first: 3 % fewer, in half as much time again for the whole encoder. Only what gains too little drawn with the pens that
//! are there: nothing.)

use crate::term::encoder::color::PackedColor;
use crate::term::encoder::glyph_coverage::shape;
use crate::term::encoder::packed_cell::{CellStyle, PackedCell};
use crate::term::encoder::rate_distortion::distortion::{CellCoverage, apart, blend, error};
use crate::term::encoder::rate_distortion::{EncodeChoice, PEN};
use std::cmp::Reverse;

/// Bytes of a pen for which others may stand in: it is said, and the cursor sent to its cells, which are runs of their
/// own then. (40: 4 % more bytes, .01 dB nearer, at equal λ.)
const SPARED: u32 = 80;
/// More of them where nothing has this background yet.
const GROUND: u32 = 30;
/// Of a background alone.
const PLAIN: u32 = 26;

/// The cells that a pen would draw.
#[derive(Clone, Copy, Debug)]
struct StyleCandidate {
    /// Among the choices.
    first: u32,
    count: u32,
    gain: u64,
}

/// The chooser among pens, and its buffers.
#[derive(Debug, Default)]
pub struct StyleSet {
    candidates: Vec<StyleCandidate>,
    /// StyleSet that were taken up to draw glyphs, and backgrounds.
    taken: Vec<CellStyle>,
    grounds: Vec<PackedColor>,
    /// What the cells of a pen would be drawn as with others.
    instead: Vec<PackedCell>,
}

impl StyleSet {
    /// Draws into `next` what is worth it.
    pub fn settle(
        &mut self,
        lambda: u32,
        choices: &mut [EncodeChoice],
        wanted: &[PackedCell],
        next: &mut [PackedCell],
    ) {
        choices.sort_unstable_by_key(|choice| (choice.key, choice.cell));
        self.line_up(choices);
        self.taken.clear();
        self.taken.reserve(self.candidates.capacity());
        self.grounds.clear();
        self.grounds.reserve(self.candidates.capacity());
        for at in 0..self.candidates.len() {
            let StyleCandidate { first, count, gain } = self.candidates[at];
            let cells = &choices[first as usize..(first + count) as usize];
            let tile = cells[0].tile;
            let (flat, grounded) = (tile.shows_only_background(), self.grounds.contains(&tile.pen.bg));
            let price = match (flat, grounded) {
                (true, true) => 0,
                (true, false) => PLAIN,
                (false, true) => SPARED,
                (false, false) => SPARED + GROUND,
            };
            if price > 0 && gain < u64::from(PEN * lambda) {
                continue;
            }
            if self.stand_in(cells, price * lambda, wanted) {
                cells.iter().zip(&self.instead).for_each(|(choice, tile)| next[choice.cell as usize] = *tile);
                continue;
            }
            cells.iter().for_each(|choice| next[choice.cell as usize] = choice.tile);
            if !flat {
                self.taken.push(tile.pen);
            }
            if !grounded {
                self.grounds.push(tile.pen.bg);
            }
        }
    }

    /// The same where time is dearer than bytes: no pen stands in for another.
    pub fn settle_quickly(&mut self, lambda: u32, choices: &mut [EncodeChoice], next: &mut [PackedCell]) {
        choices.sort_unstable_by_key(|choice| (choice.key, choice.cell));
        let enough = u64::from(PEN * lambda);
        let ground = |choice: &EncodeChoice| (choice.tile.pen.bg, choice.tile.pen.attributes);
        for grounded in choices.chunk_by(|a, b| ground(a) == ground(b)) {
            let mut drawn = 0;
            // FrameCells of the background alone are first among them, and cost nothing where another draws on it.
            for cells in grounded.chunk_by(|a, b| a.key == b.key).rev() {
                let gain: u64 = cells.iter().map(|choice| u64::from(choice.gain)).sum();
                if gain >= enough || drawn > 0 && cells[0].tile.shows_only_background() {
                    cells.iter().for_each(|choice| next[choice.cell as usize] = choice.tile);
                    drawn += 1;
                }
            }
        }
    }

    /// The pens of the choices, from the one that gains most.
    fn line_up(&mut self, choices: &[EncodeChoice]) {
        self.candidates.clear();
        // Room for as many as there may be: a calmer frame than the first may have more pens.
        self.candidates.reserve(choices.len());
        self.instead.clear();
        self.instead.reserve(choices.len());
        let mut first = 0;
        for cells in choices.chunk_by(|a, b| a.key == b.key) {
            let gain = cells.iter().map(|choice| u64::from(choice.gain)).sum();
            self.candidates.push(StyleCandidate { first, count: cells.len() as u32, gain });
            first += cells.len() as u32;
        }
        self.candidates.sort_unstable_by_key(|pen| (Reverse(pen.gain), pen.first));
    }

    /// Whether these cells can be drawn with pens that are taken up, for less error than `most` more; and how.
    fn stand_in(&mut self, cells: &[EncodeChoice], most: u32, wanted: &[PackedCell]) -> bool {
        self.instead.clear();
        if most == 0 {
            return false;
        }
        let Some(others) = self.others(cells) else { return false };
        let mut more = 0;
        for choice in cells {
            let wanted = wanted[choice.cell as usize];
            let Some((off, tile)) = others.nearest(choice.tile, wanted) else { return false };
            more += off.saturating_sub(error(choice.tile, wanted).unwrap_or(0)) * choice.weight;
            if more >= most {
                return false;
            }
            self.instead.push(tile);
        }
        true
    }

    /// The pens that come nearest to that of these cells, by how much of them each of its colours covers; none if that
    /// is not known.
    fn others(&self, cells: &[EncodeChoice]) -> Option<CandidateStyles> {
        let CellStyle { fg, bg, .. } = cells[0].tile.pen;
        let (mut lit, mut unlit) = (0, 0);
        for choice in cells {
            let outline = CellCoverage::of(choice.tile)?;
            lit += u64::from(outline.lit * choice.weight);
            unlit += u64::from(outline.unlit * choice.weight);
        }
        let off = |text: u32, ground: u32| lit * u64::from(text) + unlit * u64::from(ground);
        let mut others = CandidateStyles::default();
        if lit > 0 {
            for &pen in &self.taken {
                others.same.offer(off(apart(fg, pen.fg), apart(bg, pen.bg)), pen);
                others.swapped.offer(off(apart(fg, pen.bg), apart(bg, pen.fg)), pen);
            }
        }
        let mean = blend(cells[0].tile.pen, lit, unlit);
        for &ground in &self.grounds {
            others.grounds.offer(apart(mean, ground).into(), ground);
        }
        Some(others)
    }
}

/// What may stand in for a pen: pens as they are, pens with glyphs turned inside out, backgrounds.
#[derive(Clone, Copy, Default)]
struct CandidateStyles {
    same: TwoNearest<CellStyle>,
    swapped: TwoNearest<CellStyle>,
    grounds: TwoNearest<PackedColor>,
}

impl CandidateStyles {
    /// The tile by them that comes nearest to what is wanted, and its error. What was to be flat stays so.
    fn nearest(self, chosen: PackedCell, wanted: PackedCell) -> Option<(u32, PackedCell)> {
        let outline = CellCoverage::of(wanted)?;
        let grounds = self.grounds.all().filter(|_| outline.known);
        let flat = grounds.map(|ground| (outline.flattened(wanted.pen, ground), PackedCell::flat(ground)));
        let same = self.same.all().map(|pen| (outline.recoloured(wanted.pen, pen), PackedCell { pen, ..wanted }));
        let inverse = shape(wanted.glyph.code()).and_then(|shape| shape.inverse);
        let turned = |(pen, inverse): (CellStyle, char)| {
            (outline.inverted(wanted.pen, pen), PackedCell { glyph: inverse.into(), pen })
        };
        let swapped = self.swapped.all().zip(inverse.into_iter().cycle()).map(turned);
        let marks = same.chain(swapped).filter(|_| !chosen.shows_only_background());
        flat.chain(marks).min_by_key(|(off, _)| *off).map(|(off, tile)| (off, tile.normal()))
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
