use crate::sim::parallel::ThreadPool;
use crate::sim::{World, parallel};
use std::sync::Arc;

/// Minimum number of particles for which a step is shared among threads. Below it, two threads are no faster than one.
pub const PARALLEL_THRESHOLD: usize = 2000;

impl World {
    /// Starts as many threads as were requested, if the step is large enough, and returns how many share it.
    pub(in crate::sim) fn ensure_threads(&mut self) -> usize {
        let worth =
            if self.particles() < PARALLEL_THRESHOLD { 1 } else { self.threads.clamp(1, parallel::MAX_THREADS) };
        if self.thread_pool.workers() < worth {
            self.thread_pool = Arc::new(ThreadPool::new(worth));
            if self.thread_pool.workers() < worth {
                // The system has no more threads to give; it is not asked again every step.
                self.threads = 1;
            }
        }
        worth.min(self.thread_pool.workers())
    }

    /// Sets the number of threads that share the work of a step, from the next one on. They are started when they are first
    /// needed, and never for a tank of fewer than [`PARALLEL_THRESHOLD`] particles. The result has the same bits for any number.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads;
    }

    /// The number of threads that may share the work of a step.
    pub fn threads(&self) -> usize {
        self.threads
    }
}
