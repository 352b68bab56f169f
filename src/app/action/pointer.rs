//! Mouse reports → Actions.

use crate::app::action::{Action, PointerMode};
use crate::term::{KeyModifiers, Mouse, MouseButton, MouseEventKind};

/// The Action of a mouse report.
pub fn action(mouse: &Mouse) -> Option<Action> {
    let at = [mouse.x, mouse.y];
    // Many terminals use shift and the mouse to select text; the others report it.
    let beside = mouse.mods.contains(KeyModifiers::SHIFT);
    Some(match mouse.kind {
        MouseEventKind::Down(MouseButton::Left) if beside => Action::Press(PointerMode::Wall, at),
        MouseEventKind::Down(MouseButton::Left) => Action::PressTool(at),
        MouseEventKind::Down(MouseButton::Middle) => Action::Press(PointerMode::Wall, at),
        MouseEventKind::Down(MouseButton::Right) => Action::Press(PointerMode::Pull, at),
        MouseEventKind::Drag(_) | MouseEventKind::Moved => Action::Move(at),
        MouseEventKind::Up(_) => Action::Release(at),
        MouseEventKind::ScrollUp => Action::Brush(true),
        MouseEventKind::ScrollDown => Action::Brush(false),
        MouseEventKind::ScrollLeft | MouseEventKind::ScrollRight => return None,
    })
}
