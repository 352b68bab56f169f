//! The hint: the first keys, as one dim line at the top of the window.

use crate::app::action::help;
use crate::app::layers::{Layer, OverlayView, Timer};
use ratatui::buffer::Buffer;
use ratatui::text::Line;
use std::time::Duration;

/// Duration of the hint at the start, and after a key without an Action.
pub const AT_START: Duration = Duration::from_secs(6);
pub const AFTER_UNKNOWN_KEY: Duration = Duration::from_secs(3);

#[derive(Clone, Debug, Default)]
pub struct Hint {
    pub shown: Timer,
}

impl Layer for Hint {
    fn draw(&mut self, view: &OverlayView, buf: &mut Buffer) {
        if !self.shown.is_running() {
            return;
        }
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

    fn vanishes_in(&self) -> Option<Duration> {
        self.shown.left()
    }

    fn advance(&mut self, elapsed: Duration) -> bool {
        self.shown.advance(elapsed)
    }
}
