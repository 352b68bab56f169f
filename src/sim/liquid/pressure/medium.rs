//! What a pressure works on, and the forces that it may keep separately.

use crate::sim::liquid::fluid::Fluid;
use crate::sim::liquid::phases::Phases;
use crate::sim::liquid::store::ParticleStore;
use crate::sim::liquid::targets::TargetPositions;
use crate::sim::liquid::thermostat::Thermostat;
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
