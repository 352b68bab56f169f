//! Any number of threads gives the same bits, and no threads remain.

use glam::Vec2;
use slosh::sim::boundary::region::Region;
use slosh::sim::definition::{InletDef, OutletDef, WorldDef};
use slosh::sim::forces::{PointerForce, PointerForceKind};
use slosh::sim::liquid::phases::Removable;
use slosh::sim::parallel::ThreadPool;
use slosh::sim::{World, WorldOptions, parallel};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// A pool below a column that falls into it around a peg, an inlet and an outlet; with enough particles for several
/// threads.
fn scene() -> WorldDef {
    let pool = Region::Box([0.0, 0.0, 1.0, 0.2]);
    let column = Region::Box([0.1, 0.3, 0.4, 0.9]);
    WorldDef {
        particles: 2600,
        liquid: vec![pool.into(), column.into()],
        obstacle: vec![Region::Circle { at: [0.3, 0.25], radius: 0.05 }],
        inlet: vec![InletDef {
            at: [0.8, 0.9],
            toward: [-1.0, -1.0],
            width: 0.05,
            speed: 2.0,
            drops: None,
            gas: false,
            temperature: None,
            fluid: None,
            fluid_label: None,
        }],
        outlet: vec![OutletDef {
            region: Region::Circle { at: [0.9, 0.05], radius: 0.1 },
            rate: 0.05,
            removes: Removable::default(),
        }],
        ..WorldDef::default()
    }
}

/// A user's actions on a tank, by step.
fn disturb(world: &mut World, step: u32) {
    let size = world.size();
    match step {
        20 => world.tilt_to(0.7),
        40 => world.pour(150),
        60 => world.draw_wall(Vec2::new(0.5, 0.3), Vec2::new(0.9, 0.35), 0.03),
        90 => world.shake(Vec2::new(1.0, 0.5)),
        110 => world.set_aspect(0.7),
        130 => world.drain(200),
        150 => assert!(world.erase_walls(Vec2::new(0.7, 0.32), 0.4)),
        170 => world.tilt_to(3.0),
        _ if step % 7 < 3 => {
            let at = size * Vec2::new(0.5 + 0.4 * (step as f32 * 0.1).sin(), 0.2);
            let kind = if step.is_multiple_of(2) {
                PointerForceKind::Explode { strength: 1.0 }
            } else {
                PointerForceKind::Attract { strength: 1.0 }
            };
            world.add_pointer_force(PointerForce { at, radius: 0.2, kind });
        }
        _ => {}
    }
}

/// All state of every particle, as bits.
fn bits(world: &World) -> Vec<(u32, [u32; 5])> {
    let liquid = world.liquid().expect("a scene with liquid");
    let p = liquid.particles();
    let of =
        |slot: usize| [p.x[slot], p.y[slot], p.vx[slot], p.vy[slot], liquid.relative_density(slot)].map(f32::to_bits);
    p.alive().map(|slot| (p.id[slot], of(slot))).collect()
}

fn play(threads: impl Fn(u32) -> usize) -> Vec<(u32, [u32; 5])> {
    let mut world = World::new(&scene(), &WorldOptions { seed: 3, ..WorldOptions::default() });
    for step in 0..220 {
        world.set_threads(threads(step));
        disturb(&mut world, step);
        world.step();
    }
    assert!(world.stats().mean_speed > 0.1, "nothing moved");
    bits(&world)
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let one = play(|_| 1);
    assert!(one.len() > 2300, "only {} particles are left", one.len());
    for threads in [2, 3, 8] {
        assert_eq!(play(|_| threads), one, "{threads} threads give other bits");
    }
    assert_eq!(play(|step| 1 + (step as usize / 5) % 4), one, "changing the number made a difference");
}

/// Every scene, tilted and stirred: particles bit by bit, and by the statistics bodies, cloth and gases.
#[test]
fn any_number_of_threads_plays_every_scene_alike() {
    let names = slosh::scene::names();
    thread::scope(|scope| {
        for some in names.chunks(names.len().div_ceil(4)) {
            scope.spawn(move || some.iter().for_each(|name| plays_alike(name)));
        }
    });
}

fn plays_alike(name: &str) {
    let scene = slosh::scene::Scene::embedded(name).expect("an embedded scene");
    let play = |threads| {
        let options = WorldOptions { seed: 3, threads, particles: Some(3000), ..WorldOptions::default() };
        let mut world = World::new(&scene.world, &options);
        world.tilt_to(0.4);
        for step in 0..80 {
            let at = world.size() * Vec2::new(0.3 + 0.004 * step as f32, 0.4);
            world.add_pointer_force(PointerForce {
                at,
                radius: 0.2,
                kind: PointerForceKind::Push { velocity: Vec2::new(2.0, 0.5) },
            });
            world.step();
        }
        (world.liquid().map(|_| bits(&world)), format!("{:?}", world.stats()))
    };
    assert!(play(1) == play(2), "{name}: two threads give other bits than one");
}

#[test]
fn the_same_threads_give_the_same_bits_again() {
    assert_eq!(play(|_| 3), play(|_| 3));
}

#[test]
fn a_pool_runs_every_item_once() {
    for hands in [1, 2, 5] {
        let pool = ThreadPool::new(hands);
        assert_eq!(pool.workers(), hands);
        let done: Vec<AtomicUsize> = (0..64).map(|_| AtomicUsize::new(0)).collect();
        let count = |one: &AtomicUsize| {
            one.fetch_add(1, Ordering::Relaxed);
        };
        for _ in 0..200 {
            pool.install(|| halve(&done, &count));
        }
        assert!(done.iter().all(|done| done.load(Ordering::Relaxed) == 200));
    }
}

fn halve(all: &[AtomicUsize], work: &(impl Fn(&AtomicUsize) + Sync)) {
    match all {
        [one] => work(one),
        _ => {
            let (left, right) = all.split_at(all.len() / 2);
            parallel::join(|| halve(left, work), || halve(right, work));
        }
    }
}

/// The caller gets a panic of any worker, and the pool remains usable.
#[test]
fn a_panic_of_a_worker_reaches_the_caller() {
    let pool = ThreadPool::new(3);
    let all: Vec<AtomicUsize> = (0..32).map(AtomicUsize::new).collect();
    for broken in [0, 13, 31] {
        let work = |one: &AtomicUsize| assert!(one.load(Ordering::Relaxed) != broken, "number {broken}");
        let outcome = catch_unwind(AssertUnwindSafe(|| pool.install(|| halve(&all, &work))));
        let message = *outcome.expect_err("the panic was lost").downcast::<String>().expect("a message");
        assert!(message.contains(&format!("number {broken}")), "{message}");
    }
    assert_eq!(pool.install(|| 7), 7);
}

/// Linux reports the name of every thread, whether it sleeps, and how often it has been woken.
#[cfg(target_os = "linux")]
mod seen_from_outside {
    use super::*;
    use std::fs;
    use std::time::Duration;

    /// State and voluntary switches of every thread with this name.
    fn threads(name: &str) -> Vec<(String, u64)> {
        let tasks = fs::read_dir("/proc/self/task").expect("Linux has /proc");
        let status = tasks.filter_map(|task| fs::read_to_string(task.ok()?.path().join("status")).ok());
        let field = |status: &str, key: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
            line.trim_start_matches(':').trim().to_owned()
        };
        let ours = status.filter(|status| field(status, "Name").starts_with(name));
        ours.map(|status| (field(&status, "State"), field(&status, "voluntary_ctxt_switches").parse().unwrap_or(0)))
            .collect()
    }

    /// Waits until `reached`, with a limit far above the usual time, for busy machines.
    fn wait_for(what: &str, reached: impl Fn() -> bool) {
        for _ in 0..500 {
            if reached() {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("{what}");
    }

    #[test]
    fn workers_sleep_between_steps_and_end_with_the_world() {
        let name = "rester";
        let pool = ThreadPool::named(name, 3);
        pool.install(thread::yield_now);
        let asleep = || {
            let threads = threads(name);
            threads.len() == 3 && threads.iter().all(|(state, _)| state.starts_with('S'))
        };
        wait_for("the workers never slept", asleep);
        let before = threads(name);
        thread::sleep(Duration::from_millis(300));
        assert_eq!(threads(name), before, "a worker woke up without work");
        pool.install(|| ());
        wait_for("the workers did not sleep again", asleep);
        drop(pool);
        assert_eq!(threads(name), [], "workers remain");
    }
}
