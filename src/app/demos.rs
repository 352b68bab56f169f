//! The demo that plays in place of scenes, and the end of the app, which may wait for it.

use crate::app::{App, Request};
use std::time::Duration;

/// Upper limit on the time that flowing back delays the end: its steps at full speed, and a margin. Those of a page of
/// 1000×500 cells, which is half a million particles, took over a minute.
const LEAVING: Duration = Duration::from_secs(3);

impl App {
    pub(super) fn tell(&mut self, seconds: u32) {
        if let Some(act) = &mut self.tank.demo {
            act.tell(seconds);
        }
    }

    pub(super) fn melt(&mut self) {
        let done = self.tank.demo.as_mut().and_then(|act| act.toggle(&mut self.tank.world));
        self.overlay.show_message(done.unwrap_or("nothing here is held in a shape"));
    }

    /// Ends, once everything has flowed back that can; at once if that is asked for again.
    pub(super) fn quit(&mut self) {
        let flowing = self.tank.demo.as_mut().is_some_and(|act| act.leave(&mut self.tank.world));
        if !flowing {
            self.request = Some(Request::Quit);
        } else if self.tank.clock.paused() {
            self.tank.clock.toggle_pause();
        }
    }

    pub(super) fn end_if_left(&mut self, elapsed: Duration) {
        let Some(act) = &self.tank.demo else { return };
        if act.is_leaving() {
            self.tank.leaving += elapsed;
        }
        if act.has_left(&self.tank.world) || self.tank.leaving > LEAVING {
            self.request = Some(Request::Quit);
        }
    }
}
