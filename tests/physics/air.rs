//! Trapped air: the volume of pockets, the speed of bubbles, and what the picture leaves out.

use crate::play::{run, world};
use glam::Vec2;
use slosh::sim::World;
use slosh::sim::boundary::region::Region;

const G: f32 = 9.81;

/// The positions of gas particles, or of the others.
fn places(world: &World, gas: bool) -> Vec<Vec2> {
    let liquid = world.liquid().expect("a liquid");
    let (p, mixture) = (liquid.particles(), liquid.phases());
    let is_gas = |slot: &usize| mixture.params_of(p.id[*slot]).gas == gas;
    p.alive().filter(is_gas).map(|slot| p.position(slot)).collect()
}

/// A glass upside down in water, 0.26 × 0.25 of a tank of 1.6 m × 1 m, full of air except for the lowest tenth.
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

/// The area of the air in it, m²: the part above the water.
fn pocket(world: &World) -> f64 {
    let level = world.probe_region(&Region::Box([0.38, 0.1, 0.62, 0.549])).level;
    (0.55 - level) * 0.26 * 1.6
}

#[test]
fn a_glass_upside_down_keeps_its_air_and_stays_dry_inside() {
    let mut world = world(GLASS, 700);
    run(&mut world, 4.0);
    let before = pocket(&world);
    // Initially there is a gap of half a spacing along the walls. It closes as the water rises, and the water's
    // pressure compresses the air a little.
    assert!((before / (0.225 * 0.26 * 1.6) - 1.0).abs() < 0.12, "{before} m² of air");
    run(&mut world, 10.0);
    let after = pocket(&world);
    assert!((after / before - 1.0).abs() < 0.01, "{before} m² of air became {after} m²");
    // Adds a quarter of a metre of water above it.
    world.pour(100);
    run(&mut world, 8.0);
    let deep = pocket(&world);
    assert!((deep / before - 1.0).abs() < 0.02, "under more water {before} m² of air became {deep} m²");
    let dry = places(&world, false);
    let wet = dry.iter().filter(|at| (0.38..0.62).contains(&(at.x / 1.6)) && (0.36..0.55).contains(&at.y)).count();
    assert_eq!(wet, 0, "particles of water high up in the glass");
}

/// A two-dimensional bubble that starts as a cap, cut off a disc of 0.25 m at 52° from its top, in a tank ten times as
/// wide. Returns its speed, m/s, and the radius of curvature of its upper side, both averaged between 1.6 and 5 radii
/// above the floor.
fn rising_cap(particles: usize) -> (f64, f64) {
    const R: f32 = 0.25;
    let (width, height) = (10.0 * R, 7.0 * R);
    let corner = |number: i32| {
        let angle = 52f32.to_radians() * number as f32 / 12.0;
        [0.5 + R * angle.sin() / width, R * (1.0 + angle.cos() - 52f32.to_radians().cos()) / height]
    };
    let polygon: Vec<_> = (-12..=12).map(corner).collect();
    let text = format!(
        "tank = {{ area = {}, aspect = {} }}
        fluid = {{ preset = \"water\", viscosity = 0.004 }}
        [[liquid]]
        polygon = {polygon:?}
        fluid = \"air\"
        [[liquid]]
        box = [0, 0, 1, 0.93]",
        width * height,
        width / height
    );
    let mut world = world(&text, particles);
    let spacing = world.liquid().expect("a liquid").spacing();
    // For each column beside the middle: the sum of the heights of the highest gas particles above the middle, and
    // their count.
    let mut columns = vec![(0.0, 0u32); 81];
    let mut path = Vec::new();
    loop {
        world.step();
        let bubble = places(&world, true);
        let middle = bubble.iter().sum::<Vec2>() / bubble.len() as f32;
        if middle.y > 5.0 * R {
            break;
        }
        if middle.y < 1.6 * R {
            continue;
        }
        path.push((world.time(), f64::from(middle.y)));
        let mut tops = vec![f32::MIN; columns.len()];
        for at in bubble.iter().map(|at| *at - middle) {
            let column = ((at.x / spacing).round() + 40.0).clamp(0.0, 80.0) as usize;
            tops[column] = tops[column].max(at.y);
        }
        for ((sum, count), top) in columns.iter_mut().zip(tops).filter(|(_, top)| *top > f32::MIN) {
            (*sum, *count) = (*sum + f64::from(top), *count + 1);
        }
    }
    let profile: Vec<(f64, f64)> = (-40..=40)
        .zip(&columns)
        .filter(|(_, (_, count))| 2 * *count as usize > path.len())
        .map(|(column, (sum, count))| (f64::from(column) * f64::from(spacing), sum / f64::from(*count)))
        .collect();
    let speed = slope(&path);
    (speed, circle(&profile) + 0.5 * f64::from(spacing))
}

/// The slope of the regression line through points.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let mean = points.iter().fold((0.0, 0.0), |sum, at| (sum.0 + at.0 / n, sum.1 + at.1 / n));
    let sums = points
        .iter()
        .fold((0.0, 0.0), |sum, at| (sum.0 + (at.0 - mean.0).powi(2), sum.1 + (at.0 - mean.0) * (at.1 - mean.1)));
    sums.1 / sums.0
}

/// The radius of the circle through points: least squares of `x² + y² = 2 a x + 2 b y + c` (Kåsa 1976).
fn circle(points: &[(f64, f64)]) -> f64 {
    let mut rows = [[0.0; 4]; 3];
    for &(x, y) in points {
        let (terms, right) = ([2.0 * x, 2.0 * y, 1.0], x * x + y * y);
        for (row, own) in rows.iter_mut().zip(terms) {
            row.iter_mut().zip(terms.into_iter().chain([right])).for_each(|(sum, term)| *sum += own * term);
        }
    }
    for pivot in 0..3 {
        let first = rows[pivot].map(|term| term / rows[pivot][pivot]);
        rows[pivot] = first;
        for (_, row) in rows.iter_mut().enumerate().filter(|(number, _)| *number != pivot) {
            let times = row[pivot];
            row.iter_mut().zip(first).for_each(|(term, own)| *term -= times * own);
        }
    }
    let [a, b, c] = rows.map(|row| row[3]);
    (c + a * a + b * b).sqrt()
}

/// Collins 1965: ½ √(g R), reduced by the density of the gas. In a liquid of 0.004 m²/s the bubble keeps its shape; in
/// water it wobbles, and R differs between runs.
#[test]
fn large_bubbles_rise_at_collins_speed() {
    let (speed, radius) = rising_cap(6000);
    let expected = 0.5 * (0.9 * f64::from(G) * radius).sqrt();
    println!("{speed} m/s, R {radius} m, Collins {expected} m/s: {}", speed / expected);
    assert!((speed / expected - 1.0).abs() < 0.15, "{speed} m/s, and by Collins {expected} m/s at R = {radius} m");
}

/// Outlets of gas drain only gas, and inlets of gas pour gas; other fluids are not affected.
#[test]
fn gas_has_its_own_inlets_and_outlets() {
    let text = r#"
        [[liquid]]
        box = [0, 0.5, 1, 0.8]
        fluid = "air"
        [[liquid]]
        box = [0, 0, 1, 0.5]
        fluid = "water"
        [[outlet]]
        box = [0, 0.4, 1, 1]
        rate = 0.1
        gas = true
        [[inlet]]
        at = [0.5, 0.05]
        toward = [0, 1]
        width = 0.2
        speed = 0.6
        gas = true
    "#;
    let mut world = world(text, 1500);
    let (air, water) = (places(&world, true).len(), places(&world, false).len());
    run(&mut world, 2.0);
    assert_eq!(places(&world, false).len(), water, "the outlet drains no water");
    let deep = places(&world, true).iter().filter(|at| at.y < 0.35 * world.size().y).count();
    assert!(deep > 20, "{deep} particles of air have come out below");
    let left = places(&world, true).len();
    assert!(left <= air && left > air / 2, "of {air} there are {left} in the tank");
}

/// Counts the times at which a growing quantity rises faster than its mean rate after less than half of it, over
/// windows of three samples.
fn gulps(samples: &[f64]) -> usize {
    let mean = 3.0 * (samples[samples.len() - 1] - samples[0]) / (samples.len() - 1) as f64;
    let (mut fast, mut count) = (false, 0);
    for more in samples.windows(4).map(|window| window[3] - window[0]) {
        if !fast && more > mean {
            count += 1;
        }
        fast = if fast { more >= 0.5 * mean } else { more > mean };
    }
    count
}

/// The number of particles of air, or of water, in the upper half of a tank.
fn upper(world: &World, gas: bool) -> usize {
    let middle = 0.5 * world.size().y;
    places(world, gas).iter().filter(|at| at.y > middle).count()
}

/// Water gulps as it falls out of a bottle: air rises through the same neck in bursts, and the water still comes down.
#[test]
fn a_bottle_empties_as_air_enters_through_its_neck() {
    let text = slosh::scene::find("bottle").expect("the scene");
    let mut world = world(text, 1600);
    let before = (upper(&world, false), upper(&world, true));
    let mut risen = vec![before.1 as f64];
    let mut sample = |world: &mut World, tenths: u32| {
        for _ in 0..tenths {
            run(world, 0.1);
            risen.push(upper(world, true) as f64);
        }
    };
    sample(&mut world, 50);
    let halfway = upper(&world, false);
    assert!(halfway as f32 > 0.05 * before.0 as f32, "it does not empty at once: {halfway} of {} are left", before.0);
    sample(&mut world, 50);
    let gulps = gulps(&risen);
    println!("{gulps} gulps");
    assert!(gulps >= 3, "the air comes up in {gulps} gulps");
    run(&mut world, 1.5);
    let after = (upper(&world, false), upper(&world, true));
    assert!(
        (after.0 as f32) < 0.2 * before.0 as f32,
        "of {} particles of water {} are still in the upper bulb",
        before.0,
        after.0
    );
    assert!(after.1 as f32 > 0.7 * before.0 as f32, "air has taken its place: {after:?}");
}

/// A slow machine plays as few as five hundred particles: these held the water in a narrower neck.
#[test]
fn a_bottle_empties_with_few_particles() {
    let text = slosh::scene::find("bottle").expect("the scene");
    for particles in [500, 700, 1000, 1400] {
        let mut world = world(text, particles);
        let before = upper(&world, false);
        run(&mut world, 14.0);
        let left = upper(&world, false) as f32 / before as f32;
        assert!(left < 0.25, "with {particles} particles {left:.2} of the water are still in the upper bulb");
    }
}
