//! Select graphic rendition, `CSI … m`: the parameters that change one style into another.

use ratatui::style::{Color, Modifier};

use crate::term::encoder::color::PackedColor;
use crate::term::encoder::packed_cell::CellStyle;

/// Appends the shortest parameters that turn `from`, which may be unknown, into `to`.
#[inline]
pub fn push_params(bytes: &mut Vec<u8>, from: Option<CellStyle>, to: CellStyle) {
    let start = bytes.len();
    // Only a reset switches an attribute off on all terminals.
    let from = from.filter(|from| to.attributes.contains(from.attributes));
    if let Some(from) = from {
        push_change(bytes, from, to);
    }
    let returns = |from, to| to == PackedColor::DEFAULT && from != to;
    // Otherwise a reset would repeat all of the change.
    if from.is_none_or(|from| returns(from.fg, to.fg) || returns(from.bg, to.bg)) {
        let reset = bytes.len();
        if to != CellStyle::PLAIN {
            // An empty first parameter is a 0, the reset.
            bytes.push(b';');
            push_change(bytes, CellStyle::PLAIN, to);
        }
        if from.is_some() && reset - start <= bytes.len() - reset {
            bytes.truncate(reset);
        } else {
            bytes.drain(start..reset);
        }
    }
    // The last semicolon.
    bytes.truncate(start.max(bytes.len().saturating_sub(1)));
}

/// Each parameter is ended by a semicolon.
#[inline]
fn push_change(bytes: &mut Vec<u8>, from: CellStyle, to: CellStyle) {
    push_attributes(bytes, to.attributes - from.attributes);
    if from.fg != to.fg {
        push_color(bytes, to.fg, 30);
    }
    if from.bg != to.bg {
        push_color(bytes, to.bg, 40);
    }
}

/// Bold 1, dim 2, italic 3, underline 4, blink 5 and 6, reverse 7, hidden 8, crossed out 9: the order of the bits of
/// `Modifier`.
#[inline]
fn push_attributes(bytes: &mut Vec<u8>, attributes: Modifier) {
    for bit in (0..9u8).filter(|bit| attributes.bits() >> bit & 1 != 0) {
        push(bytes, &[bit + 1]);
    }
}

/// `base` is 30 for the text and 40 for the background.
#[inline]
fn push_color(bytes: &mut Vec<u8>, color: PackedColor, base: u8) {
    match color.into() {
        Color::Indexed(i @ ..8) => push(bytes, &[base + i]),
        Color::Indexed(i @ 8..16) => push(bytes, &[base + 60 + i - 8]),
        Color::Indexed(i) => push(bytes, &[base + 8, 5, i]),
        Color::Rgb(r, g, b) => push(bytes, &[base + 8, 2, r, g, b]),
        _ => push(bytes, &[base + 9]),
    }
}

#[inline]
fn push(bytes: &mut Vec<u8>, numbers: &[u8]) {
    for &number in numbers {
        push_number(bytes, number.into());
        bytes.push(b';');
    }
}

#[inline]
pub fn push_number(bytes: &mut Vec<u8>, number: u16) {
    if number >= 10 {
        push_number(bytes, number / 10);
    }
    bytes.push(b'0' + (number % 10) as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(from: Option<CellStyle>, to: CellStyle) -> String {
        let mut bytes = Vec::new();
        push_params(&mut bytes, from, to);
        String::from_utf8(bytes).unwrap()
    }

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
            let anew = params(None, to).len();
            for &from in styles.iter().filter(|&&from| from != to) {
                let mut change = Vec::new();
                push_change(&mut change, from, to);
                let keeps = to.attributes.contains(from.attributes);
                let change = if keeps { change.len() - 1 } else { usize::MAX };
                assert_eq!(params(Some(from), to).len(), anew.min(change), "{from:?} {to:?}");
            }
        }
        let plain = CellStyle::PLAIN;
        let bold = CellStyle { attributes: Modifier::BOLD, fg: PackedColor::rgb(1, 20, 255), ..plain };
        assert_eq!(params(Some(plain), bold), "1;38;2;1;20;255");
        assert_eq!(params(Some(bold), CellStyle { bg: PackedColor::index(12), ..bold }), "104");
        assert_eq!(params(Some(bold), plain), "");
        assert_eq!(params(None, CellStyle { fg: PackedColor::index(200), ..plain }), ";38;5;200");
    }
}
