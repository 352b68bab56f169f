use crate::sim::boundary::Region;
use crate::sim::grid_fluid::Sides;
use crate::sim::parameters::parameters;
use serde::Serialize;

/// At 20 °C: m²/s, J/(kg K) and 1/K.
const CONDUCTIVITY_OF_AIR: f32 = 2.1e-5;
const HEAT_CAPACITY_OF_AIR: f32 = 1005.0;
const EXPANSION_OF_AIR: f32 = 0.0034;

/// Whether a value is air's, which scenes without a temperature leave out.
fn is_of_air(figure: &f32) -> bool {
    [CONDUCTIVITY_OF_AIR, HEAT_CAPACITY_OF_AIR, EXPANSION_OF_AIR].contains(figure)
}

/// Range of velocities, m/s.
pub const SPEEDS: std::ops::RangeInclusive<f32> = -20.0..=20.0;

parameters! {
    /// The fluid, its dyes, and what drives it. No parameter depends on the resolution.
    #[derive(Clone, Debug, PartialEq, Serialize)]
    pub struct GridFluidDef {
        /// Requested number of cells, 64 to 1,000,000; by default as many as the picture has samples, and fewer in a large window.
        pub cells: Option<usize> = None;
        /// Mass of a square metre, in the unit of the densities of bodies. Air over water has 0.0012.
        pub density: f32 = 1.0, 0.0001..=20.0;
        /// ν, m²/s. Air has 1.5e-5, water 1e-6, which such a grid cannot distinguish from 0.
        pub viscosity: f32 = 1.5e-5, 0.0..=10.0,
            2 "thickness" "How slowly it flows: low values curl, high values creep";
        /// Diffusion of dyes, m²/s.
        pub diffusion: f32 = 0.0, 0.0..=10.0, 3 "spreading" "How quickly its edges blur";
        /// ε of vorticity confinement, 1/s: how much small swirls are amplified. It is not physical.
        pub vorticity_confinement: f32 = 0.0, 0.0..=20.0,
            1 "swirl" "How much small eddies are strengthened";
        /// The divergence that a projection may leave, as a fraction of the largest before it.
        pub solver_tolerance: f32 = 5e-4, 1e-6..=0.5,
            9 "solver tolerance" "The divergence that remains: more is faster, and loses fluid";
        /// The velocity at the start, and of an `inflow`, m/s.
        pub wind: [f32; 2] = [0.0; 2] => {
            "wind right": SPEEDS, 2 "wind sideways" "How fast the wind blows to the right";
            "wind up": SPEEDS, 4 "wind upwards" "How fast the wind blows up";
        };
        /// The velocity of the ceiling along itself, m/s.
        pub lid_speed: f32 = 0.0, SPEEDS, 3 "lid speed" "The speed of the ceiling, which drags the fluid along";
        /// Speed of the four vortices of Taylor & Green that fill the tank at the start, m/s.
        pub taylor_green_speed: f32 = 0.0, SPEEDS;
        /// The boundary conditions of the sides.
        #[serde(flatten)]
        pub sides: Sides = Sides::default();
        /// κ, the thermal diffusivity, m²/s. Air has 2.1e-5. Like the next two, it applies in a tank with a temperature.
        #[serde(skip_serializing_if = "is_of_air")]
        pub conductivity: f32 = CONDUCTIVITY_OF_AIR, 0.0..=10.0,
            5 "conduction" "How quickly heat spreads through it";
        /// c, J/(kg K). Air has 1005.
        #[serde(skip_serializing_if = "is_of_air")]
        pub heat_capacity: f32 = HEAT_CAPACITY_OF_AIR, 100.0..=20_000.0,
            9 "heat capacity" "How much heat warms it by one degree";
        /// β, decrease of its weight per degree above the tank's temperature, as a fraction, 1/K. Air at 20 °C has 0.0034.
        #[serde(skip_serializing_if = "is_of_air")]
        pub expansion: f32 = EXPANSION_OF_AIR, -0.01..=0.1,
            4 "expansion" "How much it expands when it warms, so that it rises";
        /// The dyes; at least one.
        pub dye: Vec<Dye> = vec![Dye::default()];
        /// The sources.
        pub source: Vec<Source> = Vec::new();
        /// The dye that is there at the start.
        pub initial_dye: Vec<InitialDye> = Vec::new();
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

parameters! {
    /// A dye: a substance that the flow carries, and that is visible.
    #[derive(Clone, Debug, PartialEq, Serialize)]
    pub struct Dye {
        /// The name by which sources and initial dye refer to it.
        pub name: String = String::new();
        /// A label for the view, such as a colour; the simulation does not read it. A scene file calls it `color`.
        #[serde(rename = "color")]
        pub label: Option<String> = None;
        /// Decrease of the fluid's weight where it is full of this dye, as a fraction; negative sinks.
        pub buoyancy: f32 = 0.0, -1.0..=1.0, 2 "buoyancy" "How fast it rises; below zero it sinks";
        /// The rate at which it is lost, 1/s.
        pub decay_rate: f32 = 0.0, 0.0..=100.0, 3 "fading" "How quickly it vanishes";
    }
}

impl Dye {
    /// What makes the vapour of a liquid visible, where a scene does not say.
    pub fn steam() -> Self {
        Self { name: "steam".to_owned(), label: Some("#e8eef2".to_owned()), buoyancy: 0.08, decay_rate: 0.4 }
    }
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
    pub velocity: Option<[f32; 2]>,
    /// The temperature to which it brings its region, at its rate, °C.
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
    pub temperature: Option<f32>,
}
