//! How long something stays before it disappears by itself.

use std::time::Duration;

/// The time for which something is still shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timer(Duration);

impl Timer {
    /// Starts anew.
    pub fn start(&mut self, duration: Duration) {
        self.0 = duration;
    }

    /// Goes on for at least that long.
    pub fn extend(&mut self, duration: Duration) {
        self.0 = self.0.max(duration);
    }

    pub fn is_running(&self) -> bool {
        !self.0.is_zero()
    }

    /// Lets time pass; returns whether it has run out by that.
    pub fn advance(&mut self, elapsed: Duration) -> bool {
        let was_running = self.is_running();
        self.0 = self.0.saturating_sub(elapsed);
        was_running && !self.is_running()
    }
}
