//! Several fluids in one tank: of different masses, thicknesses and colours.
//!
//! All of them lie equally densely and push equally hard for their mass, so a place says nothing about the fluid and the
//! passes over pairs are those of a single fluid. What differs is brought along: pressures and viscosities are times the
//! particle's mass, so what a pair exchanges is an impulse, the same for both; divided by the mass of each in the end it
//! is a displacement. Momentum is conserved whatever the masses.
//!
//! This is the number density of B. Solenthaler and R. Pajarola, "Density Contrast SPH Interfaces", Symposium on Computer
//! Animation 2008: a density that counts neighbours does not jump where masses do, and the pressure is smooth across an
//! interface. One that adds up masses leaves a gap there.

use crate::sim::liquid::MAX_PHASES;
use crate::sim::liquid::fluid::{Fluid, PhaseParams};
use crate::sim::liquid::springs::Viscoelastic;
use crate::sim::neighbors::Grid;
use crate::sim::particles::{Particles, resize_buffer};
use fearless_simd::Level;

/// What a particle is a mixture of: the fraction of each of the tank's fluids. It decides the particle's colour and nothing
/// else; density and viscosity are those of its phase.
pub type PhaseFractions = [f32; MAX_PHASES];

/// How often fractions diffuse, seconds.
const DIFFUSION_INTERVAL: f32 = 1.0 / 60.0;

/// The largest share of a difference that one pair may level at once. About twenty neighbours do so at the same time, so
/// together they level less than half of it.
const MAX_EXCHANGE: f32 = 0.02;

/// Tells the particles of a gas from those of a liquid.
#[derive(Clone, Copy, Debug)]
pub struct GasFilter<'a>(Option<(&'a Phases, [bool; MAX_PHASES])>);

impl<'a> GasFilter<'a> {
    /// Of a liquid with these phases, if it may have several.
    pub fn of(phases: Option<&'a Phases>) -> Self {
        Self(phases.and_then(|phases| Some((phases, phases.gases()?))))
    }

    /// Whether a particle is of a gas, by id.
    #[inline(always)]
    pub fn is_gas(&self, id: u32) -> bool {
        self.0.is_some_and(|(phases, gases)| gases[usize::from(phases.phase_of(id))])
    }
}

/// The phases of a liquid, and the phase of each particle.
#[derive(Clone, Debug)]
pub struct Phases {
    params: Vec<PhaseParams>,
    /// What tells phases of the same fluid apart.
    labels: Vec<Option<String>>,
    /// By id; empty where there is one fluid only.
    fluid_of: Vec<u8>,
    fractions: Vec<PhaseFractions>,
    /// By slot: what pairs need to know of each other.
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

/// A phase as a definition names it: a fluid, and a label that tells it from others of the same fluid. The label means
/// nothing here; what draws the liquid, or names it for people, may go by it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PhaseDef<'a> {
    /// What it is made of.
    pub fluid: &'a Fluid,
    /// What else tells it apart.
    pub label: Option<&'a str>,
}

impl PhaseDef<'_> {
    /// Whether a phase with these values is this one.
    fn is(&self, params: &PhaseParams, label: Option<&str>) -> bool {
        self.fluid.phase == *params && self.label == label
    }
}

impl Phases {
    /// One fluid.
    pub fn of(fluid: &Fluid) -> Self {
        Self::without_particles(vec![fluid.phase], vec![None])
    }

    /// The same phases, of no particles yet.
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

    /// Adds another phase, and says what its number is.
    pub fn add(&mut self, params: PhaseParams, label: Option<&str>) -> u8 {
        self.params.push(params);
        self.labels.push(label.map(str::to_owned));
        (self.params.len() - 1) as u8
    }

    /// Gives those phases that set another one each for what they set to, as far as there is room.
    pub fn add_solids(&mut self, ids: usize) {
        for melt in 0..self.params.len() {
            let Some(form) = self.params[melt].thermal.solid else { continue };
            if self.solid_of[melt].is_some() || self.params.len() == MAX_PHASES {
                continue;
            }
            // A particle's mass stays what it is, and the heat in it counts as the melt's.
            let PhaseParams { density, thermal, .. } = self.params[melt];
            self.make_room(ids);
            let solid = self.add(PhaseParams { density, thermal, ..form.fluid.phase }, Some(&form.label));
            (self.solid_of[melt], self.melt_of[usize::from(solid)]) = (Some(solid), melt as u8);
        }
    }

    /// Gives ids below this a phase and fractions, if they have none yet: those of the first fluid.
    fn make_room(&mut self, ids: usize) {
        if self.fluid_of.len() < ids {
            self.fluid_of.resize(ids, 0);
            self.fractions.resize(ids, [1.0, 0.0, 0.0, 0.0]);
        }
    }

    /// The phase that a phase sets to, if it does.
    pub fn solid_of(&self, phase: u8) -> Option<u8> {
        self.solid_of[usize::from(phase)]
    }

    /// The phase that a phase is when it is molten: itself, unless it is a solid.
    pub fn melt_of(&self, phase: u8) -> u8 {
        self.melt_of[usize::from(phase)]
    }

    /// Whether a phase is what another one sets to.
    pub fn is_solid(&self, phase: u8) -> bool {
        self.melt_of(phase) != phase
    }

    /// Turns a particle solid or back, if its fluid sets, and lets it look as solid as `fraction` says. Says whether it was
    /// turned.
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

    /// The number of a phase after the first, if it is one of them.
    pub fn find(&self, phase: PhaseDef) -> Option<u8> {
        let same = |&number: &usize| phase.is(&self.params[number], self.labels[number].as_deref());
        (1..self.params.len()).find(same).map(|number| number as u8)
    }

    /// A phase after the first that no particle in the tank is of.
    fn spare(&self, p: &Particles) -> Option<u8> {
        let is_of = |number: u8, slot: usize| {
            self.melt_of(self.phase_of(p.id[slot])) == number || self.fractions(p.id[slot])[usize::from(number)] > 0.0
        };
        (1..self.params.len() as u8)
            .filter(|&number| !self.is_solid(number))
            .find(|&number| !p.alive().any(|slot| is_of(number, slot)))
    }

    /// Whether a liquid of these particles may be given another fluid.
    pub fn has_room(&self, p: &Particles) -> bool {
        self.params.len() < MAX_PHASES || self.spare(p).is_some()
    }

    /// The number of a fluid in a liquid that has these particles already. It is added where it is new, in place of one that
    /// is not used if there are as many as there can be; none if all are used.
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
        // What the fluid before it set to is nothing's any more.
        if let Some(solid) = self.solid_of[place].take() {
            self.melt_of[usize::from(solid)] = solid;
        }
        // Ids of particles that have been taken out.
        self.fluid_of.iter_mut().filter(|of| **of == number).for_each(|of| *of = 0);
        Some(number)
    }

    /// Changes the first phase, and the others as far as they go by the speeds of the tank (see [`Fluid::at_scale`]), which
    /// are now `faster` times what they were.
    pub fn set_first(&mut self, params: PhaseParams, faster: f32) {
        self.params.iter_mut().for_each(|other| other.interfacial_repulsion *= faster * faster);
        self.params[0] = params;
        if let Some(solid) = self.solid_of[0] {
            let solid = &mut self.params[usize::from(solid)];
            (solid.density, solid.thermal) = (params.density, params.thermal);
        }
    }

    /// The phases of which each is a gas, or is not; none where no phase is one.
    pub fn gases(&self) -> Option<[bool; MAX_PHASES]> {
        let is_gas = |number| self.params.get(number).is_some_and(|phase: &PhaseParams| phase.gas);
        let gases = std::array::from_fn(is_gas);
        gases.contains(&true).then_some(gases)
    }

    /// By phase, how hard each is to compress, in units of the first, if one of them is a gas. A liquid is as hard to compress as
    /// it is heavy; a gas so would be ten times as soft as water at a tenth of its density, and its pockets would shrink with
    /// depth. So it is as hard to compress as the heaviest of the liquids, whichever of them comes first; the substeps are
    /// as many as that takes ([`Self::substep_factor`]).
    pub fn stiffness_with_gas(&self) -> Option<[f32; MAX_PHASES]> {
        let heaviest = self.params.iter().map(|fluid| fluid.density).fold(0.0, f32::max);
        let stiffness = |number: usize| match self.params.get(number) {
            Some(fluid) if !fluid.gas => fluid.density / self.params[0].density,
            _ => heaviest / self.params[0].density,
        };
        self.gases().map(|_| std::array::from_fn(stiffness))
    }

    /// Whether there is one fluid only.
    pub fn is_single_phase(&self) -> bool {
        self.params.len() == 1
    }

    /// What each phase has of its own.
    pub fn params(&self) -> &[PhaseParams] {
        &self.params
    }

    /// How elastic each phase is.
    pub fn elastic(&self) -> [Viscoelastic; MAX_PHASES] {
        std::array::from_fn(|number| self.params.get(number).map_or(Viscoelastic::default(), |phase| phase.elastic))
    }

    /// The labels that phases were given, by number.
    pub fn labels(&self) -> &[Option<String>] {
        &self.labels
    }

    /// The phase of each particle, by id; empty for a single phase.
    pub fn fluid_of(&self) -> &[u8] {
        &self.fluid_of
    }

    /// A particle's phase.
    pub fn phase_of(&self, id: u32) -> u8 {
        self.fluid_of.get(id as usize).copied().unwrap_or(0)
    }

    /// What a particle's phase has of its own.
    pub fn params_of(&self, id: u32) -> &PhaseParams {
        &self.params[usize::from(self.phase_of(id))]
    }

    /// The mass of a particle: a square metre of it at rest, a square metre of the first fluid having mass 1.
    pub fn mass_of(&self, id: u32) -> f32 {
        self.params_of(id).density / self.params[0].density
    }

    /// A particle's phase fractions.
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

    /// How many times more often a step must be divided than for the lightest of the fluids alone: what is light feels the
    /// stiffness of its heavy neighbours.
    pub fn substep_factor(&self) -> f32 {
        let masses = || self.params.iter().map(|fluid| fluid.density);
        let ratio = masses().fold(0.0, f32::max) / masses().fold(f32::MAX, f32::min);
        // A gas is as stiff as what is heavy by itself.
        if self.gases().is_some() { ratio.sqrt() } else { (0.5 * (1.0 + ratio)).sqrt() }
    }

    /// How strongly fluids push each other off, m²/s²: as the one does that likes it least.
    pub fn interfacial_repulsion(&self) -> f32 {
        self.params.iter().map(|fluid| fluid.interfacial_repulsion).fold(0.0, f32::max)
    }

    /// Brings what depends on the fluid into the order of slots, after a sort. `viscosity` is what σ and β are
    /// times in the passes over pairs.
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

    /// Lets fractions diffuse: each pair of neighbours levels a share of its difference,
    ///
    /// ```text
    /// dc/dt = D Σ w (c_j − c_i),    w = 40 (1 − r/h) / (π n h²)
    /// ```
    ///
    /// with n neighbours-to-be on an area of h², of which the sum over `w x²` is 2: that of the Laplacian. Where the two
    /// are of fluids with different D, the lower counts; a fluid whose D is 0 does not mix.
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
