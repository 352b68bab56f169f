//! Stable fluids: smoke, ink, and the air or water that carries them, on a grid (J. Stam, "Stable Fluids", SIGGRAPH 1999): cubic
//! advection (`advect`), conservative transport of dyes and heat (`transport`), diffusion in stages (`diffuse`), projection by
//! conjugate gradients over multigrid (`project`), on a staggered grid whose faces are open in part (`mac_grid`).

mod advect;
mod boundary;
mod components;
pub(in crate::sim) mod definition;
pub(in crate::sim) mod diffuse;
mod forces;
pub(in crate::sim) mod mac_grid;
mod project;
mod queries;
pub(in crate::sim) mod sides;
pub(in crate::sim) mod transport;
mod vorticity;

pub use definition::{Dye, GridFluidDef, InitialDye, Source};
use mac_grid::FieldLocation;
pub use mac_grid::MacGrid;
pub use project::Divergence;
pub use sides::{Side, Sides};

use crate::math::Elementary;
use crate::sim::StepContext;
use crate::sim::boundary::{Shape, Walls};
use crate::sim::heat::cells::{GridHeat, HeatedGrid};
use crate::sim::heat::{HeatDef, HeaterDef, Thermal};
use crate::sim::observer::{Pass, StepObserver};
use crate::sim::parallel::instructions::Instructions;
use crate::sim::parameters::copy_parameters;
use advect::{BELOW, Flow, LEFT, MIDDLE};
use diffuse::{Diffusion, DiffusionStep};
use glam::Vec2;
pub use mac_grid::immersed_bodies::ImmersedBody;
use project::Projection;
use transport::Transport;

/// Number of cells where neither the scene nor the options give one: 2×4 in each cell of a terminal of 80×24.
pub const DEFAULT_CELLS: usize = 15_360;

/// Minimum number of cells of a grid.
pub const MIN_CELLS: usize = 64;
/// Maximum number of cells of a grid.
pub const MAX_CELLS: usize = 1_000_000;

/// Aspect ratio of a cell at which the grid is laid anew.
const MAX_CELL_ASPECT: f32 = 1.25;

/// A fluid on a grid that fills the tank, with its dyes.
#[derive(Clone, Debug)]
pub struct GridFluid {
    /// The definition that it was made from, with the present parameters.
    pub definition: GridFluidDef,
    cells: usize,
    /// The grid.
    pub grid: MacGrid,
    /// m/s, on the cells' left and lower faces.
    velocity: [Vec<f32>; 2],
    /// Fraction of each dye in each cell, 0 to 1.
    dyes: Vec<Vec<f32>>,
    /// Of each dye, what is in cells that moving walls have covered since the last substep, less what is in those uncovered.
    covered: Vec<f64>,
    /// Acceleration at the centres of the cells, m/s².
    acceleration: [Vec<f32>; 2],
    sources: Vec<Shape>,
    projection: Projection,
    diffusion: Diffusion,
    transport: Transport,
    /// The reflected velocity: half of the pressure ahead.
    reflected: [Vec<f32>; 2],
    scratch: [Vec<f32>; 2],
    /// The divergence before and after the last projection.
    pub divergence: Divergence,
    /// None without a temperature and vapour.
    heat: Option<Box<GridHeat>>,
    dt: f32,
    /// Substeps shorter than this, seconds, are put together: a liquid's are made for the sound in it. Beside bodies all are
    /// made.
    pub(super) shortest_substep: f32,
    /// The time that has passed since the last substep.
    waiting: f32,
    /// Number of the dye that the pointer adds, and the seconds since there was a pointer.
    pointer: (usize, f32),
}

impl GridFluid {
    /// Creates the fluid of a definition on about `cells` cells.
    pub fn new(definition: GridFluidDef, cells: usize, walls: &Walls) -> Self {
        let mut smoke = Self::empty(definition, cells, walls);
        for initial in smoke.definition.initial_dye.clone() {
            smoke.add_initial_dye(&initial);
        }
        smoke.refit(walls);
        if smoke.definition.taylor_green_speed != 0.0 {
            smoke.add_taylor_green(walls.size());
        }
        smoke
    }

    /// Taylor & Green 1937: `u = s sin kx cos ky, v = −s cos kx sin ky`, once across the tank.
    fn add_taylor_green(&mut self, size: Vec2) {
        let speed = self.definition.taylor_green_speed;
        self.set_velocity(|at| {
            let angle = at * std::f32::consts::TAU / size;
            let (sin, cos) = (angle.map(f32::sine), angle.map(f32::cosine));
            speed * Vec2::new(sin.x * cos.y, -cos.x * sin.y)
        });
    }

    fn empty(definition: GridFluidDef, cells: usize, walls: &Walls) -> Self {
        let cells = cells.clamp(MIN_CELLS, MAX_CELLS);
        let grid = MacGrid::new(cells, walls.size(), &definition);
        let filled = |value: f32| vec![value; grid.elements()];
        Self {
            cells,
            velocity: definition.wind.map(filled),
            dyes: definition.dye.iter().map(|_| filled(0.0)).collect(),
            covered: vec![0.0; definition.dye.len()],
            acceleration: [filled(0.0), filled(0.0)],
            sources: Vec::new(),
            projection: Projection::new(&grid, definition.solver_tolerance),
            diffusion: Diffusion::new(&grid),
            transport: Transport::new(&grid),
            reflected: [filled(0.0), filled(0.0)],
            scratch: [filled(0.0), filled(0.0)],
            divergence: Divergence::default(),
            heat: None,
            dt: 1.0,
            shortest_substep: 0.0,
            waiting: 0.0,
            pointer: (0, f32::INFINITY),
            definition,
            grid,
        }
    }

    fn add_initial_dye(&mut self, initial: &InitialDye) {
        let shape = initial.region.shape(self.grid.size());
        let dye = self.definition.dye_called(&initial.dye);
        let velocity = Vec2::from(initial.velocity);
        for at in self.grid.cells() {
            let fraction = self.grid.inside(&shape, at);
            if fraction > 0.0 {
                let amount = &mut self.dyes[dye][at];
                *amount = amount.max(fraction * initial.amount);
                self.velocity[0][at] += fraction * velocity.x;
                self.velocity[1][at] += fraction * velocity.y;
            }
        }
    }

    /// Selects the instruction set.
    pub fn use_instructions(&mut self, instructions: Instructions) {
        self.grid.level = instructions.level_or_best();
    }

    /// Sets the velocity everywhere, and removes its divergence.
    pub fn set_velocity(&mut self, velocity: impl Fn(Vec2) -> Vec2) {
        for (at, middle) in self.grid.cells_with_faces() {
            self.velocity[0][at] = velocity(self.grid.at(middle + LEFT)).x;
            self.velocity[1][at] = velocity(self.grid.at(middle + BELOW)).y;
        }
        self.divergence = self.projection.remove_divergence(&mut self.grid, &mut self.velocity);
    }

    /// The contents of the tank stay; with periodic sides, a change of the wind accelerates all of it.
    pub fn set_params(&mut self, definition: &GridFluidDef) {
        let change = Vec2::from(definition.wind) - Vec2::from(self.definition.wind);
        let blown = change != Vec2::ZERO || definition.lid_speed != self.definition.lid_speed;
        copy_parameters(&mut self.definition, definition);
        self.definition.dye.iter_mut().zip(&definition.dye).for_each(|(own, dye)| copy_parameters(own, dye));
        self.projection.tolerance = definition.solver_tolerance;
        if blown {
            self.grid.set_boundary_speeds(&self.definition);
            for (array, (axis, change)) in
                self.velocity.iter_mut().zip([(self.grid.x, change.x), (self.grid.y, change.y)])
            {
                if axis.is_periodic() {
                    array.iter_mut().for_each(|value| *value += change);
                }
            }
            self.projection.project_impulse(&mut self.grid, &mut self.velocity);
        }
    }

    /// Turns the bodies into solids, as they are now.
    pub(super) fn rasterize_bodies(&mut self) {
        let mean = self.heat.as_ref().and_then(|heat| heat.mean_excess(&self.grid));
        self.grid.rasterize_bodies();
        if let (Some(heat), Some(mean)) = (&mut self.heat, mean) {
            heat.restore_mean_excess(&self.grid, mean);
        }
        self.projection.fit(&self.grid);
        self.diffusion.fit();
    }

    /// Lays the grid anew with about `cells` cells, and transfers the contents of the old one.
    pub fn set_resolution(&mut self, cells: usize, walls: &Walls) {
        let mut new = Self::empty(self.definition.clone(), cells, walls);
        new.grid.level = self.grid.level;
        let per = self.grid.size() / walls.size();
        let grid = &new.grid;
        for (at, middle) in grid.cells_with_faces() {
            let read = |array: &[f32], stagger: Vec2| self.read(array, stagger, grid.at(middle + stagger) * per);
            new.velocity[0][at] = read(&self.velocity[0], LEFT);
            new.velocity[1][at] = read(&self.velocity[1], BELOW);
            for (new, old) in new.dyes.iter_mut().zip(&self.dyes) {
                new[at] = read(old, MIDDLE);
            }
        }
        let read = |array: &[f32], at: Vec2| self.read(array, MIDDLE, at * per);
        new.heat = self.heat.as_ref().map(|heat| Box::new(heat.on_grid(grid, read)));
        (new.pointer, new.waiting) = (self.pointer, self.waiting);
        new.shortest_substep = self.shortest_substep;
        *self = new;
        self.refit(walls);
    }

    fn refit(&mut self, walls: &Walls) {
        self.grid.fit(walls);
        self.projection.fit(&self.grid);
        self.diffusion.fit();
        self.sources.clear();
        self.sources.extend(self.definition.source.iter().map(|source| source.region.shape(self.grid.size())));
        for dye in &mut self.dyes {
            self.grid.apply_cell_boundary(dye);
        }
        self.heat.iter_mut().for_each(|heat| heat.fit(&self.grid));
        self.divergence = self.projection.remove_divergence(&mut self.grid, &mut self.velocity);
    }

    /// Gives the fluid a temperature.
    pub fn enable_heat(&mut self, def: HeatDef, heaters: &[HeaterDef]) {
        let heat = self.heat.get_or_insert_with(|| Box::new(GridHeat::new(&self.grid, heaters)));
        heat.enable_temperature(&self.grid, def, &self.definition);
    }

    /// Prepares the air for the vapour of a liquid with these phases, as far as it is not.
    pub(in crate::sim) fn enable_vapor(&mut self, boiling: impl Iterator<Item = (u8, Thermal)>, heaters: &[HeaterDef]) {
        for (phase, thermal) in boiling {
            let heat = self.heat.get_or_insert_with(|| Box::new(GridHeat::new(&self.grid, heaters)));
            heat.enable_vapor(&self.grid, phase, thermal);
        }
    }

    /// Its heat, and what the passes of heat work on, if it has a temperature or carries vapour.
    pub(in crate::sim) fn heated(&mut self) -> Option<HeatedGrid<'_>> {
        Some(HeatedGrid { heat: self.heat.as_deref_mut()?, grid: &self.grid, fluid: &self.definition })
    }

    /// Sets the temperature everywhere, °C, if it has one.
    pub fn set_temperature(&mut self, temperature: impl Fn(Vec2) -> f32) {
        if let Some(heat) = self.heat.as_mut().filter(|heat| heat.has_temperature()) {
            heat.set_temperature(&self.grid, temperature);
        }
    }

    /// Multiplies every dye by `fraction`.
    pub fn dilute(&mut self, fraction: f32) {
        self.dyes.iter_mut().flatten().for_each(|amount| *amount *= fraction);
    }

    fn advect_velocity(&mut self, dt: f32) {
        let bodies = &self.grid.immersed_bodies;
        if bodies.is_empty() || bodies.iter().any(|body| body.held) {
            self.reflected.clone_from(&self.velocity);
            if bodies.is_empty() {
                self.projection.reflect(&self.grid, &mut self.reflected);
            }
            self.advect_reflected(dt);
        } else {
            let Self { grid, velocity, scratch, reflected, projection, .. } = self;
            Flow { grid, velocity, scale: 0.5 * dt / grid.cell_size }.advect(velocity, scratch);
            std::mem::swap(velocity, scratch);
            projection.reflect_with_bodies(grid, velocity, reflected);
            self.advect_reflected(0.5 * dt);
        }
    }

    fn advect_reflected(&mut self, dt: f32) {
        let Self { grid, velocity, reflected, scratch, .. } = self;
        Flow { grid, velocity, scale: dt / grid.cell_size }.advect(reflected, scratch);
        std::mem::swap(velocity, scratch);
        grid.apply_velocity_boundary(velocity);
    }

    fn diffuse_velocity(&mut self, dt: f32) {
        let (rate, Self { grid, velocity, diffusion, .. }) = (self.definition.viscosity, &mut *self);
        for (axis, velocity) in velocity.iter_mut().enumerate().filter(|_| rate > 0.0) {
            diffusion.diffuse(grid, velocity, &DiffusionStep::new(FieldLocation::Faces(axis), rate, dt));
        }
    }

    /// Advects the dyes by the divergence-free flow, and lets them diffuse and fade.
    fn carry_dyes(&mut self, dt: f32) {
        let Self { grid, velocity, dyes, covered, definition, transport, diffusion, .. } = self;
        transport.follow(grid, velocity, dt);
        for ((dye, amount), covered) in definition.dye.iter().zip(dyes).zip(covered) {
            let before = (grid.is_closed() && grid.solids_move()).then(|| grid.sum(amount) + std::mem::take(covered));
            transport.carry(grid, amount);
            if let Some(before) = before {
                keep_total(grid, amount, before);
            }
            if definition.diffusion > 0.0 {
                diffusion.diffuse(grid, amount, &DiffusionStep::new(FieldLocation::Cells, definition.diffusion, dt));
            }
            if dye.decay_rate > 0.0 {
                let left = (-dye.decay_rate * dt).exponential();
                amount.iter_mut().for_each(|amount| *amount *= left);
            }
            grid.apply_cell_boundary(amount);
        }
    }

    /// Distance within which walls act on it, metres.
    pub fn wall_reach(&self) -> f32 {
        2.0 * self.grid.cell_size.max_element()
    }

    /// One substep: Stam 1999, section 2.2, fig. 1.
    pub fn step(&mut self, env: &StepContext, observer: &mut dyn StepObserver) {
        self.waiting += env.dt;
        // The tolerance is for the rounding of the sum.
        if self.waiting < 0.999 * self.shortest_substep && self.grid.immersed_bodies.is_empty() {
            return;
        }
        let env = &StepContext { dt: std::mem::take(&mut self.waiting), ..*env };
        self.dt = env.dt;
        self.projection.impulse.fill(0.0);
        self.poke(env);
        self.advect_velocity(env.dt);
        observer.pass_finished(Pass::Advect);
        self.add_dye(env);
        if let Some(heat) = &mut self.heat {
            heat.add(&self.grid, &self.definition, &self.sources, env);
        }
        self.add_forces(env);
        self.projection.predict(&mut self.grid, &mut self.velocity);
        self.diffuse_velocity(env.dt);
        observer.pass_finished(Pass::Forces);
        self.divergence = self.projection.project(&mut self.grid, &mut self.velocity);
        if !self.grid.immersed_bodies.is_empty() {
            self.projection.reset_pressure();
        }
        observer.pass_finished(Pass::Project);
        self.carry_dyes(env.dt);
        if let Some(heat) = &mut self.heat {
            heat.carry(&self.grid, &self.definition, &mut self.transport, &mut self.diffusion, env.dt);
            heat.carry_vapor(&self.grid, &mut self.transport, env.dt);
        }
        observer.pass_finished(Pass::Dye);
    }

    /// The fluid is stretched with the tank, which keeps its area. A wall drawn into it pushes it aside.
    pub fn fit(&mut self, walls: &Walls) {
        let keeps = walls.obstacles_move() && self.grid.is_closed();
        let mean = self.heat.as_ref().filter(|_| keeps).and_then(|heat| heat.mean_excess(&self.grid));
        let count = |smoke: &mut Self, sign: f64| {
            for (covered, dye) in smoke.covered.iter_mut().zip(&smoke.dyes).filter(|_| keeps) {
                *covered += sign * smoke.grid.sum(dye);
            }
        };
        count(self, 1.0);
        self.grid.fit(walls);
        let crooked = self.grid.cell_size.x / self.grid.cell_size.y;
        if !(1.0 / MAX_CELL_ASPECT..=MAX_CELL_ASPECT).contains(&crooked) {
            self.set_resolution(self.cells, walls);
        } else {
            self.refit(walls);
            count(self, -1.0);
            if let (Some(heat), Some(mean)) = (&mut self.heat, mean) {
                heat.restore_mean_excess(&self.grid, mean);
            }
        }
    }

    /// Changes to about `cells` cells, unless the scene prescribes a number.
    pub fn set_cells(&mut self, cells: usize, walls: &Walls) {
        if self.definition.cells.is_none() {
            self.set_resolution(cells, walls);
        }
    }

    /// Whether it is slower than `speed` (m/s) everywhere, nothing drives it, and no dye is changing.
    pub fn is_slower_than(&self, speed: f32) -> bool {
        let driven = !self.definition.source.is_empty()
            || self.definition.lid_speed != 0.0
            || self.definition.wind != [0.0, 0.0];
        let spreads = |dye: &Dye| self.definition.diffusion > 0.0 || dye.decay_rate > 0.0;
        let mut dyes = self.definition.dye.iter().zip(&self.dyes);
        let changing =
            |(dye, amount): (&Dye, &Vec<f32>)| spreads(dye) && amount.iter().any(|&fraction| fraction > TRACE);
        let changing_heat = self.heat.as_ref().is_some_and(|heat| heat.is_changing());
        !driven && !changing_heat && self.max_speed() < speed && !dyes.any(changing)
    }

    /// Sets all velocities to zero.
    pub fn zero_velocities(&mut self) {
        self.velocity.iter_mut().for_each(|velocity| velocity.fill(0.0));
    }

    /// Largest speed, m/s.
    pub fn max_speed(&self) -> f32 {
        self.velocities().map(Vec2::length_squared).fold(0.0, f32::max).sqrt()
    }

    /// Its number of cells, as text for users.
    pub fn describe(&self) -> Vec<(&'static str, String)> {
        vec![("cells", (self.grid.nx * self.grid.ny).to_string())]
    }
}

const TRACE: f32 = 1e-4;

fn middle_velocity(grid: &MacGrid, [u, v]: &[Vec<f32>; 2], at: usize) -> Vec2 {
    0.5 * Vec2::new(u[at] + u[at + 1], v[at] + v[at + grid.stride])
}

/// Moving bodies and obstacles cover cells and uncover others, so the total of a dye is scaled back to the earlier one.
fn keep_total(grid: &MacGrid, amount: &mut [f32], before: f64) {
    let after = grid.sum(amount);
    if after > 0.0 {
        let fraction = (before / after).clamp(0.9, 1.1) as f32;
        amount.iter_mut().for_each(|amount| *amount *= fraction);
    }
}
