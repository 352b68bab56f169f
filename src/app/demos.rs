//! The demo in place of scenes, and the end of the app, which may wait for it.

use crate::app::demo::Demo;
use crate::app::{App, Request};
use crate::cell::color::TerminalColors;
use std::time::Duration;

/// Upper limit on the time that flowing back delays the end: its steps at full speed, and a margin.
const LEAVING: Duration = Duration::from_secs(3);

impl App {
    pub(super) fn set_wall_clock(&mut self, seconds: u32) {
        if let Some(demo) = &mut self.tank.demo {
            demo.set_time(seconds);
        }
    }

    pub(super) fn set_terminal_colors(&mut self, colors: &TerminalColors) {
        if let Some(demo) = &mut self.tank.demo {
            demo.set_terminal_colors(colors);
        }
    }

    pub(super) fn melt(&mut self) {
        let words = self.tank.demo.as_mut().and_then(Demo::text_mut);
        let done = words.map_or("nothing here can melt", |words| words.toggle(&mut self.tank.world));
        self.overlay.status.show_message(done);
    }

    pub(super) fn quit(&mut self) {
        let words = self.tank.demo.as_mut().and_then(Demo::text_mut);
        let flowing = words.is_some_and(|words| words.leave(&mut self.tank.world));
        if !flowing {
            self.request = Some(Request::Quit);
        } else if self.tank.clock.paused() {
            self.tank.clock.toggle_pause();
        }
    }

    pub(super) fn quit_when_flowed_back(&mut self, elapsed: Duration) {
        let Some(words) = self.tank.demo.as_mut().and_then(Demo::text_mut) else { return };
        if words.is_leaving() {
            self.tank.leaving += elapsed;
        }
        let late = self.tank.leaving > LEAVING;
        if late && !words.has_left() {
            self.tank.world.settle_at_targets();
            self.picture.stale = true;
        }
        if late || words.has_left() {
            self.request = Some(Request::Quit);
        }
    }
}
