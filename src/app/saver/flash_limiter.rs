//! No flashing: how often the whole picture may change at once.
//!
//! WCAG 2.3.1 draws the line at three flashes a second, a flash being a change and its way back. A key that repeats
//! thirty times a second must not cross it, so what changes the whole picture is counted: three changes at once are fine,
//! and every [`PERIOD`] there is room for another. That makes five changes at most in any second, two and a half
//! flashes. Palettes need no counting; they go over slowly.

use crate::app::action::Action;
use std::time::Duration;

/// How long until there is room for one more change.
const PERIOD: Duration = Duration::from_millis(400);

/// How many changes there may be room for.
const MOST: u32 = 3;

/// How much room for changes there is.
#[derive(Clone, Debug)]
pub struct Steady {
    room: Duration,
}

impl Default for Steady {
    fn default() -> Self {
        Self { room: PERIOD * MOST }
    }
}

impl Steady {
    pub fn advance(&mut self, elapsed: Duration) {
        self.room = (self.room + elapsed).min(PERIOD * MOST);
    }

    /// Whether an Action may have its way. What changes the whole picture takes the room that it needs.
    pub fn admits(&mut self, action: Action) -> bool {
        use Action::*;
        if !matches!(action, NextScene | PreviousScene | Scene(_) | Reset | Drive) {
            return true;
        }
        let left = self.room.checked_sub(PERIOD);
        self.room = left.unwrap_or(self.room);
        left.is_some()
    }
}
