//! Braille: the glyph of every pattern of 2×4 dots.

/// The dot of each part, row by row: braille numbers its dots down the left column, then the right, and its fourth
/// row came later.
const DOTS: [u8; 8] = [0, 3, 1, 4, 2, 5, 6, 7];

/// The glyph whose dots are the set bits, row by row from the upper left.
pub fn braille_of(mask: usize) -> char {
    let dots = (0..8).filter(|part| mask >> part & 1 == 1).fold(0, |dots, part| dots | 1u32 << DOTS[part]);
    char::from_u32(0x2800 + dots).unwrap_or(' ')
}
