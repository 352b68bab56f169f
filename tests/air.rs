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
    let is_gas = |slot: &usize| mixture.fluid(p.id[*slot]).gas == gas;
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
    let count = |world: &World| places(world, true).len() as f32 * world.liquid().unwrap().particle_area();
    println!("{} {}", pocket(&world), count(&world));
    run(&mut world, 0.1);
    println!("{} {}", pocket(&world), count(&world));
    run(&mut world, 2.0);
    let before = pocket(&world);
    println!("{before}");
    assert!((before / (0.225 * 0.26 * 1.6) - 1.0).abs() < 0.1, "{before} m² of air");
    run(&mut world, 10.0);
    let after = pocket(&world);
    println!("pocket {before} {after}");
    assert!((after / before - 1.0).abs() < 0.02, "{before} m² of air became {after} m²");
    // A quarter of a metre more water above it.
    world.pour(350);
    run(&mut world, 8.0);
    let deep = pocket(&world);
    println!("deep {deep}");
    assert!((deep / before - 1.0).abs() < 0.06, "under more water {before} m² of air became {deep} m²");
    let dry = places(&world, false);
    let wet = dry.iter().filter(|at| (0.38..0.62).contains(&(at.x / 1.6)) && (0.36..0.55).contains(&at.y)).count();
    assert_eq!(wet, 0, "particles of water high up in the glass");
}

/// The speed of a bubble in ½ √(g R), R the radius of curvature of its nose.
fn rise(radius: f32) -> f32 {
    let var = |n: &str, d: &str| std::env::var(n).unwrap_or(d.to_owned());
    let (area, extra, base) = (var("AREA", "2"), var("AIR", ""), var("BASE", ""));
    let text = format!(
        r#"
        tank = {{ area = {area}, aspect = 0.8 }}
        fluid = {{ preset = "water" {base} }}
        [[liquid]]
        circle = {{ at = [0.5, 0.2], radius = {radius} }}
        fluid = {{ preset = "air" {extra} }}
        [[liquid]]
        box = [0, 0, 1, 0.9]
        "#
    );
    let mut world = world(&text, var("N", "6000").parse().unwrap());
    let (mut noses, mut curvatures) = (Vec::new(), Vec::new());
    let start = 0.2 * world.size().y;
    let spacing = world.liquid().expect("a liquid").spacing();
    while world.time() < 4.0 {
        world.step();
        let air = places(&world, true);
        let (nose, curvature) = nose(&air, radius, spacing);
        // From where it has found its shape to where it meets the surface.
        if (start + 3.0 * radius..0.7 * world.size().y).contains(&nose) {
            noses.push((world.time() as f32, nose));
            curvatures.push(curvature);
        }
    }
    let n = noses.len() as f32;
    let mean = |of: &dyn Fn(&(f32, f32)) -> f32| noses.iter().map(of).sum::<f32>() / n;
    let (time, height) = (mean(&|it| it.0), mean(&|it| it.1));
    let speed = mean(&|it| (it.0 - time) * (it.1 - height)) / mean(&|it| (it.0 - time).powi(2));
    let curvature = curvatures.iter().sum::<f32>() / n;
    println!("{curvatures:.2?}");
    println!("radius {radius}: {speed} m/s, R {}, {n} samples", curvature);
    speed / (0.5 * (G * curvature).sqrt())
}

/// The height of a bubble's top, and the radius of curvature of its nose: of the circle through the highest particles of
/// each column of a spacing's width, a radius of the bubble's to each side.
fn nose(air: &[Vec2], radius: f32, spacing: f32) -> (f32, f32) {
    let top = air.iter().copied().max_by(|a, b| a.y.total_cmp(&b.y)).expect("air");
    // What has come off it, and lies behind, does not count.
    let near = || air.iter().filter(|at| at.y > top.y - radius);
    let middle = near().map(|at| at.x).sum::<f32>() / near().count() as f32;
    let columns = (2.0 * radius / spacing).round() as usize;
    let mut highest = vec![f32::NEG_INFINITY; columns];
    for at in near() {
        let column = ((at.x - middle + radius) / (2.0 * radius) * columns as f32).floor();
        if (0.0..columns as f32).contains(&column) {
            highest[column as usize] = highest[column as usize].max(at.y);
        }
    }
    let x = |column: usize| radius * ((2 * column + 1) as f32 / columns as f32 - 1.0);
    let points = (0..columns).filter(|&it| highest[it].is_finite()).map(|it| Vec2::new(x(it), highest[it] - top.y));
    (top.y, circle_through(&points.collect::<Vec<_>>()))
}

/// The radius of the circle x² + y² = a x + b y + c that is nearest to all points (I. Kåsa 1976).
fn circle_through(points: &[Vec2]) -> f32 {
    let n = points.len() as f32;
    let middle = points.iter().sum::<Vec2>() / n;
    let (mut xx, mut xy, mut yy, mut xs, mut ys) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for point in points {
        let d = *point - middle;
        let square = d.length_squared();
        (xx, xy, yy) = (xx + d.x * d.x, xy + d.x * d.y, yy + d.y * d.y);
        (xs, ys) = (xs + d.x * square, ys + d.y * square);
    }
    let determinant = 2.0 * (xx * yy - xy * xy);
    let center = Vec2::new(xs * yy - ys * xy, ys * xx - xs * xy) / determinant;
    (center.length_squared() + (xx + yy) / n).sqrt()
}

/// R. Collins, "A Simple Model of the Plane Gas Bubble in a Finite Liquid", 1965.
#[test]
fn large_bubbles_rise_as_collins_found() {
    for radius in std::env::var("RS").map_or(vec![0.09, 0.13], |t| t.split(',').map(|x| x.parse().unwrap()).collect()) {
        let ratio = rise(radius);
        assert!((ratio - 1.0).abs() < 0.15, "a bubble of {radius} m rises at {ratio} of ½ √(g R)");
    }
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
    println!("upper bottle: water and air {before:?}, {halfway} after 5 s, {after:?} after 45 s");
    assert!((after.0 as f32) < 0.2 * before.0 as f32, "of {} particles of water {} are still up", before.0, after.0);
    assert!(after.1 as f32 > 0.7 * before.0 as f32, "air has taken its place: {after:?}");
}
