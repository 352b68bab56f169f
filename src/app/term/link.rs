//! Pacing: how much may be sent, and when, so that the screen is never behind the hand.
//!
//! Neither the room in the pty nor POLLOUT tells what is queued in an ssh channel, which swallows
//! megabytes. So each frame ends with a status request (DSR, `CSI 5 n`), which the terminal at the far
//! end answers when it has read everything before it: a fence. With at most [`IN_FLIGHT`] fences
//! unanswered the newest frame is never more than two frames late, whatever the link. The rate of the
//! link follows from bytes and round trip; the frame rate steps down from 60 to 30 to 15 when frames
//! take longer than that to cross.
//!
//! Measured on a link of 160 kbit/s (80×24, from a key press to its effect): 170 ms with the fence,
//! never within 48 s without it.
//!
//! The time is passed in, so this is a value that a test can drive.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Frames under way at once: one crossing while the next is composed.
const IN_FLIGHT: usize = 2;
/// Where nothing has answered for this long, nothing will; and an answer this late is lost.
const PATIENCE: Duration = Duration::from_millis(1000);
/// Until the first answer comes, a frame is sent this often, so a slow link is not flooded while
/// its answer is still on the way.
const TRIAL: Duration = Duration::from_millis(250);
/// Bytes a second where nothing answers. Such a terminal is a local one (a bare console, a recorder).
const MUTE_RATE: f64 = 1e6;
/// What a frame should take to cross the link.
const CROSSING: f64 = 0.066;
const STEPS: [f64; 3] = [60., 30., 15.];

/// tmux answers for itself, so the fence tells nothing of its client. It drops a client's queue above
/// 8 bytes a cell (tty.c); at most 4 a frame, at most 30 frames a second, never came to that.
const TMUX_BYTES_PER_CELL: usize = 4;
const TMUX_FPS: f64 = 30.;

#[derive(Clone, Copy, Debug)]
struct Fence {
    sent: Instant,
    /// Bytes not known to have arrived when it was sent, its own frame included.
    bytes: usize,
}

#[derive(Debug)]
pub struct Link {
    /// Fences are sent at all.
    fenced: bool,
    tmux: bool,
    /// A ceiling set by hand, in bytes a second.
    ceiling: Option<f64>,
    flying: VecDeque<Fence>,
    /// Fences given up, whose answers may still come.
    late: usize,
    /// When we began to wait for the very first answer.
    first: Option<Instant>,
    heard: bool,
    least: Duration,
    /// Bytes a second, smoothed.
    rate: Option<f64>,
    /// Bytes a frame, smoothed.
    frame: f64,
    last: Option<(Instant, usize)>,
}

impl Link {
    pub fn new(fenced: bool, ceiling: Option<u32>) -> Self {
        Self {
            fenced,
            tmux: false,
            ceiling: ceiling.map(f64::from),
            flying: VecDeque::new(),
            late: 0,
            first: None,
            heard: false,
            least: Duration::MAX,
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
    fn is_mute(&self, now: Instant) -> bool {
        !self.heard && self.first.is_some_and(|first| now.saturating_duration_since(first) > PATIENCE)
    }

    /// A frame was sent, with a fence or without.
    pub fn sent(&mut self, bytes: usize, fence: bool, now: Instant) {
        self.frame = if self.last.is_none() { bytes as f64 } else { self.frame * 0.8 + bytes as f64 * 0.2 };
        self.last = Some((now, bytes));
        if fence {
            self.first.get_or_insert(now);
            let before = self.flying.back().map_or(0, |f| f.bytes);
            self.flying.push_back(Fence { sent: now, bytes: before + bytes });
        }
    }

    /// An answer came: the oldest fence has been reached.
    pub fn answered(&mut self, now: Instant) {
        self.heard = true;
        if self.late > 0 {
            self.late -= 1;
            return;
        }
        let Some(fence) = self.flying.pop_front() else { return };
        for later in &mut self.flying {
            later.bytes = later.bytes.saturating_sub(fence.bytes);
        }
        let round_trip = now.saturating_duration_since(fence.sent);
        self.least = self.least.min(round_trip);
        // What the least round trip does not explain is the time the bytes took.
        let crossing = (round_trip.as_secs_f64() - 0.8 * self.least.as_secs_f64()).max(1e-4);
        let rate = fence.bytes as f64 / crossing;
        self.rate = Some(self.rate.map_or(rate, |old| old * 0.7 + rate * 0.3));
    }

    /// The least round trip seen.
    pub fn round_trip(&self) -> Option<Duration> {
        (self.least < Duration::MAX).then_some(self.least)
    }

    /// Frames take long enough to cross that the frame rate had to step down.
    pub fn is_slow(&self) -> bool {
        self.fps() < STEPS[0].min(if self.tmux { TMUX_FPS } else { STEPS[0] })
    }

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

    /// May a frame be sent now?
    pub fn ready(&mut self, now: Instant) -> bool {
        self.give_up(now);
        let since = self.last.map(|(at, _)| now.saturating_duration_since(at));
        let flying = self.flying.len();
        let room = if self.heard {
            self.late == 0 && flying < IN_FLIGHT || since.is_none_or(|s| s >= PATIENCE)
        } else {
            flying < IN_FLIGHT || since.is_none_or(|s| s >= TRIAL)
        };
        room && since.is_none_or(|since| since >= self.interval(now))
    }

    /// Answers do get lost (a client that detached, a stop); waiting for them for ever would freeze.
    fn give_up(&mut self, now: Instant) {
        while self.flying.front().is_some_and(|f| now.saturating_duration_since(f.sent) > PATIENCE * 2) {
            self.flying.pop_front();
            self.late += 1;
        }
        if self.is_mute(now) {
            self.flying.clear();
        }
    }

    /// The least time between two frames: by the step of the frame rate, and by the rate of the link
    /// where only that is known.
    fn interval(&self, now: Instant) -> Duration {
        // A little less than the period: a loop that asks 60 times a second must not miss every other.
        let step = Duration::from_secs_f64(0.8 / self.fps());
        let rate = if self.is_mute(now) { Some(self.ceiling.unwrap_or(MUTE_RATE)) } else { self.ceiling };
        let bytes = self.last.map_or(0, |(_, bytes)| bytes);
        rate.map_or(step, |rate| step.max(Duration::from_secs_f64((bytes as f64 / rate.max(1.)).min(2.))))
    }

    /// 60, 30 or 15: the most at which frames of this size cross in time.
    pub fn fps(&self) -> f64 {
        let crossing = self.rate().map_or(0., |rate| self.frame / rate.max(1.));
        let most = if self.tmux { TMUX_FPS } else { STEPS[0] };
        let fitting = STEPS.into_iter().find(|fps| crossing < 1. / fps);
        fitting.unwrap_or(STEPS[2]).min(most)
    }

    /// Forgets what is under way: after a stop nobody will answer it.
    pub fn restart(&mut self) {
        self.flying.clear();
        self.late = 0;
        self.last = None;
    }
}
