//! Real time in, fixed steps out. The clock is a plain value without an `Instant`, so tests and recordings can drive it.

use std::time::Duration;

/// Seconds of simulated time in one fixed step.
pub const STEP: f32 = 1.0 / 60.0;

/// Upper limit on the real time that one frame simulates. A laptop that slept must not catch up for an hour.
pub const MAX_FRAME: Duration = Duration::from_millis(250);

/// Slowest and fastest speed, as multiples of real time.
pub const SPEEDS: std::ops::RangeInclusive<f32> = 1.0 / 16.0..=4.0;

defaults! {
    /// Accumulates real time and returns it in whole steps.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Clock {
        accumulator: f64 = 0.0;
        speed: f32 = 1.0;
        paused: bool = false;
    }
}

impl Clock {
    /// Returns the number of steps that are due after `elapsed` real time: none while paused, at most those of [`MAX_FRAME`].
    pub fn advance(&mut self, elapsed: Duration) -> u32 {
        if self.paused {
            return 0;
        }
        let step = f64::from(STEP);
        self.accumulator += elapsed.min(MAX_FRAME).as_secs_f64() * f64::from(self.speed);
        // A small tolerance, so that sixty frames of 1/60 s are sixty steps despite rounding.
        let due = (self.accumulator / step + 1e-6).floor();
        self.accumulator = (self.accumulator - due * step).max(0.0);
        due as u32
    }

    /// Drops accumulated time that could not be simulated, so that a slow machine runs late instead of freezing.
    pub fn drop_backlog(&mut self) {
        self.accumulator = 0.0;
    }

    /// Simulated seconds per second of real time.
    pub fn speed(&self) -> f32 {
        self.speed
    }

    /// Sets the speed as a multiple of real time, clamped to [`SPEEDS`].
    pub fn set_speed(&mut self, speed: f32) {
        if speed.is_finite() {
            self.speed = speed.clamp(*SPEEDS.start(), *SPEEDS.end());
        }
    }

    /// Whether it is paused.
    pub fn paused(&self) -> bool {
        self.paused
    }

    /// Pauses or resumes.
    pub fn toggle_pause(&mut self) {
        self.paused = !self.paused;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_follow_real_time_whatever_the_frame_rate() {
        for frames in [15u32, 30, 60, 144] {
            let mut clock = Clock::default();
            let steps: u32 = (0..frames * 10).map(|_| clock.advance(Duration::from_secs(1) / frames)).sum();
            assert!((599..=600).contains(&steps), "{frames} frames a second gave {steps} steps in ten seconds");
        }
    }

    #[test]
    fn a_long_pause_counts_as_a_quarter_second() {
        assert_eq!(Clock::default().advance(Duration::from_secs(3600)), 15);
    }

    #[test]
    fn a_paused_clock_does_not_catch_up() {
        let mut clock = Clock::default();
        clock.toggle_pause();
        assert_eq!(clock.advance(Duration::from_millis(200)), 0);
        clock.toggle_pause();
        assert_eq!(clock.advance(Duration::from_millis(10)), 0);
    }

    #[test]
    fn speed_scales_and_is_clamped() {
        let mut clock = Clock::default();
        clock.set_speed(2.0);
        assert_eq!(clock.advance(Duration::from_millis(100)), 12);
        clock.set_speed(f32::NAN);
        assert_eq!(clock.speed(), 2.0);
        clock.set_speed(1e9);
        assert_eq!(clock.speed(), *SPEEDS.end());
    }
}
