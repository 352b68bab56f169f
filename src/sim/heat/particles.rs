//! The heat of each particle, as it is kept from step to step, and how particles freeze, melt and boil by it. It is stored by id,
//! so that the sort does not move it; a liquid without a temperature has none.

use crate::sim::heat::{HeatDef, Heaters, Thermal};
use crate::sim::liquid::{ParticleStore, Phases, Springs};
use glam::Vec2;

/// Value of `Liquid::surface` from which on steam leaves a particle.
const AT_SURFACE: f32 = 0.35;

/// A liquid in which a temperature changes faster than this, K/s, does not sleep.
const CHANGING: f32 = 0.002;

#[derive(Clone, Debug, Default)]
pub struct Boiling {
    /// Latent heat of the vapour that has left the surface and is not yet a full particle, J/m.
    pub(in crate::sim) pending: f64,
    /// Particles that leave in this step, if the air has room.
    pub(in crate::sim) leaving: Vec<Puff>,
    /// Where steam has left in this step, for the picture.
    pub(in crate::sim) left: Vec<Vec2>,
}

#[derive(Clone, Copy, Debug)]
pub struct Puff {
    pub(in crate::sim) slot: usize,
    pub at: Vec2,
    pub phase: u8,
    pub mass: f64,
    /// Latent heat, J/m.
    pub(in crate::sim) latent: f64,
}

#[derive(Clone, Debug, Default)]
pub struct Heat {
    pub def: HeatDef,
    pub(in crate::sim) heaters: Heaters,
    /// By id: J/kg above 0 °C. Of double precision, because what a step adds may be a hundred-millionth of it.
    pub(in crate::sim) enthalpy: Vec<f64>,
    /// By id: °C.
    temperature: Vec<f32>,
    /// By id: weight beyond that of the mass, as a fraction of it.
    excess_weight: Vec<f32>,
    /// By id: m²/s; empty where no viscosity depends on the temperature.
    viscosity: Vec<f32>,
    /// The largest temperature-dependent viscosity since the last step began, m²/s.
    pub(in crate::sim) max_viscosity: f32,
    /// The lowest temperature that any particle has had or a heater keeps, °C.
    coldest: f32,
    /// The fastest change of a temperature in the last step, K/s.
    pub(in crate::sim) fastest_change: f32,
    /// By id: whether it has begun to freeze, and is not undercooled; empty where no fluid can be.
    nucleated: Vec<bool>,
    /// Whether any particle has frozen since the last search for springs; and by id, which.
    pub(in crate::sim) any_fresh: bool,
    pub(in crate::sim) fresh: Vec<bool>,
    pub(in crate::sim) boiling: Boiling,
    /// Heat received from heaters, walls, the air and brushes so far, J/m.
    pub received: f64,
    /// Whether the air has a temperature of its own.
    pub(in crate::sim) has_air: bool,
    /// New particles are as hot as their fluid is poured, and not as the tank: a scene without heat that has got it during play.
    pub(in crate::sim) by_fluid: bool,
}

impl Heat {
    pub(in crate::sim) fn new(def: HeatDef, heaters: Heaters) -> Self {
        let kept = heaters.defs.iter().filter_map(|heater| heater.temperature);
        let coldest = kept.fold(def.temperature, f32::min);
        Self { def, heaters, coldest, ..Self::default() }
    }

    /// Whether any of these fluids may freeze, by all that has cooled the tank so far.
    pub(in crate::sim) fn may_freeze(&self, phases: &Phases) -> bool {
        let drains = self.heaters.powers().any(|power| power < 0.0);
        let thermals = phases.params.iter().map(|phase| &phase.thermal);
        thermals.filter(|thermal| thermal.freezes).any(|thermal| drains || self.coldest <= thermal.melting_point)
    }

    pub fn temperature(&self, id: u32) -> f32 {
        self.temperature.get(id as usize).copied().unwrap_or(self.def.temperature)
    }

    /// The heat of a particle, J/kg above 0 °C.
    pub fn enthalpy(&self, id: u32) -> f64 {
        self.enthalpy.get(id as usize).copied().unwrap_or(0.0)
    }

    /// Whether a particle keeps its latent heat below the melting point.
    #[inline]
    pub(in crate::sim) fn may_undercool(&self, id: u32, phases: &Phases) -> bool {
        phases.params_of(id).thermal.undercooling > 0.0
            && !phases.is_solid(phases.phase_of(id))
            && !self.nucleated.get(id as usize).is_some_and(|nucleated| *nucleated)
    }

    /// Lets undercooled liquid freeze that touches its solid.
    pub(in crate::sim) fn nucleate(&mut self, store: &ParticleStore, phases: &Phases) {
        if phases.params.iter().all(|fluid| fluid.thermal.undercooling == 0.0) {
            return;
        }
        let id = &store.particles.id;
        let nucleated = &mut self.nucleated;
        store.grid.for_each_pair(store.level, &store.particles, NUCLEATION_DISTANCE * store.spacing(), |i, j, _| {
            let [a, b] = [id[i], id[j]];
            let [phase_a, phase_b] = [a, b].map(|id| phases.phase_of(id));
            if phase_a != phase_b && phases.melt_of(phase_a) == phases.melt_of(phase_b) {
                for id in [a, b] {
                    if let Some(nucleated) = nucleated.get_mut(id as usize) {
                        *nucleated = true;
                    }
                }
            }
        });
    }

    /// Weight of a particle beyond that of its mass, as a fraction; negative where it is lighter.
    #[inline]
    pub(in crate::sim) fn excess_weight(&self, id: u32) -> f32 {
        self.excess_weight.get(id as usize).copied().unwrap_or(0.0)
    }

    /// The viscosity of a particle, m²/s, if it depends on the temperature.
    #[inline]
    pub(in crate::sim) fn viscosity(&self, id: u32) -> Option<f32> {
        self.viscosity.get(id as usize).copied()
    }

    /// Includes a particle whose temperature has not changed in [`Self::max_viscosity`].
    pub(in crate::sim) fn keep_viscosity(&mut self, id: u32, phases: &Phases) {
        if let Some(viscosity) = self.viscosity(id)
            && !phases.params_of(id).thermal.viscosity_at.is_empty()
        {
            self.max_viscosity = self.max_viscosity.max(viscosity);
        }
    }

    pub fn is_changing(&self) -> bool {
        self.fastest_change > CHANGING || self.any_fresh
    }

    pub(in crate::sim) fn begin(&mut self, id: u32, phases: &mut Phases) {
        let temperature = if self.by_fluid { self.poured_temperature(id, phases) } else { self.def.temperature };
        self.set_temperature(id, temperature, phases);
    }

    /// The temperature at which a particle's fluid is poured, °C.
    pub(in crate::sim) fn poured_temperature(&self, id: u32, phases: &Phases) -> f32 {
        let fluid = phases.params_of(id);
        fluid.thermal.poured_temperature(self.def.temperature, fluid.viscous.viscosity)
    }

    pub(in crate::sim) fn set_temperature(&mut self, id: u32, temperature: f32, phases: &mut Phases) {
        if let Some(nucleated) = self.nucleated.get_mut(id as usize) {
            *nucleated = false;
        }
        let thermal = phases.params_of(id).thermal;
        self.set_enthalpy(id, thermal.enthalpy(temperature), phases);
    }

    /// In J/kg. Returns whether the particle has frozen or melted: its springs must go, because their ends are of one phase.
    pub(in crate::sim) fn set_enthalpy(&mut self, id: u32, enthalpy: f64, phases: &mut Phases) -> bool {
        let place = id as usize;
        if self.enthalpy.len() <= place {
            self.enthalpy.resize(place + 1, 0.0);
            self.temperature.resize(place + 1, self.def.temperature);
            self.excess_weight.resize(place + 1, 0.0);
            self.fresh.resize(place + 1, false);
        }
        let number = phases.phase_of(id);
        let thermal: Thermal = phases.params[usize::from(number)].thermal;
        let undercooled = self.undercools(id, enthalpy, phases);
        let temperature = thermal.temperature(enthalpy, undercooled);
        (self.enthalpy[place], self.temperature[place]) = (enthalpy, temperature);
        self.coldest = self.coldest.min(temperature);
        let vapor = thermal.vapor_fraction(enthalpy);
        let mut weight = thermal.excess_weight(temperature) - BUBBLE_LIFT * vapor.sqrt();
        let fraction = if undercooled { 0.0 } else { thermal.solid_fraction(enthalpy) };
        let mut turned = false;
        let mut solid = false;
        // The solid phase is added only when something freezes: fewer phases are cheaper.
        if fraction > SETS && phases.solid_of(phases.melt_of(number)).is_none() {
            phases.add_solids(self.enthalpy.len());
        }
        if let Some(form) = phases.params[usize::from(number)].solid
            && phases.solid_of(phases.melt_of(number)).is_some()
        {
            // The two limits differ, so that a particle at the melting point does not alternate between the phases.
            solid = if phases.is_solid(number) { fraction > MELTS } else { fraction > SETS };
            turned = phases.set_solid(id, solid, fraction);
            if turned {
                self.fresh[place] = solid;
                self.any_fresh |= solid;
            }
            if solid {
                weight = form.fluid.phase.density / phases.params[usize::from(number)].density - 1.0;
            }
        }
        self.excess_weight[place] = weight;
        // What has set is held by its springs: a colder solid would only cost stages.
        let flowing = if solid { temperature.max(thermal.melting_point) } else { temperature };
        if let Some(viscosity) = thermal.viscosity_at.at(flowing) {
            if self.viscosity.len() <= place {
                // The ids before it may be of other fluids.
                let own = |id: usize| phases.params_of(id as u32).viscous.viscosity;
                self.viscosity.extend((self.viscosity.len()..=place).map(own));
            }
            self.viscosity[place] = viscosity;
            self.max_viscosity = self.max_viscosity.max(viscosity);
        } else if let Some(own) = self.viscosity.get_mut(place) {
            *own = phases.params_of(id).viscous.viscosity;
        }
        turned
    }

    /// Sets a particle's heat, J/kg; one that has melted or frozen loses its springs.
    pub(super) fn set_with_springs(&mut self, id: u32, enthalpy: f64, phases: &mut Phases, springs: &mut Springs) {
        if self.set_enthalpy(id, enthalpy, phases) {
            springs.remove_all(id);
        }
    }

    /// Returns whether a particle of this enthalpy, J/kg, keeps its latent heat. One that is colder than it can be as a liquid
    /// begins to freeze; one that has melted wholly can be undercooled again.
    fn undercools(&mut self, id: u32, enthalpy: f64, phases: &Phases) -> bool {
        let thermal = &phases.params_of(id).thermal;
        if thermal.undercooling == 0.0 {
            return false;
        }
        let place = id as usize;
        if self.nucleated.len() <= place {
            self.nucleated.resize(place + 1, false);
        }
        if thermal.solid_fraction(enthalpy) == 0.0 {
            self.nucleated[place] = false;
        } else if thermal.temperature(enthalpy, true) < thermal.min_liquid_temperature() {
            self.nucleated[place] = true;
        }
        self.may_undercool(id, phases)
    }

    /// Changes a substep's gravity by the thermal expansion: warm liquid is lighter. `kick` is gravity times the substep, m/s.
    pub(in crate::sim) fn apply_weight(&self, store: &mut ParticleStore, kick: Vec2) {
        let ParticleStore { grid, sleep_map, particles, .. } = store;
        let (mut p, id, _) = particles.slice_mut();
        for chunk in &grid.chunks {
            for slot in sleep_map.active_slots(grid, chunk).flatten() {
                p.set_velocity(slot, p.velocity(slot) + self.excess_weight(id[slot]) * kick);
            }
        }
    }

    /// Vapour leaves at the surface; a particle that is all vapour leaves wherever it is. Latent heat is accumulated until it
    /// makes a whole particle: then the last particle that contributed leaves, with all its heat.
    pub(super) fn collect_vapor(&mut self, store: &ParticleStore, phases: &mut Phases, surface: impl Fn(usize) -> f32) {
        self.boiling.left.clear();
        // Where there is no air yet, it has not left.
        self.boiling.pending += self.boiling.leaving.drain(..).map(|puff| puff.latent).sum::<f64>();
        if phases.params.iter().all(|fluid| fluid.thermal.boiling_heat == 0.0) {
            return;
        }
        for slot in store.particles.alive() {
            let id = store.particles.id[slot];
            let phase = phases.phase_of(id);
            let thermal = phases.params[usize::from(phase)].thermal;
            let enthalpy = self.enthalpy(id);
            let fraction = f64::from(thermal.vapor_fraction(enthalpy));
            if fraction == 0.0 || (fraction < 1.0 && surface(slot) < AT_SURFACE) {
                continue;
            }
            let mass = phases.thermal_mass(phase, store.particle_area());
            let latent = f64::from(thermal.boiling_heat) * mass;
            // All heat above that of the boiling liquid: the particle may be hotter than steam.
            let given = enthalpy - thermal.enthalpy(thermal.boiling_point);
            self.boiling.pending += given * mass;
            self.set_enthalpy(id, enthalpy - given, phases);
            let Boiling { pending, leaving, left } = &mut self.boiling;
            if *pending >= latent && store.particles.len() > leaving.len() + 1 {
                *pending -= latent;
                let at = store.particles.position(slot);
                leaving.push(Puff { slot, at, phase, mass, latent });
                left.push(at);
            }
        }
    }
}

/// Loss of weight of a particle that is all vapour, in units of its weight: a bubble rises with about 2 g. The loss grows with
/// the root of the vapour fraction, because a little steam takes much room.
const BUBBLE_LIFT: f32 = 2.5;

/// Distance from a solid particle within which undercooled liquid freezes, in spacings.
const NUCLEATION_DISTANCE: f32 = 1.2;

/// Solid fractions: above the first a particle freezes, below the second it melts.
const SETS: f32 = 0.7;
const MELTS: f32 = 0.3;
