//! Acks: status requests behind frames, and what their answers tell of the link.
//!
//! The time is passed in, so this is a value that a test can drive.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Where nothing has answered for this long, nothing will.
const PATIENCE: Duration = Duration::from_millis(1000);
/// An answer that takes this long is lost (a client that detached); waiting on would freeze.
const LOST: Duration = Duration::from_millis(4000);
/// How many times the rate known so far a better figure is taken for, at most.
const JUMP: f64 = 1.5;
/// A frame that takes so many seconds to cross tells of a slow link, however few bytes it has.
const SLOW: f64 = 0.1;

#[derive(Clone, Copy, Debug)]
struct PendingAck {
    sent: Instant,
    /// Bytes of its frame.
    own: usize,
    /// Bytes that were on the way before them.
    ahead: usize,
}

/// The fences under way, and what those before them told.
#[derive(Debug, Default)]
pub struct Acks {
    flying: VecDeque<PendingAck>,
    /// When the latest was answered.
    answered: Option<Instant>,
    /// When questions were sent that are not answered yet.
    asked: Option<Instant>,
    /// When we began to wait for the first answer of all.
    first: Option<Instant>,
    heard: bool,
    /// Round trips.
    least: Option<Duration>,
    latest: Duration,
    /// Bytes a second, smoothed.
    rate: Option<f64>,
}

impl Acks {
    /// A fence was sent behind a frame of so many bytes.
    pub fn sent(&mut self, bytes: usize, now: Instant) {
        self.first.get_or_insert(now);
        let ahead = self.under_way();
        self.flying.push_back(PendingAck { sent: now, own: bytes, ahead });
    }

    /// Questions were sent, before any frame: their answer tells the least round trip.
    pub fn asked(&mut self, now: Instant) {
        self.asked = Some(now);
    }

    /// Any answer at all: there is somebody to wait for.
    pub fn heard(&mut self, now: Instant) {
        self.heard = true;
        if let Some(asked) = self.asked.take() {
            self.took(now.saturating_duration_since(asked));
        }
    }

    /// The oldest fence has been reached. That the link got slower is taken only from a frame that it would have needed
    /// `telling` seconds for as it was.
    pub fn answered(&mut self, telling: f64, now: Instant) {
        self.heard(now);
        let Some(fence) = self.flying.pop_front() else { return };
        let round_trip = now.saturating_duration_since(fence.sent);
        let least = self.took(round_trip);
        // What the least round trip does not explain is the time the bytes took, those ahead among them.
        let (all, own) = ((fence.own + fence.ahead) as f64, fence.own.max(1) as f64);
        let crossing = (round_trip.as_secs_f64() - 0.8 * least.as_secs_f64()).max(1e-4);
        // But some of those ahead had crossed by then. Its own began when those were across, or else when they were sent.
        let before = self.answered.replace(now).map_or(round_trip, |before| now.saturating_duration_since(before));
        let own_crossing = before.min(round_trip.saturating_sub(least)).as_secs_f64();
        let crossing = crossing.max(own_crossing * all / own);
        self.learn_rate(all, crossing, telling);
    }

    /// ClusterCache a round trip and tells the least one.
    fn took(&mut self, round_trip: Duration) -> Duration {
        self.latest = round_trip;
        *self.least.insert(self.least.map_or(round_trip, |least| least.min(round_trip)))
    }

    /// Whatever else keeps an answer, as a busy machine does, makes the link look slower than it is and never faster:
    /// so a better figure counts for more than a worse one, and a worse one only if the bytes were enough to matter or
    /// took long. But two answers that were held up together make the second look early, so no single figure counts
    /// for much.
    fn learn_rate(&mut self, bytes: f64, crossing: f64, telling: f64) {
        let (rate, old) = (bytes / crossing, self.rate.unwrap_or(0.));
        if self.rate.is_none() {
            self.rate = Some(rate);
        } else if rate > old {
            self.rate = Some((old + rate.min(old * JUMP)) / 2.);
        } else if bytes > old * telling || crossing > SLOW {
            self.rate = Some(old * 0.8 + rate * 0.2);
        }
    }

    /// Bytes a second that the link takes, as far as known.
    pub fn rate(&self) -> Option<f64> {
        self.rate
    }

    /// The least round trip so far.
    pub fn least(&self) -> Option<Duration> {
        self.least
    }

    /// How long the answer to what is under way will take at such a rate.
    pub fn answer_time(&self, rate: Option<f64>) -> Duration {
        let crossing = rate.map_or(0., |rate| self.under_way() as f64 / rate.max(1.)).min(10.);
        self.latest.max(self.least.unwrap_or_default() + Duration::from_secs_f64(crossing))
    }

    /// Bytes of the frames that nobody said to have read yet.
    fn under_way(&self) -> usize {
        self.flying.iter().map(|fence| fence.own).sum()
    }

    /// How many frames these are.
    pub fn len(&self) -> usize {
        self.flying.len()
    }

    /// Somebody has answered.
    pub fn is_heard(&self) -> bool {
        self.heard
    }

    /// Nothing ever answered, for long enough.
    pub fn is_mute(&self, now: Instant) -> bool {
        !self.heard && self.first.is_some_and(|first| now.saturating_duration_since(first) > PATIENCE)
    }

    /// Gives up what will not be answered.
    pub fn give_up(&mut self, now: Instant) {
        let lost = self.flying.front().is_some_and(|fence| now.saturating_duration_since(fence.sent) > LOST);
        if lost || self.is_mute(now) {
            self.flying.clear();
        }
    }

    /// Forgets what is under way: after a stop nobody will answer it.
    pub fn clear(&mut self) {
        self.flying.clear();
    }
}
