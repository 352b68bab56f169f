//! How exact the screen has to be: λ, from frame to frame.
//!
//! While things move, an error that nobody sees in motion saves most bytes; more than that is allowed only as far as
//! the frame would not fit the link otherwise. When the picture comes to rest λ falls to zero, so what is shown
//! becomes exact, and then nothing is left to send.

use crate::term::encoder::RateTarget;
use crate::term::encoder::rate_distortion::THOROUGH_LAMBDA;

/// λ in motion where the link takes everything at once. A cell in a colour that others use costs some 6 bytes, so colours
/// may be off by about √(40 · 6 / 128 / 3) = 0.8 of 255 code values, which nobody sees.
pub const LAMBDA_FINE: u32 = 40;
/// The highest λ in motion as long as frames fit their budget. Colours may be off by some 2 of 255: next to each other
/// that can be made out in a smooth gradient, so it is for links that would be busy with less.
///
/// At 120×40, 30 frames a second: a splash takes 43.4 KB a frame as ratatui writes the same frames, at 33.70 dB of the
/// ideal picture; λ = 40: 9.7 at 33.70; **260: 5.3 at 33.58**. A swell: 14.2 KB at 35.69; 3.1 at 35.69; **1.4 at 35.55**.
/// From here on bytes get dearer: 300, 400 and 480 take 4, 15 and 23 % fewer for .02, .08 and .13 dB. (220, before rows
/// were gone through as wholes, style_runs chained and runs taken by nearness: 6.1 at 33.60, 1.7 at 35.55.)
pub const LAMBDA_ECONOMY: u32 = 260;
/// How much of its budget a frame may take to be finer than [`LAMBDA_ECONOMY`].
const FINE_HEADROOM: usize = 2;
/// Frames in a row that must take less than one in [`QUICK_HEADROOM`] of that before the encoder saves its own time instead of bytes
/// (see [`THOROUGH_LAMBDA`]): then a frame takes at most twice as many bytes, so it does not turn back at once. It turns back with
/// the first frame that takes more than all of it: there are times for which a link is not what it was.
const QUICK_AFTER_FRAMES: u32 = 30;
const QUICK_HEADROOM: usize = 4;
/// Any two cells are alike at this price.
const MAX_LAMBDA: u32 = 1 << 20;
/// Frames in a row in which nothing moves before λ falls. Water that comes to rest stands still for a frame or two again
/// and again; whoever takes each of them for the end redraws the whole picture exactly (2 to 6 KB at 80×24) and then goes
/// on with what is near. With 1, calm water at 80×24 record 213 B a frame where the plain difference of the same frames
/// is 29; with 8: 19, and so.
const REST_FRAMES: u32 = 16;
/// λ of the first frame on a link that is not known: a dam at 120×40 takes 3.1 KB then, at 80×24
/// 1.7.
const LAMBDA_FIRST_FRAME: u32 = 1 << 17;

/// λ, and what it depends on.
#[derive(Debug)]
pub struct RateController {
    lambda: u32,
    /// λ in motion is not less.
    min_lambda: u32,
    budget: usize,
    /// Frames since anything moved.
    still_frames: u32,
    /// The link has so much room that bytes are cheaper than the time it takes to save them.
    quick: bool,
    /// Frames in a row that say so.
    roomy_frames: u32,
}

impl Default for RateController {
    fn default() -> Self {
        Self {
            lambda: LAMBDA_FINE,
            min_lambda: LAMBDA_FINE,
            budget: usize::MAX,
            still_frames: 0,
            quick: true,
            roomy_frames: 0,
        }
    }
}

impl RateController {
    /// For a link that is not known: coarse at first, so that the first frame shows all of the picture somehow.
    pub fn for_unknown_link() -> Self {
        Self { lambda: LAMBDA_FIRST_FRAME, quick: false, ..Self::default() }
    }

    /// As it is where frames just fit the link.
    pub fn economical() -> Self {
        Self { lambda: LAMBDA_ECONOMY, min_lambda: LAMBDA_ECONOMY, quick: false, ..Self::default() }
    }

    /// The target of the next frame, which should have no more than `budget` bytes.
    pub fn target(&mut self, budget: usize) -> RateTarget {
        self.budget = budget;
        RateTarget { lambda: self.lambda, max_bytes: budget.saturating_add(budget / 2) }
    }

    /// A frame record this many bytes. `still`: it wanted the same as the one before.
    pub fn record(&mut self, bytes: usize, still: bool) {
        self.still_frames = if still { self.still_frames.saturating_add(1) } else { 0 };
        self.lambda = match (still, bytes > self.budget) {
            (true, true) => self.lambda,
            (true, false) if self.still_frames < REST_FRAMES => self.lambda,
            (true, false) => self.lambda / 4,
            (false, _) => self.lambda_in_motion(bytes),
        };
    }

    /// Fine where bytes are plenty, economical where a frame would take much of its budget, more where it would not fit.
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

    /// By the square of how far the bytes are off, since halving them takes about a quarter of the price.
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

    /// Bytes and λ in the end, if they fell with the root of the price: 20 KB at 280.
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

    /// λ of each frame, where the encoder makes one half more of a frame when it saves its own time.
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
    fn it_is_fine_where_bytes_are_plenty_and_thrifty_where_they_just_do() {
        assert_eq!(settled(RateController::for_unknown_link(), 1_000_000).1, LAMBDA_FINE);
        assert_eq!(settled(RateController::for_unknown_link(), 26_000).1, LAMBDA_ECONOMY);
        assert!(
            (THOROUGH_LAMBDA..LAMBDA_ECONOMY - 50).contains(&settled(RateController::for_unknown_link(), 70_000).1)
        );
        assert_eq!(settled(RateController::economical(), 1_000_000).1, LAMBDA_ECONOMY);
    }
}
