//! What points at things: the ring of the brush, the hand, the level.

use crate::app::action::Grip;
use crate::app::overlay::{Pens, Scene, line};
use glam::Vec2;
use ratatui_core::buffer::{Buffer, Cell};
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier, Style};

/// Cells of the level's tube, odd so that it has a middle.
const TUBE: u16 = 9;

/// The brush: a circle of dots around the pointer, over whatever colours are there.
pub fn ring(scene: &Scene, buf: &mut Buffer) {
    let dot = if scene.unicode { '·' } else { '.' };
    let around = (scene.brush.max_element() * 10.0).clamp(16.0, 512.0) as u32;
    for nth in 0..around {
        let angle = std::f32::consts::TAU * nth as f32 / around as f32;
        if let Some(cell) = cell_at(scene.pointer + scene.brush * Vec2::from_angle(angle), buf) {
            let ground = if cell.symbol() == "█" { cell.fg } else { cell.bg };
            cell.set_char(dot).set_style(Style::new().fg(Color::White).bg(ground));
        }
    }
}

pub fn hand(at: Vec2, grip: Option<Grip>, pens: &Pens, buf: &mut Buffer) {
    let sign = match grip {
        None => '+',
        Some(Grip::Push) => '@',
        Some(Grip::Pull) => 'o',
        Some(Grip::Wall) => '#',
    };
    if let Some(cell) = cell_at(at, buf) {
        cell.set_char(sign).set_style(pens.strong.add_modifier(Modifier::REVERSED));
    }
}

fn cell_at(at: Vec2, buf: &mut Buffer) -> Option<&mut Cell> {
    let inside = at.cmpge(Vec2::ZERO).all() && at.max_element() < f32::from(u16::MAX);
    inside.then(|| buf.cell_mut((at.x as u16, at.y as u16))).flatten()
}

/// A marble in a tube runs to the lower side, and an arrow points where gravity does.
pub fn level(scene: &Scene, buf: &mut Buffer) {
    let text = level_text(scene.tilt, scene.unicode);
    let width = text.chars().count() as u16;
    let area = Rect::new(buf.area.right().saturating_sub(width + 1), buf.area.y, width, 1);
    line(&text, scene.pens.text, area, buf);
}

fn level_text(tilt: f32, unicode: bool) -> String {
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
    fn the_level_points_where_gravity_does() {
        for (degrees, unicode, expected) in [
            (0, true, "(────●────) ↓   0°"),
            (15, true, "(─────●───) ↓  15°"),
            (-90, true, "(●────────) ←  90°"),
            (45, true, "(───────●─) ↘  45°"),
            (180, true, "(────●────) ↑ 180°"),
            (-405, true, "(─●───────) ↙  45°"),
            (-45, false, "(-o-------) /  45"),
        ] {
            assert_eq!(level_text((degrees as f32).to_radians(), unicode), expected);
        }
    }
}
