//! The pointer that keys move.

use crate::app::action::PointerMode;
use crate::app::overlay::Layer;
use crate::app::overlay::view::OverlayView;
use glam::Vec2;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::Modifier;

/// The pointer, while it is moved by keys.
#[derive(Clone, Debug, Default)]
pub struct KeyPointer;

impl Layer for KeyPointer {
    fn draw(&mut self, view: &OverlayView, buf: &mut Buffer) {
        if view.input.pointer_shown {
            draw(view, buf);
        }
    }
}

fn draw(view: &OverlayView, buf: &mut Buffer) {
    let sign = match view.input.pointer.grip() {
        None => '+',
        Some(PointerMode::Push) => '@',
        Some(PointerMode::Pull) => 'o',
        Some(PointerMode::Pour) => '~',
        Some(PointerMode::Drain) => 'x',
        Some(PointerMode::Wall) => '#',
        Some(PointerMode::Heat) => '^',
        Some(PointerMode::Cool) => '*',
    };
    if let Some(cell) = cell_at(view.pointer(), buf) {
        cell.set_char(sign).set_style(view.theme.strong.add_modifier(Modifier::REVERSED));
    }
}

pub(super) fn cell_at(at: Vec2, buf: &mut Buffer) -> Option<&mut Cell> {
    let inside = at.cmpge(Vec2::ZERO).all() && at.max_element() < f32::from(u16::MAX);
    inside.then(|| buf.cell_mut((at.x as u16, at.y as u16))).flatten()
}
