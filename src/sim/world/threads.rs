//! How many threads share a step.

use crate::sim::World;
use crate::sim::parallel;
use crate::sim::parallel::Crew;
use std::sync::Arc;

/// The fewest particles whose step is shared among threads. With two threads a step of four substeps took, as a share of
/// one thread's time, 1.02 at 1,000 particles, 0.88 at 2,000, 0.76 at 4,000 and 0.57 at 20,000.
pub const SHARED_FROM: usize = 2000;

impl World {
    /// Sees to it that there are as many threads as were asked for, if there is enough to do, and says how many share
    /// the step.
    pub(in crate::sim) fn hire(&mut self) -> usize {
        let worth = if self.particles() < SHARED_FROM { 1 } else { self.threads.clamp(1, parallel::MOST_THREADS) };
        if self.crew.hands() < worth {
            self.crew = Arc::new(Crew::new(worth));
            if self.crew.hands() < worth {
                // The system has no more threads to give; it is not asked again every step.
                self.threads = 1;
            }
        }
        worth.min(self.crew.hands())
    }

    /// Lets so many threads share the work of a step, from the next one on. They are hired when they are first needed,
    /// and never for a tank of fewer than [`SHARED_FROM`] particles, where sharing costs more than it saves.
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
