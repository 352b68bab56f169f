//! The bytes of a terminal, read one at a time into [`Event`]s.
//!
//! A state machine in the manner of Williams' parser for DEC terminals (vt100.net/emu/dec_ansi_parser),
//! turned round: it reads what a terminal *sends*. It understands the legacy keys (CSI and SS3 with
//! xterm's modifiers), UTF-8, the kitty keyboard protocol, SGR mouse reports in cells (1006) and in
//! pixels (1016), focus (1004), bracketed paste (2004) and the answers listed in [`Reply`].
//!
//! Three rules keep it honest:
//! - A sequence is kept until it is complete, however it was cut into reads; so any cut of the same
//!   bytes gives the same events.
//! - An answer is an answer. What looks like one (`CSI … R` too, which some terminals also send for F3)
//!   is never a key.
//! - Nothing grows without bound and nothing holds the keys for ever: what does not end is given up by
//!   [`Parser::flush`] after [`ABANDON`], and a control byte such as Ctrl-C breaks through at once.

use std::time::Duration;

use super::event::{Button, Event, Key, KeyCode, KeyKind, Mods, Mouse, MouseKind, Reply};

/// An ESC followed by this much silence was the key. Long enough for ssh to deliver the rest of an
/// arrow key in a second packet, short enough not to be felt.
pub const ESC_WAIT: Duration = Duration::from_millis(40);
/// An unfinished sequence followed by this much silence is given up.
pub const ABANDON: Duration = Duration::from_millis(1000);

/// The longest CSI, and the longest OSC or DCS, that is kept; real ones are far shorter.
const MAX_CSI: usize = 128;
const MAX_STRING: usize = 1024;
/// More of one paste than this is dropped.
const MAX_PASTE: usize = 1 << 16;
const PASTE_END: &[u8] = b"\x1b[201~";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Ground,
    /// After ESC; `alt` when a second ESC came. rxvt puts one before a key held with Alt; but it is
    /// the Esc key if an answer follows, which with a status request a frame happens all the time.
    Escape {
        alt: bool,
    },
    Csi {
        alt: bool,
    },
    Ss3 {
        alt: bool,
    },
    /// DCS, OSC or another string, up to ST (`ESC \`); OSC also ends with BEL. `esc`: ESC just came.
    String {
        kind: StringKind,
        esc: bool,
    },
    /// The three bytes of an X10 mouse report, sent by terminals too old for SGR reports.
    X10 {
        left: u8,
    },
    /// `CSI [ A` … `E`: the function keys of the Linux console.
    ConsoleKey,
    Utf8 {
        left: u8,
        alt: bool,
    },
    Paste,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StringKind {
    Dcs,
    Osc,
    /// SOS, PM and APC: none is ever asked for.
    Other,
}

/// The parser; feed it bytes, and silence.
#[derive(Debug, Default)]
pub struct Parser {
    state: State,
    /// The sequence read so far, without its introducer.
    held: Vec<u8>,
    /// Cells in pixels while the terminal reports the mouse in pixels (1016).
    pixel_mouse: Option<(f32, f32)>,
}

impl Parser {
    pub fn new() -> Self {
        Self::default()
    }

    /// Tells that mouse reports are in pixels from now on, and the size of a cell in them.
    pub fn set_pixel_mouse(&mut self, cell: Option<(f32, f32)>) {
        self.pixel_mouse = cell.filter(|&(w, h)| w > 0. && h > 0.);
    }

    /// Reads bytes, in order, and appends what they say to `out`.
    pub fn feed(&mut self, bytes: &[u8], out: &mut Vec<Event>) {
        for &byte in bytes {
            self.byte(byte, out);
        }
    }

    /// How much silence would change the state, if any; after that much, call [`flush`](Self::flush).
    pub fn patience(&self) -> Option<Duration> {
        match self.state {
            State::Ground => None,
            State::Escape { .. } | State::Utf8 { .. } => Some(ESC_WAIT),
            _ => Some(ABANDON),
        }
    }

    /// No byte came for [`patience`](Self::patience): a lone ESC was the key, the rest is given up.
    pub fn flush(&mut self, out: &mut Vec<Event>) {
        match self.state {
            State::Escape { alt } => {
                out.push(press(KeyCode::Esc, Mods::NONE));
                if alt {
                    out.push(press(KeyCode::Esc, Mods::NONE));
                }
            }
            State::Paste => self.end_paste(out),
            _ => {}
        }
        self.ground();
    }

    fn ground(&mut self) {
        self.state = State::Ground;
        self.held.clear();
    }

    fn enter(&mut self, state: State) {
        self.held.clear();
        self.state = state;
    }

    fn byte(&mut self, byte: u8, out: &mut Vec<Event>) {
        match self.state {
            State::Ground => self.ground_byte(byte, Mods::NONE, out),
            State::Escape { alt } => self.escape_byte(byte, alt, out),
            State::Csi { alt } => self.csi_byte(byte, alt, out),
            State::Ss3 { alt } => self.ss3_byte(byte, alt, out),
            State::String { kind, esc } => self.string_byte(byte, kind, esc, out),
            State::X10 { left } => self.x10_byte(byte, left, out),
            State::ConsoleKey => self.console_key_byte(byte, out),
            State::Utf8 { left, alt } => self.utf8_byte(byte, left, alt, out),
            State::Paste => self.paste_byte(byte, out),
        }
    }

    fn ground_byte(&mut self, byte: u8, mods: Mods, out: &mut Vec<Event>) {
        self.ground();
        match byte {
            0x1b => self.enter(State::Escape { alt: false }),
            0xc2..=0xf4 => {
                let left = if byte < 0xe0 {
                    1
                } else if byte < 0xf0 {
                    2
                } else {
                    3
                };
                self.held.push(byte);
                self.state = State::Utf8 { left, alt: mods.contains(Mods::ALT) };
            }
            0x80.. => {}
            _ => out.push(legacy_key(byte, mods)),
        }
    }

    fn escape_byte(&mut self, byte: u8, alt: bool, out: &mut Vec<Event>) {
        if alt && !matches!(byte, b'[' | b'O') {
            out.push(press(KeyCode::Esc, Mods::NONE));
        }
        match byte {
            b'[' => self.enter(State::Csi { alt }),
            b'O' => self.enter(State::Ss3 { alt }),
            b'P' => self.enter(State::String { kind: StringKind::Dcs, esc: false }),
            b']' => self.enter(State::String { kind: StringKind::Osc, esc: false }),
            b'X' | b'^' | b'_' => self.enter(State::String { kind: StringKind::Other, esc: false }),
            0x1b => self.state = State::Escape { alt: true },
            // ST on its own ends a string that was given up before.
            b'\\' => self.ground(),
            _ => self.ground_byte(byte, Mods::ALT, out),
        }
    }

    fn csi_byte(&mut self, byte: u8, alt: bool, out: &mut Vec<Event>) {
        match byte {
            0x20..=0x3f => {
                if self.held.len() < MAX_CSI {
                    self.held.push(byte);
                }
            }
            b'M' if self.held.is_empty() => {
                out.extend(alt.then_some(press(KeyCode::Esc, Mods::NONE)));
                self.enter(State::X10 { left: 3 });
            }
            b'[' if self.held.is_empty() => self.enter(State::ConsoleKey),
            0x40..=0x7e => self.end_csi(byte, alt, out),
            _ => self.ground_byte(byte, Mods::NONE, out),
        }
    }

    fn end_csi(&mut self, last: u8, alt: bool, out: &mut Vec<Event>) {
        let held = std::mem::take(&mut self.held);
        let csi = Csi::parse(&held, last);
        self.held = held;
        self.ground();
        let event = csi.as_ref().and_then(|csi| csi.event(self.pixel_mouse));
        match event {
            Some(Event::Key(key)) if alt => out.push(Event::Key(Key { mods: key.mods.with(Mods::ALT), ..key })),
            _ => {
                out.extend(alt.then_some(press(KeyCode::Esc, Mods::NONE)));
                out.extend(event);
            }
        }
        if csi.is_some_and(|csi| csi.is(None, b'~') && csi.param(0) == 200) {
            self.enter(State::Paste);
        }
    }

    fn ss3_byte(&mut self, byte: u8, alt: bool, out: &mut Vec<Event>) {
        match byte {
            // Old xterms put the modifier here: `ESC O 2 P`.
            b'0'..=b'9' if self.held.len() < 2 => self.held.push(byte),
            0x20..=0x7e => {
                let param = self.held.iter().fold(0, |n, b| n * 10 + u32::from(b - b'0'));
                let mods = Mods::from_param(param).with(if alt { Mods::ALT } else { Mods::NONE });
                self.ground();
                out.extend(letter_key(byte).or(keypad_key(byte)).map(|code| press(code, mods)));
            }
            _ => self.ground_byte(byte, Mods::NONE, out),
        }
    }

    fn string_byte(&mut self, byte: u8, kind: StringKind, esc: bool, out: &mut Vec<Event>) {
        match byte {
            b'\\' if esc => self.end_string(kind, out),
            0x07 if kind == StringKind::Osc => self.end_string(kind, out),
            // An ESC that does not end the string starts something else.
            _ if esc => {
                self.enter(State::Escape { alt: false });
                self.escape_byte(byte, false, out);
            }
            0x1b => self.state = State::String { kind, esc: true },
            // No answer holds a control byte: it is a key (or CAN) that breaks through.
            0x00..=0x1f => self.ground_byte(byte, Mods::NONE, out),
            _ if self.held.len() < MAX_STRING => self.held.push(byte),
            _ => {}
        }
    }

    fn end_string(&mut self, kind: StringKind, out: &mut Vec<Event>) {
        let reply = match kind {
            _ if self.held.len() >= MAX_STRING => Reply::Other,
            StringKind::Dcs => device_reply(&self.held),
            StringKind::Osc => system_reply(&self.held),
            StringKind::Other => Reply::Other,
        };
        out.push(Event::Reply(reply));
        self.ground();
    }

    fn x10_byte(&mut self, byte: u8, left: u8, out: &mut Vec<Event>) {
        self.held.push(byte.saturating_sub(32));
        self.state = State::X10 { left: left - 1 };
        if left == 1 {
            let [b, x, y] = [self.held[0], self.held[1], self.held[2]].map(u32::from);
            out.extend(mouse_event(b, x, y, b & 3 == 3 && b & 96 == 0, None));
            self.ground();
        }
    }

    fn console_key_byte(&mut self, byte: u8, out: &mut Vec<Event>) {
        self.ground();
        match byte {
            b'A'..=b'E' => out.push(press(KeyCode::F(byte - b'A' + 1), Mods::NONE)),
            _ => self.ground_byte(byte, Mods::NONE, out),
        }
    }

    fn utf8_byte(&mut self, byte: u8, left: u8, alt: bool, out: &mut Vec<Event>) {
        if !(0x80..0xc0).contains(&byte) {
            return self.ground_byte(byte, Mods::NONE, out);
        }
        self.held.push(byte);
        self.state = State::Utf8 { left: left - 1, alt };
        if left == 1 {
            let mods = if alt { Mods::ALT } else { Mods::NONE };
            let text = std::str::from_utf8(&self.held).ok();
            let char = text.and_then(|t| t.chars().next()).filter(|c| !c.is_control());
            out.extend(char.map(|c| press(KeyCode::Char(c), mods)));
            self.ground();
        }
    }

    fn paste_byte(&mut self, byte: u8, out: &mut Vec<Event>) {
        // A full buffer keeps its tail free for the end mark, so that the end is still seen.
        if self.held.len() == MAX_PASTE {
            self.held.remove(MAX_PASTE - PASTE_END.len());
        }
        self.held.push(byte);
        if self.held.ends_with(PASTE_END) {
            self.held.truncate(self.held.len() - PASTE_END.len());
            self.end_paste(out);
            self.ground();
        }
    }

    fn end_paste(&self, out: &mut Vec<Event>) {
        out.push(Event::Paste(String::from_utf8_lossy(&self.held).into_owned()));
    }
}

/// A control sequence: `CSI private? params intermediates last`.
struct Csi {
    private: Option<u8>,
    /// Parameters, each with up to two sub-parameters after colons; absent ones are 0.
    params: Vec<[u32; 3]>,
    intermediate: Option<u8>,
    last: u8,
}

impl Csi {
    fn parse(held: &[u8], last: u8) -> Option<Self> {
        if held.len() >= MAX_CSI {
            return None;
        }
        let private = held.first().copied().filter(|b| (b'<'..=b'?').contains(b));
        let rest = &held[usize::from(private.is_some())..];
        let end = rest.iter().position(|b| (0x20..0x30).contains(b)).unwrap_or(rest.len());
        let (params, tail) = rest.split_at(end);
        let digits = params.iter().all(|b| b.is_ascii_digit() || matches!(b, b';' | b':'));
        let tail_ok = tail.len() <= 1;
        (digits && tail_ok).then(|| Self {
            private,
            params: params.split(|&b| b == b';').map(sub_params).collect(),
            intermediate: tail.first().copied(),
            last,
        })
    }

    fn is(&self, private: Option<u8>, last: u8) -> bool {
        self.private == private && self.intermediate.is_none() && self.last == last
    }

    fn sub(&self, index: usize, sub: usize) -> u32 {
        self.params.get(index).map_or(0, |p| p[sub])
    }

    fn param(&self, index: usize) -> u32 {
        self.sub(index, 0)
    }

    fn small(&self, index: usize) -> u16 {
        self.param(index).min(u32::from(u16::MAX)) as u16
    }

    fn all_small(&self) -> Vec<u16> {
        (0..self.params.len()).map(|i| self.small(i)).collect()
    }

    fn event(&self, pixels: Option<(f32, f32)>) -> Option<Event> {
        match (self.private, self.intermediate, self.last) {
            (None, None, _) => self.plain(),
            (Some(b'<'), None, b'M' | b'm') => {
                mouse_event(self.param(0), self.param(1), self.param(2), self.last == b'm', pixels)
            }
            (Some(b'?'), Some(b'$'), b'y') => {
                Some(Event::Reply(Reply::Mode { mode: self.small(0), state: self.small(1) }))
            }
            (Some(private), None, _) => self.private_reply(private).map(Event::Reply),
            _ => None,
        }
    }

    fn private_reply(&self, private: u8) -> Option<Reply> {
        Some(match (private, self.last) {
            (b'?', b'c') => Reply::PrimaryAttributes(self.all_small()),
            (b'>', b'c') => Reply::SecondaryAttributes(self.all_small()),
            (b'?', b'u') => Reply::KeyboardFlags(self.param(0).min(255) as u8),
            (b'?', b'R') => Reply::Cursor { row: self.small(0), column: self.small(1) },
            (b'?', b'n' | b'S') => Reply::Other,
            _ => return None,
        })
    }

    fn plain(&self) -> Option<Event> {
        let reply = match self.last {
            b'I' => return Some(Event::Focus(true)),
            b'O' => return Some(Event::Focus(false)),
            b'n' if self.param(0) == 0 => Reply::Status,
            b'n' | b'c' | b'x' => Reply::Other,
            b'R' => Reply::Cursor { row: self.small(0), column: self.small(1) },
            b't' => self.window_reply(),
            _ => return self.key(),
        };
        Some(Event::Reply(reply))
    }

    fn window_reply(&self) -> Reply {
        let (height, width) = (self.small(1), self.small(2));
        match self.param(0) {
            4 => Reply::AreaPixels { width, height },
            6 => Reply::CellPixels { width, height },
            48 => Reply::Size { rows: height, columns: width, height: self.small(3), width: self.small(4) },
            _ => Reply::Other,
        }
    }

    /// Legacy keys with xterm's modifiers, and kitty's, which add the kind of event after a colon.
    fn key(&self) -> Option<Event> {
        let mods = Mods::from_param(self.param(1));
        let kind = match self.sub(1, 1) {
            2 => KeyKind::Repeat,
            3 => KeyKind::Release,
            _ => KeyKind::Press,
        };
        let (code, mods) = match self.last {
            b'Z' => (KeyCode::Tab, mods.with(Mods::SHIFT)),
            b'u' => unicode_key(self.param(0), mods)?,
            b'~' if self.param(0) == 27 => unicode_key(self.param(2), mods)?,
            b'~' => (numbered_key(self.param(0))?, mods),
            last => (letter_key(last)?, mods),
        };
        Some(Event::Key(Key { code, mods, kind }))
    }
}

fn sub_params(param: &[u8]) -> [u32; 3] {
    let mut subs = [0; 3];
    for (slot, digits) in subs.iter_mut().zip(param.split(|&b| b == b':')) {
        *slot = digits.iter().fold(0u32, |n, b| n.saturating_mul(10).saturating_add(u32::from(b - b'0')));
    }
    subs
}

fn press(code: KeyCode, mods: Mods) -> Event {
    Event::Key(Key { code, mods, kind: KeyKind::Press })
}

/// A single byte below 0x80 other than ESC.
fn legacy_key(byte: u8, mods: Mods) -> Event {
    let (code, ctrl) = match byte {
        b'\r' | b'\n' => (KeyCode::Enter, false),
        b'\t' => (KeyCode::Tab, false),
        0x08 | 0x7f => (KeyCode::Backspace, false),
        0x00 => (KeyCode::Char(' '), true),
        0x01..=0x1a => (KeyCode::Char((byte - 1 + b'a') as char), true),
        0x1b..=0x1f => (KeyCode::Char((byte - 0x1b + b'[') as char), true),
        _ => (KeyCode::Char(byte as char), false),
    };
    press(code, if ctrl { mods.with(Mods::CTRL) } else { mods })
}

/// The last byte of `CSI … X` and `SS3 X`.
fn letter_key(last: u8) -> Option<KeyCode> {
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

/// The numeric keypad in application mode: `SS3 j` is `*`, and so on up to `SS3 y`, 9.
fn keypad_key(last: u8) -> Option<KeyCode> {
    Some(match last {
        b'M' => KeyCode::Enter,
        b'X' => KeyCode::Char('='),
        b'j'..=b'y' => KeyCode::Char((last - b'j' + b'*') as char),
        _ => return None,
    })
}

/// The number of `CSI number ~`.
fn numbered_key(number: u32) -> Option<KeyCode> {
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

/// A key by its code point, or by kitty's number in the private use area.
fn unicode_key(number: u32, mods: Mods) -> Option<(KeyCode, Mods)> {
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
        // The rest of the area: locks, media keys, and modifiers on their own.
        57344..=63743 => return None,
        _ => {
            return char::from_u32(number).filter(|c| !c.is_control()).map(|c| shifted(c, mods));
        }
    };
    Some((code, mods))
}

/// Kitty names a key by its unshifted character; everyone else sends what was typed. Fold the former
/// into the latter where the layout leaves no doubt: letters.
fn shifted(c: char, mods: Mods) -> (KeyCode, Mods) {
    let mut upper = c.to_uppercase();
    match (mods.contains(Mods::SHIFT), upper.next(), upper.next()) {
        (true, Some(u), None) => (KeyCode::Char(u), mods.without(Mods::SHIFT)),
        _ => (KeyCode::Char(c), mods),
    }
}

/// Button bits as xterm encodes them; `x` and `y` count from one.
fn mouse_event(bits: u32, x: u32, y: u32, release: bool, pixels: Option<(f32, f32)>) -> Option<Event> {
    let button = match bits & 0b1100_0011 {
        0 => Some(Button::Left),
        1 => Some(Button::Middle),
        2 => Some(Button::Right),
        3 | 64 | 65 => None,
        _ => return None,
    };
    let kind = match (bits & 64 != 0, bits & 32 != 0, button) {
        (true, ..) if release => return None,
        (true, ..) if bits & 1 == 0 => MouseKind::ScrollUp,
        (true, ..) => MouseKind::ScrollDown,
        (_, true, Some(_)) => MouseKind::Drag,
        (_, true, None) => MouseKind::Moved,
        _ if release => MouseKind::Up,
        (_, _, None) => return None,
        _ => MouseKind::Down,
    };
    let (w, h) = pixels.unwrap_or((1., 1.));
    let at = |n: u32, size: f32| (n.clamp(1, 1 << 20) as f32 - 0.5) / size;
    let mods = Mods::from_param(((bits >> 2 & 7) + 1).min(8));
    Some(Event::Mouse(Mouse { kind, button, mods, x: at(x, w), y: at(y, h) }))
}

/// The text of a DCS: XTVERSION, DECRQSS or XTGETTCAP.
fn device_reply(text: &[u8]) -> Reply {
    let text = String::from_utf8_lossy(text);
    if let Some(name) = text.strip_prefix(">|") {
        return Reply::Version(name.to_owned());
    }
    if let Some(params) = text.strip_prefix("1$r").and_then(|status| status.strip_suffix('m')) {
        return Reply::Rendition(params.to_owned());
    }
    let known = text.starts_with("1+r");
    let Some(pair) = text.strip_prefix("1+r").or_else(|| text.strip_prefix("0+r")) else {
        return Reply::Other;
    };
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    match (unhex(name), unhex(value)) {
        (Some(name), Some(value)) => Reply::Capability { name, value, known },
        _ => Reply::Other,
    }
}

fn unhex(hex: &str) -> Option<String> {
    let digit = |b: u8| (b as char).to_digit(16);
    let pairs = hex.as_bytes().chunks(2);
    let bytes = pairs.map(|p| Some((digit(p[0])? * 16 + digit(*p.get(1)?)?) as u8)).collect::<Option<Vec<u8>>>()?;
    String::from_utf8(bytes).ok()
}

/// The text of an OSC: the colours of text and background.
fn system_reply(text: &[u8]) -> Reply {
    let text = String::from_utf8_lossy(text);
    match text.split_once(';') {
        Some(("10", spec)) => color(spec).map_or(Reply::Other, Reply::Foreground),
        Some(("11", spec)) => color(spec).map_or(Reply::Other, Reply::Background),
        _ => Reply::Other,
    }
}

/// X11's `rgb:R/G/B` with one to four hex digits a channel, or `rgba:` with a fourth.
fn color(spec: &str) -> Option<[u8; 3]> {
    let channels = spec.strip_prefix("rgb:").or_else(|| spec.strip_prefix("rgba:"))?;
    let mut channels = channels.split('/').map(|hex| {
        let value = u32::from_str_radix(hex, 16).ok()?;
        let max = 16u32.checked_pow(hex.len() as u32).filter(|_| hex.len() <= 4)? - 1;
        Some(((value * 255 + max / 2) / max) as u8)
    });
    Some([channels.next()??, channels.next()??, channels.next()??])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(bytes: &[u8]) -> Vec<Event> {
        let (mut parser, mut out) = (Parser::new(), Vec::new());
        parser.feed(bytes, &mut out);
        parser.flush(&mut out);
        out
    }

    fn key(code: KeyCode, mods: Mods, kind: KeyKind) -> Event {
        Event::Key(Key { code, mods, kind })
    }

    fn char(c: char) -> Event {
        press(KeyCode::Char(c), Mods::NONE)
    }

    #[track_caller]
    fn assert_parses(cases: &[(&[u8], Event)]) {
        for (bytes, event) in cases {
            assert_eq!(parse(bytes), std::slice::from_ref(event), "{:?}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn legacy_keys() {
        use KeyCode::*;
        assert_parses(&[
            (b"q", char('q')),
            (b"Q", char('Q')),
            ("é".as_bytes(), char('é')),
            ("漢".as_bytes(), char('漢')),
            ("\u{1b}é".as_bytes(), press(Char('é'), Mods::ALT)),
            (b"\x1b", press(Esc, Mods::NONE)),
            (b"\r", press(Enter, Mods::NONE)),
            (b"\x7f", press(Backspace, Mods::NONE)),
            (b"\x03", press(Char('c'), Mods::CTRL)),
            (b"\x1a", press(Char('z'), Mods::CTRL)),
            (b"\x1c", press(Char('\\'), Mods::CTRL)),
            (b"\x00", press(Char(' '), Mods::CTRL)),
            (b"\x1bq", press(Char('q'), Mods::ALT)),
            (b"\x1b[A", press(Up, Mods::NONE)),
            (b"\x1bOD", press(Left, Mods::NONE)),
            (b"\x1b[1;2C", press(Right, Mods::SHIFT)),
            (b"\x1b\x1b[B", press(Down, Mods::ALT)),
            (b"\x1b[Z", press(Tab, Mods::SHIFT)),
            (b"\x1b[3~", press(Delete, Mods::NONE)),
            (b"\x1b[6;5~", press(PageDown, Mods::CTRL)),
            (b"\x1bOP", press(F(1), Mods::NONE)),
            (b"\x1b[[B", press(F(2), Mods::NONE)),
            (b"\x1b[15~", press(F(5), Mods::NONE)),
            (b"\x1b[24~", press(F(12), Mods::NONE)),
            (b"\x1b[27;5;106~", press(Char('j'), Mods::CTRL)),
        ]);
    }

    #[test]
    fn kitty_keys() {
        use KeyCode::*;
        use KeyKind::*;
        assert_parses(&[
            (b"\x1b[27u", press(Esc, Mods::NONE)),
            (b"\x1b[99;5u", press(Char('c'), Mods::CTRL)),
            (b"\x1b[1;1:1A", press(Up, Mods::NONE)),
            (b"\x1b[1;1:2A", key(Up, Mods::NONE, Repeat)),
            (b"\x1b[1;1:3A", key(Up, Mods::NONE, Release)),
            (b"\x1b[1;2:3D", key(Left, Mods::SHIFT, Release)),
            (b"\x1b[104;1:3u", key(Char('h'), Mods::NONE, Release)),
            (b"\x1b[104:72;2:3u", key(Char('H'), Mods::NONE, Release)),
            (b"\x1b[3;1:3~", key(Delete, Mods::NONE, Release)),
            (b"\x1b[57419u", press(Up, Mods::NONE)),
            (b"\x1b[57400;129u", press(Char('1'), Mods::NONE)),
        ]);
        assert_eq!(parse(b"\x1b[57441;2u"), [], "shift on its own is no key");
    }

    fn mouse(kind: MouseKind, button: Option<Button>, mods: Mods, x: f32, y: f32) -> Event {
        Event::Mouse(Mouse { kind, button, mods, x, y })
    }

    #[test]
    fn mouse_in_cells() {
        use MouseKind::*;
        assert_parses(&[
            (b"\x1b[<0;1;1M", mouse(Down, Some(Button::Left), Mods::NONE, 0.5, 0.5)),
            (b"\x1b[<2;300;80m", mouse(Up, Some(Button::Right), Mods::NONE, 299.5, 79.5)),
            (b"\x1b[<36;3;4M", mouse(Drag, Some(Button::Left), Mods::SHIFT, 2.5, 3.5)),
            (b"\x1b[<35;3;4M", mouse(Moved, None, Mods::NONE, 2.5, 3.5)),
            (b"\x1b[<64;3;4M", mouse(ScrollUp, None, Mods::NONE, 2.5, 3.5)),
            (b"\x1b[<81;3;4M", mouse(ScrollDown, None, Mods::CTRL, 2.5, 3.5)),
            (b"\x1b[M !!", mouse(Down, Some(Button::Left), Mods::NONE, 0.5, 0.5)),
        ]);
        assert_eq!(parse(b"\x1b[<66;3;4M"), [], "a wheel tilted sideways");
        assert_eq!(parse(b"\x1b[<0;3M"), parse(b"\x1b[<0;3;1M"), "nothing is out of range");
    }

    #[test]
    fn mouse_in_pixels() {
        let (mut parser, mut out) = (Parser::new(), Vec::new());
        parser.set_pixel_mouse(Some((8., 16.)));
        parser.feed(b"\x1b[<0;13;1M", &mut out);
        assert_eq!(out, [mouse(MouseKind::Down, Some(Button::Left), Mods::NONE, 12.5 / 8., 0.5 / 16.)]);
    }

    const REPLIES: &[&str] = &[
        "\x1b[0n",
        "\x1b[?62;22c",
        "\x1b[>1;4000;12c",
        "\x1b[?3u",
        "\x1b[12;40R",
        "\x1b[?12;40R",
        "\x1b[?2026;2$y",
        "\x1b[6;16;8t",
        "\x1b[4;600;800t",
        "\x1b[48;24;80;384;640t",
        "\x1b[?997;1n",
        "\x1b]11;rgb:1c1c/ffff/0000\x1b\\",
        "\x1b]11;rgb:1c/ff/00\x07",
        "\x1b]10;rgba:ffff/ffff/ffff/ffff\x1b\\",
        "\x1b]4;1;rgb:qq/q/q\x1b\\",
        "\x1bP>|kitty(0.31.0)\x1b\\",
        "\x1bP1+r524742=38\x1b\\",
        "\x1bP0+r5463\x1b\\",
        "\x1bP1$r0m\x1b\\",
        "\x1b_Gi=31;OK\x1b\\",
    ];

    #[test]
    fn replies_say_what_they_say() {
        let reply = |text: &str| match &*parse(text.as_bytes()) {
            [Event::Reply(reply)] => reply.clone(),
            other => panic!("{text:?} gave {other:?}"),
        };
        assert_eq!(reply("\x1b[0n"), Reply::Status);
        assert_eq!(reply("\x1b[?62;22c"), Reply::PrimaryAttributes(vec![62, 22]));
        assert_eq!(reply("\x1b[1;2R"), Reply::Cursor { row: 1, column: 2 });
        assert_eq!(reply("\x1b[?2026;2$y"), Reply::Mode { mode: 2026, state: 2 });
        assert_eq!(reply("\x1b[6;16;8t"), Reply::CellPixels { width: 8, height: 16 });
        assert_eq!(reply("\x1b[48;24;80;384;640t"), Reply::Size { columns: 80, rows: 24 });
        assert_eq!(reply("\x1b]11;rgb:1c1c/ffff/0000\x1b\\"), Reply::Background([0x1c, 255, 0]));
        assert_eq!(reply("\x1b]11;rgb:f/8/0\x07"), Reply::Background([255, 136, 0]));
        assert_eq!(reply("\x1bP>|foot(1.16.2)\x1b\\"), Reply::Version("foot(1.16.2)".into()));
        assert_eq!(reply("\x1bP1$r0;48:2::1:2:3m\x1b\\"), Reply::Rendition("0;48:2::1:2:3".into()));
        let rgb = Reply::Capability { name: "RGB".into(), value: "8".into(), known: true };
        assert_eq!(reply("\x1bP1+r524742=38\x1b\\"), rgb);
    }

    /// With a status request in every frame an answer follows the Esc key within milliseconds.
    #[test]
    fn an_answer_after_the_esc_key_does_not_swallow_it() {
        for reply in REPLIES {
            let events = parse(format!("\x1b{reply}").as_bytes());
            assert_eq!(events[0], press(KeyCode::Esc, Mods::NONE), "{reply:?}");
            assert!(events[1..].iter().all(|e| matches!(e, Event::Reply(_))), "{reply:?}: {events:?}");
        }
        let events = parse(b"\x1b\x1b[<0;1;1M");
        assert!(matches!(&*events, [Event::Key(_), Event::Mouse(_)]), "{events:?}");
    }

    #[test]
    fn a_paste_is_no_keys() {
        let expected = [Event::Paste("q\x1b[A\r".into()), char('x')];
        assert_eq!(parse(b"\x1b[200~q\x1b[A\r\x1b[201~x"), expected);
    }

    #[test]
    fn an_endless_paste_is_bounded_and_given_up() {
        let (mut parser, mut out) = (Parser::new(), Vec::new());
        parser.feed(b"\x1b[200~", &mut out);
        for _ in 0..100 {
            parser.feed(&[b'q'; 1000], &mut out);
        }
        assert!(out.is_empty() && parser.held.len() <= MAX_PASTE);
        parser.feed(PASTE_END, &mut out);
        parser.feed(b"x", &mut out);
        assert!(matches!(&*out, [Event::Paste(_), last] if *last == char('x')));
    }

    #[test]
    fn control_c_breaks_through_everything_but_a_paste() {
        for start in ["\x1b[", "\x1b[12;", "\x1b]11;rgb", "\x1bP1+r", "\x1b_x", "\x1bO", "\u{1b}[[", "\x1b]x\x1b"] {
            let (mut parser, mut out) = (Parser::new(), Vec::new());
            parser.feed(start.as_bytes(), &mut out);
            parser.feed(b"\x03", &mut out);
            let last = out.last().unwrap_or_else(|| panic!("{start:?} swallows Ctrl-C"));
            assert!(matches!(last, Event::Key(Key { code: KeyCode::Char('c'), .. })), "{start:?}: {out:?}");
        }
    }

    #[test]
    fn a_lone_esc_waits_for_silence() {
        let (mut parser, mut out) = (Parser::new(), Vec::new());
        parser.feed(b"\x1b", &mut out);
        assert!(out.is_empty() && parser.patience() == Some(ESC_WAIT));
        parser.flush(&mut out);
        assert_eq!(out, [press(KeyCode::Esc, Mods::NONE)]);
        assert_eq!(parser.patience(), None);
    }

    /// Bytes that look like a terminal's: whole sequences, halves of them, and noise.
    fn stream() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            prop::sample::select(REPLIES).prop_map(|r| r.as_bytes().to_vec()),
            prop::sample::select(vec![
                "\x1b[A",
                "\x1b",
                "\x1b[<0;5;5M",
                "é",
                "\x1b[200~",
                "\x1b[201~",
                "\x1b[M",
                "\x1b[[",
                "\x1bO"
            ])
            .prop_map(|r| r.as_bytes().to_vec()),
            prop::collection::vec(any::<u8>(), 0..8),
        ];
        prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn any_cut_of_the_same_bytes_gives_the_same_events(bytes in stream(), cuts in prop::collection::vec(1..9usize, 1..40)) {
            let (mut parser, mut out) = (Parser::new(), Vec::new());
            let (mut rest, mut cuts) = (&bytes[..], cuts.iter().cycle());
            while let (false, Some(&cut)) = (rest.is_empty(), cuts.next()) {
                let (now, later) = rest.split_at(cut.min(rest.len()));
                parser.feed(now, &mut out);
                rest = later;
            }
            parser.flush(&mut out);
            prop_assert_eq!(out, parse(&bytes));
        }

        #[test]
        fn any_bytes_are_survived_in_bounded_space(bytes in prop::collection::vec(any::<u8>(), 0..3000)) {
            let (mut parser, mut out) = (Parser::new(), Vec::new());
            parser.feed(&bytes, &mut out);
            prop_assert!(parser.held.len() <= MAX_STRING.max(bytes.len()));
            parser.flush(&mut out);
            prop_assert_eq!(parser.patience(), None);
        }

        #[test]
        fn replies_are_never_keys(replies in prop::collection::vec(prop::sample::select(REPLIES), 0..20)) {
            let events = parse(replies.concat().as_bytes());
            prop_assert_eq!(events.len(), replies.len());
            prop_assert!(events.iter().all(|event| matches!(event, Event::Reply(_))), "{:?}", events);
        }
    }
}
