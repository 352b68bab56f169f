//! Text from outside (files, variables, arguments, recordings) on its way to a terminal, which acts on control characters,
//! reorders text at bidirectional controls, and shows nothing for characters of no width. Messages show them escaped (`\u{1b}`),
//! as Rust's `{:?}` does; cells are without them.

use std::borrow::Cow;
use std::fmt::Write;

/// Upper limit on the characters of a message; the middle is left out.
const LONGEST_MESSAGE: usize = 4000;

/// Controls (C0, DEL, C1), line and paragraph separators, and the characters that Unicode 16 calls default-ignorable.
pub fn is_hidden(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_control();
    }
    matches!(character,
        '\u{80}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{13430}'..='\u{1345f}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// Escapes hidden characters. A single line stays a single line.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '\n' | '\t' | '\r' => escaped.extend(character.escape_default()),
            hidden if is_hidden(hidden) => escaped.extend(hidden.escape_unicode()),
            other => escaped.push(other),
        }
    }
    escaped
}

pub fn message(text: &str) -> String {
    let escaped = escaped(text);
    let count = escaped.chars().count();
    if count <= LONGEST_MESSAGE {
        return escaped;
    }
    let half = LONGEST_MESSAGE / 2;
    let head: String = escaped.chars().take(half).collect();
    let tail: String = escaped.chars().skip(count - half).collect();
    format!("{head} […{} characters…] {tail}", count - 2 * half)
}

pub fn without_hidden(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter(|&character| !is_hidden(character)).collect())
}

/// Escapes the hidden characters in the strings of JSON or TOML as `\uXXXX`.
pub fn json(text: &str) -> String {
    let mut clean = String::new();
    for character in text.chars() {
        if is_hidden(character) && !matches!(character, '\n' | '\t' | '\r') {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(clean, "\\u{unit:04x}");
            }
        } else {
            clean.push(character);
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_other_text_is_kept() {
        for plain in ["dam", "é e\u{301} 漢 😀", "\u{1fb3c}▀⣿", "\u{5d0}\u{627}"] {
            assert_eq!(escaped(plain), plain);
        }
        for (hidden, shown) in [
            ("a\x1b]0;x\x07b", "a\\u{1b}]0;x\\u{7}b"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("one\ntwo\r\t", "one\\ntwo\\r\\t"),
            ("\u{202e}abc\u{200b}", "\\u{202e}abc\\u{200b}"),
        ] {
            assert_eq!(escaped(hidden), shown);
        }
        assert_eq!(without_hidden("a\u{200d}\x1bb\u{feff}"), "ab");
        assert_eq!(json("{\"a\": \"\u{9b}\u{e0001}\"}\n"), "{\"a\": \"\\u009b\\udb40\\udc01\"}\n");
    }

    #[test]
    fn a_message_is_bounded_and_keeps_both_its_ends() {
        let said = message(&format!("scene.toml:1: `{}` is an unknown key", "k".repeat(1 << 20)));
        assert!(said.chars().count() < LONGEST_MESSAGE + 100);
        assert!(said.starts_with("scene.toml:1: `k") && said.ends_with("is an unknown key"));
    }
}
