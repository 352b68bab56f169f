//! The definition of heat in a tank, common to all matters.

use crate::sim::boundary::region::Region;
use serde::Serialize;

/// Temperatures that a scene may say, °C.
pub const TEMPERATURES: std::ops::RangeInclusive<f32> = -200.0..=2000.0;

/// The heat of a tank at the start, and what the air takes. Walls let none through where there is no [`HeaterDef`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HeatDef {
    /// Of all that says nothing else, and of the air, °C.
    pub temperature: f32,
    /// Heat transfer from a free surface to the air, W/(m² K), 0 to 1e6.
    pub air_loss: f32,
}

impl Default for HeatDef {
    fn default() -> Self {
        Self { temperature: 20.0, air_loss: 0.0 }
    }
}

/// A place that heats or cools.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeaterDef {
    /// Where.
    #[serde(flatten)]
    pub region: Region,
    /// The walls in the region are kept at so many °C.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f32>,
    /// All that is in the region gets so many watts, per metre of the tank's depth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power: Option<f32>,
}

/// What the air has to know of a liquid whose vapour it carries. Heat is enthalpy, J/kg, as the liquid counts it.
#[derive(Clone, Copy, Debug)]
pub struct Condensate {
    /// Walls colder than this take vapour out of the air, °C.
    pub boiling_point: f32,
    /// The least temperature of a film of it, °C: that at which it sets.
    pub min_temperature: f32,
    /// J/(kg K).
    pub heat_capacity: f64,
    /// The enthalpy of liquid at 0 °C, J/kg: its heat of fusion, if it sets.
    pub fusion_heat: f64,
    /// J/kg.
    pub boiling_heat: f64,
}

impl Condensate {
    /// The enthalpy of liquid at a temperature, °C, J/kg.
    pub fn liquid_enthalpy(&self, temperature: f32) -> f64 {
        self.heat_capacity * f64::from(temperature) + self.fusion_heat
    }

    /// The enthalpy of vapour, J/kg.
    pub fn vapor_enthalpy(&self) -> f64 {
        self.liquid_enthalpy(self.boiling_point) + self.boiling_heat
    }
}
