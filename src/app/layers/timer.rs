//! Timers of items that disappear by themselves.

use std::time::Duration;

#[derive(Clone, Copy, Debug, Default)]
pub struct Timer(Duration);

impl Timer {
    pub fn start(&mut self, duration: Duration) {
        self.0 = duration;
    }

    pub fn extend(&mut self, duration: Duration) {
        self.0 = self.0.max(duration);
    }

    pub fn left(&self) -> Option<Duration> {
        self.is_running().then_some(self.0)
    }

    pub fn is_running(&self) -> bool {
        !self.0.is_zero()
    }

    pub fn advance(&mut self, elapsed: Duration) -> bool {
        let was_running = self.is_running();
        self.0 = self.0.saturating_sub(elapsed);
        was_running && !self.is_running()
    }
}
