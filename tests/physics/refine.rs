//! Another number of particles for the same liquid.

use slosh::scene;
use slosh::scene::Scene;
use slosh::sim::boundary::region::Region;
use slosh::sim::definition::WorldDef;
use slosh::sim::liquid::fluid::Fluid;
use slosh::sim::statistics::Stats;
use slosh::sim::{World, WorldOptions};
use std::sync::OnceLock;

/// Numbers of particles, in place of the initial 2,000.
const COUNTS: [usize; 4] = [1_000, 1_500, 2_600, 4_000];

fn dam() -> World {
    let liquid = vec![Region::Box([0.0, 0.0, 0.4, 0.9]).into()];
    let scene = WorldDef { particles: 2000, fluid: Fluid::blob(), liquid, ..WorldDef::default() };
    World::new(&scene, &WorldOptions { seed: 3, ..WorldOptions::default() })
}

fn run(world: &mut World, seconds: f32) {
    (0..(seconds * 60.0) as u32).for_each(|_| world.step());
}

fn still() -> &'static World {
    static STILL: OnceLock<World> = OnceLock::new();
    STILL.get_or_init(|| {
        let mut world = dam();
        run(&mut world, 10.0);
        world
    })
}

fn area(world: &World) -> f64 {
    let liquid = world.liquid().expect("a scene with liquid");
    f64::from(liquid.particle_area()) * liquid.particles().len() as f64
}

fn refined(world: &World, count: usize) -> World {
    let mut world = world.clone();
    assert_eq!(world.resample(count), world.particles());
    assert!(world.particles().abs_diff(count) <= count / 200, "{} instead of {count}", world.particles());
    world
}

fn energy(stats: &Stats) -> f64 {
    stats.kinetic + stats.potential
}

#[test]
fn refining_a_splash_conserves_area_and_momentum() {
    let mut splash = dam();
    run(&mut splash, 0.7);
    let before = splash.stats();
    for count in COUNTS {
        let world = refined(&splash, count);
        assert!((area(&world) / area(&splash) - 1.0).abs() < 1e-4, "area {} of {}", area(&world), area(&splash));
        let after = world.stats();
        let drift = (after.momentum - before.momentum).length() / before.momentum.length();
        assert!(drift < 1e-4, "the momentum changed by {drift} of itself with {count}");
        assert!(
            (after.kinetic / before.kinetic - 1.0).abs() < 0.03,
            "kinetic {} was {}",
            after.kinetic,
            before.kinetic
        );
        assert!((energy(&after) / energy(&before) - 1.0).abs() < 0.02, "energy {after:?} was {before:?}");
        let p = (after.centre_of_mass - before.centre_of_mass).length();
        assert!(p < 0.01, "the centre of mass jumped {p} m with {count}");
    }
}

/// The flow continues as it would have with the initial number.
#[test]
fn a_refined_splash_flows_on_as_it_would_have() {
    let mut splash = dam();
    run(&mut splash, 0.5);
    let mut others = COUNTS.map(|count| refined(&splash, count));
    run(&mut splash, 0.4);
    let expected = splash.stats();
    for other in &mut others {
        run(other, 0.4);
        let (stats, count) = (other.stats(), other.particles());
        let off = (stats.centre_of_mass - expected.centre_of_mass).length();
        assert!(off < 0.02, "{off} m from where it would be, with {count}");
        let kinetic = stats.kinetic / expected.kinetic;
        assert!((0.85..1.15).contains(&kinetic), "{kinetic} of the energy, with {count}");
    }
}

#[test]
fn a_still_pool_stays_level_and_calm() {
    let before = still().stats();
    for count in COUNTS {
        let mut world = refined(still(), count);
        for _ in 0..20 {
            let stats = world.stats();
            let sag = stats.centre_of_mass.y / before.centre_of_mass.y - 1.0;
            assert!(sag.abs() < 0.025, "the pool of {count} is at {sag} of its height");
            assert!(stats.max_speed < 1.0, "a splash of {} m/s with {count}", stats.max_speed);
            let [left, middle, right] = stats.surface;
            assert!((left - right).abs() < 0.04 && (left - middle).abs() < 0.06, "{:?} is not level", stats.surface);
            run(&mut world, 0.05);
        }
        run(&mut world, 3.0);
        assert!(world.stats().mean_speed < 0.06, "{} m/s after four seconds", world.stats().mean_speed);
    }
}

#[test]
fn refining_and_coarsening_keep_the_amount_of_liquid() {
    let mut world = still().clone();
    for count in [3000, 2200, 1200, 2000, 5000, 2000] {
        world.resample(count);
        run(&mut world, 0.1);
    }
    assert!((area(&world) / area(still()) - 1.0).abs() < 1e-3, "{} of {}", area(&world), area(still()));
    let liquid = world.liquid().expect("a scene with liquid");
    for slot in liquid.particles().alive() {
        let at = liquid.particles().position(slot);
        assert!(world.walls().distance(at) > -1e-4, "one at {at} is in a wall");
    }
}

#[test]
fn the_same_splash_is_refined_to_the_same_bits() {
    let bits = || {
        let mut world = dam();
        run(&mut world, 0.4);
        world.resample(2700);
        run(&mut world, 0.2);
        let liquid = world.liquid().expect("a scene with liquid");
        let p = liquid.particles();
        p.alive().map(|slot| (p.id[slot], p.x[slot].to_bits(), p.vy[slot].to_bits())).collect::<Vec<_>>()
    };
    assert_eq!(bits(), bits());
}

/// No particle is lost at obstacles, inlets, outlets or in a round tank.
#[test]
fn every_scene_can_be_refined() {
    for (name, text) in scene::EMBEDDED {
        let scene = Scene::parse(text, name).expect("an embedded scene is sound").world;
        let mut world = World::new(&scene, &WorldOptions { particles: Some(400), ..WorldOptions::default() });
        if world.particles() + world.pool_count() == 0 {
            continue;
        }
        run(&mut world, 0.8);
        let whole = |world: &World| {
            let liquid = world.liquid().expect("a scene with liquid");
            // Water that has boiled is vapour in the air: 1000 kg per square metre, for a depth of one metre.
            let steam = world.stats().vapor / 1000.0;
            f64::from(liquid.particle_area()) * (world.particles() + world.pool_count()) as f64 + steam
        };
        let before = whole(&world);
        for count in [550, 300] {
            world.resample(count);
            run(&mut world, 0.3);
            assert!((whole(&world) / before - 1.0).abs() < 0.01, "{name}: {} of {before}", whole(&world));
            let liquid = world.liquid().expect("a scene with liquid");
            let stray = liquid
                .particles()
                .alive()
                .any(|slot| world.walls().distance(liquid.particles().position(slot)) < -1e-3);
            assert!(!stray, "{name}: in a wall");
        }
    }
}
