//! How much tmux is given, whose answers tell nothing of its client.
//!
//! What tells is that the client's own terminal takes no more (its tty is not writable), and that tmux threw bytes
//! away. Both come late, when kilobytes are queued: so the rate is found once, at the start, by doubling it while it is
//! used and nothing complains, and then kept well below for long. Where the client is itself clients ssh nothing
//! complains before megabytes are queued, so there the rate stays at what a slow line bears; `--bandwidth` raises it.
//!
//! tmux 3.3a, a client that reads 20 KB/s, key to screen: 828/1782/2214 ms without this; 85/122/158 with it,
//! and nothing thrown away.

use std::time::{Duration, Instant};

/// Bytes a second to begin with; and clients ssh, for good.
const INITIAL_RATE: f64 = 64e3;
const REMOTE_RATE: f64 = 16e3;
/// More is not asked for.
const MAX_RATE: f64 = 4e6;
const MIN_RATE: f64 = 4e3;
/// How often a rate that was used is doubled.
const DOUBLE_EVERY: Duration = Duration::from_millis(500);
/// After a complaint: what is left of the rate. It was doubled about twice since it was right, and tmux makes a third
/// more bytes of ours. What is still too much after that is halved.
const FIRST_CUT: f64 = 0.15;
const REPEATED_CUT: f64 = 0.5;
/// And how long it stays so, before the next trial.
const COOLDOWN: Duration = Duration::from_secs(120);
/// What a pty holds, and must be gone before we go on.
const PTY_QUEUE: f64 = 18e3;

/// What is known of those who look at a pane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClientState {
    /// One of the clients is reached over ssh.
    pub remote: bool,
    /// One of their terminals takes no more.
    pub blocked: bool,
    /// Bytes thrown away so far.
    pub discarded: u64,
    /// There are none.
    pub detached: bool,
}

#[derive(Debug)]
pub struct TmuxRate {
    rate: f64,
    discarded: u64,
    /// Since when the rate has been what it is, and the bytes sent since.
    since: Option<Instant>,
    bytes: f64,
    /// Not doubled again before.
    cooldown_until: Option<Instant>,
    /// Nothing is sent before.
    paused_until: Option<Instant>,
    has_state: bool,
}

impl Default for TmuxRate {
    fn default() -> Self {
        Self {
            rate: REMOTE_RATE,
            discarded: 0,
            since: None,
            bytes: 0.,
            cooldown_until: None,
            paused_until: None,
            has_state: false,
        }
    }
}

impl TmuxRate {
    /// Bytes a second.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    pub fn sent(&mut self, bytes: usize) {
        self.bytes += bytes as f64;
    }

    pub fn is_paused(&self, now: Instant) -> bool {
        self.paused_until.is_some_and(|until| now < until)
    }

    /// This is how it stands now.
    pub fn update(&mut self, clients: ClientState, now: Instant) {
        let has_discarded = clients.discarded > self.discarded && self.has_state;
        self.discarded = clients.discarded;
        if !self.has_state && !clients.remote {
            self.set_rate(INITIAL_RATE, now);
        }
        self.has_state = true;
        if (clients.blocked || has_discarded) && !self.is_paused(now) {
            self.back_off(now);
        } else if clients.remote {
            self.set_rate(self.rate.min(REMOTE_RATE), now);
        } else {
            self.grow(now);
        }
    }

    fn back_off(&mut self, now: Instant) {
        // What is still too much after a pause was cut before.
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

    /// A client whose terminal holds 18 KB and reads at some rate; and the most that was queued for it, after a while.
    fn run(rate: f64, remote: bool, seconds: f64) -> (TmuxRate, f64) {
        let (start, mut tmux_rate, mut queue, mut worst) = (Instant::now(), TmuxRate::default(), 0f64, 0f64);
        let frame = 1. / 30.;
        for i in 0..(seconds / frame) as u32 {
            let time = f64::from(i) * frame;
            let now = start + Duration::from_secs_f64(time);
            queue = (queue - rate * frame).max(0.);
            tmux_rate
                .update(ClientState { remote, blocked: queue > PTY_QUEUE && !remote, ..ClientState::default() }, now);
            if !tmux_rate.is_paused(now) {
                let bytes = tmux_rate.rate() * frame;
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
    fn a_slow_client_is_found_out_and_then_never_behind() {
        for rate in [10e3, 20e3, 50e3, 100e3, 300e3] {
            let (tmux_rate, queued) = run(rate, false, 20.);
            assert!((0.1..0.99).contains(&(tmux_rate.rate() / rate)), "{} of {rate}", tmux_rate.rate());
            assert!(queued < rate * 0.1, "{queued} bytes queued at {rate} a second");
        }
    }

    #[test]
    fn a_fast_client_gets_all() {
        assert_eq!(run(50e6, false, 20.).0.rate(), MAX_RATE);
    }

    #[test]
    fn behind_ssh_nothing_is_tried() {
        assert_eq!(run(50e6, true, 20.).0.rate(), REMOTE_RATE);
    }

    #[test]
    fn what_is_not_used_does_not_grow() {
        let (start, mut tmux_rate) = (Instant::now(), TmuxRate::default());
        for i in 0..100 {
            tmux_rate.update(ClientState::default(), start + Duration::from_millis(i * 100));
            tmux_rate.sent(100);
        }
        assert_eq!(tmux_rate.rate(), INITIAL_RATE);
    }

    #[test]
    fn bytes_thrown_away_count_once() {
        let (start, mut tmux_rate) = (Instant::now(), TmuxRate::default());
        tmux_rate.update(ClientState { discarded: 500, ..ClientState::default() }, start);
        assert_eq!(tmux_rate.rate(), INITIAL_RATE, "that was before us");
        tmux_rate.update(ClientState { discarded: 900, ..ClientState::default() }, start);
        assert_eq!(tmux_rate.rate(), INITIAL_RATE * FIRST_CUT);
        tmux_rate.update(ClientState { discarded: 900, ..ClientState::default() }, start + Duration::from_secs(10));
        assert_eq!(tmux_rate.rate(), INITIAL_RATE * FIRST_CUT, "told once");
    }
}
