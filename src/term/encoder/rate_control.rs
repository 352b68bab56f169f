//! Rate control: λ from frame to frame.
//!
//! While the picture moves, an error that is invisible in motion is tolerated; a larger one only as far as a frame would not fit
//! the link. When the picture comes to rest λ falls to zero and the screen becomes exact.

use crate::term::encoder::RateTarget;
use crate::term::encoder::rate_distortion::THOROUGH_LAMBDA;

/// λ in motion where the link takes everything at once: colours may be off by about √(40 · 6 / 128 / 3) = 0.8 of 255 code values.
pub const LAMBDA_FINE: u32 = 40;
/// The highest λ in motion as long as frames fit their budget: colours may be off by some 2 of 255, which is just visible in a
/// smooth gradient.
pub const LAMBDA_ECONOMY: u32 = 260;
/// A frame may take 1/2 of its budget, the reciprocal of this, to be finer than [`LAMBDA_ECONOMY`].
const FINE_HEADROOM: usize = 2;
/// Consecutive frames that must take less than 1/[`QUICK_HEADROOM`] of that part of the budget before the encoder saves processor
/// time instead of bytes. A frame takes at most twice as many bytes then, so the controller does not oscillate.
const QUICK_AFTER_FRAMES: u32 = 30;
const QUICK_HEADROOM: usize = 4;
const MAX_LAMBDA: u32 = 1 << 20;
/// Consecutive unchanged frames before λ falls. Water that comes to rest stands still for a frame or two again and again, and
/// redrawing the whole picture exactly takes 2 to 6 KB at 80×24.
const REST_FRAMES: u32 = 16;
const LAMBDA_FIRST_FRAME: u32 = 1 << 17;

defaults! {
    pub struct RateController {
        lambda: u32 = LAMBDA_FINE;
        min_lambda: u32 = LAMBDA_FINE;
        budget: usize = usize::MAX;
        still_frames: u32 = 0;
        /// The link has so much room that processor time matters more than bytes.
        quick: bool = true;
        roomy_frames: u32 = 0;
    }
}

impl RateController {
    /// Coarse at first, so that the first frame shows all of the picture.
    pub fn for_unknown_link() -> Self {
        Self { lambda: LAMBDA_FIRST_FRAME, quick: false, ..Self::default() }
    }

    /// As on a link that frames just fit: λ in motion is at least [`LAMBDA_ECONOMY`].
    pub fn economical() -> Self {
        Self { lambda: LAMBDA_ECONOMY, min_lambda: LAMBDA_ECONOMY, quick: false, ..Self::default() }
    }

    /// The next frame should take at most `budget` bytes; its hard limit is 1.5 times that.
    pub fn target(&mut self, budget: usize) -> RateTarget {
        self.budget = budget;
        RateTarget { lambda: self.lambda, max_bytes: budget.saturating_add(budget / 2) }
    }

    /// `still`: the frame had the same target as the one before.
    pub fn record(&mut self, bytes: usize, still: bool) {
        self.still_frames = if still { self.still_frames.saturating_add(1) } else { 0 };
        if !still {
            self.lambda = self.lambda_in_motion(bytes);
        } else if bytes <= self.budget && self.still_frames >= REST_FRAMES {
            self.lambda /= 4;
        }
    }

    /// Fine while the budget is ample, up to [`LAMBDA_ECONOMY`] where a frame would take more than half of it, and higher where
    /// it would not fit.
    fn lambda_in_motion(&mut self, bytes: usize) -> u32 {
        let plenty = self.lambda_for(bytes, self.budget / FINE_HEADROOM).min(LAMBDA_ECONOMY);
        let wanted = self.lambda_for(bytes, self.budget).max(plenty);
        self.roomy_frames =
            if bytes < self.budget / FINE_HEADROOM / QUICK_HEADROOM { self.roomy_frames.saturating_add(1) } else { 0 };
        self.quick = match self.quick {
            true => bytes <= self.budget / FINE_HEADROOM,
            false => {
                self.min_lambda < THOROUGH_LAMBDA
                    && wanted <= THOROUGH_LAMBDA
                    && self.roomy_frames >= QUICK_AFTER_FRAMES
            }
        };
        if self.quick { self.min_lambda } else { wanted.clamp(self.min_lambda.max(THOROUGH_LAMBDA), MAX_LAMBDA) }
    }

    /// Bytes fall with about the root of λ, so λ changes by the squared ratio of bytes to budget, raised by a fifth so that
    /// frames end below the budget, and by a factor of 0.2 to 4 per frame against oscillation.
    fn lambda_for(&self, bytes: usize, budget: usize) -> u32 {
        let off = bytes as f64 / budget as f64;
        (f64::from(self.lambda.max(self.min_lambda)) * (off * off * 1.2).clamp(0.2, 4.)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_rest_it_falls_to_nothing() {
        let mut rate = RateController::default();
        (0..REST_FRAMES - 1).for_each(|_| rate.record(100, true));
        assert_eq!(rate.target(1000).lambda, LAMBDA_FINE, "a lull is no rest");
        (0..4).for_each(|_| rate.record(100, true));
        assert_eq!(rate.target(1000).lambda, 0);
        rate.record(100, false);
        assert_eq!(rate.target(usize::MAX).lambda, LAMBDA_FINE);
    }

    /// Returns the bytes and λ at which the controller settles, if bytes fall with the root of λ: 20 KB at λ = 280.
    fn settled(mut rate: RateController, budget: usize) -> (f64, u32) {
        let mut end = (0., 0);
        for _ in 0..60 {
            let lambda = rate.target(budget).lambda;
            end = (20_000. / (f64::from(lambda) / 280.).sqrt(), lambda);
            rate.record(end.0 as usize, false);
        }
        end
    }

    #[test]
    fn it_settles_where_frames_fit_the_budget() {
        let (bytes, _) = settled(RateController::default(), 1300);
        assert!((900. ..1400.).contains(&bytes), "{bytes}");
    }

    /// Returns λ of each frame, if frames are half as large again while the encoder saves processor time.
    fn prices(rate: &mut RateController, budget: usize, thorough: usize, frames: u32) -> Vec<u32> {
        let frame = |_| {
            let lambda = rate.target(budget).lambda;
            rate.record(if lambda < THOROUGH_LAMBDA { thorough * 3 / 2 } else { thorough }, false);
            lambda
        };
        (0..frames).map(frame).collect()
    }

    #[test]
    fn it_saves_time_where_there_is_room_and_bytes_where_there_is_not_and_does_not_waver() {
        let changes = |prices: &[u32]| {
            prices.windows(2).filter(|pair| (pair[0] < THOROUGH_LAMBDA) != (pair[1] < THOROUGH_LAMBDA)).count()
        };
        for frame in (1000..40_000).step_by(1000) {
            let mut rate = RateController::for_unknown_link();
            let prices = prices(&mut rate, 60_000, frame, 600);
            assert!(changes(&prices) <= 1, "{frame} bytes: it wavers");
            assert_eq!(prices.last() == Some(&LAMBDA_FINE), frame < 7500, "{frame} bytes of 60000");
        }
        let mut rate = RateController::default();
        assert_eq!(prices(&mut rate, 60_000, 9000, 10), [LAMBDA_FINE; 10], "what is quick stays so");
        assert_eq!(changes(&prices(&mut rate, 6000, 9000, 10)), 1, "until a link has no room for it, and then at once");
        assert!(
            prices(&mut rate, 60_000, 5000, QUICK_AFTER_FRAMES - 1).iter().all(|&price| price >= THOROUGH_LAMBDA),
            "a moment is no proof"
        );
    }

    #[test]
    fn lambda_is_low_on_a_fast_link_and_high_where_frames_just_fit() {
        assert_eq!(settled(RateController::for_unknown_link(), 1_000_000).1, LAMBDA_FINE);
        assert_eq!(settled(RateController::for_unknown_link(), 26_000).1, LAMBDA_ECONOMY);
        assert!(
            (THOROUGH_LAMBDA..LAMBDA_ECONOMY - 50).contains(&settled(RateController::for_unknown_link(), 70_000).1)
        );
        assert_eq!(settled(RateController::economical(), 1_000_000).1, LAMBDA_ECONOMY);
    }
}
