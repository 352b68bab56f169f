//! A world and its step. Commands, queries and changes of the tank's shape are in `sim/world/`.

pub(crate) mod build;
mod commands;
pub mod inlets_outlets;
pub(crate) mod pistons;
pub mod pointer;
mod queries;
mod sleep;
mod spawn;
pub(crate) mod tank;
pub mod tank_motion;

use crate::sim::StepContext;
use crate::sim::boundary::{Region, Walls};
use crate::sim::clock::STEP;
use crate::sim::cloth::Cloth;
use crate::sim::coupling;
use crate::sim::coupling::liquid_cloth::LiquidClothCoupling;
use crate::sim::coupling::specks::SpeckCoupling;
use crate::sim::definition::WorldDef;
use crate::sim::forces::PointerForce;
use crate::sim::grid_fluid::GridFluid;
use crate::sim::heat::transfer;
use crate::sim::life::Life;
use crate::sim::liquid::{FroudeScale, Liquid, Whitewater};
use crate::sim::observer::{Pass, StepObserver};
use crate::sim::parallel::instructions::Instructions;
use crate::sim::parallel::{MAX_THREADS, ThreadPool};
use crate::sim::rigid::Bodies;
use glam::Vec2;
use inlets_outlets::InletsOutlets;
use std::sync::Arc;
use tank_motion::TankMotion;

defaults! {
    /// Options of a world that the scene does not prescribe.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct WorldOptions {
        /// Number of particles in place of the scene's, from 1 to [`MAX_PARTICLES`].
        pub particles: Option<usize> = None;
        /// Number of cells of a grid, where the scene gives none: about as many as the picture has samples.
        pub cells: Option<usize> = None;
        /// Seed of the random numbers. The same seed gives the same frames.
        pub seed: u64 = 0;
        /// Width over height of the window, in pixels.
        pub aspect: f32 = 80.0 / 48.0;
        /// Number of threads that share the work, at most [`MAX_THREADS`].
        pub threads: usize = 1;
        /// Instruction set of the passes over pairs of particles; the best one where this machine does not have it.
        pub instructions: Instructions = Instructions::Best;
    }
}

/// Upper limit on the particles of a tank at its start.
pub const MAX_PARTICLES: usize = 2_000_000;

/// Minimum number of particles for which a step is shared among threads. Below it, two threads are no faster than one.
pub const PARALLEL_THRESHOLD: usize = 2000;

/// A tank, its contents, and its motion.
#[derive(Clone, Debug)]
pub struct World {
    definition: WorldDef,
    liquid: Option<Liquid>,
    grid: Option<GridFluid>,
    cloth: Option<Cloth>,
    bodies: Option<Bodies>,
    life: Option<Life>,
    liquid_cloth: LiquidClothCoupling,
    speck_coupling: SpeckCoupling,
    walls: Walls,
    /// Walls drawn by hand, in fractions of the tank.
    user_walls: Vec<Region>,
    inlets_outlets: InletsOutlets,
    /// How far each piston is on its way.
    pistons: Vec<f32>,
    tank_motion: TankMotion,
    /// The scale of its fluids. Without gravity there is none, and the last one is kept.
    scale: FroudeScale,
    aspect: f32,
    aspect_target: f32,
    pointer_forces: Vec<PointerForce>,
    substeps: u32,
    /// The requested number of threads, and the pool that is running.
    threads: usize,
    thread_pool: Arc<ThreadPool>,
    whitewater: Whitewater,
    steps: u64,
    /// Steps for which everything has been almost still.
    steps_at_rest: u32,
    allow_sleep: bool,
}

impl World {
    /// Builds the scene's tank and fills it. The definition must be one of [`Scene::parse`](crate::Scene::parse), or have passed
    /// [`Scene::check`](crate::Scene::check): with values out of range this may panic or not end.
    pub fn new(definition: &WorldDef, setup: &WorldOptions) -> Self {
        let aspect = definition.aspect(setup.aspect);
        let size = definition.tank.size(aspect);
        let mut walls = pistons::walls_at_start(definition, size);
        let scale = definition.scale().unwrap_or_default();
        let contents = build::Contents::new(definition, setup, &walls, scale);
        walls.set_support_radius(contents.support_radius(&walls));
        let build::Contents { liquid, grid, cloth, bodies, life } = contents;
        let mut world = Self {
            walls,
            substeps: 0,
            liquid,
            grid,
            cloth,
            bodies,
            life,
            liquid_cloth: LiquidClothCoupling::default(),
            speck_coupling: SpeckCoupling::default(),
            user_walls: Vec::new(),
            inlets_outlets: InletsOutlets::new(definition, size),
            pistons: pistons::at_start(definition),
            tank_motion: TankMotion::new(definition.tank.motion),
            scale,
            aspect,
            aspect_target: aspect,
            pointer_forces: Vec::new(),
            threads: setup.threads,
            thread_pool: Arc::new(ThreadPool::new(1)),
            whitewater: Whitewater::default(),
            steps: 0,
            steps_at_rest: 0,
            allow_sleep: true,
            definition: definition.clone(),
        };
        world.fit_contents();
        world.whitewater.reserve(world.particles());
        world.update_substeps();
        world
    }

    fn fit_contents(&mut self) {
        let walls = &self.walls;
        self.liquid.iter_mut().for_each(|liquid| liquid.fit(walls));
        self.grid.iter_mut().for_each(|grid| grid.fit(walls));
        self.cloth.iter_mut().for_each(|cloth| cloth.fit(walls));
        self.bodies.iter_mut().for_each(|bodies| bodies.fit(walls));
        self.life.iter_mut().for_each(|life| life.fit(walls));
    }

    /// Sets the number of substeps to that which the liquid requires, and at least the definition's where no grid carries it.
    fn update_substeps(&mut self) {
        let gravity = self.body_acceleration();
        self.liquid.iter_mut().for_each(|liquid| liquid.choose_pressure(gravity));
        // Without liquid on it, the cloth has the substeps that it has been checked for.
        let is_bound = |cloth: &Cloth| self.particles() == 0 || !cloth.bears_any_substep();
        let usual = self.definition.substeps;
        let min = match &self.liquid {
            Some(liquid) if !self.cloth.as_ref().is_some_and(is_bound) => liquid.min_substeps(STEP, usual, 1.0),
            _ => usual,
        };
        self.substeps = (self.required_substeps().ceil() as u32).max(1).max(min);
    }

    /// The uniform acceleration of all matter, m/s²: the place for a further uniform body force.
    fn body_acceleration(&self) -> Vec2 {
        self.gravity() + self.tank_motion.shake_acceleration()
    }

    /// The substeps, with fractions, that a step now requires for stability. Cloth and a grid divide theirs themselves.
    pub fn required_substeps(&self) -> f32 {
        let gravity = self.body_acceleration().length();
        let others = self.grid.is_some() || self.cloth.is_some() || self.bodies.is_some();
        let liquid = self.liquid.as_ref().map_or(0.0, |liquid| liquid.required_substeps(STEP, gravity, self.size()));
        liquid.max(f32::from(others))
    }

    /// One fixed step of [`STEP`] seconds.
    pub fn step(&mut self) {
        self.step_observed(&mut ());
    }

    /// Makes one fixed step that reports its passes to an observer.
    pub fn step_observed(&mut self, observer: &mut dyn StepObserver) {
        self.open_gate();
        if self.is_disturbed() {
            self.steps_at_rest = 0;
        }
        self.steps += 1;
        if self.is_asleep() {
            return;
        }
        self.tank_motion.advance(self.time());
        self.reshape_tank();
        self.move_pistons();
        self.inlets_outlets.run(
            self.liquid.as_mut(),
            self.grid.as_mut(),
            &self.walls,
            self.tank_motion.gravity_dir(),
            &mut self.pointer_forces,
        );
        self.add_air();
        self.live();
        // The requirement depends on the present speeds.
        self.update_substeps();
        self.update_sleep();
        observer.pass_finished(Pass::World);
        self.make_substeps(observer);
        self.pointer_forces.clear();
        self.step_whitewater();
        let time = self.time();
        self.liquid.iter_mut().for_each(|liquid| self.inlets_outlets.drain(time, liquid));
        self.update_world_sleep();
    }

    /// Lets animals and plants move. They never rest for long, and neither does the water that they push.
    fn live(&mut self) {
        let gravity = self.body_acceleration();
        if let (Some(life), Some(liquid), Some(bodies)) = (&mut self.life, &mut self.liquid, &mut self.bodies) {
            bodies.wake();
            life.step(liquid, bodies, &self.walls, gravity);
            for (at, rate) in life.bubble_sources(self.walls.size(), &bodies.all) {
                self.whitewater.add_bubbles(at, rate * STEP);
            }
        }
    }

    fn step_whitewater(&mut self) {
        let gravity = self.body_acceleration();
        if let Some(liquid) = &self.liquid {
            self.whitewater.step(liquid, &self.walls, gravity, STEP);
            self.speck_coupling.stop(&mut self.whitewater.specks, self.bodies.as_ref(), self.cloth.as_ref());
            self.inlets_outlets.drain_specks(&mut self.whitewater, liquid.particles());
        }
    }

    fn make_substeps(&mut self, observer: &mut dyn StepObserver) {
        let threads = self.ensure_threads();
        self.liquid.iter_mut().for_each(|liquid| liquid.set_threads(threads));
        let pool = self.thread_pool.clone();
        let mut substeps = || {
            for number in 1..=self.substeps {
                self.substep(number == self.substeps, observer);
            }
        };
        if threads > 1 { pool.install(substeps) } else { substeps() }
    }

    /// Starts as many threads as were requested, if the step is large enough, and returns how many share it.
    fn ensure_threads(&mut self) -> usize {
        let worth = if self.particles() < PARALLEL_THRESHOLD { 1 } else { self.threads.clamp(1, MAX_THREADS) };
        if self.thread_pool.workers() < worth {
            self.thread_pool = Arc::new(ThreadPool::new(worth));
            if self.thread_pool.workers() < worth {
                // The system has no more threads to give; it is not asked again every step.
                self.threads = 1;
            }
        }
        worth.min(self.thread_pool.workers())
    }

    /// One substep; the last one of a step has the passes that run once a step.
    fn substep(&mut self, last: bool, observer: &mut dyn StepObserver) {
        let gravity = self.body_acceleration();
        let time = self.time();
        let Self { liquid, grid, cloth, bodies, walls, pointer_forces, liquid_cloth, substeps, .. } = self;
        let env = &StepContext { dt: STEP / *substeps as f32, gravity, walls, pointer_forces };
        if let Some(bodies) = bodies {
            coupling::begin_with_bodies(bodies, liquid.as_mut(), grid.as_mut(), env);
        }
        if let (Some(liquid), Some(cloth)) = (&mut *liquid, &mut *cloth) {
            liquid_cloth.immerse(cloth, liquid, env);
        }
        if let Some(liquid) = liquid {
            if last { liquid.step(env, observer) } else { liquid.substep(env, observer) }
        }
        if let Some(grid) = grid {
            grid.step(env, observer);
        }
        if let Some(cloth) = cloth {
            if let Some(liquid) = liquid {
                liquid_cloth.load(cloth, liquid, env);
            }
            cloth.step(env, observer);
        }
        if let Some(bodies) = bodies {
            coupling::end_with_bodies(bodies, liquid.as_mut(), grid.as_mut(), env);
            if last {
                transfer::with_bodies(bodies, liquid.as_mut(), grid.as_mut());
            }
            observer.pass_finished(Pass::Couple);
        }
        if last && let (Some(liquid), Some(grid)) = (liquid.as_mut(), grid.as_mut()) {
            transfer::with_air(liquid, grid);
        }
        if let Some(cloth) = cloth {
            if let Some(liquid) = liquid {
                liquid_cloth.couple(cloth, liquid, env);
            }
            observer.pass_finished(Pass::Couple);
        }
        if last && let (Some(liquid), Some(grid)) = (liquid.as_mut(), grid) {
            transfer::steam(liquid, grid);
        }
        if let Some(liquid) = liquid {
            self.inlets_outlets.pour(time, liquid, env, self.tank_motion.gravity_dir());
        }
    }
}
