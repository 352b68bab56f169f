//! A progress bar on standard error for long jobs, in thirty lines; the crate indicatif adds four more crates.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

const MIN_DURATION: Duration = Duration::from_millis(800);
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);

/// Width of the bar in cells. With its text the bar fits a window of 80 columns.
const WIDTH: u64 = 30;

pub struct Progress {
    total: u64,
    began: Instant,
    drawn: Option<Instant>,
    seen: bool,
}

impl Progress {
    pub fn new(total: u64) -> Self {
        Self { total: total.max(1), began: Instant::now(), drawn: None, seen: stderr().is_terminal() }
    }

    pub fn at(&mut self, done: u64) {
        let now = Instant::now();
        let recent = self.drawn.is_some_and(|drawn| now - drawn < UPDATE_INTERVAL);
        if !self.seen || recent || now - self.began < MIN_DURATION {
            return;
        }
        self.drawn = Some(now);
        let left = (now - self.began).as_secs_f64() / done.max(1) as f64 * self.total.saturating_sub(done) as f64;
        let full = (WIDTH * done / self.total) as usize;
        let bar: String = (0..WIDTH as usize).map(|cell| if cell < full { '#' } else { '-' }).collect();
        let _ = write!(stderr(), "\r[{bar}] {:3} %, {left:.0} s left \x1b[K", 100 * done / self.total);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.drawn.is_some() {
            let _ = write!(stderr(), "\r\x1b[K");
        }
    }
}
