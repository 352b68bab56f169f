//! The world and its matter. Knows no terminal, no wall clock and no files.

pub mod attitude;
pub mod bands;
pub mod body;
pub mod cast;
pub mod clock;
pub mod cloth;
pub mod coincident;
pub mod couple;
pub mod crew;
pub mod ddr;
pub mod drowse;
pub mod emitter;
pub mod fill;
pub mod fluids;
pub mod gauge;
pub mod grains;
pub mod grid;
pub mod halfplane;
pub mod hand;
pub mod home;
pub mod instructions;
pub mod matter;
pub mod mixture;
pub mod pairs;
pub mod particles;
pub mod plumbing;
pub mod poke;
pub mod refine;
pub mod relief;
pub mod rest;
pub mod scene;
pub mod sort;
pub mod sph;
pub mod springs;
pub mod stam;
pub mod stats;
pub mod table;
pub mod walls;
pub mod watch;

use attitude::Attitude;
use body::Bodies;
use clock::STEP;
use couple::Couplings;
use crew::Crew;
use ddr::{Fluid, Liquid};
use drowse::{SLEEP_AFTER, SLEEPY};
use gauge::Gauge;
use glam::Vec2;
use grains::Grains;
use instructions::Instructions;
pub use matter::Matter;
use plumbing::Plumbing;
use poke::Poke;
use scene::knobs::Knob;
use scene::{Region, Scene};
use stats::Stats;
use std::sync::Arc;
use walls::{Shape, Walls};
use watch::{Pass, Watch};

/// Aspect ratios (width over height) that a tank takes on; a window beyond them shows margins.
pub const ASPECTS: std::ops::RangeInclusive<f32> = 1.0 / 8.0..=16.0;

/// Fastest change of the tank's shape: the logarithm of its aspect ratio, per second.
const RESHAPE_RATE: f32 = 1.2;

/// The fewest particles whose step is shared among threads. With two threads a step of four substeps took, as a share of
/// one thread's time, 1.02 at 1,000 particles, 0.88 at 2,000, 0.76 at 4,000 and 0.57 at 20,000.
pub const SHARED_FROM: usize = 2000;

/// What happens around a matter during one substep.
#[derive(Clone, Copy, Debug)]
pub struct Env<'a> {
    /// Seconds.
    pub dt: f32,
    /// m/s², with the tilt and the shaking in it.
    pub gravity: Vec2,
    pub walls: &'a Walls,
    pub pokes: &'a [Poke],
    /// Whether somebody may look at the outcome: then those who sleep get a density too.
    pub shown: bool,
}

/// How a scene is to be set up, where that is not the scene's own business.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setup {
    /// Instead of the scene's own number.
    pub particles: Option<usize>,
    /// Cells of a grid, where the scene has no number of its own: as many as the picture has samples.
    pub cells: Option<usize>,
    pub seed: u64,
    /// Width over height of the window, in pixels.
    pub aspect: f32,
    /// How many threads share the work, at most [`crew::MOST_THREADS`]; see [`World::set_threads`].
    pub threads: usize,
    /// Where this machine does not have them, the best that it has.
    pub instructions: Instructions,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            particles: None,
            cells: None,
            seed: 0,
            aspect: 80.0 / 48.0,
            threads: 1,
            instructions: Instructions::Best,
        }
    }
}

/// A tank, what is in it, and what moves it.
#[derive(Clone, Debug)]
pub struct World {
    scene: Scene,
    matter: Vec<Matter>,
    couplings: Couplings,
    walls: Walls,
    /// Glass that is seen and stops nothing.
    vessels: Vec<Shape>,
    /// Walls that were drawn by hand, in shares of the tank.
    drawn: Vec<Region>,
    plumbing: Plumbing,
    attitude: Attitude,
    aspect: f32,
    aspect_target: f32,
    pokes: Vec<Poke>,
    substeps: u32,
    /// As asked for, and those that have been hired.
    threads: usize,
    crew: Arc<Crew>,
    steps: u64,
    /// Substeps of the step that is under way that are over.
    substeps_done: u32,
    /// For how many steps everything has been as good as still.
    still: u32,
    /// Whether parts may sleep.
    drowses: bool,
}

impl World {
    /// Builds the scene's tank and fills it. The scene is taken to have been checked.
    pub fn new(scene: &Scene, setup: &Setup) -> Self {
        let aspect = tank_aspect(scene, setup.aspect);
        let size = tank_size(scene.tank.area, aspect);
        let obstacles: Vec<Shape> = scene.obstacle.iter().map(|region| region.shape(size)).collect();
        let rough = Walls::new(size, scene.tank.shape.into(), obstacles.clone(), 0.1 * size.min_element());
        let (matter, reach) = matter::fill(scene, setup, &rough);
        // An empty tank is for somebody to fill who knows better.
        let reach = if matter.is_empty() { rough.reach() } else { reach };
        let walls = Walls::new(size, scene.tank.shape.into(), obstacles, reach);
        let mut world = Self {
            walls,
            substeps: 0,
            matter,
            vessels: Vec::new(),
            couplings: Couplings::default(),
            drawn: Vec::new(),
            plumbing: Plumbing::new(scene, size),
            attitude: Attitude::default(),
            aspect,
            aspect_target: aspect,
            pokes: Vec::new(),
            threads: setup.threads,
            crew: Arc::new(Crew::new(1)),
            steps: 0,
            substeps_done: 0,
            still: 0,
            drowses: true,
            scene: scene.clone(),
        };
        world.matter.iter_mut().for_each(|matter| matter.fit(&world.walls));
        world.count_substeps();
        world
    }

    /// As many as the matter that needs the most.
    fn count_substeps(&mut self) {
        self.substeps = (self.exact_substeps().ceil() as u32).max(1).max(self.scene.substeps);
    }

    /// The substeps that a step needs now to be stable, if there were fractions of a substep.
    pub fn exact_substeps(&self) -> f32 {
        let (gravity, size) = ((self.gravity() + self.attitude.shaking()).length(), self.size());
        self.matter.iter().map(|matter| matter.exact_substeps(STEP, gravity, size)).fold(0.0, f32::max)
    }

    /// One fixed step of [`STEP`] seconds.
    pub fn step(&mut self) {
        self.step_watched(&mut ());
    }

    /// One fixed step under the eyes of `watch`, who may interrupt it. Says whether it is over.
    pub fn step_watched(&mut self, watch: &mut impl Watch) -> bool {
        if self.substeps_done == 0 && !self.begin_step(watch) {
            return true;
        }
        if !self.make_substeps(watch) {
            return false;
        }
        self.substeps_done = 0;
        self.pokes.clear();
        self.watch_for_sleep();
        true
    }

    /// What happens once a step. Says whether there is anything else to do.
    fn begin_step(&mut self, watch: &mut impl Watch) -> bool {
        self.open_gate();
        self.steps += 1;
        if self.is_disturbed() {
            self.still = 0;
        }
        if self.is_asleep() {
            return false;
        }
        self.attitude.turn();
        self.reshape_tank();
        self.plumbing.run(&mut self.matter, &self.walls, self.attitude.down(), &mut self.pokes);
        // How many some need depends on how fast they are.
        self.count_substeps();
        self.drowse();
        watch.passed(Pass::World);
        true
    }

    /// Lifts the scene's gate, once it is time.
    fn open_gate(&mut self) {
        if self.scene.gate.is_some_and(|at| f64::from(at) <= self.time()) {
            self.scene.gate = None;
            self.lift(0);
        }
    }

    /// Lets the resting parts of the tank sleep, unless all of it is about to be moved. Without gravity nothing rests.
    fn drowse(&mut self) {
        if !self.drowses || self.scene.gravity <= 0.1 {
            return;
        }
        // Who lies on a cloth weighs it down, asleep or not: with one in the tank all sleep, or nobody.
        let turning = self.is_turning() || self.cloth().is_some();
        for bodies in self.matter.iter_mut().filter_map(Matter::as_bodies_mut) {
            if turning {
                bodies.wake();
            }
            bodies.drowse(&self.pokes);
        }
        for liquid in self.matter.iter_mut().filter_map(Matter::as_liquid_mut) {
            if turning {
                liquid.wake();
            }
            liquid.drowse(&self.pokes);
        }
    }

    /// Makes the step's substeps, or those that were left. Says whether all have been made.
    fn make_substeps(&mut self, watch: &mut impl Watch) -> bool {
        let threads = self.hire();
        let mut env = Env {
            shown: false,
            dt: STEP / self.substeps as f32,
            gravity: self.gravity() + self.attitude.shaking(),
            walls: &self.walls,
            pokes: &self.pokes,
        };
        let mut substeps = || {
            while self.substeps_done < self.substeps {
                env.shown = self.substeps_done + 1 == self.substeps;
                self.couplings.before(&mut self.matter, &env);
                for matter in &mut self.matter {
                    matter.step(&env, threads, watch);
                }
                self.couplings.all(&mut self.matter, &env, watch);
                self.substeps_done += 1;
                if watch.interrupts() {
                    self.matter
                        .iter_mut()
                        .filter_map(Matter::as_liquid_mut)
                        .for_each(|liquid| liquid.weigh(&self.walls));
                    break;
                }
            }
        };
        if threads > 1 {
            self.crew.work(substeps)
        } else {
            substeps()
        }
        self.substeps_done >= self.substeps
    }

    /// Sees to it that there are as many threads as were asked for, if there is enough to do, and says how many share
    /// the step.
    fn hire(&mut self) -> usize {
        let worth = if self.particles() < SHARED_FROM { 1 } else { self.threads.clamp(1, crew::MOST_THREADS) };
        if self.crew.hands() < worth {
            self.crew = Arc::new(Crew::new(worth));
            if self.crew.hands() < worth {
                // The system has no more threads to give; it is not asked again every step.
                self.threads = 1;
            }
        }
        worth.min(self.crew.hands())
    }

    /// Lets so many threads share the work of a step, from the next one on. They are hired when they are first needed,
    /// and never for a tank of fewer than [`SHARED_FROM`] particles, where sharing costs more than it saves.
    ///
    /// The result is the same bits, whatever the number. A good number is that of the machine's cores
    /// ([`crew::cores`]), or one where these are busy with something else.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads;
    }

    /// How many threads may share the work of a step.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Whether anything is about to move the tank or what is in it.
    fn is_disturbed(&self) -> bool {
        self.is_turning() || self.plumbing.is_open() || !self.pokes.is_empty()
    }

    /// Whether the tank itself is being moved.
    fn is_turning(&self) -> bool {
        self.attitude.is_turning() || self.aspect != self.aspect_target
    }

    /// Lets water that has come to rest sleep: it keeps its place and costs nothing until something disturbs it. Without
    /// gravity nothing rests; what drifts there slowly shall arrive.
    fn watch_for_sleep(&mut self) {
        let calm = self.matter.iter().all(|matter| matter.is_slower_than(SLEEPY));
        self.still = if calm && self.scene.gravity > 0.1 { self.still + 1 } else { 0 };
        if self.is_asleep() {
            self.matter.iter_mut().for_each(Matter::halt);
        }
    }

    /// Ends the sleep of a tank at rest, and keeps one that is called before every step awake.
    pub fn wake(&mut self) {
        self.still = 0;
        self.matter.iter_mut().filter_map(Matter::as_liquid_mut).for_each(Liquid::wake);
        self.matter.iter_mut().filter_map(Matter::as_bodies_mut).for_each(Bodies::wake);
    }

    /// Whether parts of the tank may sleep while others move: a toy need not compute what nobody sees move. It may from
    /// the start. The whole of a tank at rest sleeps in any case.
    pub fn let_drowse(&mut self, may: bool) {
        self.drowses = may;
        self.wake();
    }

    /// Number of particles that are not asleep.
    pub fn awake(&self) -> usize {
        if self.is_asleep() {
            return 0;
        }
        self.matter.iter().map(Matter::awake).sum()
    }

    /// Whether everything is at rest and stays so until it is disturbed.
    pub fn is_asleep(&self) -> bool {
        self.still >= u32::from(SLEEP_AFTER)
    }

    /// Moves the walls towards the shape the window asks for, slowly enough to push the fluid instead of passing it.
    fn reshape_tank(&mut self) {
        let wanted = (self.aspect_target / self.aspect).ln();
        self.walls.closing = Vec2::ZERO;
        if wanted == 0.0 {
            return;
        }
        let most = RESHAPE_RATE * STEP;
        self.aspect =
            if wanted.abs() <= most { self.aspect_target } else { self.aspect * wanted.clamp(-most, most).exp() };
        let size = tank_size(self.scene.tank.area, self.aspect);
        self.walls.closing = (size - self.walls.size()) / STEP;
        self.fit_to(size);
    }

    /// Lays everything out anew in a tank of `size`.
    fn fit_to(&mut self, size: Vec2) {
        let solid = self.scene.obstacle.iter().chain(&self.drawn).map(|region| region.shape(size)).collect();
        self.walls.rebuild(size, solid);
        self.plumbing.fit(&self.scene, size);
        for matter in &mut self.matter {
            matter.fit(&self.walls);
        }
    }

    /// Gravity as it is now, m/s², turned by the tilt.
    pub fn gravity(&self) -> Vec2 {
        self.scene.gravity * self.attitude.down()
    }

    /// Angle of gravity from straight down, radians; positive is to the right.
    pub fn tilt(&self) -> f32 {
        self.attitude.tilt()
    }

    /// The angle that gravity is turning to.
    pub fn tilt_target(&self) -> f32 {
        self.attitude.target()
    }

    /// Turns gravity, smoothly, to `angle` radians from straight down.
    pub fn tilt_to(&mut self, angle: f32) {
        self.attitude.tilt_to(angle);
    }

    /// Changes how strong gravity is, m/s².
    pub fn set_gravity(&mut self, gravity: f32) {
        if gravity.is_finite() {
            self.wake();
            self.scene.gravity = gravity;
        }
    }

    /// Jerks the tank so that the fluid is thrown in `direction` and comes back.
    pub fn shake(&mut self, direction: Vec2) {
        self.attitude.shake(direction);
    }

    /// Applies a poke during the next step.
    pub fn poke(&mut self, poke: Poke) {
        if poke.at.is_finite() && poke.radius > 0.0 {
            self.pokes.push(poke);
        }
    }

    /// Asks the tank to take on another shape, `aspect` being width over height; its area stays. It changes over the
    /// next steps, the walls pushing the fluid.
    pub fn reshape(&mut self, aspect: f32) {
        if aspect.is_finite() && aspect > 0.0 {
            self.aspect_target = tank_aspect(&self.scene, aspect);
        }
    }

    /// Draws a wall: a stroke `radius` metres thick to each side. It stays where it is when the tank changes shape, and
    /// cuts the cloth that is in its way.
    pub fn draw_wall(&mut self, from: Vec2, to: Vec2, radius: f32) {
        self.wake();
        self.matter.iter_mut().filter_map(Matter::as_cloth_mut).for_each(|cloth| cloth.cut(from, to, radius));
        let size = self.walls.size();
        self.drawn.push(Region::Capsule { from: (from / size).into(), to: (to / size).into(), radius });
        self.fit_to(size);
    }

    /// Takes the scene's obstacle of that number away, if there is one: opens a gate.
    pub fn lift(&mut self, number: usize) {
        if number < self.scene.obstacle.len() {
            self.wake();
            self.scene.obstacle.remove(number);
            self.fit_to(self.walls.size());
        }
    }

    /// Erases drawn walls within `radius` metres of `at`, and says whether there were any.
    pub fn erase_walls(&mut self, at: Vec2, radius: f32) -> bool {
        self.wake();
        let (size, before) = (self.walls.size(), self.drawn.len());
        self.drawn.retain(|wall| wall.shape(size).contact(at).distance > radius);
        let erased = self.drawn.len() < before;
        if erased {
            self.fit_to(size);
        }
        erased
    }

    /// Pours `count` more particles in, from the middle of the side that is up. Whatever was still to be
    /// drained stays: the last of a liquid may never reach the mouth, and must not be owed for ever.
    pub fn pour(&mut self, count: usize) {
        self.plumbing.pour(count);
    }

    /// Drains `count` particles out, from the middle of the side that is down; first those that are not yet in.
    pub fn drain(&mut self, count: usize) {
        self.plumbing.drain(count);
    }

    /// Pours in or drains out what it takes to fill `share` of the tank, 0 to 1. Whatever else was to be poured or
    /// drained by hand is forgotten.
    pub fn fill_to(&mut self, share: f32) {
        let Some(liquid) = self.grains() else { return };
        let size = self.size();
        let wanted = (share.clamp(0.0, 1.0) * size.x * size.y / liquid.particle_area()).round() as usize;
        self.plumbing.make(wanted, self.particles());
    }

    /// Takes all liquid out at once.
    pub fn empty(&mut self) {
        self.wake();
        for matter in &mut self.matter {
            matter.remove_where(usize::MAX, |_| true);
        }
        self.plumbing.empty();
    }

    /// Makes the same liquid, where it is and as it flows, out of about `count` particles: more are finer.
    /// What is in the pipes changes in proportion. Returns how many there are then, give or take a few in a thousand.
    ///
    /// Area and momentum are kept to rounding; see [`refine`].
    pub fn refine(&mut self, count: usize) -> usize {
        let bodies = self.matter.iter().find_map(Matter::as_bodies);
        let walls = bodies.map_or_else(|| self.walls.clone(), |bodies| bodies.as_obstacles(&self.walls));
        let Some(liquid) = self.matter.iter_mut().find(|matter| matter.grains().is_some()) else { return 0 };
        let Some(grains) = liquid.grains() else { return 0 };
        let (before, places) = (liquid.particles(), refine::resample(grains, &walls, count));
        if places.is_empty() {
            return before;
        }
        let share = places.len() as f32 / before as f32;
        self.walls.set_reach(matter::WALL_REACH * grains.h() / share.sqrt());
        if let Some(refined) = refine::rebuild(liquid, &walls, &places, STEP) {
            *liquid = refined;
        }
        self.count_substeps();
        self.plumbing.scale(share);
        self.wake();
        places.len()
    }

    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    pub fn matter(&self) -> &[Matter] {
        &self.matter
    }

    pub fn walls(&self) -> &Walls {
        &self.walls
    }

    /// Width and height of the tank now, metres.
    pub fn size(&self) -> Vec2 {
        self.walls.size()
    }

    /// Simulated seconds since the start.
    pub fn time(&self) -> f64 {
        self.steps as f64 / 60.0
    }

    /// Whether a step has been interrupted and is still to be gone on with.
    pub fn is_in_a_step(&self) -> bool {
        self.substeps_done > 0
    }

    /// Fixed steps since the start.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Substeps in a step.
    pub fn substeps(&self) -> u32 {
        self.substeps
    }

    /// Number of particles in the tank.
    pub fn particles(&self) -> usize {
        self.matter.iter().map(Matter::particles).sum()
    }

    /// Number of particles that drains have taken and taps have not yet poured.
    pub fn reserve(&self) -> usize {
        self.plumbing.reserve()
    }

    /// Changes the liquid's parameters while it flows.
    pub fn set_fluid(&mut self, fluid: Fluid) {
        self.scene.fluid = fluid;
        self.retune();
    }

    /// Changes one of the scene's numbers while it plays.
    pub fn turn(&mut self, knob: &Knob, to: f32) {
        knob.turn(&mut self.scene, to);
        self.retune();
    }

    /// Lets the matter take on what the scene's numbers are now.
    fn retune(&mut self) {
        self.wake();
        self.matter.iter_mut().for_each(|matter| matter.retune(&self.scene));
        self.count_substeps();
    }

    /// The scene with what has been changed and drawn since, as it would begin again.
    pub fn scene_now(&self) -> Scene {
        let mut scene = self.scene.clone();
        scene.obstacle.extend(self.drawn.iter().cloned());
        scene
    }

    /// Measures all that is in the tank.
    pub fn stats(&self) -> Stats {
        let each = self.matter.iter().map(|matter| matter.stats(self.gravity(), self.size()));
        each.reduce(Stats::and).unwrap_or_default()
    }

    /// What there is to say of each matter beside its particles, by name: for people to read.
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        self.matter.iter().flat_map(|matter| matter.facts(self.gravity())).collect()
    }

    /// Speed of what moves fastest, m/s.
    pub fn fastest(&self) -> f32 {
        self.matter.iter().map(Matter::fastest).fold(0.0, f32::max)
    }

    /// Velocity at a place in the tank, m/s, where there is anything.
    pub fn velocity(&self, at: Vec2) -> Option<Vec2> {
        self.matter.iter().find_map(|matter| matter.velocity(at))
    }

    /// Pressure at a place in the tank over the density at rest, m²/s², where there is liquid.
    pub fn pressure(&self, at: Vec2) -> Option<f32> {
        self.matter.iter().find_map(|matter| matter.pressure(at))
    }

    /// Measures the liquid in a piece of the tank; where there is none, the velocity of what fills it in its middle.
    pub fn gauge(&self, piece: &Region) -> Gauge {
        let piece = piece.shape(self.size());
        match self.grains() {
            Some(grains) => Gauge::of(grains, &piece),
            None => Gauge::at(self.velocity((piece.bounds().0 + piece.bounds().1) / 2.0).unwrap_or_default()),
        }
    }

    /// The liquid, in a tank that holds any.
    pub fn liquid(&self) -> Option<&Liquid> {
        self.matter.iter().find_map(Matter::as_liquid)
    }

    /// The first liquid made of particles, by whatever method, in a tank that holds any.
    pub fn grains(&self) -> Option<Grains<'_>> {
        self.matter.iter().find_map(Matter::grains)
    }

    /// The bodies in the tank.
    pub fn bodies(&self) -> &[body::Body] {
        self.matter.iter().find_map(Matter::as_bodies).map_or(&[], Bodies::all)
    }

    /// The share of a body that is under the liquid's level, 0 to 1; see [`body::draught`].
    pub fn submerged(&self, body: &body::Body) -> f32 {
        self.liquid().map_or(0.0, |liquid| body::draught::submerged(body, liquid, self.gravity()))
    }

    /// The smoke, in a tank that holds any.
    pub fn smoke(&self) -> Option<&stam::Smoke> {
        self.matter.iter().find_map(Matter::as_smoke)
    }

    /// The cloth, in a tank that holds any.
    pub fn cloth(&self) -> Option<&cloth::Cloth> {
        self.matter.iter().find_map(Matter::as_cloth)
    }

    /// Gives grids about `cells` cells, unless the scene has a number of its own.
    pub fn set_cells(&mut self, cells: usize) {
        for matter in &mut self.matter {
            matter.refine(cells, &self.walls);
        }
    }
}

pub(crate) fn tank_aspect(scene: &Scene, window: f32) -> f32 {
    let widest = scene.widest();
    let aspect = scene.tank.aspect.unwrap_or_else(|| window.clamp(1.0 / widest, widest));
    aspect.clamp(*ASPECTS.start(), *ASPECTS.end())
}

pub(crate) fn tank_size(area: f32, aspect: f32) -> Vec2 {
    let height = (area / aspect).sqrt();
    Vec2::new(area / height, height)
}
