//! A limit on how often the whole picture may change at once. WCAG 2.3.1 allows three flashes a second; a flash is a change and
//! its reversal. A token bucket allows three changes at once, and another every [`PERIOD`]: at most two and a half flashes in any
//! second. Palettes change slowly and are not limited.

use crate::app::action::Action;
use std::time::Duration;

const PERIOD: Duration = Duration::from_millis(400);

const CAPACITY: u32 = 3;

#[derive(Clone, Debug)]
pub struct FlashLimiter {
    tokens: Duration,
}

impl Default for FlashLimiter {
    fn default() -> Self {
        Self { tokens: PERIOD * CAPACITY }
    }
}

impl FlashLimiter {
    pub fn advance(&mut self, elapsed: Duration) {
        self.tokens = (self.tokens + elapsed).min(PERIOD * CAPACITY);
    }

    /// Whether an Action is allowed now. A change of the whole picture takes a token.
    pub fn allows(&mut self, action: Action) -> bool {
        use Action::*;
        if !matches!(action, NextScene | PreviousScene | SetScene(_) | Choose | Reset | NextColorBy) {
            return true;
        }
        let left = self.tokens.checked_sub(PERIOD);
        self.tokens = left.unwrap_or(self.tokens);
        left.is_some()
    }
}
