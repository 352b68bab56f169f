//! The quality ladder: the order in which quality is reduced on a slow link.
//!
//! First, [`RateController`](crate::term::encoder::rate_control) raises λ until a frame fits its budget. When errors are visible,
//! the frame rate falls: 60, 30, 15 per second. Last, when λ has been near its maximum for seconds, colours are reduced, and only
//! to 256. Levels are restored in the opposite order, after a longer time.

use crate::cell::color::ColorDepth;
use std::time::{Duration, Instant};

const LEVELS: [(f64, ColorDepth); 4] = [
    (60., ColorDepth::TrueColor),
    (30., ColorDepth::TrueColor),
    (15., ColorDepth::TrueColor),
    (15., ColorDepth::Ansi256),
];
const FIRST_REDUCED_COLOR: usize = 3;
/// A λ with visible errors: colours may be off by about √(16384 · 20 / 128 / 3) = 29 of 255.
const VISIBLE_LAMBDA: u32 = 1 << 14;
/// Half of the maximum of λ.
const SATURATED_LAMBDA: u32 = 1 << 19;
/// Factor by which λ must be below the limit before a level is restored: one level up halves the budget, so λ becomes four times
/// as high.
const RECOVERY_FACTOR: u32 = 16;
/// Time for which λ must be too high before quality falls by a level.
const DEGRADE_AFTER: Duration = Duration::from_millis(400);
const RECOVER_AFTER: Duration = Duration::from_millis(2500);
/// Longer than a splash that fills the screen.
const REDUCE_COLOR_AFTER: Duration = Duration::from_secs(5);

#[derive(Debug, Default)]
pub struct QualityLadder {
    pub level: usize,
    /// λ has been too high since then; and low enough.
    high_since: Option<Instant>,
    low_since: Option<Instant>,
}

impl QualityLadder {
    pub fn fps(&self) -> f64 {
        LEVELS[self.level].0
    }

    pub fn depth(&self) -> ColorDepth {
        LEVELS[self.level].1
    }

    pub fn record(&mut self, lambda: u32, now: Instant) {
        // The highest λ at which a level is kept.
        let most = |level: usize| if level + 1 < FIRST_REDUCED_COLOR { VISIBLE_LAMBDA } else { SATURATED_LAMBDA };
        let (down, up) = (lambda > most(self.level), self.level > 0 && lambda < most(self.level - 1) / RECOVERY_FACTOR);
        self.high_since = down.then(|| self.high_since.unwrap_or(now));
        self.low_since = up.then(|| self.low_since.unwrap_or(now));
        let lasting =
            |since: Option<Instant>, time| since.is_some_and(|since| now.saturating_duration_since(since) >= time);
        let delay = if self.level + 1 < FIRST_REDUCED_COLOR { DEGRADE_AFTER } else { REDUCE_COLOR_AFTER };
        if lasting(self.high_since, delay) {
            self.step_to((self.level + 1).min(LEVELS.len() - 1));
        } else if lasting(self.low_since, RECOVER_AFTER) {
            self.step_to(self.level - 1);
        }
    }

    fn step_to(&mut self, level: usize) {
        *self = Self { level, ..Self::default() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records frames at a constant λ for `seconds` seconds. Returns the frame rates and depths, without repetitions.
    fn run(ladder: &mut QualityLadder, clock: &mut Instant, seconds: u32, lambda: u32) -> Vec<(f64, ColorDepth)> {
        let mut seen = vec![(ladder.fps(), ladder.depth())];
        for _ in 0..seconds * 15 {
            *clock += Duration::from_secs(1) / 15;
            ladder.record(lambda, *clock);
            seen.push((ladder.fps(), ladder.depth()));
        }
        seen.dedup();
        seen
    }

    #[test]
    fn frames_get_rarer_before_colours_get_coarser_and_all_comes_back() {
        let (mut ladder, mut clock) = (QualityLadder::default(), Instant::now());
        assert_eq!(run(&mut ladder, &mut clock, 5, 600), LEVELS[..1], "at a low max_lambda nothing is given up");
        assert_eq!(
            run(&mut ladder, &mut clock, 5, VISIBLE_LAMBDA * 2),
            LEVELS[..3],
            "colours are worth more than that"
        );
        assert_eq!(run(&mut ladder, &mut clock, 20, SATURATED_LAMBDA / 2), LEVELS[2..3], "λ has room to rise");
        assert_eq!(run(&mut ladder, &mut clock, 4, SATURATED_LAMBDA * 2), LEVELS[2..3], "that may pass");
        assert_eq!(run(&mut ladder, &mut clock, 4, SATURATED_LAMBDA * 2), LEVELS[2..]);
        assert_eq!(run(&mut ladder, &mut clock, 20, SATURATED_LAMBDA / 4), LEVELS[3..], "colours do not come and go");
        let back: Vec<_> = LEVELS.into_iter().rev().collect();
        assert_eq!(run(&mut ladder, &mut clock, 15, 0), back);
    }

    #[test]
    fn short_peaks_change_nothing() {
        let (mut ladder, mut clock) = (QualityLadder::default(), Instant::now());
        for _ in 0..50 {
            run(&mut ladder, &mut clock, 0, SATURATED_LAMBDA * 2);
            clock += Duration::from_millis(100);
            ladder.record(SATURATED_LAMBDA * 2, clock);
            clock += Duration::from_millis(100);
            ladder.record(600, clock);
        }
        assert_eq!(ladder.fps(), 60.);
    }
}
