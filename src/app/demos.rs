//! The demo in place of scenes, and the end of the app, which may wait for it.

use crate::app::action::Action;
use crate::app::demo::Demo;
use crate::app::demo::timer::TimerDemo;
use crate::app::{App, Request};
use crate::cell::color::TerminalColors;
use std::time::Duration;

/// Upper limit on the time that flowing back delays the end: its steps at full speed, and a margin.
const LEAVING: Duration = Duration::from_secs(3);

impl App {
    pub(super) fn show_time(&mut self, time: Action) {
        let Some(demo) = &mut self.tank.demo else { return };
        let digits = demo.timer().and_then(TimerDemo::digits);
        demo.show_time(time);
        self.picture.stale |= demo.timer().and_then(TimerDemo::digits) != digits;
    }

    pub(super) fn set_terminal_colors(&mut self, colors: &TerminalColors) {
        if let Some(demo) = &mut self.tank.demo {
            demo.set_terminal_colors(colors);
        }
    }

    /// Melts words, or shows the time left.
    pub(super) fn melt(&mut self) {
        if let Some(timer) = self.tank.demo.as_mut().and_then(Demo::timer_mut) {
            return self.overlay.status.show_message(timer.toggle_digits());
        }
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

    pub(super) fn quit_at_end(&mut self, elapsed: Duration) {
        if let Some(timer) = self.tank.demo.as_mut().and_then(Demo::timer_mut) {
            if std::mem::take(&mut timer.rings) {
                self.request = Some(Request::Ring);
            }
            if timer.has_ended() {
                self.request = Some(Request::Quit);
            }
        }
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
