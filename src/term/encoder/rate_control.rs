//! How exact the screen has to be: λ, from frame to frame.
//!
//! While things move, an error that nobody sees in motion saves most bytes; more than that is allowed only as far as
//! the frame would not fit the link otherwise. When the picture comes to rest λ falls to zero, so what is shown
//! becomes exact, and then nothing is left to send.

use crate::term::encoder::RateTarget;
use crate::term::encoder::rate_distortion::SCARCE;

/// λ in motion where the link takes everything at once. A cell in a colour that others use costs some 6 bytes, so colours
/// may be off by about √(40 · 6 / 128 / 3) = 0.8 of 255 code values, which nobody sees.
pub const FINE: u32 = 40;
/// The highest λ in motion as long as frames fit their budget. Colours may be off by some 2 of 255: next to each other
/// that can be made out in a smooth gradient, so it is for links that would be busy with less.
///
/// At 120×40, 30 frames a second: a splash takes 43.4 KB a frame as ratatui writes the same frames, at 33.70 dB of the
/// ideal picture; λ = 40: 9.7 at 33.70; **260: 5.3 at 33.58**. A swell: 14.2 KB at 35.69; 3.1 at 35.69; **1.4 at 35.55**.
/// From here on bytes get dearer: 300, 400 and 480 take 4, 15 and 23 % fewer for .02, .08 and .13 dB. (220, before rows
/// were gone through as wholes, strokes chained and runs taken by nearness: 6.1 at 33.60, 1.7 at 35.55.)
pub const THRIFTY: u32 = 260;
/// How much of its budget a frame may take to be finer than [`THRIFTY`].
const SPARE: usize = 2;
/// Frames in a row that must take less than one in [`ROOM`] of that before the encoder saves its own time instead of bytes
/// (see [`SCARCE`]): then a frame takes at most twice as many bytes, so it does not turn back at once. It turns back with
/// the first frame that takes more than all of it: there are times for which a link is not what it was.
const SURE: u32 = 30;
const ROOM: usize = 4;
/// Any two cells are alike at this price.
const MOST: u32 = 1 << 20;
/// Frames in a row in which nothing moves before λ falls. Water that comes to rest stands still for a frame or two again
/// and again; whoever takes each of them for the end redraws the whole picture exactly (2 to 6 KB at 80×24) and then goes
/// on with what is near. With 1, calm water at 80×24 took 213 B a frame where the plain difference of the same frames
/// is 29; with 8: 19, and so.
const LULL: u32 = 16;
/// λ of the first frame on a link that is not known: a dam at 120×40 takes 3.1 KB then, at 80×24
/// 1.7.
const COARSE: u32 = 1 << 17;

/// λ, and what it depends on.
#[derive(Debug)]
pub struct RateController {
    lambda: u32,
    /// λ in motion is not less.
    least: u32,
    budget: usize,
    /// Frames since anything moved.
    still: u32,
    /// The link has so much room that bytes are cheaper than the time it takes to save them.
    quick: bool,
    /// Frames in a row that say so.
    roomy: u32,
}

impl Default for RateController {
    fn default() -> Self {
        Self { lambda: FINE, least: FINE, budget: usize::MAX, still: 0, quick: true, roomy: 0 }
    }
}

impl RateController {
    /// For a link that is not known: coarse at first, so that the first frame shows all of the picture somehow.
    pub fn cautious() -> Self {
        Self { lambda: COARSE, quick: false, ..Self::default() }
    }

    /// As it is where frames just fit the link.
    pub fn thrifty() -> Self {
        Self { lambda: THRIFTY, least: THRIFTY, quick: false, ..Self::default() }
    }

    /// The terms of the next frame, which should have no more than `budget` bytes.
    pub fn terms(&mut self, budget: usize) -> RateTarget {
        self.budget = budget;
        RateTarget { lambda: self.lambda, most: budget.saturating_add(budget / 2) }
    }

    /// A frame took this many bytes. `still`: it wanted the same as the one before.
    pub fn took(&mut self, bytes: usize, still: bool) {
        self.still = if still { self.still.saturating_add(1) } else { 0 };
        self.lambda = match (still, bytes > self.budget) {
            (true, true) => self.lambda,
            (true, false) if self.still < LULL => self.lambda,
            (true, false) => self.lambda / 4,
            (false, _) => self.in_motion(bytes),
        };
    }

    /// Fine where bytes are plenty, thrifty where a frame would take much of its budget, more where it would not fit.
    fn in_motion(&mut self, bytes: usize) -> u32 {
        let plenty = self.fitting(bytes, self.budget / SPARE).min(THRIFTY);
        let wanted = self.fitting(bytes, self.budget).max(plenty);
        self.roomy = if bytes < self.budget / SPARE / ROOM { self.roomy.saturating_add(1) } else { 0 };
        self.quick = match self.quick {
            true => bytes <= self.budget / SPARE,
            false => self.least < SCARCE && wanted <= SCARCE && self.roomy >= SURE,
        };
        if self.quick { self.least } else { wanted.clamp(self.least.max(SCARCE), MOST) }
    }

    /// By the square of how far the bytes are off, since halving them takes about a quarter of the price.
    fn fitting(&self, bytes: usize, budget: usize) -> u32 {
        let off = bytes as f64 / budget as f64;
        (f64::from(self.lambda.max(self.least)) * (off * off * 1.2).clamp(0.2, 4.)) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_rest_it_falls_to_nothing() {
        let mut quality = RateController::default();
        (0..LULL - 1).for_each(|_| quality.took(100, true));
        assert_eq!(quality.terms(1000).lambda, FINE, "a lull is no rest");
        (0..4).for_each(|_| quality.took(100, true));
        assert_eq!(quality.terms(1000).lambda, 0);
        quality.took(100, false);
        assert_eq!(quality.terms(usize::MAX).lambda, FINE);
    }

    /// Bytes and λ in the end, if they fell with the root of the price: 20 KB at 280.
    fn settled(mut quality: RateController, budget: usize) -> (f64, u32) {
        let mut end = (0., 0);
        for _ in 0..60 {
            let lambda = quality.terms(budget).lambda;
            end = (20_000. / (f64::from(lambda) / 280.).sqrt(), lambda);
            quality.took(end.0 as usize, false);
        }
        end
    }

    #[test]
    fn it_settles_where_frames_fit_the_budget() {
        let (bytes, _) = settled(RateController::default(), 1300);
        assert!((900. ..1400.).contains(&bytes), "{bytes}");
    }

    /// λ of each frame, where the encoder makes one half more of a frame when it saves its own time.
    fn prices(quality: &mut RateController, budget: usize, thorough: usize, frames: u32) -> Vec<u32> {
        let frame = |_| {
            let lambda = quality.terms(budget).lambda;
            quality.took(if lambda < SCARCE { thorough * 3 / 2 } else { thorough }, false);
            lambda
        };
        (0..frames).map(frame).collect()
    }

    #[test]
    fn it_saves_time_where_there_is_room_and_bytes_where_there_is_not_and_does_not_waver() {
        let changes =
            |prices: &[u32]| prices.windows(2).filter(|pair| (pair[0] < SCARCE) != (pair[1] < SCARCE)).count();
        for frame in (1000..40_000).step_by(1000) {
            let mut quality = RateController::cautious();
            let prices = prices(&mut quality, 60_000, frame, 600);
            assert!(changes(&prices) <= 1, "{frame} bytes: it wavers");
            assert_eq!(prices.last() == Some(&FINE), frame < 7500, "{frame} bytes of 60000");
        }
        let mut quality = RateController::default();
        assert_eq!(prices(&mut quality, 60_000, 9000, 10), [FINE; 10], "what is quick stays so");
        assert_eq!(
            changes(&prices(&mut quality, 6000, 9000, 10)),
            1,
            "until a link has no room for it, and then at once"
        );
        assert!(
            prices(&mut quality, 60_000, 5000, SURE - 1).iter().all(|&price| price >= SCARCE),
            "a moment is no proof"
        );
    }

    #[test]
    fn it_is_fine_where_bytes_are_plenty_and_thrifty_where_they_just_do() {
        assert_eq!(settled(RateController::cautious(), 1_000_000).1, FINE);
        assert_eq!(settled(RateController::cautious(), 26_000).1, THRIFTY);
        assert!((SCARCE..THRIFTY - 50).contains(&settled(RateController::cautious(), 70_000).1));
        assert_eq!(settled(RateController::thrifty(), 1_000_000).1, THRIFTY);
    }
}
