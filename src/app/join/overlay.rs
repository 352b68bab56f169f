//! The overlay of a guest's session: hint, messages, the level, the tool, the list of guests, the help.

use crate::app::action::{Direction, PointerMode, help};
use crate::app::join::GuestSession;
use crate::app::overlay::OverlayTheme;
use crate::app::overlay::help::draw_help;
use crate::app::overlay::hint::{AFTER_UNKNOWN_KEY, AT_START, draw_hint};
use crate::app::overlay::status::level_of;
use crate::app::shared_tank::hands_layer::draw_roster;
use std::time::Duration;

/// How long a message stays, and the level and the tool after a change.
const MESSAGE: Duration = Duration::from_secs(4);
const SHORT: Duration = Duration::from_secs(2);

/// Upper limit on waiting messages; the oldest are dropped.
const MAX_MESSAGES: usize = 4;

/// What is open, and for how long.
#[derive(Debug, Default)]
pub struct GuestOverlay {
    pub help: bool,
    scroll: u16,
    pub stats: bool,
    hint: Duration,
    messages: Vec<String>,
    message_left: Duration,
    level: Duration,
    tool: Duration,
}

impl GuestOverlay {
    /// Shows a line, which may come from the host.
    pub fn say(&mut self, line: impl Into<String>) {
        let line = crate::term::sanitize::message(&line.into());
        // A held key or button may be refused in every step: the message is shown once.
        if self.messages.last() == Some(&line) {
            return;
        }
        if self.messages.is_empty() {
            self.message_left = MESSAGE;
        }
        if self.messages.len() == MAX_MESSAGES {
            self.messages.remove(1);
        }
        self.messages.push(line);
    }

    pub fn show_hint(&mut self) {
        self.hint = AT_START;
    }

    pub fn show_hint_again(&mut self, wanted: bool) {
        if wanted {
            self.hint = self.hint.max(AFTER_UNKNOWN_KEY);
        }
    }

    pub fn show_tilt(&mut self) {
        self.level = SHORT;
    }

    pub fn show_tool(&mut self) {
        self.tool = SHORT;
    }

    pub fn toggle_help(&mut self) {
        (self.help, self.scroll) = (!self.help, 0);
    }

    pub fn scroll(&mut self, side: Direction) {
        self.scroll = match side {
            Direction::Up => self.scroll.saturating_sub(1),
            Direction::Down => self.scroll.saturating_add(1),
            Direction::Left => self.scroll.saturating_sub(10),
            Direction::Right => self.scroll.saturating_add(10),
        };
    }

    /// Time until the next text disappears, if any is shown.
    pub fn vanishes_in(&self) -> Option<Duration> {
        let left = [self.hint, self.message_left, self.level, self.tool];
        left.into_iter().filter(|left| !left.is_zero()).min()
    }

    /// Advances the timers. Returns whether something has disappeared.
    pub fn advance(&mut self, elapsed: Duration) -> bool {
        let mut changed = false;
        for left in [&mut self.hint, &mut self.message_left, &mut self.level, &mut self.tool] {
            let was_shown = !left.is_zero();
            *left = left.saturating_sub(elapsed);
            changed |= was_shown && left.is_zero();
        }
        if self.message_left.is_zero() && !self.messages.is_empty() {
            self.messages.remove(0);
            self.message_left = if self.messages.is_empty() { Duration::ZERO } else { MESSAGE };
            changed = true;
        }
        changed
    }
}

impl GuestSession {
    /// Draws the overlay over the frame.
    pub(super) fn draw_overlay(&mut self) {
        let palette = self.config.look.palette.clone().unwrap_or_default();
        let told = self.terminal.background.map_or(crate::view::Rgb::BLACK, |[r, g, b]| crate::view::Rgb(r, g, b));
        let (background, _) = self.config.look.background.on(told).resolve(&palette);
        let (unicode, depth) = (self.terminal.unicode, self.terminal.depth);
        let theme = OverlayTheme::new(self.config.look.overlay, background, depth, unicode);
        let separator = if unicode { " · " } else { " | " };
        let buf = &mut self.shown;
        let area = buf.area;
        if area.is_empty() {
            return;
        }
        if !self.overlay.hint.is_zero() && self.status.aspect > 0.0 {
            let parts =
                help::hint(&self.config.controls.keymap, self.config.controls.mouse, self.scenes.len() > 1, unicode);
            draw_hint(parts, separator, &theme, area, buf);
        }
        if self.overlay.stats {
            draw_roster(&self.roster, &theme, buf);
        }
        let tool = self.input.tools.selected();
        let shows_tool = !self.overlay.tool.is_zero() || tool != PointerMode::Push;
        let shows_level = !self.overlay.level.is_zero() || self.status.tilt != 0.0;
        let wide = area.width >= 40;
        let is_alone = self.status.guests <= 1;
        let row = [
            self.config.invitation.as_ref().filter(|_| is_alone).map(|command| format!("others join with {command}")),
            shows_tool.then(|| tool.name().to_owned()),
            self.overlay.messages.first().cloned(),
            shows_level.then(|| level_of(self.status.tilt, wide, unicode)),
        ];
        let row: Vec<String> = row.into_iter().flatten().collect();
        if !row.is_empty() {
            theme.line(&row.join(separator), false, area, area.bottom() - 1, buf);
        }
        if self.overlay.help {
            let release = self.terminal.key_release;
            draw_help(&self.config.controls.keymap, release, &mut self.overlay.scroll, &theme, buf);
        }
    }
}
