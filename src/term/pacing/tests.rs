//! Links of all kinds in virtual time: what is sent, when, and how late it is.

use crate::term::encoder::rate_control::RateController;
use crate::term::pacing::*;
use std::collections::VecDeque;

const CELLS: usize = 1920;

/// A link in virtual time: bytes leave at a rate, answers come back after a delay.
struct SimulatedLink {
    link: Link,
    quality: RateController,
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

impl SimulatedLink {
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
            quality: RateController::default(),
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

    /// RunOptimizer a loop of 60 turns a second for some time, with frames of always `bytes`.
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
    let mut wire = SimulatedLink::new(20e6, 0.0005);
    wire.splash(5., 30_000);
    assert!(wire.frames >= 295, "{} of 300", wire.frames);
    assert!(wire.link.budget(CELLS, wire.now()) > 100_000);
}

#[test]
fn on_a_slow_link_frames_fit_and_are_not_late() {
    for delay in [0.002, 0.04] {
        let mut wire = SimulatedLink::new(20e3, delay);
        wire.splash(10., 30_000);
        wire.splash(10., 30_000);
        assert!(wire.worst < 0.16, "{} s behind", wire.worst);
        assert!(wire.frames >= 90, "{} frames in 10 s", wire.frames);
    }
}

#[test]
fn two_frames_under_way_are_not_taken_for_a_faster_link() {
    for delay in [0.02, 0.1, 0.2] {
        let mut wire = SimulatedLink::new(20e3, delay);
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
    let state = |wire: &SimulatedLink| (wire.link.fps(), wire.link.depth());
    for (rate, rich, kept) in [
        (2e6, 9_000, (60., ColorDepth::TrueColor)),
        (300e3, 9_000, (60., ColorDepth::TrueColor)),
        (100e3, 9_000, (30., ColorDepth::TrueColor)),
        (20e3, 9_000, (15., ColorDepth::TrueColor)),
        (8e3, 9_000, (15., ColorDepth::TrueColor)),
        (8e3, 90_000, (15., ColorDepth::Ansi256)),
    ] {
        let mut wire = SimulatedLink::new(rate, 0.01);
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
    let mut wire = SimulatedLink::new(20e3, 0.04);
    wire.run(5., 30_000);
    wire.run(20., 30_000);
    assert!(wire.worst < 1.6, "{} s behind, a frame takes 1.5", wire.worst);
}

#[test]
fn a_frame_is_not_too_early_because_the_one_before_took_long_to_make() {
    let mut wire = SimulatedLink::new(20e6, 0.001);
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
    let wire = SimulatedLink::mute(Link::new(true, None), Instant::now(), 20e3, 0.);
    assert_eq!(wire.link.budget(CELLS, wire.now()), UNKNOWN);
    let mut wire = SimulatedLink::new(20e6, 0.001);
    assert_eq!(wire.link.budget(CELLS, wire.now()), UNKNOWN, "the questions' answer tells no rate");
    wire.run(0.1, UNKNOWN);
    assert!(wire.link.budget(CELLS, wire.now()) > 10 * UNKNOWN, "{:?}", wire.link.rate());
}

#[test]
fn a_link_that_gets_faster_is_noticed() {
    let mut wire = SimulatedLink::new(20e3, 0.04);
    wire.splash(10., 30_000);
    wire.rate = 10e6;
    wire.splash(20., 30_000);
    wire.splash(1., 30_000);
    assert!(wire.frames >= 25, "{} frames in 1 s", wire.frames);
    assert!(wire.link.budget(CELLS, wire.now()) > 10_000);
}

#[test]
fn a_mute_terminal_is_paced_by_the_cap() {
    let mut wire = SimulatedLink::mute(Link::new(true, None), Instant::now(), 20e6, 0.);
    wire.run(3., 30_000);
    wire.run(2., 30_000);
    let rate = (wire.frames * 30_000) as f64 / 2.;
    assert!((0.5..1.05).contains(&(rate / MUTE_RATE)), "{rate} bytes a second");
    assert!(!wire.link.wants_fence(wire.now()), "it is not asked any more");
}

#[test]
fn an_answer_that_is_lost_freezes_nothing_for_long() {
    let mut wire = SimulatedLink::new(20e6, 0.001);
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
    let mut wire = SimulatedLink::new(20e6, 0.001);
    wire.link.ceiling = Some(20e3);
    wire.run(10., 5_000);
    let rate = (wire.frames * 5_000) as f64 / 10.;
    assert!(rate <= 21_000., "{rate} bytes a second");
}

#[test]
fn who_answers_for_himself_gets_half_the_frames() {
    for host in [TerminalKind::Tmux, TerminalKind::GnuScreen, TerminalKind::Mosh, TerminalKind::ConPty] {
        let mut wire = SimulatedLink::new(20e6, 0.001);
        wire.link.set_host(host);
        wire.link.ceiling = Some(20e6);
        wire.run(5., 2_000);
        assert!((140..=160).contains(&wire.frames), "{host:?}: {} frames in 5 s", wire.frames);
    }
    let mut link = Link::new(true, None);
    link.set_host(TerminalKind::Mosh);
    assert!(!link.wants_fence(Instant::now()));
}

#[test]
fn tmux_gets_few_bytes_a_cell() {
    let mut wire = SimulatedLink::new(20e6, 0.001);
    wire.link.set_host(TerminalKind::Tmux);
    for i in 0..60 {
        wire.run(0.1, 7_000);
        wire.link.look_behind(ClientState::default(), wire.now());
        assert!(wire.link.budget(CELLS, wire.now()) <= 7680, "in turn {i}");
    }
    assert_eq!(wire.link.budget(CELLS, wire.now()), 7680);
}
