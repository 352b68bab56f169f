//! The definition of heat in a tank, common to all matters.

use crate::sim::boundary::region::Region;
use crate::sim::parameters::parameters;
use serde::Serialize;

/// Range of temperatures in a scene, °C.
pub const TEMPERATURES: std::ops::RangeInclusive<f32> = -200.0..=2000.0;

/// No heater cools further, °C.
pub const ABSOLUTE_ZERO: f32 = -273.15;

parameters! {
    /// The heat of a tank at the start, and the loss to the air. Walls are insulated without a [`HeaterDef`].
    #[derive(Clone, Copy, Debug, PartialEq, Serialize)]
    pub struct HeatDef {
        /// Temperature of the air, and of all contents without one of their own, °C.
        pub temperature: f32 = 20.0, TEMPERATURES;
        /// Heat transfer from a free surface to the air, W/(m² K).
        pub air_loss: f32 = 0.0, 0.0..=1e6;
    }
}

/// A region that heats or cools.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeaterDef {
    /// Where.
    #[serde(flatten)]
    pub region: Region,
    /// Temperature at which the walls in the region are kept, °C.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f32>,
    /// Power that the contents of the region receive, watts per metre of the tank's depth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power: Option<f32>,
}

/// Properties of a liquid whose vapour the air carries. Heat is enthalpy, J/kg, on the liquid's scale.
#[derive(Clone, Copy, Debug)]
pub struct Condensate {
    /// Walls colder than this condense the vapour, °C.
    pub boiling_point: f32,
    /// Minimum temperature of a film, °C: that at which it freezes.
    pub min_temperature: f32,
    /// Heat capacity, J/(kg K).
    pub heat_capacity: f64,
    /// Enthalpy of the liquid at 0 °C, J/kg: its heat of fusion, if it freezes.
    pub fusion_heat: f64,
    /// Heat of boiling, J/kg.
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
