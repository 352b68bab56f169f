//! Keys from bytes, letters and numbers: legacy keys, xterm's, and kitty's.

use crate::term::input::event::{Event, Key, KeyCode, KeyEventKind, KeyModifiers};

/// Reads a parameter of the protocol, which is one more than the bits. Caps lock and num lock are dropped.
pub fn modifiers(param: u32) -> KeyModifiers {
    const BITS: [KeyModifiers; 4] =
        [KeyModifiers::SHIFT, KeyModifiers::ALT, KeyModifiers::CONTROL, KeyModifiers::SUPER];
    let bits = param.max(1) - 1;
    (0..4).filter(|bit| bits >> bit & 1 == 1).map(|bit| BITS[bit]).collect()
}

/// Creates the event of a key press.
pub fn press(code: KeyCode, mods: KeyModifiers) -> Event {
    Event::Key(Key { code, mods, kind: KeyEventKind::Press })
}

/// Returns the key of a single byte below 0x80 other than ESC.
pub fn legacy_key(byte: u8, mods: KeyModifiers) -> Event {
    let (code, ctrl) = match byte {
        b'\r' | b'\n' => (KeyCode::Enter, false),
        b'\t' => (KeyCode::Tab, false),
        0x08 | 0x7f => (KeyCode::Backspace, false),
        0x00 => (KeyCode::Char(' '), true),
        0x01..=0x1a => (KeyCode::Char((byte - 1 + b'a') as char), true),
        0x1b..=0x1f => (KeyCode::Char((byte - 0x1b + b'[') as char), true),
        _ => (KeyCode::Char(byte as char), false),
    };
    press(code, if ctrl { mods | KeyModifiers::CONTROL } else { mods })
}

/// Returns the key of a letter, as in `CSI … A` and `SS3 A`.
pub fn letter_key(last: u8) -> Option<KeyCode> {
    Some(match last {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'H' => KeyCode::Home,
        b'F' => KeyCode::End,
        b'P'..=b'S' => KeyCode::F(last - b'P' + 1),
        _ => return None,
    })
}

/// Returns the key of the numeric keypad in application mode: from `SS3 j`, `*`, to `SS3 y`, 9.
pub fn keypad_key(last: u8) -> Option<KeyCode> {
    Some(match last {
        b'M' => KeyCode::Enter,
        b'X' => KeyCode::Char('='),
        b'j'..=b'y' => KeyCode::Char((last - b'j' + b'*') as char),
        _ => return None,
    })
}

/// Returns the key of a number, as in `CSI 5 ~`.
pub fn numbered_key(number: u32) -> Option<KeyCode> {
    Some(match number {
        1 | 7 => KeyCode::Home,
        2 => KeyCode::Insert,
        3 => KeyCode::Delete,
        4 | 8 => KeyCode::End,
        5 => KeyCode::PageUp,
        6 => KeyCode::PageDown,
        11..=15 => KeyCode::F((number - 10) as u8),
        17..=21 => KeyCode::F((number - 11) as u8),
        23..=26 => KeyCode::F((number - 12) as u8),
        28 | 29 => KeyCode::F((number - 13) as u8),
        31..=34 => KeyCode::F((number - 14) as u8),
        _ => return None,
    })
}

/// Returns the key of a code point, or of kitty's number in the private use area.
pub fn unicode_key(number: u32, mods: KeyModifiers) -> Option<(KeyCode, KeyModifiers)> {
    let code = match number {
        9 => KeyCode::Tab,
        13 | 57414 => KeyCode::Enter,
        27 => KeyCode::Esc,
        8 | 127 => KeyCode::Backspace,
        57376..=57398 => KeyCode::F((number - 57376 + 13) as u8),
        57399..=57408 => KeyCode::Char(char::from(b'0' + (number - 57399) as u8)),
        57409..=57413 => KeyCode::Char(['.', '/', '*', '-', '+'][(number - 57409) as usize]),
        57415 => KeyCode::Char('='),
        57416 => KeyCode::Char(','),
        57417..=57426 => {
            use KeyCode::*;
            [Left, Right, Up, Down, PageUp, PageDown, Home, End, Insert, Delete][(number - 57417) as usize]
        }
        // The rest of the area is locks, media keys, and modifiers on their own.
        57344..=63743 => return None,
        _ => {
            return char::from_u32(number).filter(|c| !c.is_control()).map(|c| shifted(c, mods));
        }
    };
    Some((code, mods))
}

/// Applies Shift to a letter. Kitty sends the unshifted character of a key, other terminals the typed one. For letters the
/// typed character does not depend on the keyboard layout, so it can be derived.
fn shifted(c: char, mods: KeyModifiers) -> (KeyCode, KeyModifiers) {
    let mut upper = c.to_uppercase();
    match (mods.contains(KeyModifiers::SHIFT), upper.next(), upper.next()) {
        (true, Some(u), None) => (KeyCode::Char(u), mods - KeyModifiers::SHIFT),
        _ => (KeyCode::Char(c), mods),
    }
}
