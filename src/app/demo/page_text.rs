//! The text of a page in sequences that the emulator vt100 knows, by the parser that it uses itself. vt100 has no character sets,
//! no SGR parameters with colons, no hidden and no crossed-out text, and drops what was not UTF-8.

use std::fmt::Write;
use unicode_width::UnicodeWidthChar;
use vte::{Params, Parser, Perform};

/// Marks crossed-out text: a combining character that draws a line through the one before it.
pub const CROSSED_OUT: char = '\u{336}';

const NOT_UTF8: char = '?';

/// DEC's special graphics, from `` ` `` to `~`.
const LINE_DRAWING: &str = "◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·";

pub fn rewritten(text: &str) -> String {
    let mut page = Page { line_drawing: [false, true], ..Page::default() };
    Parser::new().advance(&mut page, text.as_bytes());
    page.text
}

#[derive(Default)]
struct Page {
    text: String,
    /// Whether the character sets G0 and G1 are line drawing. As `tmux capture-pane` assumes, G1 is at first.
    line_drawing: [bool; 2],
    shifted: bool,
    hidden: bool,
    crossed_out: bool,
}

impl Page {
    /// Writes the parameters of SGR in the notation with semicolons, without those that vt100 does not know.
    fn sgr(&mut self, params: &Params) {
        let mut written: Vec<u16> = Vec::new();
        let mut params = params.iter();
        while let Some(param) = params.next() {
            match *param {
                [0] => {
                    (self.hidden, self.crossed_out) = (false, false);
                    written.push(0);
                }
                [8] => self.hidden = true,
                [28] => self.hidden = false,
                [9] => self.crossed_out = true,
                [29] => self.crossed_out = false,
                [21] => written.push(4),
                [4, style] => written.push(if style == 0 { 24 } else { 4 }),
                // A colour in one parameter; the fourth number of RGB is the colour space.
                [layer @ (38 | 48), 2, r, g, b] | [layer @ (38 | 48), 2, _, r, g, b, ..] => {
                    written.extend([layer, 2, r, g, b]);
                }
                [layer @ (38 | 48), 5, index, ..] => written.extend([layer, 5, index]),
                // A colour in several; that of underlines is left out.
                [layer @ (38 | 48 | 58)] => {
                    let kind = params.next().map_or(0, |kind| kind[0]);
                    let count = if kind == 2 { 3 } else { 1 };
                    let numbers = params.by_ref().take(count).map(|number| number[0]);
                    let color = [layer, kind].into_iter().chain(numbers);
                    if layer == 58 { color.for_each(drop) } else { written.extend(color) }
                }
                [other] => written.push(other),
                _ => {}
            }
        }
        if !written.is_empty() {
            let numbers: Vec<String> = written.iter().map(u16::to_string).collect();
            self.control(&[], &numbers.join(";"), 'm');
        }
    }

    fn control(&mut self, intermediates: &[u8], params: &str, action: char) {
        let is_marker = |byte: &u8| (b'<'..=b'?').contains(byte);
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap_or_default();
        let (before, after) = intermediates.iter().copied().partition(is_marker);
        // Writing to a string cannot fail.
        let _ = write!(self.text, "\x1b[{}{params}{}{action}", text(before), text(after));
    }
}

impl Perform for Page {
    fn print(&mut self, character: char) {
        let line_drawing = self.line_drawing[usize::from(self.shifted)] && ('`'..='~').contains(&character);
        let character = match character {
            char::REPLACEMENT_CHARACTER => NOT_UTF8,
            _ if line_drawing => LINE_DRAWING.chars().nth(character as usize - '`' as usize).unwrap_or(character),
            _ => character,
        };
        let width = character.width().unwrap_or(0);
        if self.hidden {
            self.text.extend(std::iter::repeat_n(' ', width));
            return;
        }
        self.text.push(character);
        if self.crossed_out && width > 0 {
            self.text.push(CROSSED_OUT);
        }
    }

    fn execute(&mut self, byte: u8) {
        match byte {
            0x0e => self.shifted = true,
            0x0f => self.shifted = false,
            _ => self.text.push(byte.into()),
        }
    }

    fn csi_dispatch(&mut self, params: &Params, intermediates: &[u8], ignore: bool, action: char) {
        if ignore {
            return;
        }
        if action == 'm' && intermediates.is_empty() {
            return self.sgr(params);
        }
        let numbers: Vec<String> = params.iter().map(|param| param[0].to_string()).collect();
        self.control(intermediates, &numbers.join(";"), action);
    }

    fn esc_dispatch(&mut self, intermediates: &[u8], _: bool, byte: u8) {
        match (intermediates, byte) {
            ([b'('], set) => self.line_drawing[0] = set == b'0',
            ([b')'], set) => self.line_drawing[1] = set == b'0',
            ([], b'\\') => {}
            ([], other) => self.text.extend(['\x1b', other.into()]),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notations_become_those_that_vt100_knows() {
        for (given, wanted) in [
            ("plain é\n", "plain é\n"),
            ("\x1b[38:2::1:2:3mx", "\x1b[38;2;1;2;3mx"),
            ("\x1b[48:2:1:2:3;1mx", "\x1b[48;2;1;2;3;1mx"),
            ("\x1b[38:5:9;48;5;8mx", "\x1b[38;5;9;48;5;8mx"),
            ("\x1b[38;2;8;9;0mx\x1b[m", "\x1b[38;2;8;9;0mx\x1b[0m"),
            ("\x1b[4:3;58:2::1:2:3mx\x1b[4:0m\x1b[58;5;8;31my", "\x1b[4mx\x1b[24m\x1b[31my"),
            ("\x1b[8m漢b\x1b[28mc", "   c"),
            ("\x1b[9mab\x1b[29mc", "a\u{336}b\u{336}c"),
            ("\x1b(0lqk\x1b(Blqk", "┌─┐lqk"),
            ("\x0elqk\x0flqk", "┌─┐lqk"),
            ("a\u{fffd}\u{fffd}b", "a??b"),
            ("\x1b[2J\x1b[3;4Hx\x1b[?25l\x1b]0;title\x07\x1bP1$r0m\x1b\\", "\x1b[2J\x1b[3;4Hx\x1b[?25l"),
        ] {
            assert_eq!(rewritten(given), wanted, "{given:?}");
        }
    }
}
