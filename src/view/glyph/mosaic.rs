//! Sextants and octants: every division of a cell into 2×3 or 2×4 blocks is a glyph.

use ratatui_core::symbols::pixel::{OCTANTS, SEXTANTS};

/// The glyph whose lit blocks are the set bits, row by row from the upper left.
pub fn sextant_of(mask: usize) -> char {
    SEXTANTS[mask]
}

/// As [`sextant_of`], for octants.
pub fn octant_of(mask: usize) -> char {
    OCTANTS[mask]
}
