//! What a pressure works on, and the forces that it may keep separately.

use crate::sim::heat::particles::Heat;
use crate::sim::liquid::thermostat::Thermostat;
use crate::sim::liquid::{Fluid, ParticleStore, Phases, TargetPositions};
use serde::{Deserialize, Serialize};

pub(in crate::sim::liquid) struct Medium<'a> {
    pub store: &'a mut ParticleStore,
    /// Per slot, in the method's own unit; see `Pressure::relative_density`.
    pub density: &'a mut Vec<f32>,
    pub sums: &'a mut [Vec<f32>; 2],
    pub fluid: &'a Fluid,
    pub phases: &'a Phases,
    pub targets: &'a TargetPositions,
    pub thermostat: &'a Thermostat,
    pub heat: Option<&'a Heat>,
}

impl<'a> Medium<'a> {
    /// The weight of a particle by its id, in units of one of water at 20 °C.
    pub fn weight_of(&self) -> impl Fn(u32) -> f32 + Sync + use<'a> {
        let (phases, heat) = (self.phases, self.heat);
        move |id| phases.mass_of(id) * (1.0 + heat.map_or(0.0, |heat| heat.excess_weight(id)))
    }
}

/// A force between particles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Force {
    Pressure,
    Viscosity,
    Tension,
}

impl Force {
    pub const ALL: [Force; 3] = [Self::Pressure, Self::Viscosity, Self::Tension];
}
