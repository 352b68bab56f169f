//! The cost of a substep, by number of particles and of threads: a settled pool under gravity, about 21 neighbours per
//! particle. Items are particles, so the throughput is particles × substeps per second.
//!
//! Then the main passes one by one; the other methods by size; and a step of one scene for each matter. `cargo bench
//! --bench step [-- NAME]`, where NAME is part of a row's name; all of it takes a minute or two, most of it for pools
//! to settle.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use fearless_simd::Level;
use slosh::scene;
use slosh::scene::Scene;
use slosh::sim::boundary::region::Region;
use slosh::sim::clock::STEP;
use slosh::sim::cloth::Cloth;
use slosh::sim::definition::{SphDef, WorldDef};
use slosh::sim::liquid::pressure::double_density::pair_kernels::{DensityKernel, PressureKernel};
use slosh::sim::liquid::pressure::wcsph::SphMaterial;
use slosh::sim::liquid::springs::Viscoelastic;
use slosh::sim::neighbors::Grid;
use slosh::sim::neighbors::pairs::PairPass;
use slosh::sim::neighbors::sleep_map::{SleepMap, Zone};
use slosh::sim::parallel::{ThreadPool, cores};
use slosh::sim::particles::Particles;
use slosh::sim::{PARALLEL_THRESHOLD, StepContext, World, WorldOptions};

const SIZES: [usize; 4] = [1_000, 5_000, 20_000, 100_000];

/// Pools that are large enough for several threads; a thousand particles are not.
const SHARED: [usize; 3] = [5_000, 20_000, 100_000];
const _: () = assert!(SIZES[0] < PARALLEL_THRESHOLD && PARALLEL_THRESHOLD <= SHARED[0]);

/// Scenes of every matter: a liquid, several of them, one with elastic springs and one with plastic ones, SPH, smoke,
/// dye, cloth alone and in wind, and bodies in a liquid.
const SCENES: [&str; 11] =
    ["dam", "oil", "jelly", "clay", "sph-dam", "smoke", "ink", "hammock", "curtain", "boats", "marbles"];

/// Stiffness of springs that only hold, and of springs that yield and form anew.
const HOLDING: f32 = 60.0;
const YIELDING: Viscoelastic =
    Viscoelastic { spring: HOLDING, plasticity: 3.0, dynamic_springs: true, yield_ratio: 0.1 };

fn main() {
    divan::main();
}

/// Runs a tank for some 400 substeps, so that its beginning is not timed.
fn settle(world: &mut World) {
    (0..(400 / world.substeps()).max(2)).for_each(|_| world.step());
}

/// A settled pool, with viscosity or without, and with springs or without.
fn pool(particles: usize, viscous: bool, elastic: Viscoelastic) -> World {
    let mut scene =
        WorldDef { particles, liquid: vec![Region::Box([0.0, 0.0, 1.0, 0.4]).into()], ..WorldDef::default() };
    scene.fluid.phase.elastic = elastic;
    if !viscous {
        (scene.fluid.phase.viscous.sigma, scene.fluid.phase.viscous.beta) = (0.0, 0.0);
    }
    let mut world = World::new(&scene, &WorldOptions::default());
    settle(&mut world);
    world
}

fn env(world: &World, substeps: u32) -> StepContext<'_> {
    StepContext { dt: STEP / substeps as f32, gravity: world.gravity(), walls: world.walls(), pointer_forces: &[] }
}

/// A substep of a pool on this many threads.
fn substep(bencher: Bencher, threads: usize, world: &World) {
    let mut liquid = world.liquid().expect("a tank of liquid").clone();
    let pool = ThreadPool::new(threads);
    liquid.set_threads(pool.workers());
    let (env, items) = (env(world, world.substeps()), ItemsCount::new(world.particles()));
    bencher.counter(items).bench_local(|| pool.install(|| liquid.step(black_box(&env), &mut ())));
}

mod one_thread {
    use super::*;

    #[divan::bench(args = SIZES, max_time = 0.5)]
    fn plain(bencher: Bencher, particles: usize) {
        substep(bencher, 1, &pool(particles, false, Viscoelastic::default()));
    }

    #[divan::bench(args = SIZES, max_time = 0.5)]
    fn viscous(bencher: Bencher, particles: usize) {
        substep(bencher, 1, &pool(particles, true, Viscoelastic::default()));
    }

    /// The difference to `viscous` is the cost of springs.
    #[divan::bench(args = SIZES, max_time = 0.5)]
    fn elastic(bencher: Bencher, particles: usize) {
        substep(bencher, 1, &pool(particles, true, Viscoelastic { spring: HOLDING, ..Viscoelastic::default() }));
    }

    #[divan::bench(args = SIZES, max_time = 0.5)]
    fn plastic(bencher: Bencher, particles: usize) {
        substep(bencher, 1, &pool(particles, true, YIELDING));
    }
}

mod all_cores {
    use super::*;

    #[divan::bench(args = SHARED, max_time = 0.5)]
    fn plain(bencher: Bencher, particles: usize) {
        substep(bencher, cores(), &pool(particles, false, Viscoelastic::default()));
    }

    #[divan::bench(args = SHARED, max_time = 0.5)]
    fn viscous(bencher: Bencher, particles: usize) {
        substep(bencher, cores(), &pool(particles, true, Viscoelastic::default()));
    }

    #[divan::bench(args = SHARED, max_time = 0.5)]
    fn plastic(bencher: Bencher, particles: usize) {
        substep(bencher, cores(), &pool(particles, true, YIELDING));
    }
}

/// The passes over a pool at rest, repeated in the same state, on one thread.
mod pass {
    use super::*;

    /// The data of the passes: particles in the grid's order, and the arrays of sums.
    struct Bed {
        level: Level,
        h: f32,
        grid: Grid,
        sleep_map: SleepMap,
        particles: Particles,
        neighbor_ranges: Vec<u32>,
        upper_sums: [Vec<f32>; 2],
        sums: [Vec<f32>; 2],
    }

    impl Bed {
        fn of(particles: usize) -> Self {
            let world = pool(particles, true, Viscoelastic::default());
            let liquid = world.liquid().expect("a tank of liquid");
            let (mut grid, mut sleep_map) = (Grid::default(), SleepMap::default());
            let (level, mut particles) = (Level::new(), liquid.particles().clone());
            grid.resize(world.size(), liquid.h());
            grid.set_threads(1);
            grid.sort(level, &mut particles);
            sleep_map.resize(grid.rows(), grid.blocks_per_row());
            let (h, neighbor_ranges) = (liquid.h(), Vec::new());
            let (upper_sums, sums) = Default::default();
            Self { level, h, grid, sleep_map, particles, neighbor_ranges, upper_sums, sums }
        }

        fn items(&self) -> ItemsCount {
            ItemsCount::new(self.particles.len())
        }

        fn density(&mut self) {
            let Self { level, h, grid, sleep_map, particles: p, neighbor_ranges, upper_sums, sums: [a, b] } = self;
            let pass = PairPass { level: *level, grid, sleep_map, zone: Zone::All, neighbor_ranges, upper_sums };
            pass.search([&p.x, &p.y], DensityKernel { h: *h }, [a, b]);
        }

        /// Arbitrary values serve as pressures; the time does not depend on them.
        fn relax(&mut self) {
            let Self { level, h, grid, sleep_map, particles: p, neighbor_ranges, upper_sums, sums: [a, b] } = self;
            let pass = PairPass { level: *level, grid, sleep_map, zone: Zone::All, neighbor_ranges, upper_sums };
            let kernel = PressureKernel { h: *h, sigma: 1e-6, beta: 1e-6, max_viscous: 1e-4 / *h };
            pass.visit([&p.x, &p.y, &p.vx, &p.vy, &p.vx, &p.vy], kernel, [a, b]);
        }
    }

    #[divan::bench(args = SIZES, max_time = 0.3)]
    fn sort(bencher: Bencher, particles: usize) {
        let mut bed = Bed::of(particles);
        bencher.counter(bed.items()).bench_local(|| bed.grid.sort(bed.level, black_box(&mut bed.particles)));
    }

    #[divan::bench(args = SIZES, max_time = 0.3)]
    fn density(bencher: Bencher, particles: usize) {
        let mut bed = Bed::of(particles);
        bencher.counter(bed.items()).bench_local(|| black_box(&mut bed).density());
    }

    #[divan::bench(args = SIZES, max_time = 0.3)]
    fn relax(bencher: Bencher, particles: usize) {
        let mut bed = Bed::of(particles);
        bed.density();
        bencher.counter(bed.items()).bench_local(|| black_box(&mut bed).relax());
    }
}

/// An SPH pool.
#[divan::bench(args = SIZES, max_time = 0.5)]
fn sph(bencher: Bencher, particles: usize) {
    let pool = Region::Box([0.0, 0.0, 1.0, 0.4]).into();
    let sph = Some(SphDef { material: SphMaterial::default(), liquid: vec![pool] });
    let mut world =
        World::new(&WorldDef { particles, substeps: 1, sph, ..WorldDef::default() }, &WorldOptions::default());
    settle(&mut world);
    let mut sph = world.liquid().expect("a tank of smoothed particles").clone();
    let env = env(&world, world.substeps());
    bencher.counter(ItemsCount::new(particles)).bench_local(|| sph.step(black_box(&env), &mut ()));
}

/// One substep of a cloth with this many nodes per side; items are nodes.
#[divan::bench(args = [16, 32, 64], max_time = 0.5)]
fn cloth(bencher: Bencher, side: usize) {
    let text = format!(
        "[[cloth.sheet]]\nat = [0.5, 0.95]\nsize = [1, 0.9]\nspan = 0.8\nnodes = [{side}, {side}]\npins = \"top\""
    );
    let scene = Scene::parse(&text, "bench.toml").expect("a sound scene").world;
    let world = World::new(&scene, &WorldOptions::default());
    let mut cloth = Cloth::new(scene.cloth.expect("a cloth"), world.size());
    let env = env(&world, cloth.min_substeps(STEP));
    bencher.counter(ItemsCount::new(side * side)).bench_local(|| cloth.step(black_box(&env), &mut ()));
}

/// A step of 1/60 s of an unchanged scene, kept awake, with all its substeps and couplings. `slosh bench SCENE` times
/// its passes separately.
#[divan::bench(args = SCENES, max_time = 0.3)]
fn scene(bencher: Bencher, name: &str) {
    let text = scene::find(name).expect("an embedded scene");
    let mut world = World::new(&Scene::parse(text, name).expect("a sound scene").world, &WorldOptions::default());
    settle(&mut world);
    bencher.bench_local(|| {
        world.wake();
        world.step();
    });
}
