//! Select graphic rendition, `CSI … m`: the parameters that change one style into another.

use ratatui::style::Modifier;

use crate::term::encoder::color::{ColorKind, PackedColor};
use crate::term::encoder::packed_cell::CellStyle;

/// Parameters of one SGR, each ended by a semicolon. 96 bytes hold the longest: nine attributes and two true colours take 53, and
/// numbers are written as four bytes.
pub struct Sgr {
    text: [u8; 96],
    len: usize,
}

impl Sgr {
    /// The shortest parameters that turn `from`, which may be unknown, into `to`.
    #[inline]
    pub fn shortest(from: Option<CellStyle>, to: CellStyle) -> Self {
        let mut sgr = Self { text: [0; 96], len: 0 };
        match from.filter(|&from| change_length(from, to).is_some_and(|length| length <= anew_length(to))) {
            Some(from) => {
                sgr.attributes(to.attributes - from.attributes);
                if from.fg != to.fg {
                    sgr.color(to.fg, 30);
                }
                if from.bg != to.bg {
                    sgr.color(to.bg, 40);
                }
            }
            None => sgr.anew(to),
        }
        sgr
    }

    fn anew(&mut self, style: CellStyle) {
        if style == CellStyle::PLAIN {
            return;
        }
        // An empty first parameter is a 0, the reset.
        self.push(*b";   ", 1);
        self.attributes(style.attributes);
        if style.fg != PackedColor::DEFAULT {
            self.color(style.fg, 30);
        }
        if style.bg != PackedColor::DEFAULT {
            self.color(style.bg, 40);
        }
    }

    #[inline]
    pub fn params(&self) -> &[u8] {
        &self.text[..self.len.saturating_sub(1)]
    }

    #[inline]
    fn push(&mut self, text: [u8; 4], len: usize) {
        self.text[self.len..self.len + 4].copy_from_slice(&text);
        self.len += len;
    }

    #[inline]
    fn number(&mut self, n: u8) {
        let (text, len) = NUMBERS[usize::from(n)];
        self.push(text, len);
    }

    /// Bold 1, dim 2, italic 3, underline 4, blink 5 and 6, reverse 7, hidden 8, crossed out 9: the order of the bits of
    /// `Modifier`.
    #[inline]
    fn attributes(&mut self, attributes: Modifier) {
        if attributes.is_empty() {
            return;
        }
        for bit in 0..9u8 {
            if attributes.bits() >> bit & 1 != 0 {
                self.number(bit + 1);
            }
        }
    }

    /// `base` is 30 for the text and 40 for the background.
    #[inline]
    fn color(&mut self, color: PackedColor, base: u8) {
        match color.kind() {
            ColorKind::Default => self.number(base + 9),
            ColorKind::Index(i @ ..8) => self.number(base + i),
            ColorKind::Index(i @ 8..16) => self.number(base + 60 + i - 8),
            ColorKind::Index(i) => {
                self.number(base + 8);
                self.number(5);
                self.number(i);
            }
            ColorKind::Rgb(r, g, b) => {
                self.number(base + 8);
                self.number(2);
                self.number(r);
                self.number(g);
                self.number(b);
            }
        }
    }
}

/// Every byte as a decimal number and a semicolon, and the length of that.
pub static NUMBERS: [([u8; 4], usize); 256] = {
    let mut numbers = [([b';'; 4], 0); 256];
    let mut n = 0;
    while n < 256 {
        let (hundreds, tens, ones) = (b'0' + (n / 100) as u8, b'0' + (n / 10 % 10) as u8, b'0' + (n % 10) as u8);
        numbers[n] = match n {
            0..10 => ([ones, b';', 0, 0], 2),
            10..100 => ([tens, ones, b';', 0], 3),
            _ => ([hundreds, tens, ones, b';'], 4),
        };
        n += 1;
    }
    numbers
};

/// `None` if an attribute must be switched off, which only a reset does on all terminals.
#[inline]
fn change_length(from: CellStyle, to: CellStyle) -> Option<usize> {
    if !to.attributes.contains(from.attributes) {
        return None;
    }
    let color = |from: PackedColor, to: PackedColor, base| if from == to { 0 } else { color_length(to, base) };
    let attributes = (to.attributes - from.attributes).bits().count_ones() as usize;
    Some(2 * attributes + color(from.fg, to.fg, 30) + color(from.bg, to.bg, 40))
}

#[inline]
fn anew_length(style: CellStyle) -> usize {
    if style == CellStyle::PLAIN {
        return 0;
    }
    let color = |color: PackedColor, base| if color == PackedColor::DEFAULT { 0 } else { color_length(color, base) };
    1 + 2 * style.attributes.bits().count_ones() as usize + color(style.fg, 30) + color(style.bg, 40)
}

#[inline]
fn color_length(color: PackedColor, base: u8) -> usize {
    let number = |n: u8| NUMBERS[usize::from(n)].1;
    match color.kind() {
        ColorKind::Default | ColorKind::Index(..8) => 3,
        ColorKind::Index(i @ 8..16) => number(base + 60 + i - 8),
        ColorKind::Index(i) => 5 + number(i),
        ColorKind::Rgb(r, g, b) => 5 + number(r) + number(g) + number(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shorter_of_change_and_reset_is_taken_and_its_length_is_known() {
        let colors = [
            PackedColor::DEFAULT,
            PackedColor::index(3),
            PackedColor::index(12),
            PackedColor::index(200),
            PackedColor::rgb(0, 99, 255),
        ];
        let styles: Vec<CellStyle> = [Modifier::empty(), Modifier::BOLD, Modifier::BOLD | Modifier::UNDERLINED]
            .into_iter()
            .flat_map(|attributes| colors.map(|fg| (attributes, fg)))
            .flat_map(|(attributes, fg)| colors.map(|bg| CellStyle { fg, bg, attributes }))
            .collect();
        for &to in &styles {
            let anew = Sgr::shortest(None, to).params().len();
            assert_eq!(anew, anew_length(to).saturating_sub(1), "{to:?}");
            for &from in styles.iter().filter(|&&from| from != to) {
                let length = Sgr::shortest(Some(from), to).params().len();
                let change = change_length(from, to).map_or(usize::MAX, |length| length - 1);
                assert_eq!(length, anew.min(change), "{from:?} {to:?}");
            }
        }
        let params = |from, to| String::from_utf8(Sgr::shortest(from, to).params().to_vec()).unwrap();
        let plain = CellStyle::PLAIN;
        let bold = CellStyle { attributes: Modifier::BOLD, fg: PackedColor::rgb(1, 20, 255), ..plain };
        assert_eq!(params(Some(plain), bold), "1;38;2;1;20;255");
        assert_eq!(params(Some(bold), CellStyle { bg: PackedColor::index(12), ..bold }), "104");
        assert_eq!(params(Some(bold), plain), "");
        assert_eq!(params(None, CellStyle { fg: PackedColor::index(200), ..plain }), ";38;5;200");
    }
}
