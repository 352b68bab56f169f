//! A world from a scene's text, and its run for some seconds.

use slosh::scene::Scene;
use slosh::sim::{PARALLEL_THRESHOLD, World, WorldOptions};

pub fn world(text: &str, particles: usize) -> World {
    let scene = Scene::parse(text, "test.toml").expect("a sound scene").world;
    World::new(&scene, &WorldOptions { particles: Some(particles), ..WorldOptions::default() })
}

pub fn run(world: &mut World, seconds: f64) {
    (0..(60.0 * seconds).round() as u32).for_each(|_| world.step());
}

/// Asserts that several threads share a step of this world, as a comparison of threads needs.
#[track_caller]
pub fn assert_shared(world: &World) {
    let particles = world.particles();
    assert!(particles >= PARALLEL_THRESHOLD, "{particles} particles run on one thread");
}
