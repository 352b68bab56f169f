//! What a tank of smoke is filled with, as data.

use crate::sim::boundary::region::Region;
use crate::sim::grid_fluid::Sides;
use serde::Serialize;

/// The fluid, the dyes in it, and what drives it. None of the figures depends on the resolution.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GridFluidDef {
    /// About how many cells the grid has, [`crate::sim::grid_fluid::MIN_CELLS`] to [`crate::sim::grid_fluid::MAX_CELLS`]; where nothing is said, as many as the
    /// picture has samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cells: Option<usize>,
    /// Mass of a square metre, in the unit of the densities of bodies, 0.0001 to 20. Air over water has 0.0012.
    pub density: f32,
    /// ν, m²/s, 0 to 10. Air has 1.5e-5, water 1e-6, which no such grid can tell from 0.
    pub viscosity: f32,
    /// How quickly dyes spread by themselves, m²/s, 0 to 10.
    pub diffusion: f32,
    /// ε of vorticity confinement, 1/s, 0 to 20: how much spin is given back to small swirls. Of no physics: it feeds
    /// them whether or not the grid has worn them down, and the grid hardly does. Drops of ink in still water were at
    /// 7 m/s after a minute with 1, and are at 0.2 m/s with 0.
    pub vorticity_confinement: f32,
    /// The velocity of everything at the start, and of what comes in where a side says `inflow`, m/s, −20 to 20.
    pub wind: [f32; 2],
    /// The velocity of the ceiling along itself, m/s, −20 to 20.
    pub lid_speed: f32,
    /// Speed of the four vortices of Taylor & Green that fill the tank at the start, m/s, −20 to 20.
    pub taylor_green_speed: f32,
    /// What the sides of the tank do to the flow.
    #[serde(flatten)]
    pub sides: Sides,
    /// κ, the thermal diffusivity, m²/s, 0 to 10. Air has 2.1e-5. It is only of what has a temperature, as the next two.
    #[serde(skip_serializing_if = "is_of_air")]
    pub conductivity: f32,
    /// c, J/(kg K), 100 to 20,000. Air has 1005.
    #[serde(skip_serializing_if = "is_of_air")]
    pub heat_capacity: f32,
    /// β, by which fraction it is lighter for each degree above the tank's own temperature, 1/K, −0.01 to 0.1. Air at
    /// 20 °C has 0.0034.
    #[serde(skip_serializing_if = "is_of_air")]
    pub expansion: f32,
    /// At least one.
    pub dye: Vec<Dye>,
    /// What brings dye.
    pub source: Vec<Source>,
    /// The dye that is there at the start.
    pub initial_dye: Vec<InitialDye>,
}

/// At 20 °C: m²/s, J/(kg K) and 1/K.
const CONDUCTIVITY_OF_AIR: f32 = 2.1e-5;
const HEAT_CAPACITY_OF_AIR: f32 = 1005.0;
const EXPANSION_OF_AIR: f32 = 0.0034;

/// Scenes without a temperature do not speak of these.
fn is_of_air(figure: &f32) -> bool {
    [CONDUCTIVITY_OF_AIR, HEAT_CAPACITY_OF_AIR, EXPANSION_OF_AIR].contains(figure)
}

impl Default for GridFluidDef {
    fn default() -> Self {
        Self {
            cells: None,
            density: 1.0,
            viscosity: 1.5e-5,
            diffusion: 0.0,
            vorticity_confinement: 0.0,
            wind: [0.0, 0.0],
            lid_speed: 0.0,
            taylor_green_speed: 0.0,
            sides: Sides::default(),
            conductivity: CONDUCTIVITY_OF_AIR,
            heat_capacity: HEAT_CAPACITY_OF_AIR,
            expansion: EXPANSION_OF_AIR,
            dye: vec![Dye::default()],
            source: Vec::new(),
            initial_dye: Vec::new(),
        }
    }
}

impl GridFluidDef {
    /// The temperatures that its sources and initial dye speak of, °C.
    pub fn temperatures(&self) -> impl Iterator<Item = f32> + '_ {
        let sources = self.source.iter().filter_map(|source| source.temperature);
        sources.chain(self.initial_dye.iter().filter_map(|initial| initial.temperature))
    }

    /// Whether it has a temperature by itself; it also has one where the tank has.
    pub fn has_heat(&self) -> bool {
        self.temperatures().next().is_some()
    }

    /// The number of the dye of that name; of the first where there is none.
    pub fn dye_called(&self, name: &str) -> usize {
        self.dye.iter().position(|dye| dye.name == name).unwrap_or(0)
    }
}

/// Something that is carried along and seen.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Dye {
    /// What sources and initial dye call it.
    pub name: String,
    /// Text that the simulation does not read, such as a colour for what draws it. A scene file calls it `color`.
    #[serde(rename = "color", skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// By which fraction of its density the fluid is lighter where it is full of this dye: −1 to 1; negative sinks.
    pub buoyancy: f32,
    /// The rate at which it is lost, 1/s, 0 to 100.
    pub decay_rate: f32,
}

/// Gives off dye, and may blow.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Source {
    /// Where it is.
    #[serde(flatten)]
    pub region: Region,
    /// The dye's name; the first where nothing is said.
    pub dye: String,
    /// The rate at which the region fills, 1/s, 0 to 1000.
    pub rate: f32,
    /// The velocity that it gives to what is in it, m/s, −20 to 20.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub velocity: Option<[f32; 2]>,
    /// The temperature that it gives to what is in it, at its rate, °C.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f32>,
}

/// Dye that is there at the start.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InitialDye {
    /// Where it is.
    #[serde(flatten)]
    pub region: Region,
    /// The dye's name; the first where nothing is said.
    pub dye: String,
    /// How much of it, 0 to 1.
    pub amount: f32,
    /// m/s, −20 to 20.
    pub velocity: [f32; 2],
    /// °C, where that is not the tank's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f32>,
}
