//! Heat. To be read in this order: its definition, here; `enthalpy`, what a fluid makes of it; `heaters`, which warm any matter;
//! `exchange` between any two; `particles`, which freeze, melt and boil; `conduction` among them; `cells` of a grid, and the
//! `steam` in them; and what matters `transfer` to each other once a step.

pub mod cells;
pub mod conduction;
pub mod enthalpy;
pub mod exchange;
pub mod heaters;
pub mod particles;
pub mod steam;
pub mod transfer;

use crate::sim::boundary::Region;
use crate::sim::parameters::parameters;
pub use enthalpy::Thermal;
pub use heaters::Heaters;
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
    pub temperature: Option<f32>,
    /// Power that the contents of the region receive, watts per metre of the tank's depth.
    pub power: Option<f32>,
}
