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
    /// Acks are sent at all.
    fenced: bool,
    host: TerminalKind,
    pace: QualityLadder,
    /// In tmux.
    throttle: Option<TmuxRate>,
    /// A ceiling set by hand, in bytes a second.
    ceiling: Option<f64>,
    fences: Acks,
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
            host: TerminalKind::Emulator,
            pace: QualityLadder::default(),
            throttle: None,
            ceiling: ceiling.map(f64::from),
            fences: Acks::default(),
            frame: 0.,
            begun: None,
            last: None,
        }
    }

    pub fn set_host(&mut self, host: TerminalKind) {
        self.host = host;
        // mosh would answer, at once and about nothing.
        self.fenced &= host != TerminalKind::Mosh;
        match host {
            TerminalKind::Tmux => drop(self.throttle.get_or_insert_default()),
            _ => self.throttle = None,
        }
    }

    /// How it stands between tmux and its clients.
    pub fn look_behind(&mut self, behind: ClientState, now: Instant) {
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
        self.ceiling.or(self.throttle.as_ref().map(TmuxRate::rate))
    }

    /// How many bytes the next frame should have at most.
    pub fn budget(&self, cells: usize, now: Instant) -> usize {
        let rate = self.rate().or_else(|| self.is_blind(now).then_some(MUTE_RATE));
        let budget = rate.map_or(UNKNOWN, |rate| ((rate * SHARE / self.fps()) as usize).max(LEAST));
        match self.host {
            TerminalKind::Tmux => budget.min(cells * TMUX_BYTES_PER_CELL),
            TerminalKind::ConPty => budget.min(CONPTY_BYTES),
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
            TerminalKind::Tmux | TerminalKind::GnuScreen | TerminalKind::Mosh | TerminalKind::ConPty => {
                self.pace.fps().min(SECOND_HAND_FPS)
            }
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
mod tests;
