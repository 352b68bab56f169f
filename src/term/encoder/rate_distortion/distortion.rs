//! The error of a cell: the sum over its 8×16 pixels of the squared difference of red, green and blue in sRGB code values, whose
//! equal steps are about equal for the eye. Palette colours count as the colours that xterm shows for them.

use crate::cell::color::{Rgb, xterm_rgb};
use crate::term::encoder::color::{self, PackedColor};
use crate::term::encoder::glyph_coverage::{GlyphCoverage, PIXELS, shape};
use crate::term::encoder::packed_cell::{CellStyle, PackedCell};

/// Distance to the user's default colours, which are unknown: the largest possible.
const UNKNOWN_DISTANCE: u32 = 3 * 255 * 255;

#[inline]
pub fn error(shown: PackedCell, wanted: PackedCell) -> Option<u32> {
    if shown.style.attributes != wanted.style.attributes {
        return None;
    }
    if shown.glyph == wanted.glyph {
        return Some(CellCoverage::new(wanted)?.error(shown.style));
    }
    if !shown.style.attributes.is_empty() {
        return None;
    }
    let (a, b) = (shape(shown.glyph.code())?, shape(wanted.glyph.code())?);
    let both = a.common(b);
    let (only_a, only_b) = (a.covered - both, b.covered - both);
    let neither = PIXELS - both - only_a - only_b;
    let (style, other) = (shown.style, wanted.style);
    Some(
        both * squared_distance(style.fg, other.fg)
            + only_a * cross_distance(style.fg, other.bg)
            + only_b * cross_distance(style.bg, other.fg)
            + neither * squared_distance(style.bg, other.bg),
    )
}

/// A cell as it could be drawn, and its error.
pub type Drawn = (PackedCell, u32);

#[derive(Clone, Copy)]
pub struct CellCoverage {
    pub cell: PackedCell,
    pub covered: u32,
    pub uncovered: u32,
    /// If false, the counts are upper limits.
    pub known: bool,
}

impl CellCoverage {
    /// `None` if nothing is known of the glyph.
    #[inline]
    pub fn new(cell: PackedCell) -> Option<Self> {
        // A letter with attributes may have its colours swapped.
        if !cell.style.attributes.is_empty() {
            return None;
        }
        match shape(cell.glyph.code()) {
            Some(&GlyphCoverage { covered, .. }) => {
                Some(Self { cell, covered, uncovered: PIXELS - covered, known: true })
            }
            // A letter covers at most half of its cell.
            None if cell.glyph.has_known_width() => {
                Some(Self { cell, covered: PIXELS / 2, uncovered: PIXELS, known: false })
            }
            None => None,
        }
    }

    #[inline]
    pub fn has_two_colors(self) -> bool {
        self.covered > 0 && self.uncovered > 0
    }

    /// Text colour and background, and the pixels of each.
    #[inline]
    pub fn colors(self) -> [(PackedColor, u32); 2] {
        [(self.cell.style.fg, self.covered), (self.cell.style.bg, self.uncovered)]
    }

    pub fn blend(self) -> PackedColor {
        blend(self.cell.style, self.covered.into(), self.uncovered.into())
    }

    #[inline]
    fn error(self, style: CellStyle) -> u32 {
        let CellStyle { fg, bg, .. } = self.cell.style;
        self.covered * squared_distance(style.fg, fg) + self.uncovered * squared_distance(style.bg, bg)
    }

    #[inline]
    pub fn glyph(self, style: CellStyle) -> Drawn {
        (PackedCell { style, ..self.cell }.normalized(), self.error(style))
    }

    /// The cell with the inverse glyph, so that the colours of `style` change places.
    #[inline]
    pub fn inverted(self, glyph: char, style: CellStyle) -> Drawn {
        let CellStyle { fg, bg, .. } = self.cell.style;
        let error = self.covered * cross_distance(style.bg, fg) + self.uncovered * cross_distance(style.fg, bg);
        (PackedCell { glyph: glyph.into(), style }, error)
    }

    #[inline]
    pub fn flat(self, color: PackedColor) -> Drawn {
        let CellStyle { fg, bg, .. } = self.cell.style;
        let error = self.covered * cross_distance(color, fg) + self.uncovered * squared_distance(color, bg);
        (PackedCell::flat(color), error)
    }
}

/// 0 only for equal colours.
#[inline]
pub fn squared_distance(a: PackedColor, b: PackedColor) -> u32 {
    if a == b {
        return 0;
    }
    match (a.channels(), b.channels()) {
        (Some(a), Some(b)) => color::squared_distance(a, b),
        _ if a == PackedColor::DEFAULT || b == PackedColor::DEFAULT => UNKNOWN_DISTANCE,
        // The user may have changed the palette, so a palette colour equals no other.
        _ => color::squared_distance(channels(a), channels(b)).max(1),
    }
}

/// The default text colour and the default background differ.
#[inline]
fn cross_distance(a: PackedColor, b: PackedColor) -> u32 {
    if a == PackedColor::DEFAULT || b == PackedColor::DEFAULT { UNKNOWN_DISTANCE } else { squared_distance(a, b) }
}

#[cold]
fn channels(color: PackedColor) -> [u8; 3] {
    let Rgb(r, g, b) = xterm_rgb(color.into(), Rgb::BLACK);
    [r, g, b]
}

/// The mean by the pixels covered; if one colour is not RGB, the one that covers more.
pub fn blend(CellStyle { fg, bg, .. }: CellStyle, covered: u64, uncovered: u64) -> PackedColor {
    let (Some([r, g, b]), Some([x, y, z])) = (fg.channels(), bg.channels()) else {
        return if covered > uncovered && fg != PackedColor::DEFAULT { fg } else { bg };
    };
    let all = (covered + uncovered).max(1);
    let mix = |on: u8, off: u8| ((u64::from(on) * covered + u64::from(off) * uncovered + all / 2) / all) as u8;
    PackedColor::rgb(mix(r, x), mix(g, y), mix(b, z))
}
