//! Select graphic rendition, `CSI … m`: the parameters that change one style into another. The only writer of SGR.

use ratatui_core::style::Modifier;

use crate::term::encoder::color::{ColorKind, PackedColor};
use crate::term::encoder::packed_cell::CellStyle;

/// Parameters of one SGR, each ended by a semicolon, on the stack. 96 bytes hold the longest: nine attributes and two
/// true colours take 53.
pub struct Sgr {
    text: [u8; 96],
    len: usize,
}

impl Sgr {
    /// The shortest parameters that turn `from`, which may be unknown, into `to`.
    pub fn shortest(from: Option<CellStyle>, to: CellStyle) -> Self {
        let anew = Self::anew(to);
        let change = from.and_then(|from| Self::change(from, to));
        change.filter(|change| change.len <= anew.len).unwrap_or(anew)
    }

    /// All parameters, after a reset.
    fn anew(style: CellStyle) -> Self {
        let mut sgr = Self { text: [0; 96], len: 0 };
        if style == CellStyle::PLAIN {
            return sgr;
        }
        // An empty first parameter is a 0, the reset.
        sgr.push(";");
        sgr.attributes(style.attributes);
        if style.fg != PackedColor::DEFAULT {
            sgr.color(style.fg, 30);
        }
        if style.bg != PackedColor::DEFAULT {
            sgr.color(style.bg, 40);
        }
        sgr
    }

    /// Only the differences; `None` if an attribute must be switched off, which only a reset does on all terminals.
    fn change(from: CellStyle, to: CellStyle) -> Option<Self> {
        if !to.attributes.contains(from.attributes) {
            return None;
        }
        let mut sgr = Self { text: [0; 96], len: 0 };
        sgr.attributes(to.attributes - from.attributes);
        if from.fg != to.fg {
            sgr.color(to.fg, 30);
        }
        if from.bg != to.bg {
            sgr.color(to.bg, 40);
        }
        Some(sgr)
    }

    pub fn params(&self) -> &[u8] {
        let text = &self.text[..self.len];
        text.strip_suffix(b";").unwrap_or(text)
    }

    fn push(&mut self, text: &str) {
        self.text[self.len..self.len + text.len()].copy_from_slice(text.as_bytes());
        self.len += text.len();
    }

    fn number(&mut self, n: u8) {
        let digits = [n / 100, n / 10 % 10, n % 10];
        let first = if n > 99 {
            0
        } else if n > 9 {
            1
        } else {
            2
        };
        for digit in &digits[first..] {
            self.text[self.len] = b'0' + digit;
            self.len += 1;
        }
        self.push(";");
    }

    /// Bold 1, dim 2, italic 3, underline 4, blink 5 and 6, reverse 7, hidden 8, crossed out 9: the bits of `Modifier`
    /// in this order.
    fn attributes(&mut self, attributes: Modifier) {
        for bit in 0..9u8 {
            if attributes.bits() >> bit & 1 != 0 {
                self.number(bit + 1);
            }
        }
    }

    /// `base` is 30 for the text and 40 for the background.
    fn color(&mut self, color: PackedColor, base: u8) {
        match color.kind() {
            ColorKind::Default => self.number(base + 9),
            ColorKind::Index(i @ ..8) => self.number(base + i),
            ColorKind::Index(i @ 8..16) => self.number(base + 60 + i - 8),
            ColorKind::Index(i) => {
                self.number(base + 8);
                self.push("5;");
                self.number(i);
            }
            ColorKind::Rgb(r, g, b) => {
                self.number(base + 8);
                self.push("2;");
                self.number(r);
                self.number(g);
                self.number(b);
            }
        }
    }
}
