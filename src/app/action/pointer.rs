//! Mouse reports → Actions.

use crate::app::action::{Action, PointerMode};
use crate::term::{Button, Mods, Mouse, MouseKind};

/// The Action of a mouse report.
pub fn action(mouse: &Mouse) -> Option<Action> {
    let at = [mouse.x, mouse.y];
    // Many terminals use shift and the mouse to select text; the others report it.
    let beside = mouse.mods.contains(Mods::SHIFT);
    Some(match (mouse.kind, mouse.button) {
        (MouseKind::Down, Some(Button::Left)) if beside => Action::Press(PointerMode::Wall, at),
        (MouseKind::Down, Some(Button::Left)) => Action::PressTool(at),
        (MouseKind::Down, Some(Button::Middle)) => Action::Press(PointerMode::Wall, at),
        (MouseKind::Down, Some(Button::Right)) => Action::Press(PointerMode::Pull, at),
        (MouseKind::Drag | MouseKind::Moved, _) => Action::Move(at),
        (MouseKind::Up, _) => Action::Release(at),
        (MouseKind::ScrollUp, _) => Action::Brush(true),
        (MouseKind::ScrollDown, _) => Action::Brush(false),
        (MouseKind::Down, None) => return None,
    })
}
