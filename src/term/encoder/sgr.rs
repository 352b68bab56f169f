//! Select graphic rendition, `CSI … m`: the parameters that change one style into another.

use ratatui::style::{Color, Modifier};

use crate::term::encoder::color::PackedColor;
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
        const EMPTY: Sgr = Sgr { text: [0; 96], len: 0 };
        let mut change = EMPTY;
        // Only a reset switches an attribute off on all terminals.
        let from = from.filter(|from| to.attributes.contains(from.attributes));
        if let Some(from) = from {
            change.change(from, to);
            let returns = |from, to| to == PackedColor::DEFAULT && from != to;
            if !returns(from.fg, to.fg) && !returns(from.bg, to.bg) {
                // A reset would repeat all of it.
                return change;
            }
        }
        let mut anew = EMPTY;
        if to != CellStyle::PLAIN {
            // An empty first parameter is a 0, the reset.
            anew.push(*b";   ", 1);
            anew.change(CellStyle::PLAIN, to);
        }
        if from.is_some() && change.len <= anew.len { change } else { anew }
    }

    #[inline]
    fn change(&mut self, from: CellStyle, to: CellStyle) {
        self.attributes(to.attributes - from.attributes);
        if from.fg != to.fg {
            self.color(to.fg, 30);
        }
        if from.bg != to.bg {
            self.color(to.bg, 40);
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
        match color.into() {
            Color::Indexed(i @ ..8) => self.number(base + i),
            Color::Indexed(i @ 8..16) => self.number(base + 60 + i - 8),
            Color::Indexed(i) => [base + 8, 5, i].into_iter().for_each(|n| self.number(n)),
            Color::Rgb(r, g, b) => [base + 8, 2, r, g, b].into_iter().for_each(|n| self.number(n)),
            _ => self.number(base + 9),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shorter_of_change_and_reset_is_taken() {
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
            for &from in styles.iter().filter(|&&from| from != to) {
                let sgr = Sgr::shortest(Some(from), to);
                let mut change = Sgr { text: [0; 96], len: 0 };
                change.change(from, to);
                let keeps = to.attributes.contains(from.attributes);
                let change = if keeps { change.params().len() } else { usize::MAX };
                assert_eq!(sgr.params().len(), anew.min(change), "{from:?} {to:?}");
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
