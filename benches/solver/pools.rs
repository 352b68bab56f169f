//! The time of a substep, pass by pass, in a pool at rest: by particles, threads and viscosity.
//!
//! The gain of several threads depends on the machine as much as on the solver: two virtual processors may be two cores
//! or two halves of one, and that may change. So one thread and several take turns, and so do as many independent
//! pools, each on a thread of its own; their throughput is the limit of the machine. The gain is the median over the
//! turns of the work in one, relative to the work of one thread right before.

use crate::machine_peaks::Peaks;
use crate::stopwatch::{Passes, quantile};
use crate::work::Work;
use serde::Serialize;
use slosh::sim::boundary::region::Region;
use slosh::sim::clock::STEP;
use slosh::sim::definition::WorldDef;
use slosh::sim::observer::Pass;
use slosh::sim::parallel::cores;
use slosh::sim::parallel::instructions::Instructions;
use slosh::sim::{PARALLEL_THRESHOLD, World, WorldOptions};
use std::fmt::Write;
use std::thread;
use std::time::Duration;

/// Particle counts of the pools, unless one is given.
pub const SIZES: [usize; 4] = [1_000, 5_000, 20_000, 100_000];

/// Substeps of a step, at every size; see [`pool`].
const SUBSTEPS: u32 = 4;

/// Approximate number of substeps for a pool to settle; see [`settle`].
const SETTLED: f32 = 480.0;

/// Distance that sound travels in the longest stable substep, in h.
const SOUND: f32 = 0.136;

/// Number of timed turns of each, and the duration of a turn unless a single step takes longer.
const TURNS: usize = 12;
const TURN: Duration = Duration::from_millis(60);

/// Number of particles whose neighbours are counted, as a sample of all.
const SAMPLE: usize = 300;

/// All pools, and the peaks of the machine.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The vector instructions in use.
    pub simd: &'static str,
    pub peaks: Vec<Peaks>,
    pub pools: Vec<Pool>,
}

/// One pool. Times are per substep, as lower deciles: the moments in which no other program uses the machine.
#[derive(Debug, Serialize)]
pub struct Pool {
    pub particles: usize,
    pub threads: usize,
    pub viscous: bool,
    /// Mean number of neighbours of a particle.
    pub neighbours: f64,
    pub passes: Vec<Row>,
    pub all: Row,
    /// Speed relative to one thread; and throughput of as many independent pools, relative to one.
    pub gain: f64,
    pub gain_side_by_side: f64,
    /// Seconds for 60 steps of 4 substeps each. Up to 1, these threads run in real time.
    pub seconds_for_60_times_4: f64,
    /// Number of particles that these threads could simulate with 60 × 4 substeps per second, at this cost per
    /// particle.
    pub particles_at_60_times_4: f64,
}

/// A pass, or all passes.
#[derive(Debug, Serialize)]
pub struct Row {
    pub name: &'static str,
    pub ms: f64,
    /// Nanoseconds per particle.
    pub ns: f64,
    /// Each pair counts for both of its particles, once per substep.
    pub pair_interactions_per_second: f64,
    /// Fraction of the peak in the same run, 0 to 1.
    pub arithmetic_share: f64,
    pub memory_share: f64,
}

/// The numbers of threads: one, and the number of cores.
fn thread_counts() -> Vec<usize> {
    if cores() > 1 { vec![1, cores()] } else { vec![1] }
}

pub fn measure(sizes: &[usize], instructions: Instructions) -> Report {
    let peaks: Vec<Peaks> = thread_counts().into_iter().map(|threads| Peaks::measure(threads, instructions)).collect();
    let mut pools = Vec::new();
    for &particles in sizes {
        let mut settled = pool(particles, instructions);
        settle(&mut settled);
        // A smaller pool always runs on one thread, so a second row would repeat the first.
        let peaks = || peaks.iter().filter(|peaks| peaks.threads == 1 || particles >= PARALLEL_THRESHOLD);
        for viscous in [true, false] {
            pools
                .extend(race(&mut peaks().map(|&peaks| BenchSetup::new(&settled, viscous, peaks)).collect::<Vec<_>>()));
        }
    }
    Report { simd: instructions.found().name(), peaks, pools }
}

/// A pool at rest, as in the toy's tank, in slow motion.
///
/// A stiffer liquid relative to the particle size needs more substeps: the toy takes 7 of them for a thousand particles
/// and 70 for a hundred thousand. A substep is the same as long as the ratio of the pool's weight to the stiffness is.
/// So both are scaled until [`SUBSTEPS`] suffice, and every size has the same compression and number of neighbours.
fn pool(particles: usize, instructions: Instructions) -> World {
    let mut scene =
        WorldDef { particles, liquid: vec![Region::Box([0.0, 0.0, 1.0, 0.4]).into()], ..WorldDef::default() };
    let setup = WorldOptions { instructions, ..WorldOptions::default() };
    let toy = World::new(&scene, &setup);
    let Some(liquid) = toy.liquid() else { return toy };
    let slower = SUBSTEPS as f32 / liquid.required_substeps(STEP, 0.0, toy.size());
    let scale = 0.999 * slower * slower;
    scene.gravity *= scale;
    scene.fluid.pressure = scene.fluid.pressure.stiffened(scale);
    scene.substeps = SUBSTEPS;
    World::new(&scene, &setup)
}

/// Lets the pool sag under its weight. From rest density it sags too far and springs back; a period takes sound four
/// crossings, and the oscillation lasts many periods. After every odd number of crossings the pool passes its
/// equilibrium.
fn settle(pool: &mut World) {
    let Some(liquid) = pool.liquid() else { return };
    let crossing = 0.36 * pool.size().y / liquid.h() / SOUND;
    let crossings = 2.0 * (0.5 * SETTLED / crossing - 0.5).round().max(0.0) + 1.0;
    (0..(crossings * crossing) as u32 / SUBSTEPS).for_each(|_| pool.step());
}

/// A pool, the threads that share it, and the times of its steps; and as many independent pools.
struct BenchSetup {
    viscous: bool,
    peaks: Peaks,
    shared: (World, Passes),
    side_by_side: Vec<(World, Passes)>,
    /// Steps per second in every turn: of the shared pool, and of the independent ones together.
    rates: [Vec<f64>; 2],
}

impl BenchSetup {
    fn new(settled: &World, viscous: bool, peaks: Peaks) -> Self {
        let mut world = settled.clone();
        if !viscous {
            let mut fluid = world.definition().fluid;
            (fluid.phase.viscous.sigma, fluid.phase.viscous.beta) = (0.0, 0.0);
            world.edit_parameters(|definition| definition.fluid = fluid);
        }
        (0..3).for_each(|_| world.step());
        let copies = if peaks.threads > 1 { peaks.threads } else { 0 };
        let side_by_side = (0..copies).map(|_| (world.clone(), Passes::default())).collect();
        world.set_threads(peaks.threads);
        Self { viscous, peaks, shared: (world, Passes::default()), side_by_side, rates: Default::default() }
    }

    fn take_turn(&mut self) {
        let (world, laps) = &mut self.shared;
        self.rates[0].push(laps.take_turn(world, TURN));
        self.rates[1].push(thread::scope(|scope| {
            let turns = self.side_by_side.iter_mut().map(|(world, laps)| scope.spawn(|| laps.take_turn(world, TURN)));
            let turns: Vec<_> = turns.collect();
            turns.into_iter().map(|turn| turn.join().expect("a pool steps without panicking")).sum()
        }));
    }
}

/// Times the same pool on one thread and on more, in turns.
fn race(rigs: &mut [BenchSetup]) -> Vec<Pool> {
    for _ in 0..TURNS {
        rigs.iter_mut().for_each(BenchSetup::take_turn);
    }
    let alone = rigs.first().map_or(&[][..], |rig| &rig.rates[0][..]);
    rigs.iter().map(|rig| judge(rig, alone)).collect()
}

/// The median over the turns of the throughput relative to `alone`.
fn gain(rates: &[f64], alone: &[f64]) -> f64 {
    quantile(rates.iter().zip(alone).map(|(rate, alone)| rate / alone), 0.5)
}

/// Compares the measurements with the counted work, with the peaks, and with one thread.
fn judge(rig: &BenchSetup, alone: &[f64]) -> Pool {
    let BenchSetup { viscous, peaks, shared: (world, laps), side_by_side, rates } = rig;
    let viscous = *viscous;
    let (particles, neighbours) = (world.particles(), neighbours(world));
    let meetings = particles as f64 * neighbours;
    let substeps = f64::from(world.substeps());
    let row = |name, ms: f64, flops: f64, bytes: f64| Row {
        name,
        ms,
        ns: ms * 1e6 / particles as f64,
        pair_interactions_per_second: if flops > 0.0 { meetings / ms * 1e3 } else { 0.0 },
        arithmetic_share: flops / ms * 1e3 / peaks.flops,
        memory_share: bytes / ms * 1e3 / peaks.bandwidth,
    };
    let work = |pass| {
        let work = Work::of(pass, viscous);
        (work.flops_per_pair * 0.5 * meetings, work.bytes_per_particle * particles as f64)
    };
    let passes = Pass::ALL.map(|pass| {
        let (flops, bytes) = work(pass);
        row(pass.name(), laps.best_of(pass as usize) / substeps, flops, bytes)
    });
    let (flops, bytes) = Pass::ALL.map(work).into_iter().fold((0.0, 0.0), |sum, work| (sum.0 + work.0, sum.1 + work.1));
    let all = row("all", laps.best_total() / substeps, flops, bytes);
    let gain_side_by_side = if side_by_side.is_empty() { 1.0 } else { gain(&rates[1], alone) };
    let seconds_for_60_times_4 = 60.0 * 4.0 * all.ms / 1e3;
    Pool {
        particles,
        threads: peaks.threads,
        viscous,
        neighbours,
        passes: passes.into(),
        all,
        gain: gain(&rates[0], alone),
        gain_side_by_side,
        seconds_for_60_times_4,
        particles_at_60_times_4: particles as f64 / seconds_for_60_times_4,
    }
}

/// Mean number of neighbours of a particle, over a sample.
pub fn neighbours(world: &World) -> f64 {
    let Some(liquid) = world.liquid() else { return 0.0 };
    let (p, reach) = (liquid.particles(), liquid.h() * liquid.h());
    let sample: Vec<usize> = p.alive().step_by(p.len() / SAMPLE + 1).collect();
    let near = |a: usize| p.alive().filter(|&b| p.position(a).distance_squared(p.position(b)) < reach).count() - 1;
    sample.iter().map(|&slot| near(slot)).sum::<usize>() as f64 / sample.len().max(1) as f64
}

/// A table for every pool.
pub fn table(report: &Report) -> String {
    let mut text = format!("vector instructions: {}\n", report.simd);
    for Peaks { threads, flops, bandwidth } in &report.peaks {
        let (flops, bandwidth) = (flops / 1e9, bandwidth / 1e9);
        let _ = writeln!(text, "{}: {flops:.0} GFlop/s, {bandwidth:.1} GB/s at most", threads_in_words(*threads));
    }
    text += "shares are of these; more than all of the memory's is what caches give\n";
    text += "times are lower deciles; one thread and several take turns\n";
    let _ = writeln!(text, "pools of fewer than {PARALLEL_THRESHOLD} particles are not shared among threads");
    for pool in &report.pools {
        let Pool { particles, threads, viscous, neighbours, .. } = pool;
        let how = if *viscous { "with viscosity" } else { "without viscosity" };
        let threads_text = threads_in_words(*threads);
        let _ = writeln!(text, "\n{particles} particles, {threads_text}, {how}, {neighbours:.1} neighbours");
        text += "  a substep           ms  ns/particle  M pairs/s   arithmetic    memory\n";
        // Passes of other matters take no time.
        for row in pool.passes.iter().filter(|row| row.ms > 0.0).chain([&pool.all]) {
            text += &line(row);
        }
        let (seconds, enough) = (pool.seconds_for_60_times_4, pool.particles_at_60_times_4);
        if *threads > 1 {
            let _ = writeln!(text, "{}", gains(pool));
        }
        let _ = writeln!(text, "  60 × 4 substeps take {seconds:.2} s; a second is enough for {enough:.0} particles");
    }
    text
}

fn line(row: &Row) -> String {
    let Row { name, ms, ns, pair_interactions_per_second, arithmetic_share, memory_share } = row;
    let some = |value: f64, text: String| if value > 0.0 { text } else { String::new() };
    let pairs = some(*pair_interactions_per_second, format!("{:.0}", pair_interactions_per_second / 1e6));
    let arithmetic = some(*arithmetic_share, format!("{:.1} %", 100.0 * arithmetic_share));
    let memory = some(*memory_share, format!("{:.1} %", 100.0 * memory_share));
    format!("  {name:<12}{ms:>10.4}{ns:>13.2}{pairs:>11}{arithmetic:>13}{memory:>10}\n")
}

fn gains(Pool { threads, gain, gain_side_by_side, .. }: &Pool) -> String {
    format!(
        "  {gain:.2} times as fast as one thread; {threads} pools side by side get {gain_side_by_side:.2} times as much done as one"
    )
}

/// The table of docs/performance.md.
pub fn markdown(report: &Report) -> String {
    let mut text = "| particles | threads | viscosity | ns a particle and substep | million pairs a second \
                    | particles at 60 × 4 substeps a second |\n|---|---|---|---|---|---|\n"
        .to_owned();
    for Pool { particles, threads, viscous, all, particles_at_60_times_4, .. } in &report.pools {
        let viscosity = if *viscous { "yes" } else { "no" };
        let (ns, pairs) = (all.ns, all.pair_interactions_per_second / 1e6);
        let thousands = particles_at_60_times_4 / 1e3;
        let _ = writeln!(text, "| {particles} | {threads} | {viscosity} | {ns:.1} | {pairs:.0} | {thousands:.0},000 |");
    }
    text
}

fn threads_in_words(threads: usize) -> String {
    if threads == 1 { "one thread".to_owned() } else { format!("{threads} threads") }
}
