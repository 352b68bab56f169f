//! Half blocks, quadrants and eighths: in nearly every font.

use ratatui_core::symbols::pixel::QUADRANTS;

/// Glyphs that fill the lower so many eighths of a cell.
pub const LOWER: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Glyphs that fill the left so many eighths.
pub const LEFT: [char; 9] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉', '█'];

/// The two other eighths that Unicode had from the start.
pub const UPPER_EIGHTH: char = '▔';
pub const RIGHT_EIGHTH: char = '▕';

/// All of them; some more than once.
pub fn all() -> Vec<char> {
    [&QUADRANTS[..], &LOWER, &LEFT, &[UPPER_EIGHTH, RIGHT_EIGHTH]].concat()
}
