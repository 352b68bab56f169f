//! What the machine could do at most, measured in the same run as what we do: arithmetic and memory.

use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};
use fearless_simd_macros::simd;
use serde::Serialize;
use slosh::sim::parallel::instructions::Instructions;
use std::array::from_fn;
use std::hint::black_box;
use std::sync::Barrier;
use std::time::Instant;

/// The peaks of so many cores at once.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Peaks {
    pub threads: usize,
    /// f32 multiplications and additions a second.
    pub flops: f64,
    /// Bytes a second, from and to memory that no cache holds.
    pub bandwidth: f64,
}

/// Chains of dependent operations that run side by side: enough to fill two multipliers and two adders of four cycles'
/// latency each, and few enough for the 16 registers that there are without AVX-512.
const CHAINS: usize = 10;

/// Links of each chain; one go takes about a millisecond.
const LINKS: usize = 300_000;

/// Elements of each of the triad's three arrays: 64 MiB, beyond the last cache of most machines already one by one.
const ELEMENTS: usize = 16 << 20;

/// The best of so many goes counts: other programs only make a run slower.
const GOES: usize = 8;

impl Peaks {
    /// Those of `threads` cores that use these instructions.
    pub fn measure(threads: usize, instructions: Instructions) -> Self {
        let level = instructions.level().unwrap_or_else(Level::new);
        let flops = best_of(threads, || (), |()| multiply_and_add(level, LINKS));
        let bandwidth = best_of(threads, || Triad::new(threads), Triad::run);
        Self { threads, flops, bandwidth }
    }
}

/// The most work a second that `threads` of them get done in one go together.
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

/// Register arithmetic of the kind that the solver uses: whole registers, a multiplication and an addition, not fused (the
/// solver's are not either, for the sake of equal bits everywhere). Returns the operations done.
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

/// STREAM's triad `a = b + s c`, the arrays shared out among the threads.
struct Triad([Vec<f32>; 3]);

impl Triad {
    fn new(threads: usize) -> Self {
        Self([0.0, 1.0, 2.0].map(|value| vec![value + black_box(0.5); ELEMENTS / threads]))
    }

    /// Returns the bytes that went to and fro, counted as STREAM does: twelve an element.
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
