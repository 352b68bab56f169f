//! `--particles auto`: how many particles the liquid is made of, and how many cells a grid has: no more than the picture can
//! show, and so few that the machine has most of its time left.
//!
//! The more particles, the finer the liquid: the same tank, and the interaction radius h follows. Twice as many cost
//! nearly three times as much, because a finer liquid also needs shorter substeps: cost ∝ N^1.5.
//!
//! A guess from a few timed steps starts it ([`time_a_particle`], the one place here that reads a clock); from then on
//! the meters of the last half second tell. [`Fineness`] itself knows no time: the same measurements make the same
//! decisions.

use crate::scene::PARTICLES;
use crate::sim::boundary::region::Region;
use crate::sim::clock::STEP;
use crate::sim::definition::WorldDef;
use crate::sim::parallel::instructions::Instructions;
use crate::sim::{Setup, World};
use std::time::Instant;

/// The share of the time that simulating may take: people leave a toy running on laptops and on hosts that they share.
/// What drawing takes does not depend on the number of particles, and does not count.
pub const MOST: f32 = 0.25;

/// What is aimed at whenever the number changes, and below what there is room for more: far enough from each other and
/// from the most that one change never brings about the next.
const AIM: f32 = 0.17;
const ROOM: f32 = 0.12;

/// How many times as much of it a grid may take: smoke is fine or it is fog.
pub const GRID: f32 = 1.8;

/// The share of the time that drawing may take before simulating gets less.
pub const DRAWING: f32 = 0.65;

/// Measurements above the most after which the liquid becomes coarser; one suffices where time runs slow already.
const TWICE: u32 = 2;

/// Measurements below the room after which it becomes finer, at first and at the longest: doubled whenever it had to
/// become coarser, halved whenever it became finer.
const PATIENCE: (u32, u32) = (8, 128);

/// By how much the number may change at once, downwards and upwards.
const COARSER: (f32, f32) = (0.4, 0.9);
const FINER: (f32, f32) = (1.1, 1.3);

/// Never fewer than this: water would be beads.
pub const LEAST: usize = 500;

/// Particles for each cell that liquid fills, beyond which the picture gains nothing: one particle is then as far from the
/// next as 1.4 of the samples that a cell is fitted to, and the smallest drop is a cell and a half wide.
pub const PER_CELL: f32 = 4.3;

/// Decides how fine the liquid is.
#[derive(Clone, Debug, PartialEq)]
pub struct Fineness {
    /// Particles × substeps in a step that the machine is thought to manage.
    work: f32,
    /// Share of the time that simulating took when last measured.
    load: f32,
    /// How many particles there were before the machine could not keep up.
    coarsened: Option<usize>,
    over: u32,
    under: u32,
    patience: u32,
}

impl Fineness {
    /// A first guess for a machine that takes `ns` nanoseconds for a particle and substep.
    pub fn new(ns: f32) -> Self {
        let work = AIM * STEP * 1e9 / ns.max(1.0);
        Self { work, load: 0.0, coarsened: None, over: 0, under: 0, patience: PATIENCE.0 }
    }

    /// As a recording had it; see [`Fineness::work`].
    pub fn of_work(work: f32) -> Self {
        Self { work, ..Self::new(1.0) }
    }

    /// Particles × substeps in a step that the machine is thought to manage.
    pub fn work(&self) -> f32 {
        self.work
    }

    /// The share of the time that simulating took last.
    pub fn load(&self) -> f32 {
        self.load
    }

    /// From how many particles it had to become coarser, if that was the last change.
    pub fn coarsened(&self) -> Option<usize> {
        self.coarsened
    }

    /// How many particles a scene gets in a window of so many cells: what the machine manages, and no more than the picture
    /// can show or the scene itself asks for.
    pub fn suited_to(&self, definition: &WorldDef, aspect: f32, cells: usize) -> usize {
        // A coarse one will do, and is filled in a millisecond: what counts does not depend on its number.
        let world = World::new(definition, &Setup { aspect, particles: Some(LEAST), ..Setup::default() });
        let Some(liquid) = world.grains() else { return definition.particles };
        let area = liquid.particle_area() * world.particles() as f32;
        let filled = area / (world.size().x * world.size().y) * cells as f32;
        // What is empty at first may be filled.
        let shown = if area > 0.0 { PER_CELL * filled } else { f32::INFINITY } as usize;
        // What is empty at first is as fine as if it were full.
        let count = if world.particles() > 0 { world.particles() } else { definition.particles } as f32;
        let by_stiffness = count * (self.work / (count * world.exact_substeps().max(1e-3))).powf(2.0 / 3.0);
        let by_substeps = self.work / definition.substeps as f32;
        let managed = by_stiffness.min(by_substeps) as usize;
        managed.min(shown.max(definition.particles)).clamp(LEAST, *PARTICLES.end() as usize)
    }

    /// Learns that simulating took `load` of the time with `count` particles, and says how many there
    /// shall be if that is to change; never more than `most`.
    pub fn judge(&mut self, load: f32, count: usize, most: usize) -> Option<usize> {
        self.load = load;
        self.over = if load > MOST { self.over + 1 } else { 0 };
        self.under = if load < ROOM { self.under + 1 } else { 0 };
        // The share of particles that is expected to bring the load to the aim.
        let share = (AIM / load.max(1e-3)).powf(2.0 / 3.0);
        let wanted = if self.over >= TWICE || load > 1.0 {
            self.patience = (2 * self.patience).min(PATIENCE.1);
            (count as f32 * share.clamp(COARSER.0, COARSER.1)) as usize
        } else if self.under >= self.patience {
            self.patience = (self.patience / 2).max(PATIENCE.0);
            ((count as f32 * share.clamp(FINER.0, FINER.1)) as usize).min(most)
        } else {
            return None;
        };
        (self.over, self.under) = (0, 0);
        let wanted = wanted.max(LEAST);
        // A change that nobody would see is not worth one.
        if wanted.abs_diff(count) * 20 < count {
            return None;
        }
        self.coarsened = (wanted < count).then_some(count);
        self.work *= (wanted as f32 / count as f32).powf(1.5);
        Some(wanted)
    }
}

/// Nanoseconds that this machine takes for a particle and substep, from a few steps of a small pool: about 3 ms. The
/// fastest step counts: at its start a program is interrupted a lot.
pub fn time_a_particle(instructions: Instructions) -> f32 {
    let definition =
        WorldDef { particles: 1000, liquid: vec![Region::Box([0.0, 0.0, 1.0, 0.4]).into()], ..WorldDef::default() };
    let mut world = World::new(&definition, &Setup { instructions, ..Setup::default() });
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

    /// What becomes of `count` particles under these loads, one after the other.
    fn decide(loads: &[f32], count: usize) -> Vec<Option<usize>> {
        let mut fineness = Fineness::new(60.0);
        loads.iter().map(|&load| fineness.judge(load, count, 1_000_000)).collect()
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
        assert_eq!(decide(&[5.0], 550), [Some(LEAST)]);
        assert_eq!(Fineness::new(60.0).judge(5.0, LEAST, 9000), None, "there are no fewer than the fewest");
        let mut bounded = Fineness::new(60.0);
        assert!((0..50).all(|_| bounded.judge(0.1, 3000, 3100).is_none()), "5 % more are no finer");
    }

    /// A machine that takes as long as it takes settles on a number and stays there.
    #[test]
    fn it_settles_and_does_not_oscillate() {
        for speed in [0.02, 0.3, 1.0, 3.0, 20.0] {
            for start in [600, 3000, 30_000] {
                let mut fineness = Fineness::new(60.0);
                let (mut count, mut changes) = (start, Vec::new());
                for measurement in 0..2000 {
                    // A fifth of the load comes and goes.
                    let noise = 1.0 + 0.1 * f32::sin(measurement as f32 * 1.7);
                    let load = noise * (0.01 + 0.16 / speed * (count as f32 / 5000.0).powf(1.5));
                    if let Some(wanted) = fineness.judge(load, count, 100_000) {
                        changes.push(measurement);
                        count = wanted;
                    }
                }
                assert!(changes.last().is_none_or(|&last| last < 1000), "at {speed} still changing: {changes:?}");
                let load = 0.01 + 0.16 / speed * (count as f32 / 5000.0).powf(1.5);
                let bound = count == LEAST || count == 100_000;
                assert!(bound || (0.09..0.28).contains(&load), "at {speed} it settled on {count}, a load of {load}");
            }
        }
    }

    #[test]
    fn after_a_busy_time_it_waits_longer_before_it_becomes_finer() {
        let mut fineness = Fineness::new(60.0);
        assert!(fineness.judge(2.0, 8000, 100_000).is_some());
        assert_eq!(fineness.coarsened(), Some(8000));
        let waited = (1..100).find(|_| fineness.judge(0.1, 4000, 100_000).is_some());
        assert_eq!(waited, Some(16));
        assert_eq!(fineness.coarsened(), None);
    }

    #[test]
    fn a_faster_machine_gets_a_finer_liquid() {
        let text = crate::scene::find("dam").expect("dam is embedded");
        let dam = crate::scene::Scene::parse(text, "dam").expect("dam is sound").world;
        let count = |ns: f32, cells: usize| Fineness::new(ns).suited_to(&dam, 1.6, cells);
        assert!((1800..5000).contains(&count(65.0, 100_000)), "{}", count(65.0, 100_000));
        let gain = count(30.0, 100_000) as f32 / count(60.0, 100_000) as f32;
        assert!((1.5..1.7).contains(&gain), "twice as fast is {gain} times as many");
        assert_eq!(count(1e6, 100_000), LEAST);
        assert_eq!(count(5.0, 80 * 24), dam.particles, "more than a small window shows");
        let shown = count(1.0, 120 * 40) as f32 / (0.36 * 120.0 * 40.0);
        assert!((shown / PER_CELL - 1.0).abs() < 0.05, "{shown} a cell");
    }
}
