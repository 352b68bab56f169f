//! Once warm, a step on several threads allocates nothing on any of them, except in rayon's queue: each step adds one
//! entry, and every 63 entries take a new block.
//!
//! The counter of `allocation.rs` counts for one thread, this one for all. So this program has only one test.

#![allow(unsafe_code, reason = "a counting allocator")]

use slosh::scene;
use slosh::scene::Scene;
use slosh::sim::{World, WorldOptions};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

static COUNT: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// SAFETY: all calls go to the system's allocator; counting does not touch the memory.
#[allow(unsafe_code, reason = "an allocator cannot be counted without")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller guarantees the conditions.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller guarantees the conditions.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller guarantees the conditions.
        unsafe { System.dealloc(block, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn warm_steps_shared_among_threads_allocate_only_rayons_queue() {
    for name in ["jelly", "sph-splash"] {
        let scene = Scene::parse(scene::find(name).expect("it is embedded"), name).expect("it is sound").world;
        for threads in [2, 3] {
            let mut world =
                World::new(&scene, &WorldOptions { particles: Some(2600), threads, ..WorldOptions::default() });
            (0..60).for_each(|_| world.step());
            let before = COUNT.load(Ordering::Relaxed);
            (0..60).for_each(|_| world.step());
            let count = COUNT.load(Ordering::Relaxed) - before;
            assert!(count <= 2, "{name} on {threads} threads: {count} times in 60 steps");
        }
    }
    let before = COUNT.load(Ordering::Relaxed);
    drop(std::hint::black_box(vec![0u8; 100]));
    assert_eq!(COUNT.load(Ordering::Relaxed), before + 1, "the counter counts");
}
