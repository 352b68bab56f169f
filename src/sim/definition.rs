//! What a tank is and what is in it at the start: plain values. Places are fractions of the tank (0 to 1, from its lower left
//! corner). Sizes are metres: the tank's area is the same in every window.

use crate::math::{Elementary, interpolate};
use crate::sim::boundary::{Container, Region, Shape};
use crate::sim::cloth::ClothDef;
use crate::sim::grid_fluid::GridFluidDef;
use crate::sim::heat::{HeatDef, HeaterDef};
use crate::sim::life::definition::{BubblesDef, FishDef, WeedDef};
use crate::sim::liquid::fluid::WallParams;
use crate::sim::liquid::pressure::wcsph::SphMaterial;
use crate::sim::liquid::{Fluid, FroudeScale, PhaseDef, Removable};
use crate::sim::parameters::parameters;
use crate::sim::rigid::definition::BodyDef;
use glam::Vec2;
use serde::Serialize;
use std::collections::BTreeMap;
use std::f32::consts::TAU;

/// Aspect ratios (width over height) of a tank; a window beyond them shows margins.
pub const ASPECTS: std::ops::RangeInclusive<f32> = 1.0 / 8.0..=16.0;

/// Maximum width of a body, as a fraction of the shorter side of the tank; no window makes the tank narrower than that.
pub const MAX_BODY_WIDTH: f32 = 0.9;

parameters! {
    /// A tank and its contents at the start. A scene file contains one, with every value within the range given here.
    #[derive(Clone, Debug, PartialEq, Serialize)]
    pub struct WorldDef {
        /// Particle count of the scene's liquid, 1 to 2,000,000: resolution, not volume.
        pub particles: usize = 3000;
        /// Interaction radius h, metres, in place of a particle count. `particles` is then about the count that it gives.
        pub interaction_radius: Option<f32> = None;
        /// Gravity, m/s², downwards.
        pub gravity: f32 = 9.81, 0.0..=1000.0,
            2 "gravity" "Gravitational acceleration, m/s²: 9.81 on earth, 1.6 on the moon";
        /// Factor on the accelerations with which the pointer pushes, pulls and bursts.
        pub pointer_strength: f32 = 1.0, 0.0..=10.0,
            12 "pointer strength" "How strongly the pointer pushes and pulls";
        /// The metaballs that liquid is drawn as.
        pub metaballs: Metaballs = Metaballs::default();
        /// Names of parameters for the user, by key, in place of the program's.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        pub labels: BTreeMap<String, String> = BTreeMap::new();
        /// Minimum number of substeps in a step of 1/60 s, 1 to 1000; a stiff liquid takes more.
        pub substeps: u32 = 4;
        /// When the first obstacle is lifted, like a gate; none keeps it.
        pub gate: Option<GateDef> = None;
        /// A label that distinguishes the first fluid from others (see [`PhaseDef`]): in scene files its palette.
        #[serde(rename = "palette")]
        pub fluid_label: Option<String> = None;
        /// The tank.
        pub tank: TankDef = TankDef::default();
        /// The first fluid of the liquid.
        pub fluid: Fluid = Fluid::default();
        /// Seconds after which an experiment that nobody touches starts again.
        pub repeat: Option<f32> = None;
        /// Lines that show what theory expects.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub mark: Vec<MarkDef> = Vec::new();
        /// The pools of liquid at the start. At least one, or another matter.
        pub liquid: Vec<LiquidRegion> = Vec::new();
        /// A liquid simulated by smoothed particle hydrodynamics.
        pub sph: Option<SphDef> = None;
        /// Smoke or dyed water that fills the tank.
        pub smoke: Option<GridFluidDef> = None;
        /// Rigid bodies.
        pub body: Vec<BodyDef> = Vec::new();
        /// Fish and crawlers. They need a liquid.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub fish: Vec<FishDef> = Vec::new();
        /// Weeds on the floor.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub weed: Vec<WeedDef> = Vec::new();
        /// Places from which bubbles rise.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub bubbles: Vec<BubblesDef> = Vec::new();
        /// Cloth that hangs in the tank.
        pub cloth: Option<ClothDef> = None;
        /// Solid regions.
        pub obstacle: Vec<Region> = Vec::new();
        /// Walls that move.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub piston: Vec<PistonDef> = Vec::new();
        /// Inlets.
        pub inlet: Vec<InletDef> = Vec::new();
        /// Outlets.
        pub outlet: Vec<OutletDef> = Vec::new();
        /// The temperature of the tank. Without it, and without heaters and warm pools, the contents have no temperature.
        pub heat: Option<HeatDef> = None;
        /// Regions that heat or cool.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub heater: Vec<HeaterDef> = Vec::new();
    }
}

parameters! {
    /// The metaballs that liquid is drawn as. They change the picture only.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize)]
    pub struct Metaballs {
        /// Radius of a particle's kernel, as a factor on the usual one, which is h.
        pub radius: f32 = 1.0, 0.2..=3.0, 13 "metaball radius" "The radius with which a particle is drawn";
        /// The value of the field at which the surface is drawn; the field is 1 inside of the liquid.
        pub threshold: f32 = 0.5, 0.1..=0.9, 14 "metaball threshold" "The field's value at the surface";
    }
}

/// A line that shows what theory expects. It is drawn, and is no matter.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MarkDef {
    /// Its points, as fractions of the tank.
    pub line: Vec<[f32; 2]>,
    /// Its motion as a damped oscillation.
    pub swing: Option<MarkSwingDef>,
    /// Its motion by times, in seconds, and the displacements then, as fractions of the tank. At its end the mark goes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<[f32; 3]>,
    /// Factors on its width, from its first point on, by times in seconds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub widths: Vec<[f32; 2]>,
    /// A label for the view: the name of its colour.
    #[serde(rename = "color")]
    pub label: Option<String>,
}

/// A damped oscillation: by · cos(2π t/period) · e^(−damping t).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MarkSwingDef {
    /// The displacement at the start, as a fraction of the tank.
    pub by: [f32; 2],
    /// Seconds.
    pub period: f32,
    /// 1/s.
    pub damping: f32,
}

impl MarkDef {
    /// Its points at a time in seconds, as fractions of the tank, while theory holds.
    pub fn points(&self, time: f32) -> impl Iterator<Item = Vec2> {
        let swung = self.swing.map_or(Vec2::ZERO, |swing| {
            let phase = (time / swing.period).fract();
            Vec2::from(swing.by) * (TAU * phase).cosine() * (-swing.damping * time).exponential()
        });
        let [_, x, y] = interpolate(&self.path, time).unwrap_or_default();
        let [_, width] = interpolate(&self.widths, time).unwrap_or([time, 1.0]);
        let first = Vec2::from(self.line[0]);
        let holds = self.path.last().is_none_or(|last| time <= last[0]);
        let place = move |point: &[f32; 2]| {
            first + (Vec2::from(*point) - first) * Vec2::new(width, 1.0) + swung + Vec2::new(x, y)
        };
        self.line.iter().filter(move |_| holds).map(place)
    }
}

/// The opening of a gate. A scene may say `gate = 2` for `gate = { at = 2 }`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct GateDef {
    /// When it is released, seconds, 0 to 3600.
    pub at: f32,
    /// Seconds from then until it is out of the way, 0 to 60. In laboratory scenes time counts from the release.
    pub opening_time: f32,
}

impl GateDef {
    /// When it is out of the way, seconds.
    pub fn gone(self) -> f64 {
        f64::from(self.at) + f64::from(self.opening_time)
    }
}

impl WorldDef {
    /// The widest tank (width over height) in which all bodies have room; no tank becomes wider, or as much higher.
    pub fn widest(&self) -> f32 {
        let width = self.body.iter().map(BodyDef::width).fold(0.0, f32::max);
        if width == 0.0 { f32::INFINITY } else { (self.tank.area * (MAX_BODY_WIDTH / width).powi(2)).max(1.0) }
    }

    /// Width over height of its tank in a window of aspect ratio `window`.
    pub fn aspect(&self, window: f32) -> f32 {
        let widest = self.widest();
        let window = if window.is_nan() { 1.0 } else { window };
        let aspect = self.tank.aspect.unwrap_or_else(|| window.clamp(1.0 / widest, widest));
        aspect.clamp(*ASPECTS.start(), *ASPECTS.end())
    }

    /// The Froude scale of its fluids; none without gravity.
    pub fn scale(&self) -> Option<FroudeScale> {
        let TankDef { area, aspect, .. } = self.tank;
        (self.gravity > 0.0).then(|| FroudeScale::new(area, aspect, self.gravity))
    }

    /// Whether any of the contents has a temperature.
    pub fn has_heat(&self) -> bool {
        let warm_body = self.body.iter().any(|body| body.temperature.is_some());
        let warm_pool = self.liquid.iter().any(|pool| pool.temperature.is_some());
        let warm_inlet = self.inlet.iter().any(|inlet| inlet.temperature.is_some());
        let warm_smoke = self.smoke.as_ref().is_some_and(GridFluidDef::has_heat);
        self.heat.is_some() || !self.heater.is_empty() || warm_pool || warm_body || warm_inlet || warm_smoke
    }

    /// Whether it has a double-density liquid; a scene of cloth has one, perhaps empty, so that liquid can be poured on it.
    pub fn has_liquid(&self) -> bool {
        !self.liquid.is_empty() || (self.cloth.is_some() && self.sph.is_none())
    }

    /// The phase of the scene's first fluid.
    pub fn first_phase(&self) -> PhaseDef<'_> {
        PhaseDef { fluid: &self.fluid, label: self.fluid_label.as_deref() }
    }

    /// The fluid whose pressure, walls and random motion are the tank's: the first. If that has no friction at walls, since its
    /// viscosity brakes it, they brake as they do the first fluid without a viscosity, which would never come to rest otherwise.
    pub fn tank_fluid(&self) -> Fluid {
        let mut fluid = self.fluid;
        if fluid.walls.wall_friction == 0.0 && fluid.walls.wall_drag == 0.0 {
            let inviscid = self.other_phases().into_iter().find(|other| !other.fluid.phase.is_viscous());
            if let Some(WallParams { wall_friction, slip_speed, wall_drag, .. }) = inviscid.map(|it| it.fluid.walls) {
                fluid.walls = WallParams { wall_friction, slip_speed, wall_drag, ..fluid.walls };
            }
        }
        fluid
    }

    /// The phases of its pools and inlets other than the first, each once.
    pub fn other_phases(&self) -> Vec<PhaseDef<'_>> {
        let mut others = Vec::new();
        let pools = self.liquid.iter().map(|pool| own_phase(&pool.fluid, &pool.fluid_label));
        let inlets = self.inlet.iter().map(|inlet| own_phase(&inlet.fluid, &inlet.fluid_label));
        for other in pools.chain(inlets).flatten() {
            if other != self.first_phase() && !others.contains(&other) {
                others.push(other);
            }
        }
        others
    }
}

/// The phase of a pool or an inlet, if it has one of its own.
fn own_phase<'a>(fluid: &'a Option<Fluid>, label: &'a Option<String>) -> Option<PhaseDef<'a>> {
    fluid.as_ref().map(|fluid| PhaseDef { fluid, label: label.as_deref() })
}

/// Number of the fluid of a pool or an inlet, if it has one of its own, after the scene's first and among `others`.
pub fn number_among(fluid: &Option<Fluid>, label: &Option<String>, others: &[PhaseDef]) -> Option<u8> {
    let own = own_phase(fluid, label)?;
    Some(others.iter().position(|&other| other == own).map_or(0, |number| number as u8 + 1))
}

parameters! {
    /// The tank.
    #[derive(Clone, Debug, PartialEq, Serialize)]
    pub struct TankDef {
        /// Area, m², the same in a window of any shape.
        pub area: f32 = 2.0, 0.01..=100.0;
        /// Width over height, for a tank that does not follow the window; within [`crate::sim::ASPECTS`].
        pub aspect: Option<f32> = None;
        /// Its outline.
        pub shape: Container = Container::Box;
        /// The material of its outline and of its obstacles, for the picture.
        pub walls: WallMaterial = WallMaterial::Stone;
        /// The motion of the tank without input.
        #[serde(flatten)]
        pub motion: TankMotionDef = TankMotionDef::default();
    }
}

/// Motions of a tank without input. They keep a scene going that would come to rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct TankMotionDef {
    /// It rolls from side to side.
    pub roll: Option<RollDef>,
    /// It is turned upside down.
    pub flip: Option<FlipDef>,
    /// It is knocked.
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

named! {
    /// The material of walls.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum WallMaterial {
        /// Solid and opaque.
        #[default]
        Stone => "stone",
        /// Glass around what is open: a thin outline.
        Glass => "glass",
    }
}

/// A liquid simulated by smoothed particle hydrodynamics: its material, and its pools at the start.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SphDef {
    /// The parameters of the liquid.
    #[serde(flatten)]
    pub material: SphMaterial,
    /// The pools; at least one.
    pub liquid: Vec<LiquidRegion>,
}

/// A region full of liquid, and its motion at the start.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LiquidRegion {
    /// The region.
    #[serde(flatten)]
    pub region: Region,
    /// Velocity, m/s.
    pub velocity: [f32; 2],
    /// Speed of the thermal motion, m/s: the root mean square along each axis. It lasts if the liquid has no viscosity.
    pub thermal_speed: f32,
    /// Temperature, °C, if it differs from the tank's.
    pub temperature: Option<f32>,
    /// Its fluid, if it differs from the scene's first. Rest density, stiffness and the response of walls are those of
    /// [`WorldDef::tank_fluid`].
    pub fluid: Option<Fluid>,
    /// A label that distinguishes its phase from others of the same fluid: see [`PhaseDef`].
    #[serde(rename = "palette")]
    pub fluid_label: Option<String>,
}

impl TankDef {
    /// Width and height at this ratio of them, metres.
    pub fn size(&self, aspect: f32) -> Vec2 {
        let height = (self.area / aspect).sqrt();
        Vec2::new(self.area / height, height)
    }
}

impl From<Region> for LiquidRegion {
    /// A region of liquid at rest.
    fn from(region: Region) -> Self {
        Self { region, velocity: [0.0, 0.0], thermal_speed: 0.0, temperature: None, fluid: None, fluid_label: None }
    }
}

parameters! {
    /// A solid box that moves along a line and pushes what is in its way.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize)]
    pub struct PistonDef {
        /// `[left, bottom, right, top]` at the beginning of its way, fractions of the tank.
        #[serde(rename = "box")]
        pub at_start: [f32; 4] = [0.0; 4];
        /// Its way, fractions of the tank.
        pub travel: [f32; 2] = [0.0; 2];
        /// How far it is to be on its way, 0 to 1.
        pub position: f32 = 0.0, 0.0..=1.0, 6 "position" "How far the piston is on its way";
        /// Upper limit on its speed, m/s.
        pub speed: f32 = 0.0;
        /// It moves to and fro about its position.
        pub swing: Option<SwingDef> = None;
    }
}

/// The motion of a piston to and fro, as a sine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SwingDef {
    /// Greatest distance from its position, as a fraction of its way.
    pub amplitude: f32,
    /// Seconds.
    pub period: f32,
    /// Fraction of the period by which it is ahead.
    pub phase: f32,
}

impl PistonDef {
    /// How far it is to be on its way at a time in seconds.
    pub fn target(&self, time: f64) -> f32 {
        let swung = self.swing.map_or(0.0, |swing| {
            let phase = (time / f64::from(swing.period)).fract() as f32 + swing.phase;
            swing.amplitude * (TAU * phase).sine()
        });
        (self.position + swung).clamp(0.0, 1.0)
    }

    /// Its box where it is this far on its way, in a tank of this size.
    pub fn shape(&self, tank: Vec2, position: f32) -> Shape {
        let [left, bottom, right, top] = self.at_start;
        let by = position * Vec2::from(self.travel);
        Shape::Box { min: (Vec2::new(left, bottom) + by) * tank, max: (Vec2::new(right, top) + by) * tank }
    }
}

parameters! {
    /// An inlet: pours in again the particles that outlets have removed.
    #[derive(Clone, Debug, PartialEq, Serialize)]
    pub struct InletDef {
        /// Centre of its mouth, as a fraction of the tank.
        pub at: [f32; 2] = [0.0; 2];
        /// Direction of the stream; its length does not matter.
        pub toward: [f32; 2] = [0.0; 2];
        /// Width of the mouth, metres.
        pub width: f32 = 0.0;
        /// Speed of the stream, m/s.
        pub speed: f32 = 0.0, 0.0..=20.0, 16 "speed" "Speed of the jet, m/s";
        /// Whether it pours the tank's gas, which outlets of gas have removed.
        pub gas: bool = false;
        /// Times of drops; without them it pours continuously.
        pub drops: Option<DropTimes> = None;
        /// Temperature of the stream, °C; else the tank's.
        pub temperature: Option<f32> = None;
        /// The fluid that it pours; else the fluids that outlets have removed, in turn.
        pub fluid: Option<Fluid> = None;
        /// A label that distinguishes its phase from others of the same fluid: see [`PhaseDef`].
        #[serde(rename = "palette")]
        pub fluid_label: Option<String> = None;
    }
}

/// Times of an inlet's drops. Each drop begins and ends as a point; it is round if it lasts for the mouth's width over the speed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DropTimes {
    /// Interval from the beginning of one drop to that of the next, seconds.
    pub every: f32,
    /// Time that a drop takes to leave the mouth, seconds.
    #[serde(rename = "for")]
    pub duration: f32,
    /// When the first begins, seconds.
    pub first: f32,
}

impl DropTimes {
    /// Fraction of the mouth that is open at a time in seconds: the chords of a circle, one after the other.
    pub fn opening(&self, time: f64) -> f32 {
        let since_first = time - f64::from(self.first);
        let progress = since_first.rem_euclid(f64::from(self.every)) / f64::from(self.duration);
        if since_first < 0.0 || progress >= 1.0 { 0.0 } else { (4.0 * progress * (1.0 - progress)).sqrt() as f32 }
    }
}

/// An outlet: removes particles from a region.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OutletDef {
    /// The region.
    #[serde(flatten)]
    pub region: Region,
    /// Maximum rate, m² of liquid a second.
    pub rate: f32,
    /// The particles that it removes.
    #[serde(flatten)]
    pub removes: Removable,
}
