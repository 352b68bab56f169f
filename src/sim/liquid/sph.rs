//! Smoothed particle hydrodynamics: a liquid that is nearly incompressible, with a surface that draws together.
//!
//! M. Müller, D. Charypar, M. Gross, "Particle-Based Fluid Simulation for Interactive Applications", Symposium on
//! Computer Animation 2003; pressure by Tait's equation, as J. Monaghan, "Simulating Free Surface Flows with SPH",
//! Journal of Computational Physics 1994, has it. Equations below are Müller's.
//!
//! | term | the paper | here |
//! |---|---|---|
//! | kernels | normalised in space | normalised in the plane (`sph/kernels.rs` has the figures) |
//! | pressure | `k (ρ − ρ₀)` | Tait, `k ((ρ/ρ₀)⁷ − 1)`, never negative |
//! | viscosity | along the difference of velocities: stops a drop from spinning | its share along the line between the two, four times: in the plane that is ∇²v too, and keeps angular momentum |
//! | tension | `−σ ∇²c n/\|n\|`, which pushes the whole drop about | along n alike, but as the force of an energy: what particles lack of the colour, `K Σ (1 − c)`, as M. Becker and M. Teschner (2007) have it: keeps both momenta |
//! | walls | reflect, damped | the same; and the half-plane of liquid that they cut off is felt, or a twelfth of the tank would lie on them |
//! | time | leap-frog, 10 ms | leap-frog, in substeps as short as sound, viscosity and capillary waves ask for |
//!
//! What falls short: cold particles under a strong tension set in a hexagonal lattice, which bears shear. A square drop
//! becomes round to a few per cent, but it swings as a solid under tension, `ω² = (6 σ/R + 8 G) / (ρ R²)`: on the lattice of
//! 21 neighbours G is 0.12 K, a drop of R = 5 h was to swing in 0.91 s by that, did in 1.00 s, and has 3.1 s by Lamb. K grows
//! as 1/h, so it is the worse the finer it is. G changes its sign with the number of neighbours (at 27, 39 and 47) and is
//! small for smoother kernels, but a drop then passes from one lattice to another, in jerks. What helps is heat: where
//! nothing is viscous, particles that jitter by 0.2 m/s and more (G would melt at about `v² = 0.1 G/ρ`) are a liquid, whose
//! drops have Lamb's period within 5 % with the σ that Laplace's law gives (the scene `quiver`).
//!
//! Under pressure it is plastic. A shear is resisted by 0.3 to 0.6 % of the pressure on top of what viscosity does: particles
//! that are pressed together pass each other in jerks, and viscosity takes the jerks away. In a full round tank that turns
//! at 0.3 m/s (shear of 2/s), 0.002 m²/s acts as 0.0024 without pressure, 0.005 under 1.2 m²/s² and 0.01 to 0.02 under 4 to
//! 8; with 1,500 and with 6,000 particles alike, so that it does not converge. Neither Wendland's kernel for density and
//! pressure (0.3 % as well; 0.17 % with 30 neighbours) nor 30 to 45 neighbours of this one (0.33 to 0.16 %), nor the number
//! at which the lattice's modulus of shear vanishes (22.4) mend that. Without pressure viscosity is what it says, within 8 %
//! from 0.002 to 0.02 m²/s with 400 to 2,400 particles.
//!
//! Tried and dropped: the energy `σ ∫ |∇c|`, which is nearest to the paper (threads of particles have none of it, so that
//! drops dissolve into threads), and to let only those above the threshold attract (the inside of a drop is then a powder
//! without any pressure, and sets where it is).

mod boundary;
pub mod kernels;
mod material;
mod pair_kernels;
mod queries;
mod rest_lattice;
mod settle;
mod surface;

pub use material::{EffectiveMaterial, SphMaterial};
pub use rest_lattice::rest;
pub use settle::Start;

use crate::sim::StepContext;
use crate::sim::boundary::Walls;
use crate::sim::liquid::body_contacts::ParticleLiquidMut;
use crate::sim::liquid::body_contacts::{BodyContacts, ImpulseTiming, LiquidCoupling};
use crate::sim::liquid::rest_state::RestState;
use crate::sim::neighbors::Grid;
use crate::sim::neighbors::pairs::{Sums, add, upper_row_buffers, zero};
use crate::sim::neighbors::row_chunks::{RowChunk, Split, parallel_for};
use crate::sim::neighbors::separate::{LOOK_FOR_COINCIDENT, part_coincident};
use crate::sim::neighbors::sleep_map::{ActiveRows, SleepMap, Zone};
use crate::sim::observer::{Pass, StepObserver};
use crate::sim::parallel::instructions::Instructions;
use crate::sim::particles::{Particles, resize_buffer};
use boundary::{BoundaryContact, INSET};
use fearless_simd::Level;
use glam::Vec2;
use kernels::Cuts;
use pair_kernels::PairParams;
use rest_lattice::Lattice;

/// The farthest that a particle may move in one substep, in h. A guard, not met where the substeps have been counted.
const MAX_MOVE: f32 = 0.4;

/// One of the three forces between particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Force {
    Pressure,
    Viscosity,
    Tension,
}

impl Force {
    pub const ALL: [Force; 3] = [Self::Pressure, Self::Viscosity, Self::Tension];
}

/// A body of liquid.
#[derive(Clone, Debug)]
pub struct Sph {
    substance: SphMaterial,
    h: f32,
    rest: RestState,
    /// The instruction set that the pair passes use.
    level: Level,
    /// Since the beginning.
    substeps: u32,
    /// g × depth at the most, m²/s²: what the stiffness has to bear.
    weight: f32,
    particles: Particles,
    grid: Grid,
    /// All of its blocks are awake, always.
    sleep_map: SleepMap,
    cuts: Cuts,
    lattice: Lattice,
    /// ρ/ρ₀, its growth in this substep, and its inverse.
    density: Vec<f32>,
    growth: Vec<f32>,
    inv_density: Vec<f32>,
    /// ρ/ρ₀ in the substep before, by id; zero for one that was not there.
    density_before: Vec<f32>,
    /// p/ρ₀ over the square of ρ/ρ₀, m²/s².
    pressure: Vec<f32>,
    /// Pressure over ρ₀ by the virial, where the output is wanted, m²/s².
    virial: Vec<f32>,
    /// The colour field, and how much of the surface a particle is by it, 0 to 1.
    colour: Vec<f32>,
    surface: Vec<f32>,
    /// m/s², without gravity: of all forces, and the magnitude of each, where the output is wanted.
    acceleration: [Vec<f32>; 2],
    felt: [Vec<f32>; 3],
    /// Room for sums over pairs, and for what rows give to those above.
    sums: [Vec<f32>; 2],
    above: [Vec<f32>; 2],
    found: Vec<u32>,
    /// The grid's patches that are within reach of a wall.
    boundary_blocks: Vec<u32>,
    /// Particles within reach of walls, of each chunk.
    touching: Vec<Vec<BoundaryContact>>,
    /// Bodies, and the particles within reach of them.
    body_contacts: BodyContacts,
}

impl Sph {
    /// An empty liquid of interaction radius `h` metres.
    pub fn new(substance: SphMaterial, h: f32) -> Self {
        Self {
            rest: rest(&substance),
            substance,
            h,
            level: Level::new(),
            substeps: 0,
            weight: 0.0,
            particles: Particles::default(),
            grid: Grid::default(),
            sleep_map: SleepMap::default(),
            cuts: Cuts::new(substance.density),
            lattice: Lattice::at_rest(&substance),
            density: Vec::new(),
            growth: Vec::new(),
            inv_density: Vec::new(),
            density_before: Vec::new(),
            pressure: Vec::new(),
            virial: Vec::new(),
            colour: Vec::new(),
            surface: Vec::new(),
            acceleration: Default::default(),
            felt: Default::default(),
            sums: Default::default(),
            above: Default::default(),
            found: Vec::new(),
            boundary_blocks: Vec::new(),
            touching: Vec::new(),
            body_contacts: BodyContacts::default(),
        }
    }

    /// An empty liquid of the same sort, of interaction radius `h` metres.
    pub(in crate::sim) fn empty_copy(&self, h: f32) -> Self {
        Self { level: self.level, ..Self::new(self.substance, h) }
    }

    /// Takes on other numbers while it flows. How many neighbours a particle has, and by which kernel its density is
    /// found, stay as they are.
    pub fn set_params(&mut self, substance: SphMaterial) {
        let SphMaterial { neighbours, density, .. } = self.substance;
        self.substance = SphMaterial { neighbours, density, ..substance };
    }

    /// For adding and removing particles and setting velocities; they take part from the next step on.
    pub(in crate::sim) fn particles_mut(&mut self) -> &mut Particles {
        &mut self.particles
    }

    /// The liquid as bodies in it see it.
    pub(in crate::sim) fn coupling(&mut self) -> LiquidCoupling<'_> {
        let (area, spacing, h) = (self.particle_area(), self.spacing(), self.h);
        let Self { body_contacts, particles, .. } = self;
        let grains = ParticleLiquidMut { particles, mixture: None, h, spacing, area };
        LiquidCoupling {
            body_contacts,
            grains,
            impulse_timing: ImpulseTiming::HalfSteps,
            boundary_offset: INSET,
            viscous: &[],
        }
    }

    /// Uses these instructions from now on, or the best there are if this machine does not have them.
    pub fn use_instructions(&mut self, instructions: Instructions) {
        self.level = instructions.level().unwrap_or_else(Level::new);
    }

    /// Divides the passes among so many threads from the next step on; the caller must step inside a pool of as many.
    pub fn divide(&mut self, threads: usize) {
        self.grid.set_threads(threads);
    }

    /// The substeps a fixed step of `step` seconds must be divided into under `gravity` (m/s²) in a tank of `size`
    /// metres, as the liquid moves now, if there were fractions of a substep.
    pub fn required_substeps(&self, step: f32, gravity: f32, size: Vec2) -> f32 {
        let acting = EffectiveMaterial::of(&self.substance, gravity * size.max_element() + self.cohesion());
        acting.substeps(step, self.h, self.particles.max_speed())
    }

    /// Fits the liquid to walls that have moved, or to what has been added: sorts it in and computes its densities.
    pub fn fit(&mut self, walls: &Walls) {
        self.grid.resize(walls.size(), self.h);
        self.grid.sort(self.level, &mut self.particles);
        self.sleep_map.resize(self.grid.rows(), self.grid.blocks_per_row());
        self.find_boundary_blocks(walls);
        self.compute_density(walls);
        let still = EffectiveMaterial::of(&self.substance, self.weight + self.cohesion());
        self.compute_pressure(&still, 0.0);
        self.find_virial();
        self.find_surface();
        // Order has changed; what acted on the old slots is void.
        let slots = self.particles.slots();
        self.acceleration.iter_mut().chain(&mut self.felt).for_each(|array| resize_buffer(array, slots).fill(0.0));
    }

    /// One substep by leap-frog: half a kick, a drift, forces where the particles are then, and the other half.
    pub fn step(&mut self, env: &StepContext, observer: &mut impl StepObserver) {
        self.weight = env.gravity.length() * env.walls.size().max_element();
        let acting = EffectiveMaterial::of(&self.substance, self.weight + self.cohesion()).within(env.dt, self.h);
        self.kick(env.gravity, 0.5 * env.dt);
        self.apply_pokes(env);
        observer.pass_finished(Pass::Forces);
        self.drift(env.dt);
        self.resolve_walls(env);
        observer.pass_finished(Pass::Advance);
        self.grid.sort(self.level, &mut self.particles);
        self.part_coincident();
        observer.pass_finished(Pass::Sort);
        self.compute_density(env.walls);
        self.compute_pressure(&acting, self.substance.bulk_viscosity * acting.sound() * self.h / env.dt);
        self.find_surface();
        observer.pass_finished(Pass::Density);
        self.compute_forces(&acting, env.shown);
        observer.pass_finished(Pass::Relax);
        self.kick(env.gravity, 0.5 * env.dt);
        self.apply_wall_friction(env, acting.sound());
        observer.pass_finished(Pass::Walls);
    }

    /// Changes velocities by what acts for `dt` seconds.
    fn kick(&mut self, gravity: Vec2, dt: f32) {
        let [ax, ay] = &self.acceleration;
        parallel_for(self.grid.chunks(), self.particles.slice_mut().0, &|chunk, p| {
            let own = chunk.slots.start..chunk.slots.end.min(ax.len());
            accelerate(p.vx, &ax[own.clone()], gravity.x, dt);
            accelerate(p.vy, &ay[own], gravity.y, dt);
        });
    }

    fn apply_pokes(&mut self, env: &StepContext) {
        if env.pointer_forces.is_empty() {
            return;
        }
        parallel_for(self.grid.chunks(), self.particles.slice_mut().0, &|_, mut p| {
            env.pointer_forces.iter().for_each(|force| force.apply_to_particles(&mut p, env.dt));
        });
    }

    /// Moves every particle by its velocity. The speed limit is a guard: see [`MAX_MOVE`].
    fn drift(&mut self, dt: f32) {
        let limit = MAX_MOVE * self.h / dt;
        parallel_for(self.grid.chunks(), self.particles.slice_mut().0, &|_, mut p| p.drift(limit, dt));
    }

    fn part_coincident(&mut self) {
        self.substeps = self.substeps.wrapping_add(1);
        if self.substeps.is_multiple_of(LOOK_FOR_COINCIDENT) {
            part_coincident(&mut self.particles, &self.grid, self.h);
        }
    }

    /// Eq. 3: density `Σ m W`, over ρ₀, and the colour field. A particle counts itself, and the liquid that walls have cut
    /// off.
    fn compute_density(&mut self, walls: &Walls) {
        let Self { level, grid, sleep_map, particles: p, h, found, density, colour, above, .. } = self;
        let (level, h, slots, kernel) = (*level, *h, p.slots(), self.substance.density);
        sum_pairs(grid, [density, colour], above, slots, resize_buffer(found, slots), |chunk, sums, found| {
            pair_kernels::density(level, kernel, grid, p, h, &all_rows(sleep_map, chunk), found, sums);
        });
        self.add_boundary_density(walls);
    }

    /// Tait's equation, and what the bulk viscosity adds: `damping` (m²/s²) times the share by which the density has grown in
    /// this substep, `−ζ ∇·v`. As it acts as a pressure does it keeps both momenta. Negative pressure is none.
    fn compute_pressure(&mut self, acting: &EffectiveMaterial, damping: f32) {
        self.find_growth();
        let (density, growth, scale) = (&self.density, &self.growth, self.lattice.response.powi(-2));
        let arrays = [&mut self.pressure, &mut self.inv_density].map(|array| resize_buffer(array, density.len()));
        parallel_for(self.grid.chunks(), arrays, &|chunk, [pressure, inv_density]| {
            let known = density[chunk.slots.clone()].iter().zip(&growth[chunk.slots.clone()]);
            for ((pressure, inv_density), (&density, growth)) in pressure.iter_mut().zip(inv_density).zip(known) {
                *inv_density = 1.0 / density;
                let all = (acting.pressure(density) + damping * growth * *inv_density).max(0.0);
                *pressure = scale * all * *inv_density * *inv_density;
            }
        });
    }

    /// By how much the density of each has grown since the substep before.
    fn find_growth(&mut self) {
        let Self { particles: p, density, density_before: before, growth, .. } = self;
        resize_buffer(growth, density.len());
        for (slot, (&density, growth)) in density.iter().zip(growth).enumerate() {
            *growth = 0.0;
            if !p.is_alive(slot) {
                continue;
            }
            let id = p.id[slot] as usize;
            if before.len() <= id {
                before.resize(id + 1, 0.0);
            }
            if before[id] > 0.0 {
                *growth = density - before[id];
            }
            before[id] = density;
        }
    }

    /// Eqs. 10, 14 and 19, as [`pair_kernels::forces`] has them; where the output is wanted, one after the other.
    fn compute_forces(&mut self, acting: &EffectiveMaterial, shown: bool) {
        let strength = [1.0, acting.viscosity, self.cohesion_from_tension(acting.tension)];
        for array in &mut self.acceleration {
            resize_buffer(array, self.particles.slots()).fill(0.0);
        }
        if !shown {
            return self.add_forces(strength);
        }
        self.find_virial();
        for force in Force::ALL {
            let mut one = [0.0; 3];
            one[force as usize] = strength[force as usize];
            self.add_forces(one);
            let ([x, y], felt) = (&self.sums, resize_buffer(&mut self.felt[force as usize], self.particles.slots()));
            for ((felt, x), y) in felt.iter_mut().zip(x).zip(y) {
                *felt = (x * x + y * y).sqrt();
            }
        }
    }

    /// What the pressure forces say of the pressure: in the plane `p V = ½ Σ r · F` over the pairs, of which half is each
    /// particle's. What is imagined behind walls and in bodies pushes with the particle's own pressure.
    ///
    /// The liquid's density says it too, but only on the lattice: the force's sum answers to it by less in a liquid, which
    /// is none (9 % in a pool at rest, more or less elsewhere), and not at all where there are cracks.
    fn find_virial(&mut self) {
        let Self { level, grid, sleep_map, particles: p, h, found, above, sums, pressure, virial, .. } = self;
        let (level, h, kernel, slots) = (*level, *h, self.substance.density, p.slots());
        let weighed = self.lattice.share / kernel.at(0.0);
        sum_pairs(grid, [virial, &mut sums[0]], above, slots, (), |chunk, sums, ()| {
            pair_kernels::virial(level, grid, p, (pressure, h, found), &all_rows(sleep_map, chunk), sums);
        });
        virial.iter_mut().for_each(|virial| *virial *= 0.25 * weighed);
        let beyond = weighed * self.rest.crowd;
        for touch in self.touching.iter().flatten() {
            virial[touch.slot as usize] += beyond * touch.cut.virial * pressure[touch.slot as usize];
        }
        let (cuts, touches) = (&self.cuts, self.body_contacts.lists(self.grid.chunks().len()).1);
        for touch in touches.0.iter().flatten() {
            let slot = touch.slot as usize;
            virial[slot] += beyond * cuts.at(boundary::beside_body(touch, h)).virial * pressure[slot];
        }
        virial.iter_mut().zip(&self.density).for_each(|(virial, density)| *virial *= density);
    }

    /// Adds forces of these strengths to the accelerations, and leaves them in the sums.
    fn add_forces(&mut self, strength: [f32; 3]) {
        let Self { level, grid, sleep_map, particles: p, h, found, above, sums, pressure, inv_density, .. } = self;
        let (level, slots) = (*level, p.slots());
        let scale = self.lattice.share / self.substance.density.at(0.0);
        let areas = [scale * *h * *h, *h * *h / self.rest.crowd];
        let exchange = PairParams { pressure, inv_density, strength, areas, h: *h, found };
        let [x, y] = sums;
        sum_pairs(grid, [x, y], above, slots, (), |chunk, sums, ()| {
            pair_kernels::forces(level, grid, p, &exchange, &all_rows(sleep_map, chunk), sums);
        });
        self.add_boundary_pressure(strength);
        let (sums, [ax, ay]) = (&self.sums, &mut self.acceleration);
        parallel_for(self.grid.chunks(), [&mut ax[..], ay], &|chunk, [ax, ay]| {
            add(ax, &sums[0][chunk.slots.clone()]);
            add(ay, &sums[1][chunk.slots.clone()]);
        });
    }
}

/// All rows of a chunk.
fn all_rows<'a>(sleep_map: &'a SleepMap, chunk: &RowChunk) -> ActiveRows<'a> {
    ActiveRows { sleep_map, zone: Zone::All, rows: chunk.rows.clone() }
}

/// Sums two quantities over all pairs, chunk by chunk, and what rows give to those above.
fn sum_pairs<W: Split>(
    grid: &Grid,
    out: [&mut Vec<f32>; 2],
    above: &mut [Vec<f32>; 2],
    slots: usize,
    written: W,
    sweep: impl Fn(&RowChunk, [Sums; 2], W) + Sync,
) {
    let chunks = grid.chunks();
    let mut sums = out.map(|sums| resize_buffer(sums, slots));
    let rows = upper_row_buffers(above, slots, chunks);
    parallel_for(chunks, (sums.each_mut().map(|sums| &mut **sums), rows, written), &|chunk, (sums, above, written)| {
        sweep(chunk, zero(chunk, sums, above), written);
    });
    parallel_for(chunks, sums, &|chunk, [x, y]| {
        add(x, &above[0][chunk.slots.clone()]);
        add(y, &above[1][chunk.slots.clone()]);
    });
}

/// What has been added since the forces were computed feels gravity alone.
fn accelerate(v: &mut [f32], acceleration: &[f32], gravity: f32, dt: f32) {
    let (known, added) = v.split_at_mut(acceleration.len());
    for (v, acceleration) in known.iter_mut().zip(acceleration) {
        *v += (acceleration + gravity) * dt;
    }
    added.iter_mut().for_each(|v| *v += gravity * dt);
}
