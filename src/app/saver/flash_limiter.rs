//! A limit on how often the whole picture may change at once. WCAG 2.3.1 allows three flashes a second; a flash is a change and
//! its reversal. A token bucket allows three changes at once, and another every [`PERIOD`]: at most two and a half flashes in any
//! second. Palettes change slowly and are not limited.

use crate::app::action::Action;
use std::time::Duration;

const PERIOD: Duration = Duration::from_millis(400);

const CAPACITY: u32 = 3;

#[derive(Clone, Debug, Default)]
pub struct FlashLimiter {
    /// The time until the bucket is full.
    spent: Duration,
}

impl FlashLimiter {
    pub fn advance(&mut self, elapsed: Duration) {
        self.spent = self.spent.saturating_sub(elapsed);
    }

    /// Whether an Action is allowed now. A change of the whole picture takes a token.
    pub fn allows(&mut self, action: Action) -> bool {
        use Action::*;
        let is_change = matches!(action, NextScene | PreviousScene | SetScene(_) | Choose | Reset | NextColorBy);
        let is_allowed = !is_change || self.spent + PERIOD <= PERIOD * CAPACITY;
        self.spent += if is_change && is_allowed { PERIOD } else { Duration::ZERO };
        is_allowed
    }
}
