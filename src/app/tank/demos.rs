//! The demo in place of scenes, and the end of the app, which may wait for it.

use crate::app::demo::{Demo, NOTHING_TO_MELT};
use crate::app::{App, Request};
use std::time::Duration;

/// Upper limit on the time that flowing back delays the end: its steps at full speed, and a margin.
const LEAVING: Duration = Duration::from_secs(3);

impl App {
    pub(in crate::app) fn melt(&mut self) {
        let demo = self.tank.demo.as_mut();
        let done = demo.map_or(NOTHING_TO_MELT, |demo| demo.toggle(&mut self.tank.world));
        self.overlay.status.show_message(done);
    }

    pub(in crate::app) fn quit(&mut self) {
        let words = self.tank.demo.as_mut().and_then(Demo::text);
        let flowing = words.is_some_and(|words| words.leave(&mut self.tank.world));
        if !flowing {
            self.request = Some(Request::Quit);
        } else if self.tank.clock.paused() {
            self.tank.clock.toggle_pause();
        }
    }

    pub(in crate::app) fn quit_at_end(&mut self, elapsed: Duration) {
        match &mut self.tank.demo {
            Some(Demo::Timer(timer)) => {
                if std::mem::take(&mut timer.rings) {
                    self.request = Some(Request::Ring);
                }
                if timer.has_ended() {
                    self.request = Some(Request::Quit);
                }
            }
            Some(Demo::Text(words)) => {
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
            Some(Demo::Clock(_)) | None => {}
        }
    }
}
