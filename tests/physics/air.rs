//! Trapped air: what a pocket keeps, how fast bubbles rise, and what is left out of the picture.

use glam::Vec2;
use slosh::scene::Scene;
use slosh::sim::boundary::region::Region;
use slosh::sim::{World, WorldOptions};

const G: f32 = 9.81;

fn world(text: &str, particles: usize) -> World {
    let scene = Scene::parse(text, "test").expect("a sound scene").world;
    World::new(&scene, &WorldOptions { particles: Some(particles), ..WorldOptions::default() })
}

fn run(world: &mut World, seconds: f64) {
    (0..(60.0 * seconds).round() as u32).for_each(|_| world.step());
}

/// Where the particles of the gas are, or of what is no gas.
fn places(world: &World, gas: bool) -> Vec<Vec2> {
    let liquid = world.liquid().expect("a liquid");
    let (p, mixture) = (liquid.particles(), liquid.phases());
    let is_gas = |slot: &usize| mixture.params_of(p.id[*slot]).gas == gas;
    p.alive().filter(is_gas).map(|slot| p.position(slot)).collect()
}

/// A glass that stands on its rim in water, 0.26 × 0.25 of a tank of 1.6 m × 1 m, and full of air but for the lowest tenth.
const GLASS: &str = r#"
tank = { area = 1.6, aspect = 1.6 }
[[liquid]]
box = [0.37, 0.325, 0.63, 0.55]
fluid = "air"
[[liquid]]
box = [0, 0, 1, 0.7]
fluid = "water"
[[obstacle]]
box = [0.34, 0.3, 0.37, 0.58]
[[obstacle]]
box = [0.63, 0.3, 0.66, 0.58]
[[obstacle]]
box = [0.34, 0.55, 0.66, 0.58]
"#;

/// The area of the air in it, m²: what is above the water in it.
fn pocket(world: &World) -> f64 {
    let level = world.probe_region(&Region::Box([0.38, 0.1, 0.62, 0.549])).level;
    (0.55 - level) * 0.26 * 1.6
}

#[test]
fn a_glass_upside_down_keeps_its_air_and_stays_dry_inside() {
    let mut world = world(GLASS, 2500);
    run(&mut world, 4.0);
    let before = pocket(&world);
    // As poured it leaves a gap of half a spacing along the walls, which closes as the water comes up.
    assert!((before / (0.225 * 0.26 * 1.6) - 1.0).abs() < 0.25, "{before} m² of air");
    run(&mut world, 10.0);
    let after = pocket(&world);
    assert!((after / before - 1.0).abs() < 0.02, "{before} m² of air became {after} m²");
    // A quarter of a metre more water above it.
    world.pour(350);
    run(&mut world, 8.0);
    let deep = pocket(&world);
    assert!((deep / before - 1.0).abs() < 0.03, "under more water {before} m² of air became {deep} m²");
    let dry = places(&world, false);
    let wet = dry.iter().filter(|at| (0.38..0.62).contains(&(at.x / 1.6)) && (0.36..0.55).contains(&at.y)).count();
    assert_eq!(wet, 0, "particles of water high up in the glass");
}

/// The speed at which the top of a bubble rises through water, m/s.
fn rise(radius: f32) -> f32 {
    let text = format!(
        r#"
        tank = {{ area = 2, aspect = 0.8 }}
        [[liquid]]
        circle = {{ at = [0.5, 0.2], radius = {radius} }}
        fluid = "air"
        [[liquid]]
        box = [0, 0, 1, 0.9]
        fluid = "water"
        "#
    );
    let mut world = world(&text, 4000);
    let (from, to) = (0.2 * world.size().y + 3.0 * radius, 0.7 * world.size().y);
    let mut tops = Vec::new();
    while world.time() < 4.0 && tops.last().is_none_or(|&(_, top)| top < to) {
        world.step();
        let top = places(&world, true).into_iter().map(|at| at.y).fold(0.0, f32::max);
        // From where it has found its shape to where it comes near the surface.
        if top > from {
            tops.push((world.time() as f32, top));
        }
    }
    let (first, last) = (tops[0], tops[tops.len() - 1]);
    (last.1 - first.1) / (last.0 - first.0)
}

/// Collins 1965 has ½ √(g R), R being the radius of curvature of the nose, which so few particles do not tell: of a bubble as
/// large as a disc of radius a it is between a and 2.5 a, so that the speed is between 0.5 and 0.8 of √(g a).
#[test]
fn large_bubbles_rise_about_as_collins_found() {
    let speeds = [0.09, 0.13].map(rise);
    let in_roots = [speeds[0] / (G * 0.09f32).sqrt(), speeds[1] / (G * 0.13f32).sqrt()];
    assert!(in_roots.iter().all(|speed| (0.5..0.8).contains(speed)), "{in_roots:?} of √(g a)");
    assert!(speeds[1] > 1.1 * speeds[0], "the larger the faster: {speeds:?} m/s");
}

/// Drains of gas take gas, and taps of gas pour it; what is not of gas leaves it alone.
#[test]
fn gas_has_pipes_of_its_own() {
    let text = r#"
        [[liquid]]
        box = [0, 0.5, 1, 0.8]
        fluid = "air"
        [[liquid]]
        box = [0, 0, 1, 0.5]
        fluid = "water"
        [[drain]]
        box = [0, 0.4, 1, 1]
        rate = 0.1
        gas = true
        [[tap]]
        at = [0.5, 0.05]
        toward = [0, 1]
        width = 0.2
        speed = 0.6
        gas = true
    "#;
    let mut world = world(text, 1500);
    let (air, water) = (places(&world, true).len(), places(&world, false).len());
    run(&mut world, 2.0);
    assert_eq!(places(&world, false).len(), water, "water is left where it is");
    let deep = places(&world, true).iter().filter(|at| at.y < 0.35 * world.size().y).count();
    assert!(deep > 20, "{deep} particles of air have come out below");
    let left = places(&world, true).len();
    assert!(left <= air && left > air / 2, "of {air} there are {left} in the tank");
}

/// Water that falls out of a bottle gulps: air comes up by the same neck, and the water comes down all the same.
#[test]
fn a_bottle_empties_as_air_comes_in_by_its_neck() {
    let text = slosh::scene::find("bottle").expect("the scene");
    let mut world = world(text, 2500);
    let upper = |world: &World, gas: bool| {
        let middle = 0.5 * world.size().y;
        places(world, gas).iter().filter(|at| at.y > middle).count()
    };
    let before = (upper(&world, false), upper(&world, true));
    run(&mut world, 5.0);
    let halfway = upper(&world, false);
    assert!(halfway as f32 > 0.05 * before.0 as f32, "it takes its time: {halfway} of {} are left", before.0);
    run(&mut world, 40.0);
    let after = (upper(&world, false), upper(&world, true));
    assert!((after.0 as f32) < 0.2 * before.0 as f32, "of {} particles of water {} are still up", before.0, after.0);
    assert!(after.1 as f32 > 0.7 * before.0 as f32, "air has taken its place: {after:?}");
}
