//! slosh's solver beside others, in one process: the same number of particles in the same tank under the same gravity,
//! settled. `cargo bench --bench peers --features peers`; about a minute.
//!
//! Each peer has its own usual parameters: salva2d the particle radius of 0.1 m and the 200 steps per second of its
//! examples; LiquidFun the gravity of 10 m/s² and the radius of 0.04 m of its testbed, for which its
//! `b2CalculateParticleIterations` recommends three iterations, the number timed here.
//!
//! FLIP is represented by published figures: no crate with a FLIP solver that runs on the processor was found.
//!
//! Longer steps give a softer liquid, so each time comes with the *sag*: the relative loss of the height of the pool's
//! middle.

use glam::Vec2;
use nalgebra::Vector2;
use salva2d::LiquidWorld;
use salva2d::object::interaction_groups::InteractionGroups;
use salva2d::object::{Boundary, Fluid, FluidHandle};
use salva2d::solver::{ArtificialViscosity, DFSPHSolver};
use slosh::sim::boundary::region::Region;
use slosh::sim::definition::{TankDef, WorldDef};
use slosh::sim::{World, WorldOptions};
use std::time::Instant;

const SIZES: [usize; 4] = [1_000, 5_000, 10_000, 20_000];

/// Width of the pool over its height.
const ASPECT: f32 = 4.0;

/// Simulated seconds for slosh and for salva2d to settle (which starts in equilibrium), and those that are timed.
const SETTLE: [f32; 2] = [5.0, 0.5];
const TIMED: f32 = 0.3;

/// salva2d: the step in seconds, the radius of its particles in metres, and the spacing at rest; a particle counts for
/// 0.8 of the square around it.
const SALVA_STEP: f32 = 1.0 / 200.0;
const SALVA_RADIUS: f32 = 0.1;
const SALVA_SPACING: f32 = 2.0 * SALVA_RADIUS * 0.894_427;

/// LiquidFun: the diameter of its particles in metres, and its iterations per step of 1/60 s.
const LIQUIDFUN_DIAMETER: f32 = 0.08;
const LIQUIDFUN_ITERATIONS: f64 = 3.0;

/// The number of particles, and LiquidFun's (C++, -O3) milliseconds per iteration with them on a two-core virtual
/// machine of the same class. The time is not scaled to this machine.
const LIQUIDFUN_THERE: (usize, f64) = (10_000, 1.37);

/// The FLIP solver of Ten Minute Physics (number 18, in JavaScript): the particles of its demonstration, and the published
/// milliseconds for one of its 60 steps a second, which are 640 ns a particle. The time is not scaled to this machine.
const FLIP_PUBLISHED: (usize, f64) = (12_900, 8.2);

/// The cost of a simulated second, in milliseconds, and the sag of the pool, 0 to 1.
#[derive(Clone, Copy)]
struct Cost {
    ms: f64,
    sag: f64,
}

fn main() {
    title("salva2d");
    for count in SIZES {
        let pool = Pool { spacing: SALVA_SPACING, gravity: 9.81, ..Pool::of(count) };
        let salva = salva(&pool);
        print("salva2d, DFSPH", &pool, salva, salva.ms);
        compare(&pool, salva.ms);
    }
    title("LiquidFun");
    let pool = Pool { spacing: 0.75 * LIQUIDFUN_DIAMETER, gravity: 10.0, ..Pool::of(LIQUIDFUN_THERE.0) };
    let (sag, neighbours) = liquidfun_at_rest(&pool);
    let liquidfun = Cost { ms: LIQUIDFUN_THERE.1 * LIQUIDFUN_ITERATIONS * 60.0, sag };
    print("LiquidFun", &pool, liquidfun, liquidfun.ms);
    compare(&pool, liquidfun.ms);
    println!("LiquidFun's time was measured elsewhere. Its sag is worked out from its pressure law,");
    println!("and so are {neighbours:.1} neighbours.");
    title("FLIP");
    let pool = Pool { spacing: 0.01, gravity: 9.81, ..Pool::of(FLIP_PUBLISHED.0) };
    let flip = Cost { ms: 60.0 * FLIP_PUBLISHED.1, sag: f64::NAN };
    print("FLIP, published", &pool, flip, flip.ms);
    compare(&pool, flip.ms);
}

/// Times slosh in the same pool, its weight carried by a grid and by the particles alone.
fn compare(pool: &Pool, against: f64) {
    print("slosh, grid", pool, ours(pool, true), against);
    print("slosh, particles", pool, ours(pool, false), against);
}

fn title(against: &str) {
    println!("\nparticles  solver            ms a simulated second    sag   {against} / it");
}

fn print(name: &str, pool: &Pool, Cost { ms, sag }: Cost, against: f64) {
    let sag = if sag.is_nan() { "unknown".to_owned() } else { format!("{:.1} %", 100.0 * sag) };
    println!("{:>9}  {name:<18}{ms:>21.1}{sag:>8}{:>9.1}×", pool.count(), against / ms);
}

/// A pool at rest: columns and rows of particles, each `spacing` metres square, under `gravity` m/s².
struct Pool {
    columns: usize,
    rows: usize,
    spacing: f32,
    gravity: f32,
}

impl Pool {
    fn of(count: usize) -> Self {
        let rows = (count as f32 / ASPECT).sqrt().round() as usize;
        Self { columns: count / rows, rows, spacing: 1.0, gravity: 1.0 }
    }

    fn count(&self) -> usize {
        self.columns * self.rows
    }

    fn size(&self) -> Vec2 {
        Vec2::new(self.columns as f32, self.rows as f32) * self.spacing
    }

    /// The sag of a pool whose particles are on average at `height`.
    fn sag(&self, height: f64) -> f64 {
        1.0 - height / (0.5 * f64::from(self.size().y))
    }
}

/// Times the simulated seconds `TIMED`, made of `steps` calls of `step`.
fn time(steps: f32, mut step: impl FnMut()) -> f64 {
    let start = Instant::now();
    (0..steps.round() as u32).for_each(|_| step());
    start.elapsed().as_secs_f64() * 1e3 / f64::from(TIMED)
}

/// slosh's water. It may not sleep.
fn ours(pool: &Pool, on_grid: bool) -> Cost {
    let size = pool.size() * Vec2::new(1.0, 2.0);
    let mut definition = WorldDef {
        particles: pool.count(),
        gravity: pool.gravity,
        tank: TankDef { area: size.element_product(), aspect: Some(size.x / size.y), ..TankDef::default() },
        liquid: vec![Region::Box([0.0, 0.0, 1.0, 0.5]).into()],
        ..WorldDef::default()
    };
    definition.fluid.grid_pressure = on_grid;
    let mut world = World::new(&definition, &WorldOptions::default());
    assert!(world.particles() == pool.count() && world.liquid().is_some_and(|liquid| liquid.is_on_grid() == on_grid));
    let mut step = || {
        world.wake();
        world.step();
    };
    (0..(SETTLE[0] * 60.0) as u32).for_each(|_| step());
    let ms = time(TIMED * 60.0, step);
    // Soft pools oscillate for a long time: the mean height over two seconds.
    let heights = (0..120).map(|_| {
        world.step();
        world.stats().centre_of_mass.y
    });
    Cost { ms, sag: pool.sag(heights.sum::<f64>() / 120.0) }
}

/// salva2d's divergence-free SPH, set up as in its examples.
fn salva(pool: &Pool) -> Cost {
    let (mut world, fluid) = salva_world(pool);
    let gravity = Vector2::new(0.0, -pool.gravity);
    (0..(SETTLE[1] / SALVA_STEP) as u32).for_each(|_| world.step(SALVA_STEP, &gravity));
    let ms = time(TIMED / SALVA_STEP, || world.step(SALVA_STEP, &gravity));
    let places = &world.fluids().get(fluid).expect("the fluid is still there").positions;
    Cost { ms, sag: pool.sag(places.iter().map(|at| f64::from(at.y)).sum::<f64>() / places.len() as f64) }
}

fn salva_world(pool: &Pool) -> (LiquidWorld, FluidHandle) {
    let place = |column: i32, row: i32| (Vector2::new(column as f32, row as f32) + Vector2::repeat(0.5)) * pool.spacing;
    let (columns, rows) = (pool.columns as i32, pool.rows as i32);
    let places = (0..rows).flat_map(|row| (0..columns).map(move |column| place(column, row))).collect();
    // A floor and two walls, two particles thick.
    let floor = (-2..columns + 2).flat_map(|column| [place(column, -1), place(column, -2)]);
    let sides = [-1, -2, columns, columns + 1];
    let walls = (0..2 * rows).flat_map(|row| sides.map(|column| place(column, row)));

    let dfsph: DFSPHSolver = DFSPHSolver::new();
    let mut world = LiquidWorld::new(dfsph, SALVA_RADIUS, 2.0, 1.0);
    world.add_boundary(Boundary::new(floor.chain(walls).collect(), InteractionGroups::default()));
    let mut fluid = Fluid::new(places, SALVA_RADIUS, 1000.0, InteractionGroups::default());
    fluid.nonpressure_forces.push(Box::new(ArtificialViscosity::new(0.5, 0.0)));
    let handle = world.add_fluid(fluid);
    (world, handle)
}

/// LiquidFun's pool in equilibrium, from its pressure law: the sag, and the mean number of neighbours (its published
/// runs counted 8 to 13).
///
/// A contact at distance r has the weight w = 1 − r/D; a particle's pressure is 0.05 (D/dt)² (Σ w − 1), at most 0.25
/// (D/dt)²; a contact accelerates both particles by w (p + p') / D. On a hexagonal lattice of spacing a, the stress is
/// ¼ n Σ r · acceleration(r), which has to carry the weight above. (No crate of LiquidFun compiles today, hence the
/// equations.)
fn liquidfun_at_rest(pool: &Pool) -> (f64, f64) {
    let diameter = f64::from(LIQUIDFUN_DIAMETER);
    let unit = (diameter * 60.0 * LIQUIDFUN_ITERATIONS).powi(2);
    let lattice = |spacing: f64| {
        let nodes = (-12..=12).flat_map(|a| (-12..=12).map(move |b| (f64::from(a), f64::from(b))));
        let near = nodes.map(move |(a, b)| spacing * (a * a + a * b + b * b).sqrt());
        near.filter(|&r| r > 0.0 && r < 1.0).collect::<Vec<f64>>()
    };
    let crowd = |spacing: f64| 2.0 / (3f64.sqrt() * spacing * spacing) / (diameter * diameter);
    let stress = |spacing: f64| {
        let contacts = lattice(spacing);
        let weight: f64 = contacts.iter().map(|r| 1.0 - r).sum();
        let pressure = unit * (0.05 * (weight - 1.0)).clamp(0.0, 0.25);
        0.25 * crowd(spacing) * contacts.iter().map(|r| r * (1.0 - r) * 2.0 * pressure).sum::<f64>()
    };
    let load = f64::from(pool.gravity) * pool.count() as f64 / f64::from(pool.size().x);
    let (mut height, mut moment, mut neighbours) = (0.0, 0.0, 0.0);
    for layer in (0..LAYERS).rev() {
        // From the floor upwards: each layer carries those above it.
        let (mut tight, mut loose) = (0.1, 1.0);
        for _ in 0..40 {
            let middle = 0.5 * (tight + loose);
            let carried = load * (layer as f64 + 0.5) / LAYERS as f64;
            if stress(middle) > carried { tight = middle } else { loose = middle }
        }
        let thickness = pool.count() as f64 / f64::from(pool.size().x) / LAYERS as f64 / crowd(loose);
        moment += (height + 0.5 * thickness) / LAYERS as f64;
        height += thickness;
        neighbours += lattice(loose).len() as f64 / LAYERS as f64;
    }
    (pool.sag(moment), neighbours)
}

/// Layers of equal mass in which [`liquidfun_at_rest`] weighs the pool.
const LAYERS: usize = 60;
