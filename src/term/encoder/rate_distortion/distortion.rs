//! How much of a picture an error is.
//!
//! The error of a cell is the sum over its 8×16 pixels of the squared difference of red, green and blue in sRGB code
//! values, for which the eye's steps are about even. (In linear light a dark drop that has gone would cost next to
//! nothing, and its ghost would stay. Nothing is mixed here, so linear light has nothing to offer.) Of palettes it is
//! the error of the colours that xterm shows for them.

use crate::cell::color::Rgb;
use crate::cell::color::xterm_rgb;
use crate::term::encoder::color;
use crate::term::encoder::color::{ColorKind, PackedColor};
use crate::term::encoder::glyph_coverage::{GlyphCoverage, PIXELS, shape};
use crate::term::encoder::packed_cell::{CellStyle, PackedCell};
use ratatui_core::style::Color;

/// Between colours of which one is the user's own and not known: never alike.
const FAR: u32 = 3 * 255 * 255;

/// The error of showing `here` where `wanted` is; `None` where it cannot be counted.
#[inline]
pub fn error(here: PackedCell, wanted: PackedCell) -> Option<u32> {
    if here.pen.attributes != wanted.pen.attributes {
        return None;
    }
    if here.glyph == wanted.glyph {
        return Some(CellCoverage::of(wanted)?.recoloured(wanted.pen, here.pen));
    }
    if !here.pen.attributes.is_empty() {
        return None;
    }
    let (a, b) = (shape(here.glyph.code())?, shape(wanted.glyph.code())?);
    let both = a.common(b);
    let (only_a, only_b) = (a.lit - both, b.lit - both);
    let neither = PIXELS - both - only_a - only_b;
    let (pen, other) = (here.pen, wanted.pen);
    Some(
        both * apart(pen.fg, other.fg)
            + only_a * across(pen.fg, other.bg)
            + only_b * across(pen.bg, other.fg)
            + neither * apart(pen.bg, other.bg),
    )
}

/// How much of a cell each of its colours covers.
#[derive(Clone, Copy)]
pub struct CellCoverage {
    pub lit: u32,
    pub unlit: u32,
    /// The shape is known, not only how much it is at most.
    pub known: bool,
}

impl CellCoverage {
    /// `None` where nothing can be said at all.
    #[inline]
    pub fn of(tile: PackedCell) -> Option<Self> {
        if let Some(&GlyphCoverage { lit, .. }) = shape(tile.glyph.code()).filter(|_| tile.pen.attributes.is_empty()) {
            return Some(Self { lit, unlit: PIXELS - lit, known: true });
        }
        // A letter is no more than half ink. One with attributes may have its colours swapped.
        let letter = tile.glyph.is_sure() && tile.pen.attributes.is_empty();
        letter.then_some(Self { lit: PIXELS / 2, unlit: PIXELS, known: false })
    }

    /// The error of drawing it with `pen` where `wanted` is wanted.
    #[inline]
    pub fn recoloured(self, wanted: CellStyle, pen: CellStyle) -> u32 {
        self.lit * apart(pen.fg, wanted.fg) + self.unlit * apart(pen.bg, wanted.bg)
    }

    /// The error of drawing all the rest of it with `pen`, so that its colours change places.
    #[inline]
    pub fn inverted(self, wanted: CellStyle, pen: CellStyle) -> u32 {
        self.lit * across(pen.bg, wanted.fg) + self.unlit * across(pen.fg, wanted.bg)
    }

    /// The error of making it flat.
    #[inline]
    pub fn flattened(self, wanted: CellStyle, paint: PackedColor) -> u32 {
        self.lit * across(paint, wanted.fg) + self.unlit * apart(paint, wanted.bg)
    }
}

/// The squared distance of two colours.
#[inline]
pub fn apart(a: PackedColor, b: PackedColor) -> u32 {
    if a == b {
        return 0;
    }
    match (a.channels(), b.channels()) {
        (Some(a), Some(b)) => color::apart(a, b),
        _ if a == PackedColor::DEFAULT || b == PackedColor::DEFAULT => FAR,
        // A palette's colour is only nominally the same as another: the user may have changed it.
        _ => color::apart(channels(a), channels(b)).max(1),
    }
}

/// Between a text colour and a background: the user's own two are not the same.
#[inline]
fn across(a: PackedColor, b: PackedColor) -> u32 {
    if a == PackedColor::DEFAULT || b == PackedColor::DEFAULT { FAR } else { apart(a, b) }
}

#[cold]
fn channels(paint: PackedColor) -> [u8; 3] {
    let Rgb(r, g, b) = match paint.kind() {
        ColorKind::Default => Rgb::BLACK,
        ColorKind::Index(index) => xterm_rgb(Color::Indexed(index), Rgb::BLACK),
        ColorKind::Rgb(r, g, b) => Rgb(r, g, b),
    };
    [r, g, b]
}

/// Both colours by what they cover where they can be mixed, else the one that covers more.
pub fn blend(CellStyle { fg, bg, .. }: CellStyle, lit: u64, unlit: u64) -> PackedColor {
    let (Some([r, g, b]), Some([x, y, z])) = (fg.channels(), bg.channels()) else {
        return if lit > unlit && fg != PackedColor::DEFAULT { fg } else { bg };
    };
    let all = (lit + unlit).max(1);
    let mix = |on: u8, off: u8| ((u64::from(on) * lit + u64::from(off) * unlit + all / 2) / all) as u8;
    PackedColor::rgb(mix(r, x), mix(g, y), mix(b, z))
}
