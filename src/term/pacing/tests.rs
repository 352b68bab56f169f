//! Links of all kinds in virtual time: what is sent, when, and with which delay.

use crate::cell::color::ColorDepth;
use crate::term::encoder::rate_control::{LAMBDA_ECONOMY, RateController};
use crate::term::pacing::*;
use std::collections::VecDeque;

const CELLS: usize = 1920;

/// A time slice of the processor, in seconds.
const SLICE: f64 = 0.004;

/// A link in virtual time: bytes are transferred at a rate, and replies come back after a delay.
struct SimulatedLink {
    link: Link,
    rate_control: RateController,
    rate: f64,
    delay: f64,
    answers: bool,
    start: Instant,
    /// Seconds since the start.
    time: f64,
    /// Time at which the last byte sent so far arrives.
    clear: f64,
    /// Time at which each reply arrives.
    due: VecDeque<f64>,
    frames: usize,
    /// Longest time that a byte waited behind others, in seconds.
    worst: f64,
    /// Largest additional delay with which replies are read, in seconds, and the generator of these delays.
    busy: f64,
    /// Fraction of the time in which the terminal gets a processor, in slices of [`SLICE`].
    share: f64,
    probes: bool,
    random: fastrand::Rng,
}

impl SimulatedLink {
    /// Creates a link to a terminal that has replied to queries. Then the first frame is sent.
    fn new(rate: f64, delay: f64) -> Self {
        let start = Instant::now();
        let mut link = Link::new(true, None);
        link.acks.queries_sent_at = Some(start - Duration::from_secs_f64(delay));
        link.acks.reply_received(start);
        Self { answers: true, ..Self::silent(link, start, rate, delay) }
    }

    fn silent(link: Link, start: Instant, rate: f64, delay: f64) -> Self {
        Self {
            link,
            rate_control: RateController::default(),
            rate,
            delay,
            answers: false,
            start,
            time: 0.,
            clear: 0.,
            due: VecDeque::new(),
            frames: 0,
            worst: 0.,
            busy: 0.,
            share: 1.,
            probes: true,
            random: fastrand::Rng::with_seed(1),
        }
    }

    fn now(&self) -> Instant {
        self.start + Duration::from_secs_f64(self.time)
    }

    /// Runs a loop of 60 iterations a second for some time, with frames of `bytes` bytes each.
    fn run(&mut self, seconds: f64, bytes: usize) {
        self.play(seconds, |_| bytes);
    }

    /// Runs the same loop with frames of a moving picture: `rich` bytes at the finest λ, falling with its root.
    fn splash(&mut self, seconds: f64, rich: usize) {
        self.play(seconds, |simulated| {
            let target = simulated.rate_control.target(simulated.link.budget(CELLS, simulated.now()));
            let coarser = if simulated.link.ladder.depth() < ColorDepth::TrueColor { 0.6 } else { 1. };
            let bytes = coarser * rich as f64 / (f64::from(target.lambda) / 600.).sqrt();
            let bytes = (bytes as usize).min(target.max_bytes);
            simulated.rate_control.record(bytes, false);
            simulated.link.record_lambda(target.lambda, simulated.now());
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
                self.link.ack_received(self.start + Duration::from_secs_f64(due));
            }
            if self.link.ready(self.now()) {
                let bytes = frame(self);
                self.send(bytes);
            }
        }
    }

    fn send(&mut self, bytes: usize) {
        if self.probes && self.link.wants_probe(self.now()) {
            self.link.probe_sent(self.now());
            self.clear = self.clear.max(self.time) + 4. / self.rate;
            self.reply();
        }
        let ack = self.link.wants_ack(self.now());
        self.link.sent(bytes, ack, self.now());
        self.frames += 1;
        self.clear = self.after_work(self.clear.max(self.time), bytes as f64 / self.rate);
        self.worst = self.worst.max(self.clear - self.time);
        if ack && self.answers {
            self.reply();
        }
    }

    /// Time at which the terminal, from `start` on, has worked for `seconds`.
    fn after_work(&self, start: f64, seconds: f64) -> f64 {
        let period = SLICE / self.share;
        let worked = |time: f64| (time / period).floor() * SLICE + (time % period).min(SLICE);
        let whole = worked(start) + seconds;
        (whole / SLICE).floor() * period + whole % SLICE
    }

    /// Schedules a reply. Replies are read in order, after the terminal and this program have waited for a processor.
    fn reply(&mut self) {
        let due = self.clear + self.delay + self.busy * self.random.f64();
        self.due.push_back(self.due.back().map_or(due, |&before| before.max(due)));
    }
}

#[test]
fn a_local_terminal_gets_every_frame() {
    let mut simulated = SimulatedLink::new(20e6, 0.0005);
    simulated.splash(5., 30_000);
    assert!(simulated.frames >= 295, "{} of 300", simulated.frames);
    assert!(simulated.link.budget(CELLS, simulated.now()) > 100_000);
}

/// Replies that are late regardless of the number of bytes cost frames, but no quality.
#[test]
fn a_busy_machine_is_not_a_slow_link() {
    let fine = |busy, ceiling, probes| {
        let mut simulated = SimulatedLink { probes, ..SimulatedLink::new(20e6, 0.0005) };
        simulated.link.ceiling = ceiling;
        simulated.splash(3., 9_000);
        simulated.busy = busy;
        simulated.splash(5., 9_000);
        let fine = |_: &u32| {
            simulated.splash(0.1, 9_000);
            let lambda = simulated.rate_control.target(usize::MAX).lambda;
            lambda <= LAMBDA_ECONOMY
                && (simulated.link.fps(), simulated.link.ladder.depth()) == (60., ColorDepth::TrueColor)
        };
        (0..100).filter(fine).count()
    };
    for busy in [0.03, 0.06, 0.12] {
        for ceiling in [None, Some(20e6)] {
            let moments = fine(busy, ceiling, true);
            assert!(moments >= 85, "{moments} of 100 moments are fine where replies take {busy} s at most");
        }
    }
    let moments = fine(0.06, None, false);
    assert!(moments < 50, "{moments} of 100 are fine without probes: then this test proves nothing");
}

/// A terminal on this machine that seldom gets a processor costs frames, but no quality. So does one behind a network that
/// the user has called fast.
#[test]
fn a_starved_terminal_gets_whole_frames() {
    let fine = |local, ceiling| {
        let mut simulated = SimulatedLink::new(3e6, 0.0005);
        simulated.link.local = local;
        simulated.link.ceiling = ceiling;
        simulated.splash(1., 9_000);
        simulated.share = 0.08;
        simulated.splash(5., 9_000);
        let fine = |_: &u32| {
            simulated.splash(0.1, 9_000);
            let lambda = simulated.rate_control.target(usize::MAX).lambda;
            lambda <= LAMBDA_ECONOMY
                && (simulated.link.fps(), simulated.link.ladder.depth()) == (60., ColorDepth::TrueColor)
        };
        let moments = (0..100).filter(fine).count();
        simulated.splash(5., 9_000);
        assert!(simulated.frames >= 50, "{} frames in 5 s", simulated.frames);
        assert!(simulated.worst < 0.2, "{} s behind", simulated.worst);
        moments
    };
    for (local, ceiling) in [(true, None), (false, Some(20e6))] {
        let moments = fine(local, ceiling);
        assert!(moments >= 95, "{moments} of 100 moments are fine");
    }
    let moments = fine(false, None);
    assert!(moments < 50, "{moments} of 100 are fine over a network: then this test proves nothing");
}

/// A slow link that no variable of ssh tells of gets small frames.
#[test]
fn a_slow_link_without_ssh_is_not_taken_for_a_local_terminal() {
    let mut simulated = SimulatedLink::new(20e3, 0.01);
    simulated.link.local = true;
    simulated.splash(10., 30_000);
    simulated.splash(10., 30_000);
    assert!(simulated.worst < 0.16, "{} s behind", simulated.worst);
}

/// A slow link is recognized on a busy machine too.
#[test]
fn a_slow_link_is_found_on_a_busy_machine() {
    let mut simulated = SimulatedLink::new(20e3, 0.01);
    simulated.busy = 0.06;
    simulated.splash(10., 30_000);
    simulated.splash(10., 30_000);
    assert!(simulated.worst < 0.3, "{} s behind", simulated.worst);
}

#[test]
fn on_a_slow_link_frames_fit_and_are_not_late() {
    for delay in [0.002, 0.04] {
        let mut simulated = SimulatedLink::new(20e3, delay);
        simulated.splash(10., 30_000);
        simulated.splash(10., 30_000);
        assert!(simulated.worst < 0.16, "{} s behind", simulated.worst);
        assert!(simulated.frames >= 90, "{} frames in 10 s", simulated.frames);
    }
}

#[test]
fn two_frames_under_way_are_not_taken_for_a_faster_link() {
    for delay in [0.02, 0.1, 0.2] {
        let mut simulated = SimulatedLink::new(20e3, delay);
        simulated.splash(10., 30_000);
        for _ in 0..100 {
            simulated.splash(0.1, 30_000);
            let rate = simulated.link.rate().unwrap_or(0.);
            assert!((17e3..23e3).contains(&rate), "{rate} bytes a second, with {delay} s for an answer");
        }
    }
}

/// A long way costs neither frames nor quality, and a slow link is not filled because its far end is a long way off.
#[test]
fn a_long_delay_is_not_a_slow_link() {
    for (delay, busy) in [(0.05, 0.), (0.2, 0.), (0.2, 0.05), (0.5, 0.), (0.5, 0.1), (0.8, 0.)] {
        let mut simulated = SimulatedLink { busy, ..SimulatedLink::new(20e6, delay) };
        simulated.splash(20., 9_000);
        let mut frames = 0;
        let fine = |_: &u32| {
            simulated.splash(0.1, 9_000);
            frames += simulated.frames;
            simulated.rate_control.target(usize::MAX).lambda <= LAMBDA_ECONOMY
        };
        let moments = (0..100).filter(fine).count();
        let least = if busy > 0. { 75 } else { 95 };
        assert!(moments >= least, "{moments} of 100 moments are fine after {delay} to {} s", delay + busy);
        assert!(frames >= 200, "{frames} frames in 10 s after {delay} to {} s", delay + busy);

        for rate in [20e3, 200e3] {
            let mut simulated = SimulatedLink { busy, ..SimulatedLink::new(rate, delay) };
            simulated.splash(20., 30_000);
            simulated.splash(10., 30_000);
            let behind = simulated.worst;
            assert!(behind < 0.16 + 6. * busy, "{behind} s behind, at {rate} bytes a second after {delay} s");
            assert!(simulated.frames >= 80, "{} frames in 10 s, at {rate} bytes a second", simulated.frames);
        }
    }
}

/// λ rises first; then the frame rate falls, and only then are colours reduced.
#[test]
fn quality_is_reduced_in_order() {
    let state = |simulated: &SimulatedLink| (simulated.link.fps(), simulated.link.ladder.depth());
    for (rate, rich, kept) in [
        (2e6, 9_000, (60., ColorDepth::TrueColor)),
        (300e3, 9_000, (60., ColorDepth::TrueColor)),
        (100e3, 9_000, (30., ColorDepth::TrueColor)),
        (20e3, 9_000, (15., ColorDepth::TrueColor)),
        (8e3, 9_000, (15., ColorDepth::TrueColor)),
        (8e3, 90_000, (15., ColorDepth::Ansi256)),
    ] {
        let mut simulated = SimulatedLink::new(rate, 0.01);
        let mut seen = vec![state(&simulated)];
        for _ in 0..300 {
            simulated.splash(0.1, rich);
            seen.push(state(&simulated));
        }
        seen.dedup();
        assert_eq!(state(&simulated), kept, "at {rate} bytes a second: {seen:?}");
        assert!(seen.is_sorted_by(|a, b| a.0 >= b.0 && a.1 >= b.1), "at {rate}: {seen:?}");
        simulated.rate = 20e6;
        simulated.splash(30., 9_000);
        assert_eq!(state(&simulated), (60., ColorDepth::TrueColor), "all of it comes back");
    }
}

#[test]
fn frames_that_are_too_large_are_not_queued() {
    let mut simulated = SimulatedLink::new(20e3, 0.04);
    simulated.run(5., 30_000);
    simulated.run(20., 30_000);
    assert!(simulated.worst < 1.6, "{} s behind, a frame takes 1.5", simulated.worst);
}

#[test]
fn a_frame_is_not_too_early_because_the_one_before_took_long_to_make() {
    let mut simulated = SimulatedLink::new(20e6, 0.001);
    simulated.run(1., 1000);
    let at = |ms: u64| simulated.now() + Duration::from_millis(ms);
    let (frame_start, sent, ack_received, next) = (at(20), at(30), at(31), at(37));
    assert!(simulated.link.ready(frame_start));
    simulated.link.sent(1000, true, sent);
    simulated.link.ack_received(ack_received);
    assert!(!simulated.link.ready(ack_received), "frames do not come faster for that");
    assert!(simulated.link.ready(next));
}

#[test]
fn little_is_sent_before_the_first_reply() {
    let simulated = SimulatedLink::silent(Link::new(true, None), Instant::now(), 20e3, 0.);
    assert_eq!(simulated.link.budget(CELLS, simulated.now()), UNKNOWN_LINK_BUDGET);
    let mut simulated = SimulatedLink::new(20e6, 0.001);
    assert_eq!(
        simulated.link.budget(CELLS, simulated.now()),
        UNKNOWN_LINK_BUDGET,
        "the questions' answer tells no rate"
    );
    simulated.run(0.1, UNKNOWN_LINK_BUDGET);
    assert!(simulated.link.budget(CELLS, simulated.now()) > 10 * UNKNOWN_LINK_BUDGET, "{:?}", simulated.link.rate());
}

#[test]
fn a_link_that_gets_faster_is_noticed() {
    let mut simulated = SimulatedLink::new(20e3, 0.04);
    simulated.splash(10., 30_000);
    simulated.rate = 10e6;
    simulated.splash(20., 30_000);
    simulated.splash(1., 30_000);
    assert!(simulated.frames >= 25, "{} frames in 1 s", simulated.frames);
    assert!(simulated.link.budget(CELLS, simulated.now()) > 10_000);
}

#[test]
fn a_terminal_without_replies_is_paced_by_the_limit() {
    let mut simulated = SimulatedLink::silent(Link::new(true, None), Instant::now(), 20e6, 0.);
    simulated.run(3., 30_000);
    simulated.run(2., 30_000);
    let rate = (simulated.frames * 30_000) as f64 / 2.;
    assert!((0.5..1.05).contains(&(rate / UNANSWERED_RATE)), "{rate} bytes a second");
    assert!(!simulated.link.wants_ack(simulated.now()), "it is not queries_sent any more");
}

#[test]
fn a_lost_reply_delays_frames_only_for_seconds() {
    let mut simulated = SimulatedLink::new(20e6, 0.001);
    simulated.run(2., 1000);
    simulated.answers = false;
    simulated.run(0.1, 1000);
    simulated.answers = true;
    simulated.run(5., 1000);
    simulated.run(1., 1000);
    assert!(simulated.frames >= 55, "{} frames in 1 s", simulated.frames);
}

#[test]
fn the_users_limit_holds() {
    let mut simulated = SimulatedLink::new(20e6, 0.001);
    simulated.link.ceiling = Some(20e3);
    simulated.run(10., 5_000);
    let rate = (simulated.frames * 5_000) as f64 / 10.;
    assert!(rate <= 21_000., "{rate} bytes a second");
}

#[test]
fn a_multiplexer_gets_half_the_frames() {
    for terminal in [TerminalKind::Tmux, TerminalKind::GnuScreen, TerminalKind::Mosh, TerminalKind::ConPty] {
        let mut simulated = SimulatedLink::new(20e6, 0.001);
        simulated.link.set_terminal(terminal);
        simulated.link.ceiling = Some(20e6);
        simulated.run(5., 2_000);
        assert!((140..=160).contains(&simulated.frames), "{terminal:?}: {} frames in 5 s", simulated.frames);
    }
    let mut link = Link::new(true, None);
    link.set_terminal(TerminalKind::Mosh);
    assert!(!link.wants_ack(Instant::now()));
}

#[test]
fn tmux_gets_few_bytes_a_cell() {
    let mut simulated = SimulatedLink::new(20e6, 0.001);
    simulated.link.set_terminal(TerminalKind::Tmux);
    for i in 0..60 {
        simulated.run(0.1, 7_000);
        simulated.link.update_clients(ClientState::default(), simulated.now());
        assert!(simulated.link.budget(CELLS, simulated.now()) <= 7680, "in turn {i}");
    }
    assert_eq!(simulated.link.budget(CELLS, simulated.now()), 7680);
}

#[test]
fn the_time_until_the_next_frame_is_what_the_rate_leaves() {
    let now = Instant::now();
    let mut link = Link::new(true, None);
    assert_eq!(link.until_next_frame(now), Duration::ZERO);
    assert!(link.ready(now));
    link.sent(1000, true, now);
    link.ack_received(now + Duration::from_millis(1));
    let later = now + Duration::from_millis(2);
    let left = link.until_next_frame(later);
    assert!(!left.is_zero() && left < Duration::from_millis(17) && !link.ready(later), "{left:?}");
    assert!(link.until_next_frame(later + left).is_zero() && link.ready(later + left));
}
