//! Braille: 2×4 dots in one colour, which is the mean of what they stand for.

use crate::cell::braille::braille_of;
use crate::view::glyph::atlas::Choice;
use crate::view::glyph::{Ink, Patch, text_glyphs};

/// Dots where there is something.
pub(crate) fn fit(patch: &Patch, ink: Ink, past: Choice) -> Choice {
    text_glyphs::fit(patch, ink, past, braille_of, |_| '⣿')
}
