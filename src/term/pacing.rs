//! Pacing: when a frame may be sent and how many bytes it may have, so that the screen stays close behind the input.
//!
//! Each frame ends with a status request (DSR, `CSI 5 n`), because neither the room in the pty nor POLLOUT shows what an ssh
//! channel has queued. Two frames are unacknowledged at most, or on a long link as many as are under way without a queue; bytes and
//! round trip give the rate of the link. A busy machine and a long link are told from a slow one by probes: status requests without
//! a frame.

pub(crate) mod acks;
pub(crate) mod quality_ladder;
#[cfg(unix)]
pub(crate) mod tmux;
pub(crate) mod tmux_rate;

use std::time::{Duration, Instant};

use crate::term::capabilities::TerminalKind;
use crate::term::encoder::rate_control::LAMBDA_FINE;
use crate::term::pacing::acks::Acks;
use crate::term::pacing::quality_ladder::QualityLadder;
use crate::term::pacing::tmux_rate::{ClientState, TmuxRate};

/// Minimum time before a third frame, and each further one, while the first reply is outstanding.
const PROBE_INTERVAL: Duration = Duration::from_millis(250);
/// Minimum time and number of round trips between two probes, while quality is reduced: at most a tenth of the time.
const DELAY_PROBE_INTERVAL: Duration = Duration::from_millis(100);
const ROUND_TRIPS_PER_PROBE: u32 = 10;
/// Bytes per second to a terminal that does not reply, which is local: a console, or a recorder.
const UNANSWERED_RATE: f64 = 1e6;
/// Bytes of a frame while the rate is unknown; 0.15 s at 20 KB/s.
const UNKNOWN_LINK_BUDGET: usize = 3000;
const MIN_BUDGET: usize = 512;
/// Part of the frame interval that the transfer of a frame may take; the rest is for the reply.
const CROSSING_FRACTION: f64 = 0.75;
/// Transfer time of a frame, in seconds, where no network limits the rate: ten whole frames a second are seen as motion.
const LOCAL_CROSSING_SECONDS: f64 = 0.1;
/// Bytes in a second that a terminal on this machine must have read before that: a serial line is not known by variables.
const LOCAL_BYTES: usize = 100_000;
/// Bytes per second from which a limit set by the user says that the network is fast.
const FAST_NETWORK: f64 = 1e6;
/// A transfer shorter than this, in seconds, delays no later frame.
const NEGLIGIBLE_SECONDS: f64 = 0.008;
/// Limits what waits when a link becomes slow all of a sudden: 30 frames a second at a round trip of 0.5 s.
const MAX_FRAMES_UNDER_WAY: usize = 16;
/// Frames per second to a multiplexer, which replies itself, so the link to its client cannot be measured.
const MULTIPLEXER_FPS: f64 = 30.;
/// Bytes of a frame to the Windows pseudo console, which parses each write and renders it again.
const CONPTY_BYTES: usize = 16_000;

/// Bytes of a frame per cell in tmux, which drops the queue of a client above 8 bytes per cell (tty.c).
const TMUX_BYTES_PER_CELL: usize = 4;

#[derive(Debug, Default)]
pub struct Link {
    acks_enabled: bool,
    terminal: TerminalKind,
    pub(super) local: bool,
    pub(super) ladder: QualityLadder,
    tmux_rate: Option<TmuxRate>,
    /// The user's limit, in bytes per second.
    ceiling: Option<f64>,
    /// The limit that another program has chosen, in bytes per second; the user's own also holds.
    pub share: Option<f64>,
    pub(super) acks: Acks,
    mean_frame_bytes: f64,
    /// The last frame was coarser than it would be on a fast link.
    reduced: bool,
    last_probe: Option<Instant>,
    frame_start: Option<Instant>,
    /// The beginning and the bytes of the last frame. The interval counts from the beginning, because the time to compute a frame
    /// varies.
    last: Option<(Instant, usize)>,
}

impl Link {
    /// `acks_enabled`: the terminal replies to status requests. `ceiling`: the user's limit, in bytes per second.
    pub fn new(acks_enabled: bool, ceiling: Option<u32>) -> Self {
        Self { acks_enabled, ceiling: ceiling.map(f64::from), ..Self::default() }
    }

    pub fn set_terminal(&mut self, terminal: TerminalKind) {
        self.terminal = terminal;
        // mosh's local end replies at once, so its replies do not measure the link.
        self.acks_enabled &= terminal != TerminalKind::Mosh;
        match terminal {
            TerminalKind::Tmux => drop(self.tmux_rate.get_or_insert_with(TmuxRate::new)),
            _ => self.tmux_rate = None,
        }
    }

    pub fn update_clients(&mut self, behind: ClientState, now: Instant) {
        if let Some(tmux_rate) = &mut self.tmux_rate {
            tmux_rate.update(behind, now);
        }
    }

    pub fn record_lambda(&mut self, lambda: u32, now: Instant) {
        self.ladder.record(lambda, now);
        self.reduced = lambda > LAMBDA_FINE || self.ladder.level > 0;
    }

    fn is_probe_due(&self, now: Instant) -> bool {
        let interval = DELAY_PROBE_INTERVAL.max(self.acks.last_round_trip * ROUND_TRIPS_PER_PROBE);
        let since = self.last_probe.map_or(Duration::MAX, |at| now.saturating_duration_since(at));
        self.acks_enabled && self.acks.has_replied && self.reduced && since >= interval
    }

    /// Whether a probe should be sent now, before the frame; once nothing is in flight.
    pub fn wants_probe(&self, now: Instant) -> bool {
        self.is_probe_due(now) && self.acks.in_flight.is_empty()
    }

    pub fn probe_sent(&mut self, now: Instant) {
        self.last_probe = Some(now);
        self.acks.sent(0, now);
    }

    pub fn wants_ack(&self, now: Instant) -> bool {
        self.acks_enabled && !self.acks.is_silent(now)
    }

    /// Records that a frame was sent, with a status request if `ack`.
    pub fn sent(&mut self, bytes: usize, ack: bool, now: Instant) {
        self.mean_frame_bytes =
            if self.last.is_none() { bytes as f64 } else { self.mean_frame_bytes * 0.8 + bytes as f64 * 0.2 };
        self.last = Some((self.frame_start.take().unwrap_or(now), bytes));
        if let Some(tmux_rate) = &mut self.tmux_rate {
            tmux_rate.sent(bytes);
        }
        if ack {
            self.acks.sent(bytes, now);
        }
    }

    pub fn ack_received(&mut self, now: Instant) {
        self.acks.ack_received(CROSSING_FRACTION / self.fps() / 4., now);
    }

    pub fn reply_time(&self) -> Duration {
        self.acks.reply_time(self.rate())
    }

    pub fn rate(&self) -> Option<f64> {
        let rate = least([self.acks.rate, self.ceiling()])?;
        least([Some(rate), self.share])
    }

    fn ceiling(&self) -> Option<f64> {
        self.ceiling.or(self.tmux_rate.as_ref().map(|tmux| tmux.rate))
    }

    pub fn budget(&self, cells: usize, now: Instant) -> usize {
        let rate = self.rate().or_else(|| (!self.wants_ack(now)).then_some(UNANSWERED_RATE));
        let budget =
            rate.map_or(UNKNOWN_LINK_BUDGET, |rate| ((rate * self.crossing_seconds()) as usize).max(MIN_BUDGET));
        match self.terminal {
            TerminalKind::Tmux => budget.min(cells * TMUX_BYTES_PER_CELL),
            TerminalKind::ConPty => budget.min(CONPTY_BYTES),
            _ => budget,
        }
    }

    fn crossing_seconds(&self) -> f64 {
        let proven = self.local && self.acks.most_in_a_second >= LOCAL_BYTES;
        let fast = proven || self.ceiling.is_some_and(|ceiling| ceiling >= FAST_NETWORK);
        if fast && self.terminal == TerminalKind::Emulator && self.acks.has_replied {
            LOCAL_CROSSING_SECONDS
        } else {
            CROSSING_FRACTION / self.fps()
        }
    }

    pub fn fps(&self) -> f64 {
        match self.terminal {
            TerminalKind::Tmux | TerminalKind::GnuScreen | TerminalKind::Mosh | TerminalKind::ConPty => {
                self.ladder.fps().min(MULTIPLEXER_FPS)
            }
            _ => self.ladder.fps(),
        }
    }

    pub fn ready(&mut self, now: Instant) -> bool {
        self.acks.drop_lost(now);
        let since = self.since_last(now);
        let paused = self.tmux_rate.as_ref().is_some_and(|tmux_rate| tmux_rate.is_paused(now));
        let drains = self.is_probe_due(now) && !self.acks.in_flight.is_empty();
        let ready = !paused
            && self.until_next_frame(now).is_zero()
            && !drains
            && (!self.is_full() || !self.acks.has_replied && since >= PROBE_INTERVAL);
        self.frame_start = ready.then_some(now);
        ready
    }

    /// Time until the frame rate allows the next frame. An acknowledgement that it waits for wakes the application.
    pub fn until_next_frame(&self, now: Instant) -> Duration {
        self.interval(now).saturating_sub(self.since_last(now))
    }

    fn since_last(&self, now: Instant) -> Duration {
        self.last.map_or(Duration::MAX, |(at, _)| now.saturating_duration_since(at))
    }

    /// A second frame is sent before the first is acknowledged if the round trip is longer than the transfer, because the link
    /// would be idle otherwise, or if the transfer is negligible, so that a busy machine's late reply costs no frame. Further ones
    /// are, while all bytes under way take no longer to transfer than a round trip: they wait for no others.
    pub fn is_full(&self) -> bool {
        let frames = self.acks.in_flight.len();
        let (Some(rate), Some(delay)) = (self.rate(), self.acks.min_round_trip) else {
            return frames >= 2;
        };
        let seconds = |bytes: f64| bytes / rate.max(1.);
        let transfer = seconds(self.mean_frame_bytes);
        let is_idle = seconds(self.acks.bytes_in_flight() as f64) + transfer <= delay.as_secs_f64();
        match frames {
            0 => false,
            1 => transfer >= NEGLIGIBLE_SECONDS && transfer >= delay.as_secs_f64(),
            _ => !is_idle || frames >= MAX_FRAMES_UNDER_WAY,
        }
    }

    /// Minimum time between two frames: by the frame rate, and by the upper limit of the rate where no acknowledgement enforces
    /// it.
    fn interval(&self, now: Instant) -> Duration {
        // The minimum is a little less than the period, so that a loop that runs 60 times a second does not skip every
        // other frame.
        let step = 0.8 / self.fps();
        let rate = self.ceiling().or_else(|| (!self.wants_ack(now)).then_some(UNANSWERED_RATE));
        let bytes = self.last.map_or(0, |(_, bytes)| bytes) as f64;
        Duration::from_secs_f64(least([rate, self.share]).map_or(step, |rate| step.max(bytes / rate.max(1.)).min(2.)))
    }

    /// After the process was stopped, no acknowledgement arrives.
    pub fn reset(&mut self) {
        self.acks.in_flight.clear();
        (self.frame_start, self.last) = (None, None);
    }
}

fn least(rates: [Option<f64>; 2]) -> Option<f64> {
    rates.into_iter().flatten().reduce(f64::min)
}

#[cfg(test)]
mod tests;
