//! Water whose weight a grid carries (`grid_pressure = true`).

use crate::play::run;
use glam::Vec2;
use slosh::scene::Scene;
use slosh::sim::parallel::instructions::Instructions;
use slosh::sim::{World, WorldOptions};

const DAM: &str = "particles = 3000\ntank = { area = 1.6 }\nfluid = { grid_pressure = true }\n\
    liquid = [{ box = [0, 0, 0.4, 0.9] }]\n";

fn tank(text: &str, options: WorldOptions) -> World {
    let scene = Scene::parse(text, "test.toml").unwrap_or_else(|error| panic!("{error}")).world;
    World::new(&scene, &options)
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
    let text = "particles = 3000\ntank = { area = 1, aspect = 1 }\nfluid = { grid_pressure = true, density = 1.3 }\n\
        liquid = [{ box = [0, 0, 1, 0.6] }]\n";
    let mut world = tank(text, WorldOptions::default());
    run(&mut world, 20.0);
    for depth in [0.15, 0.3, 0.5] {
        let pressure = world.pressure(Vec2::new(0.5, 0.6 - depth)).expect("water");
        let told = 1.3 * 9.81 * depth;
        assert!((pressure / told - 1.0).abs() < 0.08, "{pressure} kPa at {depth} m, not {told}");
    }
}

/// A drop in flight: neither panes nor the grid take momentum from it. Its motion is of first order in time, 2 % ahead
/// after 0.4 s.
#[test]
fn a_drop_falls_freely() {
    let text = "particles = 400\ntank = { area = 4, aspect = 1 }\nfluid = { grid_pressure = true }\n\
        liquid = [{ box = [0.45, 0.8, 0.55, 0.9] }]\n";
    let mut world = tank(text, WorldOptions::default());
    let height = world.stats().centre_of_mass.y;
    run(&mut world, 0.4);
    let fallen = height - world.stats().centre_of_mass.y;
    assert!((fallen / (0.5 * 9.81 * 0.16) - 1.0).abs() < 0.03, "it has fallen {fallen} m");
}

/// The grid does not see walls thinner than a cell.
#[test]
fn tanks_with_obstacles_are_computed_by_the_particles() {
    let text = DAM.replace("liquid =", "obstacle = [{ box = [0.6, 0, 0.603, 1] }]\nliquid =");
    let world = tank(&text, WorldOptions::default());
    assert!(world.substeps() > 5, "{} substeps", world.substeps());
    assert!(tank(DAM, WorldOptions::default()).substeps() == 1);
}
