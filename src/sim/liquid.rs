//! Liquids made of particles: one substep and one step ([`Liquid::substep`], [`Liquid::step`]). `store` has the particles with
//! their neighbours and contacts, `pressure` the methods that keep them apart, `phases` several fluids in one tank.

pub mod body_contacts;
pub mod fill;
pub mod fluid;
pub mod froude;
mod immersed;
pub(in crate::sim) mod immersed_sheets;
mod insertion;
pub mod phases;
pub mod pressure;
mod queries;
pub mod region_probe;
pub mod rest_state;
pub mod settle;
pub mod springs;
pub mod statistics;
pub mod store;
pub mod targets;
mod thermostat;
pub mod viscosity;
pub mod whitewater;

use crate::sim::StepContext;
use crate::sim::boundary::Walls;
use crate::sim::clock::STEP;
use crate::sim::forces::PointerForce;
use crate::sim::heat::conduction::{Conduction, HeatedLiquid};
use crate::sim::heat::particles::Heat;
use crate::sim::heat::{HeatDef, HeaterDef, Heaters};
pub(in crate::sim) use crate::sim::liquid::body_contacts::{BodyContact, BodyContacts, ImmersedBody, WallContact};
pub(in crate::sim) use crate::sim::liquid::fluid::{Fluid, PhaseParams, WallResponse, Whitening};
pub(in crate::sim) use crate::sim::liquid::froude::FroudeScale;
pub(in crate::sim) use crate::sim::liquid::immersed_sheets::ImmersedSheets;
pub use crate::sim::liquid::phases::{MAX_FLUIDS, MAX_PHASES};
pub(in crate::sim) use crate::sim::liquid::phases::{PhaseDef, Phases, Removable};
use crate::sim::liquid::pressure::double_density::{DoubleDensity, viscosity_scales};
use crate::sim::liquid::pressure::grid_pressure::GridPressure;
use crate::sim::liquid::pressure::wcsph::{SphMaterial, Wcsph};
use crate::sim::liquid::pressure::{Medium, Pressure, wcsph};
pub(in crate::sim) use crate::sim::liquid::rest_state::RestState;
pub(in crate::sim) use crate::sim::liquid::springs::Springs;
use crate::sim::liquid::store::WALL_REACH;
use crate::sim::liquid::store::sleep::{JITTER_AT_SOLIDS, TremblingAt};
pub(in crate::sim) use crate::sim::liquid::store::{MAX_MOVE, ParticleStore, Source};
pub(in crate::sim) use crate::sim::liquid::targets::TargetPositions;
use crate::sim::liquid::viscosity::{Viscosity, ViscousLiquid};
pub(in crate::sim) use crate::sim::liquid::whitewater::Whitewater;
use crate::sim::neighbors::Zone;
use crate::sim::observer::{Pass, StepObserver};
use crate::sim::parallel::instructions::Instructions;
use glam::Vec2;
pub use immersed::Surroundings;
use thermostat::Thermostat;

/// The rate of the fastest viscous mode times the substep, at most, on a grid. The slower modes of a flow change by far less.
const MAX_VISCOUS_CHANGE: f32 = 4.0;

/// A liquid: its particles, and the state of its passes.
#[derive(Clone, Debug)]
pub struct Liquid {
    pub(in crate::sim) store: ParticleStore,
    /// The parameters of the first fluid.
    fluid: Fluid,
    phases: Phases,
    pressure: Pressure,
    /// Why the particles carry the weight; none if a grid does.
    keeps_particles: Option<&'static str>,
    pub(in crate::sim) targets: TargetPositions,
    springs: Springs,
    pub(in crate::sim) viscosity: Viscosity,
    thermostat: Thermostat,
    /// None in a liquid without a temperature.
    conduction: Option<Box<Conduction>>,
    /// Per slot, in the unit of the pressure's method.
    density: Vec<f32>,
    /// Per slot: sums of the passes over pairs.
    sums: [Vec<f32>; 2],
    /// Where in each part of a region the next removal takes a particle, 0 to 1.
    removal_offset: f64,
}

impl Liquid {
    /// Creates an empty liquid of interaction radius `h` metres whose pressure is that of double-density relaxation.
    pub fn new(fluid: Fluid, h: f32) -> Self {
        let rest = RestState::of(&fluid.pressure);
        Self::with_pressure(fluid, rest, Pressure::Relaxation(DoubleDensity::new(&fluid, &rest), None), h)
    }

    /// Creates an empty liquid of weakly compressible smoothed particles of interaction radius `h` metres.
    pub fn wcsph(material: SphMaterial, h: f32) -> Self {
        let pressure = Pressure::Wcsph(Box::new(Wcsph::new(material)));
        Self::with_pressure(material.as_fluid(), wcsph::rest(&material), pressure, h)
    }

    fn with_pressure(fluid: Fluid, rest: RestState, pressure: Pressure, h: f32) -> Self {
        Self {
            store: ParticleStore::new(rest, h),
            fluid,
            phases: Phases::of(&fluid),
            pressure,
            keeps_particles: None,
            targets: TargetPositions::default(),
            springs: Springs::default(),
            viscosity: Viscosity::default(),
            thermostat: Thermostat::default(),
            conduction: None,
            density: Vec::new(),
            removal_offset: 0.0,
            sums: Default::default(),
        }
    }

    /// One substep: the paper's Algorithm 1. Its viscosity impulses are part of the pressure's pair kernels.
    pub fn substep(&mut self, env: &StepContext, observer: &mut dyn StepObserver) {
        self.advance(env, Zone::DensityHalo, observer);
        self.relax(env, false, observer);
    }

    /// The last substep of a step, with the passes that run once a step.
    pub fn step(&mut self, env: &StepContext, observer: &mut dyn StepObserver) {
        self.advance(env, Zone::All, observer);
        if self.conduction.is_some() {
            if env.pointer_forces.iter().any(|force| force.kind.heating() != 0.0) {
                self.wake();
            }
            if let Some((conduction, mut particles, pressure)) = self.split_heat() {
                let density = particles.density;
                conduction.step(&mut particles, env, &|store, slot| pressure.surface(store, density, slot));
            }
            observer.pass_finished(Pass::Diffuse);
        }
        self.relax(env, true, observer);
        if let Some(grid) = self.pressure.grid() {
            self.thermostat.rest(grid.flow(), &self.fluid, STEP);
        } else {
            let ParticleStore { grid, sleep_map, particles, .. } = &mut self.store;
            self.thermostat.regulate(&self.fluid, &self.phases, grid, sleep_map, particles, STEP);
            // Without gravity no force presses the liquid onto the panes; and particles with targets follow the targets.
            if env.gravity != Vec2::ZERO && self.targets.held == 0 {
                self.thermostat.brake(&self.fluid, grid, sleep_map, particles, STEP);
            }
        }
        if self.phases.diffuses() {
            let ParticleStore { level, grid, particles, h, rest, .. } = &self.store;
            self.phases.diffuse_fractions(*level, grid, particles, *h, rest.number_density);
            observer.pass_finished(Pass::Diffuse);
        }
    }

    /// Moves the particles, finds their neighbours, and computes the densities of a zone.
    fn advance(&mut self, env: &StepContext, zone: Zone, observer: &mut dyn StepObserver) {
        if let Some(conduction) = &self.conduction {
            conduction.heat.apply_weight(&mut self.store, env.gravity * env.dt);
        }
        let (pressure, medium) = self.split();
        pressure.advance(medium, env);
        observer.pass_finished(Pass::Advance);
        if !self.springs.is_empty() {
            self.springs.substep(&mut self.store, &self.phases, &mut self.sums, env.dt);
            observer.pass_finished(Pass::Springs);
        }
        self.store.sort();
        observer.pass_finished(Pass::Sort);
        let makes_springs = self.makes_springs();
        if (makes_springs || self.heat().is_some_and(|heat| heat.any_fresh)) && self.springs.search_due(env.dt) {
            if makes_springs {
                self.springs.add_dynamic(&self.store, &self.phases);
            }
            if let Some((conduction, particles)) = self.heated() {
                conduction.connect_frozen(particles);
            }
            observer.pass_finished(Pass::Springs);
        }
        let (pressure, medium) = self.split();
        pressure.update_densities(medium, env.walls, zone);
        observer.pass_finished(Pass::Density);
    }

    /// Applies the forces between particles and those of walls.
    fn relax(&mut self, env: &StepContext, keeps_forces: bool, observer: &mut dyn StepObserver) {
        if !self.phases.is_single_phase() {
            self.phases.gather_by_slot(&self.store.particles, viscosity_scales(self.store.h, env.dt));
        }
        if self.viscous().max_viscosity() > 0.0 {
            self.viscosity.record_positions(&self.store.particles);
        }
        let (pressure, medium) = self.split();
        pressure.relax(medium, env, keeps_forces);
        let heat = self.conduction.as_ref().map(|conduction| &conduction.heat);
        let viscous = ViscousLiquid { phases: &self.phases, density: &self.density, heat };
        self.viscosity.substep(&viscous, &mut self.store, &mut self.sums, env);
        observer.pass_finished(Pass::Relax);
        let (pressure, medium) = self.split();
        pressure.resolve_walls(medium, env);
        observer.pass_finished(Pass::Walls);
    }

    fn split(&mut self) -> (&mut Pressure, Medium<'_>) {
        let Self { store, fluid, phases, pressure, targets, thermostat, conduction, density, sums, .. } = self;
        let heat = conduction.as_ref().map(|conduction| &conduction.heat);
        (pressure, Medium { store, density, sums, fluid, phases, targets, thermostat, heat })
    }

    /// Its heat, and what the passes of heat work on, if it has a temperature.
    pub(in crate::sim) fn heated(&mut self) -> Option<(&mut Conduction, HeatedLiquid<'_>)> {
        self.split_heat().map(|(conduction, particles, _)| (conduction, particles))
    }

    fn split_heat(&mut self) -> Option<(&mut Conduction, HeatedLiquid<'_>, &Pressure)> {
        let body_inset = self.fluid.body_inset();
        let Self { store, phases, pressure, springs, conduction, density, sums, .. } = self;
        let particles = HeatedLiquid { store, phases, springs, density, sums, body_inset };
        Some((conduction.as_deref_mut()?, particles, pressure))
    }

    /// Gives it a temperature before it has particles. Heaters take part once it has been fitted to the walls.
    pub(in crate::sim) fn enable_heat(&mut self, def: HeatDef, heaters: &[HeaterDef]) {
        self.conduction = Some(Box::new(Conduction::new(Heat::new(def, Heaters::new(heaters)))));
    }

    /// Each particle gets the temperature at which its fluid is poured, if the liquid has none. Smoothed particles have none.
    pub(in crate::sim) fn enable_heat_by_fluid(&mut self) {
        if self.conduction.is_some() || self.is_sph() {
            return;
        }
        let mut heat = Heat::new(HeatDef::default(), Heaters::default());
        heat.by_fluid = true;
        let p = &self.store.particles;
        p.alive().for_each(|slot| heat.begin(p.id[slot], &mut self.phases));
        self.conduction = Some(Box::new(Conduction::new(heat)));
        self.wake();
    }

    /// Adapts the liquid to walls that have moved or particles that were added: sorts it and computes its densities.
    pub fn fit(&mut self, walls: &Walls) {
        self.thermostat.forget_streams();
        if let Some(conduction) = &mut self.conduction {
            conduction.heat.heaters.fit(walls.size());
        }
        self.store.refit(walls);
        let (pressure, medium) = self.split();
        pressure.fit(medium, walls);
    }

    /// Changes the parameters while the liquid flows. The interaction radius does not change.
    pub fn set_fluid(&mut self, fluid: Fluid) {
        let Pressure::Relaxation(double, _) = &mut self.pressure else { return };
        self.store.rest = RestState::of(&fluid.pressure);
        double.max_frequency = self.store.rest.max_frequency(&fluid.pressure);
        self.phases.set_first(fluid.phase, fluid.scale.speed / self.fluid.scale.speed);
        self.fluid = fluid;
        self.wake();
    }

    /// Changes the parameters of a liquid of smoothed particles.
    pub fn set_material(&mut self, material: SphMaterial) {
        let Pressure::Wcsph(sph) = &mut self.pressure else { return };
        sph.set_params(material);
        self.fluid = material.as_fluid();
        self.phases.set_first(self.fluid.phase, 1.0);
    }

    /// Whether particles are held at targets: a clock, a text.
    pub fn holds_shapes(&self) -> bool {
        self.targets.held > 0
    }

    /// Selects the instruction set, or the best available one if this machine does not have it.
    pub fn use_instructions(&mut self, instructions: Instructions) {
        self.store.level = instructions.level_or_best();
    }

    /// Divides the passes among `threads` threads from the next step on; the caller must step inside a pool of as many.
    pub fn set_threads(&mut self, threads: usize) {
        self.store.grid.set_threads(threads);
    }

    /// Adds a phase of the definition and returns its number. Rest density, stiffness and walls are those of the first.
    pub fn add_phase(&mut self, phase: PhaseDef) -> u8 {
        let number = self.phases.add(phase.fluid.phase, phase.label);
        self.phases.keep();
        number
    }

    /// The number of a phase that is poured during play; none without room. `pool`: inlets have to pour what outlets removed.
    pub(in crate::sim) fn find_or_add_phase(&mut self, phase: PhaseDef, pool: bool) -> Option<u8> {
        if self.is_sph() {
            return None;
        }
        self.wake();
        self.phases.find_or_add(phase, &self.store.particles, pool, self.conduction.is_some())
    }

    /// Connects all neighbours by springs at rest, if the fluid has springs. Call it when the liquid has been fitted.
    pub fn create_springs(&mut self) {
        self.springs.create(&self.store, &self.phases);
    }

    pub(in crate::sim) fn choose_pressure(&mut self, gravity: Vec2) {
        if self.is_sph() {
            return;
        }
        let held = self.holds_shapes().then_some("held shapes");
        let may_freeze = || self.heat().is_some_and(|heat| heat.may_freeze(&self.phases));
        // On a grid warm liquid flows without jitter.
        let is_free = |reason: &&str| self.conduction.is_some() && *reason == "jitter";
        self.keeps_particles = held
            .or((!self.springs.is_empty()).then_some("springs"))
            .or_else(|| may_freeze().then_some("freezing"))
            .or_else(|| GridPressure::refuses(&self.fluid, &self.phases, gravity).filter(|reason| !is_free(reason)));
        self.pressure.use_grid(self.keeps_particles.is_none());
    }

    /// Its interaction radius, what carries its weight, and why not a grid, as rows of a name and a value.
    pub fn describe(&self) -> Vec<(&'static str, String)> {
        let method = match self.pressure {
            Pressure::Relaxation(_, Some(_)) => "grid",
            Pressure::Relaxation(_, None) => "particles",
            Pressure::Wcsph(_) => "SPH",
        };
        let rows = [
            ("radius h", format!("{:.4} m", self.h())),
            ("  spacing", format!("{:.4} m", self.spacing())),
            ("  neighbours", format!("{:.1}", self.store.rest.neighbours())),
            ("pressure", method.to_owned()),
        ];
        let why = self.keeps_particles.map(|reason| ("  because", reason.to_owned()));
        rows.into_iter().chain(why).collect()
    }

    /// The fewest substeps of a step of `step` seconds, at most `usual`, the definition's: on a grid one, but more in a thick
    /// liquid, whose viscosity balances gravity. As if it consisted of `finer` times as many particles.
    pub fn min_substeps(&self, step: f32, usual: u32, finer: f32) -> u32 {
        if self.is_on_grid() {
            (finer * self.viscous().fastest_rate(&self.store) * step / MAX_VISCOUS_CHANGE)
                .ceil()
                .clamp(1.0, usual as f32) as u32
        } else {
            usual
        }
    }

    fn viscous(&self) -> ViscousLiquid<'_> {
        ViscousLiquid { phases: &self.phases, density: &self.density, heat: self.heat() }
    }

    /// Whether a grid carries its weight.
    pub fn is_on_grid(&self) -> bool {
        self.pressure.grid().is_some()
    }

    /// The substeps, with fractions, for `step` seconds under `gravity` (m/s²) in a tank of `size` metres.
    pub fn required_substeps(&self, step: f32, gravity: f32, size: Vec2) -> f32 {
        let h = self.store.h;
        let pressed = self.pressure.required_substeps(&self.store, &self.fluid, &self.phases, step, gravity, size);
        let pressed = pressed * self.phases.substep_factor();
        self.phases.params.iter().map(|phase| step / phase.elastic.longest_step(h)).fold(pressed, f32::max)
    }

    /// Distance within which walls act on it, metres.
    pub fn wall_reach(&self) -> f32 {
        WALL_REACH * self.store.h
    }

    /// Wakes all parts of the liquid.
    pub fn wake(&mut self) {
        self.store.sleep_map.wake();
    }

    /// Puts parts at rest to sleep until something comes near. Call it before the substeps, with the pointer forces to come.
    pub fn update_sleep(&mut self, pointer_forces: &[PointerForce], walls: &Walls) {
        if !self.is_sph() && !self.never_calms() {
            if self.heat().is_some_and(Heat::is_changing) {
                self.wake();
            }
            let walls = self.walls_of_grid(walls);
            self.store.update_sleep(pointer_forces, walls);
        }
    }

    /// The walls of a grid's liquid: single particles never stop in gaps narrower than its cells, or where a surface meets a wall.
    fn walls_of_grid<'a>(&self, walls: &'a Walls) -> Option<TremblingAt<'a>> {
        // A viscous drop of one or two particles slides down a wall as slowly as others tremble.
        self.is_on_grid().then_some((walls, if self.phases.is_viscous() { 3 } else { 1 }))
    }

    /// Whether no part of it moves faster than `speed` (m/s), and no temperature changes.
    pub fn is_slower_than(&self, speed: f32, walls: &Walls) -> bool {
        let fastest = self.store.particles.max_speed();
        let is_slow = match &self.pressure {
            Pressure::Relaxation(_, Some(_)) if !self.store.body_contacts.immersed.is_empty() => {
                fastest < JITTER_AT_SOLIDS && self.store.particles.mean_speed() < speed
            }
            Pressure::Relaxation(..) => self.store.is_slower_than(speed, self.walls_of_grid(walls)),
            Pressure::Wcsph(_) => fastest < speed,
        };
        is_slow && !self.heat().is_some_and(Heat::is_changing) && !self.never_calms()
    }

    /// Whether its particles tremble even where it stands still.
    pub fn keeps_trembling(&self) -> bool {
        !self.is_on_grid() && !self.fluid.calms && thermostat::thermal_speed(&self.fluid, &self.phases) > 0.0
    }

    /// Whether it stays awake however slow it is, because slow convection is to go on. The particles alone keep moving.
    fn never_calms(&self) -> bool {
        self.is_on_grid() && !self.fluid.calms
    }

    /// Sets all velocities to zero.
    pub fn zero_velocities(&mut self) {
        self.store.particles.zero_velocities();
    }
}
