//! The guests' hands over the picture: a small ring each, with a name, in the guest's colour.

use crate::app::input::tools::sign;
use crate::app::layers::OverlayTheme;
use crate::app::layers::key_pointer::cell_at;
use crate::app::shared_tank::guest::{GuestStatus, Hand};
use crate::cell::braille;
use crate::cell::color::{mix, xterm_rgb};
use crate::cell::glyph_shape::mean_color;
use crate::view::widget::text_over_fluid;
use crate::view::{Camera, ColorDepth, GlyphMode, Rgb};
use glam::Vec2;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier};
use ratatui::text::Line;

/// Radius of a ring, for a released and a pressed button, in cells across; half as many down.
const RADIUS: (f32, f32) = (1.9, 1.3);

const DOTS: u32 = 48;

/// OKLab lightness above which a background gets a darkened ring, and the fraction of its colour that the ring keeps.
const LIGHT: f32 = 0.72;
const DARKENED: f32 = 0.18;

/// The least difference in OKLab lightness between a ring or a name and its background; a background that differs less is dimmed
/// to this fraction of its light.
const MIN_CONTRAST: f32 = 0.22;
const MIN_TEXT_CONTRAST: f32 = 0.45;
const DIMMED: f32 = 0.3;

/// Draws the hands. `camera` shows the tank in the cells of `buf`; what lies outside is cut.
pub fn draw_hands(
    hands: impl Iterator<Item = Hand>,
    camera: &Camera,
    theme: &OverlayTheme,
    glyphs: GlyphMode,
    buf: &mut Buffer,
) {
    let fine = theme.unicode && !matches!(glyphs, GlyphMode::Ascii | GlyphMode::Half);
    for hand in hands {
        let at = camera.to_cell(hand.at);
        draw_ring(&hand, at, theme, fine, buf);
        draw_name(&hand, at, theme, buf);
    }
}

fn draw_ring(hand: &Hand, center: Vec2, theme: &OverlayTheme, fine: bool, buf: &mut Buffer) {
    let mut mark = |at: Vec2, sign: Option<char>| {
        let Some(cell) = cell_at(at, buf) else { return };
        // Without a sign it is a dot of the ring.
        let sign = sign.unwrap_or_else(|| braille::with_dot(cell.symbol().chars().next(), at.fract()));
        color(hand, theme, cell);
        cell.set_char(sign);
    };
    if fine {
        let across = if hand.held { RADIUS.1 } else { RADIUS.0 };
        let radius = Vec2::new(across, across / 2.0);
        for nth in 0..DOTS {
            mark(center + radius * Vec2::from_angle(std::f32::consts::TAU * nth as f32 / DOTS as f32), None);
        }
    } else {
        let side = Vec2::new(1.0, 0.0);
        mark(center - side, Some('('));
        mark(center + side, Some(')'));
    }
    if hand.held {
        mark(center, Some(sign(hand.tool)));
    }
}

fn color(hand: &Hand, theme: &OverlayTheme, cell: &mut Cell) {
    cell.modifier = Modifier::BOLD;
    if theme.depth == ColorDepth::Mono {
        (cell.fg, cell.bg) = (Color::Reset, Color::Reset);
        return;
    }
    // A cell with dots of a ring, no block, keeps the background that it got with the first dot.
    let ground = mean_color(cell, theme.background).unwrap_or_else(|| xterm_rgb(cell.bg, theme.background));
    let (fg, ground, is_light) = colors(hand, theme, ground, MIN_CONTRAST);
    (cell.fg, cell.bg) = (fg, theme.depth.nearest(ground));
    if cell.fg == cell.bg {
        // With sixteen colours, both might become the same.
        cell.bg = if is_light { Color::White } else { Color::Black };
    }
}

/// The colour of a ring or a name, the background with at least this contrast to it, and whether that background is light.
fn colors(hand: &Hand, theme: &OverlayTheme, ground: Rgb, min_contrast: f32) -> (Color, Rgb, bool) {
    let (lightness, own) = (ground.oklab()[0], hand.rgb());
    let dimmed = |rgb: Rgb, fraction: f32| Rgb::from_linear(mix([0.0; 3], rgb.linear(), fraction));
    if lightness > LIGHT {
        return (theme.depth.nearest(dimmed(own, DARKENED)), ground, true);
    }
    let is_near = own.oklab()[0] - lightness < min_contrast;
    (hand.ink(theme.depth), if is_near { dimmed(ground, DIMMED) } else { ground }, false)
}

/// Writes the name to the right of the ring, or to the left if there is no room.
fn draw_name(hand: &Hand, center: Vec2, theme: &OverlayTheme, buf: &mut Buffer) {
    let (area, name) = (buf.area, hand.name.as_str());
    let width = name.len() as f32;
    let inside = center.cmpge(Vec2::ZERO).all() && center.x < area.width.into() && center.y < area.height.into();
    if !inside {
        return;
    }
    let right = center.x.floor() + 3.0;
    let x = if right + width <= f32::from(area.width) { right } else { center.x.floor() - 2.0 - width };
    for (nth, letter) in name.chars().enumerate() {
        let at = x + nth as f32;
        if at < 0.0 {
            continue;
        }
        let Some(cell) = buf.cell_mut((at as u16, center.y as u16)) else { break };
        let under = text_over_fluid::dimmed(cell, theme.background);
        cell.reset();
        cell.set_char(letter);
        cell.modifier = Modifier::BOLD;
        if theme.depth == ColorDepth::Mono {
            cell.modifier |= Modifier::REVERSED;
            continue;
        }
        let (fg, ground, light) = colors(hand, theme, under.unwrap_or(theme.background), MIN_TEXT_CONTRAST);
        cell.fg = fg;
        cell.bg = match (theme.depth, light) {
            (ColorDepth::Ansi16, false) => Color::Black,
            (ColorDepth::Ansi16, true) => Color::White,
            _ => under.map_or(Color::Reset, |_| theme.depth.nearest(ground)),
        };
    }
}

/// Draws a box in the upper right corner with the guests, and each guest's frames, bytes and delay.
pub fn draw_roster(roster: &[GuestStatus], theme: &OverlayTheme, buf: &mut Buffer) {
    let bytes = |bytes: f32| match bytes {
        bytes if bytes < 999.5 => format!("{bytes:.0}"),
        bytes if bytes < 99_950.0 => format!("{:.1}k", bytes / 1e3),
        _ => format!("{:.0}k", bytes / 1e3),
    };
    let widest = roster.iter().map(|guest| guest.name.as_str().len()).max().unwrap_or(0).max(5);
    let row =
        |name: &str, frames: &str, sent: &str, delay: &str| format!("{name:<widest$} {frames:>8} {sent:>7} {delay:>7}");
    let mut lines = vec![Line::styled(row("guest", "frames/s", "bytes/s", "delay"), theme.faint)];
    for guest in roster {
        let delay = guest.link.delay.map_or_else(|| "-".to_owned(), |delay| format!("{:.0} ms", 1e3 * delay));
        let text = row(guest.name.as_str(), &format!("{:.0}", guest.link.frames), &bytes(guest.link.bytes), &delay);
        lines.push(Line::styled(text, theme.text));
    }
    let room = usize::from(buf.area.height.saturating_sub(2)).max(1);
    if lines.len() > room {
        let hidden = lines.len() + 1 - room;
        lines.truncate(room.saturating_sub(1));
        lines.push(Line::styled(format!("and {hidden} more"), theme.faint));
    }
    let width = (widest as u16 + 27).min(buf.area.width);
    let area = Rect::new(buf.area.right() - width, buf.area.y, width, lines.len() as u16 + 2);
    let title = if roster.len() == 1 { "1 guest".to_owned() } else { format!("{} guests", roster.len()) };
    theme.boxed(&title, lines, area, buf);
}
