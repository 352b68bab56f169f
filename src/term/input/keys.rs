//! Keys from bytes, letters and numbers: legacy keys, xterm's, rxvt's and kitty's.

use crate::term::input::event::{Event, Key, KeyCode, KeyEventKind, KeyModifiers};

/// A parameter of the protocol is one more than the bits. Caps lock and num lock are dropped.
pub fn modifiers(param: u32) -> KeyModifiers {
    const BITS: [KeyModifiers; 4] =
        [KeyModifiers::SHIFT, KeyModifiers::ALT, KeyModifiers::CONTROL, KeyModifiers::SUPER];
    let bits = param.max(1) - 1;
    (0..4).filter(|bit| bits >> bit & 1 == 1).map(|bit| BITS[bit]).collect()
}

/// A key of which only what it typed is known.
pub fn key(code: KeyCode, mods: KeyModifiers, kind: KeyEventKind) -> Key {
    Key { code, base: base_of(code), mods, kind }
}

/// The letters of layouts that have none of the Latin ones, and what a US keyboard types in their places.
const OTHER_LETTERS: [(&str, &str); 4] = [
    ("йцукенгшщзхъфывапролджэячсмитьбюё", "qwertyuiop[]asdfghjkl;'zxcvbnm,.`"),
    ("іїєґў", "s]'\\o"),
    ("ςερτυθιοπασδφγηξκλζχψωβνμ", "wertyuiopasdfghjklzxcvbnm"),
    ("קראטוןםפשדגכעיחלךזסבהנמצ", "ertyuiopasdfghjklzxcvbnm"),
];

/// In lower case, and by its place on a US layout if the letter has one.
fn base_of(code: KeyCode) -> KeyCode {
    let KeyCode::Char(c) = code else { return code };
    let c = c.to_lowercase().next().unwrap_or(c);
    let place = |(letters, places): &(&str, &str)| {
        letters.chars().zip(places.chars()).find(|(letter, _)| *letter == c).map(|(_, place)| place)
    };
    KeyCode::Char(OTHER_LETTERS.iter().find_map(place).unwrap_or(c))
}

pub fn press(code: KeyCode, mods: KeyModifiers) -> Event {
    Event::Key(key(code, mods, KeyEventKind::Press))
}

/// A byte below 0x80 other than ESC.
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

/// rxvt's small letters have a modifier: Shift after CSI, Ctrl after SS3.
pub fn rxvt_arrow(last: u8) -> Option<KeyCode> {
    matches!(last, b'a'..=b'd').then(|| letter_key(last.to_ascii_uppercase())).flatten()
}

/// By the byte that ends a numbered key in place of `~`.
pub fn rxvt_mods(last: u8) -> Option<KeyModifiers> {
    match last {
        b'$' => Some(KeyModifiers::SHIFT),
        b'^' => Some(KeyModifiers::CONTROL),
        b'@' => Some(KeyModifiers::CONTROL | KeyModifiers::SHIFT),
        _ => None,
    }
}

/// The numeric keypad in application mode: from `SS3 j`, `*`, to `SS3 y`, 9.
pub fn keypad_key(last: u8) -> Option<KeyCode> {
    Some(match last {
        b'M' => KeyCode::Enter,
        b'X' => KeyCode::Char('='),
        b'j'..=b'y' => KeyCode::Char((last - b'j' + b'*') as char),
        _ => return None,
    })
}

pub fn numbered_key(number: u32) -> KeyCode {
    match number {
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
        _ => KeyCode::Null,
    }
}

/// A code point, or kitty's number in the private use area; `None` for a modifier on its own.
fn unicode_key(number: u32) -> Option<KeyCode> {
    Some(match number {
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
        57441..=57454 => return None,
        // The rest of the area is locks, print, pause, menu and media keys.
        57344..=63743 => KeyCode::Null,
        _ => char::from_u32(number).filter(|c| !c.is_control()).map_or(KeyCode::Null, KeyCode::Char),
    })
}

/// kitty's `CSI number:shifted:base ; mods:kind ; text u`, whose absent parts are 0.
pub fn kitty_key([number, shifted, base]: [u32; 3], mods: KeyModifiers, kind: KeyEventKind, text: u32) -> Option<Key> {
    let unshifted = unicode_key(number)?;
    let base = if base == 0 { base_of(unshifted) } else { unicode_key(base)? };
    let shift = mods.contains(KeyModifiers::SHIFT);
    let typed = char::from_u32(if text == 0 && shift { shifted } else { text }).filter(|c| !c.is_control());
    let (code, mods) = match (unshifted, typed) {
        (KeyCode::Char(_) | KeyCode::Null, Some(typed)) => (KeyCode::Char(typed), mods - KeyModifiers::SHIFT),
        (KeyCode::Char(c), None) if shift => (KeyCode::Char(with_shift(c)), mods - KeyModifiers::SHIFT),
        (code, _) => (code, mods),
    };
    Some(Key { code, base, mods, kind })
}

const PLAIN: &str = "`1234567890-=[]\\;',./";
const SHIFTED: &str = "~!@#$%^&*()_+{}|:\"<>?";

/// On a US layout.
pub fn with_shift(c: char) -> char {
    let mut upper = c.to_uppercase();
    match (PLAIN.find(c), upper.next(), upper.next()) {
        (Some(at), ..) => char::from(SHIFTED.as_bytes()[at]),
        (None, Some(upper), None) => upper,
        _ => c,
    }
}

/// A Windows console reports AltGr as Ctrl and Alt.
#[cfg(any(windows, test))]
pub fn without_alt_gr(c: char, mods: KeyModifiers) -> KeyModifiers {
    let alt_gr = KeyModifiers::CONTROL | KeyModifiers::ALT;
    // With Ctrl and Alt themselves, the console reports the letter or digit of the key.
    if mods.contains(alt_gr) && !c.is_ascii_alphanumeric() { mods - alt_gr } else { mods }
}
