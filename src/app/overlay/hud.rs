//! The brush outline, and the pointer that keys move.

use crate::app::action::PointerMode;
use crate::app::overlay::state::Overlay;
use crate::app::overlay::view::OverlayView;
use glam::Vec2;
use ratatui_core::buffer::{Buffer, Cell};
use ratatui_core::style::{Color, Modifier, Style};

/// Dots of the brush outline for each cell of its radius, and limits on their number: a small brush is still a circle,
/// and a large one costs no more than a frame of a small window.
const DOTS_PER_CELL: f32 = 10.0;
const MIN_DOTS: f32 = 16.0;
const MAX_DOTS: f32 = 512.0;

/// The brush: a circle of dots around the pointer, on the colours of the picture.
pub fn brush_outline(overlay: &mut Overlay, view: &OverlayView, buf: &mut Buffer) {
    if !overlay.brush_shown() && !view.input.pointer_shown {
        return;
    }
    let (center, radius) = (view.pointer(), view.brush());
    let dot = if view.theme.unicode { '·' } else { '.' };
    let dots = (radius.max_element() * DOTS_PER_CELL).clamp(MIN_DOTS, MAX_DOTS) as u32;
    for nth in 0..dots {
        let angle = std::f32::consts::TAU * nth as f32 / dots as f32;
        if let Some(cell) = cell_at(center + radius * Vec2::from_angle(angle), buf) {
            let background = if cell.symbol() == "█" { cell.fg } else { cell.bg };
            cell.set_char(dot).set_style(Style::new().fg(Color::White).bg(background));
        }
    }
}

/// The pointer, while it is moved by keys.
pub fn pointer(_: &mut Overlay, view: &OverlayView, buf: &mut Buffer) {
    if !view.input.pointer_shown {
        return;
    }
    let sign = match view.input.pointer.grip() {
        None => '+',
        Some(PointerMode::Push) => '@',
        Some(PointerMode::Pull) => 'o',
        Some(PointerMode::Wall) => '#',
    };
    if let Some(cell) = cell_at(view.pointer(), buf) {
        cell.set_char(sign).set_style(view.theme.strong.add_modifier(Modifier::REVERSED));
    }
}

fn cell_at(at: Vec2, buf: &mut Buffer) -> Option<&mut Cell> {
    let inside = at.cmpge(Vec2::ZERO).all() && at.max_element() < f32::from(u16::MAX);
    inside.then(|| buf.cell_mut((at.x as u16, at.y as u16))).flatten()
}
