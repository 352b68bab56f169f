//! The pixels of a cell that a block glyph covers, by which two glyphs are compared.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::cell::braille;
use crate::cell::glyph_shape::{CELL, pixels};

pub const PIXELS: u32 = 128;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlyphCoverage {
    /// A bit for each pixel, row by row.
    pub mask: u128,
    pub covered: u32,
    /// The glyph that covers exactly the other pixels, if every font with this glyph has it too.
    pub inverse: Option<char>,
}

impl GlyphCoverage {
    #[inline]
    pub fn common(&self, other: &Self) -> u32 {
        match (self.covered, other.covered) {
            (0, _) | (_, 0) => 0,
            (PIXELS, covered) | (covered, PIXELS) => covered,
            (covered, _) if self.mask == other.mask => covered,
            _ => (self.mask & other.mask).count_ones(),
        }
    }
}

/// The Unicode pages of these glyphs. Pages that more fonts have come first.
const PAGES: [u32; 6] = [0x00, 0x20, 0x25, 0x28, 0x1fb, 0x1cd];

/// The shape of a glyph of blocks or dots; of other glyphs nothing is known.
#[inline]
pub fn shape(glyph: u32) -> Option<&'static GlyphCoverage> {
    static TABLE: OnceLock<Vec<Option<GlyphCoverage>>> = OnceLock::new();
    let slot = slot(glyph)?;
    TABLE.get_or_init(table)[slot].as_ref()
}

#[inline]
fn slot(glyph: u32) -> Option<usize> {
    let page = PAGES.iter().position(|&page| page == glyph >> 8)?;
    Some(page << 8 | (glyph & 0xff) as usize)
}

fn glyphs() -> impl Iterator<Item = char> {
    PAGES.iter().flat_map(|page| page << 8..(page + 1) << 8).filter_map(char::from_u32)
}

/// A pixel on a slanted edge counts as covered if more than half of it is.
fn table() -> Vec<Option<GlyphCoverage>> {
    let mut table = vec![None; PAGES.len() << 8];
    let mut set = |glyph: char, mask: u128| {
        if let Some(slot) = slot(glyph.into()) {
            table[slot] = Some(GlyphCoverage { mask, covered: mask.count_ones(), inverse: None });
        }
    };
    for dots in 1..256usize {
        let glyph = braille::dots(dots);
        set(glyph, mask(|x, y| braille::covers(glyph, x, y)));
    }
    for glyph in glyphs() {
        if let Some(pixels) = pixels(glyph) {
            set(glyph, mask(|x, y| pixels[y][x] > 127));
        }
    }
    find_inverses(&mut table);
    table
}

/// A glyph gets an inverse only from a page as common as its own: a font that has ▂ need not have 🮅.
fn find_inverses(table: &mut [Option<GlyphCoverage>]) {
    // Of equal shapes, the glyph that more fonts have is taken: the first.
    let mut by_mask: HashMap<u128, (char, usize)> = HashMap::new();
    for glyph in glyphs() {
        if let Some(slot) = slot(glyph.into())
            && let Some(shape) = &table[slot]
        {
            by_mask.entry(shape.mask).or_insert((glyph, slot));
        }
    }
    for (slot, shape) in table.iter_mut().enumerate().filter_map(|(slot, shape)| Some((slot, shape.as_mut()?))) {
        let inverse = by_mask.get(&!shape.mask).filter(|inverse| inverse.1 >> 8 <= slot >> 8);
        shape.inverse = inverse.map(|&(glyph, _)| glyph);
    }
}

fn mask(covered: impl Fn(usize, usize) -> bool) -> u128 {
    let bits = 0..CELL.0 * CELL.1;
    bits.filter(|bit| covered(bit % CELL.0, bit / CELL.0)).fold(0, |mask, bit| mask | 1 << bit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::raster;

    fn all() -> impl Iterator<Item = (char, GlyphCoverage)> {
        glyphs().filter_map(|glyph| Some((glyph, *shape(glyph.into())?)))
    }

    #[test]
    fn glyphs_cover_what_is_drawn_of_them() {
        assert!(all().count() > 500);
        for (glyph, shape) in all() {
            let drawn = mask(|x, y| raster::coverage(glyph, x, y) > 127);
            assert_eq!(shape.mask, drawn, "{glyph}");
        }
    }

    #[test]
    fn an_inverse_covers_all_the_rest() {
        for (glyph, found) in all() {
            let Some(other) = found.inverse.and_then(|inverse| shape(inverse.into())) else { continue };
            assert_eq!(other.mask, !found.mask, "{glyph}");
        }
        let inverse = |glyph: char| shape(glyph.into()).and_then(|shape| shape.inverse);
        assert_eq!(inverse('▀'), Some('▄'));
        assert_eq!((inverse('▂'), inverse('\u{1fb85}')), (None, Some('▂')), "fewer fonts have the other");
        assert!(shape('x'.into()).is_none());
    }
}
