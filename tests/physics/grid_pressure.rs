//! Water whose weight a grid carries.

use crate::play::run;
use glam::Vec2;
use slosh::scene::Scene;
use slosh::sim::parallel::instructions::Instructions;
use slosh::sim::{World, WorldOptions};

const DAM: &str = "particles = 3000\ntank = { area = 1.6 }\n\
    liquid = [{ box = [0, 0, 0.4, 0.9] }]\n";

fn tank(text: &str, options: WorldOptions) -> World {
    let scene = Scene::parse(text, "test.toml").unwrap_or_else(|error| panic!("{error}")).world;
    World::new(&scene, &options)
}

/// The particles' places, as fractions of the tank.
fn places(world: &World) -> impl Iterator<Item = Vec2> {
    let p = world.liquid().expect("water").particles();
    p.alive().map(|slot| p.position(slot) / world.size())
}

fn states(options: WorldOptions) -> Vec<(u32, [u32; 4])> {
    let mut world = tank(DAM, options);
    run(&mut world, 1.5);
    let p = world.liquid().expect("water").particles();
    let mut all: Vec<_> =
        p.alive().map(|slot| (p.id[slot], [p.x[slot], p.y[slot], p.vx[slot], p.vy[slot]].map(f32::to_bits))).collect();
    all.sort_unstable();
    all
}

#[test]
fn any_threads_and_instructions_give_the_same_bits() {
    let one = states(WorldOptions::default());
    for threads in [2, 3] {
        assert!(states(WorldOptions { threads, ..WorldOptions::default() }) == one, "{threads} threads differ");
    }
    for instructions in Instructions::ALL.into_iter().filter(|it| it.available()) {
        let options = WorldOptions { instructions, ..WorldOptions::default() };
        assert!(states(options) == one, "{} differs", instructions.name());
    }
}

/// The same water by its particles alone takes 14 substeps a step.
#[test]
fn calm_water_takes_one_substep_and_keeps_its_depth() {
    let mut world = tank(DAM, WorldOptions::default());
    let before = world.particles();
    run(&mut world, 30.0);
    assert_eq!(world.particles(), before);
    assert_eq!(world.substeps(), 1);
    let told = 0.4 * 0.9 * world.size().y;
    let depth = 2.0 * world.stats().centre_of_mass.y as f32;
    assert!((depth / told - 1.0).abs() < 0.03, "a depth of {depth} m, not {told}");
}

#[test]
fn pressure_is_the_weight_above() {
    let text = "particles = 3000\ntank = { area = 1, aspect = 1 }\nfluid = { density = 1.3 }\n\
        liquid = [{ box = [0, 0, 1, 0.6] }]\n";
    let mut world = tank(text, WorldOptions::default());
    run(&mut world, 20.0);
    for depth in [0.15, 0.3, 0.5] {
        let pressure = world.pressure(Vec2::new(0.5, 0.6 - depth)).expect("water");
        let told = 1.3 * 9.81 * depth;
        assert!((pressure / told - 1.0).abs() < 0.08, "{pressure} kPa at {depth} m, not {told}");
    }
}

/// A tank without room for a surface: nothing tells the pressure but that it is nowhere below 0.
#[test]
fn a_full_tank_stays_full_and_has_its_pressure() {
    let text = "particles = 1500\ntank = { area = 1, aspect = 1 }\nliquid = [{ box = [0, 0, 1, 1] }]\n";
    let mut world = tank(text, WorldOptions::default());
    run(&mut world, 10.0);
    let pressure = |y: f32| world.pressure(Vec2::new(0.5, y)).expect("water");
    let gradient = (pressure(0.2) - pressure(0.8)) / 0.6;
    assert!((gradient / 9.81 - 1.0).abs() < 0.08, "{gradient} kPa/m");
    let highest = places(&world).map(|at| at.y).fold(0.0, f32::max);
    let upper = places(&world).filter(|at| at.y > 0.95).count();
    assert!(highest > 0.98 && (60..90).contains(&upper), "{upper} particles in the top twentieth, up to {highest}");
}

/// A drop in flight: neither panes nor the grid take momentum from it. Its motion is of first order in time, 2 % ahead
/// after 0.4 s.
#[test]
fn a_drop_falls_freely() {
    let text = "particles = 400\ntank = { area = 4, aspect = 1 }\n\
        liquid = [{ box = [0.45, 0.8, 0.55, 0.9] }]\n";
    let mut world = tank(text, WorldOptions::default());
    let height = world.stats().centre_of_mass.y;
    run(&mut world, 0.4);
    let fallen = height - world.stats().centre_of_mass.y;
    assert!((fallen / (0.5 * 9.81 * 0.16) - 1.0).abs() < 0.03, "it has fallen {fallen} m");
}

/// A plate of 3 mm, far thinner than a cell, on the floor: nothing passes it while the tank is tilted and shaken.
#[test]
fn nothing_passes_a_thin_plate() {
    let text = "particles = 3000\ntank = { area = 1.6 }\nobstacle = [{ box = [0.5, 0, 0.502, 1] }]\n\
        liquid = [{ box = [0, 0, 0.49, 0.6] }]\n";
    let mut world = tank(text, WorldOptions::default());
    assert!(world.substeps() <= 2, "{} substeps", world.substeps());
    for tilt in [40f32, -40.0, 90.0, 0.0, 170.0, 0.0] {
        world.tilt_to(tilt.to_radians());
        run(&mut world, 1.5);
    }
    let plate = 0.5 * world.size().x;
    let p = world.liquid().expect("water").particles();
    let passed = p.alive().filter(|&slot| p.position(slot).x > plate).count();
    assert_eq!(passed, 0, "{passed} particles have passed the plate");
    assert_eq!(p.len(), world.particles());
}

/// Rounding puts a particle that lies at a plate a little inside of it: the way across the plate stays closed.
#[test]
fn no_way_leads_through_a_plate() {
    let text = "particles = 1000\ntank = { area = 1.6 }\nobstacle = [{ box = [0.5, 0, 0.502, 1] }]\n\
        liquid = [{ box = [0, 0, 0.49, 0.6] }]\n";
    let world = tank(text, WorldOptions::default());
    let plate = Vec2::new(0.5, 0.502) * world.size().x;
    for height in [0.1, 0.3, 0.7] {
        for depth in [-1e-4, -1e-6, 0.0, 1e-7, 1e-6, 1e-4] {
            let [left, right] = [plate.x + depth, plate.y - depth].map(|x| Vec2::new(x, height));
            for (from, to) in [(left, right + 0.1 * Vec2::X), (right, left - 0.1 * Vec2::X)] {
                let (end, normal) = world.walls().end_of_way(from, to);
                assert!(normal.is_some(), "from {from} to {to} it meets no wall");
                assert!(end.distance(from) < 2e-4, "from {from} to {to} it comes to {end}");
            }
            let away = left - 0.1 * Vec2::X;
            assert_eq!(world.walls().end_of_way(left, away).0, away, "it may leave the plate");
        }
    }
}

/// A fast inlet close to a thin plate pours on its own side of it.
#[test]
fn an_inlet_does_not_pour_through_a_plate() {
    let text = "particles = 1500\ntank = { area = 2, aspect = 1 }\nobstacle = [{ box = [0.35, 0, 0.352, 1] }]\n\
        inlet = [{ at = [0.3, 0.5], toward = [1, 0], width = 0.1, speed = 14 }]\n\
        outlet = [{ box = [0, 0, 0.3, 0.05], rate = 0.5 }]\nliquid = [{ box = [0, 0, 0.34, 0.1] }]\n";
    let mut world = tank(text, WorldOptions::default());
    let plate = 0.351 * world.size().x;
    let mut fastest = 0f32;
    for _ in 0..120 {
        world.step();
        fastest = fastest.max(world.max_speed());
    }
    assert!(fastest > 10.0, "nothing was poured: {fastest} m/s");
    let p = world.liquid().expect("water").particles();
    assert_eq!(p.alive().filter(|&slot| p.position(slot).x > plate).count(), 0, "particles behind the plate");
}

/// Water between obstacles that lie over each other, with gaps narrower than a cell, comes to rest.
#[test]
fn liquid_between_fixed_obstacles_falls_asleep() {
    for variant in [7, 9, 11] {
        let mut text = "tank = { area = 2, aspect = 1 }\nliquid = [{ box = [0, 0, 1, 0.45] }]\n".to_owned();
        for number in 0..40usize {
            let [column, row] = [number % 10, number / 10].map(|it| it as f32);
            let x = 0.05 + 0.1 * column + 0.013 * (number * variant % 5) as f32;
            let y = 0.02 + 0.07 * row + 0.011 * (number * (variant + 4) % 4) as f32;
            let r = 0.022 + 0.005 * (number * 3 % 6) as f32;
            text += &match number % 2 {
                0 => format!("[[obstacle]]\ncircle = {{ at = [{x:.3}, {y:.3}], radius = {:.3} }}\n", 1.4 * r),
                _ => format!(
                    "[[obstacle]]\nbox = [{:.3}, {:.3}, {:.3}, {:.3}]\n",
                    x - r,
                    y - 0.7 * r,
                    x + r,
                    y + 0.7 * r
                ),
            };
        }
        let mut world = tank(&text, WorldOptions { particles: Some(2000), ..WorldOptions::default() });
        run(&mut world, 40.0);
        assert!(world.is_asleep(), "variant {variant}: it still moves at {} m/s", world.max_speed());
    }
}

/// A piston under half of the tank rises by 0.3 m: the water rises by half of that, and stands still a moment later.
#[test]
fn a_piston_lifts_water_by_what_it_displaces() {
    let text = "particles = 1000\ntank = { area = 1, aspect = 1 }\nliquid = [{ box = [0, 0.02, 1, 0.4] }]\n\
        [[piston]]\nbox = [-0.1, -0.5, 0.5, 0.02]\ntravel = [0, 0.3]\nposition = 0\n\
        swing = { amplitude = 1, period = 24, phase = 0 }\n";
    let mut world = tank(text, WorldOptions::default());
    run(&mut world, 6.0);
    let water = world.liquid().expect("water");
    assert!(water.is_on_grid() && world.particles() == 1000 && world.substeps() == 1);
    // 0.38 m² of it: 0.22 m deep on the piston, 0.54 m beside it.
    let told = (0.11 * (0.32 + 0.11) + 0.27 * 0.27) / 0.38;
    let center = world.stats().centre_of_mass.y;
    assert!((center / told - 1.0).abs() < 0.01, "the water's centre is at {center} m, not {told}");
    assert!(world.stats().mean_speed < 0.02, "it moves at {} m/s", world.stats().mean_speed);
}

/// A piston that falls and rises at 0.4 m/s neither squeezes the water beside it nor leaves a gap above it.
#[test]
fn a_swinging_piston_keeps_the_density() {
    let text = "particles = 3000\ntank = { area = 2, aspect = 2 }\nliquid = [{ box = [0, 0.02, 1, 0.5] }]\n\
        [[piston]]\nbox = [-0.1, -0.5, 0.3, 0.02]\ntravel = [0, 0.2]\nposition = 0.5\n\
        swing = { amplitude = 0.5, period = 1.6, phase = 0 }\n";
    let mut world = tank(text, WorldOptions::default());
    for eighth in 1..=24 {
        run(&mut world, 0.2);
        let water = world.liquid().expect("water");
        let densest = water.particles().alive().map(|slot| water.relative_density(slot)).fold(0.0, f32::max);
        assert!(water.is_on_grid() && densest < 1.65, "a density of {densest} after {eighth} eighths");
        let top = 0.02 + 0.2 * (0.5 + 0.5 * (std::f32::consts::TAU * eighth as f32 / 8.0).sin());
        let lowest = places(&world).filter(|at| (0.05..0.25).contains(&at.x)).map(|at| at.y).fold(1.0, f32::min);
        assert!((lowest - top).abs() < 0.02, "the piston is at {top} m, the water begins at {lowest} m");
    }
}

/// Water may rise to three heights of a tank without a ceiling, where it is stopped when the tank is turned over: the grid reaches
/// as high.
#[test]
fn an_open_tank_holds_its_water_when_it_is_turned_over() {
    for on_grid in [true, false] {
        let text = format!(
            "particles = 1500\ntank = {{ area = 1.6, aspect = 1.6, shape = \"open-top\" }}\n\
             fluid = {{ grid_pressure = {on_grid} }}\nliquid = [{{ box = [0, 0, 0.3, 1] }}]\n"
        );
        let mut world = tank(&text, WorldOptions::default());
        let mut highest = 0f32;
        for _ in 0..120 {
            world.step();
            highest = places(&world).map(|at| at.y).fold(highest, f32::max);
        }
        assert_eq!(world.liquid().expect("water").is_on_grid(), on_grid);
        assert!(highest > 1.02, "the dam has splashed to {highest} of the tank's height");
        world.tilt_to(std::f32::consts::PI);
        run(&mut world, 6.0);
        highest = places(&world).map(|at| at.y).fold(0.0, f32::max);
        let depth = 2.0 * (3.0 * world.size().y - world.stats().centre_of_mass.y as f32);
        let told = 0.3 * world.size().y;
        assert!((depth / told - 1.0).abs() < 0.1 && highest < 3.001, "{depth} m of it hang at {highest}, not {told} m");
    }
}

/// Water on both sides of a plate keeps two levels.
#[test]
fn a_plate_bears_the_weight_on_one_side() {
    let text = "particles = 3000\ntank = { area = 1, aspect = 1 }\nobstacle = [{ box = [0.5, 0, 0.505, 1] }]\n\
        liquid = [{ box = [0, 0, 0.49, 0.6] }, { box = [0.51, 0, 1, 0.3] }]\n";
    let mut world = tank(text, WorldOptions::default());
    run(&mut world, 10.0);
    for (x, level) in [(0.25, 0.588), (0.75, 0.294)] {
        let pressure = world.pressure(Vec2::new(x, 0.1)).expect("water");
        let told = 9.81 * (level - 0.1);
        assert!((pressure / told - 1.0).abs() < 0.08, "{pressure} kPa at {x}, not {told}");
    }
}

/// What splashes onto a slope slides down again. A particle that an obstacle stopped without moving it once reached 22 m/s in
/// this tank 0.8 m high.
/// A film of less than a cell has no pressure on the grid, and stood a whole cell deep on the weir.
#[test]
fn water_runs_off_over_a_weir() {
    for sill in [0.36, 0.39, 0.4, 0.42, 0.44] {
        let text = format!(
            "particles = 3000\ntank = {{ area = 1, aspect = 1.5 }}\nobstacle = [{{ box = [0.5, 0, 0.55, {sill}] }}]\n\
             liquid = [{{ box = [0, 0, 0.5, 0.9] }}]\noutlet = [{{ box = [0.6, -0.05, 1, 0.05], rate = 1 }}]\n"
        );
        let mut world = tank(&text, WorldOptions::default());
        run(&mut world, 20.0);
        let left = places(&world).filter(|place| place.x < 0.45).count() as f32;
        let liquid = world.liquid().expect("water");
        let area = left * liquid.particle_area();
        let depth = area / (0.45 * world.size().x);
        let over = (depth - sill * world.size().y) / liquid.h();
        assert!((-0.2..0.65).contains(&over), "{over} h of water stand above a sill at {sill}");
    }
}

#[test]
fn violent_flow_does_not_compress_water() {
    let text = "particles = 2000\ntank = { area = 1, aspect = 1.5, roll = { angle = 40, period = 3 } }\n\
        liquid = [{ box = [0, 0, 1, 0.5] }]\n";
    let mut world = tank(text, WorldOptions::default());
    run(&mut world, 5.0);
    let mut sum = 0.0;
    for _ in 0..50 {
        run(&mut world, 0.3);
        sum += world.stats().density_mean;
    }
    assert!((0.97..1.03).contains(&(sum / 50.0)), "a mean density of {}", sum / 50.0);
}

#[test]
fn drops_slide_down_slopes() {
    let text = slosh::scene::find("vessels").expect("an embedded scene");
    let mut world = tank(text, WorldOptions { particles: Some(1500), ..WorldOptions::default() });
    for _ in 0..300 {
        world.step();
        let (speed, fall) = (world.stats().max_speed, (2.0 * 9.81 * world.size().y).sqrt());
        assert!(speed < 1.5 * f64::from(fall), "{speed} m/s after {} s", world.time());
    }
}

/// Drops that are no larger than a cell lie on top of a lighter liquid only for a moment.
#[test]
fn water_sinks_into_the_oil_below_it() {
    let drops = [0.15, 0.33, 0.5, 0.68, 0.85]
        .map(|x| format!("[[liquid]]\ncircle = {{ at = [{x}, 0.36], radius = 0.018 }}\nfluid = \"water\"\n"));
    let text = format!(
        "particles = 3000\n[[liquid]]\nbox = [0, 0, 1, 0.1]\nfluid = \"water\"\n\
         [[liquid]]\nbox = [0, 0.1, 1, 0.32]\nfluid = \"oil\"\n{}",
        drops.concat()
    );
    let mut world = tank(&text, WorldOptions::default());
    run(&mut world, 4.0);
    let liquid = world.liquid().expect("liquids");
    let p = liquid.particles();
    let of = |phase: u8| p.alive().filter(move |&slot| liquid.phases().phase_of(p.id[slot]) == phase);
    let mut oil: Vec<f32> = of(1).map(|slot| p.y[slot]).collect();
    oil.sort_by(f32::total_cmp);
    let top = oil[oil.len() * 9 / 10];
    let above = of(0).filter(|&slot| p.y[slot] > top).count();
    assert!(above < 5, "{above} particles of water lie on the oil");
}

/// Drops of one to fifteen particles rise and sink through another liquid, at a fifth of `√(g d Δρ/ρ)` and more.
#[test]
fn drops_no_larger_than_a_cell_rise_and_sink() {
    for (around, drop, from) in [("water", "oil", 0.08), ("oil", "water", 0.32)] {
        for radius in [0.012, 0.018, 0.025, 0.035] {
            let text = format!(
                "particles = 3000\n[[liquid]]\ncircle = {{ at = [0.5, {from}], radius = {radius} }}\nfluid = \"{drop}\"\n\
                 [[liquid]]\nbox = [0, 0, 1, 0.4]\nfluid = \"{around}\"\n"
            );
            let mut world = tank(&text, WorldOptions::default());
            let drop_height = |world: &World| {
                let liquid = world.liquid().expect("liquids");
                let p = liquid.particles();
                // The first pool's fluid is the first.
                let of_drop = p.alive().filter(|&slot| liquid.phases().phase_of(p.id[slot]) == 0);
                let heights: Vec<f32> = of_drop.map(|slot| p.y[slot]).collect();
                heights.iter().sum::<f32>() / heights.len() as f32
            };
            let before = drop_height(&world);
            run(&mut world, 2.5);
            let moved = drop_height(&world) - before;
            println!("a drop of {drop} of {radius} m moves {moved} m");
            let least = 0.2 * 2.5 * (9.81 * 2.0 * radius * 0.3f32).sqrt();
            let toward_its_own = if drop == "oil" { moved } else { -moved };
            assert!(toward_its_own > least, "a drop of {drop} of {radius} m has moved {moved} m");
        }
    }
}

/// Oil has no friction at walls, since its viscosity brakes it; the water below it has no viscosity.
#[test]
fn oil_and_water_fall_asleep_whichever_comes_first() {
    for [left, right] in [["oil", "water"], ["water", "oil"]] {
        let text = format!(
            "[[liquid]]\nbox = [0, 0, 0.5, 0.6]\nfluid = \"{left}\"\n\
             [[liquid]]\nbox = [0.5, 0, 1, 0.3]\nfluid = \"{right}\"\n"
        );
        let mut world = tank(&text, WorldOptions { particles: Some(1500), ..WorldOptions::default() });
        while !world.is_asleep() {
            world.step();
            assert!(world.time() < 60.0, "{left} and {right} still move at {} m/s", world.stats().mean_speed);
        }
        println!("{left} and {right} sleep after {} s", world.time());
    }
}

/// An inlet below the surface makes its own room: it pours as much as an outlet takes, of which it could pour twice as much.
#[test]
fn an_inlet_below_the_surface_keeps_a_tank_full() {
    for particles in [1000, 3000] {
        let text = format!(
            "particles = {particles}\ntank = {{ area = 2, aspect = 2 }}\nliquid = [{{ box = [0, 0, 1, 0.5] }}]\n\
            inlet = [{{ at = [0.02, 0.2], toward = [1, 0], width = 0.08, speed = 1.5 }}]\n\
            outlet = [{{ box = [0.9, 0, 1, 0.1], rate = 0.06 }}]\n"
        );
        let mut world = tank(&text, WorldOptions::default());
        run(&mut world, 30.0);
        let part = world.particles() as f32 / particles as f32;
        assert!(part > 0.98, "{part} of {particles} are left in the tank");
    }
}

/// A drain on the floor, smaller than a cell, empties a tank: what it takes is replaced from above.
#[test]
fn a_drain_on_the_floor_empties_a_tank() {
    let text = "particles = 1500\ntank = { area = 2, aspect = 2 }\nliquid = [{ box = [0, 0, 1, 0.5] }]\n\
        outlet = [{ box = [0.48, 0, 0.52, 0.03], rate = 0.2 }]\n";
    let mut world = tank(text, WorldOptions::default());
    run(&mut world, 30.0);
    assert!(world.particles() < 150, "{} of 1500 particles are left", world.particles());
}

/// An inlet's stream is as high with any number of particles.
#[test]
fn a_jet_is_the_same_with_any_number_of_particles() {
    let text = slosh::scene::find("fountain").expect("an embedded scene");
    let heights = [1500, 3000, 8000].map(|particles| {
        let mut world = tank(text, WorldOptions { particles: Some(particles), ..WorldOptions::default() });
        let mut height = 0f32;
        for step in 0..360 {
            world.step();
            if step >= 180 {
                let jet = places(&world).filter(|at| (at.x - 0.5).abs() < 0.03);
                height += jet.fold(0f32, |max, at| max.max(at.y)) / 180.0;
            }
        }
        height
    });
    for height in heights {
        assert!((height / heights[1] - 1.0).abs() < 0.08, "the jets' heights are {heights:.3?} of the tank's");
    }
}

/// A surface that crosses the rows of cells at an angle comes to rest, as a level one does.
#[test]
fn a_tilted_tank_falls_asleep() {
    for degrees in [5.0f32, 10.0, 20.0, 30.0] {
        let text = "tank = { area = 1, aspect = 2 }\n[[liquid]]\nbox = [0, 0, 1, 0.5]\n";
        let mut world = tank(text, WorldOptions { particles: Some(3000), ..WorldOptions::default() });
        world.tilt_to(degrees.to_radians());
        while !world.is_asleep() {
            world.step();
            assert!(world.time() < 90.0, "at {degrees}° it moves at {} m/s", world.stats().mean_speed);
        }
        println!("tilted by {degrees}° it sleeps after {} s", world.time());
    }
}
