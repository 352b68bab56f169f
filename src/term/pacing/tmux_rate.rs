//! The rate to tmux, which replies itself, so that replies do not measure the link to its client.
//!
//! Congestion shows late, when kilobytes are queued: the tty of the client is not writable, or tmux has discarded bytes. So the
//! rate is doubled until a sign appears, and then stays well below that for minutes. Behind ssh no sign appears before megabytes
//! are queued, so the rate stays at what a slow link carries; `--bandwidth` raises it.

use std::time::{Duration, Instant};

const INITIAL_RATE: f64 = 64e3;
/// Bytes per second to a client behind ssh.
const REMOTE_RATE: f64 = 16e3;
const MAX_RATE: f64 = 4e6;
const MIN_RATE: f64 = 4e3;
const DOUBLE_EVERY: Duration = Duration::from_millis(500);
/// Factors on the rate after the first sign of congestion, when it has been doubled about twice too often, and after further
/// signs.
const FIRST_CUT: f64 = 0.15;
const REPEATED_CUT: f64 = 0.5;
/// Time for which the rate stays after a sign before it is doubled again.
const COOLDOWN: Duration = Duration::from_secs(120);
/// Capacity of a pty in bytes, which the client must read before sending resumes.
const PTY_QUEUE: f64 = 18e3;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientState {
    /// A client is reached over ssh.
    pub remote: bool,
    /// The tty of a client is not writable.
    pub blocked: bool,
    pub discarded: u64,
    pub detached: bool,
    /// Every client's terminal has 24-bit colours.
    pub true_color: bool,
}

#[derive(Debug, Default)]
pub struct TmuxRate {
    pub rate: f64,
    /// `None` before the first report.
    discarded: Option<u64>,
    /// The rate has had its value since then; the bytes sent since.
    since: Option<Instant>,
    bytes: f64,
    cooldown_until: Option<Instant>,
    /// Nothing is sent before that.
    paused_until: Option<Instant>,
}

impl TmuxRate {
    pub fn new() -> Self {
        Self { rate: REMOTE_RATE, ..Self::default() }
    }

    pub fn sent(&mut self, bytes: usize) {
        self.bytes += bytes as f64;
    }

    pub fn is_paused(&self, now: Instant) -> bool {
        self.paused_until.is_some_and(|until| now < until)
    }

    pub fn update(&mut self, clients: ClientState, now: Instant) {
        let before = self.discarded.replace(clients.discarded);
        let has_discarded = before.is_some_and(|before| clients.discarded > before);
        if before.is_none() && !clients.remote {
            self.set_rate(INITIAL_RATE, now);
        }
        if (clients.blocked || has_discarded) && !self.is_paused(now) {
            self.back_off(now);
        } else if clients.remote {
            self.set_rate(self.rate.min(REMOTE_RATE), now);
        } else {
            self.grow(now);
        }
    }

    fn back_off(&mut self, now: Instant) {
        // A sign within the cooldown means that the first cut was not enough.
        let again = self.cooldown_until.is_some_and(|until| now < until);
        self.set_rate((self.rate * if again { REPEATED_CUT } else { FIRST_CUT }).max(MIN_RATE), now);
        self.cooldown_until = Some(now + COOLDOWN);
        self.paused_until = Some(now + Duration::from_secs_f64(PTY_QUEUE / self.rate));
    }

    fn grow(&mut self, now: Instant) {
        let since = *self.since.get_or_insert(now);
        let passed = now.saturating_duration_since(since);
        if passed < DOUBLE_EVERY || self.cooldown_until.is_some_and(|until| now < until) {
            return;
        }
        let used = self.bytes > self.rate * passed.as_secs_f64() / 2.;
        self.set_rate(if used { (self.rate * 2.).min(MAX_RATE) } else { self.rate }, now);
    }

    fn set_rate(&mut self, rate: f64, now: Instant) {
        (self.rate, self.since, self.bytes) = (rate, Some(now), 0.);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulates a client whose terminal buffers 18 KB and reads at `rate`. Returns the controller and the longest
    /// queue, after a while.
    fn run(rate: f64, remote: bool, seconds: f64) -> (TmuxRate, f64) {
        let (start, mut tmux_rate, mut queue, mut worst) = (Instant::now(), TmuxRate::new(), 0f64, 0f64);
        let frame = 1. / 30.;
        for i in 0..(seconds / frame) as u32 {
            let time = f64::from(i) * frame;
            let now = start + Duration::from_secs_f64(time);
            queue = (queue - rate * frame).max(0.);
            tmux_rate
                .update(ClientState { remote, blocked: queue > PTY_QUEUE && !remote, ..ClientState::default() }, now);
            if !tmux_rate.is_paused(now) {
                let bytes = tmux_rate.rate * frame;
                tmux_rate.sent(bytes as usize);
                queue += bytes;
            }
            if time > seconds / 2. {
                worst = worst.max(queue);
            }
        }
        (tmux_rate, worst)
    }

    #[test]
    fn a_slow_client_is_detected_and_then_never_behind() {
        for rate in [10e3, 20e3, 50e3, 100e3, 300e3] {
            let (tmux_rate, queued) = run(rate, false, 20.);
            assert!((0.1..0.99).contains(&(tmux_rate.rate / rate)), "{} of {rate}", tmux_rate.rate);
            assert!(queued < rate * 0.1, "{queued} bytes queued at {rate} a second");
        }
    }

    #[test]
    fn a_fast_client_gets_all() {
        assert_eq!(run(50e6, false, 20.).0.rate, MAX_RATE);
    }

    #[test]
    fn the_rate_is_not_raised_behind_ssh() {
        assert_eq!(run(50e6, true, 20.).0.rate, REMOTE_RATE);
    }

    #[test]
    fn an_unused_rate_does_not_grow() {
        let (start, mut tmux_rate) = (Instant::now(), TmuxRate::new());
        for i in 0..100 {
            tmux_rate.update(ClientState::default(), start + Duration::from_millis(i * 100));
            tmux_rate.sent(100);
        }
        assert_eq!(tmux_rate.rate, INITIAL_RATE);
    }

    #[test]
    fn discarded_bytes_count_once() {
        let (start, mut tmux_rate) = (Instant::now(), TmuxRate::new());
        tmux_rate.update(ClientState { discarded: 500, ..ClientState::default() }, start);
        assert_eq!(tmux_rate.rate, INITIAL_RATE, "that was before us");
        tmux_rate.update(ClientState { discarded: 900, ..ClientState::default() }, start);
        assert_eq!(tmux_rate.rate, INITIAL_RATE * FIRST_CUT);
        tmux_rate.update(ClientState { discarded: 900, ..ClientState::default() }, start + Duration::from_secs(10));
        assert_eq!(tmux_rate.rate, INITIAL_RATE * FIRST_CUT, "told once");
    }
}
