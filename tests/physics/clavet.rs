//! Laws of Clavet, Beaudoin & Poulin 2005 beyond water: springs, plasticity, viscosity, and several fluids in one tank.

use crate::play::assert_shared;
use crate::scenes::with_errors;
use glam::Vec2;
use slosh::scene::{Scene, fluids};
use slosh::sim::boundary::region::Region;
use slosh::sim::boundary::{Container, Walls};
use slosh::sim::definition::WorldDef;
use slosh::sim::forces::{PointerForce, PointerForceKind};
use slosh::sim::liquid::Liquid;
use slosh::sim::liquid::fluid::{Fluid, PhaseParams, ViscousParams};
use slosh::sim::liquid::springs::Viscoelastic;
use slosh::sim::parallel::instructions::Instructions;
use slosh::sim::{StepContext, World, WorldOptions};
use slosh::view::palette;

const JELLY: Viscoelastic = Viscoelastic { spring: 60.0, yield_ratio: 0.1, plasticity: 0.0, dynamic_springs: false };

/// A block in the middle of the tank.
fn block(particles: usize, gravity: f32, elastic: Viscoelastic) -> WorldDef {
    let mut fluid = Fluid::blob();
    (fluid.phase.elastic, fluid.phase.viscous.sigma) = (elastic, 0.1);
    let liquid = vec![Region::Box([0.35, 0.35, 0.65, 0.65]).into()];
    WorldDef { particles, gravity, fluid, liquid, ..WorldDef::default() }
}

fn world(scene: &WorldDef) -> World {
    World::new(scene, &WorldOptions { seed: 5, ..WorldOptions::default() })
}

fn run(world: &mut World, seconds: f32) {
    (0..(seconds * 60.0).round() as u32).for_each(|_| world.step());
}

fn liquid(world: &World) -> &Liquid {
    world.liquid().expect("a tank of liquid")
}

/// Positions by id.
fn places(liquid: &Liquid) -> Vec<Vec2> {
    let p = liquid.particles();
    let mut places = vec![Vec2::ZERO; p.len()];
    p.alive().for_each(|slot| places[p.id[slot] as usize] = p.position(slot));
    places
}

/// The mean distance, in h, of each particle from its position if `before` had moved as a rigid body.
fn bent(before: &[Vec2], after: &[Vec2], h: f32) -> f32 {
    let mean = |places: &[Vec2]| places.iter().sum::<Vec2>() / places.len() as f32;
    let (from, to) = (mean(before), mean(after));
    let turn = |f: fn(Vec2, Vec2) -> f32| before.iter().zip(after).map(|(a, b)| f(*a - from, *b - to)).sum::<f32>();
    let turn = Vec2::new(turn(Vec2::dot), turn(Vec2::perp_dot)).normalize();
    let off = before.iter().zip(after).map(|(a, b)| (turn.rotate(*a - from) + to).distance(*b));
    off.sum::<f32>() / before.len() as f32 / h
}

/// Compresses the block's middle from both sides for a third of a second.
fn squeeze(world: &mut World) {
    let middle = world.size() * 0.5;
    for _ in 0..20 {
        for side in [-1.0, 1.0] {
            let at = middle + Vec2::new(0.25 * side, 0.0);
            let kind = PointerForceKind::Push { velocity: Vec2::new(-1.2 * side, 0.0) };
            world.add_pointer_force(PointerForce { at, radius: 0.25, kind });
        }
        world.step();
    }
}

#[test]
fn a_jelly_that_is_poked_springs_back() {
    let bends = |elastic: Viscoelastic| {
        let mut world = world(&block(600, 0.0, elastic));
        run(&mut world, 0.5);
        let (before, h) = (places(liquid(&world)), liquid(&world).h());
        squeeze(&mut world);
        let poked = bent(&before, &places(liquid(&world)), h);
        run(&mut world, 2.5);
        (poked, bent(&before, &places(liquid(&world)), h))
    };
    let (poked, later) = bends(JELLY);
    assert!(poked > 0.2, "it was bent by {poked} h only");
    assert!(later < 0.25 * poked, "bent by {poked} h, it is still bent by {later} h");
    let (poked, later) = bends(Viscoelastic::default());
    assert!(later > 0.5, "water, bent by {poked} h, is bent by {later} h");
}

/// The logarithm of the aspect of a body, in whichever direction it is longer.
fn length(world: &World) -> f32 {
    let places = places(liquid(world));
    let middle = places.iter().sum::<Vec2>() / places.len() as f32;
    let spread = |of: fn(Vec2) -> f32| places.iter().map(|place| of(*place - middle)).sum::<f32>();
    let (lean, askew) = (spread(|d| 0.5 * (d.x * d.x - d.y * d.y)), spread(|d| d.x * d.y));
    let (mean, off) = (spread(|d| 0.5 * d.length_squared()), lean.hypot(askew).copysign(lean));
    0.5 * ((mean + off) / (mean - off)).ln()
}

/// A jelly that was compressed returns to its rest shape, with any number of particles.
#[test]
fn a_bent_jelly_springs_back() {
    for count in [400, 600, 1000] {
        let mut world = world(&block(count, 0.0, Viscoelastic { spring: 60.0, ..Viscoelastic::default() }));
        let before = length(&world);
        squeeze(&mut world);
        let squeezed = length(&world);
        assert!(squeezed < 0.6 * before, "it was not squeezed: {before} became {squeezed}");
        run(&mut world, 1.5);
        let mut sum = 0.0;
        for _ in 0..60 {
            world.step();
            sum += length(&world) / 60.0;
        }
        let back = (sum - squeezed) / (before - squeezed);
        assert!((0.87..1.13).contains(&back), "{back} of its shape returned, with {count} particles");
    }
}

/// The depth of its compression on the floor and the height of its rebound depend on the material, not on the number of
/// particles.
#[test]
fn a_jelly_and_a_mud_behave_alike_at_any_resolution() {
    for name in ["jelly", "mud"] {
        let fluid = fluids::embedded().iter().find(|fluid| fluid.name == name).expect("it is listed").fluid;
        let heights = |particles: usize| {
            let liquid = vec![Region::Box([0.35, 0.3, 0.65, 0.75]).into()];
            let mut world = world(&WorldDef { particles, fluid, liquid, ..WorldDef::default() });
            [0.4, 0.2, 0.1].map(|seconds| {
                run(&mut world, seconds);
                (world.stats().centre_of_mass.y, world.stats().spread.x)
            })
        };
        let (coarse, fine) = (heights(300), heights(1200));
        for (coarse, fine) in coarse.iter().zip(&fine) {
            let off = (coarse.0 / fine.0 - 1.0).abs().max((coarse.1 / fine.1 - 1.0).abs());
            assert!(off < 0.08, "a {name} of 300 is at {coarse:?} where one of 1,200 is at {fine:?}");
        }
    }
}

/// A mud that is bent far stays bent; within the yield ratio it springs back.
#[test]
fn a_bend_beyond_the_yield_ratio_is_permanent() {
    let bends = |yield_ratio: f32| {
        let elastic = Viscoelastic { yield_ratio, plasticity: 20.0, ..JELLY };
        let mut world = world(&block(600, 0.0, elastic));
        run(&mut world, 0.5);
        let (before, h) = (places(liquid(&world)), liquid(&world).h());
        squeeze(&mut world);
        run(&mut world, 2.5);
        bent(&before, &places(liquid(&world)), h)
    };
    let (soft, firm) = (bends(0.02), bends(0.9));
    assert!(soft > 3.0 * firm && soft > 0.2, "beyond the yield ratio, it is bent by {soft} h, within by {firm}");
}

/// Two particles at rest at `length` h from each other move to `stretch` times that distance in one step. Returns the
/// length of the spring and the distance afterwards, in h.
fn stretch(elastic: Viscoelastic, length: f32, stretch: f32, dt: f32) -> (f32, f32) {
    let h = 0.05;
    let walls = Walls::new(Vec2::ONE, Container::Box, Vec::new(), 2.0 * h);
    let blob = Fluid::blob();
    let viscous = ViscousParams { viscosity: 0.0, sigma: 0.0, beta: 0.0 };
    let phase = PhaseParams { viscous, elastic, ..blob.phase };
    let fluid = Fluid { pressure: blob.pressure.stiffened(0.0), phase, ..blob };
    let mut liquid = Liquid::new(fluid, h);
    for side in [-0.5, 0.5] {
        let from_middle = Vec2::new(0.6, 0.8) * side * length * h;
        liquid.add(Vec2::splat(0.5) + from_middle, from_middle * (stretch - 1.0) / dt);
    }
    liquid.fit(&walls);
    liquid.create_springs();
    liquid.step(&StepContext { dt, gravity: Vec2::ZERO, walls: &walls, pointer_forces: &[] }, &mut ());
    let places = places(&liquid);
    let length = liquid.springs().iter().next().map_or(f32::NAN, |spring| spring.length);
    (length / h, places[0].distance(places[1]) / h)
}

#[test]
fn a_spring_moves_its_ends_by_the_formula() {
    let (h, dt) = (0.05, 0.001);
    for (rest, by) in [(0.5, 1.2), (0.5, 0.8), (0.9, 1.1), (0.2, 1.0)] {
        let (length, distance) = stretch(JELLY, rest, by, dt);
        let r = rest * by;
        let expected = r + dt * dt * JELLY.spring / (h * h) * (1.0 - rest) * (rest - r);
        assert!((length - rest).abs() < 1e-5, "the spring of {rest} h is {length} h long");
        assert!((distance - expected).abs() < 1e-5, "{rest} h, stretched {by} times: {distance}, not {expected}");
    }
}

#[test]
fn a_spring_gives_way_by_the_formula() {
    let (yield_ratio, plasticity, dt) = (0.1, 30.0, 0.005);
    let mud = Viscoelastic { yield_ratio, plasticity, ..JELLY };
    for (rest, by) in [(0.5, 1.3), (0.5, 0.7), (0.5, 1.05), (0.5, 0.95)] {
        let (length, _) = stretch(mud, rest, by, dt);
        let (r, d) = (rest * by, yield_ratio * rest);
        let over = if r > rest + d { r - rest - d } else { (r - rest + d).min(0.0) };
        let expected = rest + dt * plasticity * over;
        assert!((length - expected).abs() < 1e-5, "{rest} h, stretched {by} times: {length} long, not {expected}");
    }
    // A spring longer than h is removed.
    assert!(stretch(Viscoelastic { plasticity: 100.0, ..mud }, 0.99, 1.5, dt).0.is_nan());
}

#[test]
fn springs_conserve_momentum() {
    let elastic = Viscoelastic { yield_ratio: 0.05, plasticity: 5.0, dynamic_springs: true, ..JELLY };
    let mut scene = block(1000, 0.0, elastic);
    scene.liquid[0].velocity = [0.3, 0.2];
    let mut world = world(&scene);
    let before = world.stats().momentum;
    run(&mut world, 0.6);
    let drift = (world.stats().momentum - before).length() / before.length();
    assert!(drift < 1e-5, "the momentum changed by {drift} of itself");
}

/// The same bits for any number of threads and with all instructions.
#[test]
fn springs_are_the_same_for_any_number_of_threads() {
    let mut scene =
        block(2500, 9.81, Viscoelastic { yield_ratio: 0.05, plasticity: 5.0, dynamic_springs: true, ..JELLY });
    scene.liquid.push(Region::Box([0.0, 0.0, 1.0, 0.1]).into());
    let play = |threads: usize, instructions: Instructions| {
        let mut world = World::new(&scene, &WorldOptions { threads, instructions, ..WorldOptions::default() });
        assert_shared(&world);
        run(&mut world, 0.5);
        places(liquid(&world)).into_iter().map(|at| at.to_array().map(f32::to_bits)).collect::<Vec<_>>()
    };
    let one = play(1, Instructions::Best);
    assert!(one == play(3, Instructions::Best), "three threads differ from one");
    assert!(one == play(1, Instructions::Sse2), "other instructions give other bits");
}

/// Without springs, their parameters change no bit.
#[test]
fn spring_parameters_have_no_effect_without_springs() {
    let play = |elastic: Viscoelastic| {
        let mut world = world(&block(600, 9.81, elastic));
        run(&mut world, 0.5);
        assert!(liquid(&world).springs().is_empty());
        places(liquid(&world))
    };
    let idle = Viscoelastic { spring: 0.0, yield_ratio: 0.7, plasticity: 50.0, dynamic_springs: true };
    assert!(play(idle) == play(Viscoelastic::default()));
}

/// Drained particles take their springs with them. A poured particle that gets the id of a drained one has none.
#[test]
fn drained_particles_take_their_springs_with_them() {
    let mut world = world(&block(700, 9.81, JELLY));
    run(&mut world, 0.5);
    let tied = |world: &World| liquid(world).springs().iter().count();
    let before = tied(&world);
    world.drain(100);
    run(&mut world, 0.5);
    let gone = 700 - world.particles();
    assert!(gone > 20, "{gone} were drained");
    let after = tied(&world);
    assert!(after < before - 5 * gone, "{before} springs, and {after} without {gone}");
    world.pour(gone);
    run(&mut world, 1.0);
    assert_eq!((world.particles(), tied(&world)), (700, after));
}

/// A jelly that falls asleep and wakes keeps its shape.
#[test]
fn a_jelly_sleeps_and_wakes_whole() {
    let mut world = world(&block(500, 9.81, JELLY));
    while !world.is_asleep() {
        world.step();
        assert!(world.time() < 40.0, "the jelly never comes to rest: {} m/s", world.stats().max_speed);
    }
    let (before, h) = (places(liquid(&world)), liquid(&world).h());
    world.wake();
    run(&mut world, 1.0);
    let moved = bent(&before, &places(liquid(&world)), h);
    assert!(moved < 0.02, "woken, it moved by {moved} h");
    assert!(world.stats().centre_of_mass.y > 0.12, "it has lost its shape");
}

/// The fraction of a splash's energy after a second and a half, averaged over four runs because each is chaotic.
fn energy_left(fluid: Fluid) -> f64 {
    let liquid = vec![Region::Box([0.0, 0.0, 0.3, 0.8]).into()];
    let scene = WorldDef { particles: 700, fluid, liquid, ..WorldDef::default() };
    let left = |seed| {
        let mut world = World::new(&scene, &WorldOptions { seed, ..WorldOptions::default() });
        run(&mut world, 1.5);
        world.stats().kinetic
    };
    (0..4).map(left).sum::<f64>() / 4.0
}

#[test]
fn dissipation_grows_with_sigma_and_with_beta() {
    let with = |sigma, beta| {
        let mut fluid = Fluid::blob();
        fluid.phase.viscous = ViscousParams { viscosity: 0.0, sigma, beta };
        energy_left(fluid)
    };
    let by_sigma = [0.0, 0.01, 0.03, 0.1].map(|sigma| with(sigma, 0.0));
    let by_beta = [0.0, 0.3, 1.0, 3.0].map(|beta| with(0.0, beta));
    for left in [&by_sigma[..], &by_beta[..]] {
        assert!(left.windows(2).all(|two| two[1] < two[0]), "energy left: {left:?}");
    }
}

/// The extreme values that a scene may have.
#[test]
fn nothing_explodes_at_the_extremes() {
    let extremes = [
        Viscoelastic { spring: 500.0, yield_ratio: 0.0, plasticity: 100.0, dynamic_springs: true },
        Viscoelastic { spring: 500.0, yield_ratio: 1.0, plasticity: 0.0, dynamic_springs: true },
        Viscoelastic { spring: 1e-6, yield_ratio: 0.0, plasticity: 100.0, dynamic_springs: true },
    ];
    for elastic in extremes {
        let mut world = world(&block(300, 30.0, elastic));
        for _ in 0..60 {
            let at = world.size() * Vec2::new(0.5, 0.2);
            world.add_pointer_force(PointerForce {
                at,
                radius: 0.2,
                kind: PointerForceKind::Explode { strength: 1.0 },
            });
            world.step();
            assert!(world.max_speed() < 30.0, "{} m/s with {elastic:?}", world.max_speed());
        }
        assert!(places(liquid(&world)).iter().all(|at| at.is_finite()));
    }
}

/// Two fluids side by side.
fn two(first: &str, second: &str, gravity: f32) -> World {
    let text = format!(
        "particles = 900\ngravity = {gravity}\n\
         [[liquid]]\nbox = [0, 0, 0.5, 0.4]\nfluid = {first}\n\
         [[liquid]]\nbox = [0.5, 0, 1, 0.4]\nfluid = {second}\n"
    );
    world(&Scene::parse(&text, "two.toml").unwrap_or_else(|error| panic!("{error}")).world)
}

/// Heights of the particles of each fluid.
fn heights(world: &World) -> [Vec<f32>; 2] {
    let liquid = liquid(world);
    let p = liquid.particles();
    [0, 1].map(|number| {
        let own = p.alive().filter(|&slot| liquid.phases().phase_of(p.id[slot]) == number);
        own.map(|slot| p.y[slot]).collect()
    })
}

/// The mean of three tanks: how much has not parted differs from one to the next.
#[test]
fn oil_settles_above_water_again_after_a_shake() {
    let shares = [3.0, 3.1, 3.2].map(|rest| {
        let mut world = two("\"water\"", "\"oil\"", 9.81);
        run(&mut world, rest);
        for _ in 0..4 {
            world.shake(Vec2::new(1.0, 1.0));
            run(&mut world, 0.4);
        }
        run(&mut world, 8.0);
        let [mut water, mut oil] = heights(&world);
        let mean = |heights: &[f32]| heights.iter().sum::<f32>() / heights.len() as f32;
        let depth = world.stats().surface[1] as f32;
        let above = (mean(&oil) - mean(&water)) / depth;
        // Ideal layers lie half the depth apart.
        assert!(above > 0.35, "the oil lies {above} of the depth above the water");
        water.sort_by(f32::total_cmp);
        oil.sort_by(f32::total_cmp);
        let level = 0.5 * (water[water.len() * 9 / 10] + oil[oil.len() / 10]);
        let astray = water.iter().filter(|&&y| y > level).count() + oil.iter().filter(|&&y| y < level).count();
        println!("the oil lies {above} of the depth above the water");
        astray as f32 / (water.len() + oil.len()) as f32
    });
    println!("in the wrong layer: {shares:?}");
    let share = shares.iter().sum::<f32>() / 3.0;
    assert!(share < 0.05, "{share} of the particles are in the wrong layer: {shares:?}");
}

#[test]
fn momentum_is_conserved_between_unequal_masses() {
    for second in ["\"oil\"", "{ preset = \"mercury\" }", "{ preset = \"honey\", density = 0.2 }"] {
        let text = format!(
            "particles = 800\ngravity = 0\n\
             [[liquid]]\ncircle = {{ at = [0.36, 0.5], radius = 0.15 }}\nfluid = \"blob\"\nvelocity = [0.6, 0.1]\n\
             [[liquid]]\ncircle = {{ at = [0.64, 0.5], radius = 0.15 }}\nfluid = {second}\nvelocity = [-0.2, 0]\n"
        );
        let mut world = world(&Scene::parse(&text, "two.toml").unwrap_or_else(|error| panic!("{error}")).world);
        let before = world.stats().momentum;
        run(&mut world, 0.5);
        let off = (world.stats().momentum - before).length();
        assert!(off < 1e-4 * before.length(), "{before} changed by {off} with {second}");
        let [water, other] = heights(&world);
        assert!(!water.is_empty() && !other.is_empty());
    }
}

/// A fluid beside the same fluid behaves as one fluid.
#[test]
fn a_fluid_beside_itself_flows_as_one() {
    let mut one = two("\"water\"", "\"water\"", 9.81);
    let mut two = two("\"water\"", "{ preset = \"water\", diffusion = 0.001 }", 9.81);
    assert!(liquid(&one).phases().is_single_phase() && !liquid(&two).phases().is_single_phase());
    run(&mut one, 0.3);
    run(&mut two, 0.3);
    let (one, two) = (places(liquid(&one)), places(liquid(&two)));
    let off = one.iter().zip(&two).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
    assert!(off < 0.01, "{off} m apart");
}

/// A straight front spreads as c = ½ erfc(x / √(4 D t)), for which ∫ c (1 − c) dx is √(2 D t / π).
#[test]
fn colours_diffuse_at_the_rate_that_the_fluid_sets() {
    let rate = 1e-3;
    let spread = |diffusion: f32| {
        let paint = |color: &str| format!("{{ preset = \"{color}\", diffusion = {diffusion}, sigma = 0.5 }}");
        let mut world = two(&paint("cyan"), &paint("yellow"), 9.81);
        run(&mut world, 4.0);
        let liquid = liquid(&world);
        let p = liquid.particles();
        let share = |slot: usize| liquid.phases().fractions(p.id[slot])[1];
        let sum: f32 = p.alive().map(share).sum();
        let pure = p.alive().filter(|&slot| liquid.phases().phase_of(p.id[slot]) == 1).count() as f32;
        assert!((sum / pure - 1.0).abs() < 1e-3, "{sum} of the {pure} are left of a colour");
        let mixed: f32 = p.alive().map(|slot| share(slot) * (1.0 - share(slot))).sum();
        mixed * liquid.particle_area() / world.stats().surface[1] as f32
    };
    assert_eq!(spread(0.0), 0.0);
    let (measured, expected) = (spread(rate), (2.0 * rate * 4.0 / std::f32::consts::PI).sqrt());
    assert!((measured / expected - 1.0).abs() < 0.25, "{measured} m of mixture, not {expected}");
}

/// A fluid's parameters scale with the tank: oil that is poured into oil is recognized as the same oil in a tank of any
/// size.
#[test]
fn a_fluid_that_the_tank_has_is_found_at_any_scale() {
    for area in [2.0, 50.0] {
        let text = format!(
            "particles = 100\n[tank]\narea = {area}\n[[liquid]]\nbox = [0, 0, 1, 0.3]\n\
             [[liquid]]\nbox = [0, 0.3, 1, 0.5]\nfluid = \"oil\""
        );
        let scene = Scene::parse(&text, "oil.toml").expect("a scene").world;
        let mut world = world(&scene);
        let oil = fluids::embedded().iter().find(|fluid| fluid.name == "oil").expect("oil");
        assert_eq!(oil.number_in(&mut world), Some(1), "{area} m²");
    }
}

#[test]
fn every_embedded_fluid_is_found_by_name() {
    for name in ["water", "oil", "honey", "lava", "jelly", "mud", "mercury"] {
        let text =
            format!("particles = 100\nliquid = [{{ box = [0, 0, 1, 0.5] }}]\n[fluid]\npreset = \"{name}\"\nbeta = 0.5");
        let scene = Scene::parse(&text, "named.toml").unwrap_or_else(|error| panic!("{error}")).world;
        let named = fluids::embedded().iter().find(|fluid| fluid.name == name).expect("it is listed");
        let mut expected = named.fluid;
        expected.phase.viscous.beta = 0.5;
        assert_eq!(scene.fluid, expected, "{name}");
        assert_eq!(scene.fluid_label.as_ref(), Some(&named.palette));
        assert!(palette::find(&named.palette).is_some(), "{name} looks like {:?}", named.palette);
    }
}

#[test]
fn an_error_in_a_fluid_names_file_line_and_key() {
    let wrong = [
        "[fluid]\nyield_ratio = 1.5",
        "[fluid]\nspring = -1",
        "[fluid]\nplasticity = nan",
        "[fluid]\npreset = \"hony\"",
        "[fluid]\ndensity = 0",
        "[fluid]\ndynamic_springs = 1",
        "[[liquid]]\nbox = [0, 0, 1, 1]\nfluid = \"oill\"",
        "[fluid]\n[[liquid]]\nbox = [0, 0, 1, 1]\nfluid = { preset = \"oil\", sigma = -1 }",
    ];
    let pool = |sigma: f32| format!("[[liquid]]\nbox = [0, 0, 1, 0.5]\nfluid = {{ sigma = {sigma} }}\n");
    let five: String = [0.1, 0.2, 0.3, 0.4, 0.5].map(pool).concat();
    insta::assert_snapshot!("errors_of_fluids", with_errors(wrong.into_iter().chain([&*five])));
}
