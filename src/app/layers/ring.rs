//! The ring around the pointer: the radius of its tool, in the tool's colour. It is a line of dots, eight per cell; a cell that
//! it crosses gets the mean of its colours as the background.

use crate::app::action::PointerMode;
use crate::app::layers::key_pointer::cell_at;
use crate::app::layers::{Layer, OverlayView};
use crate::cell::color::mix;
use crate::cell::{braille, glyph_shape};
use crate::view::{ColorDepth, GlyphMode, Rgb};
use glam::Vec2;
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

/// Dots of the ring for each cell of its radius, and limits on their number.
const DOTS_PER_CELL: f32 = 20.0;
const MIN_DOTS: f32 = 16.0;
const MAX_DOTS: f32 = 1024.0;

/// Thickness of the ring in cells where it is drawn in dots: two dots.
const THICKNESS: Vec2 = Vec2::new(0.5, 0.25);

const LIGHT: f32 = 0.75;

#[derive(Clone, Debug, Default)]
pub struct Ring;

impl Layer for Ring {
    fn draw(&mut self, view: &OverlayView, buf: &mut Buffer) {
        if !view.brush || !view.tank.is_here() {
            return;
        }
        let tool = view.input.pointer.grip().unwrap_or(view.input.tools.selected);
        let radius = view.camera.scale * view.input.pointer.reach(&view.tank.world, tool);
        let center = view.pointer();
        let fine = view.theme.unicode && !matches!(view.look.glyphs, GlyphMode::Ascii | GlyphMode::Half);
        let coarse = if view.theme.unicode { '·' } else { '.' };
        let dots = (radius.max_element() * DOTS_PER_CELL).clamp(MIN_DOTS, MAX_DOTS) as u32;
        let around = (0..dots).map(|nth| Vec2::from_angle(std::f32::consts::TAU * nth as f32 / dots as f32));
        let foot = f32::from(view.camera.area.bottom().saturating_sub(1));
        let inner = if fine { (radius - THICKNESS).max(Vec2::ZERO) } else { radius };
        for at in around.flat_map(|direction| [center + inner * direction, center + radius * direction]) {
            // The last row has the status row's text, whose background is made of the colours of the cells behind it.
            let Some(cell) = cell_at(at, buf).filter(|_| at.y < foot) else { continue };
            let dot = if fine { braille::with_dot(cell.symbol().chars().next(), at.fract()) } else { coarse };
            let behind = behind(cell, view.theme.background);
            cell.set_char(dot).set_bg(behind).set_fg(color(tool, behind, view.theme.depth));
            cell.modifier = Modifier::empty();
        }
    }
}

/// The single colour that is nearest to a cell's content over a background, which the terminal may paint by itself.
fn behind(cell: &Cell, background: Rgb) -> Color {
    let glyph = cell.symbol().chars().next().unwrap_or(' ');
    let Some(covered) = glyph_shape::covered_fraction(glyph) else { return cell.bg };
    let under = if cell.bg == Color::Reset { Some(background) } else { rgb(cell.bg) };
    match (rgb(cell.fg), under) {
        (Some(fg), Some(bg)) if covered > 0.0 => Rgb::from_linear(mix(bg.linear(), fg.linear(), covered)).into(),
        _ if covered > 0.5 => cell.fg,
        _ => cell.bg,
    }
}

fn rgb(color: Color) -> Option<Rgb> {
    if let Color::Rgb(r, g, b) = color { Some(Rgb(r, g, b)) } else { None }
}

fn color(tool: PointerMode, behind: Color, depth: ColorDepth) -> Color {
    let light = rgb(behind).is_some_and(|behind| behind.oklab()[0] > LIGHT);
    let (on_dark, on_light) = match tool {
        PointerMode::Push => (Rgb::WHITE, Rgb::BLACK),
        PointerMode::Pull => (Rgb(255, 170, 240), Rgb(150, 0, 110)),
        PointerMode::Pour => (Rgb(150, 255, 140), Rgb(0, 100, 0)),
        PointerMode::Drain => (Rgb(255, 130, 100), Rgb(160, 20, 0)),
        PointerMode::Wall => (Rgb(255, 215, 90), Rgb(110, 80, 0)),
        PointerMode::Heat => (Rgb(255, 110, 40), Rgb(170, 50, 0)),
        PointerMode::Cool => (Rgb(120, 200, 255), Rgb(0, 70, 140)),
    };
    depth.nearest(if light { on_light } else { on_dark })
}
