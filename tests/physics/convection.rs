//! Slow convection: what it takes to flow at all, round drops on walls, and the lava lamp.

use crate::laws::seeded;
use crate::play::{run, world};
use glam::Vec2;
use slosh::sim::World;

/// The places of the particles of the first fluid, or of the others.
fn places(world: &World, first: bool) -> Vec<Vec2> {
    let liquid = world.liquid().expect("a liquid");
    let p = liquid.particles();
    p.alive()
        .filter(|&slot| (liquid.phases().phase_of(p.id[slot]) == 0) == first)
        .map(|slot| p.position(slot))
        .collect()
}

fn mean_height(places: &[Vec2]) -> f32 {
    places.iter().map(|at| at.y).sum::<f32>() / places.len() as f32
}

/// How far a disc of 0.12 m rises in 20 s that is a fiftieth lighter than the liquid around it, metres.
fn rise(calms: bool) -> f32 {
    let text = format!(
        "gravity = 0.3
        tank = {{ area = 1, aspect = 1 }}
        heat = {{ temperature = 20 }}
        fluid = {{ thermal_speed = 0.5, calms = {calms}, conductivity = 0, expansion = 0.02, interfacial_repulsion = 1 }}
        [[liquid]]
        circle = {{ at = [0.5, 0.3], radius = 0.12 }}
        temperature = 21
        [[liquid]]
        box = [0, 0, 1, 1]
        fluid = {{ preset = \"water\", conductivity = 0, foam = 0 }}"
    );
    let mut world = world(&text, 1000);
    let before = mean_height(&places(&world, true));
    run(&mut world, 20.0);
    mean_height(&places(&world, true)) - before
}

#[test]
fn a_blob_that_is_a_fiftieth_lighter_rises_where_the_liquid_does_not_calm() {
    let (calm, lively) = (rise(true), rise(false));
    println!("it rises {calm} m in a liquid that calms, {lively} m in one that does not");
    // 0.023 m and 0.149 m.
    assert!(lively > 0.1, "it has risen {lively} m");
    assert!(calm < 0.4 * lively, "it has risen {calm} m in a liquid that calms");
}

/// A drop of a heavier liquid on the floor of another: width over height, and how many of its particles touch the floor.
fn drop_on_the_floor(wetting: f32) -> (f32, usize) {
    let text = format!(
        "gravity = 0.3
        tank = {{ area = 1, aspect = 1 }}
        fluid = {{ thermal_speed = 0.5, calms = false, density = 1.05, interfacial_repulsion = 1.5, wetting = {wetting} }}
        [[liquid]]
        box = [0.4, 0, 0.6, 0.2]
        [[liquid]]
        box = [0, 0, 1, 1]
        fluid = {{ preset = \"water\", foam = 0 }}"
    );
    let mut world = world(&text, 1200);
    run(&mut world, 20.0);
    let (at, spacing) = (places(&world, true), world.liquid().expect("a liquid").spacing());
    let touching = at.iter().filter(|at| at.y < 0.75 * spacing).count();
    let middle = at.iter().sum::<Vec2>() / at.len() as f32;
    let spread = at.iter().map(|at| (at - middle).powf(2.0)).sum::<Vec2>() / at.len() as f32;
    ((spread.x / spread.y).sqrt(), touching)
}

#[test]
fn a_drop_that_does_not_wet_the_floor_is_rounder_and_lies_on_a_film() {
    let (wet, dry) = (drop_on_the_floor(1.0), drop_on_the_floor(0.0));
    println!("width over height and particles at the floor: {wet:?} where it wets, {dry:?} where not");
    // 1.08 and 2.24 times as wide as high; 4 and 11 particles.
    assert!(dry.0 < 1.4 && wet.0 > 1.7, "it is {} times as wide as high, and {} where it wets", dry.0, wet.0);
    assert!(dry.1 * 2 < wet.1, "{} particles touch the floor, and {} where it wets", dry.1, wet.1);
}

/// The number of drops: particles of one drop are within one and a half spacings of each other.
fn drops(world: &World) -> usize {
    let (mut left, mut count) = (places(world, true), 0);
    let reach = 1.5 * world.liquid().expect("a liquid").spacing();
    while let Some(first) = left.pop() {
        let mut drop = vec![first];
        while let Some(at) = drop.pop() {
            let (joined, others): (Vec<_>, Vec<_>) = left.into_iter().partition(|other| other.distance(at) < reach);
            (left, drop) = (others, [drop, joined].concat());
        }
        count += 1;
    }
    count
}

/// Specks of a fluid that is heavier than the one around it at 20 °C, and lighter at 60 °C. A cell of the grid is larger.
#[test]
fn specks_that_are_warm_rise_as_their_weight_tells() {
    let rises = [20.0, 60.0].map(|temperature| {
        let specks = [0.2, 0.5, 0.8].map(|x| {
            format!("[[liquid]]\ncircle = {{ at = [{x}, 0.5], radius = 0.015 }}\ntemperature = {temperature}\n")
        });
        let text = format!(
            "tank = {{ area = 1, aspect = 1 }}
            heat = {{ temperature = 20 }}
            fluid = {{ density = 1.2, conductivity = 0, expansion = 0.02 }}
            {}
            [[liquid]]
            box = [0, 0, 1, 0.9]
            fluid = {{ preset = \"water\", conductivity = 0, foam = 0 }}",
            specks.concat()
        );
        let mut world = world(&text, 2000);
        let before = mean_height(&places(&world, true));
        run(&mut world, 2.0);
        assert!(world.liquid().expect("a liquid").is_on_grid());
        mean_height(&places(&world, true)) - before
    });
    println!("specks rise {rises:?} m");
    assert!(rises[0] < -0.1, "heavy specks have risen {} m", rises[0]);
    assert!(rises[1] > 0.1, "light specks have risen {} m", rises[1]);
}

/// Specks in another fluid of nearly the same weight, beside a drop of their own.
#[test]
fn tension_draws_specks_to_their_own_fluid() {
    let counts = [0.0, 4.0].map(|repulsion| {
        let specks = [[0.65, 0.5], [0.35, 0.5], [0.5, 0.65], [0.5, 0.35], [0.61, 0.61], [0.39, 0.39]]
            .map(|at| format!("[[liquid]]\ncircle = {{ at = {at:?}, radius = 0.016 }}\n"));
        let text = format!(
            "tank = {{ area = 1, aspect = 1 }}
            fluid = {{ interfacial_repulsion = {repulsion}, density = 1.0001 }}
            [[liquid]]
            circle = {{ at = [0.5, 0.5], radius = 0.1 }}
            {}
            [[liquid]]
            box = [0, 0, 1, 1]
            fluid = {{ preset = \"water\", foam = 0 }}",
            specks.concat()
        );
        let mut world = world(&text, 2000);
        let before = drops(&world);
        run(&mut world, 3.0);
        [before, drops(&world)]
    });
    println!("drops before and after, without tension and with: {counts:?}");
    // Half of the specks are within a cell of the drop.
    assert!(counts[1][1] + 2 < counts[0][1], "by tension {:?}, without {:?}", counts[1], counts[0]);
}

/// In the second minute the wax is above and below, and moves: the mean of three lamps, since one may rest for half of it.
#[test]
fn the_lava_lamp_goes_on() {
    let moved = [0, 1, 2].map(|seed| {
        let mut world = seeded("lava-lamp", 800, seed);
        run(&mut world, 60.0);
        let half = 0.5 * world.size().y;
        let (mut before, mut upper) = (mean_height(&places(&world, true)), Vec::new());
        let mut moved = 0.0;
        for _ in 0..12 {
            run(&mut world, 5.0);
            let wax = places(&world, true);
            let now = mean_height(&wax);
            (moved, before) = (moved + (now - before).abs(), now);
            upper.push(wax.iter().filter(|at| at.y > half).count() as f32 / wax.len() as f32);
        }
        println!("moved {moved} m, in the upper half {upper:?}");
        let mean = upper.iter().sum::<f32>() / upper.len() as f32;
        assert!((0.1..0.9).contains(&mean), "in the upper half there is {mean} of the wax: {upper:?}");
        moved
    });
    let mean = moved.iter().sum::<f32>() / 3.0;
    assert!(mean > 0.3, "the middle of the wax has moved {moved:?} m in a minute");
}

/// Water at 70 °C over water at 20 °C, the surface between both tilted, in a full tank of 1 m × 0.6 m. Waves between them have the
/// period ω² = g k (Δρ/ρ)/(2 coth(k d)), d being the depth of each, where only the weight differs.
#[test]
fn waves_between_warm_and_cold_water_have_their_period() {
    let text = "tank = { area = 0.6, aspect = 1.6667 }
        heat = { temperature = 20 }
        fluid = { conductivity = 0, expansion = 0.01 }
        [[liquid]]
        polygon = [[0, 0.45], [1, 0.55], [1, 1], [0, 1]]
        temperature = 70
        [[liquid]]
        box = [0, 0, 1, 1]";
    let mut world = world(text, 1500);
    assert!(world.liquid().expect("water").is_on_grid());
    let stream = |world: &World| {
        let liquid = world.liquid().expect("water");
        let (heat, p) = (liquid.heat().expect("heat"), liquid.particles());
        let is_below = |slot: &usize| heat.temperature(p.id[*slot]) < 45.0 && (0.25..0.75).contains(&p.x[*slot]);
        p.alive().filter(is_below).map(|slot| p.vx[slot]).sum::<f32>()
    };
    let (mut turns, mut before) = (Vec::new(), 0.0);
    while turns.len() < 4 {
        world.step();
        let now = stream(&world);
        if before * now < 0.0 {
            turns.push(world.time());
        }
        before = now;
        assert!(world.time() < 10.0, "it turns at {turns:?}");
    }
    let period = 2.0 / 3.0 * (turns[3] - turns[0]);
    let k = std::f64::consts::PI;
    let due = std::f64::consts::TAU / (9.81 * k * 0.5 * (0.3 * k).tanh() / 2.0).sqrt();
    println!("waves between warm and cold water: {period:.3} s, {due:.3} s in theory");
    assert!((period / due - 1.0).abs() < 0.08, "{period} s instead of {due} s");
}

#[test]
fn warm_water_is_left_to_the_particles_where_it_may_freeze() {
    let heated = [("", true), ("power = 1e5", true), ("power = -1e5", false), ("temperature = -1", false)];
    for (heat, is_on_grid) in heated {
        let heater = if heat.is_empty() { String::new() } else { format!("{{ box = [0, 0, 1, 0.1], {heat} }}") };
        let text = format!("heat = {{ temperature = 40 }}\nliquid = [{{ box = [0, 0, 1, 0.5] }}]\nheater = [{heater}]");
        let mut world = world(&text, 300);
        world.step();
        assert_eq!(world.liquid().expect("water").is_on_grid(), is_on_grid, "{heat}");
    }
}
