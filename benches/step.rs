//! What a substep costs, by number of particles: a settled pool under gravity, about 21 neighbours a particle.
//!
//! `cargo bench --bench step`; items are particles, so the throughput is particles × substeps a second. `slosh bench`
//! tells the passes apart.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use slosh::sim::clock::STEP;
use slosh::sim::ddr::Liquid;
use slosh::sim::scene::{Region, Scene};
use slosh::sim::springs::Elastic;
use slosh::sim::{Env, Setup, World};

const SIZES: [usize; 4] = [1_000, 5_000, 20_000, 100_000];

fn main() {
    divan::main();
}

/// A pool that has come to rest, with viscosity or without, and with springs or without.
fn pool(particles: usize, viscous: bool, elastic: Elastic) -> (World, Liquid) {
    let mut scene = Scene { particles, liquid: vec![Region::Box([0.0, 0.0, 1.0, 0.4]).into()], ..Scene::default() };
    scene.fluid.elastic = elastic;
    if !viscous {
        (scene.fluid.sigma, scene.fluid.beta) = (0.0, 0.0);
    }
    let mut world = World::new(&scene, &Setup::default());
    for _ in 0..(400 / world.substeps()).max(2) {
        world.step();
    }
    let liquid = world.liquid().expect("a tank of liquid").clone();
    (world, liquid)
}

fn substep(bencher: Bencher, particles: usize, viscous: bool, elastic: Elastic) {
    let (world, mut liquid) = pool(particles, viscous, elastic);
    let dt = STEP / world.substeps() as f32;
    let env = Env { dt, gravity: world.gravity(), walls: world.walls(), pokes: &[], shown: true };
    bencher.counter(ItemsCount::new(particles)).bench_local(|| liquid.step(black_box(&env), &mut ()));
}

#[divan::bench(args = SIZES, max_time = 3)]
fn plain(bencher: Bencher, particles: usize) {
    substep(bencher, particles, false, Elastic::default());
}

#[divan::bench(args = SIZES, max_time = 3)]
fn viscous(bencher: Bencher, particles: usize) {
    substep(bencher, particles, true, Elastic::default());
}

/// The difference to `viscous` is what springs cost.
#[divan::bench(args = SIZES, max_time = 3)]
fn elastic(bencher: Bencher, particles: usize) {
    substep(bencher, particles, true, Elastic { spring: 60.0, ..Elastic::default() });
}

/// As `elastic`, with springs that yield and new ones that are made.
#[divan::bench(args = SIZES, max_time = 3)]
fn plastic(bencher: Bencher, particles: usize) {
    let elastic = Elastic { spring: 60.0, plasticity: 3.0, heals: true, ..Elastic::default() };
    substep(bencher, particles, true, elastic);
}
