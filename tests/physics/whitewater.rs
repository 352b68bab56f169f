//! Spray, foam and bubbles from outside: positions and lifetimes, and no effect on the liquid.

use crate::play::assert_shared;
use glam::Vec2;
use slosh::data::Setting;
use slosh::scene;
use slosh::scene::Scene;
use slosh::sim::liquid::whitewater::specks::{Kind, Speck};
use slosh::sim::parallel::instructions::Instructions;
use slosh::sim::{World, WorldOptions};
use std::collections::BTreeMap;

/// A world of an embedded scene with overrides, such as `foam=0`.
fn world(name: &str, settings: &[&str], setup: WorldOptions) -> World {
    let settings: Vec<Setting> =
        settings.iter().map(|text| Setting::parse(text, "a test").expect("a setting")).collect();
    let text = scene::find(name).expect("it is embedded");
    World::new(&Scene::parse_with(text, name, &settings, &[]).expect("it is sound").world, &setup)
}

fn of(particles: usize) -> WorldOptions {
    WorldOptions { particles: Some(particles), ..WorldOptions::default() }
}

/// The maximum number of specks of each kind in these steps.
fn most(world: &mut World, steps: usize) -> BTreeMap<&'static str, usize> {
    let mut most = BTreeMap::new();
    for _ in 0..steps {
        world.step();
        for (name, kind) in
            [("spray", Kind::Spray), ("foam", Kind::Foam), ("bubbles", Kind::Bubble), ("embers", Kind::Ember)]
        {
            let now = world.specks().iter().filter(|speck| speck.kind == kind).count();
            let before = most.entry(name).or_insert(0);
            *before = now.max(*before);
        }
    }
    most
}

#[test]
fn a_breaking_dam_throws_spray_traps_bubbles_and_leaves_foam_that_goes() {
    let mut world = world("dam", &[], of(1000));
    let most = most(&mut world, 150);
    assert!(most["spray"] > 30 && most["foam"] > 60 && most["bubbles"] > 30, "{most:?}");
    assert_eq!(most["embers"], 0);
    (150..600).for_each(|_| world.step());
    assert!(world.max_speed() > 0.05, "the tank still moves");
    assert_eq!(world.specks().len(), 0, "foam ten seconds after the dam broke");
}

#[test]
fn a_dam_of_any_size_foams_as_much() {
    let mean = |length: f32| {
        let mut world = world("dam", &[&format!("tank.area={}", 2.0 * length * length)], of(2000));
        let steps = (180.0 * length.sqrt()) as usize;
        let sum: usize = (0..steps)
            .map(|_| {
                world.step();
                world.specks().len()
            })
            .sum();
        sum as f32 / steps as f32
    };
    let ordinary = mean(1.0);
    assert!(ordinary > 100.0, "{ordinary}");
    for length in [0.25, 4.0] {
        let ratio = mean(length) / ordinary;
        assert!((0.6..1.6).contains(&ratio), "{ratio} at {length} times the length");
    }
}

#[test]
fn foam_lasts_about_two_seconds() {
    let mut world = world("dam", &[], of(1000));
    (0..120).for_each(|_| world.step());
    let then = world.specks().len();
    world.edit_parameters(|definition| definition.fluid.phase.whitening.foam = 0.0);
    (0..60).for_each(|_| world.step());
    let after_a_second = world.specks().len();
    assert!(4 * after_a_second > then, "{after_a_second} of {then} after a second");
    (0..180).for_each(|_| world.step());
    assert_eq!(world.specks().len(), 0, "of {then}, four seconds later");
}

#[test]
fn neither_a_calm_pool_nor_a_swell_makes_specks() {
    let mut calm = world("dam", &["liquid=[{ box = [0, 0, 1, 0.4] }]"], of(1000));
    let mut swell = world("seiche", &[], of(1000));
    swell.tilt_to(0.05);
    for _ in 0..240 {
        calm.step();
        swell.step();
        assert_eq!((calm.specks().len(), swell.specks().len()), (0, 0));
    }
}

#[test]
fn fluids_differ_in_their_whitewater() {
    for preset in ["honey", "mercury", "jelly", "mud", "blob"] {
        let most = most(&mut world("dam", &[&format!("preset={preset}")], of(600)), 90);
        assert!(most.values().all(|&count| count == 0), "{preset}: {most:?}");
    }
    let oil = most(&mut world("dam", &["preset=oil"], of(600)), 120);
    assert!(oil["foam"] > 10, "{oil:?}");
    let lava = most(&mut world("lava", &[], of(600)), 120);
    assert!(lava["embers"] > 5 && lava["foam"] + lava["spray"] + lava["bubbles"] == 0, "{lava:?}");
    // The article's liquid is too viscous to foam.
    let water = ["rest_density=1000", "stiffness=57000", "viscosity=1", "neighbours=21", "surface_tension=0"];
    let water = water.map(|key| format!("sph.{key}"));
    let water: Vec<&str> = water.iter().map(String::as_str).chain(["area=2"]).collect();
    let sph = most(&mut world("sph-splash", &water, of(600)), 60);
    assert!(sph["foam"] > 10, "{sph:?}");
    let sph_honey = most(&mut world("sph-honey", &[], of(600)), 60);
    assert!(sph_honey.values().all(|&count| count == 0), "{sph_honey:?}");
}

#[test]
fn specks_do_not_affect_the_liquid() {
    let bits = |world: &World| -> Vec<u32> {
        let p = world.liquid().expect("water").particles();
        [&p.x, &p.y, &p.vx, &p.vy].into_iter().flatten().map(|number| number.to_bits()).collect()
    };
    let [mut with, mut without] = ["foam=1", "foam=0"].map(|foam| world("dam", &[foam], of(800)));
    let mut seen = 0;
    for _ in 0..150 {
        with.step();
        without.step();
        seen = with.specks().len().max(seen);
        assert_eq!(without.specks().len(), 0);
    }
    assert!(seen > 50, "{seen} specks");
    assert_eq!(bits(&with), bits(&without));
}

#[test]
fn specks_are_the_same_on_any_threads_and_instructions() {
    let run = |threads: usize, instructions: Instructions| -> Vec<Speck> {
        let mut world = world("dam", &[], WorldOptions { threads, instructions, ..of(2200) });
        assert_shared(&world);
        (0..75).for_each(|_| world.step());
        world.specks().to_vec()
    };
    let alone = run(1, Instructions::Best);
    assert!(alone.len() > 50, "{} specks", alone.len());
    for (threads, instructions) in [(2, Instructions::Best), (4, Instructions::Best), (1, Instructions::Sse2)] {
        assert_eq!(run(threads, instructions), alone, "{threads} threads, {instructions:?}");
    }
}

#[test]
fn specks_are_at_most_as_many_as_particles_and_in_the_tank() {
    let mut world = world("dam", &["foam=4"], of(300));
    for step in 0..200 {
        if step % 50 == 0 {
            world.shake(glam::Vec2::X);
        }
        world.step();
        assert!(world.specks().len() <= 512, "{} specks of 300 particles", world.specks().len());
        for speck in world.specks() {
            assert!(world.walls().distance(speck.at) > -1e-4, "a speck in a wall, at {}", speck.at);
            assert!((0.0..=1.0).contains(&speck.strength()));
        }
    }
    assert!(!world.specks().is_empty());
    world.empty();
    assert!(world.specks().is_empty());
}

/// Runs a scene with a breaking dam, and returns the maximum number of specks, and the maximum of `count`.
fn worst(scene: &str, steps: usize, count: impl Fn(&World) -> usize) -> (usize, usize) {
    let scene = Scene::parse(scene, "a test").expect("it is sound").world;
    let mut world = World::new(&scene, &of(800));
    let (mut specks, mut worst) = (0, 0);
    for _ in 0..steps {
        world.step();
        specks = world.specks().len().max(specks);
        worst = count(&world).max(worst);
    }
    (specks, worst)
}

#[test]
fn bodies_stop_specks() {
    let scene = "[[liquid]]\nbox = [0, 0, 0.35, 0.9]\n[[body]]\nbox = [0.4, 0.3]\nat = [0.75, 0.2]\ndensity = 5\n\
                 [[body]]\ndisc = 0.15\nat = [0.5, 0.3]\ndensity = 0.5\n";
    let (specks, inside) = worst(scene, 150, |world| {
        let in_a_body = |at: Vec2| world.bodies().iter().any(|body| body.hull.contact(at).distance < -0.005);
        world.specks().iter().filter(|speck| in_a_body(speck.at)).count()
    });
    assert!(specks > 50, "{specks} specks");
    assert_eq!(inside, 0, "specks deeper than 5 mm in a body");
}

/// Liquid is thrown at a plate of 5 mm, which a speck passes in a tenth of a step.
#[test]
fn a_thin_plate_stops_specks() {
    let scene = "[tank]\narea = 1\naspect = 1\n[fluid]\nfoam = 4\n\
                 [[liquid]]\nbox = [0, 0, 0.4, 0.9]\nvelocity = [5, 0]\n\
                 [[obstacle]]\npolygon = [[0.6, 0], [0.605, 0], [0.605, 1], [0.6, 1]]\n";
    let (specks, through) =
        worst(scene, 60, |world| world.specks().iter().filter(|speck| speck.at.x > 0.602 * world.size().x).count());
    assert!(specks > 50, "{specks} specks");
    assert_eq!(through, 0, "specks beyond the plate");
}

/// Bubbles that rise under an inclined plate go on along it, past its upper end.
#[test]
fn bubbles_glide_along_a_plate() {
    let scene = "[tank]\narea = 1\naspect = 1\n[[liquid]]\nbox = [0, 0, 1, 0.95]\n\
                 [[bubbles]]\nat = [0.3, 0.2]\nrate = 30\n\
                 [[obstacle]]\npolygon = [[0.22, 0.25], [0.42, 0.4], [0.42, 0.43], [0.22, 0.28]]\n";
    let above = |world: &World| {
        let size = world.size();
        world.specks().iter().filter(|speck| speck.at.x > 0.42 * size.x && speck.at.y > 0.42 * size.y).count()
    };
    let (specks, above) = worst(scene, 180, above);
    assert!(specks > 10 && above > 2, "{above} of {specks} specks beyond the plate");
}

/// An outlet that takes all the liquid takes the foam too.
#[test]
fn specks_leave_through_drains() {
    let scene = |outlet: &str| format!("[[liquid]]\nbox = [0, 0, 0.4, 0.9]\n{outlet}");
    let right = |world: &World| {
        let right = world.size().x * 0.6;
        world.specks().iter().filter(|speck| speck.at.x > right).count()
    };
    let (_, open) = worst(&scene("[[outlet]]\nbox = [0.55, 0, 1, 1]\nrate = 100\n"), 90, right);
    let (_, shut) = worst(&scene(""), 90, right);
    assert!(10 * open < shut, "{open} specks in the outlet, and {shut} there without it");
}

/// Liquid is thrown at a sheet seen edge on that closes the tank from wall to wall, until some reaches its ends.
#[test]
fn cloth_stops_specks() {
    let scene = "[tank]\narea = 1\naspect = 3\n[fluid]\nfoam = 4\n\
                 [[liquid]]\nbox = [0.35, 0.5, 0.65, 0.95]\nvelocity = [0, -2]\n\
                 [cloth]\nmass = 0.5\nstretch = 3000\nbreak_strain = 100\n\
                 [[cloth.sheet]]\nat = [0.5, 0.4]\nsize = [1.732, 0]\nnodes = [60, 1]\npins = \"ends\"\n";
    let (specks, through) = worst(scene, 20, |world| {
        let cloth = world.cloth().expect("a sheet");
        let places: Vec<Vec2> = cloth.at.iter().map(|place| place.truncate().as_vec2()).collect();
        let depth = |at: Vec2| {
            let pair = places.windows(2).find(|pair| (pair[0].x..pair[1].x).contains(&at.x))?;
            let along = (at.x - pair[0].x) / (pair[1].x - pair[0].x);
            Some(pair[0].y + along * (pair[1].y - pair[0].y) - at.y)
        };
        let p = world.liquid().expect("water").particles();
        assert!(p.alive().all(|slot| depth(p.position(slot)).is_none_or(|it| it <= 0.0)), "the cloth stops the liquid");
        // Some fall around the ends, which are 2 cm from the walls.
        let is_above = |at: Vec2| depth(at).is_some_and(|it| it < 0.002);
        let passes = |speck: &&Speck| is_above(speck.before) && depth(speck.at).is_some_and(|it| it > 0.01);
        world.specks().iter().filter(passes).count()
    });
    assert!(specks > 200, "{specks} specks");
    assert_eq!(through, 0, "specks under the sheet");
}
