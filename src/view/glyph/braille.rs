//! Braille: 2×4 dots in one colour.

use super::divide::divide;
use super::patch::plus;
use super::{Ink, Mark, Patch, Sum, on_body};

/// The dot of each part, row by row: braille numbers its dots down the left column, then the right, and its fourth
/// row came later.
const DOTS: [u8; 8] = [0, 3, 1, 4, 2, 5, 6, 7];

/// The glyph whose dots are the set bits, row by row from the upper left.
pub fn braille_of(mask: usize) -> char {
    let dots = (0..8).filter(|part| mask >> part & 1 == 1).fold(0, |dots, part| dots | 1u32 << DOTS[part]);
    char::from_u32(0x2800 + dots).unwrap_or(' ')
}

/// Dots where there is something; their colour is its mean.
pub fn fit(patch: &Patch, ink: Ink) -> Mark {
    let parts = patch.parts::<8>(2, 4);
    if ink == Ink::Two {
        return on_body('⣿', &divide(&parts, ink));
    }
    // A dot stands for its whole part, whatever the colour.
    let lit = (0..8).filter(|&part| parts[part][3] < 0.5);
    let (mask, sum, count) = lit.fold((0, Sum::default(), 0.0), |(mask, sum, count), part| {
        (mask | 1 << part, plus(sum, parts[part]), count + 1.0)
    });
    if mask == 0 {
        return Mark::BLANK;
    }
    ink.mark(braille_of(mask), (sum, count), (Sum::default(), 8.0 - count))
}
