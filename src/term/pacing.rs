//! Pacing: how much may be sent, and when, so that the screen is never behind the hand.
//!
//! Neither the room in the pty nor POLLOUT tells what is queued in an ssh channel, which swallows
//! megabytes. So each frame ends with a status request (DSR, `CSI 5 n`), which the terminal at the far
//! end answers when it has read everything before it: a ack. With one or two acks unanswered at
//! most, the newest frame is never more than that late, whatever the link. The rate of the link
//! follows from bytes and round trip, and from the rate what a frame may have.
//!
//! From a key press to its effect on a link of 160 kbit/s at 80×24 (`cargo bench --bench link`), ms, median/90 %/worst:
//! no ack at all: no key within 48 s; two frames of 66 ms always: 133/247/333; one of 50 ms: 102/142/274.
//!
//! The time is passed in, so this is a value that a test can drive.

pub(crate) mod acks;
pub(crate) mod quality_ladder;
#[cfg(unix)]
pub(crate) mod tmux;
pub(crate) mod tmux_rate;
pub(crate) mod write_buffer;

use std::time::{Duration, Instant};

use crate::cell::color::ColorDepth;
use crate::term::capabilities::TerminalKind;
use crate::term::pacing::acks::Acks;
use crate::term::pacing::quality_ladder::QualityLadder;
use crate::term::pacing::tmux_rate::{ClientState, TmuxRate};

/// Until the first answer a third frame is sent only after this long, and so on: a slow link is not
/// flooded while its answer is on the way.
const PROBE_INTERVAL: Duration = Duration::from_millis(250);
/// Bytes a second where nothing answers. Such a terminal is a local one: a bare console, a recorder.
const UNANSWERED_RATE: f64 = 1e6;
/// What a frame may have as long as the link is not known. At 20 KB/s that is .15 s, and no more than two are sent
/// before an answer; where answers come at once the second frame is as rich as it likes.
const UNKNOWN_LINK_BUDGET: usize = 3000;
/// The least that a frame may have: less shows nothing.
const MIN_BUDGET: usize = 512;
/// What share of the time between two frames one may take to cross; the rest is for the answer's way back.
const CROSSING_FRACTION: f64 = 0.75;
/// A frame that crosses in less than this queues up for nobody, in seconds.
const NEGLIGIBLE_SECONDS: f64 = 0.008;
/// Who answers for himself hides the link behind him, and shows no more frames a second than this.
const MULTIPLEXER_FPS: f64 = 30.;
/// Windows' pseudo console parses and renders each write anew: one of more than this holds up the next.
const CONPTY_BYTES: usize = 16_000;

/// tmux answers for itself, so the ack tells nothing of its client. It drops a client's queue above
/// 8 bytes a cell (tty.c); at most 4 a frame, at most 30 frames a second, never came to that.
const TMUX_BYTES_PER_CELL: usize = 4;

#[derive(Debug)]
pub struct Link {
    /// Acks are sent at all.
    acks_enabled: bool,
    terminal: TerminalKind,
    ladder: QualityLadder,
    /// In tmux.
    tmux_rate: Option<TmuxRate>,
    /// A ceiling set by hand, in bytes a second.
    ceiling: Option<f64>,
    acks: Acks,
    /// Bytes a frame, smoothed.
    mean_frame_bytes: f64,
    /// When the frame that is being made was frame_start.
    frame_start: Option<Instant>,
    /// The last frame: when it was frame_start, and its bytes. One takes longer to make than another: if they were counted
    /// from when they are sent, one that takes no time would come too early behind one that did, and wait for the next
    /// turn.
    last: Option<(Instant, usize)>,
}

impl Link {
    pub fn new(acks_enabled: bool, ceiling: Option<u32>) -> Self {
        Self {
            acks_enabled,
            terminal: TerminalKind::Emulator,
            ladder: QualityLadder::default(),
            tmux_rate: None,
            ceiling: ceiling.map(f64::from),
            acks: Acks::default(),
            mean_frame_bytes: 0.,
            frame_start: None,
            last: None,
        }
    }

    pub fn set_terminal(&mut self, terminal: TerminalKind) {
        self.terminal = terminal;
        // mosh would answer, at once and about nothing.
        self.acks_enabled &= terminal != TerminalKind::Mosh;
        match terminal {
            TerminalKind::Tmux => drop(self.tmux_rate.get_or_insert_default()),
            _ => self.tmux_rate = None,
        }
    }

    /// How it stands between tmux and its clients.
    pub fn update_clients(&mut self, behind: ClientState, now: Instant) {
        if let Some(tmux_rate) = &mut self.tmux_rate {
            tmux_rate.update(behind, now);
        }
    }

    /// A frame was encoded at this λ.
    pub fn record_lambda(&mut self, lambda: u32, now: Instant) {
        self.ladder.record(lambda, now);
    }

    /// The most colours that the link has bytes for.
    pub fn depth(&self) -> ColorDepth {
        self.ladder.depth()
    }

    /// Whether the next frame should end with a status request.
    pub fn wants_ack(&self, now: Instant) -> bool {
        self.acks_enabled && !self.is_silent(now)
    }

    /// Nothing ever ack_received, for long enough.
    pub fn is_silent(&self, now: Instant) -> bool {
        self.acks.is_silent(now)
    }

    /// A frame was sent, with a ack or without.
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

    /// Questions were sent, before any frame: their answer tells the least round trip.
    pub fn queries_sent(&mut self, now: Instant) {
        self.acks.queries_sent(now);
    }

    /// Any answer at all: there is somebody to wait for.
    pub fn reply_received(&mut self, now: Instant) {
        self.acks.reply_received(now);
    }

    /// A status report: the oldest ack has been reached.
    pub fn ack_received(&mut self, now: Instant) {
        self.acks.ack_received(CROSSING_FRACTION / self.fps() / 4., now);
    }

    /// How long the answer to what is under way will take, as far as known.
    pub fn reply_time(&self) -> Duration {
        self.acks.reply_time(self.rate())
    }

    /// Frames that nobody said to have read yet.
    pub fn in_flight(&self) -> usize {
        self.acks.len()
    }

    /// Bytes a second that the link takes, as far as known.
    pub fn rate(&self) -> Option<f64> {
        match (self.acks.rate(), self.ceiling()) {
            (Some(rate), Some(ceiling)) => Some(rate.min(ceiling)),
            (rate, ceiling) => rate.or(ceiling),
        }
    }

    /// What may be sent, whatever is ack_received: as the user says, else as tmux lets us think.
    fn ceiling(&self) -> Option<f64> {
        self.ceiling.or(self.tmux_rate.as_ref().map(TmuxRate::rate))
    }

    /// How many bytes the next frame should have at most.
    pub fn budget(&self, cells: usize, now: Instant) -> usize {
        let rate = self.rate().or_else(|| self.is_unanswered(now).then_some(UNANSWERED_RATE));
        let budget =
            rate.map_or(UNKNOWN_LINK_BUDGET, |rate| ((rate * CROSSING_FRACTION / self.fps()) as usize).max(MIN_BUDGET));
        match self.terminal {
            TerminalKind::Tmux => budget.min(cells * TMUX_BYTES_PER_CELL),
            TerminalKind::ConPty => budget.min(CONPTY_BYTES),
            _ => budget,
        }
    }

    /// Nobody answers, or is queries_sent.
    fn is_unanswered(&self, now: Instant) -> bool {
        !self.acks_enabled || self.is_silent(now)
    }

    /// Seconds that a frame takes to cross, as far as known.
    fn transfer_seconds(&self) -> f64 {
        self.rate().map_or(0., |rate| self.mean_frame_bytes / rate.max(1.))
    }

    /// Frames a second, at most.
    pub fn fps(&self) -> f64 {
        match self.terminal {
            TerminalKind::Tmux | TerminalKind::GnuScreen | TerminalKind::Mosh | TerminalKind::ConPty => {
                self.ladder.fps().min(MULTIPLEXER_FPS)
            }
            _ => self.ladder.fps(),
        }
    }

    /// May a frame be sent that is frame_start now?
    pub fn ready(&mut self, now: Instant) -> bool {
        self.acks.drop_lost(now);
        let since = self.last.map_or(Duration::MAX, |(at, _)| now.saturating_duration_since(at));
        let paused = self.tmux_rate.as_ref().is_some_and(|tmux_rate| tmux_rate.is_paused(now));
        let ready = !paused && since >= self.interval(now) && self.allows_in_flight(since);
        self.frame_start = ready.then_some(now);
        ready
    }

    /// A second frame goes out before the first is ack_received only where the answer's way is longer than the frame's:
    /// there the line would lie idle, and elsewhere the second only queues. Or where a frame is across at once: then
    /// an answer that a busy machine keeps back costs no frame.
    fn allows_in_flight(&self, since: Duration) -> bool {
        let far = self.acks.min_round_trip().is_some_and(|least| least.as_secs_f64() > self.transfer_seconds());
        let reply_received = self.acks.has_replied();
        let most = if far || self.transfer_seconds() < NEGLIGIBLE_SECONDS || !reply_received { 2 } else { 1 };
        self.acks.len() < most || !reply_received && since >= PROBE_INTERVAL
    }

    /// The least time between two frames: by the step of the frame rate, and by a rate that no ack
    /// enforces.
    fn interval(&self, now: Instant) -> Duration {
        // A little less than the period: a loop that asks 60 times a second must not miss every other.
        let step = 0.8 / self.fps();
        let rate = if self.is_unanswered(now) { self.ceiling().or(Some(UNANSWERED_RATE)) } else { self.ceiling() };
        let bytes = self.last.map_or(0, |(_, bytes)| bytes) as f64;
        Duration::from_secs_f64(rate.map_or(step, |rate| step.max(bytes / rate.max(1.)).min(2.)))
    }

    /// Forgets what is under way: after a stop nobody will answer it.
    pub fn reset(&mut self) {
        self.acks.clear();
        (self.frame_start, self.last) = (None, None);
    }
}

#[cfg(test)]
mod tests;
