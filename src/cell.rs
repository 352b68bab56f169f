//! What one cell of a terminal can show: colours and glyph shapes.
//!
//! [`crate::view`] fits pictures to these shapes; the terminal's encoder measures by them how much two glyphs differ. This
//! module knows neither a fluid nor a terminal session.
//!
//! ```text
//! color         sRGB, linear light, OKLab; colour depths, dithering, indexed colours
//! glyph_mode    which glyphs a picture is made of: the table of modes
//! glyph_shape   the pixels that block glyphs cover
//! blocks, wedge, braille, ascii    families of glyphs
//! ```

pub mod ascii;
pub mod blocks;
pub mod braille;
pub mod color;
pub mod glyph_mode;
pub mod glyph_shape;
pub mod wedge;
