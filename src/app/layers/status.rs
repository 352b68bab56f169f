//! The status row: all short messages of the app, in one line and one style; and the hint, the first keys in one dim line at the
//! top. An item is an entry of `ITEMS`: it returns its text, or nothing. If the row is too narrow for all, items are shortened,
//! and then the last ones are left out.

use crate::app::action::{Action, PointerMode, help};
use crate::app::demo::timer::TimerDemo;
use crate::app::layers::{Layer, OverlayView, Timer};
use crate::app::tank::Source;
use crate::term::sanitize;
use ratatui::buffer::Buffer;
use ratatui::text::Line;
use std::f32::consts::FRAC_PI_4;
use std::time::Duration;
use textwrap::WordSplitter;

/// Cells of the level indicator's tube; odd, so that it has a middle.
const TUBE: u16 = 9;

/// Duration of the shortest message, and additional time for each character: of a sentence, which is read, and of a message with
/// a code or a path, which is copied.
const MESSAGE: Duration = Duration::from_millis(2000);
const READING: Duration = Duration::from_millis(20);
const COPYING: Duration = Duration::from_millis(200);
const MAX_QUEUED: usize = 4;
/// A word of this many characters is a code or a path.
const CODE_LENGTH: usize = 20;
/// Characters beyond these give a message no more time: half a minute is enough.
const MAX_TIMED: usize = 150;

/// Duration of the hint at the start, and after a key without an Action.
pub const HINT_AT_START: Duration = Duration::from_secs(6);
pub const HINT_AFTER_UNKNOWN_KEY: Duration = Duration::from_secs(3);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Room {
    Plenty,
    Little,
    /// Little, and the message is above the items.
    WithoutMessage,
}

type Item = fn(&StatusRow, &OverlayView, Room) -> Option<String>;

const ITEMS: [Item; 10] = [
    // The simulation is stopped although it was not paused.
    |_, view, _| view.resting.then(|| "resting until a key is pressed".to_owned()),
    |_, view, _| view.tank.clock.paused().then(|| "paused".to_owned()),
    speed,
    |_, view, _| view.tank.demo.as_ref()?.timer()?.line(),
    tool,
    message,
    level,
    invitation,
    |_, view, _| view.tank.feed.status(),
    demo_keys,
];

#[derive(Clone, Debug, Default)]
pub struct StatusRow {
    message: String,
    /// Length in bytes of the part of the message that is shown if there is little room.
    short: usize,
    message_shown: Timer,
    queue: Vec<String>,
    pub hint: Timer,
    pub tilt: Timer,
    pub speed: Timer,
    pub tools: Timer,
}

impl StatusRow {
    /// Shows a message for the time that it takes to read it, or to copy it if it contains a code.
    pub fn show_message(&mut self, message: impl Into<String>) {
        self.message = sanitize::message(&message.into());
        self.short = self.message.len();
        let code =
            self.message.split(' ').map(|word| word.chars().count()).filter(|&length| length >= CODE_LENGTH).max();
        let reading = READING * self.message.chars().count().min(MAX_TIMED) as u32;
        self.message_shown.start(MESSAGE + reading + COPYING * code.unwrap_or(0).min(MAX_TIMED) as u32);
    }

    /// The oldest that waits is dropped if there are too many, and one that is repeated is shown once.
    pub fn queue_message(&mut self, message: impl Into<String>) {
        let message = sanitize::message(&message.into());
        let last = self.queue.last().map(String::as_str).or(self.message());
        if last == Some(&*message) {
            return;
        }
        if !self.message_shown.is_running() {
            return self.show_message(message);
        }
        if self.queue.len() == MAX_QUEUED {
            self.queue.remove(0);
        }
        self.queue.push(message);
    }

    /// Shows the name of a scene and its description; only the name if there is little room.
    pub fn show_scene(&mut self, name: &str, about: &str) {
        self.show_message(if about.is_empty() { name.to_owned() } else { format!("{name}: {about}") });
        self.short = sanitize::message(name).len().min(self.message.len());
    }

    pub fn message(&self) -> Option<&str> {
        self.message_shown.is_running().then_some(&*self.message)
    }

    /// Time until a part of the overlay disappears by itself, if one will: nothing else in it does.
    pub fn vanishes_in(&self) -> Option<Duration> {
        [self.message_shown, self.hint, self.tilt, self.speed, self.tools].iter().filter_map(Timer::left).min()
    }

    /// Returns whether something has disappeared.
    pub fn advance(&mut self, elapsed: Duration) -> bool {
        let timers = [&mut self.message_shown, &mut self.hint, &mut self.tilt, &mut self.speed, &mut self.tools];
        let gone = timers.into_iter().fold(false, |gone, timer| timer.advance(elapsed) | gone);
        if !self.message_shown.is_running() && !self.queue.is_empty() {
            let next = self.queue.remove(0);
            self.show_message(next);
        }
        gone
    }
}

impl Layer for StatusRow {
    /// A message that does not fit beside the others is above them, in as many lines as it needs, so that a share code or a path
    /// is shown whole.
    fn draw(&mut self, view: &OverlayView, buf: &mut Buffer) {
        if self.hint.is_running() {
            draw_hint(view, buf);
        }
        let area = view.camera.area;
        let columns = usize::from(area.width.saturating_sub(2)).max(1);
        let fits = |row: &str| Line::raw(row).width() <= columns;
        let separator = if view.theme.unicode { " · " } else { " | " };
        let row = |room| ITEMS.into_iter().filter_map(|item| item(self, view, room)).collect::<Vec<_>>();
        let whole = [Room::Plenty, Room::Little].into_iter().map(|room| row(room).join(separator));
        let mut lines = match whole.into_iter().find(|row| fits(row)) {
            Some(row) => vec![row],
            None => {
                // Lines are not broken at the hyphens of a code or a path.
                let options = textwrap::Options::new(columns).word_splitter(WordSplitter::NoHyphenation);
                let text = message(self, view, Room::Little).unwrap_or_default();
                let mut lines: Vec<String> =
                    textwrap::wrap(&text, options).into_iter().map(std::borrow::Cow::into_owned).collect();
                let mut items = row(Room::WithoutMessage);
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
}

fn draw_hint(view: &OverlayView, buf: &mut Buffer) {
    let area = view.camera.area;
    let separator = if view.theme.unicode { " · " } else { " | " };
    let scenes = view.options.scenes.len() > 1 && view.tank.demo.is_none();
    let controls = &view.options.controls;
    let mut parts = help::hint(&controls.keymap, controls.mouse, scenes, view.theme.unicode);
    // The part about the mouse is left out first; the last, the key of the help, stays longest.
    while parts.len() > 1 && Line::raw(parts.join(separator)).width() + 2 > usize::from(area.width) {
        parts.remove(usize::from(parts.len() > 2));
    }
    let text = parts.join(separator);
    if Line::raw(&*text).width() <= usize::from(area.width) {
        view.theme.line(&text, true, area, area.y, buf);
    }
}

fn speed(status: &StatusRow, view: &OverlayView, _: Room) -> Option<String> {
    let speed = view.tank.clock.speed();
    (speed != 1.0 || status.speed.is_running()).then(|| format!("speed {speed}x"))
}

fn tool(status: &StatusRow, view: &OverlayView, room: Room) -> Option<String> {
    let tools = &view.input.tools;
    let label = tools.label(&view.tank.world);
    if !status.tools.is_running() {
        return None;
    }
    if room == Room::Plenty {
        let key = |action| {
            view.options.controls.keymap.combos(action).next().map_or_else(String::new, |key| format!("{key} "))
        };
        let fluid = format!(" ({}next)", key(Action::NextFluid));
        let entry = |tool: PointerMode| match tool == tools.selected {
            true => {
                format!("[{}{label}{}]", key(Action::Tool(tool)), if tool == PointerMode::Pour { &fluid } else { "" })
            }
            false => format!("{}{}", key(Action::Tool(tool)), tool.name()),
        };
        return Some(PointerMode::ALL.map(entry).join("  "));
    }
    Some(label)
}

fn message(status: &StatusRow, _: &OverlayView, room: Room) -> Option<String> {
    let text = status.message()?;
    match room {
        Room::Plenty => Some(text.to_owned()),
        Room::Little => Some(text[..status.short].to_owned()),
        Room::WithoutMessage => None,
    }
}

/// A marble in a tube that rolls to the lower side, and an arrow in the direction of gravity. Shown while gravity is
/// turned, and for a moment longer.
fn level(status: &StatusRow, view: &OverlayView, room: Room) -> Option<String> {
    let (tilt, target) = view.tank.tilt();
    let shown = status.tilt.is_running() || target != crate::app::input::tilt::upright(target);
    shown.then(|| level_text(tilt, room, view.theme.unicode))
}

fn demo_keys(_: &StatusRow, view: &OverlayView, _: Room) -> Option<String> {
    let controls = &view.options.controls;
    let demo = view.tank.demo.as_ref().filter(|_| controls.hint)?;
    let key = |action| controls.keymap.combos(action).next();
    if demo.timer().is_some_and(TimerDemo::is_beginning) {
        return Some(format!("{}: pause  {}: time left", key(Action::Pause)?, key(Action::Melt)?));
    }
    if demo.is_molten() { Some(format!("{}: flow back", key(Action::Melt)?)) } else { None }
}

fn invitation(_: &StatusRow, view: &OverlayView, _: Room) -> Option<String> {
    match &view.tank.source {
        Source::Remote(remote) => remote.invitation(),
        _ => None,
    }
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
    if room != Room::Plenty {
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
