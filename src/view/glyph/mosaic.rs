//! Sextants and octants: every division of a cell into 2×3 or 2×4 blocks is a glyph.

use super::{Ink, Mark, Patch, divide};
use ratatui_core::symbols::pixel::{OCTANTS, SEXTANTS};

/// The glyph whose lit blocks are the set bits, row by row from the upper left.
pub fn sextant_of(mask: usize) -> char {
    SEXTANTS[mask]
}

/// As [`sextant_of`], for octants.
pub fn octant_of(mask: usize) -> char {
    OCTANTS[mask]
}

pub fn sextant(patch: &Patch, ink: Ink) -> Mark {
    let division = divide(&patch.parts::<6>(2, 3), ink);
    ink.mark(SEXTANTS[division.mask], division.on, division.off)
}

pub fn octant(patch: &Patch, ink: Ink) -> Mark {
    let division = divide(&patch.parts::<8>(2, 4), ink);
    ink.mark(OCTANTS[division.mask], division.on, division.off)
}
