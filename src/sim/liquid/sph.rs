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
mod rest_lattice;
mod settle;
mod surface;

pub use material::{EffectiveMaterial, SphMaterial};
pub use rest_lattice::rest;
pub use settle::Start;

use crate::sim::StepContext;
use crate::sim::boundary::Walls;
use crate::sim::liquid::body_contacts::{ImpulseTiming, LiquidCoupling, ParticleLiquidMut};
use crate::sim::liquid::fluid::Whitening;
use crate::sim::liquid::particle_liquid::{Force, LiquidMethod, MAX_MOVE, ParticleLiquid};
use crate::sim::neighbors::pairs::add;
use crate::sim::neighbors::row_chunks::parallel_for;
use crate::sim::neighbors::sleep_map::Zone;
use crate::sim::observer::{Pass, StepObserver};
use crate::sim::particles::{resize_buffer, value_at};
use boundary::BOUNDARY_OFFSET;
use glam::Vec2;
use kernels::{BoundaryTable, Kernel, POLY6_SLOPE, SPIKY_SLOPE};
use pair_kernels::{SphDensityKernel, SphForceKernel, SphTensionKernel, VirialKernel};
use rest_lattice::RestLattice;
use std::ops::{Deref, DerefMut};

/// A body of SPH liquid.
#[derive(Clone, Debug)]
pub struct Sph {
    base: ParticleLiquid,
    material: SphMaterial,
    /// Largest g × depth, m²/s², that the stiffness has to support.
    head: f32,
    boundary_table: BoundaryTable,
    lattice: RestLattice,
    /// ρ/ρ₀, its growth in this substep, and its inverse.
    density: Vec<f32>,
    growth: Vec<f32>,
    inv_density: Vec<f32>,
    /// By id: ρ/ρ₀ in the substep before; zero for a particle that is new.
    density_before: Vec<f32>,
    /// p/ρ₀ over the square of ρ/ρ₀, m²/s².
    pressure: Vec<f32>,
    /// Pressure over ρ₀ by the virial, m²/s²; kept while the output is in use.
    virial: Vec<f32>,
    /// The colour field, and the weight of a particle in the surface, 0 to 1.
    colour: Vec<f32>,
    surface: Vec<f32>,
    /// Acceleration by all forces without gravity, m/s²; and the magnitude of each force while the output is in use.
    acceleration: [Vec<f32>; 2],
    force_magnitudes: [Vec<f32>; 3],
    /// Buffers for sums over pairs.
    sums: [Vec<f32>; 2],
}

impl Deref for Sph {
    type Target = ParticleLiquid;

    fn deref(&self) -> &ParticleLiquid {
        &self.base
    }
}

impl DerefMut for Sph {
    fn deref_mut(&mut self) -> &mut ParticleLiquid {
        &mut self.base
    }
}

impl Sph {
    /// Creates an empty liquid of interaction radius `h` metres.
    pub fn new(material: SphMaterial, h: f32) -> Self {
        Self {
            base: ParticleLiquid::new(rest(&material), h),
            material,
            head: 0.0,
            boundary_table: BoundaryTable::new(material.density_kernel),
            lattice: RestLattice::at_rest(&material),
            density: Vec::new(),
            growth: Vec::new(),
            inv_density: Vec::new(),
            density_before: Vec::new(),
            pressure: Vec::new(),
            virial: Vec::new(),
            colour: Vec::new(),
            surface: Vec::new(),
            acceleration: Default::default(),
            force_magnitudes: Default::default(),
            sums: Default::default(),
        }
    }

    /// Returns an empty liquid of the same kind with interaction radius `h` metres.
    pub(in crate::sim) fn empty_copy(&self, h: f32) -> Self {
        let mut liquid = Self::new(self.material, h);
        liquid.base.level = self.base.level;
        liquid
    }

    /// The liquid's parameters.
    pub fn material(&self) -> &SphMaterial {
        &self.material
    }

    /// Changes the parameters while the liquid flows. The number of neighbours and the density's kernel stay as they
    /// are.
    pub fn set_params(&mut self, material: SphMaterial) {
        let SphMaterial { neighbours, density_kernel, .. } = self.material;
        self.material = SphMaterial { neighbours, density_kernel, ..material };
    }

    /// Adds the accelerations of `dt` seconds to the velocities.
    fn kick(&mut self, gravity: Vec2, dt: f32) {
        let [ax, ay] = &self.acceleration;
        parallel_for(self.base.grid.chunks(), self.base.particles.slice_mut().0, &|chunk, p| {
            let own = chunk.slots.start..chunk.slots.end.min(ax.len());
            accelerate(p.vx, &ax[own.clone()], gravity.x, dt);
            accelerate(p.vy, &ay[own], gravity.y, dt);
        });
    }

    fn apply_pokes(&mut self, env: &StepContext) {
        if env.pointer_forces.is_empty() {
            return;
        }
        parallel_for(self.base.grid.chunks(), self.base.particles.slice_mut().0, &|_, mut p| {
            env.pointer_forces.iter().for_each(|force| force.apply_to_particles(&mut p, env.dt));
        });
    }

    /// Moves every particle by its velocity. The speed limit is a safeguard: see [`MAX_MOVE`].
    fn drift(&mut self, dt: f32) {
        let limit = MAX_MOVE * self.base.h / dt;
        parallel_for(self.base.grid.chunks(), self.base.particles.slice_mut().0, &|_, mut p| p.drift(limit, dt));
    }

    /// Eq. 3: density `Σ m W`, over ρ₀, and the colour field. Both include the particle itself and the liquid that
    /// walls have cut off.
    fn update_densities(&mut self, walls: &Walls) {
        let inv_h2 = 1.0 / (self.base.h * self.base.h);
        let (p, pairs) = self.base.pairs(Zone::All);
        let (attributes, sums) = ([&p.x[..], &p.y], [&mut self.density, &mut self.colour]);
        match self.material.density_kernel {
            Kernel::Spiky => pairs.search(attributes, SphDensityKernel::<true> { inv_h2 }, sums),
            Kernel::Poly6 => pairs.search(attributes, SphDensityKernel::<false> { inv_h2 }, sums),
        }
        self.add_boundary_density(walls);
    }

    /// Tait's equation, and what the bulk viscosity adds: `damping` (m²/s²) times the share by which the density has grown in
    /// this substep, `−ζ ∇·v`. It acts as a pressure, so it conserves linear and angular momentum. A negative pressure is set to 0.
    fn compute_pressure(&mut self, acting: &EffectiveMaterial, damping: f32) {
        self.find_growth();
        let (density, growth, scale) = (&self.density, &self.growth, self.lattice.compressibility_exponent.powi(-2));
        let arrays = [&mut self.pressure, &mut self.inv_density].map(|array| resize_buffer(array, density.len()));
        parallel_for(self.base.grid.chunks(), arrays, &|chunk, [pressure, inv_density]| {
            let known = density[chunk.slots.clone()].iter().zip(&growth[chunk.slots.clone()]);
            for ((pressure, inv_density), (&density, growth)) in pressure.iter_mut().zip(inv_density).zip(known) {
                *inv_density = 1.0 / density;
                let all = (acting.pressure(density) + damping * growth * *inv_density).max(0.0);
                *pressure = scale * all * *inv_density * *inv_density;
            }
        });
    }

    /// Computes the growth of each density since the substep before.
    fn find_growth(&mut self) {
        let Self { base: ParticleLiquid { particles: p, .. }, density, density_before: before, growth, .. } = self;
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

    /// Eqs. 10, 14 and 19, as `pair_kernels` has them; one after the other while each force is shown.
    fn compute_forces(&mut self, acting: &EffectiveMaterial, shown: bool) {
        let strength = [1.0, acting.viscosity, self.cohesion_from_tension(acting.surface_tension)];
        let slots = self.base.particles.slots();
        for array in &mut self.acceleration {
            resize_buffer(array, slots).fill(0.0);
        }
        if !shown {
            return self.add_forces(strength);
        }
        self.find_virial();
        for force in Force::ALL {
            let mut one = [0.0; 3];
            one[force as usize] = strength[force as usize];
            self.add_forces(one);
            let magnitudes = resize_buffer(&mut self.force_magnitudes[force as usize], slots);
            for ((magnitude, x), y) in magnitudes.iter_mut().zip(&self.sums[0]).zip(&self.sums[1]) {
                *magnitude = (x * x + y * y).sqrt();
            }
        }
    }

    /// Computes the pressure from the pressure forces, by the virial: in the plane `p V = ½ Σ r · F` over the pairs,
    /// half of each pair belonging to a particle. The imagined liquid behind walls and in bodies pushes with the
    /// particle's own pressure.
    ///
    /// The density gives the pressure as well, but only on a lattice. In a liquid, which has none, the sum of forces
    /// grows less with it (9 % in a pool at rest, more or less elsewhere), and where there are gaps not at all.
    fn find_virial(&mut self) {
        let (h, scale) = (self.base.h, self.kernel_scale());
        let (p, pairs) = self.base.pairs(Zone::All);
        let kernel = VirialKernel { inv_h2: 1.0 / (h * h) };
        pairs.visit([&p.x, &p.y, &self.pressure], kernel, [&mut self.virial, &mut self.sums[0]]);
        self.base.add_upper_sums([&mut self.virial, &mut self.sums[0]]);
        let Self { base, virial, pressure, boundary_table, density, .. } = self;
        virial.iter_mut().for_each(|virial| *virial *= 0.25 * scale);
        let beyond = scale * base.rest.number_density;
        for contact in base.wall_contacts.iter().flatten() {
            let slot = contact.slot as usize;
            virial[slot] += beyond * boundary::cut_by_wall(contact).virial * pressure[slot];
        }
        for contact in base.body_contacts.lists(base.grid.chunks().len()).1.0.iter().flatten() {
            let slot = contact.slot as usize;
            virial[slot] += beyond * boundary_table.at_body(contact, h).virial * pressure[slot];
        }
        virial.iter_mut().zip(density).for_each(|(virial, density)| *virial *= *density);
    }

    /// Factor that turns a sum over the kernel's shape into a relative density.
    fn kernel_scale(&self) -> f32 {
        self.lattice.normalization / self.material.density_kernel.at(0.0)
    }

    /// Adds forces of these strengths to the accelerations; the sums keep them.
    fn add_forces(&mut self, strength: [f32; 3]) {
        let (h, number_density) = (self.base.h, self.base.rest.number_density);
        let areas = [self.kernel_scale() * h * h, h * h / number_density];
        let (p, pairs) = self.base.pairs(Zone::All);
        let attributes: [&[f32]; 6] = [&p.x, &p.y, &self.pressure, &self.inv_density, &p.vx, &p.vy];
        let sums = self.sums.each_mut();
        let kernel = SphForceKernel::new(h, areas, strength);
        match SphTensionKernel::new(kernel, h, areas, strength) {
            None => pairs.visit(attributes, kernel, sums),
            Some(kernel) => pairs.visit(attributes, kernel, sums),
        }
        self.base.add_upper_sums(self.sums.each_mut().map(|sums| &mut sums[..]));
        self.add_boundary_pressure(strength);
        let (sums, [ax, ay]) = (&self.sums, &mut self.acceleration);
        parallel_for(self.base.grid.chunks(), [&mut ax[..], ay], &|chunk, [ax, ay]| {
            add(ax, &sums[0][chunk.slots.clone()]);
            add(ay, &sums[1][chunk.slots.clone()]);
        });
    }
}

impl LiquidMethod for Sph {
    fn whitening(&self, _phase: u8) -> Whitening {
        Whitening { foam: self.material.foam, embers: 0.0 }
    }

    /// Substeps, with fractions, into which a fixed step of `step` seconds must be divided under `gravity` (m/s²) in a
    /// tank of `size` metres at the present velocities.
    fn required_substeps(&self, step: f32, gravity: f32, size: Vec2) -> f32 {
        let acting = EffectiveMaterial::of(&self.material, gravity * size.max_element() + self.cohesion());
        acting.substeps(step, self.base.h, self.base.particles.max_speed())
    }

    /// Adapts the liquid to walls that have moved or particles that were added: sorts it and computes its densities.
    fn fit(&mut self, walls: &Walls) {
        self.base.refit(walls);
        self.update_densities(walls);
        let still = EffectiveMaterial::of(&self.material, self.head + self.cohesion());
        self.compute_pressure(&still, 0.0);
        self.find_virial();
        self.find_surface();
        // The order has changed, so the accelerations of the old slots are invalid.
        let slots = self.base.particles.slots();
        let arrays = self.acceleration.iter_mut().chain(&mut self.force_magnitudes);
        arrays.for_each(|array| resize_buffer(array, slots).fill(0.0));
    }

    /// Advances by one leap-frog substep: half a kick, a drift, forces at the new positions, and the other half of the kick.
    fn step(&mut self, env: &StepContext, observer: &mut dyn StepObserver) {
        self.head = env.gravity.length() * env.walls.size().max_element();
        let acting =
            EffectiveMaterial::of(&self.material, self.head + self.cohesion()).limited_to_step(env.dt, self.base.h);
        self.kick(env.gravity, 0.5 * env.dt);
        self.apply_pokes(env);
        observer.pass_finished(Pass::Forces);
        self.drift(env.dt);
        self.base.resolve_walls(env.walls, self.material.restitution, 0.0);
        observer.pass_finished(Pass::Advance);
        self.base.sort();
        observer.pass_finished(Pass::Sort);
        self.update_densities(env.walls);
        self.compute_pressure(&acting, self.material.bulk_viscosity * acting.sound() * self.base.h / env.dt);
        self.find_surface();
        observer.pass_finished(Pass::Density);
        self.compute_forces(&acting, env.shown);
        observer.pass_finished(Pass::Relax);
        self.kick(env.gravity, 0.5 * env.dt);
        self.apply_wall_friction(env, acting.sound());
        observer.pass_finished(Pass::Walls);
    }

    fn relative_density(&self, slot: usize) -> f32 {
        value_at(&self.density, slot)
    }

    /// The pressure at the end of the last step: of the forces exchanged with neighbours, without tension and jitter.
    fn pressure(&self, slot: usize) -> f32 {
        value_at(&self.virial, slot)
    }

    /// Visits every particle. It leaves out walls, so within h of them it is too low.
    fn pressure_with_tension(&self, slot: usize) -> f32 {
        let (p, h) = (self.particles(), self.base.h);
        let virial = p.alive().filter(|&other| other != slot).map(|other| {
            let r = p.position(slot).distance(p.position(other));
            if r < h { r * self.pair_acceleration(slot, other, r) } else { 0.0 }
        });
        self.relative_density(slot) * 0.25 * virial.sum::<f32>()
    }

    /// By pressure and tension, as `pair_kernels` has them.
    fn pair_acceleration(&self, slot: usize, other: usize, r: f32) -> f32 {
        let (q, h) = ((r / self.base.h).min(1.0), self.base.h);
        let pressure = self.kernel_scale() * (value_at(&self.pressure, slot) + value_at(&self.pressure, other));
        let tension = 2.0 * self.cohesion() / self.base.rest.number_density;
        (pressure * SPIKY_SLOPE * (1.0 - q).powi(2) - tension * POLY6_SLOPE * q * (1.0 - q * q).powi(2)) / h
    }

    fn has_force_breakdown(&self) -> bool {
        true
    }

    /// The force at the end of the last step.
    fn force(&self, force: Force, slot: usize) -> f32 {
        value_at(&self.force_magnitudes[force as usize], slot)
    }

    fn surface(&self, slot: usize) -> f32 {
        value_at(&self.surface, slot)
    }

    fn add_with_phase(&mut self, _: u8, at: Vec2, velocity: Vec2) {
        let id = self.base.insert(at, velocity) as usize;
        if let Some(before) = self.density_before.get_mut(id) {
            *before = 0.0;
        }
    }

    fn remove(&mut self, slot: usize) {
        self.base.take(slot);
    }

    fn coupling(&mut self) -> LiquidCoupling<'_> {
        let (area, spacing) = (self.base.particle_area(), self.base.spacing());
        let ParticleLiquid { body_contacts, particles, h, .. } = &mut self.base;
        LiquidCoupling {
            body_contacts,
            liquid: ParticleLiquidMut { particles, phases: None, h: *h, spacing, area },
            impulse_timing: ImpulseTiming::HalfSteps,
            boundary_offset: BOUNDARY_OFFSET,
            viscous: &[],
        }
    }
}

/// Particles added since the forces were computed get gravity alone.
fn accelerate(v: &mut [f32], acceleration: &[f32], gravity: f32, dt: f32) {
    let (known, added) = v.split_at_mut(acceleration.len());
    for (v, acceleration) in known.iter_mut().zip(acceleration) {
        *v += (acceleration + gravity) * dt;
    }
    added.iter_mut().for_each(|v| *v += gravity * dt);
}
