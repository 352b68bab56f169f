//! The pointer and the tilt indicator.

use crate::app::action::PointerMode;
use crate::app::action::tilt;
use crate::app::overlay::state::Overlay;
use crate::app::overlay::theme::OverlayTheme;
use crate::app::overlay::view::OverlayView;
use glam::Vec2;
use ratatui_core::buffer::{Buffer, Cell};
use ratatui_core::layout::Rect;
use ratatui_core::style::Modifier;

/// Cells of the tilt indicator's tube; odd, so that it has a middle.
const TUBE: u16 = 9;

/// The pointer, while it is moved by keys.
pub fn pointer(_: &mut Overlay, view: &OverlayView, buf: &mut Buffer) {
    if !view.input.pointer_shown {
        return;
    }
    let sign = match view.input.pointer.grip() {
        None => '+',
        Some(PointerMode::Push) => '@',
        Some(PointerMode::Pull) => 'o',
        Some(PointerMode::Pour) => '~',
        Some(PointerMode::Drain) => 'x',
        Some(PointerMode::Wall) => '#',
    };
    if let Some(cell) = cell_at(view.pointer(), buf) {
        cell.set_char(sign).set_style(view.theme.strong.add_modifier(Modifier::REVERSED));
    }
}

pub(super) fn cell_at(at: Vec2, buf: &mut Buffer) -> Option<&mut Cell> {
    let inside = at.cmpge(Vec2::ZERO).all() && at.max_element() < f32::from(u16::MAX);
    inside.then(|| buf.cell_mut((at.x as u16, at.y as u16))).flatten()
}

/// A marble in a tube runs to the lower side, and an arrow points where gravity does. Shown while gravity is turned, and
/// for a moment longer.
pub fn tilt_indicator(overlay: &mut Overlay, view: &OverlayView, buf: &mut Buffer) {
    let target = view.tank.world.tilt_target();
    if target == tilt::upright(target) && !overlay.tilt_shown() {
        return;
    }
    let text = tilt_text(view.tank.world.tilt(), view.theme.unicode);
    let width = text.chars().count() as u16;
    let area = Rect::new(buf.area.right().saturating_sub(width + 1), buf.area.y, width, 1);
    OverlayTheme::line(&text, view.theme.text, area, buf);
}

fn tilt_text(tilt: f32, unicode: bool) -> String {
    let (marble, rail, arrows) = if unicode {
        ('●', '─', ['↓', '↘', '→', '↗', '↑', '↖', '←', '↙'])
    } else {
        ('o', '-', ['v', '\\', '>', '/', '^', '\\', '<', '/'])
    };
    let octant = (tilt / std::f32::consts::FRAC_PI_4).round().rem_euclid(8.0) as usize % 8;
    let middle = f32::from(TUBE / 2);
    let place = (middle + middle * tilt.sin()).round() as u16;
    let tube: String = (0..TUBE).map(|cell| if cell == place { marble } else { rail }).collect();
    let degrees = (tilt.to_degrees() + 180.0).rem_euclid(360.0) - 180.0;
    format!("({tube}) {} {:3.0}{}", arrows[octant], degrees.abs(), if unicode { "°" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tilt_indicator_points_where_gravity_does() {
        for (degrees, unicode, expected) in [
            (0, true, "(────●────) ↓   0°"),
            (15, true, "(─────●───) ↓  15°"),
            (-90, true, "(●────────) ←  90°"),
            (45, true, "(───────●─) ↘  45°"),
            (180, true, "(────●────) ↑ 180°"),
            (-405, true, "(─●───────) ↙  45°"),
            (-45, false, "(-o-------) /  45"),
        ] {
            assert_eq!(tilt_text((degrees as f32).to_radians(), unicode), expected);
        }
    }
}
