use crate::term::input::event::{Event, Mouse, MouseButton, MouseEventKind};
use crate::term::input::keys::modifiers;

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
