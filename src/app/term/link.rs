//! Pacing: how much may be sent, and when, so that the screen is never behind the hand.
//!
//! Neither the room in the pty nor POLLOUT tells what is queued in an ssh channel, which swallows
//! megabytes. So each frame ends with a status request (DSR, `CSI 5 n`), which the terminal at the far
//! end answers when it has read everything before it: a fence. With one or two fences unanswered at
//! most, the newest frame is never more than that late, whatever the link. The rate of the link
//! follows from bytes and round trip; the frame rate steps down from 60 to 30 to 15 when frames take
//! longer than that to cross.
//!
//! Measured on a link of 160 kbit/s (80×24, from a key press to its effect): 170 ms with the fence,
//! never within 48 s without it.
//!
//! The time is passed in, so this is a value that a test can drive.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Where nothing has answered for this long, nothing will.
const PATIENCE: Duration = Duration::from_millis(1000);
/// Until the first answer a third frame is sent only after this long, and so on: a slow link is not
/// flooded while its answer is on the way.
const TRIAL: Duration = Duration::from_millis(250);
/// An answer that takes this long is lost (a client that detached); waiting on would freeze.
const LOST: Duration = Duration::from_millis(4000);
/// Bytes a second where nothing answers. Such a terminal is a local one: a bare console, a recorder.
const MUTE_RATE: f64 = 1e6;
/// What a frame should take to cross the link, in seconds.
const CROSSING: f64 = 0.066;
/// Frames a second.
const STEPS: [f64; 3] = [60., 30., 15.];

/// tmux answers for itself, so the fence tells nothing of its client. It drops a client's queue above
/// 8 bytes a cell (tty.c); at most 4 a frame, at most 30 frames a second, never came to that.
const TMUX_BYTES_PER_CELL: usize = 4;

#[derive(Clone, Copy, Debug)]
struct Fence {
    sent: Instant,
    /// Bytes of its frame.
    own: usize,
    /// Bytes that were on the way before them.
    ahead: usize,
}

#[derive(Debug)]
pub struct Link {
    /// Fences are sent at all.
    fenced: bool,
    tmux: bool,
    /// A ceiling set by hand, in bytes a second.
    ceiling: Option<f64>,
    flying: VecDeque<Fence>,
    /// When questions were sent that are not answered yet.
    asked: Option<Instant>,
    /// When we began to wait for the first answer of all.
    first: Option<Instant>,
    heard: bool,
    least: Duration,
    latest: Duration,
    /// Bytes a second, smoothed.
    rate: Option<f64>,
    /// Bytes a frame, smoothed.
    frame: f64,
    /// The last frame: when, and its bytes.
    last: Option<(Instant, usize)>,
}

impl Link {
    pub fn new(fenced: bool, ceiling: Option<u32>) -> Self {
        Self {
            fenced,
            tmux: false,
            ceiling: ceiling.map(f64::from),
            flying: VecDeque::new(),
            asked: None,
            first: None,
            heard: false,
            least: Duration::MAX,
            latest: Duration::ZERO,
            rate: None,
            frame: 0.,
            last: None,
        }
    }

    pub fn set_tmux(&mut self, tmux: bool) {
        self.tmux = tmux;
    }

    /// Whether the next frame should end with a status request.
    pub fn wants_fence(&self, now: Instant) -> bool {
        self.fenced && !self.is_mute(now)
    }

    /// Nothing ever answered, for long enough.
    pub fn is_mute(&self, now: Instant) -> bool {
        !self.heard && self.first.is_some_and(|first| now.saturating_duration_since(first) > PATIENCE)
    }

    /// A frame was sent, with a fence or without.
    pub fn sent(&mut self, bytes: usize, fence: bool, now: Instant) {
        self.frame = if self.last.is_none() { bytes as f64 } else { self.frame * 0.8 + bytes as f64 * 0.2 };
        self.last = Some((now, bytes));
        if fence {
            self.first.get_or_insert(now);
            let ahead = self.flying.iter().map(|fence| fence.own).sum();
            self.flying.push_back(Fence { sent: now, own: bytes, ahead });
        }
    }

    /// Questions were sent, before any frame: their answer tells the least round trip.
    pub fn asked(&mut self, now: Instant) {
        self.asked = Some(now);
    }

    /// Any answer at all: there is somebody to wait for.
    pub fn heard(&mut self, now: Instant) {
        self.heard = true;
        if let Some(asked) = self.asked.take() {
            self.latest = now.saturating_duration_since(asked);
            self.least = self.least.min(self.latest);
        }
    }

    /// A status report: the oldest fence has been reached.
    pub fn answered(&mut self, now: Instant) {
        self.heard(now);
        let Some(fence) = self.flying.pop_front() else {
            return;
        };
        let round_trip = now.saturating_duration_since(fence.sent);
        self.least = self.least.min(round_trip);
        self.latest = round_trip;
        // What the least round trip does not explain is the time the bytes took.
        let crossing = (round_trip.as_secs_f64() - 0.8 * self.least.as_secs_f64()).max(1e-4);
        let rate = (fence.own + fence.ahead) as f64 / crossing;
        self.rate = Some(self.rate.map_or(rate, |old| old * 0.7 + rate * 0.3));
    }

    /// How long the answer to what is under way will take, as far as known.
    pub fn answer_time(&self) -> Duration {
        let flying: usize = self.flying.iter().map(|fence| fence.own).sum();
        let crossing = self.rate().map_or(0., |rate| flying as f64 / rate.max(1.)).min(10.);
        self.latest.max(self.least.min(self.latest) + Duration::from_secs_f64(crossing))
    }

    /// Frames that nobody said to have read yet.
    pub fn in_flight(&self) -> usize {
        self.flying.len()
    }

    /// Bytes a second that the link takes, as far as known.
    pub fn rate(&self) -> Option<f64> {
        match (self.rate, self.ceiling) {
            (Some(rate), Some(ceiling)) => Some(rate.min(ceiling)),
            (rate, ceiling) => rate.or(ceiling),
        }
    }

    /// How many bytes the next frame should have at most.
    pub fn budget(&self, cells: usize) -> usize {
        let budget = self.rate().map_or(usize::MAX, |rate| ((rate * CROSSING) as usize).max(512));
        if self.tmux { budget.min(cells * TMUX_BYTES_PER_CELL) } else { budget }
    }

    /// Seconds that a frame takes to cross, as far as known.
    fn crossing(&self) -> f64 {
        self.rate().map_or(0., |rate| self.frame / rate.max(1.))
    }

    /// 60, 30 or 15 frames a second: the most at which frames of this size cross in time.
    pub fn fps(&self) -> f64 {
        let crossing = self.crossing();
        let fitting = STEPS.into_iter().find(|fps| crossing < 1. / fps).unwrap_or(STEPS[2]);
        if self.tmux { fitting.min(STEPS[1]) } else { fitting }
    }

    /// Frames do not cross as fast as they could be shown.
    pub fn is_slow(&self) -> bool {
        self.crossing() > 1. / STEPS[0]
    }

    /// May a frame be sent now?
    pub fn ready(&mut self, now: Instant) -> bool {
        self.give_up(now);
        let since = self.last.map_or(Duration::MAX, |(at, _)| now.saturating_duration_since(at));
        since >= self.interval(now) && self.has_room(since)
    }

    /// One frame may cross while the next is composed; a frame that takes long is waited for.
    fn has_room(&self, since: Duration) -> bool {
        let most = if self.crossing() > CROSSING { 1 } else { 2 };
        self.flying.len() < most || !self.heard && since >= TRIAL
    }

    fn give_up(&mut self, now: Instant) {
        let lost = self.flying.front().is_some_and(|fence| now.saturating_duration_since(fence.sent) > LOST);
        if lost || self.is_mute(now) {
            self.flying.clear();
        }
    }

    /// The least time between two frames: by the step of the frame rate, and by a rate that no fence
    /// enforces.
    fn interval(&self, now: Instant) -> Duration {
        // A little less than the period: a loop that asks 60 times a second must not miss every other.
        let step = 0.8 / self.fps();
        let rate = if self.is_mute(now) || !self.fenced { self.ceiling.or(Some(MUTE_RATE)) } else { self.ceiling };
        let bytes = self.last.map_or(0, |(_, bytes)| bytes) as f64;
        Duration::from_secs_f64(rate.map_or(step, |rate| step.max(bytes / rate.max(1.)).min(2.)))
    }

    /// Forgets what is under way: after a stop nobody will answer it.
    pub fn restart(&mut self) {
        self.flying.clear();
        self.last = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A link in virtual time: bytes leave at a rate, answers come back after a delay.
    struct Wire {
        link: Link,
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

        /// Runs a loop of 60 turns a second for some time, with frames of `bytes`, or of the budget.
        fn run(&mut self, seconds: f64, bytes: Option<usize>) {
            let end = self.time + seconds;
            (self.frames, self.worst) = (0, 0.);
            while self.time < end {
                self.time += 1. / 60.;
                while self.due.front().is_some_and(|&due| due <= self.time) {
                    self.due.pop_front();
                    self.link.answered(self.now());
                }
                if self.link.ready(self.now()) {
                    self.send(bytes.unwrap_or_else(|| self.link.budget(1920).min(30_000)));
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
        wire.run(5., Some(30_000));
        assert!(wire.frames >= 295, "{} of 300", wire.frames);
        assert!(wire.link.budget(1920) > 100_000);
    }

    #[test]
    fn on_a_slow_link_frames_fit_the_budget_and_are_not_late() {
        let mut wire = Wire::new(20e3, 0.04);
        wire.run(10., None);
        wire.run(10., None);
        assert!(wire.worst < 0.2, "{} s behind", wire.worst);
        assert!(wire.frames >= 60, "{} frames in 10 s", wire.frames);
    }

    #[test]
    fn frames_far_too_large_are_at_least_not_queued() {
        let mut wire = Wire::new(20e3, 0.04);
        wire.run(5., Some(30_000));
        wire.run(20., Some(30_000));
        assert!(wire.worst < 1.6, "{} s behind, a frame takes 1.5", wire.worst);
        assert_eq!(wire.link.fps(), 15.);
        assert!(wire.link.is_slow());
    }

    #[test]
    fn a_link_that_gets_faster_is_noticed() {
        let mut wire = Wire::new(20e3, 0.04);
        wire.run(10., None);
        wire.rate = 10e6;
        wire.run(10., None);
        wire.run(1., None);
        assert!(wire.frames >= 25, "{} frames in 1 s", wire.frames);
        assert!(wire.link.budget(1920) > 10_000, "{}", wire.link.budget(1920));
    }

    #[test]
    fn a_mute_terminal_is_paced_by_the_cap() {
        let mut wire = Wire::mute(Link::new(true, None), Instant::now(), 20e6, 0.);
        wire.run(3., Some(30_000));
        wire.run(2., Some(30_000));
        let rate = (wire.frames * 30_000) as f64 / 2.;
        assert!((0.5..1.05).contains(&(rate / MUTE_RATE)), "{rate} bytes a second");
        assert!(!wire.link.wants_fence(wire.now()), "it is not asked any more");
    }

    #[test]
    fn an_answer_that_is_lost_freezes_nothing_for_long() {
        let mut wire = Wire::new(20e6, 0.001);
        wire.run(2., Some(1000));
        wire.answers = false;
        wire.run(0.1, Some(1000));
        wire.answers = true;
        wire.run(5., Some(1000));
        wire.run(1., Some(1000));
        assert!(wire.frames >= 55, "{} frames in 1 s", wire.frames);
    }

    #[test]
    fn a_ceiling_set_by_hand_holds() {
        let mut wire = Wire::new(20e6, 0.001);
        wire.link.ceiling = Some(20e3);
        wire.run(10., Some(5_000));
        let rate = (wire.frames * 5_000) as f64 / 10.;
        assert!(rate <= 21_000., "{rate} bytes a second");
    }

    #[test]
    fn tmux_gets_half_the_frames_and_few_bytes_a_cell() {
        let mut wire = Wire::new(20e6, 0.001);
        wire.link.set_tmux(true);
        wire.run(5., Some(2_000));
        assert!((140..=160).contains(&wire.frames), "{} frames in 5 s", wire.frames);
        assert_eq!(wire.link.budget(1920), 7680);
    }
}
