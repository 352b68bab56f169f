//! Heat against theory: conduction, mixtures, melting and freezing, and no effect in scenes without heat. The tanks are
//! small; docs/physics.md has finer ones.

use crate::play::run;
use glam::Vec2;
use slosh::scene::{Scene, fluids};
use slosh::sim::forces::{PointerForce, PointerForceKind};
use slosh::sim::{World, WorldOptions};

fn world(text: &str, particles: usize) -> World {
    let scene = Scene::parse(text, "test.toml").expect("a sound scene").world;
    World::new(&scene, &WorldOptions { particles: Some(particles), aspect: 1.0, ..WorldOptions::default() })
}

/// Position and temperature of every particle.
fn temperatures(world: &World) -> Vec<(Vec2, f32)> {
    let liquid = world.liquid().expect("a liquid");
    let p = liquid.particles();
    p.alive().map(|slot| (p.position(slot), liquid.temperature(slot).expect("a temperature"))).collect()
}

/// Root mean square of the deviation over the particles for which `counts` is true.
fn rms(world: &World, expected: impl Fn(Vec2) -> f32, counts: impl Fn(Vec2) -> bool) -> f32 {
    let off: Vec<f32> = temperatures(world)
        .into_iter()
        .filter(|(at, _)| counts(*at))
        .map(|(at, temperature)| (temperature - expected(at)).powi(2))
        .collect();
    (off.iter().sum::<f32>() / off.len() as f32).sqrt()
}

/// A full tank of a metre without gravity, whose left and right walls have different temperatures.
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
    let walls = "heater = [{ box = [-0.1, -0.1, 0.001, 1.1], temperature = 80 }, { box = [0.999, -0.1, 1.1, 1.1], temperature = 20 }]";
    let mut world = slab(walls, 200);
    run(&mut world, 150.0);
    let off = rms(&world, |at| 80.0 - 60.0 * at.x, |_| true) / 60.0;
    println!("slab: {:.2} %", 100.0 * off);
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

/// The relative deviation of a step of 60 K after 4 s.
fn step_error(particles: usize) -> f32 {
    let mut world = slab("heater = [{ box = [-0.1, -0.1, 0.001, 1.1], temperature = 80 }]", particles);
    run(&mut world, 4.0);
    let expected = |at: Vec2| 20.0 + 60.0 * erfc(f64::from(at.x) / (4.0f64 * 0.004 * 4.0).sqrt()) as f32;
    rms(&world, expected, |at| at.x < 0.6) / 60.0
}

#[test]
fn a_step_spreads_as_the_error_function_does() {
    let [coarse, fine] = [250, 1000].map(step_error);
    println!("step: {:.2} % and {:.2} %", 100.0 * coarse, 100.0 * fine);
    assert!(fine < 0.02, "{:.2} % off", 100.0 * fine);
    assert!(fine < coarse, "finer is no better: {coarse} and {fine}");
}

/// 400 particles of a fluid with this conductivity and expansion: one box of it at 90 °C, and one at 20 °C.
fn two_pools([conductivity, expansion]: [f32; 2], hot: [f32; 4], cold: [f32; 4]) -> World {
    let text = format!(
        "heat = {{ temperature = 20 }}
fluid = {{ conductivity = {conductivity}, expansion = {expansion} }}
liquid = [{{ box = {hot:?}, temperature = 90 }}, {{ box = {cold:?} }}]"
    );
    world(&text, 400)
}

#[test]
fn hot_and_cold_liquid_reach_the_mean() {
    let mut world = two_pools([0.003, 0.0], [0.0, 0.0, 0.25, 0.6], [0.25, 0.0, 1.0, 0.6]);
    let before = world.stats();
    run(&mut world, 60.0);
    let after = world.stats();
    let mean = before.temperature;
    assert!((after.heat / before.heat - 1.0).abs() < 1e-4, "heat went from {} to {}", before.heat, after.heat);
    assert!((after.temperature - mean).abs() < 0.1);
    // Fourier's series for a step of 70 K at a quarter of the width.
    let width = f64::from(world.size().x);
    let expected = |at: Vec2| {
        let modes = (1..50).map(|n| {
            let k = f64::from(n) * std::f64::consts::PI / width;
            let amplitude = 140.0 / (k * width) * (0.25 * k * width).sin();
            amplitude * (k * f64::from(at.x)).cos() * (-0.003 * k * k * world.time()).exp()
        });
        (mean + modes.sum::<f64>()) as f32
    };
    let off = rms(&world, expected, |_| true) / 70.0;
    println!("two pools: {:.2} %", 100.0 * off);
    assert!(off < 0.02, "{:.2} % off the series", 100.0 * off);
}

#[test]
fn any_conductivity_is_stable() {
    let mut world = slab("heater = [{ box = [-0.1, -0.1, 0.001, 1.1], temperature = 100 }]", 400);
    world.edit_parameters(|definition| definition.fluid.phase.thermal.conductivity = 0.1);
    for _ in 0..120 {
        world.step();
        let stats = world.stats();
        assert!(stats.temperature_min > 19.0 && stats.temperature_max < 101.0, "{stats:?}");
    }
}

#[test]
fn two_liquids_reach_the_mean_weighted_by_heat_capacity() {
    let text = "heat = { temperature = 20 }
gravity = 0
fluid = { conductivity = 0.01 }
[tank]
area = 0.25
aspect = 1
[[liquid]]
box = [0, 0, 0.5, 1]
temperature = 80
[[liquid]]
box = [0.5, 0, 1, 1]
fluid = { density = 2, heat_capacity = 1000, conductivity = 0.01 }
";
    let mut world = world(text, 300);
    let before = world.stats().heat;
    // Relative to what was poured, because whole particles do not fill exactly half of a tank.
    let liquid = world.liquid().expect("a liquid");
    let ids = liquid.particles().alive().map(|slot| liquid.particles().id[slot]);
    let parts = ids.map(|id| match liquid.phases().phase_of(id) {
        0 => (4186.0 * liquid.thermal_mass(0), 80.0),
        other => (1000.0 * liquid.thermal_mass(other), 20.0),
    });
    let (heat, capacity) = parts.fold((0.0, 0.0), |sum, (own, at)| (sum.0 + own * at, sum.1 + own));
    let expected = heat / capacity;
    run(&mut world, 40.0);
    let stats = world.stats();
    assert!((stats.heat / before - 1.0).abs() < 1e-5);
    println!("mixture: {expected} °C, {} to {} °C", stats.temperature_min, stats.temperature_max);
    assert!(
        (stats.temperature_min - expected).abs() < 0.1 && (stats.temperature_max - expected).abs() < 0.1,
        "{expected} °C by heat, {stats:?}"
    );
}

#[test]
fn warm_liquid_rises() {
    let mut world = two_pools([0.0, 0.005], [0.0, 0.0, 1.0, 0.2], [0.0, 0.2, 1.0, 0.5]);
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
fn a_tank_without_heat_has_no_temperatures() {
    let world = world("liquid = [{ box = [0, 0, 0.5, 0.5] }]", 100);
    assert!(world.liquid().expect("a liquid").heat().is_none());
    assert_eq!(world.stats().warm_mass, 0.0);
}

#[test]
fn a_hot_body_and_cold_water_reach_the_mean_by_heat() {
    let text = "heat = { temperature = 10 }
fluid = { conductivity = 0.003, boiling_heat = 0 }
liquid = [{ box = [0, 0, 1, 0.6] }]
body = [{ disc = 0.2, at = [0.5, 0.3], density = 2, heat_capacity = 2000, temperature = 300 }]
[tank]
area = 1
aspect = 1
";
    let mut world = world(text, 300);
    let before = world.stats().heat;
    run(&mut world, 40.0);
    let stats = world.stats();
    assert!((stats.heat / before - 1.0).abs() < 1e-4, "heat went from {before} to {}", stats.heat);
    let water = stats.warm_mass - 1000.0 * 2.0 * std::f64::consts::PI * 0.04;
    let (water, disc) = (4186.0 * water, 2000.0 * (stats.warm_mass - water));
    let expected = (water * 10.0 + disc * 300.0) / (water + disc);
    let body = world.bodies()[0].temperature.expect("a temperature");
    assert!((body - expected).abs() < 8.0, "{body} °C instead of {expected}");
}

#[test]
fn a_hot_body_and_a_grid_fluid_reach_the_mean_by_heat() {
    let text = "heat = { temperature = 10 }
gravity = 0
body = [{ disc = 0.15, at = [0.5, 0.5], density = 2, heat_capacity = 2000, temperature = 60 }]
[tank]
area = 1
aspect = 1
[smoke]
cells = 400
conductivity = 0.02
heat_capacity = 4186
";
    let mut world = world(text, 300);
    // After the first step, the cells under the body contain no fluid.
    world.step();
    let before = world.stats();
    run(&mut world, 40.0);
    let after = world.stats();
    println!(
        "heat {:+.4} %, {} to {} °C",
        100.0 * (after.heat / before.heat - 1.0),
        after.temperature_min,
        after.temperature_max
    );
    assert!((after.heat / before.heat - 1.0).abs() < 5e-4, "heat went from {} to {}", before.heat, after.heat);
    assert!(after.temperature_max - after.temperature_min < 0.1, "{after:?}");
    let body = world.bodies()[0].temperature.expect("a temperature");
    assert!((10.5..40.0).contains(&body), "the body is at {body} °C");
}

/// A moving body covers cells of the grid and uncovers others; the heat of the tank is conserved.
#[test]
fn a_body_moving_through_a_warm_grid_fluid_conserves_heat() {
    let text = "heat = { temperature = 20 }
body = [{ disc = 0.12, at = [0.4, 0.8], density = 1.5 }, { box = [0.3, 0.1], at = [0.7, 0.2], density = 0.6 }]
[tank]
area = 1
aspect = 1
roll = { angle = 20, period = 4, first = 1 }
[smoke]
cells = 1000
density = 1
conductivity = 0.0005
heat_capacity = 4186
expansion = 0.001
[[smoke.initial_dye]]
box = [0, 0, 0.5, 1]
amount = 1
temperature = 60
";
    let mut world = world(text, 300);
    world.step();
    let before = world.stats();
    let (mut least, mut most) = (0.0f64, 0.0f64);
    for _ in 0..15 {
        run(&mut world, 1.0);
        let off = world.stats().heat / before.heat - 1.0;
        (least, most) = (least.min(off), most.max(off));
    }
    println!("heat {:+.4} to {:+.4} %", 100.0 * least, 100.0 * most);
    assert!(most - least < 1e-3, "heat was off by {least} to {most}");
}

/// A pool that is warm at one end stays awake until its temperature is even, and then sleeps.
#[test]
fn a_tank_sleeps_when_its_temperatures_are_even_and_not_before() {
    let text = |warm: &str| {
        format!(
            "heat = {{ temperature = 20 }}
fluid = {{ conductivity = 0.02, expansion = 0 }}
tank = {{ area = 1, aspect = 1 }}
[[liquid]]
box = [0, 0, 0.5, 0.4]
{warm}
[[liquid]]
box = [0.5, 0, 1, 0.4]
"
        )
    };
    let falls_asleep = |warm: &str| {
        let mut world = world(&text(warm), 300);
        world.set_allow_sleep(true);
        while !world.is_asleep() {
            world.step();
            assert!(world.time() < 180.0, "it never sleeps");
            let stats = world.stats();
            let uneven = stats.temperature_max - stats.temperature_min > 1.0;
            assert!(!uneven || world.awake() == stats.particles, "it sleeps at {stats:?}");
        }
        (world.time(), world.stats())
    };
    let (cold, _) = falls_asleep("");
    let (warm, stats) = falls_asleep("temperature = 80");
    println!(
        "asleep after {cold} s, warm after {warm} s, then {} to {} °C",
        stats.temperature_min, stats.temperature_max
    );
    assert!(stats.temperature_max - stats.temperature_min < 0.1, "{stats:?}");
}

/// The root of `λ exp(λ²) erf(λ) = St/√π`.
fn stefan_root(stefan: f64) -> f64 {
    let excess = |l: f64| l * (l * l).exp() * (1.0 - erfc(l)) - stefan / std::f64::consts::PI.sqrt();
    let (mut low, mut high) = (0.0, 3.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if excess(middle) < 0.0 { low = middle } else { high = middle }
    }
    low
}

/// The depth in metres to which a wall of −40 °C has frozen water of 0 °C after a time, from the latent heat that has
/// left.
fn frozen(particles: usize, seconds: f64) -> f64 {
    let walls = "heater = [{ box = [-0.1, -0.1, 0.001, 1.1], temperature = -40 }]";
    let text = SLAB.replace("temperature = 20", "temperature = 0");
    let mut world = world(&format!("{text}{walls}"), particles);
    run(&mut world, seconds);
    let liquid = world.liquid().expect("a liquid");
    let p = liquid.particles();
    let solid = |slot: usize| 1.0 - (liquid.heat().expect("heat").enthalpy(p.id[slot]) / 334_000.0).clamp(0.0, 1.0);
    p.alive().map(solid).sum::<f64>() / p.len() as f64
}

#[test]
fn ice_grows_as_stefan_says() {
    // Ice and water have the same heat capacity and conductivity.
    let root = stefan_root(4186.0 * 40.0 / 334_000.0);
    let off = [250, 1000].map(|particles| frozen(particles, 8.0) / (2.0 * root * (0.004f64 * 8.0).sqrt()) - 1.0);
    println!("ice: {:+.1} % and {:+.1} %", 100.0 * off[0], 100.0 * off[1]);
    assert!(off[1].abs() < 0.05, "{:+.1} % off", 100.0 * off[1]);
    assert!(off[1].abs() < off[0].abs() + 0.005, "finer is no better: {off:?}");
}

#[test]
fn water_stays_at_the_melting_point_while_there_is_ice_in_it() {
    let text = "heat = { temperature = 30 }
fluid = { conductivity = 0.003 }
[tank]
area = 0.5
aspect = 1
[[liquid]]
box = [0, 0, 1, 0.4]
[[liquid]]
box = [0, 0.42, 1, 0.85]
temperature = -10
";
    let mut world = world(text, 250);
    let before = world.stats().heat;
    run(&mut world, 60.0);
    let stats = world.stats();
    assert!((stats.heat - before).abs() < 1e-3 * before.abs(), "heat went from {before} to {}", stats.heat);
    let water: Vec<f32> = temperatures(&world).iter().map(|(_, t)| *t).filter(|t| *t > -0.01).collect();
    let mean = water.iter().sum::<f32>() / water.len() as f32;
    assert!(mean < 0.5, "water with ice in it is at {mean} °C");
    let liquid = world.liquid().expect("a liquid");
    assert!(liquid.phases().fluid_of.iter().any(|&phase| liquid.phases().is_solid(phase)), "no ice is left");
}

/// A full tank of water at −8 °C that may be undercooled by 12 K; its ice, and the other particles that touch it.
fn undercooled(heaters: &str, seconds: f64) -> (World, usize, usize) {
    let text = "gravity = 0
tank = { area = 0.25, aspect = 1 }
fluid = { thermal_speed = 0, conductivity = 1e-3, latent_heat = 65000, undercooling = 12 }
heat = { temperature = -8 }
liquid = [{ box = [0, 0, 1, 1] }]
";
    let mut world = world(&format!("{text}{heaters}"), 800);
    run(&mut world, seconds);
    let liquid = world.liquid().expect("a liquid");
    let p = liquid.particles();
    let is_ice = |slot: &usize| liquid.phases().is_solid(liquid.phases().phase_of(p.id[*slot]));
    let (ice, water): (Vec<usize>, Vec<usize>) = p.alive().partition(is_ice);
    let touches = |slot: &&usize| {
        let at = p.position(**slot);
        ice.iter().any(|&other| p.position(other).distance(at) < 1.3 * liquid.spacing())
    };
    let (frozen, touching) = (ice.len(), water.iter().filter(touches).count());
    (world, frozen, touching)
}

/// One cold spot is enough: the ice that it makes grows through the tank, in branches, until what is left is at the melting
/// point.
#[test]
fn undercooled_water_freezes_where_ice_touches_it() {
    let (still, ice, _) = undercooled("", 1.0);
    let stats = still.stats();
    assert_eq!(ice, 0, "ice without a seed");
    assert!([stats.temperature_min, stats.temperature_max].iter().all(|it| (it + 8.0).abs() < 1e-3), "{stats:?}");

    let seed = "heater = [{ circle = { at = [0.5, 0.5], radius = 0.02 }, power = -1e5 }]";
    let (_, frozen, touching) = undercooled(seed, 3.0);
    // A disc of as many particles is touched by these.
    let disc = (std::f32::consts::TAU * (frozen as f32 / std::f32::consts::PI).sqrt()) as usize;
    println!("{frozen} of 800 particles are ice, {touching} touch it, {disc} a disc");
    assert!(frozen > 80 && touching as f32 > 2.5 * disc as f32, "{frozen} in ice, {touching} around it, {disc} a disc");

    let (world, frozen, _) = undercooled(seed, 25.0);
    let liquid = world.liquid().expect("a liquid");
    let p = liquid.particles();
    let water = p.alive().filter(|&slot| !liquid.phases().is_solid(liquid.phases().phase_of(p.id[slot])));
    let coldest = water.filter_map(|slot| liquid.temperature(slot)).fold(f32::MAX, f32::min);
    // The latent heat of this fraction has warmed all to 0 °C; the heater takes some. Part of it is in particles that have
    // lost less than seven tenths of theirs.
    let left = world.stats().heat_in / (world.stats().warm_mass * 65_000.0);
    let expected = 4186.0 * 8.0 / 65_000.0 - left;
    let fraction = frozen as f64 / 800.0 / expected;
    println!("{fraction:.3} of the balance is ice, the coldest water has {coldest} °C");
    assert!((0.75..1.0).contains(&fraction) && coldest > -0.5, "{fraction:.3} of the balance is ice, {coldest} °C");
}

/// A cold inlet above one half and an outlet below the other: the inflow has the inlet's temperature, and cools the
/// tank accordingly.
#[test]
fn an_inlet_has_a_temperature() {
    let text = |temperature: &str| {
        format!(
            "tank = {{ area = 1, aspect = 1 }}
            liquid = [{{ box = [0, 0, 1, 0.4], temperature = 60 }}]
            outlet = [{{ box = [0, 0, 0.2, 0.1], rate = 0.05 }}]
            inlet = [{{ at = [0.8, 0.9], toward = [0, -1], width = 0.06, speed = 1 {temperature} }}]"
        )
    };
    let coldest = |temperature: &str| {
        let mut world = world(&text(temperature), 500);
        run(&mut world, 1.5);
        temperatures(&world).into_iter().map(|(_, temperature)| temperature).fold(f32::MAX, f32::min)
    };
    // An inlet without a temperature pours at the tank's 20 °C.
    let (own, none) = (coldest(", temperature = 5"), coldest(""));
    assert!((4.9..10.0).contains(&own), "from an inlet of 5 °C comes water of {own} °C");
    assert!((19.9..30.0).contains(&none), "from an inlet in a tank of 20 °C comes water of {none} °C");
    let wrong = Scene::parse(&text(", temperature = 5000"), "test.toml").expect_err("too hot").to_string();
    assert!(wrong.contains("temperature") && wrong.contains("2000"), "{wrong}");
}

/// Lava has springs of its own, and rock has others. A spring between the two would yield at one end only.
#[test]
fn lava_that_sets_has_springs_among_rock_alone() {
    let mut world = world(
        "tank = { area = 1, aspect = 1 }
        fluid = { preset = \"lava\", conductivity = 1e-3 }
        liquid = [{ box = [0, 0, 1, 0.4], temperature = 830 }]
        heater = [{ box = [-0.1, -0.1, 1.1, 0.001], temperature = 20 }]",
        400,
    );
    let springs = |world: &World| {
        let liquid = world.liquid().expect("a liquid");
        let phases = liquid.phases();
        let ends = liquid.springs().iter().map(|spring| spring.ends.map(|id| phases.is_solid(phases.phase_of(id))));
        ends.fold([0; 3], |mut sum, [a, b]| {
            sum[usize::from(a) + usize::from(b)] += 1;
            sum
        })
    };
    let mut seen = [0; 3];
    for _ in 0..8 {
        run(&mut world, 0.5);
        seen = [0, 1, 2].map(|kind| seen[kind] + springs(&world)[kind]);
    }
    assert!(seen[0] > 100 && seen[2] > 100, "springs of lava and of rock: {seen:?}");
    assert_eq!(seen[1], 0, "springs between both");
    // All particles can leave.
    world.drain(400);
    run(&mut world, 3.0);
    assert!(world.particles() < 200, "{} particles are left", world.particles());
}

/// An outlet of solids takes the ice, and leaves the water.
#[test]
fn an_outlet_takes_what_has_frozen_alone() {
    let text = |solid: &str| {
        format!(
            "tank = {{ area = 1, aspect = 1 }}
            heat = {{ temperature = 0.5 }}
            fluid = {{ conductivity = 0 }}
            liquid = [{{ box = [0, 0, 1, 0.3] }}, {{ box = [0.2, 0.32, 0.8, 0.5], temperature = -20 }}]
            outlet = [{{ box = [0, 0, 1, 1], rate = 1 {solid} }}]"
        )
    };
    let left = |solid: &str| {
        let mut world = world(&text(solid), 500);
        run(&mut world, 1.0);
        (world.particles(), temperatures(&world).into_iter().filter(|(_, temperature)| *temperature < -1.0).count())
    };
    let (particles, ice) = left(", solid = true");
    assert!(ice == 0 && (300..400).contains(&particles), "{particles} particles and {ice} of ice are left");
    assert!(left("").0 < 10, "an outlet of all takes all");
    let wrong = Scene::parse(&text(", solid = true, gas = true"), "test.toml").expect_err("neither").to_string();
    assert!(wrong.contains("solid") && wrong.contains("gas"), "{wrong}");
}

/// A closed tank of half a square metre, two fifths full of water, with a heater below and a cold lid above.
const STILL: &str = "heat = { temperature = 95 }
fluid = { conductivity = 0.004 }
liquid = [{ box = [0, 0, 1, 0.4] }]
heater = [{ box = [0.1, 0, 0.9, 0.12], power = 1e6 }, { box = [-0.1, 0.999, 1.1, 1.1], temperature = 30 }]
[tank]
area = 0.5
aspect = 1
[smoke]
cells = 144
dye = [{ name = \"steam\", buoyancy = 0.08, decay_rate = 0.4 }]
";

#[test]
fn steam_keeps_mass_and_heat_between_particles_and_grid_for_five_minutes() {
    let mut world = world(STILL, 120);
    let before = world.stats();
    let (mut up, mut least, mut most) = (0.0f64, usize::MAX, 0);
    for second in 0..300 {
        run(&mut world, 1.0);
        let now = world.stats();
        up = up.max(now.vapor);
        if second > 60 {
            (least, most) = (least.min(now.particles), most.max(now.particles));
        }
        let mass = (now.warm_mass + now.vapor) / (before.warm_mass + before.vapor) - 1.0;
        assert!(mass.abs() < 1e-3, "after {second} s the mass is off by {mass}");
        let heat = (now.heat - now.heat_in - before.heat) / before.heat;
        assert!(heat.abs() < 1e-3, "after {second} s the heat is off by {heat}");
    }
    let (now, power) = (world.stats(), 1e6 * 300.0);
    println!(
        "mass {:+.5} %, heat {:+.5} %, {up:.2} kg/m of steam at most, {least} to {most} of {} particles; {:.1} % of the fire's heat left by the lid",
        100.0 * ((now.warm_mass + now.vapor) / before.warm_mass - 1.0),
        100.0 * ((now.heat - now.heat_in) / before.heat - 1.0),
        before.particles,
        100.0 * (1.0 - now.heat_in / power),
    );
    assert!(up > 2.0 && most < before.particles, "hardly any steam: {up} kg/m");
    assert!(now.heat_in < 0.2 * power, "the lid does not condense: {} of {power} J/m stay", now.heat_in);
}

/// The relative deviations of the time until a kettle boils from m c ΔT/P, and of the rate at which it loses mass from P/L once
/// as many bubbles leave it as form.
fn kettle(particles: usize) -> [f64; 2] {
    const POWER: f64 = 1e6;
    let text = "heat = { temperature = 60 }
fluid = { conductivity = 0.03 }
liquid = [{ box = [0, 0, 1, 0.4] }]
heater = [{ box = [0, 0, 1, 0.15], power = 1e6 }]
[tank]
area = 0.5
aspect = 1
";
    let mut world = world(text, particles);
    let before = world.stats();
    let told = [before.warm_mass * 4186.0 * 39.5 / POWER, POWER / 2_256_000.0];
    // It boils when the mean temperature is within half a degree of the boiling point.
    let mut boils = None;
    while world.time() < 2.0 * told[0] && boils.is_none() {
        run(&mut world, 0.1);
        boils = (world.stats().temperature > 99.5).then(|| world.time());
    }
    run(&mut world, 30.0);
    let start = world.stats().vapor;
    run(&mut world, 60.0);
    let rate = (world.stats().vapor - start) / 60.0;
    [boils.expect("it boils") / told[0] - 1.0, rate / told[1] - 1.0]
}

#[test]
fn a_kettle_boils_in_time_and_loses_mass_at_its_rate() {
    let off = kettle(250);
    println!("kettle: {:+.2} %, loss: {:+.2} %", 100.0 * off[0], 100.0 * off[1]);
    assert!(off.iter().all(|off| off.abs() < 0.05), "{off:?}");
}

#[test]
fn hot_air_warms_the_liquid_below_and_heat_is_conserved() {
    let text = "heat = { temperature = 20, air_loss = 2000 }
fluid = { conductivity = 0.003 }
liquid = [{ box = [0, 0, 1, 0.4] }]
[tank]
area = 0.5
aspect = 1
[smoke]
cells = 256
conductivity = 0.001
initial_dye = [{ box = [0, 0.4, 1, 1], temperature = 220 }]
";
    let mut world = world(text, 120);
    let water = |world: &World| {
        let all = temperatures(world);
        all.iter().map(|(_, temperature)| *temperature).sum::<f32>() / all.len() as f32
    };
    let before = world.stats();
    run(&mut world, 60.0);
    let after = world.stats();
    println!("water at {} °C, heat {:+.5} %", water(&world), 100.0 * (after.heat / before.heat - 1.0));
    assert!((after.heat / before.heat - 1.0).abs() < 1e-3, "heat went from {} to {}", before.heat, after.heat);
    assert!(water(&world) > 22.0, "the water is at {} °C", water(&world));
    assert_eq!(after.heat_in, 0.0);
}

/// The scene `volcano` with its smoke in few cells.
fn coarse_volcano() -> String {
    slosh::scene::find("volcano").expect("an embedded scene").replace("[smoke]\n", "[smoke]\ncells = 600\n")
}

/// Rock leaves the sea and comes back as lava every 24 s.
#[test]
fn the_volcano_erupts_again_and_again() {
    let mut world = world(&coarse_volcano(), 300);
    let molten =
        |world: &World| temperatures(world).into_iter().filter(|(_, temperature)| *temperature > 1000.0).count();
    for (eruption, calm) in [(1, 23.5), (2, 19.5)] {
        run(&mut world, calm);
        let before = molten(&world);
        run(&mut world, 4.5);
        let after = molten(&world);
        assert!(after > before + 40, "eruption {eruption}: {before} particles of lava, then {after}");
    }
}

/// An inlet pours the fluids that outlets have removed, even if another fluid boils away meanwhile.
#[test]
fn what_boils_away_is_not_poured_as_lava() {
    let named = "fluid = { preset = \"lava\", conductivity = 2e-4 }\ndrops";
    let text = coarse_volcano();
    assert!(text.contains(named), "the scene names the fluid that it pours");
    let mut world = world(&text.replace(named, "drops"), 300);
    let lava = |world: &World| {
        let liquid = world.liquid().expect("a liquid");
        let (p, phases) = (liquid.particles(), liquid.phases());
        p.alive().filter(|&slot| phases.melt_of(phases.phase_of(p.id[slot])) == 0).count() + world.pool_count()
    };
    let before = lava(&world);
    for second in 1..=28 {
        run(&mut world, 1.0);
        assert_eq!(lava(&world), before, "particles of lava after {second} s");
    }
}

/// Pours a fluid of the list downwards for some seconds at a place, as the pointer does.
fn pour_at(world: &mut World, fluid: &str, at: Vec2, radius: f32, seconds: f64) {
    let named = fluids::embedded().iter().find(|named| named.name == fluid).expect("an embedded fluid");
    let number = named.number_in(world).expect("the tank has room for it");
    for _ in 0..(60.0 * seconds) as u32 {
        let kind = PointerForceKind::Pour { velocity: Vec2::new(0.0, -1.5), number };
        world.add_pointer_force(PointerForce { at, radius, kind });
        world.step();
    }
}

/// Heats or cools at a place for some seconds, as the pointer does.
fn brush(world: &mut World, at: Vec2, rate: f32, seconds: f64) {
    for _ in 0..(60.0 * seconds) as u32 {
        world.add_pointer_force(PointerForce { at, radius: 0.2, kind: PointerForceKind::HeatBrush { rate } });
        world.step();
    }
}

/// Lava gives a cold tank temperatures: water keeps its own, what it touches boils, and the lava sets.
#[test]
fn lava_poured_into_cold_water_makes_steam_and_rock() {
    let water = "tank = { area = 1, aspect = 1 }\nliquid = [{ box = [0, 0, 1, 0.3] }]";
    let mut world = world(water, 300);
    let before = world.particles();
    pour_at(&mut world, "lava", Vec2::new(0.5, 0.6), 0.1, 1.0);
    let lava = world.particles() - before;
    let of_lava = |world: &World, counts: fn(&slosh::sim::liquid::phases::Phases, u8) -> bool| {
        let liquid = world.liquid().expect("a liquid");
        let (p, phases) = (liquid.particles(), liquid.phases());
        let is_lava = |phase: u8| phases.params[usize::from(phase)].density == 2.7;
        let phases_of = p.alive().map(|slot| phases.phase_of(p.id[slot]));
        phases_of.filter(|&phase| is_lava(phase) && counts(phases, phase)).count()
    };
    assert!(lava > 20 && of_lava(&world, |_, _| true) == lava, "{lava} particles of lava");
    let all = temperatures(&world);
    let hot = all.iter().filter(|(_, temperature)| *temperature > 700.0).count();
    let cold = all.iter().filter(|(_, temperature)| (19.0..101.0).contains(temperature)).count();
    assert!(hot > lava / 2 && cold > before * 8 / 10, "{hot} hot and {cold} cold of {before} and {lava}");
    run(&mut world, 30.0);
    let stats = world.stats();
    let rock = of_lava(&world, |phases, phase| phases.is_solid(phase));
    println!("{rock} of {lava} particles are rock, {} kg/m of steam, {} particles", stats.vapor, world.particles());
    assert!(rock > 0, "no lava has set");
    assert!(stats.vapor > 0.0, "no water has boiled");
    let mass = 1000.0 * f64::from(world.liquid().expect("a liquid").particle_area());
    let steam = (stats.vapor / mass).round() as usize;
    assert_eq!(world.particles() + steam, before + lava, "particles and steam");
    brush(&mut world, Vec2::new(0.1, 0.1), 1.0, 0.1);
    assert!(world.particles() + 5 > before + lava - steam, "a touch of heat boils the tank away");
}

/// A brush heats a tank of lava and water that had no temperatures: each fluid starts at its own.
#[test]
fn a_brush_does_not_give_water_the_temperature_of_lava() {
    let text = "tank = { area = 1, aspect = 1 }
fluid = { preset = \"lava\" }
liquid = [{ box = [0, 0, 1, 0.2] }, { box = [0, 0.2, 1, 0.4], fluid = \"water\" }]";
    let mut world = world(text, 300);
    let before = world.particles();
    brush(&mut world, Vec2::new(0.5, 0.9), 1.0, 0.1);
    let (hot, cold): (Vec<f32>, Vec<f32>) =
        temperatures(&world).into_iter().map(|(_, temperature)| temperature).partition(|it| *it > 500.0);
    assert!(hot.iter().all(|it| *it > 1000.0) && cold.iter().all(|it| *it < 40.0), "{hot:?} and {cold:?}");
    assert!(hot.len() > 100 && cold.len() > 100 && world.particles() == before, "{} and {}", hot.len(), cold.len());
}

#[test]
fn a_cooler_does_not_pass_the_absolute_zero() {
    let liquid = |power: &str| {
        format!(
            "heat = {{ temperature = 20 }}
tank = {{ area = 0.25, aspect = 1 }}
fluid = {{ conductivity = 0.01 }}
liquid = [{{ box = [0, 0, 1, 0.5] }}]
heater = [{{ box = [0, 0, 0.5, 0.3], power = {power} }}]"
        )
    };
    let grid = "heat = { temperature = 20 }
tank = { area = 0.25, aspect = 1 }
smoke = { cells = 100 }
heater = [{ box = [0, 0, 0.5, 0.3], power = -1e6 }]";
    for text in [liquid("-1e7").as_str(), grid] {
        let mut world = world(text, 100);
        let before = world.stats();
        for _ in 0..20 {
            run(&mut world, 1.0);
            let coldest = world.stats().temperature_min;
            assert!(coldest > -273.2, "{coldest} °C");
        }
        let after = world.stats();
        let off = (after.heat - after.heat_in - before.heat).abs() / (after.heat - before.heat).abs();
        assert!(after.temperature_min < -200.0 && off < 1e-3, "{} °C, heat is off by {off}", after.temperature_min);
    }
    let absurd = Scene::parse(&liquid("-1e9"), "test.toml").expect_err("absurd").to_string();
    assert!(absurd.contains("power") && absurd.contains("test.toml"), "{absurd}");
}

/// A cooler narrower than a particle, on a side wall, and no air: steam goes up and comes down along the cooler alone.
#[test]
fn steam_has_air_where_the_scene_gives_none() {
    let text = "heat = { temperature = 95 }
liquid = [{ box = [0, 0, 1, 0.4] }]
tank = { area = 0.5, aspect = 1 }
fluid = { conductivity = 0.01 }
heater = [{ box = [0, 0, 1, 0.15], power = 1e6 }, { box = [-0.1, 0.7, 0.01, 1.1], temperature = 20 }]";
    let mut world = world(text, 300);
    assert!(world.smoke().is_none());
    let before = world.stats();
    let mut drops = 0;
    for _ in 0..3600 {
        let count = world.particles();
        world.step();
        if world.particles() > count {
            drops += 1;
            let highest = temperatures(&world).into_iter().map(|(at, _)| at).max_by(|a, b| a.y.total_cmp(&b.y));
            let highest = highest.expect("particles");
            assert!(highest.x < 0.1 && highest.y > 0.65 * world.size().y, "a drop at {highest}");
        }
    }
    let now = world.stats();
    println!("{drops} drops, {} kg/m of steam", now.vapor);
    assert!(world.smoke().is_some() && now.vapor > 1.0 && drops > 0, "{drops} drops, {} kg/m of steam", now.vapor);
    let mass = (now.warm_mass + now.vapor) / before.warm_mass - 1.0;
    let heat = (now.heat - now.heat_in - before.heat) / before.heat;
    assert!(mass.abs() < 1e-3 && heat.abs() < 1e-3, "the mass is off by {mass}, the heat by {heat}");
    let outside = text.replace("box = [-0.1, 0.7, 0.01, 1.1]", "circle = { at = [1.5, 0.5], radius = 0.05 }");
    let wrong = Scene::parse(&outside, "test.toml").expect_err("outside").to_string();
    assert!(wrong.starts_with("test.toml:5: `heater.1.circle`") && wrong.contains("outside"), "{wrong}");
}

/// Water freezes on cold honey at a usual pace.
#[test]
fn water_on_cold_honey_takes_no_more_substeps() {
    let text = "heat = { temperature = 20 }
tank = { area = 2 }
fluid = { preset = \"honey\" }
liquid = [{ box = [0, 0, 1, 0.3] }]";
    let mut world = world(text, 700);
    brush(&mut world, Vec2::new(0.9, 0.15), -1.0, 3.0);
    let before = world.required_substeps();
    pour_at(&mut world, "water", Vec2::new(0.9, 0.7), 0.1, 1.0);
    let mut most = 0.0f32;
    for _ in 0..6 {
        run(&mut world, 1.0);
        most = most.max(world.required_substeps());
    }
    println!("{before} substeps, then {most}, {} m/s", world.max_speed());
    assert!(most < 3.0 * before + 10.0, "{before} substeps became {most}");
}

/// A pool that is warmer than the air cools as a lumped body does: ΔT falls as exp(−h A t/(m c)).
#[test]
fn a_pool_cools_to_the_air_as_a_lumped_body() {
    for (loss, particles, seconds) in [(20_000.0, 150, 10.0), (20_000.0, 600, 10.0), (100_000.0, 300, 4.0)] {
        let text = format!(
            "heat = {{ temperature = 20, air_loss = {loss} }}
tank = {{ area = 1, aspect = 1 }}
fluid = {{ conductivity = 0.05, boiling_heat = 0, expansion = 0 }}
liquid = [{{ box = [0, 0, 1, 0.2], temperature = 80 }}]"
        );
        let mut world = world(&text, particles);
        run(&mut world, 1.0);
        let (start, mass) = (world.stats().temperature - 20.0, world.stats().warm_mass);
        run(&mut world, seconds);
        let rate = -((world.stats().temperature - 20.0) / start).ln() / seconds;
        let lumped = loss / (mass * 4186.0);
        let inner = loss * 0.2 / (0.05 * 4186.0 * 1000.0);
        println!("h {loss}, {particles}: {:.3} of the lumped rate, Biot {inner:.3}", rate / lumped);
        assert!(
            (rate / lumped - 1.0).abs() < 0.15,
            "h {loss}, {particles} particles: {} of the lumped rate",
            rate / lumped
        );
    }
}

/// Oil poured onto ice leaves it as hard as it was: a tilted tank moves it no further.
#[test]
fn ice_stays_hard_when_oil_is_poured_on_it() {
    let text = "tank = { area = 2, aspect = 1.67 }
heat = { temperature = 2 }
fluid = { conductivity = 0.01 }
liquid = [{ box = [0, 0, 1, 0.35] }]
heater = [{ box = [-0.1, -0.1, 1.1, 1.1], temperature = -60 }]";
    let [alone, with_oil] = [false, true].map(|oil| {
        let mut world = world(text, 300);
        run(&mut world, 30.0);
        if oil {
            pour_at(&mut world, "oil", Vec2::new(0.4, 1.0), 0.06, 0.1);
            run(&mut world, 1.0);
        }
        let before = world.stats().centre_of_mass.x;
        world.tilt_to(0.785);
        run(&mut world, 4.0);
        let liquid = world.liquid().expect("a liquid");
        let phases = liquid.phases();
        let solid = phases.fluid_of.iter().filter(|&&phase| phases.is_solid(phase)).count();
        assert!(solid > 290, "{solid} particles are ice");
        world.stats().centre_of_mass.x - before
    });
    assert!((with_oil - alone).abs() < 0.05, "the ice moves {with_oil} m with oil, and {alone} m alone");
}
