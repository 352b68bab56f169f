//! Acknowledgements: status requests behind frames, and what their replies measure.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Time without any reply after which the terminal is taken to be one that never replies.
const TIMEOUT: Duration = Duration::from_millis(1000);
/// Delay after which an acknowledgement counts as lost (a client has detached), so that the picture does not freeze.
const LOST_AFTER: Duration = Duration::from_millis(4000);
/// The rate rises by this fraction at most with the replies to two frames, or to all that were under way, if those were more:
/// replies that were delayed together make it too high.
const MAX_RATE_RISE: f64 = 1.0;
/// A transfer of this many seconds indicates a slow link, whatever the number of bytes.
const SLOW_SECONDS: f64 = 0.1;
/// Time for which probes count, and the same in round trips: on a long link they are rare.
const DELAY_VALID: Duration = Duration::from_millis(2000);
const ROUND_TRIPS_VALID: u32 = 20;
/// Maximum error of a delay that probes have measured, in seconds, and of one that frames have, as a fraction: the least round
/// trip of a frame contains its transfer.
const PROBED_ERROR: f64 = 0.02;
const UNPROBED_ERROR: f64 = 0.2;

#[derive(Clone, Copy, Debug)]
pub struct PendingAck {
    sent: Instant,
    /// Bytes of its frame; 0 for a probe.
    bytes: usize,
    /// Bytes of earlier frames that were in flight when it was sent.
    bytes_ahead: usize,
    frames_ahead: usize,
    /// The first reply since it was sent, and the bytes that it acknowledged.
    first_reply: Option<(Instant, usize)>,
}

/// Round trips of probes, smoothed as in TCP (Jacobson 1988): the mean and the mean deviation, which is large on a busy machine.
#[derive(Clone, Copy, Debug)]
struct ProbeDelay {
    mean: Duration,
    deviation: Duration,
    at: Instant,
}

impl ProbeDelay {
    fn after(self, round_trip: Duration, at: Instant) -> Self {
        let off = self.mean.abs_diff(round_trip);
        Self { mean: (self.mean * 3 + round_trip) / 4, deviation: (self.deviation * 3 + off) / 4, at }
    }

    fn is_valid(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.at) < DELAY_VALID.max(self.mean * ROUND_TRIPS_VALID)
    }
}

#[derive(Debug, Default)]
pub struct Acks {
    pub in_flight: VecDeque<PendingAck>,
    last_ack: Option<Instant>,
    pub queries_sent_at: Option<Instant>,
    /// The very first reply has been waited for since then.
    waiting_since: Option<Instant>,
    pub has_replied: bool,
    pub min_round_trip: Option<Duration>,
    pub last_round_trip: Duration,
    probes: Option<ProbeDelay>,
    /// In bytes per second.
    pub rate: Option<f64>,
    /// Beginning of the current second, and the bytes acknowledged since.
    second: Option<(Instant, usize)>,
    /// The rate may be too high for a while, after a burst; this is not.
    pub most_in_a_second: usize,
}

impl Acks {
    /// Counts a frame of so many bytes, or a probe, which has none and is sent while nothing is in flight: its round trip is the
    /// delay that bytes do not cause.
    pub fn sent(&mut self, bytes: usize, now: Instant) {
        self.waiting_since.get_or_insert(now);
        let (bytes_ahead, frames_ahead) = (self.bytes_in_flight(), self.in_flight.len());
        self.in_flight.push_back(PendingAck { sent: now, bytes, bytes_ahead, frames_ahead, first_reply: None });
    }

    pub fn reply_received(&mut self, now: Instant) {
        self.has_replied = true;
        if let Some(queries_sent) = self.queries_sent_at.take() {
            self.record_round_trip(now.saturating_duration_since(queries_sent));
        }
    }

    /// The rate is lowered only if the transfer would have taken `min_seconds` at the rate so far.
    pub fn ack_received(&mut self, min_seconds: f64, now: Instant) {
        self.reply_received(now);
        let Some(ack) = self.in_flight.pop_front() else { return };
        let round_trip = now.saturating_duration_since(ack.sent);
        let least = self.record_round_trip(round_trip);
        let before = self.last_ack.replace(now).map_or(round_trip, |before| now.saturating_duration_since(before));
        if ack.bytes == 0 {
            let former = self.probes.filter(|probes| probes.is_valid(now));
            let first = ProbeDelay { mean: round_trip, deviation: Duration::ZERO, at: now };
            self.probes = Some(former.map_or(first, |probes| probes.after(round_trip, now)));
            return;
        }
        self.count(ack.bytes, now);
        for frame in &mut self.in_flight {
            frame.first_reply.get_or_insert((now, ack.bytes));
        }
        // A busy machine delays every reply, whatever the number of bytes: the mean plus two deviations, or four, as in TCP, where
        // many replies are under way.
        let probes = self.probes.filter(|probes| probes.is_valid(now));
        let deviations = if ack.frames_ahead > 1 { 4 } else { 2 };
        let delay = probes.map_or(least, |probes| (probes.mean + probes.deviation * deviations).max(least));
        // The rest of the round trip is the transfer of the bytes in flight at that time.
        let (all, bytes) = ((ack.bytes + ack.bytes_ahead) as f64, ack.bytes as f64);
        let error = UNPROBED_ERROR * delay.as_secs_f64();
        let error = if probes.is_some() { error.min(PROBED_ERROR) } else { error };
        let transfer = (round_trip.as_secs_f64() - delay.as_secs_f64() + error).max(1e-4);
        // The transfer of the frame's own bytes began when the bytes ahead had arrived, or when the frame was sent, if that was
        // later. It takes as long as that of the others since the first reply: one interval alone varies.
        let interval = match ack.first_reply {
            Some((first, acknowledged)) if ack.frames_ahead > 1 => {
                let share = bytes / (all - acknowledged as f64).max(1.);
                now.saturating_duration_since(first).mul_f64(share)
            }
            _ => before,
        };
        let own_transfer = interval.min(round_trip.saturating_sub(delay)).as_secs_f64();
        let transfer = transfer.max(own_transfer * all / bytes);
        let max_step = 1. + MAX_RATE_RISE / (1 + ack.frames_ahead).max(2) as f64;
        self.update_rate(all, transfer, min_seconds, max_step);
    }

    fn count(&mut self, bytes: usize, now: Instant) {
        let (start, sum) = self.second.get_or_insert((now, 0));
        if now.saturating_duration_since(*start) >= Duration::from_secs(1) {
            (*start, *sum) = (now, 0);
        }
        *sum += bytes;
        self.most_in_a_second = self.most_in_a_second.max(*sum);
    }

    fn record_round_trip(&mut self, round_trip: Duration) -> Duration {
        self.last_round_trip = round_trip;
        let least = self.min_round_trip.map_or(round_trip, |least| least.min(round_trip));
        *self.min_round_trip.insert(least)
    }

    /// Other delays make a measured rate too low, so a higher rate has more weight than a lower one, and a lower one counts only
    /// if the bytes were many or took long.
    fn update_rate(&mut self, bytes: f64, transfer: f64, min_seconds: f64, max_step: f64) {
        let (rate, old) = (bytes / transfer, self.rate.unwrap_or(0.));
        if self.rate.is_none() {
            self.rate = Some(rate);
        } else if rate > old {
            self.rate = Some((old + rate.min(old * max_step)) / 2.);
        } else if bytes > old * min_seconds || transfer > SLOW_SECONDS {
            self.rate = Some(old * 0.8 + rate * 0.2);
        }
    }

    pub fn reply_time(&self, rate: Option<f64>) -> Duration {
        let transfer = rate.map_or(0., |rate| self.bytes_in_flight() as f64 / rate.max(1.)).min(10.);
        self.last_round_trip.max(self.min_round_trip.unwrap_or_default() + Duration::from_secs_f64(transfer))
    }

    pub fn bytes_in_flight(&self) -> usize {
        self.in_flight.iter().map(|ack| ack.bytes).sum()
    }

    /// Whether the terminal has never replied, and is not expected to.
    pub fn is_silent(&self, now: Instant) -> bool {
        !self.has_replied
            && self.waiting_since.is_some_and(|waiting_since| now.saturating_duration_since(waiting_since) > TIMEOUT)
    }

    pub fn drop_lost(&mut self, now: Instant) {
        let lost = self.in_flight.front().is_some_and(|ack| now.saturating_duration_since(ack.sent) > LOST_AFTER);
        if lost || self.is_silent(now) {
            self.in_flight.clear();
        }
    }
}
