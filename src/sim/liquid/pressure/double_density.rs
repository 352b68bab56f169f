//! Double-density relaxation (S. Clavet, P. Beaudoin, P. Poulin, "Particle-based Viscoelastic Fluid Simulation", Symposium on
//! Computer Animation 2005; sections and equations below are the paper's). One departure: all densities are computed first and
//! all displacements are applied at once (Jacobi instead of Gauss–Seidel), stable up to a quarter of the stiffness.

mod boundary;
pub mod pair_kernels;

use crate::sim::StepContext;
use crate::sim::boundary::{LookupTable, Walls, halfplane};
use crate::sim::liquid::fluid::PressureParams;
use crate::sim::liquid::pressure::Medium;
use crate::sim::liquid::{Fluid, MAX_MOVE, ParticleStore, Phases, RestState, thermostat};
use crate::sim::neighbors::{Zone, parallel_for_coarse};
use crate::sim::particles::{resize_buffer, value_at};
use glam::Vec2;
use pair_kernels::{DensityKernel, MultiphaseKernel, PressureKernel};

/// The phase `ω dt` of the stiffest vibration at rest in a relaxation that keeps the spacing only.
const SPACING_PHASE: f32 = 0.5;

/// The largest fraction of a speed of approach that σ and β may take in one substep: some thirty pairs act at once.
const MAX_VISCOUS_FRACTION: f32 = 0.1;

/// The state of the method, per slot.
#[derive(Clone, Debug, Default)]
pub(in crate::sim::liquid) struct DoubleDensity {
    /// The integrals over the half-plane behind a wall.
    half_plane: LookupTable<5>,
    /// m/s: see [`RestState::max_frequency`].
    pub max_frequency: f32,
    /// The fraction of the stiffness that the last relaxation used.
    softness: f32,
    near_density: Vec<f32>,
    /// As a displacement per unit of the kernel: see [`Self::compute_pressure`].
    pressure: Vec<f32>,
    near_pressure: Vec<f32>,
}

impl DoubleDensity {
    pub fn new(fluid: &Fluid, rest: &RestState) -> Self {
        let (half_plane, max_frequency) = (LookupTable::new(halfplane::integrals), rest.max_frequency(&fluid.pressure));
        Self { half_plane, max_frequency, softness: 1.0, ..Self::default() }
    }

    pub fn required_substeps(&self, fluid: &Fluid, phases: &Phases, h: f32, step: f32) -> f32 {
        step / h * self.max_frequency / thermostat::max_phase(thermostat::thermal_speed(fluid, phases))
    }

    /// Computes section 4.1, eqs. 1 and 5: density `Σ (1 − r/h)²` and near-density `Σ (1 − r/h)³`.
    pub fn update_densities(&mut self, mut medium: Medium, walls: &Walls, zone: Zone) {
        let h = medium.store.h;
        let (p, pairs) = medium.store.pairs(zone);
        pairs.search([&p.x, &p.y], DensityKernel { h }, [medium.density, &mut self.near_density]);
        self.add_boundary_density(&mut medium, walls);
    }

    /// Section 4, eqs. 3 to 6, and section 5.3, Algorithm 5. Each pair of neighbours is pushed apart by `dt² (P (1 − q) + P_near
    /// (1 − q)²) r̂`, and slowed while it approaches by `I = dt (1 − q)(σ u + β u²) r̂`; each particle gets half. Displacements
    /// are summed separately from the positions, because an increment below a position's last bit would be lost for one particle
    /// of the pair only. With `spacing_only` something else carries the weight, and it is stable in any substep.
    pub fn relax(&mut self, mut medium: Medium, env: &StepContext, spacing_only: bool) {
        let dt = env.dt;
        self.softness = 1.0;
        if spacing_only {
            // Where everything is slower than at the reference's scale, a lattice as stiff as there would hold what is to flow.
            let dt = dt * medium.fluid.scale.time().max(1.0);
            self.softness = (SPACING_PHASE * medium.store.h / (dt * self.max_frequency)).powi(2).min(1.0);
        }
        self.compute_pressure(&medium, dt);
        let Medium { store, sums: [dx, dy], fluid, phases, .. } = &mut medium;
        let h = store.h;
        let scales = viscosity_scales(h, dt);
        let [sigma, beta] = [scales[0] * fluid.phase.viscous.sigma, scales[1] * fluid.phase.viscous.beta];
        let max_viscous = MAX_VISCOUS_FRACTION * dt / h;
        let (p, pairs) = store.pairs(Zone::ForceHalo);
        let (x, y, vx, vy) = (&p.x[..], &p.y[..], &p.vx[..], &p.vy[..]);
        let (pressure, near) = (&self.pressure[..], &self.near_pressure[..]);
        let sums = [dx, dy];
        if !phases.is_single_phase() {
            let interfacial_repulsion = 0.5 * dt * dt / (h * h) * phases.interfacial_repulsion();
            let Phases { phase, mass, sigma, beta, .. } = phases;
            let kernel = MultiphaseKernel { h, max_viscous, interfacial_repulsion };
            pairs.visit([x, y, pressure, near, vx, vy, sigma, beta, mass, phase], kernel, sums);
        } else {
            let kernel = PressureKernel { h, sigma, beta, max_viscous };
            pairs.visit([x, y, pressure, near, vx, vy], kernel, sums);
        }
        self.add_boundary_pressure(&mut medium, dt, env.gravity);
        let Medium { store, sums, fluid, phases, targets, thermostat, .. } = medium;
        if !phases.is_single_phase() {
            for sums in &mut *sums {
                sums.iter_mut().zip(&phases.mass).for_each(|(moved, mass)| *moved /= mass);
            }
        }
        // Gravity does not act on particles with targets.
        let fall = if targets.held > 0 || spacing_only { Vec2::ZERO } else { env.gravity * dt * dt };
        let forward = if spacing_only { 1.0 } else { thermostat.forward(thermostat::thermal_speed(fluid, phases)) };
        store.displace(sums, dt, forward, fall);
    }

    /// Eqs. 4 and 5: `P = k (ρ − ρ₀)` and `P_near = k_near max(ρ_near − ν₀, 0)`. The factors are ½ (a pair shares each
    /// displacement), dt²/h (k is given times h), and 1/h and 1/h² for the kernel of [`pair_kernels`]. Tension, the part of a
    /// pull P beyond the one that balances the near-pressure at rest, is scaled: P stays a function of density, so an energy is
    /// conserved. Between several fluids pressures are multiplied by the particle's mass; beside a gas, by its phase's stiffness.
    fn compute_pressure(&mut self, Medium { store, density, fluid, phases, .. }: &Medium, dt: f32) {
        let PressureParams { stiffness, near_stiffness, rest_density, near_rest_density, tension_scale } =
            fluid.pressure;
        let scale = self.softness * 0.5 * dt * dt / (store.h * store.h);
        let k = scale * stiffness;
        let k_near = scale / store.h * near_stiffness;
        let (eased, at_rest) = (1.0 - tension_scale, k * (store.rest.density - rest_density));
        let near_density = &self.near_density;
        let pressures = [&mut self.pressure, &mut self.near_pressure].map(|array| resize_buffer(array, density.len()));
        parallel_for_coarse(&store.grid.chunks, pressures, &|chunk, [pressure, near_pressure]| {
            for (pressure, density) in pressure.iter_mut().zip(&density[chunk.slots.clone()]) {
                let own = k * (density - rest_density);
                *pressure = own + eased * (at_rest - own).max(0.0);
            }
            for (near_pressure, near_density) in near_pressure.iter_mut().zip(&near_density[chunk.slots.clone()]) {
                *near_pressure = k_near * (near_density - near_rest_density).max(0.0);
            }
        });
        if !phases.is_single_phase() {
            let stiffness = phases.has_gas().then(|| phases.relative_stiffness());
            for pressure in [&mut self.pressure, &mut self.near_pressure] {
                if let Some(stiffness) = stiffness {
                    let phased = pressure.iter_mut().zip(&phases.phase);
                    phased.for_each(|(pressure, phase)| *pressure *= stiffness[*phase as usize]);
                } else {
                    pressure.iter_mut().zip(&phases.mass).for_each(|(pressure, mass)| *pressure *= mass);
                }
            }
        }
    }

    /// Returns P and P_near of a slot (eqs. 3 and 5) as they are applied, times h, in m²/s².
    pub fn pressures(&self, store: &ParticleStore, fluid: &Fluid, density: &[f32], slot: usize) -> [f32; 2] {
        let [pressure, near] = fluid.pressure.pressures([value_at(density, slot), value_at(&self.near_density, slot)]);
        let at_rest = store.rest.pressures(&fluid.pressure)[0];
        let eased = 1.0 - fluid.pressure.tension_scale;
        [pressure + eased * (at_rest - pressure).max(0.0), near].map(|pressure| self.softness * pressure)
    }
}

/// ½ dt², 1/h for the kernel, and 1/h² and 1/h because σ and β are given times h² and h.
pub(in crate::sim::liquid) fn viscosity_scales(h: f32, dt: f32) -> [f32; 2] {
    let scale = 0.5 * dt * dt / (h * h);
    [scale / h, scale]
}

/// Gravity, targets and pointer forces act on particles that are awake, then each moves by its velocity, at most [`MAX_MOVE`].
pub(super) fn advance(Medium { store, targets, .. }: Medium, env: &StepContext) {
    let ParticleStore { grid, sleep_map, particles, h, .. } = store;
    let (kick, limit, h) = (env.gravity * env.dt, MAX_MOVE * *h / env.dt, *h);
    let (p, id, _) = particles.slice_mut();
    parallel_for_coarse(&grid.chunks, p, &|chunk, mut p| {
        // Particles added since the last sort lie behind all rows.
        let added = chunk.slots.end..p.slots().end;
        for slots in sleep_map.active_slots(grid, chunk).chain([added]) {
            let own = slots.start - chunk.slots.start..slots.end - chunk.slots.start;
            p.vx[own.clone()].iter_mut().for_each(|vx| *vx += kick.x);
            p.vy[own].iter_mut().for_each(|vy| *vy += kick.y);
            targets.pull(&mut p, id, slots, kick, h, env);
        }
        for force in env.pointer_forces {
            force.apply_to_particles(&mut p, env.dt);
        }
        p.drift(limit, env.dt);
    });
}
