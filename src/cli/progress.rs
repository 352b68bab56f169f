//! A bar on standard error for jobs that take a while. Nothing at all where standard error is no terminal.
//!
//! indicatif would do it, with four more crates for a line that has thirty.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

/// Shorter jobs need no bar; and how often it is drawn.
const LONG: Duration = Duration::from_millis(800);
const OFTEN: Duration = Duration::from_millis(100);

const WIDTH: u64 = 30;

#[derive(Debug)]
pub struct Progress {
    total: u64,
    began: Instant,
    drawn: Option<Instant>,
    seen: bool,
}

impl Progress {
    /// Of so many parts.
    pub fn new(total: u64) -> Self {
        Self { total: total.max(1), began: Instant::now(), drawn: None, seen: stderr().is_terminal() }
    }

    /// So many parts are done.
    pub fn at(&mut self, done: u64) {
        let now = Instant::now();
        let recent = self.drawn.is_some_and(|drawn| now - drawn < OFTEN);
        if !self.seen || recent || now - self.began < LONG {
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
