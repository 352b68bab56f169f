//! `--particles auto`: particle counts and grid sizes that the picture can show and that leave most of the machine's time free.
//!
//! The cost goes with N where a grid carries the weight, else with N^1.5, because a smaller h also needs shorter substeps. The
//! count is chosen when a scene starts, from a few timed steps ([`time_a_particle`], the one place here that reads a clock),
//! corrected by measurements of each half second. The cells of a grid also change while it flows.

use crate::scene::PARTICLES;
use crate::sim::boundary::region::Region;
use crate::sim::clock::STEP;
use crate::sim::definition::WorldDef;
use crate::sim::liquid::Liquid;
use crate::sim::liquid::fluid::Fluid;
use crate::sim::parallel::instructions::Instructions;
use crate::sim::{World, WorldOptions};
use std::ops::RangeInclusive;
use std::time::Instant;

/// Upper limit on the fraction of time that simulating takes: a screensaver runs for hours on laptops and shared hosts.
pub const MAX_LOAD: f32 = 0.25;

/// The fraction aimed at on a change, and the one below which there is room for more particles: far enough apart that one change
/// never causes the next.
const TARGET_LOAD: f32 = 0.17;
const SPARE_LOAD: f32 = 0.12;

/// Factor on the limits for the screensaver, which then takes a tenth of a core.
const SCREENSAVER_FACTOR: f32 = 0.36;

/// Factor on the limits for a grid: coarse smoke looks like fog, so a grid may cost more.
pub const GRID_FACTOR: f32 = 1.8;

/// The fraction of time that drawing may take before simulating gets less.
pub const MAX_DRAWING_LOAD: f32 = 0.65;

/// Measurements above the limit after which the liquid becomes coarser; one is enough when the simulation runs late already.
const OVERLOADS: u32 = 2;

/// Measurements with room after which the liquid becomes finer: first and longest wait. The wait doubles when it becomes coarser
/// and halves when it becomes finer.
const WAIT: RangeInclusive<u32> = 8..=128;

/// Limits on one change of the count, as factors, downwards and upwards.
const COARSER: RangeInclusive<f32> = 0.4..=0.9;
const FINER: RangeInclusive<f32> = 1.1..=1.3;

/// Lower limit on the count: below it the particles are visible one by one.
pub const MIN_PARTICLES: usize = 500;

/// Particles per cell beyond which the picture does not improve: the spacing is then 1.4 samples of the cell fit.
pub const PER_CELL: f32 = 4.3;

/// The same where animals live: they are looked at, and their calm water shows no more by more particles.
const PER_CELL_AROUND_ANIMALS: f32 = 1.6;

/// Cost of a particle and substep in a scene, in those of the pool that is timed: of one whose weight a grid carries, and of one
/// that carries its own; the factor for heat; and what each further stage of viscosity and new springs add.
const GRID_COST: f32 = 3.0;
const PARTICLE_COST: f32 = 1.4;
const HEAT_FACTOR: f32 = 1.25;
const STAGE_COST: f32 = 0.55;
const SPRINGS_COST: f32 = 1.5;

/// Iterations that find the number of particles; each leaves a quarter of the error, or less.
const ITERATIONS: usize = 8;

/// Substeps of a step on a grid while a liquid breaks, in the mean.
const GRID_SUBSTEPS: f32 = 1.8;

#[derive(Clone, Debug, PartialEq)]
pub struct AutoParticles {
    /// Estimate of the particles × substeps per step that the machine can compute.
    pub work: f32,
    pub load: f32,
    over: u32,
    under: u32,
    /// Factor on the limits of the load.
    budget: f32,
}

impl AutoParticles {
    /// The first estimate for a machine that takes `ns` nanoseconds for a particle and substep.
    pub fn new(ns: f32) -> Self {
        let work = TARGET_LOAD * STEP * 1e9 / ns.max(1.0);
        Self { work, load: 0.0, over: 0, under: 0, budget: 1.0 }
    }

    pub fn for_screensaver(self) -> Self {
        Self { work: SCREENSAVER_FACTOR * self.work, budget: SCREENSAVER_FACTOR, ..self }
    }

    /// As it was at the start of a recording, of the toy or of the screensaver; see [`AutoParticles::work`].
    pub fn from_estimate(work: f32, screensaver: bool) -> Self {
        let start = Self::new(1.0);
        Self { work, ..if screensaver { start.for_screensaver() } else { start } }
    }

    /// What the machine can compute, but no more than the picture of `cells` cells can show and the scene requests.
    pub fn suited_to(&self, definition: &WorldDef, aspect: f32, cells: usize) -> usize {
        let world =
            World::new(definition, &WorldOptions { aspect, particles: Some(MIN_PARTICLES), ..WorldOptions::default() });
        let Some(liquid) = world.liquid() else { return definition.particles };
        let area = liquid.particle_area() * world.particles() as f32;
        let filled = area / (world.size().x * world.size().y) * cells as f32;
        // A tank that is empty at first may be filled.
        let per_cell = if definition.fish.is_empty() { PER_CELL } else { PER_CELL_AROUND_ANIMALS };
        let shown = if area > 0.0 { per_cell * filled } else { f32::INFINITY } as usize;
        // A tank that is empty at first gets the resolution of a full one.
        let count = if world.particles() > 0 { world.particles() } else { definition.particles } as f32;
        let mut managed = count;
        // More particles take shorter substeps, and viscosity more stages in each.
        for _ in 0..ITERATIONS {
            let finer = managed / count;
            let substeps = if liquid.is_on_grid() {
                // A thick liquid takes more substeps even at rest.
                GRID_SUBSTEPS.max(liquid.min_substeps(STEP, definition.substeps, finer) as f32)
            } else {
                (world.required_substeps() * finer.sqrt()).max(definition.substeps as f32)
            };
            managed = (managed * self.work / (substeps * cost(liquid, STEP / substeps, finer))).sqrt();
        }
        (managed as usize).min(shown.max(definition.particles)).clamp(MIN_PARTICLES, *PARTICLES.end() as usize)
    }

    /// Corrects the estimate where simulating takes too much or too little of the time; `cost` is that of a particle and substep
    /// ([`cost`]). Returns whether it has become lower because simulating takes too much.
    pub fn measure(&mut self, load: f32, particles: usize, substeps: u32, cost: f32) -> bool {
        self.load = load;
        // The load as a fraction of the allowed one.
        let load = load / self.budget;
        self.over = if load > MAX_LOAD { self.over + 1 } else { 0 };
        self.under = if load < SPARE_LOAD { self.under + 1 } else { 0 };
        let is_slow = self.over >= OVERLOADS || self.load > 1.0;
        if !is_slow && self.under < *WAIT.start() {
            return false;
        }
        (self.over, self.under) = (0, 0);
        let before = self.work;
        self.work = (cost * particles as f32 * substeps as f32) * TARGET_LOAD * self.budget / self.load.max(1e-3);
        is_slow && self.work < 0.95 * before
    }
}

/// Cost of a particle and substep of `dt` seconds, in those of the pool that is timed, if the liquid consisted of `finer` times as
/// many particles.
pub fn cost(liquid: &Liquid, dt: f32, finer: f32) -> f32 {
    let base = if liquid.is_on_grid() { GRID_COST } else { PARTICLE_COST };
    let heat = if liquid.heat().is_some() { HEAT_FACTOR } else { 1.0 };
    base * heat + STAGE_COST * liquid.viscous_stages(dt, finer) + SPRINGS_COST * liquid.springy_fraction()
}

/// Whether the cost of a world's liquid is known well enough to judge the machine by it.
pub fn is_plain(world: &World, liquid: &Liquid, dt: f32) -> bool {
    let is_one_fluid = liquid.phases().is_single_phase() && liquid.heat().is_none();
    world.bodies().is_empty() && is_one_fluid && !liquid.makes_springs() && liquid.viscous_stages(dt, 1.0) == 0.0
}

defaults! {
    #[derive(Clone, Debug, PartialEq)]
    pub struct AutoCells {
        over: u32 = 0;
        under: u32 = 0;
        wait: u32 = *WAIT.start();
    }
}

impl AutoCells {
    /// Simulating took the fraction `load` of the time with `count` cells. Returns the new count, at most `limit`, if it should
    /// change.
    pub fn judge(&mut self, load: f32, count: usize, limit: usize) -> Option<usize> {
        self.over = if load > MAX_LOAD { self.over + 1 } else { 0 };
        self.under = if load < SPARE_LOAD { self.under + 1 } else { 0 };
        // The factor on the count that is expected to bring the load to the target.
        let factor = (TARGET_LOAD / load.max(1e-3)).powf(2.0 / 3.0);
        let target = if self.over >= OVERLOADS || load > 1.0 {
            self.wait = (2 * self.wait).min(*WAIT.end());
            (count as f32 * factor.clamp(*COARSER.start(), *COARSER.end())) as usize
        } else if self.under >= self.wait {
            self.wait = (self.wait / 2).max(*WAIT.start());
            ((count as f32 * factor.clamp(*FINER.start(), *FINER.end())) as usize).min(limit)
        } else {
            return None;
        };
        (self.over, self.under) = (0, 0);
        let target = target.max(MIN_PARTICLES);
        // Changes below 5 % are not visible.
        (target.abs_diff(count) * 20 >= count).then_some(target)
    }
}

/// Nanoseconds for a particle and substep, from a few steps of a small pool: about 3 ms. The fastest counts, because
/// interruptions only make steps slower.
pub fn time_a_particle(instructions: Instructions) -> f32 {
    let fluid = Fluid { grid_pressure: false, ..Fluid::default() };
    let liquid = vec![Region::Box([0.0, 0.0, 1.0, 0.4]).into()];
    let definition = WorldDef { particles: 1000, fluid, liquid, ..WorldDef::default() };
    let mut world = World::new(&definition, &WorldOptions { instructions, ..WorldOptions::default() });
    let mut step = || {
        let start = Instant::now();
        world.step();
        start.elapsed().as_nanos() as f32 / (world.particles() as f32 * world.substeps() as f32)
    };
    (0..4).map(|_| step()).fold(f32::INFINITY, f32::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the decisions for `count` cells under these loads, one after the other.
    fn decide(loads: &[f32], count: usize) -> Vec<Option<usize>> {
        let mut auto = AutoCells::default();
        loads.iter().map(|&load| auto.judge(load, count, 1_000_000)).collect()
    }

    #[test]
    fn load_decides() {
        let calm = [0.2; 50];
        let table: [(&[f32], Option<usize>); 8] = [
            (&calm, None),
            (&[0.26], None),
            (&[0.26, 0.2, 0.26, 0.2], None),
            (&[0.3, 0.3], Some(6847)),
            (&[0.5, 0.5], Some(4871)),
            (&[1.01], Some(4000)),
            (&[20.0], Some(4000)),
            (&[0.11; 8], Some(13000)),
        ];
        for (loads, expected) in table {
            let decisions = decide(loads, 10_000);
            let (last, before) = decisions.split_last().expect("a load");
            assert!(before.iter().all(Option::is_none), "{loads:?}: {decisions:?}");
            assert_eq!(*last, expected, "{loads:?}");
        }
        assert_eq!(decide(&[0.11; 7], 10_000), [None; 7]);
        assert_eq!(decide(&[5.0], 550), [Some(MIN_PARTICLES)]);
        assert_eq!(AutoCells::default().judge(5.0, MIN_PARTICLES, 9000), None, "the count is not below its minimum");
        let mut bounded = AutoCells::default();
        assert!((0..50).all(|_| bounded.judge(0.1, 3000, 3100).is_none()), "a change of 5 % is not made");
    }

    /// With a constant cost the count settles and stays.
    #[test]
    fn it_settles_and_does_not_oscillate() {
        for speed in [0.02, 0.3, 1.0, 3.0, 20.0] {
            for start in [600, 3000, 30_000] {
                let mut auto = AutoCells::default();
                let (mut count, mut changes) = (start, Vec::new());
                for measurement in 0..2000 {
                    // The load varies by a fifth.
                    let noise = 1.0 + 0.1 * f32::sin(measurement as f32 * 1.7);
                    let load = noise * (0.01 + 0.16 / speed * (count as f32 / 5000.0).powf(1.5));
                    if let Some(wanted) = auto.judge(load, count, 100_000) {
                        changes.push(measurement);
                        count = wanted;
                    }
                }
                assert!(changes.last().is_none_or(|&last| last < 1000), "at {speed} still changing: {changes:?}");
                let load = 0.01 + 0.16 / speed * (count as f32 / 5000.0).powf(1.5);
                let bound = count == MIN_PARTICLES || count == 100_000;
                assert!(bound || (0.09..0.28).contains(&load), "at {speed} it settled on {count}, a load of {load}");
            }
        }
    }

    #[test]
    fn after_a_busy_time_it_waits_longer_before_it_becomes_finer() {
        let mut auto = AutoCells::default();
        assert!(auto.judge(2.0, 8000, 100_000).is_some());
        let waited = (1..100).find(|_| auto.judge(0.1, 4000, 100_000).is_some());
        assert_eq!(waited, Some(16));
    }

    /// The estimate is that of the measured tank, however often the same load is measured.
    #[test]
    fn a_measured_load_corrects_the_next_scene() {
        let dam = crate::scene::Scene::embedded("dam").expect("dam is sound").world;
        let mut auto = AutoParticles::new(60.0);
        let count = |auto: &AutoParticles| auto.suited_to(&dam, 1.6, 100_000) as f32;
        let before = count(&auto);
        // The number of particles of which the machine is expected to compute 16 substeps a step.
        let (particles, substeps) = ((auto.work / 16.0).round() as usize, 16);
        assert!(!auto.measure(0.3, particles, substeps, 1.0), "one measurement is not enough");
        let slower: Vec<bool> = (0..20).map(|_| auto.measure(3.0 * TARGET_LOAD, particles, substeps, 1.0)).collect();
        assert_eq!(slower.iter().filter(|slower| **slower).count(), 1, "{slower:?}");
        let ratio = count(&auto) / before;
        assert!((3.0 * ratio - 1.0).abs() < 0.03, "a third of the speed is {ratio} of the particles");
        for _ in 0..20 {
            assert!(!auto.measure(0.1, particles, substeps, 1.0));
        }
        assert!(count(&auto) > before, "a machine with time to spare");
    }

    #[test]
    fn the_screensaver_takes_less_of_the_machine() {
        let dam = crate::scene::Scene::embedded("dam").expect("dam is sound").world;
        let (toy, saver) = (AutoParticles::new(40.0), AutoParticles::new(40.0).for_screensaver());
        let ratio = saver.suited_to(&dam, 1.6, 100_000) as f32 / toy.suited_to(&dam, 1.6, 100_000) as f32;
        assert!((ratio - SCREENSAVER_FACTOR).abs() < 0.02, "{ratio} of the particles");
        let [mut toy, mut saver] = [toy, saver];
        let load = 0.6 * MAX_LOAD;
        assert!(!(0..4).any(|_| toy.measure(load, 3000, 14, 1.0)));
        assert!((0..4).any(|_| saver.measure(load, 3000, 14, 1.0)));
    }

    /// Oil takes more substeps than water, which takes 1.8, and two stages of viscosity in each.
    #[test]
    fn a_thick_liquid_is_coarser() {
        let count = |name: &str| {
            let scene = crate::scene::Scene::embedded(name).expect("it is sound").world;
            AutoParticles::new(60.0).suited_to(&scene, 1.6, 100_000) as f32
        };
        let ratio = count("oil") / count("dam");
        assert!((0.48..0.54).contains(&ratio), "{ratio} of the particles");
    }

    #[test]
    fn a_liquid_with_heat_is_coarser() {
        let mut scene = crate::scene::Scene::embedded("convection").expect("it is sound").world;
        let warm = AutoParticles::new(60.0).suited_to(&scene, 1.6, 100_000) as f32;
        scene.heat = None;
        scene.heater.clear();
        scene.liquid.iter_mut().for_each(|pool| pool.temperature = None);
        let ratio = warm / AutoParticles::new(60.0).suited_to(&scene, 1.6, 100_000) as f32;
        assert!((0.8..0.95).contains(&ratio), "{ratio} of the particles");
    }

    #[test]
    fn a_faster_machine_gets_a_finer_liquid() {
        let dam = crate::scene::Scene::embedded("dam").expect("dam is sound").world;
        let count = |ns: f32, cells: usize| AutoParticles::new(ns).suited_to(&dam, 1.6, cells);
        assert!((6000..10_000).contains(&count(65.0, 100_000)), "{}", count(65.0, 100_000));
        let gain = count(30.0, 100_000) as f32 / count(60.0, 100_000) as f32;
        assert!((1.9..2.1).contains(&gain), "twice as fast is {gain} times as many");
        assert_eq!(count(1e6, 100_000), MIN_PARTICLES);
        assert_eq!(count(5.0, 80 * 24), dam.particles, "more than a small window shows");
        let shown = count(1.0, 120 * 40) as f32 / (0.36 * 120.0 * 40.0);
        assert!((shown / PER_CELL - 1.0).abs() < 0.05, "{shown} a cell");
    }
}
