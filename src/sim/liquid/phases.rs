//! Several fluids in one tank. All have the same rest density in particles and the same stiffness per mass, so the passes over
//! pairs are those of one fluid; pressures and viscosities are multiplied by the particle's mass (B. Solenthaler, R. Pajarola,
//! "Density Contrast SPH Interfaces", Symposium on Computer Animation 2008).

use crate::sim::clock::STEP;
use crate::sim::heat::enthalpy::WATER_DENSITY;
use crate::sim::liquid::fluid::SolidForm;
use crate::sim::liquid::springs::Viscoelastic;
use crate::sim::liquid::{Fluid, PhaseParams};
use crate::sim::neighbors::Grid;
use crate::sim::particles::{Particles, resize_buffer};
use fearless_simd::Level;
use serde::Serialize;

pub const MAX_FLUIDS: usize = 4;

/// Maximum number of phases: every fluid, and its solid.
pub const MAX_PHASES: usize = 2 * MAX_FLUIDS;

/// The fraction of each of the tank's fluids in a particle. It determines the particle's colour only.
pub type PhaseFractions = [f32; MAX_PHASES];

/// Maximum fraction of a difference that one pair levels in a pass; a particle has about twenty neighbours.
const MAX_EXCHANGE: f32 = 0.02;

const UNMIXED: PhaseFractions = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];

/// The particles that may be removed, by their state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Removable {
    /// Only gas; else no gas.
    pub gas: bool,
    /// Only what has frozen; else solids too.
    pub solid: bool,
}

impl Removable {
    /// Whether the particle with this id is one of them.
    pub fn includes(self, phases: &Phases, id: u32) -> bool {
        self.gas == phases.params_of(id).gas && (!self.solid || phases.is_solid(phases.phase_of(id)))
    }
}

/// The phases of a liquid, and the phase of each particle.
#[derive(Clone, Debug, Default)]
pub struct Phases {
    pub params: Vec<PhaseParams>,
    /// Per phase: the label that distinguishes it from phases of the same fluid.
    pub labels: Vec<Option<String>>,
    /// By id: the phase; empty where there is one fluid only.
    pub fluid_of: Vec<u8>,
    fractions: Vec<PhaseFractions>,
    /// By slot: the number of the phase, as an attribute of the pair passes.
    pub phase: Vec<f32>,
    /// Mass over that of a particle of the first fluid.
    pub mass: Vec<f32>,
    /// Half of the linear viscosity, scaled for the pair kernel.
    pub sigma: Vec<f32>,
    /// Half of the quadratic viscosity, scaled for the pair kernel.
    pub beta: Vec<f32>,
    /// For each phase, the phase to which it freezes, if any; and the phase to which it melts, itself for a liquid.
    solid_of: [Option<u8>; MAX_PHASES],
    melt_of: [u8; MAX_PHASES],
    /// Number of the phases of the definition, which come first.
    kept: usize,
}

/// A phase of a definition: a fluid, and a label that distinguishes it from others of the same fluid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhaseDef<'a> {
    /// Its parameters.
    pub fluid: &'a Fluid,
    /// Its label.
    pub label: Option<&'a str>,
}

impl Phases {
    pub fn of(fluid: &Fluid) -> Self {
        let melt_of = std::array::from_fn(|number| number as u8);
        Self { params: vec![fluid.phase], labels: vec![None], melt_of, kept: 1, ..Self::default() }
    }

    pub fn add(&mut self, params: PhaseParams, label: Option<&str>) -> u8 {
        self.params.push(params);
        self.labels.push(label.map(str::to_owned));
        (self.params.len() - 1) as u8
    }

    /// Adds the solid of each phase that can freeze.
    pub fn add_solids(&mut self, ids: usize) {
        for melt in 0..self.params.len() {
            let Some(form) = self.params[melt].solid else { continue };
            if self.solid_of[melt].is_none() && !self.is_solid(melt as u8) {
                self.make_room(ids);
                let solid = self.add(form.fluid.phase, None);
                (self.solid_of[melt], self.melt_of[usize::from(solid)]) = (Some(solid), melt as u8);
                self.set_solid_form(melt, solid, form);
            }
        }
    }

    /// Sets the parameters of a solid. A particle keeps its mass when it freezes, and its heat is counted as the melt's.
    fn set_solid_form(&mut self, melt: usize, solid: u8, form: &SolidForm) {
        let PhaseParams { density, thermal, solid: own, .. } = self.params[melt];
        self.params[usize::from(solid)] = PhaseParams { density, thermal, solid: own, ..form.fluid.phase };
        self.labels[usize::from(solid)] = Some(form.label.clone());
    }

    fn make_room(&mut self, ids: usize) {
        if self.fluid_of.len() < ids {
            self.fluid_of.resize(ids, 0);
            self.fractions.resize(ids, UNMIXED);
        }
    }

    /// The phase to which a phase freezes, if it does.
    pub fn solid_of(&self, phase: u8) -> Option<u8> {
        self.solid_of[usize::from(phase)]
    }

    /// The molten form of a phase: itself, unless it is a solid.
    pub fn melt_of(&self, phase: u8) -> u8 {
        self.melt_of[usize::from(phase)]
    }

    pub fn is_solid(&self, phase: u8) -> bool {
        self.melt_of(phase) != phase
    }

    /// Freezes or melts a particle, and shows it as solid as `fraction` says. Returns whether its phase changed.
    pub fn set_solid(&mut self, id: u32, solid: bool, fraction: f32) -> bool {
        let melt = self.melt_of(self.phase_of(id));
        let Some(set) = self.solid_of(melt) else { return false };
        let place = id as usize;
        self.make_room(place + 1);
        let phase = if solid { set } else { melt };
        let turned = std::mem::replace(&mut self.fluid_of[place], phase) != phase;
        let fractions = &mut self.fractions[place];
        // The fractions of other fluids do not change.
        let own = fractions[usize::from(melt)] + fractions[usize::from(set)];
        (fractions[usize::from(set)], fractions[usize::from(melt)]) = (own * fraction, own * (1.0 - fraction));
        turned
    }

    fn find(&self, PhaseDef { fluid, label }: PhaseDef) -> Option<u8> {
        let same = |&number: &usize| fluid.phase == self.params[number] && label == self.labels[number].as_deref();
        (1..self.params.len()).find(same).map(|number| number as u8)
    }

    /// Keeps the numbers of all present phases: they belong to the definition, whose inlets may pour them at any time.
    pub fn keep(&mut self) {
        self.kept = self.params.len();
    }

    /// A new phase is added, in place of an unused one if there are as many as there can be; none if there is no room. `pool`:
    /// inlets have still to pour what outlets have removed, whose fluids are then in use. `heat`: what boils may be vapour.
    pub fn find_or_add(&mut self, phase: PhaseDef, p: &Particles, pool: bool, heat: bool) -> Option<u8> {
        if let Some(number) = self.find(phase) {
            return Some(number);
        }
        let fluids = (0..self.params.len() as u8).filter(|&number| !self.is_solid(number)).count();
        if fluids < MAX_FLUIDS {
            self.make_room(p.id_capacity());
            return Some(self.add(phase.fluid.phase, phase.label));
        }
        // A spare one is neither of the definition nor a solid, and no particle and no vapour is of it.
        let number = (self.kept..self.params.len()).find(|&number| {
            let is_of = |id: u32| self.melt_of(self.phase_of(id)) == number as u8 || self.fractions(id)[number] > 0.0;
            let is_used = match pool {
                true => (0..self.fluid_of.len() as u32).any(is_of),
                false => p.alive().any(|slot| is_of(p.id[slot])),
            };
            let is_vapor = heat && self.params[number].thermal.boiling_heat > 0.0;
            !self.is_solid(number as u8) && !is_used && !is_vapor
        })?;
        self.params[number] = phase.fluid.phase;
        self.labels[number] = phase.label.map(str::to_owned);
        if let Some(solid) = self.solid_of[number] {
            match phase.fluid.phase.solid {
                Some(form) => self.set_solid_form(number, solid, form),
                // No particle of it can freeze.
                None => {
                    let solid = &mut self.params[usize::from(solid)];
                    (solid.thermal, solid.solid) = (phase.fluid.phase.thermal, None);
                }
            }
        }
        // Ids of removed particles may still have the number.
        self.fluid_of.iter_mut().filter(|of| usize::from(**of) == number).for_each(|of| *of = 0);
        Some(number as u8)
    }

    /// Scales the speeds of the other phases by `faster`, the ratio of the tank's present speeds to the earlier ones.
    pub fn set_first(&mut self, params: PhaseParams, faster: f32) {
        self.params.iter_mut().for_each(|other| other.interfacial_repulsion *= faster * faster);
        self.params[0] = params;
        if let Some(solid) = self.solid_of[0] {
            let solid = &mut self.params[usize::from(solid)];
            (solid.density, solid.thermal, solid.solid) = (params.density, params.thermal, params.solid);
        }
    }

    pub fn has_gas(&self) -> bool {
        self.params.iter().any(|phase| phase.gas)
    }

    /// Stiffness of a phase, that of water being 1: its density, or the greatest density for a gas.
    pub fn stiffness(&self, phase: u8) -> f32 {
        let fluid = &self.params[usize::from(phase)];
        if fluid.gas { self.params.iter().map(|fluid| fluid.density).fold(0.0, f32::max) } else { fluid.density }
    }

    /// By phase, the stiffness relative to the first. A gas is as stiff as the heaviest of the liquids: one scaled by its density
    /// would be so soft that its pockets shrink with depth. [`Self::substep_factor`] has the substeps that this takes.
    pub fn relative_stiffness(&self) -> [f32; MAX_PHASES] {
        let present = |number: usize| number.min(self.params.len() - 1) as u8;
        std::array::from_fn(|number| self.stiffness(present(number)) / self.params[0].density)
    }

    /// Whether one of its fluids is viscous.
    pub fn is_viscous(&self) -> bool {
        self.params.iter().any(PhaseParams::is_viscous)
    }

    pub fn is_single_phase(&self) -> bool {
        self.params.len() == 1
    }

    pub fn elastic(&self) -> [Viscoelastic; MAX_PHASES] {
        std::array::from_fn(|number| self.params.get(number).map_or(Viscoelastic::default(), |phase| phase.elastic))
    }

    pub fn phase_of(&self, id: u32) -> u8 {
        self.fluid_of.get(id as usize).copied().unwrap_or(0)
    }

    pub fn params_of(&self, id: u32) -> &PhaseParams {
        &self.params[usize::from(self.phase_of(id))]
    }

    /// The mass of a square metre of a particle's fluid at rest, one square metre of water having mass 1.
    pub fn mass_of(&self, id: u32) -> f32 {
        self.params_of(id).density
    }

    /// Mass of a particle of a phase that represents `area` m², for each metre of the tank's depth, kg.
    pub fn thermal_mass(&self, phase: u8, area: f32) -> f64 {
        let density = self.params.get(usize::from(phase)).map_or(1.0, |fluid| fluid.density);
        WATER_DENSITY * f64::from(density) * f64::from(area)
    }

    pub fn fractions(&self, id: u32) -> PhaseFractions {
        self.fractions.get(id as usize).copied().unwrap_or(UNMIXED)
    }

    pub fn assign_phase(&mut self, id: u32, number: u8) {
        if self.is_single_phase() {
            return;
        }
        debug_assert!(usize::from(number) < self.params.len(), "{number} is the number of no phase");
        self.make_room(id as usize + 1);
        self.fluid_of[id as usize] = number;
        self.fractions[id as usize] = std::array::from_fn(|fluid| if fluid == usize::from(number) { 1.0 } else { 0.0 });
    }

    /// Factor by which a step must be divided more often than for the lightest fluid alone.
    pub fn substep_factor(&self) -> f32 {
        let masses = || self.params.iter().map(|fluid| fluid.density);
        let ratio = masses().fold(0.0, f32::max) / masses().fold(f32::MAX, f32::min);
        // A gas is as stiff as the heaviest liquid.
        if self.has_gas() { ratio.sqrt() } else { (0.5 * (1.0 + ratio)).sqrt() }
    }

    /// Repulsion between the fluids, m²/s²: the largest of any phase.
    pub fn interfacial_repulsion(&self) -> f32 {
        self.params.iter().map(|fluid| fluid.interfacial_repulsion).fold(0.0, f32::max)
    }

    /// Copies the attributes that depend on the fluid into slot order, after a sort. `viscosity` has the factors of σ and β.
    pub fn gather_by_slot(&mut self, p: &Particles, viscosity: [f32; 2]) {
        let Self { params, fluid_of, phase, mass, sigma, beta, .. } = self;
        let [phase, mass, sigma, beta] = [phase, mass, sigma, beta].map(|array| resize_buffer(array, p.slots()));
        for (slot, &id) in p.id.iter().enumerate() {
            let number = usize::from(fluid_of.get(id as usize).copied().unwrap_or(0));
            let fluid = &params[number];
            let weight = fluid.density / params[0].density;
            (phase[slot], mass[slot]) = (number as f32, weight);
            (sigma[slot], beta[slot]) =
                (0.5 * weight * fluid.viscous.sigma * viscosity[0], 0.5 * weight * fluid.viscous.beta * viscosity[1]);
        }
    }

    pub fn diffuses(&self) -> bool {
        self.params.iter().filter(|fluid| fluid.diffusion > 0.0).count() > 1
    }

    /// Each pair of neighbours levels a fraction of its difference, dc/dt = D Σ w (c_j − c_i), w = 40 (1 − r/h) / (π n h²), with
    /// n particles on an area of h², so that the sum over `w x²` is 2: that of the Laplacian. Of two D the lower counts.
    pub fn diffuse_fractions(&mut self, level: Level, grid: &Grid, p: &Particles, h: f32, number_density: f32) {
        let Self { params, fluid_of, fractions, .. } = self;
        let rates = |id: u32| params[usize::from(fluid_of[id as usize])].diffusion;
        let scale = 40.0 * STEP / (std::f32::consts::PI * number_density * h * h);
        grid.for_each_pair(level, p, h, |i, j, r2| {
            let (a, b) = (p.id[i], p.id[j]);
            let share = (rates(a).min(rates(b)) * scale * (1.0 - r2.sqrt() / h)).min(MAX_EXCHANGE);
            if share > 0.0 {
                let (own, other) = (fractions[a as usize], fractions[b as usize]);
                let levelled: PhaseFractions = std::array::from_fn(|fluid| share * (other[fluid] - own[fluid]));
                fractions[a as usize].iter_mut().zip(levelled).for_each(|(own, more)| *own += more);
                fractions[b as usize].iter_mut().zip(levelled).for_each(|(own, less)| *own -= less);
            }
        });
    }
}
