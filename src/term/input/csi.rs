//! Control sequences, `CSI … letter`: most keys, the mouse, focus, and short replies.

use crate::term::input::event::{
    Event, Key, KeyCode, KeyEventKind, KeyModifiers, Mouse, MouseButton, MouseEventKind, Reply,
};
use crate::term::input::keys::{key, kitty_key, letter_key, modifiers, numbered_key, rxvt_arrow, rxvt_mods};

/// Length in bytes from which a control sequence is ignored.
pub const MAX: usize = 128;

pub struct Csi {
    private: Option<u8>,
    /// Parameters, each with up to two sub-parameters after colons; absent ones are 0.
    params: Vec<[u32; 3]>,
    intermediate: Option<u8>,
    last: u8,
}

impl Csi {
    pub fn parse(buffer: &[u8], last: u8) -> Option<Self> {
        if buffer.len() >= MAX {
            return None;
        }
        let private = buffer.first().copied().filter(|b| (b'<'..=b'?').contains(b));
        let rest = &buffer[usize::from(private.is_some())..];
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

    pub fn is(&self, private: Option<u8>, last: u8) -> bool {
        self.private == private && self.intermediate.is_none() && self.last == last
    }

    fn sub(&self, index: usize, sub: usize) -> u32 {
        self.params.get(index).map_or(0, |p| p[sub])
    }

    pub fn param(&self, index: usize) -> u32 {
        self.sub(index, 0)
    }

    fn small(&self, index: usize) -> u16 {
        self.param(index).min(u32::from(u16::MAX)) as u16
    }

    /// `None` for an unknown sequence. `pixels` is the size of a cell if mouse reports are in pixels.
    pub fn event(&self, pixels: Option<(f32, f32)>) -> Option<Event> {
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
            (b'?', b'c') => Reply::PrimaryAttributes((0..self.params.len()).map(|i| self.small(i)).collect()),
            (b'?', b'u') => Reply::KeyboardFlags(self.param(0).min(255) as u8),
            (b'?', b'R') => Reply::Cursor { column: self.small(1) },
            (b'?', b'n') if self.param(0) == 997 => Reply::ColorScheme,
            (b'?', b'n' | b'S') | (b'>', b'c') => Reply::Other,
            _ => return None,
        })
    }

    fn plain(&self) -> Option<Event> {
        let reply = match self.last {
            b'I' => return Some(Event::Focus(true)),
            b'O' => return Some(Event::Focus(false)),
            b'n' if self.param(0) == 0 => Reply::Status,
            b'n' | b'c' | b'x' => Reply::Other,
            // With a modifier alone, F3 cannot be told from this.
            b'R' if self.params.len() > 1 => Reply::Cursor { column: self.small(1) },
            b't' => self.window_reply(),
            _ => return self.key(),
        };
        Some(Event::Reply(reply))
    }

    fn window_reply(&self) -> Reply {
        let (height, width) = (self.small(1), self.small(2));
        match self.param(0) {
            6 => Reply::CellPixels { width, height },
            48 => Reply::Size { rows: height, columns: width, height: self.small(3), width: self.small(4) },
            _ => Reply::Other,
        }
    }

    /// A legacy key with xterm's modifiers, or with kitty's, which add the kind of event after a colon.
    fn key(&self) -> Option<Event> {
        let mods = modifiers(self.param(1));
        let kind = match self.sub(1, 1) {
            2 => KeyEventKind::Repeat,
            3 => KeyEventKind::Release,
            _ => KeyEventKind::Press,
        };
        let shift = mods | KeyModifiers::SHIFT;
        let simple = |code, mods| Some(key(code, mods, kind));
        let key: Option<Key> = match self.last {
            b'Z' => simple(KeyCode::Tab, shift),
            b'u' => kitty_key([0, 1, 2].map(|sub| self.sub(0, sub)), mods, kind, self.param(2)),
            b'~' if self.param(0) == 27 => kitty_key([self.param(2), 0, 0], mods, kind, 0),
            b'~' if matches!(self.param(0), 200 | 201) => None,
            // Mouse reports of modes that are not switched on.
            b'M' | b'm' => None,
            b'~' => simple(numbered_key(self.param(0)), mods),
            last => match (rxvt_mods(last), rxvt_arrow(last)) {
                (Some(mods), _) => simple(numbered_key(self.param(0)), mods),
                (None, Some(arrow)) => simple(arrow, shift),
                (None, None) => simple(letter_key(last).unwrap_or(KeyCode::Null), mods),
            },
        };
        key.map(Event::Key)
    }
}

fn sub_params(param: &[u8]) -> [u32; 3] {
    let mut subs = [0; 3];
    for (slot, digits) in subs.iter_mut().zip(param.split(|&b| b == b':')) {
        *slot = digits.iter().fold(0u32, |n, b| n.saturating_mul(10).saturating_add(u32::from(b - b'0')));
    }
    subs
}

/// `bits` are button bits as xterm encodes them; `x` and `y` count from one.
pub fn mouse_event(bits: u32, x: u32, y: u32, release: bool, pixels: Option<(f32, f32)>) -> Option<Event> {
    let button = match bits & 0b1100_0011 {
        0 => Some(MouseButton::Left),
        1 => Some(MouseButton::Middle),
        2 => Some(MouseButton::Right),
        3 | 64 | 65 => None,
        _ => return None,
    };
    let kind = match (bits & 64 != 0, bits & 32 != 0, button) {
        (true, ..) if release => return None,
        (true, ..) if bits & 1 == 0 => MouseEventKind::ScrollUp,
        (true, ..) => MouseEventKind::ScrollDown,
        (_, true, Some(button)) => MouseEventKind::Drag(button),
        (_, true, None) => MouseEventKind::Moved,
        // The oldest reports do not say which button was released.
        _ if release => MouseEventKind::Up(button.unwrap_or(MouseButton::Left)),
        (_, _, None) => return None,
        (_, _, Some(button)) => MouseEventKind::Down(button),
    };
    let (w, h) = pixels.unwrap_or((1., 1.));
    let at = |n: u32, size: f32| (n.clamp(1, 1 << 20) as f32 - 0.5) / size;
    let mods = modifiers(((bits >> 2 & 7) + 1).min(8));
    Some(Event::Mouse(Mouse { kind, mods, x: at(x, w), y: at(y, h) }))
}
