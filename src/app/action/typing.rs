//! Keys → Actions while text is typed: characters are text, and do not trigger the keymap's Actions.

use crate::app::action::keymap::Keymap;
use crate::app::action::{Action, Direction};
use crate::term::{Key, KeyCode, KeyEventKind, KeyModifiers};

/// The Action of a key event while text is typed. Keys with ctrl or alt keep their Actions.
pub fn action(key: &Key, keymap: &Keymap) -> Option<Action> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    Some(match key.code {
        KeyCode::Char(_) if key.mods.contains(KeyModifiers::CONTROL) || key.mods.contains(KeyModifiers::ALT) => {
            return keymap.action(key, false);
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
