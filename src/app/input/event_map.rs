//! Events → Actions: the keymap, the mouse, and what is held. A release ends what its press began, whatever is open by then and
//! whatever the keymap says: so the map remembers the keys that hold a direction, and whether a mouse button is down.

use crate::app::action::{Action, Direction, PointerMode, table};
use crate::app::input::keymap::Keymap;
use crate::term::{Event, Key, KeyCode, KeyEventKind, KeyModifiers, Mouse, MouseButton, MouseEventKind};

#[derive(Clone, Debug, Default)]
pub struct EventMap {
    held: Vec<(KeyCode, Direction)>,
    button_down: bool,
}

impl EventMap {
    /// `releases`: the terminal reports key releases, so that directions are held. `typing`: characters are text.
    pub fn action(&mut self, event: &Event, keymap: &Keymap, releases: bool, typing: bool) -> Option<Action> {
        match event {
            Event::Key(key) if key.kind == KeyEventKind::Release => self.release(key),
            Event::Key(key) if typing => typed(key, keymap),
            Event::Key(key) => {
                let action = keymap.action(key);
                match action {
                    Some(Action::Tilt(direction)) if releases && key.kind == KeyEventKind::Press => {
                        self.held.push((key.base, direction));
                        Some(Action::HoldDirection(direction))
                    }
                    Some(action) if key.kind == KeyEventKind::Repeat && !table::repeats(action) => None,
                    None if key.kind == KeyEventKind::Press => Some(Action::UnknownKey),
                    action => action,
                }
            }
            Event::Mouse(mouse) => self.mouse(mouse),
            Event::Focus(focused) => {
                // A window without the focus gets no releases.
                *self = Self::default();
                Some(Action::Focus(*focused))
            }
            // Sizes and replies are for the session; pasted text is never taken for keys.
            _ => None,
        }
    }

    /// Ends the direction that the key holds, unless another key holds it too.
    fn release(&mut self, key: &Key) -> Option<Action> {
        let at = self.held.iter().position(|&(base, _)| base == key.base)?;
        let (_, direction) = self.held.swap_remove(at);
        let still_held = self.held.iter().any(|&(_, other)| other == direction);
        (!still_held).then_some(Action::ReleaseDirection(direction))
    }

    fn mouse(&mut self, mouse: &Mouse) -> Option<Action> {
        let at = [mouse.x, mouse.y];
        let was_down = self.button_down;
        self.button_down = match mouse.kind {
            MouseEventKind::Down(_) => true,
            MouseEventKind::Up(_) | MouseEventKind::Moved => false,
            _ => was_down,
        };
        // Many terminals use shift and the mouse to select text; the others report it.
        let beside = mouse.mods.contains(KeyModifiers::SHIFT);
        Some(match mouse.kind {
            MouseEventKind::Down(MouseButton::Left) if beside => Action::Press(PointerMode::Wall, at),
            MouseEventKind::Down(MouseButton::Left) => Action::PressTool(at),
            MouseEventKind::Down(MouseButton::Middle) => Action::Press(PointerMode::Wall, at),
            MouseEventKind::Down(MouseButton::Right) => Action::Press(PointerMode::Pull, at),
            // The button was released outside of the window.
            MouseEventKind::Moved if was_down => Action::Release(at),
            MouseEventKind::Drag(_) | MouseEventKind::Moved => Action::Move(at),
            MouseEventKind::Up(_) => Action::Release(at),
            MouseEventKind::ScrollUp => Action::Brush(true),
            MouseEventKind::ScrollDown => Action::Brush(false),
            MouseEventKind::ScrollLeft | MouseEventKind::ScrollRight => return None,
        })
    }
}

/// The Action of a key while text is typed. Keys with ctrl or alt keep their Actions.
fn typed(key: &Key, keymap: &Keymap) -> Option<Action> {
    Some(match key.code {
        KeyCode::Char(_) if key.mods.contains(KeyModifiers::CONTROL) || key.mods.contains(KeyModifiers::ALT) => {
            return keymap.action(key);
        }
        KeyCode::Char(typed) => Action::Type(typed),
        KeyCode::Backspace | KeyCode::Delete => Action::Erase,
        KeyCode::Enter => Action::Choose,
        KeyCode::Esc => Action::Back,
        KeyCode::Up => Action::Tilt(Direction::Up),
        KeyCode::Down | KeyCode::Tab => Action::Tilt(Direction::Down),
        KeyCode::PageUp => Action::Shake(Direction::Up),
        KeyCode::PageDown => Action::Shake(Direction::Down),
        // The ends of the list: left and right have no other use in it.
        KeyCode::Home => Action::Shake(Direction::Left),
        KeyCode::End => Action::Shake(Direction::Right),
        _ => return None,
    })
}
