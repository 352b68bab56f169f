//! Heat against the books: conduction, mixtures, melting and freezing, and what none of it costs where there is none.
//! Small tanks; docs/physics.md has the finer ones.

use glam::Vec2;
use slosh::scene::Scene;
use slosh::sim::{World, WorldOptions};

fn world(text: &str, particles: usize) -> World {
    let scene = Scene::parse(text, "test.toml").expect("a sound scene").world;
    World::new(&scene, &WorldOptions { particles: Some(particles), aspect: 1.0, ..WorldOptions::default() })
}

fn run(world: &mut World, seconds: f64) {
    for _ in 0..(60.0 * seconds).round() as u32 {
        world.step();
    }
}

/// Position and temperature of every particle.
fn temperatures(world: &World) -> Vec<(Vec2, f32)> {
    let liquid = world.particle_liquid().expect("a liquid");
    let p = liquid.particles();
    p.alive().map(|slot| (p.position(slot), liquid.temperature(slot).expect("a temperature"))).collect()
}

/// Root mean square of what is off, of those that `counts` says count.
fn rms(world: &World, expected: impl Fn(Vec2) -> f32, counts: impl Fn(Vec2) -> bool) -> f32 {
    let off: Vec<f32> = temperatures(world)
        .into_iter()
        .filter(|(at, _)| counts(*at))
        .map(|(at, temperature)| (temperature - expected(at)).powi(2))
        .collect();
    (off.iter().sum::<f32>() / off.len() as f32).sqrt()
}

/// A full tank of a metre without weight, whose walls differ from left to right.
const SLAB: &str = "gravity = 0
tank = { area = 1, aspect = 1 }
fluid = { thermal_speed = 0, conductivity = 0.004 }
heat = { temperature = 20 }
liquid = [{ box = [0, 0, 1, 1] }]
";

fn slab(more: &str, particles: usize) -> World {
    world(&format!("{SLAB}{more}"), particles)
}

#[test]
fn between_a_warm_and_a_cold_wall_the_profile_is_linear() {
    let walls = "heater = [{ wall = \"left\", temperature = 80 }, { wall = \"right\", temperature = 20 }]";
    let mut world = slab(walls, 400);
    run(&mut world, 150.0);
    let off = rms(&world, |at| 80.0 - 60.0 * at.x, |_| true) / 60.0;
    assert!(off < 0.02, "{:.2} % off a straight line", 100.0 * off);
}

/// The complementary error function, to 1.2e-7 (Numerical Recipes).
fn erfc(x: f64) -> f64 {
    let z = x.abs();
    let t = 1.0 / (1.0 + 0.5 * z);
    let poly = -1.265_512_23
        + t * (1.000_023_68
            + t * (0.374_091_96
                + t * (0.096_784_18
                    + t * (-0.186_288_06
                        + t * (0.278_868_07
                            + t * (-1.135_203_98 + t * (1.488_515_87 + t * (-0.822_152_23 + t * 0.170_872_77))))))));
    let tail = t * (-z * z + poly).exp();
    if x >= 0.0 { tail } else { 2.0 - tail }
}

/// How far a step of 60 K is off after 4 s, as a fraction.
fn step_error(particles: usize) -> f32 {
    let mut world = slab("heater = [{ wall = \"left\", temperature = 80 }]", particles);
    run(&mut world, 4.0);
    let expected = |at: Vec2| 20.0 + 60.0 * erfc(f64::from(at.x) / (4.0f64 * 0.004 * 4.0).sqrt()) as f32;
    rms(&world, expected, |at| at.x < 0.6) / 60.0
}

#[test]
fn a_step_spreads_as_the_error_function_does() {
    let [coarse, fine] = [250, 1000].map(step_error);
    assert!(fine < 0.02, "{:.2} % off", 100.0 * fine);
    assert!(fine < coarse, "finer is no better: {coarse} and {fine}");
}

#[test]
fn hot_and_cold_make_the_mean() {
    let text = "heat = { temperature = 10 }
fluid = { conductivity = 0.003, expansion = 0 }
[[liquid]]
box = [0, 0, 0.25, 0.6]
temperature = 90
[[liquid]]
box = [0.25, 0, 1, 0.6]
";
    let mut world = world(text, 400);
    let before = world.stats();
    run(&mut world, 60.0);
    let after = world.stats();
    let mean = before.temperature;
    assert!((after.heat / before.heat - 1.0).abs() < 1e-4, "heat went from {} to {}", before.heat, after.heat);
    assert!((after.temperature - mean).abs() < 0.1);
    assert!(after.temperature_max - after.temperature_min < 40.0, "it has not begun to even out");
}

#[test]
fn any_conductivity_is_stable() {
    let mut world = slab("heater = [{ wall = \"left\", temperature = 100 }]", 400);
    world.edit_parameters(|definition| definition.fluid.thermal.conductivity = 0.1);
    for _ in 0..120 {
        world.step();
        let stats = world.stats();
        assert!(stats.temperature_min > 19.0 && stats.temperature_max < 101.0, "{stats:?}");
    }
}

#[test]
fn two_liquids_come_to_the_mean_by_their_heat_capacities() {
    let text = "heat = { temperature = 20 }
gravity = 0
fluid = { conductivity = 0.004 }
[tank]
area = 0.25
aspect = 1
[[liquid]]
box = [0, 0, 0.5, 1]
temperature = 80
[[liquid]]
box = [0.5, 0, 1, 1]
fluid = { density = 2, heat_capacity = 1000, conductivity = 0.004 }
";
    let mut world = world(text, 300);
    let before = world.stats().heat;
    run(&mut world, 40.0);
    let stats = world.stats();
    assert!((stats.heat / before - 1.0).abs() < 1e-5);
    let expected = (4186.0 * 80.0 + 2000.0 * 20.0) / (4186.0 + 2000.0);
    assert!((stats.temperature_min - expected).abs() < 1.0 && (stats.temperature_max - expected).abs() < 1.0, "{stats:?}");
}

#[test]
fn what_is_warm_rises() {
    let text = "heat = { temperature = 20 }
fluid = { conductivity = 0, expansion = 0.005 }
[[liquid]]
box = [0, 0, 1, 0.2]
temperature = 90
[[liquid]]
box = [0, 0.2, 1, 0.5]
";
    let mut world = world(text, 500);
    let middle = |world: &World| {
        let warm: Vec<f32> = temperatures(world).iter().filter(|(_, t)| *t > 60.0).map(|(at, _)| at.y).collect();
        warm.iter().sum::<f32>() / warm.len() as f32
    };
    let before = middle(&world);
    run(&mut world, 10.0);
    let after = middle(&world);
    assert!(after > 1.7 * before, "from {before} m to {after} m");
}

#[test]
fn a_tank_without_heat_has_none() {
    let world = world("liquid = [{ box = [0, 0, 0.5, 0.5] }]", 100);
    assert!(world.liquid().expect("a liquid").heat().is_none());
    assert_eq!(world.stats().warm_mass, 0.0);
}
