//! The peaks of the machine, measured in the same run: arithmetic and memory.

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};
use fearless_simd_macros::simd;
use serde::Serialize;
use slosh::sim::parallel::instructions::Instructions;
use std::array::from_fn;
use std::hint::black_box;
use std::sync::Barrier;
use std::time::Instant;

/// The peaks of this many cores together.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Peaks {
    pub threads: usize,
    /// f32 multiplications and additions per second.
    pub flops: f64,
    /// Bytes per second, from and to memory outside of all caches.
    pub bandwidth: f64,
}

/// Dependent chains that run in parallel: enough for two multipliers and two adders with a latency of four cycles each,
/// and few enough for the 16 registers without AVX-512.
const CHAINS: usize = 10;

/// Operations of each chain; one run takes about a millisecond.
const LINKS: usize = 300_000;

/// Elements of each of the triad's three arrays: 64 MiB, so that a single one exceeds the last cache of most machines.
const ELEMENTS: usize = 16 << 20;

/// Number of runs; the best counts, because other programs only make a run slower.
const GOES: usize = 8;

impl Peaks {
    /// Measures the peaks of `threads` cores with these instructions.
    pub fn measure(threads: usize, instructions: Instructions) -> Self {
        let level = instructions.level().unwrap_or_else(Level::new);
        let flops = best_of(threads, || (), |()| multiply_and_add(level, LINKS));
        let bandwidth = best_of(threads, || Triad::new(threads), Triad::run);
        Self { threads, flops, bandwidth }
    }
}

/// The most work per second that `threads` threads together do in one run.
fn best_of<T>(threads: usize, make: impl Fn() -> T + Sync, work: impl Fn(&mut T) -> f64 + Sync) -> f64 {
    let together = Barrier::new(threads);
    let alone = || {
        let mut own = make();
        let go = |_| {
            together.wait();
            let start = Instant::now();
            let done = work(&mut own);
            done / start.elapsed().as_secs_f64()
        };
        (0..GOES).map(go).collect::<Vec<f64>>()
    };
    let rates: Vec<Vec<f64>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(alone)).collect();
        workers.into_iter().map(|worker| worker.join().expect("a peak measures itself without panicking")).collect()
    });
    (0..GOES).map(|go| rates.iter().map(|worker| worker[go]).sum()).fold(0.0, f64::max)
}

/// Register arithmetic as in the solver: full registers, a multiplication and an addition, not fused (as in the solver,
/// for equal bits on all machines). Returns the number of operations.
fn multiply_and_add(level: Level, links: usize) -> f64 {
    dispatch!(level, simd => multiply_and_add_with(simd, links))
}

#[simd]
fn multiply_and_add_with<S: Simd>(simd: S, links: usize) -> f64 {
    let number = |number: f32| S::f32s::splat(simd, black_box(number));
    let (factor, term) = (number(0.999), number(0.001));
    let mut chains: [_; CHAINS] = from_fn(|chain| number(chain as f32));
    for _ in 0..links {
        for chain in &mut chains {
            *chain = *chain * factor + term;
        }
    }
    let sum = chains.into_iter().fold(term, |sum, chain| sum + chain);
    black_box(sum.as_slice()[0]);
    (links * CHAINS * S::f32s::LEN * 2) as f64
}

/// STREAM's triad `a = b + s c`, with the arrays divided among the threads.
struct Triad([Vec<f32>; 3]);

impl Triad {
    fn new(threads: usize) -> Self {
        Self([0.0, 1.0, 2.0].map(|value| vec![value + black_box(0.5); ELEMENTS / threads]))
    }

    /// Returns the bytes that were moved, counted as STREAM does: twelve per element.
    fn run(&mut self) -> f64 {
        let [a, b, c] = &mut self.0;
        let scale = black_box(3.0);
        for ((a, b), c) in a.iter_mut().zip(&*b).zip(&*c) {
            *a = b + scale * c;
        }
        black_box(&a[a.len() / 2]);
        12.0 * a.len() as f64
    }
}
