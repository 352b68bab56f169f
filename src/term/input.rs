//! Parses the bytes of a terminal into [`Event`]s, by a state machine like Williams' parser for DEC terminals
//! (vt100.net/emu/dec_ansi_parser).
//!
//! A sequence is buffered until it is complete, so any division into reads gives the same events. A sequence that can be a reply
//! is never a key. Every buffer is bounded, and no unfinished sequence blocks the keys for ever.

mod csi;
pub mod event;
pub(crate) mod keys;
mod replies;
#[cfg(test)]
mod tests;

use std::time::Duration;

use crate::term::input::event::{Event, Key, KeyCode, KeyModifiers, Reply};
use csi::{Csi, mouse_event};
use keys::{keypad_key, legacy_key, letter_key, modifiers, press, rxvt_arrow};
use replies::{device_reply, system_reply};

/// An ESC followed by this much silence was the Esc key: long enough for ssh to deliver an arrow key in two packets.
pub const ESC_TIMEOUT: Duration = Duration::from_millis(40);
/// An unfinished sequence followed by this much silence is discarded; the rest of a reply read as keys would act on the program.
pub const SEQUENCE_TIMEOUT: Duration = Duration::from_millis(1000);

/// A pause in a paste: what follows may have been typed. The key repeat of most systems is faster.
pub const PASTE_PAUSE: Duration = Duration::from_millis(20);
/// Bytes after a stalled paste that are followed by this much silence, without the paste's end, were typed.
pub const PASTE_REST: Duration = Duration::from_millis(300);

/// Longest OSC or DCS that is kept, in bytes.
const MAX_STRING: usize = 1024;
/// Longest paste, in bytes; the rest is dropped.
const MAX_PASTE: usize = 1 << 16;
const PASTE_END: &[u8] = b"\x1b[201~";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Ground,
    /// After ESC. `alt`: after a second ESC, which rxvt sends before a key held with Alt; before a reply, the first was the Esc
    /// key.
    Escape {
        alt: bool,
    },
    Csi {
        alt: bool,
    },
    Ss3 {
        alt: bool,
    },
    /// DCS, OSC or another string, up to ST (`ESC \`) or, for OSC, BEL. `esc`: the last byte was ESC.
    String {
        kind: StringKind,
        esc: bool,
    },
    /// The three bytes of an X10 mouse report, sent by terminals too old for SGR reports.
    X10,
    /// `CSI [ A` … `E`: the function keys of the Linux console.
    ConsoleKey,
    Utf8 {
        alt: bool,
    },
    /// A paste, of which `read` bytes had been read at the last pause. `stalled`: its end may have been lost.
    Paste {
        read: usize,
        stalled: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StringKind {
    Dcs,
    Osc,
    /// SOS, PM and APC: no query requests one.
    Other,
}

#[derive(Debug, Default)]
pub struct Parser {
    state: State,
    buffer: Vec<u8>,
    pixel_mouse: Option<(f32, f32)>,
    /// A lone ESC may be the start of a reply.
    pub awaits_reply: bool,
}

impl Parser {
    pub fn set_pixel_mouse(&mut self, cell: Option<(f32, f32)>) {
        self.pixel_mouse = cell.filter(|&(w, h)| w > 0. && h > 0.);
    }

    pub fn feed(&mut self, bytes: &[u8], out: &mut Vec<Event>) {
        for &byte in bytes {
            self.byte(byte, out);
        }
    }

    /// The silence after which [`flush`](Self::flush) must be called, if the input so far is incomplete.
    pub fn timeout(&self) -> Option<Duration> {
        match self.state {
            State::Ground => None,
            State::Escape { .. } if self.awaits_reply => Some(SEQUENCE_TIMEOUT),
            State::Escape { .. } | State::Utf8 { .. } => Some(ESC_TIMEOUT),
            State::Paste { stalled: true, .. } => (!self.buffer.is_empty()).then_some(PASTE_REST),
            _ => Some(SEQUENCE_TIMEOUT),
        }
    }

    pub fn pause(&mut self) {
        if let State::Paste { read, .. } = &mut self.state {
            *read = self.buffer.len();
        }
    }

    /// Reports that no byte came for [`timeout`](Self::timeout). As [`flush`](Self::flush), but the rest of a paste may still
    /// come.
    pub fn expire(&mut self, out: &mut Vec<Event>) {
        match self.state {
            State::Paste { stalled: false, .. } => {
                self.end_paste(out);
                self.enter(State::Paste { read: 0, stalled: true });
            }
            _ => self.flush(out),
        }
    }

    /// Ends what is incomplete: a lone ESC was the Esc key, what follows a stalled paste was typed, and other sequences are
    /// discarded.
    pub fn flush(&mut self, out: &mut Vec<Event>) {
        match self.state {
            State::Escape { alt } => {
                out.push(press(KeyCode::Esc, KeyModifiers::NONE));
                out.extend(alt.then_some(press(KeyCode::Esc, KeyModifiers::NONE)));
            }
            State::Utf8 { .. } => out.push(press(KeyCode::Null, KeyModifiers::NONE)),
            State::Paste { stalled: false, .. } => self.end_paste(out),
            State::Paste { stalled: true, .. } => {
                let typed = std::mem::take(&mut self.buffer);
                self.enter(State::Ground);
                self.feed(&typed, out);
                return self.flush(out);
            }
            _ => {}
        }
        self.enter(State::Ground);
    }

    fn enter(&mut self, state: State) {
        self.buffer.clear();
        self.state = state;
    }

    fn byte(&mut self, byte: u8, out: &mut Vec<Event>) {
        match self.state {
            State::Ground => self.ground_byte(byte, KeyModifiers::NONE, out),
            State::Escape { alt } => self.escape_byte(byte, alt, out),
            State::Csi { alt } => self.csi_byte(byte, alt, out),
            State::Ss3 { alt } => self.ss3_byte(byte, alt, out),
            State::String { kind, esc } => self.string_byte(byte, kind, esc, out),
            State::X10 => self.x10_byte(byte, out),
            State::ConsoleKey => self.console_key_byte(byte, out),
            State::Utf8 { alt } => self.utf8_byte(byte, alt, out),
            State::Paste { read, .. } => self.paste_byte(byte, read, out),
        }
    }

    fn ground_byte(&mut self, byte: u8, mods: KeyModifiers, out: &mut Vec<Event>) {
        self.enter(State::Ground);
        match byte {
            0x1b => self.enter(State::Escape { alt: false }),
            0xc2..=0xf4 => {
                self.buffer.push(byte);
                self.state = State::Utf8 { alt: mods.contains(KeyModifiers::ALT) };
            }
            0x80.. => out.push(press(KeyCode::Null, mods)),
            _ => out.push(legacy_key(byte, mods)),
        }
    }

    fn escape_byte(&mut self, byte: u8, alt: bool, out: &mut Vec<Event>) {
        if alt && !matches!(byte, b'[' | b'O') {
            out.push(press(KeyCode::Esc, KeyModifiers::NONE));
        }
        match byte {
            b'[' => self.enter(State::Csi { alt }),
            b'O' => self.enter(State::Ss3 { alt }),
            b'P' => self.enter(State::String { kind: StringKind::Dcs, esc: false }),
            b']' => self.enter(State::String { kind: StringKind::Osc, esc: false }),
            b'X' | b'^' | b'_' => self.enter(State::String { kind: StringKind::Other, esc: false }),
            0x1b => self.state = State::Escape { alt: true },
            // ST without a string ends one that was discarded before.
            b'\\' => self.enter(State::Ground),
            _ => self.ground_byte(byte, KeyModifiers::ALT, out),
        }
    }

    fn csi_byte(&mut self, byte: u8, alt: bool, out: &mut Vec<Event>) {
        match byte {
            // Elsewhere an intermediate byte, but rxvt's Shift after the number of a key.
            b'$' if !self.buffer.is_empty() && self.buffer.iter().all(u8::is_ascii_digit) => {
                self.end_csi(byte, alt, out);
            }
            0x20..=0x3f => {
                if self.buffer.len() < csi::MAX {
                    self.buffer.push(byte);
                }
            }
            b'M' if self.buffer.is_empty() => {
                out.extend(alt.then_some(press(KeyCode::Esc, KeyModifiers::NONE)));
                self.enter(State::X10);
            }
            b'[' if self.buffer.is_empty() => self.enter(State::ConsoleKey),
            0x40..=0x7e => self.end_csi(byte, alt, out),
            _ => self.ground_byte(byte, KeyModifiers::NONE, out),
        }
    }

    fn end_csi(&mut self, last: u8, alt: bool, out: &mut Vec<Event>) {
        let buffer = std::mem::take(&mut self.buffer);
        let csi = Csi::parse(&buffer, last);
        self.buffer = buffer;
        self.enter(State::Ground);
        let event = csi.as_ref().and_then(|csi| csi.event(self.pixel_mouse));
        match event {
            Some(Event::Key(key)) if alt => out.push(Event::Key(Key { mods: key.mods | KeyModifiers::ALT, ..key })),
            _ => {
                out.extend(alt.then_some(press(KeyCode::Esc, KeyModifiers::NONE)));
                out.extend(event);
            }
        }
        if csi.is_some_and(|csi| csi.is(None, b'~') && csi.param(0) == 200) {
            self.enter(State::Paste { read: usize::MAX, stalled: false });
        }
    }

    fn ss3_byte(&mut self, byte: u8, alt: bool, out: &mut Vec<Event>) {
        match byte {
            // Old xterms send the modifier here: `ESC O 2 P`.
            b'0'..=b'9' if self.buffer.len() < 2 => self.buffer.push(byte),
            0x20..=0x7e => {
                let param = self.buffer.iter().fold(0, |n, b| n * 10 + u32::from(b - b'0'));
                let mods = modifiers(param) | if alt { KeyModifiers::ALT } else { KeyModifiers::NONE };
                self.enter(State::Ground);
                let ctrl = rxvt_arrow(byte).map(|arrow| (arrow, mods | KeyModifiers::CONTROL));
                let code = || letter_key(byte).or(keypad_key(byte)).unwrap_or(KeyCode::Null);
                let (code, mods) = ctrl.unwrap_or_else(|| (code(), mods));
                out.push(press(code, mods));
            }
            _ => self.ground_byte(byte, KeyModifiers::NONE, out),
        }
    }

    fn string_byte(&mut self, byte: u8, kind: StringKind, esc: bool, out: &mut Vec<Event>) {
        match byte {
            b'\\' if esc => self.end_string(kind, out),
            0x07 if kind == StringKind::Osc => self.end_string(kind, out),
            // An ESC that does not end the string starts another sequence.
            _ if esc => {
                self.enter(State::Escape { alt: false });
                self.escape_byte(byte, false, out);
            }
            0x1b => self.state = State::String { kind, esc: true },
            // No reply contains a control byte, so this is a key (or CAN), which ends the sequence.
            0x00..=0x1f => self.ground_byte(byte, KeyModifiers::NONE, out),
            _ if self.buffer.len() < MAX_STRING => self.buffer.push(byte),
            _ => {}
        }
    }

    fn end_string(&mut self, kind: StringKind, out: &mut Vec<Event>) {
        let reply = match kind {
            _ if self.buffer.len() >= MAX_STRING => Reply::Other,
            StringKind::Dcs => device_reply(&self.buffer),
            StringKind::Osc => system_reply(&self.buffer),
            StringKind::Other => Reply::Other,
        };
        out.push(Event::Reply(reply));
        self.enter(State::Ground);
    }

    fn x10_byte(&mut self, byte: u8, out: &mut Vec<Event>) {
        self.buffer.push(byte.saturating_sub(32));
        if let [b, x, y] = *self.buffer {
            let [b, x, y] = [b, x, y].map(u32::from);
            out.extend(mouse_event(b, x, y, b & 3 == 3 && b & 96 == 0, None));
            self.enter(State::Ground);
        }
    }

    fn console_key_byte(&mut self, byte: u8, out: &mut Vec<Event>) {
        self.enter(State::Ground);
        match byte {
            b'A'..=b'E' => out.push(press(KeyCode::F(byte - b'A' + 1), KeyModifiers::NONE)),
            _ => self.ground_byte(byte, KeyModifiers::NONE, out),
        }
    }

    fn utf8_byte(&mut self, byte: u8, alt: bool, out: &mut Vec<Event>) {
        if !(0x80..0xc0).contains(&byte) {
            out.push(press(KeyCode::Null, KeyModifiers::NONE));
            return self.ground_byte(byte, KeyModifiers::NONE, out);
        }
        self.buffer.push(byte);
        // The first byte begins with as many ones as there are bytes.
        if self.buffer.len() == self.buffer[0].leading_ones() as usize {
            let mods = if alt { KeyModifiers::ALT } else { KeyModifiers::NONE };
            let text = std::str::from_utf8(&self.buffer).ok();
            let char = text.and_then(|t| t.chars().next()).filter(|c| !c.is_control());
            out.push(press(char.map_or(KeyCode::Null, KeyCode::Char), mods));
            self.enter(State::Ground);
        }
    }

    fn paste_byte(&mut self, byte: u8, read: usize, out: &mut Vec<Event>) {
        // A full buffer drops text before its last bytes, so that the end mark is still found.
        if self.buffer.len() == MAX_PASTE {
            self.buffer.remove(MAX_PASTE - PASTE_END.len());
        }
        self.buffer.push(byte);
        if self.buffer.ends_with(PASTE_END) {
            self.buffer.truncate(self.buffer.len() - PASTE_END.len());
            self.end_paste(out);
            self.enter(State::Ground);
        } else if let Some(interrupt) = self.buffer.get(read..).and_then(interrupt) {
            // Ctrl-C by itself after a pause: the end of the paste was lost.
            self.buffer.truncate(read);
            self.end_paste(out);
            self.enter(State::Ground);
            out.push(interrupt);
        }
    }

    fn end_paste(&self, out: &mut Vec<Event>) {
        out.push(Event::Paste(String::from_utf8_lossy(&self.buffer).into_owned()));
    }
}

/// Ctrl-C, if all of `bytes` are that key: the legacy byte, or kitty's sequence.
fn interrupt(bytes: &[u8]) -> Option<Event> {
    if bytes == [0x03] {
        return Some(legacy_key(0x03, KeyModifiers::NONE));
    }
    let params = bytes.strip_prefix(b"\x1b[")?.strip_suffix(b"u")?;
    let event = Csi::parse(params, b'u')?.event(None)?;
    matches!(event, Event::Key(key) if key.is_interrupt()).then_some(event)
}
