//! The definition of a fluid on a grid.

use crate::sim::boundary::region::Region;
use crate::sim::grid_fluid::Sides;
use serde::Serialize;

/// The fluid, its dyes, and what drives it. No parameter depends on the resolution.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GridFluidDef {
    /// Requested number of cells, [`crate::sim::grid_fluid::MIN_CELLS`] to [`crate::sim::grid_fluid::MAX_CELLS`]; by
    /// default as many as the picture has samples.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cells: Option<usize>,
    /// Mass of a square metre, in the unit of the densities of bodies, 0.0001 to 20. Air over water has 0.0012.
    pub density: f32,
    /// ν, m²/s, 0 to 10. Air has 1.5e-5, water 1e-6, which such a grid cannot distinguish from 0.
    pub viscosity: f32,
    /// Diffusion of dyes, m²/s, 0 to 10.
    pub diffusion: f32,
    /// ε of vorticity confinement, 1/s, 0 to 20: how much small swirls are amplified. It is not physical: it feeds them
    /// whether or not the grid has damped them, and this grid hardly does. Drops of ink in still water moved at 7 m/s
    /// after a minute with 1, and at 0.2 m/s with 0.
    pub vorticity_confinement: f32,
    /// The velocity at the start, and of an `inflow`, m/s, −20 to 20.
    pub wind: [f32; 2],
    /// The velocity of the ceiling along itself, m/s, −20 to 20.
    pub lid_speed: f32,
    /// Speed of the four vortices of Taylor & Green that fill the tank at the start, m/s, −20 to 20.
    pub taylor_green_speed: f32,
    /// The boundary conditions of the sides.
    #[serde(flatten)]
    pub sides: Sides,
    /// κ, the thermal diffusivity, m²/s, 0 to 10. Air has 2.1e-5. Like the next two, it applies in a tank with a
    /// temperature.
    #[serde(skip_serializing_if = "is_of_air")]
    pub conductivity: f32,
    /// c, J/(kg K), 100 to 20,000. Air has 1005.
    #[serde(skip_serializing_if = "is_of_air")]
    pub heat_capacity: f32,
    /// β, decrease of its weight per degree above the tank's temperature, as a fraction, 1/K, −0.01 to 0.1. Air at
    /// 20 °C has 0.0034.
    #[serde(skip_serializing_if = "is_of_air")]
    pub expansion: f32,
    /// The dyes; at least one.
    pub dye: Vec<Dye>,
    /// The sources.
    pub source: Vec<Source>,
    /// The dye that is there at the start.
    pub initial_dye: Vec<InitialDye>,
}

/// At 20 °C: m²/s, J/(kg K) and 1/K.
const CONDUCTIVITY_OF_AIR: f32 = 2.1e-5;
const HEAT_CAPACITY_OF_AIR: f32 = 1005.0;
const EXPANSION_OF_AIR: f32 = 0.0034;

/// Whether a value is air's, which scenes without a temperature leave out.
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
    /// The temperatures of its sources and initial dye, °C.
    pub fn temperatures(&self) -> impl Iterator<Item = f32> + '_ {
        let sources = self.source.iter().filter_map(|source| source.temperature);
        sources.chain(self.initial_dye.iter().filter_map(|initial| initial.temperature))
    }

    /// Whether it has a temperature by itself; it also has one in a tank that has.
    pub fn has_heat(&self) -> bool {
        self.temperatures().next().is_some()
    }

    /// Number of the dye of that name; of the first if there is none.
    pub fn dye_called(&self, name: &str) -> usize {
        self.dye.iter().position(|dye| dye.name == name).unwrap_or(0)
    }
}

/// A dye: a substance that the flow carries, and that is visible.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Dye {
    /// The name by which sources and initial dye refer to it.
    pub name: String,
    /// A label for the view, such as a colour; the simulation does not read it. A scene file calls it `color`.
    #[serde(rename = "color", skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Decrease of the fluid's weight where it is full of this dye, as a fraction: −1 to 1; negative sinks.
    pub buoyancy: f32,
    /// The rate at which it is lost, 1/s, 0 to 100.
    pub decay_rate: f32,
}

/// A source of dye, which may also blow.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Source {
    /// Where it is.
    #[serde(flatten)]
    pub region: Region,
    /// The dye's name; the first where nothing is said.
    pub dye: String,
    /// The rate at which the region fills, 1/s, 0 to 1000.
    pub rate: f32,
    /// The velocity of the fluid in it, m/s, −20 to 20.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub velocity: Option<[f32; 2]>,
    /// The temperature to which it brings its region, at its rate, °C.
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
    /// Concentration, 0 to 1.
    pub amount: f32,
    /// m/s, −20 to 20.
    pub velocity: [f32; 2],
    /// Temperature, °C, if it differs from the tank's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f32>,
}
