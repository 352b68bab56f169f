//! Parts of a tank at rest sleep while others move, without a visible difference.

use crate::play::assert_shared;
use glam::Vec2;
use slosh::sim::boundary::region::Region;
use slosh::sim::definition::WorldDef;
use slosh::sim::forces::{PointerForce, PointerForceKind};
use slosh::sim::{World, WorldOptions};
use std::sync::LazyLock;

/// A long shallow pool.
fn pool(particles: usize) -> WorldDef {
    WorldDef { particles, liquid: vec![Region::Box([0.0, 0.0, 1.0, 0.3]).into()], ..WorldDef::default() }
}

fn settled(particles: usize) -> World {
    let mut world = World::new(&pool(particles), &WorldOptions { aspect: 6.0, ..WorldOptions::default() });
    while !world.is_asleep() {
        world.step();
        assert!(world.time() < 60.0, "the pool never comes to rest: {} m/s", world.stats().max_speed);
    }
    world
}

/// Five thousand particles at rest.
fn still_water() -> &'static World {
    static WORLD: LazyLock<World> = LazyLock::new(|| settled(3000));
    &WORLD
}

/// Stirs a little in the lower left corner.
fn stir(world: &mut World, step: u32) {
    let velocity = Vec2::from_angle(step as f32 * 0.2) * 0.05;
    world.add_pointer_force(PointerForce {
        at: Vec2::splat(0.08),
        radius: 0.06,
        kind: PointerForceKind::Push { velocity },
    });
}

#[test]
fn a_stir_in_a_corner_leaves_the_rest_asleep() {
    let mut world = still_water().clone();
    let mut awake = 0;
    for step in 0..240 {
        stir(&mut world, step);
        world.step();
        awake += world.awake();
    }
    let share = awake as f64 / 240.0 / world.particles() as f64;
    assert!(share > 0.01, "no particle was stirred");
    assert!(share < 0.6, "{share} of all were awake");
}

/// The level at the far wall over three seconds, after a disturbance at the near one.
fn far_surface(allow_sleep: bool) -> Vec<f64> {
    let mut world = still_water().clone();
    world.set_allow_sleep(allow_sleep);
    // Long enough for particles that the setter woke to fall asleep again.
    (0..100).for_each(|_| world.step());
    (0..180)
        .map(|step| {
            if step < 12 {
                let velocity = Vec2::new(2.0, 0.0);
                world.add_pointer_force(PointerForce {
                    at: Vec2::new(0.3, 0.2),
                    radius: 0.4,
                    kind: PointerForceKind::Push { velocity },
                });
            }
            world.step();
            world.stats().surface[2]
        })
        .collect()
}

#[test]
fn a_wave_passes_through_sleeping_particles() {
    let (with, without) = (far_surface(true), far_surface(false));
    let extent = |surface: &[f64]| {
        let bounds = surface.iter().fold((f64::MAX, f64::MIN), |(low, high), &y| (low.min(y), high.max(y)));
        bounds.1 - bounds.0
    };
    let square: f64 = with.iter().zip(&without).map(|(a, b)| (a - b) * (a - b)).sum();
    let error = (square / with.len() as f64).sqrt() / extent(&without);
    assert!(extent(&without) > 0.01, "no wave: {} m", extent(&without));
    assert!(error < 0.05, "off by {error} of the wave");
}

#[test]
fn sleep_is_the_same_for_any_number_of_threads() {
    let play = |threads: usize| {
        let mut world = still_water().clone();
        world.set_threads(threads);
        assert_shared(&world);
        for step in 0..90 {
            stir(&mut world, step);
            world.step();
        }
        let liquid = world.liquid().expect("the pool is a liquid");
        let p = liquid.particles();
        let of = |slot: usize| [p.x[slot], p.y[slot], p.vx[slot], p.vy[slot], liquid.relative_density(slot)];
        p.alive().map(|slot| (p.id[slot], of(slot).map(f32::to_bits))).collect::<Vec<_>>()
    };
    let one = play(1);
    assert!(play(3) == one, "three threads differ from one");
}

#[test]
fn without_permission_nothing_sleeps() {
    let mut world = still_water().clone();
    world.set_allow_sleep(false);
    (0..60).for_each(|_| world.step());
    assert_eq!(world.awake(), world.particles());
}
