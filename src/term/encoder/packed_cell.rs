//! A cell in a compact form in which cells that look alike are equal.

use ratatui::style::Modifier;

use crate::term::encoder::color::PackedColor;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedCell {
    pub glyph: Glyph,
    pub style: CellStyle,
}

const ON_SPACES: Modifier = Modifier::REVERSED.union(Modifier::UNDERLINED).union(Modifier::CROSSED_OUT);

impl PackedCell {
    pub const BLANK: Self = Self { glyph: Glyph::SPACE, style: CellStyle::PLAIN };
    /// Equal to no target.
    pub const UNKNOWN: Self = Self { glyph: Glyph(u32::MAX), style: CellStyle::PLAIN };

    #[inline]
    pub fn flat(bg: PackedColor) -> Self {
        Self { glyph: Glyph::SPACE, style: CellStyle { bg, ..CellStyle::PLAIN } }
    }

    #[inline]
    pub fn shows_only_background(&self) -> bool {
        self.glyph == Glyph::SPACE && !self.style.shows_on_spaces()
    }

    #[inline]
    pub fn normalized(self) -> Self {
        if self.shows_only_background() { Self::flat(self.style.bg) } else { self }
    }

    #[inline]
    pub fn looks_right_with(self, style: CellStyle) -> bool {
        Self { style, ..self }.normalized().style == self.style
    }
}

/// A character, the index of a longer grapheme, or the right half of a wide one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Glyph(u32);

impl Glyph {
    pub const SPACE: Self = Self(' ' as u32);
    pub const RIGHT_HALF: Self = Self(0x11_0000);
    const GRAPHEME: u32 = 0x8000_0000;

    /// The glyph of a cell's text, if it is one character of known width. UTF-8 is decoded by hand: every cell is read in every
    /// frame.
    #[inline]
    pub fn with_known_width(utf8: &[u8]) -> Option<Self> {
        let tail = |byte: u8| u32::from(byte & 0x3f);
        let code = match *utf8 {
            [a] => u32::from(a),
            [a, b] if a >= 0xc0 => u32::from(a & 0x1f) << 6 | tail(b),
            [a, b, c] if a >= 0xe0 => u32::from(a & 0xf) << 12 | tail(b) << 6 | tail(c),
            [a, b, c, d] if a >= 0xf0 => u32::from(a & 7) << 18 | tail(b) << 12 | tail(c) << 6 | tail(d),
            _ => return None,
        };
        Some(Self(code)).filter(|glyph| glyph.has_known_width())
    }

    pub fn grapheme(index: usize) -> Self {
        Self(Self::GRAPHEME | index as u32)
    }

    pub fn grapheme_index(self) -> Option<usize> {
        (self.0 & Self::GRAPHEME != 0).then_some((self.0 & !Self::GRAPHEME) as usize)
    }

    pub fn code(self) -> u32 {
        self.0
    }

    pub fn char(self) -> Option<char> {
        char::from_u32(self.0)
    }

    /// Whether all terminals advance the cursor by one column for it: ASCII, Latin-1, boxes and blocks, braille, legacy computing
    /// blocks. After other glyphs the cursor is positioned again.
    #[inline]
    pub fn has_known_width(self) -> bool {
        matches!(self.0, 0x20..=0x7e | 0xa1..=0xac | 0xae..=0xff | 0x2500..=0x259f | 0x2800..=0x28ff
            | 0x1_cd00..=0x1_cde5 | 0x1_fb00..=0x1_fbff)
    }
}

impl From<char> for Glyph {
    fn from(char: char) -> Self {
        Self(char.into())
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellStyle {
    pub fg: PackedColor,
    pub bg: PackedColor,
    pub attributes: Modifier,
}

impl CellStyle {
    pub const PLAIN: Self = Self { fg: PackedColor::DEFAULT, bg: PackedColor::DEFAULT, attributes: Modifier::empty() };

    pub fn new(fg: PackedColor, bg: PackedColor) -> Self {
        Self { fg, bg, attributes: Modifier::empty() }
    }

    #[inline]
    pub fn shows_on_spaces(&self) -> bool {
        self.attributes.intersects(ON_SPACES)
    }

    /// Sort key: attributes, background, text colour. Only equal styles have equal keys.
    #[inline]
    pub fn key(&self) -> u64 {
        u64::from(self.attributes.bits()) << 52 | u64::from(self.bg.key()) << 26 | u64::from(self.fg.key())
    }
}

#[inline]
pub fn sort_key(style: u64, number: u32) -> u128 {
    u128::from(style) << 32 | u128::from(number)
}
