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
    /// After ESC; `alt` when a second ESC came, which rxvt puts before a key held with Alt.
    Escape { alt: bool },
    Csi { alt: bool },
    Ss3 { alt: bool },
    /// DCS, OSC or another string, up to ST (`ESC \`); OSC also ends with BEL. `esc`: ESC just came.
    String { kind: StringKind, esc: bool },
    /// The three bytes of an X10 mouse report, sent by terminals too old for SGR reports.
    X10 { left: u8 },
    /// `CSI [ A` … `E`: the function keys of the Linux console.
    ConsoleKey,
    Utf8 { left: u8, alt: bool },
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
                let left = if byte < 0xe0 { 1 } else if byte < 0xf0 { 2 } else { 3 };
                self.held.push(byte);
                self.state = State::Utf8 { left, alt: mods.contains(Mods::ALT) };
            }
            0x80.. => {}
            _ => out.push(legacy_key(byte, mods)),
        }
    }

    fn escape_byte(&mut self, byte: u8, alt: bool, out: &mut Vec<Event>) {
        match byte {
            b'[' => self.enter(State::Csi { alt }),
            b'O' => self.enter(State::Ss3 { alt }),
            b'P' => self.enter(State::String { kind: StringKind::Dcs, esc: false }),
            b']' => self.enter(State::String { kind: StringKind::Osc, esc: false }),
            b'X' | b'^' | b'_' => self.enter(State::String { kind: StringKind::Other, esc: false }),
            0x1b if alt => out.push(press(KeyCode::Esc, Mods::NONE)),
            0x1b => self.state = State::Escape { alt: true },
            // ST on its own ends a string that was given up before.
            b'\\' => self.ground(),
            _ => {
                if alt {
                    out.push(press(KeyCode::Esc, Mods::NONE));
                }
                self.ground_byte(byte, Mods::ALT, out);
            }
        }
    }

    fn csi_byte(&mut self, byte: u8, alt: bool, out: &mut Vec<Event>) {
        match byte {
            0x20..=0x3f => {
                if self.held.len() < MAX_CSI {
                    self.held.push(byte);
                }
            }
            b'M' if self.held.is_empty() => self.enter(State::X10 { left: 3 }),
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
        let Some(csi) = csi else { return };
        if csi.is(None, b'~') && csi.param(0) == 200 {
            return self.enter(State::Paste);
        }
        let event = match csi.mouse(self.pixel_mouse) {
            Some(event) => event,
            None => csi.event(if alt { Mods::ALT } else { Mods::NONE }),
        };
        out.extend(event);
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

    /// `Some` if this is a mouse report, understood or not.
    fn mouse(&self, pixels: Option<(f32, f32)>) -> Option<Option<Event>> {
        let release = match self.last {
            b'M' => false,
            b'm' => true,
            _ => return None,
        };
        (self.private == Some(b'<')).then(|| mouse_event(self.param(0), self.param(1), self.param(2), release, pixels))
    }

    fn event(&self, extra: Mods) -> Option<Event> {
        match (self.private, self.intermediate) {
            (None, None) => self.plain(extra),
            (Some(b'?'), Some(b'$')) if self.last == b'y' => {
                Some(Event::Reply(Reply::Mode { mode: self.small(0), state: self.small(1) }))
            }
            (Some(private), None) => self.private_reply(private).map(Event::Reply),
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

    fn plain(&self, extra: Mods) -> Option<Event> {
        let reply = match self.last {
            b'I' => return Some(Event::Focus(true)),
            b'O' => return Some(Event::Focus(false)),
            b'n' if self.param(0) == 0 => Reply::Status,
            b'n' | b'c' | b'x' => Reply::Other,
            b'R' => Reply::Cursor { row: self.small(0), column: self.small(1) },
            b't' => self.window_reply(),
            _ => return self.key(extra),
        };
        Some(Event::Reply(reply))
    }

    fn window_reply(&self) -> Reply {
        let (height, width) = (self.small(1), self.small(2));
        match self.param(0) {
            4 => Reply::AreaPixels { width, height },
            6 => Reply::CellPixels { width, height },
            48 => Reply::Size { rows: height, columns: width },
            _ => Reply::Other,
        }
    }

    /// Legacy keys with xterm's modifiers, and kitty's, which add the kind of event after a colon.
    fn key(&self, extra: Mods) -> Option<Event> {
        let mods = Mods::from_param(self.param(1)).with(extra);
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
        _ => return char::from_u32(number).filter(|c| !c.is_control()).map(|c| shifted(c, mods)),
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

/// The text of a DCS: XTVERSION or XTGETTCAP.
fn device_reply(text: &[u8]) -> Reply {
    let text = String::from_utf8_lossy(text);
    if let Some(name) = text.strip_prefix(">|") {
        return Reply::Version(name.to_owned());
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
