//! Weakly compressible smoothed particles (M. Müller, D. Charypar, M. Gross, "Particle-Based Fluid Simulation for Interactive
//! Applications", 2003; equations below are theirs) with Tait's equation (J. Monaghan, "Simulating Free Surface Flows with SPH",
//! 1994). Departures: kernels are normalised in the plane; viscosity acts along the line between two particles, four times, which
//! keeps angular momentum; tension is the force of the energy `K Σ (1 − c)` (M. Becker, M. Teschner 2007); the half-plane that
//! walls cut off is felt; leap-frog takes substeps as short as sound, viscosity and capillary waves ask for.

mod boundary;
pub mod kernels;
mod material;
mod pair_kernels;
mod rest_lattice;
mod surface;

use material::cohesion_from_tension;
pub use material::{EffectiveMaterial, SphMaterial};
pub use rest_lattice::rest;

use crate::sim::StepContext;
use crate::sim::boundary::{LookupTable, Walls};
use crate::sim::liquid::pressure::{Force, Medium};
use crate::sim::liquid::{MAX_MOVE, ParticleStore};
use crate::sim::neighbors::pairs::add;
use crate::sim::neighbors::{Zone, parallel_for};
use crate::sim::particles::{Particles, resize_buffer, value_at};
pub(in crate::sim::liquid) use boundary::BOUNDARY_OFFSET;
use glam::Vec2;
use kernels::{Kernel, POLY6_SLOPE, SPIKY_SLOPE, integrals};
use pair_kernels::{SphDensityKernel, SphForceKernel, VirialKernel};
use rest_lattice::RestLattice;

/// The state of the method, per slot. Its density is ρ/ρ₀.
#[derive(Clone, Debug, Default)]
pub(in crate::sim::liquid) struct Wcsph {
    pub material: SphMaterial,
    head: f32,
    /// The material in effect in this substep.
    acting: EffectiveMaterial,
    /// [`integrals`], by distance.
    boundary_table: LookupTable<4>,
    lattice: RestLattice,
    /// The density's growth in this substep, and its inverse.
    growth: Vec<f32>,
    inv_density: Vec<f32>,
    /// By id: ρ/ρ₀ in the substep before; zero for a particle that is new.
    density_before: Vec<f32>,
    /// p/ρ₀ over the square of ρ/ρ₀, m²/s².
    pressure: Vec<f32>,
    /// Pressure over ρ₀ by the virial, m²/s², at the end of the last step.
    virial: Vec<f32>,
    /// The colour field, and the weight of a particle in the surface, 0 to 1.
    colour: Vec<f32>,
    surface: Vec<f32>,
    /// Acceleration by all forces without gravity, m/s²; and that by each force at the end of the last step.
    acceleration: [Vec<f32>; 2],
    forces: [[Vec<f32>; 2]; 3],
}

impl Wcsph {
    pub fn new(material: SphMaterial) -> Self {
        Self {
            material,
            acting: EffectiveMaterial::of(&material, 0.0),
            boundary_table: LookupTable::new(|t| integrals(material.density_kernel, t)),
            lattice: RestLattice::at_rest(&material),
            ..Self::default()
        }
    }

    /// The number of neighbours and the density's kernel stay as they are.
    pub fn set_params(&mut self, material: SphMaterial) {
        let SphMaterial { neighbours, density_kernel, .. } = self.material;
        self.material = SphMaterial { neighbours, density_kernel, ..material };
    }

    /// Forgets the density of the particle that had this id before.
    pub fn add(&mut self, id: u32) {
        if let Some(before) = self.density_before.get_mut(id as usize) {
            *before = 0.0;
        }
    }

    /// Substeps, with fractions, at the present velocities.
    pub fn required_substeps(&self, store: &ParticleStore, step: f32, gravity: f32, size: Vec2) -> f32 {
        let acting = EffectiveMaterial::of(&self.material, gravity * size.max_element() + self.cohesion(store.h));
        acting.substeps(step, store.h, store.particles.max_speed())
    }

    /// The first half of leap-frog: half a kick and a drift.
    pub fn advance(&mut self, Medium { store, .. }: Medium, env: &StepContext) {
        self.head = env.gravity.length() * env.walls.size().max_element();
        self.acting =
            EffectiveMaterial::of(&self.material, self.head + self.cohesion(store.h)).limited_to_step(env.dt, store.h);
        self.kick(store, env.gravity, 0.5 * env.dt);
        let limit = MAX_MOVE * store.h / env.dt;
        parallel_for(&store.grid.chunks, store.particles.slice_mut().0, &|_, mut p| {
            env.pointer_forces.iter().for_each(|force| force.apply_to_particles(&mut p, env.dt));
            p.drift(limit, env.dt);
        });
        store.resolve_walls(env.walls, self.material.restitution, 0.0);
    }

    /// Pressure, viscosity and tension at the new positions, and the second half of the kick.
    pub fn relax(&mut self, medium: Medium, env: &StepContext, keeps_forces: bool) {
        let Medium { store, density, sums, .. } = medium;
        let damping = self.material.bulk_viscosity * self.acting.sound() * store.h / env.dt;
        self.compute_pressure(store, density, damping);
        self.find_surface(store);
        self.compute_forces(store, density, sums, keeps_forces);
        self.kick(store, env.gravity, 0.5 * env.dt);
    }

    /// For particles that have been sorted anew: the accelerations of the old slots are invalid.
    pub fn fit(&mut self, medium: Medium, walls: &Walls) {
        let Medium { store, density, sums, .. } = self.update_densities(medium, walls);
        self.acting = EffectiveMaterial::of(&self.material, self.head + self.cohesion(store.h));
        self.compute_pressure(store, density, 0.0);
        self.find_virial(store, density, sums);
        self.find_surface(store);
        let slots = store.particles.slots();
        let arrays = self.acceleration.iter_mut().chain(self.forces.as_flattened_mut());
        arrays.for_each(|array| resize_buffer(array, slots).fill(0.0));
    }

    fn kick(&self, store: &mut ParticleStore, gravity: Vec2, dt: f32) {
        let [ax, ay] = &self.acceleration;
        parallel_for(&store.grid.chunks, store.particles.slice_mut().0, &|chunk, p| {
            let own = chunk.slots.start..chunk.slots.end.min(ax.len());
            accelerate(p.vx, &ax[own.clone()], gravity.x, dt);
            accelerate(p.vy, &ay[own], gravity.y, dt);
        });
    }

    /// Eq. 3: density `Σ m W`, over ρ₀, and the colour field, with the particle itself and what walls have cut off.
    pub fn update_densities<'a>(&mut self, mut medium: Medium<'a>, walls: &Walls) -> Medium<'a> {
        let Medium { store, density, .. } = &mut medium;
        let inv_h2 = 1.0 / (store.h * store.h);
        let (p, pairs) = store.pairs(Zone::All);
        let (attributes, sums) = ([&p.x[..], &p.y], [&mut **density, &mut self.colour]);
        match self.material.density_kernel {
            Kernel::Spiky => pairs.search(attributes, SphDensityKernel::<true> { inv_h2 }, sums),
            Kernel::Poly6 => pairs.search(attributes, SphDensityKernel::<false> { inv_h2 }, sums),
        }
        self.add_boundary_density(&mut medium, walls);
        medium
    }

    /// Tait's equation, at least 0, and bulk viscosity, `−ζ ∇·v`: `damping` (m²/s²) times the growth of the density.
    fn compute_pressure(&mut self, store: &ParticleStore, density: &[f32], damping: f32) {
        self.find_growth(&store.particles, density);
        let (acting, growth) = (&self.acting, &self.growth);
        let scale = self.lattice.compressibility_exponent.powi(-2);
        let arrays = [&mut self.pressure, &mut self.inv_density].map(|array| resize_buffer(array, density.len()));
        parallel_for(&store.grid.chunks, arrays, &|chunk, [pressure, inv_density]| {
            let known = density[chunk.slots.clone()].iter().zip(&growth[chunk.slots.clone()]);
            for ((pressure, inv_density), (&density, growth)) in pressure.iter_mut().zip(inv_density).zip(known) {
                *inv_density = 1.0 / density;
                let all = (acting.pressure(density) + damping * growth * *inv_density).max(0.0);
                *pressure = scale * all * *inv_density * *inv_density;
            }
        });
    }

    fn find_growth(&mut self, p: &Particles, density: &[f32]) {
        let Self { density_before: before, growth, .. } = self;
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

    /// Eqs. 10, 14 and 19, as `pair_kernels` has them; one after the other where each is kept.
    fn compute_forces(
        &mut self,
        store: &mut ParticleStore,
        density: &[f32],
        sums: &mut [Vec<f32>; 2],
        keeps_forces: bool,
    ) {
        let tension = cohesion_from_tension(self.acting.surface_tension, store.h);
        let strength = [1.0, self.acting.viscosity, tension];
        let slots = store.particles.slots();
        for array in &mut self.acceleration {
            resize_buffer(array, slots).fill(0.0);
        }
        if !keeps_forces {
            return self.add_forces(store, sums, strength);
        }
        self.find_virial(store, density, sums);
        for force in Force::ALL {
            let mut one = [0.0; 3];
            one[force as usize] = strength[force as usize];
            self.add_forces(store, sums, one);
            for (kept, sum) in self.forces[force as usize].iter_mut().zip(&*sums) {
                resize_buffer(kept, slots).copy_from_slice(&sum[..slots]);
            }
        }
    }

    /// The pressure by the virial: in the plane `p V = ½ Σ r · F` over the pairs, half of each belonging to a particle. Imagined
    /// liquid pushes with the particle's own pressure. The density gives the pressure only on a lattice.
    fn find_virial(&mut self, store: &mut ParticleStore, density: &[f32], sums: &mut [Vec<f32>; 2]) {
        let scale = self.kernel_scale();
        let kernel = VirialKernel { inv_h2: 1.0 / (store.h * store.h) };
        let (p, pairs) = store.pairs(Zone::All);
        pairs.visit([&p.x, &p.y, &self.pressure], kernel, [&mut self.virial, &mut sums[0]]);
        store.add_upper_sums([&mut self.virial, &mut sums[0]]);
        let Self { virial, pressure, .. } = self;
        virial.iter_mut().for_each(|virial| *virial *= 0.25 * scale);
        let beyond = scale * store.rest.number_density;
        let walls = store.wall_contacts.iter().flatten().map(|contact| (contact.slot, contact.integrals));
        let bodies = store.body_contacts.contacts.iter().flatten().map(|contact| (contact.slot, contact.integrals));
        for (slot, [.., cut]) in walls.chain(bodies) {
            virial[slot as usize] += beyond * cut * pressure[slot as usize];
        }
        virial.iter_mut().zip(density).for_each(|(virial, density)| *virial *= *density);
    }

    fn kernel_scale(&self) -> f32 {
        self.lattice.normalization / self.material.density_kernel.at(0.0)
    }

    fn add_forces(&mut self, store: &mut ParticleStore, sums: &mut [Vec<f32>; 2], strength: [f32; 3]) {
        let (h, number_density) = (store.h, store.rest.number_density);
        let areas = [self.kernel_scale() * h * h, h * h / number_density];
        let (p, pairs) = store.pairs(Zone::All);
        let attributes: [&[f32]; 6] = [&p.x, &p.y, &self.pressure, &self.inv_density, &p.vx, &p.vy];
        let kernel = SphForceKernel::<true>::new(h, areas, strength);
        if kernel.tension == 0.0 {
            pairs.visit(attributes, SphForceKernel::<false>::new(h, areas, strength), sums.each_mut());
        } else {
            pairs.visit(attributes, kernel, sums.each_mut());
        }
        store.add_upper_sums(sums.each_mut().map(|sums| &mut sums[..]));
        self.add_boundary_pressure(store, sums, strength);
        let (sums, [ax, ay]) = (&*sums, &mut self.acceleration);
        parallel_for(&store.grid.chunks, [&mut ax[..], ay], &|chunk, [ax, ay]| {
            add(ax, &sums[0][chunk.slots.clone()]);
            add(ay, &sums[1][chunk.slots.clone()]);
        });
    }

    /// The pressure at the end of the last step: of the forces exchanged with neighbours, without tension and jitter.
    pub fn pressure(&self, slot: usize) -> f32 {
        value_at(&self.virial, slot)
    }

    /// Acceleration by which two slots `r` metres apart repel each other, by pressure and tension, as `pair_kernels` has them.
    pub fn pair_force(&self, store: &ParticleStore, slot: usize, other: usize, r: f32) -> f32 {
        let (q, h) = ((r / store.h).min(1.0), store.h);
        let pressure = self.kernel_scale() * (value_at(&self.pressure, slot) + value_at(&self.pressure, other));
        let tension = 2.0 * self.cohesion(h) / store.rest.number_density;
        (pressure * SPIKY_SLOPE * (1.0 - q).powi(2) - tension * POLY6_SLOPE * q * (1.0 - q * q).powi(2)) / h
    }

    /// A force per mass at the end of the last step, m/s².
    pub fn force(&self, force: Force, slot: usize) -> Vec2 {
        let [x, y] = &self.forces[force as usize];
        Vec2::new(value_at(x, slot), value_at(y, slot))
    }

    /// Weight of a slot in the surface, 0 to 1.
    pub fn surface(&self, slot: usize) -> f32 {
        value_at(&self.surface, slot)
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
