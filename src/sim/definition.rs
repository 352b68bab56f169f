//! What a tank is and what is in it at the start: plain values, without the text that they were read from.
//!
//! Places are fractions of the tank (0 to 1, from its lower left corner), so that a scene fits a window of any shape.
//! Sizes are metres: the tank's area is the same in every window.

use crate::sim::boundary::Container;
use crate::sim::boundary::region::Region;
use crate::sim::cloth::ClothDef;
use crate::sim::grid_fluid::GridFluidDef;
use crate::sim::heat::{HeatDef, HeaterDef};
use crate::sim::liquid::fluid::Fluid;
use crate::sim::liquid::froude::FroudeScale;
use crate::sim::liquid::phases::PhaseDef;
use crate::sim::liquid::sph::SphMaterial;
use crate::sim::liquid::thermal::SolidForm;
use crate::sim::rigid::definition::BodyDef;
use serde::Serialize;

/// The widest body, as a fraction of the shorter side of the tank; no window makes the tank narrower than that.
pub const MAX_BODY_WIDTH: f32 = 0.9;

/// What a tank is and what is in it at the start. A scene file gives one; every value is then within the range given
/// here.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorldDef {
    /// Particle count of the scene's liquid, 1 to 2,000,000: resolution, not volume.
    pub particles: usize,
    /// m/s², downwards, 0 to 1000.
    pub gravity: f32,
    /// Substeps in a step of 1/60 s, at least, 1 to 1000; more are taken where the liquid's stiffness asks for them.
    pub substeps: u32,
    /// When the first obstacle is lifted, like a gate; none is never.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateDef>,
    /// What tells the first fluid from others of the same values (see [`PhaseDef`]). Scene files give the name of its palette.
    #[serde(rename = "palette", skip_serializing_if = "Option::is_none")]
    pub fluid_label: Option<String>,
    /// The tank.
    pub tank: TankDef,
    /// The first fluid of the liquid.
    pub fluid: Fluid,
    /// Where there is liquid at the start. At least one pool, or another matter.
    pub liquid: Vec<LiquidRegion>,
    /// A liquid that follows smoothed particle hydrodynamics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sph: Option<SphDef>,
    /// Smoke or dyed water that fills the tank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smoke: Option<GridFluidDef>,
    /// Rigid bodies.
    pub body: Vec<BodyDef>,
    /// Cloth that hangs in the tank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cloth: Option<ClothDef>,
    /// Solid regions.
    pub obstacle: Vec<Region>,
    /// Inlets.
    pub inlet: Vec<InletDef>,
    /// Outlets.
    pub outlet: Vec<OutletDef>,
    /// Its temperature; without one, and without heaters and warm pools, nothing in it has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heat: Option<HeatDef>,
    /// Regions that heat or cool.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub heater: Vec<HeaterDef>,
}

/// The opening of a gate. A scene may say `gate = 2` for `gate = { at = 2 }`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct GateDef {
    /// When it is released, seconds, 0 to 3600.
    pub at: f32,
    /// Seconds from then until it is out of the way, 0 to 60. A laboratory's clock starts at the release.
    pub opening_time: f32,
}

impl GateDef {
    /// When it is out of the way, seconds.
    pub fn gone(self) -> f64 {
        f64::from(self.at) + f64::from(self.opening_time)
    }
}

impl WorldDef {
    /// The widest tank (width over height) in which everything has room; no tank becomes wider, or as much higher.
    pub fn widest(&self) -> f32 {
        let width = self.body.iter().map(BodyDef::width).fold(0.0, f32::max);
        if width == 0.0 { f32::INFINITY } else { (self.tank.area * (MAX_BODY_WIDTH / width).powi(2)).max(1.0) }
    }
}

impl Default for WorldDef {
    fn default() -> Self {
        Self {
            particles: 3000,
            gravity: 9.81,
            substeps: 4,
            gate: None,
            fluid_label: None,
            tank: TankDef::default(),
            fluid: Fluid::default(),
            liquid: Vec::new(),
            sph: None,
            smoke: None,
            body: Vec::new(),
            cloth: None,
            obstacle: Vec::new(),
            inlet: Vec::new(),
            outlet: Vec::new(),
            heat: None,
            heater: Vec::new(),
        }
    }
}

/// The vessel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TankDef {
    /// m², 0.01 to 100, kept in a window of any shape.
    pub area: f32,
    /// Width over height, for a tank that does not follow the window; within [`crate::sim::ASPECTS`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aspect: Option<f32>,
    /// Its outline.
    pub shape: TankShape,
    /// How it moves of itself.
    #[serde(flatten)]
    pub motion: TankMotionDef,
}

impl Default for TankDef {
    fn default() -> Self {
        Self { area: 2.0, aspect: None, shape: TankShape::Box, motion: TankMotionDef::default() }
    }
}

/// Motions of a tank without input. They keep a scene going that would come to rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct TankMotionDef {
    /// It rolls from side to side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roll: Option<RollDef>,
    /// It is turned upside down.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flip: Option<FlipDef>,
    /// It is knocked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knock: Option<KnockDef>,
}

/// A tank that rolls from side to side, as a sine: the roll of a ship.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RollDef {
    /// The greatest angle to either side, degrees; it begins to the right, and to the left if it is negative.
    pub angle: f32,
    /// Seconds from one side to the other and back.
    pub period: f32,
    /// When it begins, seconds.
    pub first: f32,
}

/// A tank that is turned upside down: half a turn each time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FlipDef {
    /// From one flip to the next, seconds.
    pub every: f32,
    /// When it first flips, seconds.
    pub first: f32,
}

/// A tank that is knocked: everything in it is accelerated for a moment.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct KnockDef {
    /// The velocity that a knock adds to everything in it, m/s.
    pub velocity: [f32; 2],
    /// From one knock to the next, seconds.
    pub every: f32,
    /// When the first comes, seconds.
    pub first: f32,
}

/// The outline of a tank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TankShape {
    /// A box.
    #[default]
    Box,
    /// A circle, as large as the sides allow.
    Circle,
}

impl From<TankShape> for Container {
    fn from(shape: TankShape) -> Self {
        match shape {
            TankShape::Box => Container::Box,
            TankShape::Circle => Container::Circle,
        }
    }
}

/// A liquid that follows smoothed particle hydrodynamics: what it is made of, and where it is at the start.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SphDef {
    /// The fluid of the liquid.
    #[serde(flatten)]
    pub material: SphMaterial,
    /// At least one.
    pub liquid: Vec<LiquidRegion>,
}

/// A region full of liquid, and how it moves at the start.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LiquidRegion {
    /// Where it is.
    #[serde(flatten)]
    pub region: Region,
    /// m/s.
    pub velocity: [f32; 2],
    /// How fast its particles jitter about, m/s: the root mean square along each axis. Heat, which lasts where nothing
    /// is viscous: cold particles under tension set in a lattice that bears shear, warm ones flow.
    pub thermal_speed: f32,
    /// °C, where that is not the tank's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f32>,
    /// What it is filled with, where that is not the scene's own fluid. How densely and how stiffly that lies, and what
    /// walls do to it, is as with the scene's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fluid: Option<Fluid>,
    /// What tells it from other phases of the same fluid: see [`PhaseDef`].
    #[serde(rename = "palette", skip_serializing_if = "Option::is_none")]
    pub fluid_label: Option<String>,
}

impl LiquidRegion {
    /// The number of its fluid in a tank of the scene's own and these.
    pub fn number_among(&self, others: &[PhaseDef]) -> u8 {
        let own = self.other_phase();
        let number = others.iter().position(|&other| Some(other) == own);
        number.map_or(0, |number| number as u8 + 1)
    }

    /// Its phase, if it has one of its own.
    fn other_phase(&self) -> Option<PhaseDef<'_>> {
        self.fluid.as_ref().map(|fluid| PhaseDef { fluid, label: self.fluid_label.as_deref() })
    }
}

impl WorldDef {
    /// The scale of its fluids; none without gravity.
    pub fn scale(&self) -> Option<FroudeScale> {
        let TankDef { area, aspect, .. } = self.tank;
        (self.gravity > 0.0).then(|| FroudeScale::new(area, aspect, self.gravity))
    }

    /// What its fluids set to.
    pub fn solids(&self) -> Vec<&'static SolidForm> {
        let fluids = std::iter::once(&self.fluid).chain(self.other_phases().into_iter().map(|phase| phase.fluid));
        fluids.filter_map(|fluid| fluid.phase.thermal.solid).collect()
    }

    /// Whether anything in it has a temperature.
    pub fn has_heat(&self) -> bool {
        let warm_body = self.body.iter().any(|body| body.temperature.is_some());
        let warm_pool = self.liquid.iter().any(|pool| pool.temperature.is_some());
        let warm_inlet = self.inlet.iter().any(|inlet| inlet.temperature.is_some());
        let warm_smoke = self.smoke.as_ref().is_some_and(GridFluidDef::has_heat);
        self.heat.is_some() || !self.heater.is_empty() || warm_pool || warm_body || warm_inlet || warm_smoke
    }

    /// Whether it has a liquid of the first method; cloth has one that can be poured on it, if only an empty one.
    pub fn has_liquid(&self) -> bool {
        !self.liquid.is_empty() || (self.cloth.is_some() && self.sph.is_none())
    }

    /// The phase of the scene's own fluid.
    pub fn first_phase(&self) -> PhaseDef<'_> {
        PhaseDef { fluid: &self.fluid, label: self.fluid_label.as_deref() }
    }

    /// The phases in its pools and from its inlets that are not the scene's own, each once.
    pub fn other_phases(&self) -> Vec<PhaseDef<'_>> {
        let mut others = Vec::new();
        let poured = self.inlet.iter().filter_map(InletDef::other_phase);
        for other in self.liquid.iter().filter_map(LiquidRegion::other_phase).chain(poured) {
            if other != self.first_phase() && !others.contains(&other) {
                others.push(other);
            }
        }
        others
    }
}

impl From<Region> for LiquidRegion {
    /// Still liquid.
    fn from(region: Region) -> Self {
        Self { region, velocity: [0.0, 0.0], thermal_speed: 0.0, temperature: None, fluid: None, fluid_label: None }
    }
}

/// Pours back in what outlets have taken, for as long as there is any.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InletDef {
    /// The middle of its mouth, as a share of the tank.
    pub at: [f32; 2],
    /// Where the stream goes; its length does not matter.
    pub toward: [f32; 2],
    /// Width of the mouth, metres.
    pub width: f32,
    /// Speed of the stream, m/s.
    pub speed: f32,
    /// Whether it pours the tank's gas, of what the outlets of gas have taken.
    pub gas: bool,
    /// Whether it pours drops, and when; else it pours without end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drops: Option<DropTimes>,
    /// °C of what it pours; else that of the tank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f32>,
    /// What it pours, where that is not what the outlets have taken, in turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fluid: Option<Fluid>,
    /// What tells it from other phases of the same fluid: see [`PhaseDef`].
    #[serde(rename = "palette", skip_serializing_if = "Option::is_none")]
    pub fluid_label: Option<String>,
}

impl InletDef {
    /// The number of the fluid that it pours, if it pours a certain one, in a tank of the scene's own and these.
    pub fn number_among(&self, others: &[PhaseDef]) -> Option<u8> {
        let own = self.other_phase()?;
        Some(others.iter().position(|&other| other == own).map_or(0, |number| number as u8 + 1))
    }

    fn other_phase(&self) -> Option<PhaseDef<'_>> {
        self.fluid.as_ref().map(|fluid| PhaseDef { fluid, label: self.fluid_label.as_deref() })
    }
}

/// When an inlet pours a drop. Its stream begins and ends as a point, so that a drop is round if it pours for as long as its
/// width is at its speed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DropTimes {
    /// From the beginning of one drop to that of the next, seconds.
    pub every: f32,
    /// How long a drop takes to leave the mouth, seconds.
    #[serde(rename = "for")]
    pub duration: f32,
    /// When the first begins, seconds.
    pub first: f32,
}

impl DropTimes {
    /// The fraction of the mouth that pours at a time in seconds: the chords of a circle, one after the other.
    pub fn opening(&self, time: f64) -> f32 {
        let since_first = time - f64::from(self.first);
        let progress = since_first.rem_euclid(f64::from(self.every)) / f64::from(self.duration);
        if since_first < 0.0 || progress >= 1.0 { 0.0 } else { (4.0 * progress * (1.0 - progress)).sqrt() as f32 }
    }
}

/// Takes particles out of a region.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OutletDef {
    /// Where it is.
    #[serde(flatten)]
    pub region: Region,
    /// m² of liquid a second, at most.
    pub rate: f32,
    /// Whether it takes gas and no liquid, or liquid and no gas.
    pub gas: bool,
}
