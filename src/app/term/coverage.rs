//! Which part of a cell a block glyph covers: what two glyphs differ by can then be counted in pixels.

use std::sync::OnceLock;

use ratatui_core::symbols::pixel::{OCTANTS, QUADRANTS, SEXTANTS};

use crate::view::glyph::blocks::{LEFT, LOWER, RIGHT_EIGHTH, UPPER_EIGHTH};
use crate::view::glyph::braille::braille_of;

/// Pixels of a cell, across and down; a bit each, row by row.
const CELL: (usize, usize) = (8, 16);
/// Pixels of a cell.
pub const PIXELS: u32 = 128;

/// The shape of a glyph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    pub mask: u128,
    /// Pixels that are covered.
    pub lit: u32,
    /// The glyph that covers all the rest, if there is one.
    pub inverse: Option<char>,
    known: bool,
}

impl Shape {
    /// Pixels that both cover.
    #[inline]
    pub fn common(self, other: Self) -> u32 {
        match (self.lit, other.lit) {
            (0, _) | (_, 0) => 0,
            (PIXELS, lit) | (lit, PIXELS) => lit,
            (lit, _) if self.mask == other.mask => lit,
            _ => (self.mask & other.mask).count_ones(),
        }
    }
}

/// The pages of 256 characters in which such glyphs are.
const PAGES: [u32; 5] = [0x00, 0x25, 0x28, 0x1cd, 0x1fb];

/// The shape of a glyph of blocks or dots; of others, letters above all, nothing is known.
#[inline]
pub fn shape(glyph: u32) -> Option<Shape> {
    static TABLE: OnceLock<Vec<Shape>> = OnceLock::new();
    let slot = slot(glyph)?;
    let shape = TABLE.get_or_init(table)[slot];
    shape.known.then_some(shape)
}

#[inline]
fn slot(glyph: u32) -> Option<usize> {
    let page = PAGES.iter().position(|&page| page == glyph >> 8)?;
    Some(page << 8 | (glyph & 0xff) as usize)
}

fn table() -> Vec<Shape> {
    let mut table = vec![Shape::default(); PAGES.len() << 8];
    let mut set = |glyph: char, inverse: Option<char>, lit: &dyn Fn(usize, usize) -> bool| {
        if let Some(slot) = slot(glyph.into()) {
            let mask = mask(lit);
            table[slot] = Shape { mask, lit: mask.count_ones(), inverse, known: true };
        }
    };
    for dots in 1..256usize {
        set(braille_of(dots), None, &|x, y| {
            (1..3).contains(&(x % 4)) && (1..3).contains(&(y % 4)) && dots >> (y / 4 * 2 + x / 4) & 1 == 1
        });
    }
    for eighths in 0..=8 {
        set(LOWER[eighths], None, &|_, y| y >= CELL.1 - 2 * eighths);
        set(LEFT[eighths], None, &|x, _| x < eighths);
    }
    set(UPPER_EIGHTH, Some(LOWER[7]), &|_, y| y < 2);
    set(LOWER[7], Some(UPPER_EIGHTH), &|_, y| y >= 2);
    set(RIGHT_EIGHTH, Some(LEFT[7]), &|x, _| x == 7);
    set(LEFT[7], Some(RIGHT_EIGHTH), &|x, _| x < 7);
    // The families in which every glyph has its inverse come last: they share glyphs with the ones before.
    for parts in 0..256 {
        set(OCTANTS[parts], Some(OCTANTS[255 ^ parts]), &|x, y| parts >> (y / 4 * 2 + x / 4) & 1 == 1);
    }
    for parts in 0..64 {
        // Sixteen rows are not divided by three: 5, 6 and 5.
        set(SEXTANTS[parts], Some(SEXTANTS[63 ^ parts]), &|x, y| parts >> ((3 * y + 1) / 16 * 2 + x / 4) & 1 == 1);
    }
    for parts in 0..16 {
        set(QUADRANTS[parts], Some(QUADRANTS[15 ^ parts]), &|x, y| parts >> (y / 8 * 2 + x / 4) & 1 == 1);
    }
    table
}

fn mask(lit: impl Fn(usize, usize) -> bool) -> u128 {
    let bits = 0..CELL.0 * CELL.1;
    bits.filter(|bit| lit(bit % CELL.0, bit / CELL.0)).fold(0, |mask, bit| mask | 1 << bit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::raster;

    fn all() -> impl Iterator<Item = (char, Shape)> {
        let glyphs = PAGES.iter().flat_map(|page| page << 8..(page + 1) << 8);
        glyphs.filter_map(|glyph| Some((char::from_u32(glyph)?, shape(glyph)?)))
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
        assert_eq!(shape('▀'.into()).and_then(|shape| shape.inverse), Some('▄'));
        assert!(shape('x'.into()).is_none());
    }
}
