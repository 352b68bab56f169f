//! Braille: the glyph of every pattern of 2×4 dots.

use glam::Vec2;

const FIRST: u32 = 0x2800;

/// The radius of a dot, in widths of a cell: that of a disc as large as the pixels of [`covers`].
pub const DOT_RADIUS: f32 = 0.14;

/// The bit of each of the 2×4 parts of a cell in a glyph's number, row by row: braille numbers its dots by column.
const BITS: [u8; 8] = [0, 3, 1, 4, 2, 5, 6, 7];

/// Returns the glyph whose dots are the set bits, row by row from the upper left.
pub fn dots(mask: usize) -> char {
    let bits = (0..8).filter(|part| mask >> part & 1 == 1).fold(0, |bits, part| bits | 1u32 << BITS[part]);
    char::from_u32(FIRST + bits).unwrap_or(' ')
}

/// Whether a glyph of braille covers a pixel of its cell of 8×16: each dot is 2×2 pixels in the middle of its part.
pub fn covers(glyph: char, x: usize, y: usize) -> bool {
    let bits = u32::from(glyph).wrapping_sub(FIRST);
    let in_dot = (1..3).contains(&(x % 4)) && (1..3).contains(&(y % 4));
    in_dot && bits >> BITS[y / 4 * 2 + x / 4] & 1 == 1
}

pub fn is_braille(glyph: char) -> bool {
    (FIRST..FIRST + 256).contains(&u32::from(glyph))
}

/// The glyph with a dot at `at`, a fraction of a cell, and with the dots of `glyph`, if that is braille.
pub fn with_dot(glyph: Option<char>, at: Vec2) -> char {
    let part = ((at.y * 4.0) as usize).min(3) * 2 + ((at.x * 2.0) as usize).min(1);
    let there = glyph.filter(|&glyph| is_braille(glyph)).map_or(FIRST, u32::from);
    char::from_u32(there | 1 << BITS[part]).unwrap_or(' ')
}
