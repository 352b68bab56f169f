//! What one cell of a terminal can show: colours and glyph shapes.
//!
//! The lowest room of the drawing side: [`crate::view`] fits pictures to these shapes, and the terminal's encoder counts
//! by them what two glyphs differ by. It knows neither a fluid nor a terminal session.

pub mod ascii;
pub mod blocks;
pub mod braille;
pub mod color;
pub mod glyph_mode;
pub mod glyph_shape;
pub mod wedge;
