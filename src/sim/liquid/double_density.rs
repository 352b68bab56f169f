//! Double-density relaxation: the liquid.
//!
//! S. Clavet, P. Beaudoin, P. Poulin, "Particle-based Viscoelastic Fluid Simulation", Symposium on Computer Animation
//! 2005. Sections and equations below are the paper's.
//!
//! One departure: the paper relaxes pairs one after the other, each seeing what the last one moved. Here all densities
//! are computed first and all displacements are applied at once (Jacobi instead of Gauss–Seidel). It is the same
//! fluid; it settles a thousand times calmer, has no bias from the order of particles, and every pass is a loop over
//! flat arrays. It bears a quarter of the stiffness per step, which costs no more: a step takes half the time. The
//! sequential form is kept in the tests as the oracle.

mod boundary;
mod insertion;
mod multiphase;
pub mod pair_kernels;
mod queries;
mod sleep;
mod spring_passes;
mod thermostat;
pub mod viscosity;

use crate::sim::StepContext;
use crate::sim::boundary::Walls;
use crate::sim::boundary::halfplane::HalfPlane;
use crate::sim::clock::STEP;
use crate::sim::liquid::body_contacts::BodyContacts;
use crate::sim::liquid::fluid::Fluid;
use crate::sim::liquid::phases::Phases;
use crate::sim::liquid::rest_state::RestState;
use crate::sim::liquid::springs::{Elastic, Springs};
use crate::sim::liquid::targets::TargetPositions;
use crate::sim::neighbors::Grid;
use crate::sim::neighbors::pairs::{upper_row_buffers, zero};
use crate::sim::neighbors::row_chunks::{parallel_for, parallel_for_coarse};
use crate::sim::neighbors::separate::{LOOK_FOR_COINCIDENT, part_coincident};
use crate::sim::neighbors::sleep_map::{ActiveRows, SleepMap, Zone};
use crate::sim::observer::{Pass, StepObserver};
use crate::sim::parallel::instructions::Instructions;
use crate::sim::particles::ParticleColor;
use crate::sim::particles::{Particles, resize_buffer};
use boundary::BoundaryContact;
use fearless_simd::Level;
use glam::Vec2;
use pair_kernels::{Mixed, PairParams};
use thermostat::Thermostat;
use viscosity::Viscosity;

/// The farthest that a particle may move in one substep by its velocity, and again by its displacement, in h. A guard,
/// not met in ordinary flow: with it, a particle farther than h from a wall before a move cannot have crossed it.
const MAX_MOVE: f32 = 0.4;

/// A body of liquid.
#[derive(Clone, Debug)]
pub struct DoubleDensityLiquid {
    fluid: Fluid,
    h: f32,
    /// The instruction set that the pair passes use.
    level: Level,
    /// Since the beginning.
    substeps: u32,
    particles: Particles,
    targets: TargetPositions,
    /// By id.
    tints: Vec<ParticleColor>,
    /// Ids of removed particles, to be reused.
    free_ids: Vec<u32>,
    springs: Springs,
    /// Of which fluids it is, if of several.
    mixture: Phases,
    grid: Grid,
    sleep_map: SleepMap,
    half_plane: HalfPlane,
    rest: RestState,
    /// m/s: see [`RestState::max_frequency`].
    max_frequency: f32,
    thermostat: Thermostat,
    viscosity: Viscosity,
    density: Vec<f32>,
    near_density: Vec<f32>,
    /// As displacements: see [`Self::compute_pressure`].
    pressure: Vec<f32>,
    near_pressure: Vec<f32>,
    /// Displacements, metres.
    dx: Vec<f32>,
    dy: Vec<f32>,
    /// What a pass over pairs gives to the row above each, apart from what it gives within rows: so the rows may be
    /// divided among threads, and the sums do not depend on how.
    above: [Vec<f32>; 2],
    /// Neighbour ranges recorded by the density pass.
    found: Vec<u32>,
    /// The grid's patches that are within reach of a wall: only particles in these are tested.
    boundary_blocks: Vec<u32>,
    /// Particles within reach of walls, as the density pass found them in each chunk.
    touching: Vec<Vec<BoundaryContact>>,
    /// Bodies, and the particles within reach of them.
    body_contacts: BodyContacts,
}

impl DoubleDensityLiquid {
    /// An empty liquid of interaction radius `h` metres.
    pub fn new(fluid: Fluid, h: f32) -> Self {
        let rest = RestState::of(&fluid);
        Self {
            max_frequency: rest.max_frequency(&fluid),
            rest,
            half_plane: HalfPlane::new(),
            thermostat: Thermostat::default(),
            viscosity: Viscosity::default(),
            fluid,
            h,
            level: Level::new(),
            substeps: 0,
            particles: Particles::default(),
            targets: TargetPositions::default(),
            tints: Vec::new(),
            free_ids: Vec::new(),
            springs: Springs::default(),
            mixture: Phases::of(fluid),
            grid: Grid::default(),
            sleep_map: SleepMap::default(),
            density: Vec::new(),
            near_density: Vec::new(),
            pressure: Vec::new(),
            near_pressure: Vec::new(),
            dx: Vec::new(),
            dy: Vec::new(),
            above: Default::default(),
            found: Vec::new(),
            boundary_blocks: Vec::new(),
            touching: Vec::new(),
            body_contacts: BodyContacts::default(),
        }
    }

    /// The substeps a fixed step of `step` seconds must be divided into for this liquid to be stable.
    pub fn least_substeps(&self, step: f32) -> u32 {
        (self.required_substeps(step).ceil() as u32).max(1)
    }

    /// As [`Self::least_substeps`], if there were fractions of a substep.
    pub fn required_substeps(&self, step: f32) -> f32 {
        let phase = thermostat::max_phase(self.fluid.thermal_speed);
        let pressed = step / self.h * self.max_frequency / phase * self.mixture.substep_factor();
        self.mixture.elastic().iter().map(|elastic| step / elastic.longest_step(self.h)).fold(pressed, f32::max)
    }

    /// Changes the parameters while the liquid flows. Its interaction radius stays.
    pub fn set_fluid(&mut self, fluid: Fluid) {
        self.rest = RestState::of(&fluid);
        self.max_frequency = self.rest.max_frequency(&fluid);
        self.fluid = fluid;
        self.mixture.set_first(fluid);
        self.wake();
    }

    /// Uses these instructions from now on, or the best there are if this machine does not have them.
    pub fn use_instructions(&mut self, instructions: Instructions) {
        self.level = instructions.level().unwrap_or_else(Level::new);
    }

    /// Divides the passes among so many threads from the next step on; the caller must step inside a pool of as many.
    pub fn divide(&mut self, threads: usize) {
        self.grid.set_threads(threads);
    }

    /// Fits the liquid to walls that have moved, or to what has been added: sorts it in and computes its densities.
    pub fn fit(&mut self, walls: &Walls) {
        self.grid.resize(walls.size(), self.h);
        self.thermostat.forget_streams();
        self.grid.sort(self.level, &mut self.particles);
        self.sleep_map.resize(self.grid.rows(), self.grid.blocks_per_row());
        self.find_boundary_blocks(walls);
        self.compute_density(walls, Zone::All);
    }

    /// One substep: the paper's Algorithm 1. Its viscosity impulses, which come before the advance, are part of
    /// [`pair_kernels::relax`]; why, and why that is the same, is said there.
    pub fn step(&mut self, env: &StepContext, observer: &mut impl StepObserver) {
        self.advance(env);
        observer.pass_finished(Pass::Advance);
        if !self.springs.is_empty() {
            self.pull_springs(env.dt);
            observer.pass_finished(Pass::Springs);
        }
        self.grid.sort(self.level, &mut self.particles);
        self.part_coincident();
        observer.pass_finished(Pass::Sort);
        if self.mixture.elastic().iter().any(Elastic::makes_springs) && self.springs.is_due(env.dt) {
            self.add_springs();
            observer.pass_finished(Pass::Springs);
        }
        self.compute_density(env.walls, if env.shown { Zone::All } else { Zone::DensityHalo });
        observer.pass_finished(Pass::Density);
        if !self.mixture.is_plain() {
            self.mixture.arrange(&self.particles, self.viscosity_scales(env.dt));
        }
        self.note_places();
        self.relax(env);
        self.apply_viscosity(env);
        observer.pass_finished(Pass::Relax);
        self.resolve_walls(env);
        observer.pass_finished(Pass::Walls);
        if env.shown {
            // Once a step, however many substeps that has.
            let thermal_speed = self.fluid.thermal_speed;
            self.thermostat.regulate(thermal_speed, &self.grid, &self.sleep_map, &self.particles, STEP);
            // Without weight nothing presses on the panes, and what is on its way to a target is led there.
            if env.gravity != Vec2::ZERO && self.targets.held() == 0 {
                self.thermostat.brake(&self.fluid, &self.grid, &self.sleep_map, &mut self.particles, STEP);
            }
        }
        if self.mixture.is_due(env.dt) {
            // In the order of this substep's sort; no particle has moved far since.
            self.mixture.exchange_colors((self.level, &self.grid), &self.particles, self.h, self.rest.crowd);
            observer.pass_finished(Pass::Diffuse);
        }
    }

    /// Gravity, which sleeping particles do not feel, target positions and pointer forces; then every particle moves by its velocity.
    /// The speed limit is a guard: see [`MAX_MOVE`].
    fn advance(&mut self, env: &StepContext) {
        let (kick, limit) = (env.gravity * env.dt, MAX_MOVE * self.h / env.dt);
        let (grid, sleep_map, targets, h) = (&self.grid, &self.sleep_map, &self.targets, self.h);
        let (p, id) = self.particles.slice_mut();
        parallel_for_coarse(grid.chunks(), p, &|chunk, mut p| {
            // What has been added lies behind all rows.
            let added = chunk.slots.end..p.slots().end;
            for slots in sleep_map.active_slots(grid, chunk).chain([added]) {
                let own = slots.start - chunk.slots.start..slots.end - chunk.slots.start;
                p.vx[own.clone()].iter_mut().for_each(|vx| *vx += kick.x);
                p.vy[own].iter_mut().for_each(|vy| *vy += kick.y);
                targets.pull(&mut p, id, slots, (kick, h), env);
            }
            for force in env.pointer_forces {
                force.apply_to_particles(&mut p, env.dt);
            }
            p.drift(limit, env.dt);
        });
    }

    /// Coincident particles are rare, and until they are looked for they do each other nothing: looking in every
    /// substep cost 2 ns a particle.
    fn part_coincident(&mut self) {
        self.substeps = self.substeps.wrapping_add(1);
        if self.substeps.is_multiple_of(LOOK_FOR_COINCIDENT) {
            part_coincident(&mut self.particles, &self.grid, self.h);
        }
    }

    /// Section 4.1, eqs. 1 and 5: density `Σ (1 − r/h)²` and near-density `Σ (1 − r/h)³`.
    fn compute_density(&mut self, walls: &Walls, zone: Zone) {
        let (level, grid, sleep_map, p, h) = (self.level, &self.grid, &self.sleep_map, &self.particles, self.h);
        let chunks = grid.chunks();
        let sums = [&mut self.density, &mut self.near_density].map(|sums| resize_buffer(sums, p.slots()));
        let above = upper_row_buffers(&mut self.above, p.slots(), chunks);
        parallel_for(
            chunks,
            (sums, above, resize_buffer(&mut self.found, p.slots())),
            &|chunk, (sums, above, found)| {
                let rows = ActiveRows { sleep_map, zone, rows: chunk.rows.clone() };
                pair_kernels::density(level, grid, p, h, &rows, found, zero(chunk, sums, above));
            },
        );
        self.add_boundary_density(walls);
    }

    /// Section 4, eqs. 3 to 6, and section 5.3, Algorithm 5: each pair of neighbours is pushed apart by the displacement
    /// `dt² (P (1 − q) + P_near (1 − q)²) r̂`, and where they approach each other braked by the viscosity impulse
    /// `I = dt (1 − q)(σ u + β u²) r̂`; half to each.
    ///
    /// Displacements are added up apart from the positions: an increment below a position's last bit would vanish
    /// for one partner only, and momentum with it.
    fn relax(&mut self, env: &StepContext) {
        let dt = env.dt;
        self.compute_pressure(dt);
        if !self.mixture.is_plain() {
            self.weigh_in();
        }
        let (level, grid, sleep_map, p) = (self.level, &self.grid, &self.sleep_map, &self.particles);
        let [sigma, beta] = self.viscosity_scales(dt);
        let exchange = PairParams {
            pressures: [&self.pressure, &self.near_pressure],
            viscosity: [sigma * self.fluid.sigma, beta * self.fluid.beta],
            dt,
            h: self.h,
            found: &self.found,
        };
        let Phases { kind, mass, sigma, beta, .. } = &self.mixture;
        let mixed = (!self.mixture.is_plain()).then(|| Mixed {
            brought: [sigma, beta, mass, kind],
            interfacial_repulsion: 0.5 * dt * dt / (self.h * self.h) * self.mixture.interfacial_repulsion(),
        });
        let chunks = grid.chunks();
        let sums = [&mut self.dx, &mut self.dy].map(|sums| resize_buffer(sums, p.slots()));
        let above = upper_row_buffers(&mut self.above, p.slots(), chunks);
        parallel_for(chunks, (sums, above), &|chunk, (sums, above)| {
            let rows = ActiveRows { sleep_map, zone: Zone::ForceHalo, rows: chunk.rows.clone() };
            match mixed {
                None => pair_kernels::relax(level, grid, p, &exchange, &rows, zero(chunk, sums, above)),
                Some(mixed) => {
                    pair_kernels::relax_mixed(level, grid, p, (&exchange, &mixed), &rows, zero(chunk, sums, above))
                }
            }
        });
        self.add_boundary_pressure(dt, env.gravity);
        self.divide_by_mass();
        let forward = self.thermostat.forward(self.fluid.thermal_speed);
        // Those on their way home do not fall.
        let fall = if self.targets.held() > 0 { Vec2::ZERO } else { env.gravity * dt * dt };
        self.move_by_displacement(dt, forward, fall);
    }

    /// Eqs. 4 and 5 as in [`Fluid::pressures`]: `P = k (ρ − ρ₀)` and `P_near = k_near max(ρ_near − ν₀, 0)`, halved, because a pair shares each displacement, times
    /// dt²/h, k being given times h, and over h and h² for the kernel of [`pair_kernels::relax`].
    fn compute_pressure(&mut self, dt: f32) {
        let Fluid { stiffness, near_stiffness, rest_density, near_rest_density, .. } = self.fluid;
        let scale = 0.5 * dt * dt / (self.h * self.h);
        let (k, k_near) = (scale * stiffness, scale / self.h * near_stiffness);
        let (density, near_density) = (&self.density, &self.near_density);
        let pressures = [&mut self.pressure, &mut self.near_pressure].map(|array| resize_buffer(array, density.len()));
        parallel_for_coarse(self.grid.chunks(), pressures, &|chunk, [pressure, near_pressure]| {
            for (pressure, density) in pressure.iter_mut().zip(&density[chunk.slots.clone()]) {
                *pressure = k * (density - rest_density);
            }
            for (near_pressure, near_density) in near_pressure.iter_mut().zip(&near_density[chunk.slots.clone()]) {
                *near_pressure = k_near * (near_density - near_rest_density).max(0.0);
            }
        });
        if self.fluid.tension_scale < 1.0 {
            self.ease_tension(k * (self.rest.density - rest_density));
        }
    }

    /// Takes away what `tension_scale` does not leave of the tension: of that part of a pull P that is more than the one that
    /// holds the near-pressure's push in balance where the liquid is at rest.
    ///
    /// The tension is what makes a surface contract, and grows with the stiffness, as if one could not have water that
    /// is hard to compress without its being sticky. P stays a function of the density alone, so there is an energy that
    /// is kept; a pull limited by the near-pressure made the liquid boil.
    fn ease_tension(&mut self, at_rest: f32) {
        let eased = 1.0 - self.fluid.tension_scale;
        parallel_for(self.grid.chunks(), &mut self.pressure[..], &|_, pressure: &mut [f32]| {
            pressure.iter_mut().for_each(|pressure| *pressure += eased * (at_rest - *pressure).max(0.0));
        });
    }

    /// What σ and β are times in [`pair_kernels::relax`]: half of dt², over h for its kernel, and over the h² and the h that they
    /// are given times.
    fn viscosity_scales(&self, dt: f32) -> [f32; 2] {
        let scale = 0.5 * dt * dt / (self.h * self.h);
        [scale / self.h, scale]
    }

    /// Applies the accumulated displacement Δ: `v += Δ/dt`, and `x += f Δ`, f being 1 in the paper (see [`thermostat`]).
    /// The way `g dt²` that a particle has fallen in this substep counts with Δ: so one at rest has no speed, whatever f.
    /// The paper derives the velocity from the positions before and after, `(x − x_prev)/dt`; kept apart it loses nothing to
    /// the rounding of positions.
    fn move_by_displacement(&mut self, dt: f32, forward: f32, fall: Vec2) {
        let per_dt = 1.0 / dt;
        let most = MAX_MOVE * self.h;
        let (dx, dy) = (&self.dx, &self.dy);
        let (grid, sleep_map) = (&self.grid, &self.sleep_map);
        parallel_for_coarse(grid.chunks(), self.particles.slice_mut().0, &|chunk, p| {
            for slots in sleep_map.active_slots(grid, chunk) {
                let own = slots.start - chunk.slots.start..slots.end - chunk.slots.start;
                displace(
                    &mut p.x[own.clone()],
                    &mut p.vx[own.clone()],
                    &dx[slots.clone()],
                    most,
                    per_dt,
                    (forward, fall.x),
                );
                displace(&mut p.y[own.clone()], &mut p.vy[own], &dy[slots], most, per_dt, (forward, fall.y));
            }
        });
    }
}

/// Moves by displacements along one axis, and changes the velocity accordingly.
fn displace(at: &mut [f32], v: &mut [f32], moved: &[f32], most: f32, per_dt: f32, (forward, fall): (f32, f32)) {
    for ((at, v), moved) in at.iter_mut().zip(v).zip(moved) {
        let moved = moved.clamp(-most, most);
        *at += forward * moved - (1.0 - forward) * fall;
        *v += moved * per_dt;
    }
}
