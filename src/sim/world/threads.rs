//! How many threads share a step.

use crate::sim::World;
use crate::sim::parallel;
use crate::sim::parallel::ThreadPool;
use std::sync::Arc;

/// The fewest particles whose step is shared among threads. With two threads a step of four substeps took, as a share of
/// one thread's time, 1.02 at 1,000 particles, 0.88 at 2,000, 0.76 at 4,000 and 0.57 at 20,000.
pub const PARALLEL_THRESHOLD: usize = 2000;

impl World {
    /// Sees to it that there are as many threads as were asked for, if there is enough to do, and says how many share
    /// the step.
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

    /// Lets so many threads share the work of a step, from the next one on. They are started when they are first needed,
    /// and never for a tank of fewer than [`PARALLEL_THRESHOLD`] particles, where sharing costs more than it saves.
    ///
    /// The result is the same bits, whatever the number. A good number is that of the machine's cores
    /// ([`parallel::cores`]), or one where these are busy with something else.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads;
    }

    /// How many threads may share the work of a step.
    pub fn threads(&self) -> usize {
        self.threads
    }
}
