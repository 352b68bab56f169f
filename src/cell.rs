//! What one cell of a terminal can show: colours and glyph shapes. `view` fits pictures to these shapes; the terminal's encoder
//! measures by them how much two glyphs differ.

pub mod ascii;
pub mod blocks;
pub mod braille;
pub mod color;
pub mod glyph_mode;
pub mod glyph_shape;
pub mod wedge;
