use std::time::Instant;

/// Upper limit on actions a second, and at once. Dragging the mouse sends at most one for each step, 60 a second.
pub const ACTIONS: f32 = 120.0;
const BURST: f32 = 240.0;

/// Dropped actions after which a guest is disconnected; the count falls at the rate of [`ACTIONS`].
const PATIENCE: f32 = 2000.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowance {
    Allowed,
    Dropped,
    Exceeded,
}

#[derive(Clone, Copy, Debug)]
pub struct RateLimit {
    tokens: f32,
    dropped: f32,
    last: Instant,
}

impl RateLimit {
    pub fn new(now: Instant) -> Self {
        Self { tokens: BURST, dropped: 0.0, last: now }
    }

    pub fn take(&mut self, now: Instant) -> Allowance {
        let earned = now.saturating_duration_since(self.last).as_secs_f32() * ACTIONS;
        self.last = now;
        self.tokens = (self.tokens + earned).min(BURST);
        self.dropped = (self.dropped - earned).max(0.0);
        if self.tokens >= 1.0 {
            self.tokens -= 1.0;
            return Allowance::Allowed;
        }
        self.dropped += 1.0;
        if self.dropped > PATIENCE { Allowance::Exceeded } else { Allowance::Dropped }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_flood_is_dropped_and_then_disconnected_and_normal_use_is_not_limited() {
        let start = Instant::now();
        let mut hand = RateLimit::new(start);
        for nth in 0..6000 {
            assert_eq!(hand.take(start + Duration::from_millis(nth * 10)), Allowance::Allowed);
        }
        let mut flood = RateLimit::new(start);
        let taken: Vec<_> = (0..4000).map(|_| flood.take(start)).collect();
        assert_eq!(taken.iter().filter(|&&it| it == Allowance::Allowed).count(), BURST as usize);
        assert_eq!(taken.iter().position(|&it| it == Allowance::Exceeded), Some((BURST + PATIENCE) as usize));
    }
}
