//! Several fluids in one tank, with different masses, viscosities and colours.
//!
//! All of them have the same number density at rest and the same pressure per mass, so the passes over pairs are those of a
//! single fluid. Pressures and viscosities are multiplied by the particle's mass, so a pair exchanges an impulse, equal for
//! both particles. Divided by each particle's mass, the sum is a displacement. Momentum is conserved for any masses.
//!
//! This is the number density of B. Solenthaler and R. Pajarola, "Density Contrast SPH Interfaces", Symposium on Computer
//! Animation 2008. A density that counts neighbours does not jump where masses do, so the pressure is smooth across an
//! interface. A density that adds up masses leaves a gap there.

use crate::sim::liquid::MAX_PHASES;
use crate::sim::liquid::fluid::{Fluid, PhaseParams};
use crate::sim::liquid::springs::Viscoelastic;
use crate::sim::neighbors::Grid;
use crate::sim::particles::{Particles, resize_buffer};
use fearless_simd::Level;

/// The fraction of each of the tank's fluids in a particle. The fractions determine the particle's colour only; its density
/// and viscosity are those of its phase.
pub type PhaseFractions = [f32; MAX_PHASES];

/// Interval between diffusion steps of the fractions, seconds.
const DIFFUSION_INTERVAL: f32 = 1.0 / 60.0;

/// The largest fraction of a difference that one pair may exchange at once. A particle has about twenty neighbours, which
/// together remove less than half of the difference.
const MAX_EXCHANGE: f32 = 0.02;

/// Tells the particles of a gas from those of a liquid.
#[derive(Clone, Copy, Debug)]
pub struct GasFilter<'a>(Option<(&'a Phases, [bool; MAX_PHASES])>);

impl<'a> GasFilter<'a> {
    /// Creates the filter of a liquid with these phases; `None` for a liquid that cannot have several.
    pub fn of(phases: Option<&'a Phases>) -> Self {
        Self(phases.and_then(|phases| Some((phases, phases.gases()?))))
    }

    /// Returns whether the particle with this id is of a gas.
    #[inline(always)]
    pub fn is_gas(&self, id: u32) -> bool {
        self.0.is_some_and(|(phases, gases)| gases[usize::from(phases.phase_of(id))])
    }
}

/// The phases of a liquid, and the phase of each particle.
#[derive(Clone, Debug)]
pub struct Phases {
    params: Vec<PhaseParams>,
    /// Labels that distinguish phases of the same fluid.
    labels: Vec<Option<String>>,
    /// By id; empty where there is one fluid only.
    fluid_of: Vec<u8>,
    fractions: Vec<PhaseFractions>,
    /// Phase number by slot, for the pair kernel.
    pub phase: Vec<f32>,
    /// Mass over that of a particle of the first fluid.
    pub mass: Vec<f32>,
    /// Half of the linear viscosity, scaled for the pair kernel.
    pub sigma: Vec<f32>,
    /// Half of the quadratic viscosity, scaled for the pair kernel.
    pub beta: Vec<f32>,
    /// Seconds since fractions last diffused.
    since: f32,
    /// For each phase, the phase to which it freezes, if any; and the phase to which it melts, itself for a liquid.
    solid_of: [Option<u8>; MAX_PHASES],
    melt_of: [u8; MAX_PHASES],
}

/// The definition of a phase: a fluid, and a label that distinguishes it from other phases of the same fluid. The solver does
/// not use the label; the renderer and the user interface may.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhaseDef<'a> {
    /// The fluid of the phase.
    pub fluid: &'a Fluid,
    /// The label that distinguishes the phase.
    pub label: Option<&'a str>,
}

impl PhaseDef<'_> {
    /// Returns whether a phase with these values is this one.
    fn is(&self, params: &PhaseParams, label: Option<&str>) -> bool {
        self.fluid.phase == *params && self.label == label
    }
}

impl Phases {
    /// Creates the phases of a liquid of one fluid.
    pub fn of(fluid: &Fluid) -> Self {
        Self::without_particles(vec![fluid.phase], vec![None])
    }

    /// Returns the same phases without particles.
    pub fn empty_copy(&self) -> Self {
        let copy = Self::without_particles(self.params.clone(), self.labels.clone());
        Self { solid_of: self.solid_of, melt_of: self.melt_of, ..copy }
    }

    fn without_particles(params: Vec<PhaseParams>, labels: Vec<Option<String>>) -> Self {
        Self {
            params,
            labels,
            fluid_of: Vec::new(),
            fractions: Vec::new(),
            phase: Vec::new(),
            mass: Vec::new(),
            sigma: Vec::new(),
            beta: Vec::new(),
            since: 0.0,
            solid_of: [None; MAX_PHASES],
            melt_of: [0, 1, 2, 3],
        }
    }

    /// Adds a phase and returns its number.
    pub fn add(&mut self, params: PhaseParams, label: Option<&str>) -> u8 {
        self.params.push(params);
        self.labels.push(label.map(str::to_owned));
        (self.params.len() - 1) as u8
    }

    /// Adds a solid phase for each phase that can freeze, up to [`MAX_PHASES`] phases.
    pub fn add_solids(&mut self, ids: usize) {
        for melt in 0..self.params.len() {
            let Some(form) = self.params[melt].thermal.solid else { continue };
            if self.solid_of[melt].is_some() || self.params.len() == MAX_PHASES {
                continue;
            }
            // A particle keeps its mass when it freezes, and its heat is computed with the melt's parameters.
            let PhaseParams { density, thermal, .. } = self.params[melt];
            self.make_room(ids);
            let solid = self.add(PhaseParams { density, thermal, ..form.fluid.phase }, Some(&form.label));
            (self.solid_of[melt], self.melt_of[usize::from(solid)]) = (Some(solid), melt as u8);
        }
    }

    /// Assigns the first phase, unmixed, to all ids below `ids` that have no phase yet.
    fn make_room(&mut self, ids: usize) {
        if self.fluid_of.len() < ids {
            self.fluid_of.resize(ids, 0);
            self.fractions.resize(ids, [1.0, 0.0, 0.0, 0.0]);
        }
    }

    /// Returns the phase to which a phase freezes, if any.
    pub fn solid_of(&self, phase: u8) -> Option<u8> {
        self.solid_of[usize::from(phase)]
    }

    /// Returns the phase to which a phase melts: itself, unless it is a solid.
    pub fn melt_of(&self, phase: u8) -> u8 {
        self.melt_of[usize::from(phase)]
    }

    /// Returns whether a phase is the solid of another one.
    pub fn is_solid(&self, phase: u8) -> bool {
        self.melt_of(phase) != phase
    }

    /// Makes a particle solid or liquid, if its fluid can freeze, and sets the solid fraction of its colour to `fraction`.
    /// Returns whether the phase changed.
    pub fn set_solid(&mut self, id: u32, solid: bool, fraction: f32) -> bool {
        let melt = self.melt_of(self.phase_of(id));
        let Some(set) = self.solid_of(melt) else { return false };
        let place = id as usize;
        self.make_room(place + 1);
        let phase = if solid { set } else { melt };
        let turned = std::mem::replace(&mut self.fluid_of[place], phase) != phase;
        let fractions = &mut self.fractions[place];
        // The fractions of other fluids stay as they are.
        let own = fractions[usize::from(melt)] + fractions[usize::from(set)];
        (fractions[usize::from(set)], fractions[usize::from(melt)]) = (own * fraction, own * (1.0 - fraction));
        turned
    }

    /// Returns the number of a phase, if it is one of those after the first.
    pub fn find(&self, phase: PhaseDef) -> Option<u8> {
        let same = |&number: &usize| phase.is(&self.params[number], self.labels[number].as_deref());
        (1..self.params.len()).find(same).map(|number| number as u8)
    }

    /// Returns a phase after the first of which no particle in the tank has any fraction.
    fn spare(&self, p: &Particles) -> Option<u8> {
        let is_of = |number: u8, slot: usize| {
            self.melt_of(self.phase_of(p.id[slot])) == number || self.fractions(p.id[slot])[usize::from(number)] > 0.0
        };
        (1..self.params.len() as u8)
            .filter(|&number| !self.is_solid(number))
            .find(|&number| !p.alive().any(|slot| is_of(number, slot)))
    }

    /// Returns whether another fluid can be added to a liquid of these particles.
    pub fn has_room(&self, p: &Particles) -> bool {
        self.params.len() < MAX_PHASES || self.spare(p).is_some()
    }

    /// Returns the number of a phase in a liquid of these particles. A new phase is added; if there are [`MAX_PHASES`] already,
    /// it replaces an unused one. Returns `None` if all are used.
    pub fn find_or_add(&mut self, phase: PhaseDef, p: &Particles) -> Option<u8> {
        if let Some(number) = self.find(phase) {
            return Some(number);
        }
        if self.params.len() < MAX_PHASES {
            self.make_room(p.id_capacity());
            return Some(self.add(phase.fluid.phase, phase.label));
        }
        let number = self.spare(p)?;
        let place = usize::from(number);
        self.params[place] = phase.fluid.phase;
        self.labels[place] = phase.label.map(str::to_owned);
        // The solid of the replaced fluid no longer belongs to any phase.
        if let Some(solid) = self.solid_of[place].take() {
            self.melt_of[usize::from(solid)] = solid;
        }
        // These ids belong to particles that have been removed.
        self.fluid_of.iter_mut().filter(|of| **of == number).for_each(|of| *of = 0);
        Some(number)
    }

    /// Changes the first phase, and scales those parameters of the others that depend on the speeds of the tank (see
    /// [`Fluid::at_scale`]), which are now `faster` times as high as before.
    pub fn set_first(&mut self, params: PhaseParams, faster: f32) {
        self.params.iter_mut().for_each(|other| other.interfacial_repulsion *= faster * faster);
        self.params[0] = params;
        if let Some(solid) = self.solid_of[0] {
            let solid = &mut self.params[usize::from(solid)];
            (solid.density, solid.thermal) = (params.density, params.thermal);
        }
    }

    /// Returns for each phase whether it is a gas; `None` if no phase is a gas.
    pub fn gases(&self) -> Option<[bool; MAX_PHASES]> {
        let is_gas = |number| self.params.get(number).is_some_and(|phase: &PhaseParams| phase.gas);
        let gases = std::array::from_fn(is_gas);
        gases.contains(&true).then_some(gases)
    }

    /// Returns the stiffness of each phase, in units of the first, if one of them is a gas. The stiffness of a liquid is
    /// proportional to its density. By this rule a gas with a tenth of water's density would be ten times as soft as water, and
    /// its pockets would shrink with depth. So a gas is as stiff as the heaviest fluid, whichever fluid comes first. The number
    /// of substeps allows for this ([`Self::substep_factor`]).
    pub fn stiffness_with_gas(&self) -> Option<[f32; MAX_PHASES]> {
        let heaviest = self.params.iter().map(|fluid| fluid.density).fold(0.0, f32::max);
        let stiffness = |number: usize| match self.params.get(number) {
            Some(fluid) if !fluid.gas => fluid.density / self.params[0].density,
            _ => heaviest / self.params[0].density,
        };
        self.gases().map(|_| std::array::from_fn(stiffness))
    }

    /// Returns whether there is one fluid only.
    pub fn is_single_phase(&self) -> bool {
        self.params.len() == 1
    }

    /// Returns the parameters of each phase.
    pub fn params(&self) -> &[PhaseParams] {
        &self.params
    }

    /// Returns the viscoelastic parameters of each phase.
    pub fn elastic(&self) -> [Viscoelastic; MAX_PHASES] {
        std::array::from_fn(|number| self.params.get(number).map_or(Viscoelastic::default(), |phase| phase.elastic))
    }

    /// Returns the labels of the phases, by number.
    pub fn labels(&self) -> &[Option<String>] {
        &self.labels
    }

    /// Returns the phase of each particle, by id; empty for a single phase.
    pub fn fluid_of(&self) -> &[u8] {
        &self.fluid_of
    }

    /// Returns a particle's phase.
    pub fn phase_of(&self, id: u32) -> u8 {
        self.fluid_of.get(id as usize).copied().unwrap_or(0)
    }

    /// Returns the parameters of a particle's phase.
    pub fn params_of(&self, id: u32) -> &PhaseParams {
        &self.params[usize::from(self.phase_of(id))]
    }

    /// Returns the mass of a particle, relative to that of a particle of the first fluid.
    pub fn mass_of(&self, id: u32) -> f32 {
        self.params_of(id).density / self.params[0].density
    }

    /// Returns a particle's phase fractions.
    pub fn fractions(&self, id: u32) -> PhaseFractions {
        self.fractions.get(id as usize).copied().unwrap_or([1.0, 0.0, 0.0, 0.0])
    }

    /// Sets a particle's phase fractions.
    pub fn set_fractions(&mut self, id: u32, fractions: PhaseFractions) {
        if let Some(own) = self.fractions.get_mut(id as usize) {
            *own = fractions;
        }
    }

    /// Assigns a phase to a particle, unmixed.
    pub fn assign_phase(&mut self, id: u32, number: u8) {
        if self.is_single_phase() {
            return;
        }
        let ids = (id as usize + 1).max(self.fluid_of.len());
        self.fluid_of.resize(ids, 0);
        self.fractions.resize(ids, [1.0, 0.0, 0.0, 0.0]);
        self.fluid_of[id as usize] = number;
        self.fractions[id as usize] = std::array::from_fn(|fluid| if fluid == usize::from(number) { 1.0 } else { 0.0 });
    }

    /// Returns the factor on the number of substeps, relative to the lightest fluid alone: light particles feel the stiffness of
    /// their heavy neighbours.
    pub fn substep_factor(&self) -> f32 {
        let masses = || self.params.iter().map(|fluid| fluid.density);
        let ratio = masses().fold(0.0, f32::max) / masses().fold(f32::MAX, f32::min);
        // A gas is as stiff as the heaviest fluid even among its own particles.
        if self.gases().is_some() { ratio.sqrt() } else { (0.5 * (1.0 + ratio)).sqrt() }
    }

    /// Returns the repulsion between fluids, m²/s²: the largest of all phases.
    pub fn interfacial_repulsion(&self) -> f32 {
        self.params.iter().map(|fluid| fluid.interfacial_repulsion).fold(0.0, f32::max)
    }

    /// Gathers the parameters that depend on the fluid into the order of slots, after a sort. `viscosity` holds the factors on σ
    /// and β in the passes over pairs.
    pub fn gather_by_slot(&mut self, p: &Particles, viscosity: [f32; 2]) {
        let Self { params, fluid_of, phase, mass, sigma, beta, .. } = self;
        let own = |id: u32| usize::from(fluid_of.get(id as usize).copied().unwrap_or(0));
        let arrays = [phase, mass, sigma, beta].map(|array| resize_buffer(array, p.slots()));
        let [phase, mass, sigma, beta] = arrays;
        for (slot, &id) in p.id.iter().enumerate() {
            let number = own(id);
            let fluid = &params[number];
            let weight = fluid.density / params[0].density;
            (phase[slot], mass[slot]) = (number as f32, weight);
            (sigma[slot], beta[slot]) =
                (0.5 * weight * fluid.viscous.sigma * viscosity[0], 0.5 * weight * fluid.viscous.beta * viscosity[1]);
        }
    }

    /// Advances the clock by `dt` seconds, and returns whether fractions are to diffuse now.
    pub fn diffusion_due(&mut self, dt: f32) -> bool {
        let diffuses = self.params.iter().filter(|fluid| fluid.diffusion > 0.0).count() > 1;
        self.since += dt;
        let due = self.since >= DIFFUSION_INTERVAL;
        self.since -= if due { DIFFUSION_INTERVAL } else { 0.0 };
        due && diffuses
    }

    /// Diffuses the fractions: each pair of neighbours exchanges a fraction of its difference,
    ///
    /// ```text
    /// dc/dt = D Σ w (c_j − c_i),    w = 40 (1 − r/h) / (π n h²)
    /// ```
    ///
    /// with n particles per h², for which `Σ w x²` is 2, as for the Laplacian. A pair of fluids with different D uses the lower
    /// one; a fluid whose D is 0 does not mix.
    pub fn diffuse_fractions(&mut self, level: Level, grid: &Grid, p: &Particles, h: f32, number_density: f32) {
        let Self { params, fluid_of, fractions, .. } = self;
        let rates = |id: u32| params[usize::from(fluid_of[id as usize])].diffusion;
        let scale = 40.0 * DIFFUSION_INTERVAL / (std::f32::consts::PI * number_density * h * h);
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
