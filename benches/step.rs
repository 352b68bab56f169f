//! What a substep costs, by number of particles and of threads (one, and as many as there are cores): a settled pool
//! under gravity, about 21 neighbours a particle.
//!
//! And what a substep of a curtain's springs costs, by number of nodes.
//!
//! `cargo bench --bench step`; items are particles, so the throughput is particles × substeps a second. Passes follow
//! from each other and cannot be repeated one by one: `slosh bench --solver` tells them apart.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use slosh::sim::clock::STEP;
use slosh::sim::cloth::Cloth;
use slosh::sim::crew::{Crew, cores};
use slosh::sim::ddr::Liquid;
use slosh::sim::scene::{self, Region, Scene};
use slosh::sim::sph::Substance;
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

fn substep<const ALL: bool>(bencher: Bencher, particles: usize, viscous: bool, elastic: Elastic) {
    let (world, mut liquid) = pool(particles, viscous, elastic);
    let crew = Crew::new(if ALL { cores() } else { 1 });
    liquid.divide(crew.hands());
    let dt = STEP / world.substeps() as f32;
    let env = Env { dt, gravity: world.gravity(), walls: world.walls(), pokes: &[], shown: true };
    bencher.counter(ItemsCount::new(particles)).bench_local(|| crew.work(|| liquid.step(black_box(&env), &mut ())));
}

/// A pool of smoothed particles.
#[divan::bench(args = SIZES, max_time = 3)]
fn sph(bencher: Bencher, particles: usize) {
    let pool = Region::Box([0.0, 0.0, 1.0, 0.4]).into();
    let sph = Some(scene::Sph { substance: Substance::default(), pool: vec![pool] });
    let scene = Scene { particles, substeps: 1, sph, ..Scene::default() };
    let mut world = World::new(&scene, &Setup::default());
    for _ in 0..(400 / world.substeps()).max(2) {
        world.step();
    }
    let mut sph = world.matter()[0].as_sph().expect("a tank of smoothed particles").clone();
    let dt = STEP / world.substeps() as f32;
    let env = Env { dt, gravity: world.gravity(), walls: world.walls(), pokes: &[], shown: false };
    bencher.counter(ItemsCount::new(particles)).bench_local(|| sph.step(black_box(&env), &mut ()));
}

#[divan::bench(args = SIZES, consts = [false, true], max_time = 3)]
fn plain<const ALL: bool>(bencher: Bencher, particles: usize) {
    substep::<ALL>(bencher, particles, false, Elastic::default());
}

#[divan::bench(args = SIZES, consts = [false, true], max_time = 3)]
fn viscous<const ALL: bool>(bencher: Bencher, particles: usize) {
    substep::<ALL>(bencher, particles, true, Elastic::default());
}

/// The difference to `viscous` is what springs cost.
#[divan::bench(args = SIZES, consts = [false, true], max_time = 3)]
fn elastic<const ALL: bool>(bencher: Bencher, particles: usize) {
    substep::<ALL>(bencher, particles, true, Elastic { spring: 60.0, ..Elastic::default() });
}

/// As `elastic`, with springs that yield and new ones that are made.
#[divan::bench(args = SIZES, consts = [false, true], max_time = 3)]
fn plastic<const ALL: bool>(bencher: Bencher, particles: usize) {
    let elastic = Elastic { spring: 60.0, plasticity: 3.0, heals: true, ..Elastic::default() };
    substep::<ALL>(bencher, particles, true, elastic);
}

/// One substep of the cloth's own, of so many nodes a side; items are nodes.
#[divan::bench(args = [16, 32, 64], max_time = 2)]
fn cloth(bencher: Bencher, side: usize) {
    let text = format!(
        "[[cloth.sheet]]\nat = [0.5, 0.95]\nsize = [1, 0.9]\nspan = 0.8\nnodes = [{side}, {side}]\npins = \"top\""
    );
    let scene = Scene::parse(&text, "bench.toml").expect("a sound scene");
    let world = World::new(&scene, &Setup::default());
    let mut cloth = Cloth::new(scene.cloth.expect("a cloth"), world.size());
    let dt = STEP / cloth.least_substeps(STEP) as f32;
    let env = Env { dt, gravity: world.gravity(), walls: world.walls(), pokes: &[], shown: true };
    bencher.counter(ItemsCount::new(side * side)).bench_local(|| cloth.step(black_box(&env), &mut ()));
}
