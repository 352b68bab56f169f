//! Mouse reports.

use crate::term::input::event::{Button, Event, Mods, Mouse, MouseKind};

/// Returns the event of a mouse report. `bits` are button bits as xterm encodes them; `x` and `y` count from one.
pub fn mouse_event(bits: u32, x: u32, y: u32, release: bool, pixels: Option<(f32, f32)>) -> Option<Event> {
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
