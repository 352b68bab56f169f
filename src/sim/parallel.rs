//! The thread pool: a few long-lived threads (rayon's). A step is moved into the pool once ([`ThreadPool::install`]), and workers
//! are kept awake for its length: waking one takes longer than a pass may (60 µs). A pass writes to its own chunk only and never
//! sums across chunks, so any number of threads gives the same bits.

pub mod instructions;

use rayon_core::{ThreadPoolBuilder, Yield};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

/// Maximum number of threads of a world.
pub const MAX_THREADS: usize = 64;

/// Number of failed attempts after which an idle worker may sleep: longer than a chunk takes.
const SPIN_LIMIT: u32 = 1000;

#[derive(Debug)]
pub struct ThreadPool {
    /// `None` for one worker: the calling thread then does the work.
    pool: Option<rayon_core::ThreadPool>,
    threads: Vec<JoinHandle<()>>,
}

impl ThreadPool {
    /// Starts `workers` threads, at most [`MAX_THREADS`]; none if one is enough or the system has no more.
    pub fn new(workers: usize) -> Self {
        Self::named("slosh", workers)
    }

    /// Starts threads with `name` in lists of threads.
    pub fn named(name: &str, workers: usize) -> Self {
        let mut threads = Vec::new();
        let pool = ThreadPoolBuilder::new().num_threads(workers.min(MAX_THREADS)).spawn_handler(|worker| {
            let thread = thread::Builder::new().name(format!("{name} {}", worker.index()));
            threads.push(thread.spawn(|| worker.run())?);
            Ok(())
        });
        let pool = if workers > 1 { pool.build().ok() } else { None };
        Self { pool, threads }
    }

    pub fn workers(&self) -> usize {
        self.pool.as_ref().map_or(1, rayon_core::ThreadPool::current_num_threads)
    }

    /// [`join`] reaches all workers of the pool in `work`. A panic in it continues here.
    pub fn install<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.pool {
            Some(pool) => pool.install(|| keep_worker_awake(work)),
            None => work(),
        }
    }
}

/// Runs `work` while another worker is kept awake for it.
fn keep_worker_awake<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let over = AtomicBool::new(false);
    let caller = rayon_core::current_thread_index();
    let work = || {
        let _over = SetOnDrop(&over);
        work()
    };
    // The calling thread itself may pick this up while it waits for others, and must not stay in it.
    let spin_worker = || {
        if rayon_core::current_thread_index() != caller {
            help_until(&over);
        }
    };
    rayon_core::join(work, spin_worker).0
}

/// Runs available work until it is `over`, or there has been none for long.
fn help_until(over: &AtomicBool) {
    let mut idle = 0;
    while !over.load(Ordering::Acquire) && idle < SPIN_LIMIT {
        match rayon_core::yield_now() {
            Some(Yield::Executed) => idle = 0,
            _ => {
                idle += 1;
                thread::yield_now();
            }
        }
    }
}

/// A flag that is set when this is dropped, also by a panic.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

impl Drop for ThreadPool {
    /// Stops the threads and waits until they have ended.
    fn drop(&mut self) {
        self.pool = None;
        for thread in self.threads.drain(..) {
            // A panic has already been reported by `work`.
            let _ = thread.join();
        }
    }
}

/// Runs both, on two workers if another one is free. For work within [`ThreadPool::install`].
pub fn join(one: impl FnOnce() + Send, other: impl FnOnce() + Send) {
    let done = AtomicBool::new(false);
    let one = || {
        one();
        help_until(&done);
    };
    let other = || {
        let _done = SetOnDrop(&done);
        other();
    };
    rayon_core::join(one, other);
}

/// Number of threads that this machine runs at once.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get).min(MAX_THREADS)
}
