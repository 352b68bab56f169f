//! The status row at the foot of the window: all short messages of the app, in one line and one style.
//!
//! An item is an entry of `ITEMS`: it returns its text, or nothing. Their order is that of the row. Where the row is too
//! narrow for all, items are shortened, and then the last ones are left out.

use crate::app::action::{Action, PointerMode};
use crate::app::overlay::state::Overlay;
use crate::app::overlay::view::OverlayView;
use ratatui_core::buffer::Buffer;
use ratatui_core::text::Line;
use std::f32::consts::FRAC_PI_4;
use textwrap::WordSplitter;

/// Cells of the level indicator's tube; odd, so that it has a middle.
const TUBE: u16 = 9;

/// How much an item may say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Room {
    Plenty,
    Little,
}

/// An item of the row.
type Item = fn(&Overlay, &OverlayView, Room) -> Option<String>;

/// All items, the most important first.
const ITEMS: [Item; 6] = [resting, paused, speed, tool, message, level];

/// Draws the row. A message that does not fit beside the others stands above them, in as many lines as it needs: a share
/// code or a path is shown whole.
pub fn draw(overlay: &mut Overlay, view: &OverlayView, buf: &mut Buffer) {
    if overlay.idle_play {
        return;
    }
    let area = view.camera.area();
    let columns = usize::from(area.width.saturating_sub(2)).max(1);
    let fits = |row: &str| Line::raw(row).width() <= columns;
    let separator = if view.theme.unicode { " · " } else { " | " };
    let row = |room, without: Option<Item>| {
        let items = ITEMS.into_iter().filter(|item| without.is_none_or(|other| !std::ptr::fn_addr_eq(*item, other)));
        items.filter_map(|item| item(overlay, view, room)).collect::<Vec<_>>()
    };
    let whole = [Room::Plenty, Room::Little].into_iter().map(|room| row(room, None).join(separator));
    let mut lines = match whole.into_iter().find(|row| fits(row)) {
        Some(row) => vec![row],
        None => {
            // A hyphen in a code or a path is a letter like any other.
            let options = textwrap::Options::new(columns).word_splitter(WordSplitter::NoHyphenation);
            let text = message(overlay, view, Room::Little).unwrap_or_default();
            let mut lines: Vec<String> =
                textwrap::wrap(&text, options).into_iter().map(std::borrow::Cow::into_owned).collect();
            let mut items = row(Room::Little, Some(message));
            while items.len() > 1 && !fits(&items.join(separator)) {
                items.pop();
            }
            lines.push(items.join(separator));
            lines
        }
    };
    lines.retain(|line| !line.is_empty());
    let first = area.bottom().saturating_sub(lines.len() as u16).max(area.y);
    for (y, line) in (first..area.bottom()).zip(&lines) {
        view.theme.line(line, false, area, y, buf);
    }
}

/// The simulation is stopped although it was not paused.
fn resting(_: &Overlay, view: &OverlayView, _: Room) -> Option<String> {
    view.resting.then(|| "resting until a key is pressed".to_owned())
}

fn paused(_: &Overlay, view: &OverlayView, _: Room) -> Option<String> {
    view.tank.clock.paused().then(|| "paused".to_owned())
}

/// The speed, while it is not that of real time, and when it has just been changed.
fn speed(overlay: &Overlay, view: &OverlayView, _: Room) -> Option<String> {
    let speed = view.tank.clock.speed();
    (speed != 1.0 || overlay.speed_shown()).then(|| format!("speed {speed}x"))
}

/// What the left button does, while that is not to push; and all that it can do, with the keys, when the tool has just
/// been changed.
fn tool(overlay: &Overlay, view: &OverlayView, room: Room) -> Option<String> {
    let tools = &view.input.tools;
    let label = tools.label(&view.tank.world);
    if overlay.brush_shown() && room == Room::Plenty {
        let key = |action| {
            view.options.controls.keymap.combos(action).next().map_or_else(String::new, |key| format!("{key} "))
        };
        let fluid = format!(" ({}next)", key(Action::NextFluid));
        let entry = |tool: PointerMode| match tool == tools.selected() {
            true => {
                format!("[{}{label}{}]", key(Action::Tool(tool)), if tool == PointerMode::Pour { &fluid } else { "" })
            }
            false => format!("{}{}", key(Action::Tool(tool)), tool.name()),
        };
        return Some(PointerMode::ALL.map(entry).join("  "));
    }
    (overlay.brush_shown() || tools.selected() != PointerMode::Push).then_some(label)
}

fn message(overlay: &Overlay, _: &OverlayView, room: Room) -> Option<String> {
    let text = if room == Room::Plenty { overlay.message() } else { overlay.short_message() };
    text.map(str::to_owned)
}

/// A marble in a tube runs to the lower side, and an arrow points where gravity does. Shown while gravity is turned, and
/// for a moment longer.
fn level(overlay: &Overlay, view: &OverlayView, room: Room) -> Option<String> {
    let target = view.tank.world.tilt_target();
    let shown = overlay.tilt_shown() || target != crate::app::action::tilt::upright(target);
    shown.then(|| level_text(view.tank.world.tilt(), room, view.theme.unicode))
}

/// The level, in plenty of room or in little.
pub fn level_of(tilt: f32, wide: bool, unicode: bool) -> String {
    level_text(tilt, if wide { Room::Plenty } else { Room::Little }, unicode)
}

fn level_text(tilt: f32, room: Room, unicode: bool) -> String {
    let (marble, rail, arrows) = if unicode {
        ('●', '─', ['↓', '↘', '→', '↗', '↑', '↖', '←', '↙'])
    } else {
        ('o', '-', ['v', '\\', '>', '/', '^', '\\', '<', '/'])
    };
    let octant = (tilt / FRAC_PI_4).round().rem_euclid(8.0) as usize % 8;
    let degrees = (tilt.to_degrees() + 180.0).rem_euclid(360.0) - 180.0;
    let angle = format!("{} {:3.0}{}", arrows[octant], degrees.abs(), if unicode { "°" } else { "" });
    if room == Room::Little {
        return angle;
    }
    let middle = f32::from(TUBE / 2);
    let place = (middle + middle * tilt.sin()).round() as u16;
    let tube: String = (0..TUBE).map(|cell| if cell == place { marble } else { rail }).collect();
    format!("({tube}) {angle}")
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
            assert_eq!(level_text((degrees as f32).to_radians(), Room::Plenty, unicode), expected);
        }
    }
}
