//! Pacing: how much may be sent, and when, so that the screen is never behind the hand.
//!
//! Neither the room in the pty nor POLLOUT tells what is queued in an ssh channel, which swallows
//! megabytes. So each frame ends with a status request (DSR, `CSI 5 n`), which the terminal at the far
//! end answers when it has read everything before it: a fence. With one or two fences unanswered at
//! most, the newest frame is never more than that late, whatever the link. The rate of the link
//! follows from bytes and round trip, and from the rate what a frame may have.
//!
//! From a key press to its effect on a link of 160 kbit/s at 80×24 (`cargo bench --bench link`), ms, median/90 %/worst:
//! no fence at all: no key within 48 s; two frames of 66 ms always: 133/247/333; one of 50 ms: 102/142/274.
//!
//! The time is passed in, so this is a value that a test can drive.

use std::time::{Duration, Instant};

use super::caps::Host;
use super::fences::Fences;
use super::pace::Pace;
use super::throttle::{Behind, Throttle};
use crate::view::ColorDepth;

/// Until the first answer a third frame is sent only after this long, and so on: a slow link is not
/// flooded while its answer is on the way.
const TRIAL: Duration = Duration::from_millis(250);
/// Bytes a second where nothing answers. Such a terminal is a local one: a bare console, a recorder.
const MUTE_RATE: f64 = 1e6;
/// What a frame may have as long as the link is not known. At 20 KB/s that is .15 s, and no more than two are sent
/// before an answer; where answers come at once the second frame is as rich as it likes.
const UNKNOWN: usize = 3000;
/// The least that a frame may have: less shows nothing.
const LEAST: usize = 512;
/// What share of the time between two frames one may take to cross; the rest is for the answer's way back.
const SHARE: f64 = 0.75;
/// A frame that crosses in less than this queues up for nobody, in seconds.
const AT_ONCE: f64 = 0.008;
/// Who answers for himself hides the link behind him, and shows no more frames a second than this.
const SECOND_HAND_FPS: f64 = 30.;
/// Windows' pseudo console parses and renders each write anew: one of more than this holds up the next.
const CONPTY_BYTES: usize = 16_000;

/// tmux answers for itself, so the fence tells nothing of its client. It drops a client's queue above
/// 8 bytes a cell (tty.c); at most 4 a frame, at most 30 frames a second, never came to that.
const TMUX_BYTES_PER_CELL: usize = 4;

#[derive(Debug)]
pub struct Link {
    /// Fences are sent at all.
    fenced: bool,
    host: Host,
    pace: Pace,
    /// In tmux.
    throttle: Option<Throttle>,
    /// A ceiling set by hand, in bytes a second.
    ceiling: Option<f64>,
    fences: Fences,
    /// Bytes a frame, smoothed.
    frame: f64,
    /// When the frame that is being made was begun.
    begun: Option<Instant>,
    /// The last frame: when it was begun, and its bytes. One takes longer to make than another: if they were counted
    /// from when they are sent, one that takes no time would come too early behind one that did, and wait for the next
    /// turn.
    last: Option<(Instant, usize)>,
}

impl Link {
    pub fn new(fenced: bool, ceiling: Option<u32>) -> Self {
        Self {
            fenced,
            host: Host::Emulator,
            pace: Pace::default(),
            throttle: None,
            ceiling: ceiling.map(f64::from),
            fences: Fences::default(),
            frame: 0.,
            begun: None,
            last: None,
        }
    }

    pub fn set_host(&mut self, host: Host) {
        self.host = host;
        // mosh would answer, at once and about nothing.
        self.fenced &= host != Host::Mosh;
        match host {
            Host::Tmux => drop(self.throttle.get_or_insert_default()),
            _ => self.throttle = None,
        }
    }

    /// How it stands between tmux and its clients.
    pub fn look_behind(&mut self, behind: Behind, now: Instant) {
        if let Some(throttle) = &mut self.throttle {
            throttle.look(behind, now);
        }
    }

    /// A frame was encoded at this λ.
    pub fn took(&mut self, lambda: u32, now: Instant) {
        self.pace.note(lambda, now);
    }

    /// The most colours that the link has bytes for.
    pub fn depth(&self) -> ColorDepth {
        self.pace.depth()
    }

    /// Whether the next frame should end with a status request.
    pub fn wants_fence(&self, now: Instant) -> bool {
        self.fenced && !self.is_mute(now)
    }

    /// Nothing ever answered, for long enough.
    pub fn is_mute(&self, now: Instant) -> bool {
        self.fences.is_mute(now)
    }

    /// A frame was sent, with a fence or without.
    pub fn sent(&mut self, bytes: usize, fence: bool, now: Instant) {
        self.frame = if self.last.is_none() { bytes as f64 } else { self.frame * 0.8 + bytes as f64 * 0.2 };
        self.last = Some((self.begun.take().unwrap_or(now), bytes));
        if let Some(throttle) = &mut self.throttle {
            throttle.sent(bytes);
        }
        if fence {
            self.fences.sent(bytes, now);
        }
    }

    /// Questions were sent, before any frame: their answer tells the least round trip.
    pub fn asked(&mut self, now: Instant) {
        self.fences.asked(now);
    }

    /// Any answer at all: there is somebody to wait for.
    pub fn heard(&mut self, now: Instant) {
        self.fences.heard(now);
    }

    /// A status report: the oldest fence has been reached.
    pub fn answered(&mut self, now: Instant) {
        self.fences.answered(SHARE / self.fps() / 4., now);
    }

    /// How long the answer to what is under way will take, as far as known.
    pub fn answer_time(&self) -> Duration {
        self.fences.answer_time(self.rate())
    }

    /// Frames that nobody said to have read yet.
    pub fn in_flight(&self) -> usize {
        self.fences.len()
    }

    /// Bytes a second that the link takes, as far as known.
    pub fn rate(&self) -> Option<f64> {
        match (self.fences.rate(), self.ceiling()) {
            (Some(rate), Some(ceiling)) => Some(rate.min(ceiling)),
            (rate, ceiling) => rate.or(ceiling),
        }
    }

    /// What may be sent, whatever is answered: as the user says, else as tmux lets us think.
    fn ceiling(&self) -> Option<f64> {
        self.ceiling.or(self.throttle.as_ref().map(Throttle::rate))
    }

    /// How many bytes the next frame should have at most.
    pub fn budget(&self, cells: usize, now: Instant) -> usize {
        let rate = self.rate().or_else(|| self.is_blind(now).then_some(MUTE_RATE));
        let budget = rate.map_or(UNKNOWN, |rate| ((rate * SHARE / self.fps()) as usize).max(LEAST));
        match self.host {
            Host::Tmux => budget.min(cells * TMUX_BYTES_PER_CELL),
            Host::ConPty => budget.min(CONPTY_BYTES),
            _ => budget,
        }
    }

    /// Nobody answers, or is asked.
    fn is_blind(&self, now: Instant) -> bool {
        !self.fenced || self.is_mute(now)
    }

    /// Seconds that a frame takes to cross, as far as known.
    fn crossing(&self) -> f64 {
        self.rate().map_or(0., |rate| self.frame / rate.max(1.))
    }

    /// Frames a second, at most.
    pub fn fps(&self) -> f64 {
        match self.host {
            Host::Tmux | Host::Screen | Host::Mosh | Host::ConPty => self.pace.fps().min(SECOND_HAND_FPS),
            _ => self.pace.fps(),
        }
    }

    /// May a frame be sent that is begun now?
    pub fn ready(&mut self, now: Instant) -> bool {
        self.fences.give_up(now);
        let since = self.last.map_or(Duration::MAX, |(at, _)| now.saturating_duration_since(at));
        let paused = self.throttle.as_ref().is_some_and(|throttle| throttle.is_paused(now));
        let ready = !paused && since >= self.interval(now) && self.has_room(since);
        self.begun = ready.then_some(now);
        ready
    }

    /// A second frame goes out before the first is answered only where the answer's way is longer than the frame's:
    /// there the line would lie idle, and elsewhere the second only queues. Or where a frame is across at once: then
    /// an answer that a busy machine keeps back costs no frame.
    fn has_room(&self, since: Duration) -> bool {
        let far = self.fences.least().is_some_and(|least| least.as_secs_f64() > self.crossing());
        let heard = self.fences.is_heard();
        let most = if far || self.crossing() < AT_ONCE || !heard { 2 } else { 1 };
        self.fences.len() < most || !heard && since >= TRIAL
    }

    /// The least time between two frames: by the step of the frame rate, and by a rate that no fence
    /// enforces.
    fn interval(&self, now: Instant) -> Duration {
        // A little less than the period: a loop that asks 60 times a second must not miss every other.
        let step = 0.8 / self.fps();
        let rate = if self.is_blind(now) { self.ceiling().or(Some(MUTE_RATE)) } else { self.ceiling() };
        let bytes = self.last.map_or(0, |(_, bytes)| bytes) as f64;
        Duration::from_secs_f64(rate.map_or(step, |rate| step.max(bytes / rate.max(1.)).min(2.)))
    }

    /// Forgets what is under way: after a stop nobody will answer it.
    pub fn restart(&mut self) {
        self.fences.clear();
        (self.begun, self.last) = (None, None);
    }
}

#[cfg(test)]
mod tests {
    use super::super::quality::Quality;
    use super::*;
    use std::collections::VecDeque;

    const CELLS: usize = 1920;

    /// A link in virtual time: bytes leave at a rate, answers come back after a delay.
    struct Wire {
        link: Link,
        quality: Quality,
        rate: f64,
        delay: f64,
        answers: bool,
        start: Instant,
        /// Seconds since the start.
        time: f64,
        /// When the last byte sent so far will have crossed.
        clear: f64,
        /// When each answer will be here.
        due: VecDeque<f64>,
        frames: usize,
        /// The longest that a byte waited behind others, in seconds.
        worst: f64,
    }

    impl Wire {
        /// A terminal that has been asked, and answered; then the first frame goes out.
        fn new(rate: f64, delay: f64) -> Self {
            let start = Instant::now();
            let mut link = Link::new(true, None);
            link.asked(start - Duration::from_secs_f64(delay));
            link.heard(start);
            Self { answers: true, ..Self::mute(link, start, rate, delay) }
        }

        fn mute(link: Link, start: Instant, rate: f64, delay: f64) -> Self {
            Self {
                link,
                quality: Quality::default(),
                rate,
                delay,
                answers: false,
                start,
                time: 0.,
                clear: 0.,
                due: VecDeque::new(),
                frames: 0,
                worst: 0.,
            }
        }

        fn now(&self) -> Instant {
            self.start + Duration::from_secs_f64(self.time)
        }

        /// Runs a loop of 60 turns a second for some time, with frames of always `bytes`.
        fn run(&mut self, seconds: f64, bytes: usize) {
            self.play(seconds, |_| bytes);
        }

        /// With frames of a moving picture: `rich` bytes at the λ that nobody sees, fewer with its root.
        fn splash(&mut self, seconds: f64, rich: usize) {
            self.play(seconds, |wire| {
                let terms = wire.quality.terms(wire.link.budget(CELLS, wire.now()));
                let coarser = if wire.link.depth() < ColorDepth::TrueColor { 0.6 } else { 1. };
                let bytes = coarser * rich as f64 / (f64::from(terms.lambda) / 600.).sqrt();
                let bytes = (bytes as usize).min(terms.most);
                wire.quality.took(bytes, false);
                wire.link.took(terms.lambda, wire.now());
                bytes
            });
        }

        fn play(&mut self, seconds: f64, mut frame: impl FnMut(&mut Self) -> usize) {
            let end = self.time + seconds;
            (self.frames, self.worst) = (0, 0.);
            while self.time < end {
                self.time += 1. / 60.;
                while self.due.front().is_some_and(|&due| due <= self.time) {
                    let due = self.due.pop_front().unwrap_or(0.);
                    self.link.answered(self.start + Duration::from_secs_f64(due));
                }
                if self.link.ready(self.now()) {
                    let bytes = frame(self);
                    self.send(bytes);
                }
            }
        }

        fn send(&mut self, bytes: usize) {
            let fence = self.link.wants_fence(self.now());
            self.link.sent(bytes, fence, self.now());
            self.frames += 1;
            self.clear = self.clear.max(self.time) + bytes as f64 / self.rate;
            self.worst = self.worst.max(self.clear - self.time);
            if fence && self.answers {
                self.due.push_back(self.clear + self.delay);
            }
        }
    }

    #[test]
    fn a_local_terminal_gets_every_frame() {
        let mut wire = Wire::new(20e6, 0.0005);
        wire.splash(5., 30_000);
        assert!(wire.frames >= 295, "{} of 300", wire.frames);
        assert!(wire.link.budget(CELLS, wire.now()) > 100_000);
    }

    #[test]
    fn on_a_slow_link_frames_fit_and_are_not_late() {
        for delay in [0.002, 0.04] {
            let mut wire = Wire::new(20e3, delay);
            wire.splash(10., 30_000);
            wire.splash(10., 30_000);
            assert!(wire.worst < 0.16, "{} s behind", wire.worst);
            assert!(wire.frames >= 90, "{} frames in 10 s", wire.frames);
        }
    }

    #[test]
    fn two_frames_under_way_are_not_taken_for_a_faster_link() {
        for delay in [0.02, 0.1, 0.2] {
            let mut wire = Wire::new(20e3, delay);
            wire.splash(10., 30_000);
            for _ in 0..100 {
                wire.splash(0.1, 30_000);
                let rate = wire.link.rate().unwrap_or(0.);
                assert!((17e3..23e3).contains(&rate), "{rate} bytes a second, with {delay} s for an answer");
            }
        }
    }

    /// λ is left to rise by itself first; then frames get rarer, and only then colours coarser.
    #[test]
    fn what_is_given_up_and_in_which_order() {
        let state = |wire: &Wire| (wire.link.fps(), wire.link.depth());
        for (rate, rich, kept) in [
            (2e6, 9_000, (60., ColorDepth::TrueColor)),
            (300e3, 9_000, (60., ColorDepth::TrueColor)),
            (100e3, 9_000, (30., ColorDepth::TrueColor)),
            (20e3, 9_000, (15., ColorDepth::TrueColor)),
            (8e3, 9_000, (15., ColorDepth::TrueColor)),
            (8e3, 90_000, (15., ColorDepth::Ansi256)),
        ] {
            let mut wire = Wire::new(rate, 0.01);
            let mut seen = vec![state(&wire)];
            for _ in 0..300 {
                wire.splash(0.1, rich);
                seen.push(state(&wire));
            }
            seen.dedup();
            assert_eq!(state(&wire), kept, "at {rate} bytes a second: {seen:?}");
            assert!(seen.is_sorted_by(|a, b| a.0 >= b.0 && a.1 >= b.1), "at {rate}: {seen:?}");
            wire.rate = 20e6;
            wire.splash(30., 9_000);
            assert_eq!(state(&wire), (60., ColorDepth::TrueColor), "all of it comes back");
        }
    }

    #[test]
    fn frames_far_too_large_are_at_least_not_queued() {
        let mut wire = Wire::new(20e3, 0.04);
        wire.run(5., 30_000);
        wire.run(20., 30_000);
        assert!(wire.worst < 1.6, "{} s behind, a frame takes 1.5", wire.worst);
    }

    #[test]
    fn a_frame_is_not_too_early_because_the_one_before_took_long_to_make() {
        let mut wire = Wire::new(20e6, 0.001);
        wire.run(1., 1000);
        let at = |ms: u64| wire.now() + Duration::from_millis(ms);
        let (begun, sent, answered, next) = (at(20), at(30), at(31), at(37));
        assert!(wire.link.ready(begun));
        wire.link.sent(1000, true, sent);
        wire.link.answered(answered);
        assert!(!wire.link.ready(answered), "frames do not come faster for that");
        assert!(wire.link.ready(next));
    }

    #[test]
    fn nothing_much_is_sent_into_the_unknown() {
        let wire = Wire::mute(Link::new(true, None), Instant::now(), 20e3, 0.);
        assert_eq!(wire.link.budget(CELLS, wire.now()), UNKNOWN);
        let mut wire = Wire::new(20e6, 0.001);
        assert_eq!(wire.link.budget(CELLS, wire.now()), UNKNOWN, "the questions' answer tells no rate");
        wire.run(0.1, UNKNOWN);
        assert!(wire.link.budget(CELLS, wire.now()) > 10 * UNKNOWN, "{:?}", wire.link.rate());
    }

    #[test]
    fn a_link_that_gets_faster_is_noticed() {
        let mut wire = Wire::new(20e3, 0.04);
        wire.splash(10., 30_000);
        wire.rate = 10e6;
        wire.splash(20., 30_000);
        wire.splash(1., 30_000);
        assert!(wire.frames >= 25, "{} frames in 1 s", wire.frames);
        assert!(wire.link.budget(CELLS, wire.now()) > 10_000);
    }

    #[test]
    fn a_mute_terminal_is_paced_by_the_cap() {
        let mut wire = Wire::mute(Link::new(true, None), Instant::now(), 20e6, 0.);
        wire.run(3., 30_000);
        wire.run(2., 30_000);
        let rate = (wire.frames * 30_000) as f64 / 2.;
        assert!((0.5..1.05).contains(&(rate / MUTE_RATE)), "{rate} bytes a second");
        assert!(!wire.link.wants_fence(wire.now()), "it is not asked any more");
    }

    #[test]
    fn an_answer_that_is_lost_freezes_nothing_for_long() {
        let mut wire = Wire::new(20e6, 0.001);
        wire.run(2., 1000);
        wire.answers = false;
        wire.run(0.1, 1000);
        wire.answers = true;
        wire.run(5., 1000);
        wire.run(1., 1000);
        assert!(wire.frames >= 55, "{} frames in 1 s", wire.frames);
    }

    #[test]
    fn a_ceiling_set_by_hand_holds() {
        let mut wire = Wire::new(20e6, 0.001);
        wire.link.ceiling = Some(20e3);
        wire.run(10., 5_000);
        let rate = (wire.frames * 5_000) as f64 / 10.;
        assert!(rate <= 21_000., "{rate} bytes a second");
    }

    #[test]
    fn who_answers_for_himself_gets_half_the_frames() {
        for host in [Host::Tmux, Host::Screen, Host::Mosh, Host::ConPty] {
            let mut wire = Wire::new(20e6, 0.001);
            wire.link.set_host(host);
            wire.link.ceiling = Some(20e6);
            wire.run(5., 2_000);
            assert!((140..=160).contains(&wire.frames), "{host:?}: {} frames in 5 s", wire.frames);
        }
        let mut link = Link::new(true, None);
        link.set_host(Host::Mosh);
        assert!(!link.wants_fence(Instant::now()));
    }

    #[test]
    fn tmux_gets_few_bytes_a_cell() {
        let mut wire = Wire::new(20e6, 0.001);
        wire.link.set_host(Host::Tmux);
        for i in 0..60 {
            wire.run(0.1, 7_000);
            wire.link.look_behind(Behind::default(), wire.now());
            assert!(wire.link.budget(CELLS, wire.now()) <= 7680, "in turn {i}");
        }
        assert_eq!(wire.link.budget(CELLS, wire.now()), 7680);
    }
}
