//! Half blocks, quadrants and eighths: in nearly every font.

use ratatui_core::symbols::pixel::QUADRANTS;

/// Glyphs that cover the lower n eighths of a cell, by n.
pub const LOWER: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Glyphs that cover the left n eighths, by n.
pub const LEFT: [char; 9] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/// The upper eighth. It and [`RIGHT_EIGHTH`] are the only other eighths that Unicode had from the start.
pub const UPPER_EIGHTH: char = '▔';
pub const RIGHT_EIGHTH: char = '▕';

/// A cell with nothing, the upper half, the lower half or all of it covered.
pub const HALVES: [char; 4] = [' ', '▀', '▄', '█'];

/// Returns all blocks and eighths, some of them more than once.
pub fn all() -> Vec<char> {
    [&QUADRANTS[..], &LOWER, &LEFT, &[UPPER_EIGHTH, RIGHT_EIGHTH]].concat()
}

/// Returns the shade of a full cell at a brightness, 0 to 1, for terminals without colours. The lightest shade is that of walls.
pub fn shade(light: f32) -> char {
    match light {
        light if light > 0.75 => '█',
        light if light > 0.5 => '▓',
        _ => '▒',
    }
}
