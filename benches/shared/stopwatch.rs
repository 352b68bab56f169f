//! A stopwatch for runs of several parts each, with medians and lower deciles; and the usual sizes of a window.

use serde::Serialize;
use slosh::app::action::Window;
use slosh::sim::observer::Pass;
use slosh::sim::{World, observer};
use std::ops::Range;
use std::time::{Duration, Instant};

/// The sizes at which figures of the picture are given.
pub const USUAL_SIZES: [Window; 3] = [
    Window { columns: 80, rows: 24, cell: [0, 0] },
    Window { columns: 120, rows: 40, cell: [0, 0] },
    Window { columns: 200, rows: 60, cell: [0, 0] },
];

/// A part of a step or of a frame, and its median time.
#[derive(Debug, Serialize)]
pub struct Part {
    pub name: &'static str,
    pub ms: f64,
}

/// A stopwatch for runs of N parts each.
pub struct Stopwatch<const N: usize> {
    last: Instant,
    run: [f64; N],
    /// Milliseconds of each part.
    runs: Vec<[f64; N]>,
}

impl<const N: usize> Default for Stopwatch<N> {
    fn default() -> Self {
        Self { last: Instant::now(), run: [0.0; N], runs: Vec::new() }
    }
}

impl<const N: usize> Stopwatch<N> {
    pub fn start(&mut self) {
        (self.last, self.run) = (Instant::now(), [0.0; N]);
    }

    /// Adds the time since the last lap to `part`.
    pub fn lap(&mut self, part: usize) {
        let now = Instant::now();
        self.run[part] += (now - self.last).as_secs_f64() * 1000.0;
        self.last = now;
    }

    pub fn finish(&mut self) {
        self.runs.push(self.run);
    }

    pub fn parts(&self, names: [&'static str; N]) -> Vec<Part> {
        names.into_iter().enumerate().map(|(part, name)| Part { name, ms: self.median_of(part) }).collect()
    }

    /// Returns the sum of the parts' medians: the time of a run that is not interrupted. On a busy machine nearly every
    /// run is interrupted somewhere, and the median over entire runs would measure the other programs.
    pub fn median_total(&self) -> f64 {
        (0..N).map(|part| self.median_of(part)).sum()
    }

    pub fn median_of(&self, part: usize) -> f64 {
        self.quantile(part, 0.5)
    }

    /// Returns the lower decile of a part: its time where no other program interrupts it. A virtual processor may be
    /// taken away for seconds: medians of the same pass differed by two fifths between runs, lower deciles by a
    /// twentieth.
    pub fn best_of(&self, part: usize) -> f64 {
        self.quantile(part, 0.1)
    }

    /// Returns the sum of the parts' lower deciles.
    pub fn best_total(&self) -> f64 {
        (0..N).map(|part| self.best_of(part)).sum()
    }

    fn quantile(&self, part: usize, share: f64) -> f64 {
        quantile(self.runs.iter().map(|run| run[part]), share)
    }
}

/// Returns the quantile `share` of the values; 0 without values.
pub fn quantile(values: impl Iterator<Item = f64>, share: f64) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get((values.len() as f64 * share) as usize).copied().unwrap_or(0.0)
}

/// A stopwatch for the passes of a step.
pub type Passes = Stopwatch<{ Pass::ALL.len() }>;

impl Passes {
    /// Times steps of a tank that is kept awake, because a sleeping one costs nothing. Makes at least `runs.start`
    /// steps, then continues up to `runs.end` until `patience` is over.
    pub fn time(world: &mut World, runs: Range<usize>, patience: Duration) -> Self {
        let mut laps = Self::default();
        let start = Instant::now();
        while laps.runs.len() < runs.start || (laps.runs.len() < runs.end && start.elapsed() < patience) {
            laps.step(world);
        }
        laps
    }

    /// Times steps for as long as `turn`, at least one. Returns the number of steps per second.
    pub fn take_turn(&mut self, world: &mut World, turn: Duration) -> f64 {
        let (start, before) = (Instant::now(), self.runs.len());
        self.step(world);
        while start.elapsed() < turn {
            self.step(world);
        }
        (self.runs.len() - before) as f64 / start.elapsed().as_secs_f64()
    }

    fn step(&mut self, world: &mut World) {
        world.wake();
        self.start();
        world.step_observed(self);
        self.finish();
    }
}

impl observer::StepObserver for Passes {
    fn pass_finished(&mut self, pass: Pass) {
        self.lap(pass as usize);
    }
}

/// Returns the processor time of this thread, in seconds.
#[cfg(unix)]
pub fn processor_time() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

#[cfg(not(unix))]
pub fn processor_time() -> f64 {
    use std::sync::OnceLock;
    static START: OnceLock<std::time::Instant> = OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed().as_secs_f64()
}
