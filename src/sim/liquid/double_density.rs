//! Double-density relaxation: the liquid.
//!
//! S. Clavet, P. Beaudoin, P. Poulin, "Particle-based Viscoelastic Fluid Simulation", Symposium on Computer Animation
//! 2005. Sections and equations below are the paper's.
//!
//! One departure: the paper relaxes pairs one after the other, each from the positions that the previous one left. Here all
//! densities are computed first and all displacements are applied at once (Jacobi instead of Gauss–Seidel). The fluid is the
//! same, but it settles a thousand times calmer, has no bias from the order of particles, and every pass is a loop over flat
//! arrays. A step is stable up to a quarter of the stiffness only, but it takes half the time, so the cost is the same. The
//! tests keep the sequential form as the reference.

mod boundary;
mod conduction;
mod insertion;
mod multiphase;
pub mod pair_kernels;
mod spring_passes;
mod thermostat;
pub mod viscosity;

use crate::sim::StepContext;
use crate::sim::boundary::Walls;
use crate::sim::boundary::halfplane::HalfPlane;
use crate::sim::clock::STEP;
use crate::sim::liquid::body_contacts::{ImpulseTiming, LiquidCoupling, ParticleLiquidMut};
use crate::sim::liquid::fluid::{Fluid, PressureParams, WallResponse, Whitening};
use crate::sim::liquid::heat::Heat;
use crate::sim::liquid::particle_liquid::{LiquidMethod, MAX_MOVE, ParticleLiquid};
use crate::sim::liquid::phases::Phases;
use crate::sim::liquid::rest_state::RestState;
use crate::sim::liquid::rest_stretch::RestStretch;
use crate::sim::liquid::springs::Springs;
use crate::sim::liquid::targets::TargetPositions;
use crate::sim::neighbors::row_chunks::{parallel_for, parallel_for_coarse};
use crate::sim::neighbors::sleep_map::Zone;
use crate::sim::observer::{Pass, StepObserver};
use crate::sim::particles::{resize_buffer, value_at};
use crate::sim::pointer_force::PointerForce;
use conduction::Conduction;
use glam::Vec2;
use pair_kernels::{DensityKernel, MultiphaseKernel, PressureKernel, PressureViscosityKernel};
use std::ops::{Deref, DerefMut};
use thermostat::Thermostat;
use viscosity::Viscosity;

/// A body of liquid.
#[derive(Clone, Debug)]
pub struct DoubleDensityLiquid {
    base: ParticleLiquid,
    fluid: Fluid,
    targets: TargetPositions,
    springs: Springs,
    phases: Phases,
    half_plane: HalfPlane,
    /// m/s: see [`RestState::max_frequency`].
    max_frequency: f32,
    thermostat: Thermostat,
    viscosity: Viscosity,
    /// None in a liquid without a temperature.
    conduction: Option<Box<Conduction>>,
    density: Vec<f32>,
    near_density: Vec<f32>,
    /// As a displacement per unit of the kernel: see [`Self::compute_pressure`].
    pressure: Vec<f32>,
    near_pressure: Vec<f32>,
    /// Displacements, metres.
    dx: Vec<f32>,
    dy: Vec<f32>,
}

impl Deref for DoubleDensityLiquid {
    type Target = ParticleLiquid;

    fn deref(&self) -> &ParticleLiquid {
        &self.base
    }
}

impl DerefMut for DoubleDensityLiquid {
    fn deref_mut(&mut self) -> &mut ParticleLiquid {
        &mut self.base
    }
}

impl DoubleDensityLiquid {
    /// Creates an empty liquid of interaction radius `h` metres.
    pub fn new(fluid: Fluid, h: f32) -> Self {
        let rest = RestState::of(&fluid.pressure);
        Self {
            base: ParticleLiquid::new(rest, h),
            max_frequency: rest.max_frequency(&fluid.pressure),
            half_plane: HalfPlane::new(),
            thermostat: Thermostat::default(),
            viscosity: Viscosity::default(),
            conduction: None,
            fluid,
            targets: TargetPositions::default(),
            springs: Springs::default(),
            phases: Phases::of(&fluid),
            density: Vec::new(),
            near_density: Vec::new(),
            pressure: Vec::new(),
            near_pressure: Vec::new(),
            dx: Vec::new(),
            dy: Vec::new(),
        }
    }

    /// Changes the parameters while the liquid flows. The interaction radius does not change.
    pub fn set_fluid(&mut self, fluid: Fluid) {
        self.base.rest = RestState::of(&fluid.pressure);
        self.max_frequency = self.base.rest.max_frequency(&fluid.pressure);
        self.phases.set_first(fluid.phase, fluid.scale.speed / self.fluid.scale.speed);
        self.fluid = fluid;
        self.wake();
    }

    /// Computes the densities of sleeping particles for a picture between substeps, if the last substep did not.
    pub fn update_sleeping_densities(&mut self, walls: &Walls) {
        if self.awake() < self.base.particles().len() {
            self.update_densities(walls, Zone::All);
        }
    }

    /// Applies gravity, target positions and pointer forces to the particles that are awake, then moves each by its
    /// velocity. The speed limit is a guard: see [`MAX_MOVE`].
    fn advance(&mut self, env: &StepContext) {
        let ParticleLiquid { grid, sleep_map, particles, h, .. } = &mut self.base;
        let (kick, limit, h, targets) = (env.gravity * env.dt, MAX_MOVE * *h / env.dt, *h, &self.targets);
        let (p, id) = particles.slice_mut();
        parallel_for_coarse(grid.chunks(), p, &|chunk, mut p| {
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

    /// Computes section 4.1, eqs. 1 and 5: density `Σ (1 − r/h)²` and near-density `Σ (1 − r/h)³`.
    fn update_densities(&mut self, walls: &Walls, zone: Zone) {
        let h = self.base.h;
        let (p, pairs) = self.base.pairs(zone);
        pairs.search([&p.x, &p.y], DensityKernel { h }, [&mut self.density, &mut self.near_density]);
        self.add_boundary_density(walls);
    }

    /// Applies section 4, eqs. 3 to 6, and section 5.3, Algorithm 5. Each pair of neighbours is pushed apart by the displacement
    /// `dt² (P (1 − q) + P_near (1 − q)²) r̂`. A pair that approaches is slowed by the viscosity impulse
    /// `I = dt (1 − q)(σ u + β u²) r̂`. Each particle of the pair gets half.
    ///
    /// Displacements are summed separately from the positions. Added to a position, an increment below its last bit would be
    /// lost for one particle of the pair only, and momentum would not be conserved.
    fn relax(&mut self, env: &StepContext) {
        let dt = env.dt;
        self.compute_pressure(dt);
        if !self.phases.is_single_phase() {
            self.scale_by_mass();
        }
        let (h, scales) = (self.base.h, self.viscosity_scales(dt));
        let [sigma, beta] = [scales[0] * self.fluid.phase.viscous.sigma, scales[1] * self.fluid.phase.viscous.beta];
        let (p, pairs) = self.base.pairs(Zone::ForceHalo);
        let (x, y, vx, vy) = (&p.x[..], &p.y[..], &p.vx[..], &p.vy[..]);
        let (pressure, near) = (&self.pressure[..], &self.near_pressure[..]);
        let sums = [&mut self.dx, &mut self.dy];
        if !self.phases.is_single_phase() {
            let repulsion = 0.5 * dt * dt / (h * h) * self.phases.interfacial_repulsion();
            let Phases { phase, mass, sigma, beta, .. } = &self.phases;
            let kernel = MultiphaseKernel::new(h, dt, repulsion);
            pairs.visit([x, y, pressure, near, vx, vy, sigma, beta, mass, phase], kernel, sums);
        } else if [sigma, beta] == [0.0; 2] {
            pairs.visit([x, y, pressure, near], PressureKernel { h }, sums);
        } else {
            let kernel = PressureViscosityKernel::new(h, dt, sigma, beta);
            pairs.visit([x, y, pressure, near, vx, vy], kernel, sums);
        }
        self.add_boundary_pressure(dt, env.gravity);
        self.divide_by_mass();
        let forward = self.thermostat.forward(self.fluid.thermal_speed);
        // Gravity does not act on particles with targets.
        let fall = if self.targets.held() > 0 { Vec2::ZERO } else { env.gravity * dt * dt };
        self.move_by_displacement(dt, forward, fall);
    }

    /// Eqs. 4 and 5 as in [`Fluid::pressures`]: `P = k (ρ − ρ₀)` and `P_near = k_near max(ρ_near − ν₀, 0)`. The factors
    /// are ½ (a pair shares each displacement), dt²/h (k is given times h), and 1/h and 1/h² for the kernel of
    /// [`pair_kernels`].
    fn compute_pressure(&mut self, dt: f32) {
        let PressureParams { stiffness, near_stiffness, rest_density, near_rest_density, .. } = self.fluid.pressure;
        let scale = 0.5 * dt * dt / (self.base.h * self.base.h);
        let (k, k_near) = (scale * stiffness, scale / self.base.h * near_stiffness);
        let (density, near_density) = (&self.density, &self.near_density);
        let pressures = [&mut self.pressure, &mut self.near_pressure].map(|array| resize_buffer(array, density.len()));
        parallel_for_coarse(self.base.grid.chunks(), pressures, &|chunk, [pressure, near_pressure]| {
            for (pressure, density) in pressure.iter_mut().zip(&density[chunk.slots.clone()]) {
                *pressure = k * (density - rest_density);
            }
            for (near_pressure, near_density) in near_pressure.iter_mut().zip(&near_density[chunk.slots.clone()]) {
                *near_pressure = k_near * (near_density - near_rest_density).max(0.0);
            }
        });
        if self.fluid.pressure.tension_scale < 1.0 {
            self.scale_negative_pressure(k * (self.base.rest.density - rest_density));
        }
    }

    /// Scales tension by `tension_scale`. Tension here is the part of a pull P beyond the one that balances the
    /// near-pressure in the liquid at rest.
    ///
    /// Tension makes a surface contract and grows with the stiffness, so that without this a liquid that is hard to
    /// compress would be sticky. P stays a function of the density alone, so an energy is conserved; a pull limited by
    /// the near-pressure made the liquid boil.
    fn scale_negative_pressure(&mut self, at_rest: f32) {
        let eased = 1.0 - self.fluid.pressure.tension_scale;
        parallel_for(self.base.grid.chunks(), &mut self.pressure[..], &|_, pressure: &mut [f32]| {
            pressure.iter_mut().for_each(|pressure| *pressure += eased * (at_rest - *pressure).max(0.0));
        });
    }

    /// The factors of σ and β in [`pair_kernels`]: ½ dt², 1/h for the kernel, and 1/h² and 1/h because σ and β are
    /// given times h² and h.
    fn viscosity_scales(&self, dt: f32) -> [f32; 2] {
        let scale = 0.5 * dt * dt / (self.base.h * self.base.h);
        [scale / self.base.h, scale]
    }

    /// Applies the accumulated displacement Δ: `v += Δ/dt` and `x += f Δ`; f is 1 in the paper (see [`thermostat`]). f also
    /// scales the fall `g dt²` of this substep, so that a particle at rest has no velocity for any f. The paper derives the
    /// velocity from the positions before and after, `(x − x_prev)/dt`. A separate velocity is not affected by the rounding
    /// of positions.
    fn move_by_displacement(&mut self, dt: f32, forward: f32, fall: Vec2) {
        let inv_dt = 1.0 / dt;
        let most = MAX_MOVE * self.base.h;
        let (dx, dy) = (&self.dx, &self.dy);
        let ParticleLiquid { grid, sleep_map, particles, .. } = &mut self.base;
        parallel_for_coarse(grid.chunks(), particles.slice_mut().0, &|chunk, p| {
            for slots in sleep_map.active_slots(grid, chunk) {
                let own = slots.start - chunk.slots.start..slots.end - chunk.slots.start;
                displace(
                    &mut p.x[own.clone()],
                    &mut p.vx[own.clone()],
                    &dx[slots.clone()],
                    most,
                    inv_dt,
                    forward,
                    fall.x,
                );
                displace(&mut p.y[own.clone()], &mut p.vy[own], &dy[slots], most, inv_dt, forward, fall.y);
            }
        });
    }

    /// The parameters of the first fluid.
    pub fn fluid(&self) -> &Fluid {
        &self.fluid
    }

    /// Returns P and P_near of a slot (eqs. 3 and 5) as they are applied, times h, in m²/s².
    pub fn pressures(&self, slot: usize) -> (f32, f32) {
        let [pressure, near] =
            self.fluid.pressure.pressures([value_at(&self.density, slot), value_at(&self.near_density, slot)]);
        let (at_rest, eased) =
            (self.base.rest.pressures(&self.fluid.pressure)[0], 1.0 - self.fluid.pressure.tension_scale);
        (pressure + eased * (at_rest - pressure).max(0.0), near)
    }
}

impl LiquidMethod for DoubleDensityLiquid {
    fn whitening(&self, phase: u8) -> Whitening {
        self.phases.params()[usize::from(phase)].whitening
    }

    /// One substep: the paper's Algorithm 1. Its viscosity impulses, which precede the advance, are part of
    /// [`pair_kernels`]; the reason and the equivalence are given there.
    fn step(&mut self, env: &StepContext, observer: &mut dyn StepObserver) {
        if self.conduction.is_some() {
            self.apply_thermal_weight(env);
        }
        self.advance(env);
        observer.pass_finished(Pass::Advance);
        if !self.springs.is_empty() {
            self.pull_springs(env.dt);
            observer.pass_finished(Pass::Springs);
        }
        self.base.sort();
        observer.pass_finished(Pass::Sort);
        let (makes_springs, has_set) =
            (self.phases.params().iter().any(|phase| phase.elastic.makes_springs()), self.has_set());
        if (makes_springs || has_set) && self.springs.search_due(env.dt) {
            if makes_springs {
                self.add_springs();
            }
            self.connect_what_has_set();
            observer.pass_finished(Pass::Springs);
        }
        self.update_densities(env.walls, if env.shown { Zone::All } else { Zone::DensityHalo });
        observer.pass_finished(Pass::Density);
        if env.shown && self.conduction.is_some() {
            self.conduct(env);
            observer.pass_finished(Pass::Diffuse);
        }
        if !self.phases.is_single_phase() {
            self.phases.gather_by_slot(&self.base.particles, self.viscosity_scales(env.dt));
        }
        self.note_places();
        self.relax(env);
        self.apply_viscosity(env);
        observer.pass_finished(Pass::Relax);
        self.apply_wall_friction(env);
        let anti_stick = self.fluid.walls.response == WallResponse::AntiStick;
        let release_speed = if anti_stick { self.fluid.walls.release_speed * self.base.h } else { 0.0 };
        self.base.resolve_walls(env.walls, self.fluid.walls.restitution, release_speed);
        observer.pass_finished(Pass::Walls);
        let base = &mut self.base;
        if env.shown {
            // Once a step, not once a substep.
            self.thermostat.regulate(&self.fluid, &base.grid, &base.sleep_map, &base.particles, STEP);
            // Without gravity no force presses the liquid onto the panes; and particles with targets follow the
            // targets.
            if env.gravity != Vec2::ZERO && self.targets.held() == 0 {
                self.thermostat.brake(&self.fluid, &base.grid, &base.sleep_map, &mut base.particles, STEP);
            }
        }
        if self.phases.diffusion_due(env.dt) {
            // The slots are those of this substep's sort; no particle has moved far since.
            self.phases.diffuse_fractions(base.level, &base.grid, &base.particles, base.h, base.rest.number_density);
            observer.pass_finished(Pass::Diffuse);
        }
    }

    fn fit(&mut self, walls: &Walls) {
        self.thermostat.forget_streams();
        if let Some(conduction) = &mut self.conduction {
            conduction.heat.fit(walls);
        }
        self.base.refit(walls);
        self.update_densities(walls, Zone::All);
    }

    fn required_substeps(&self, step: f32, _: f32, _: Vec2) -> f32 {
        let phase = thermostat::max_phase(self.fluid.thermal_speed);
        let pressed = step / self.base.h * self.max_frequency / phase * self.phases.substep_factor();
        self.phases.params().iter().map(|phase| step / phase.elastic.longest_step(self.base.h)).fold(pressed, f32::max)
    }

    fn update_sleep(&mut self, pointer_forces: &[PointerForce]) {
        if self.heat().is_some_and(Heat::is_changing) {
            self.wake();
        }
        self.base.update_sleep(pointer_forces);
    }

    fn is_slower_than(&self, speed: f32) -> bool {
        self.base.is_slower_than(speed) && !self.heat().is_some_and(Heat::is_changing)
    }

    fn phases(&self) -> Option<&Phases> {
        Some(&self.phases)
    }

    fn relative_density(&self, slot: usize) -> f32 {
        // The sum leaves out the particle itself, so it falls short of the integral by a constant.
        let integral = self.base.rest.number_density * std::f32::consts::PI / 6.0;
        // A particle that an inlet has added since the last step has the density at rest.
        let density = self.density.get(slot).copied().unwrap_or(self.base.rest.density);
        (density - self.base.rest.density + integral) / integral
    }

    /// The virial, in two dimensions `p A = ½ Σ r · F` over the pairs; half of each pair's term belongs to this
    /// particle. Walls and bodies are not pairs and are left out. A particle beside one then shows its own P alone,
    /// which exceeds its neighbours' by about as much as is left out. (With the imagined liquid it would be a quarter
    /// too much beside walls; without, it is 5 % short in the lowest h of water and 10 % in that of the blob.)
    ///
    /// P + P_near is no pressure but a kernel-weighted quantity: 2.4 times the pressure in water, 3 to 6 times in the
    /// blob.
    fn pressure(&self, slot: usize) -> f32 {
        let (p, h) = (&self.base.particles, self.base.h);
        let at = p.position(slot);
        let virial = self.base.grid.slots_around(at).filter(|&other| other != slot).map(|other| {
            let r = at.distance(p.position(other));
            if r < h { r * self.pair_acceleration(slot, other, r) } else { 0.0 }
        });
        self.relative_density(slot) * 0.25 * virial.sum::<f32>()
    }

    /// Eq. 6.
    fn pair_acceleration(&self, slot: usize, other: usize, r: f32) -> f32 {
        let ((own, own_near), (others, others_near)) = (self.pressures(slot), self.pressures(other));
        let g = (1.0 - r / self.base.h).max(0.0);
        0.5 / self.base.h * ((own + others) * g + (own_near + others_near) * g * g)
    }

    fn rest_stretches(&self) -> Vec<RestStretch> {
        self.find_rest_stretches()
    }

    fn add_with_phase(&mut self, phase: u8, at: Vec2, velocity: Vec2) {
        let id = self.base.insert(at, velocity);
        self.phases.assign_phase(id, phase);
        self.begin_heat(id);
    }

    fn has_heat(&self) -> bool {
        self.conduction.is_some()
    }

    fn temperature(&self, slot: usize) -> Option<f32> {
        self.heat().map(|heat| heat.temperature(self.base.particles.id[slot]))
    }

    fn enthalpy(&self, id: u32) -> Option<f64> {
        self.heat().map(|heat| heat.enthalpy(id))
    }

    fn vapor_heat(&self) -> f64 {
        self.heat().map_or(0.0, |heat| heat.vapor().heat + heat.vapor().pending())
    }

    fn vapor_mass(&self) -> f64 {
        self.heat().map_or(0.0, |heat| heat.vapor().mass)
    }

    fn received_heat(&self) -> f64 {
        self.heat().map_or(0.0, Heat::received)
    }

    fn vapor_fraction(&self, slot: usize) -> f32 {
        let Some(heat) = self.heat() else { return 0.0 };
        let id = self.base.particles.id[slot];
        self.phases.params_of(id).thermal.vapor_fraction(heat.enthalpy(id))
    }

    fn boils(&self) -> bool {
        self.conduction.is_some() && self.phases.params().iter().any(|fluid| fluid.thermal.boiling_heat > 0.0)
    }

    fn steam(&self) -> &[Vec2] {
        self.heat().map_or(&[], |heat| &heat.vapor().left)
    }

    fn thermal_mass(&self, id: u32) -> f64 {
        self.mass_of_heat(id)
    }

    fn remove(&mut self, slot: usize) {
        let id = self.base.take(slot);
        self.springs.remove_all(id);
    }

    fn coupling(&mut self) -> LiquidCoupling<'_> {
        let (area, spacing) = (self.base.particle_area(), self.base.spacing());
        let Self { base: ParticleLiquid { body_contacts, particles, h, .. }, phases, viscosity, .. } = self;
        LiquidCoupling {
            body_contacts,
            liquid: ParticleLiquidMut { particles, phases: Some(phases), h: *h, spacing, area },
            impulse_timing: ImpulseTiming::FullStep,
            boundary_offset: self.fluid.body_inset(),
            viscous: &viscosity.rates,
        }
    }
}

/// Moves particles by displacements along one axis, and changes their velocities accordingly.
fn displace(at: &mut [f32], v: &mut [f32], moved: &[f32], most: f32, inv_dt: f32, forward: f32, fall: f32) {
    for ((at, v), moved) in at.iter_mut().zip(v).zip(moved) {
        let moved = moved.clamp(-most, most);
        *at += forward * moved - (1.0 - forward) * fall;
        *v += moved * inv_dt;
    }
}
