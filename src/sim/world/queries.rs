//! Queries: what a world reports about itself.

use crate::sim::boundary::{Region, Walls};
use crate::sim::cloth::Cloth;
use crate::sim::definition::WorldDef;
use crate::sim::grid_fluid::GridFluid;
use crate::sim::life::Life;
use crate::sim::liquid::region_probe::RegionProbe;
use crate::sim::liquid::whitewater::specks::Speck;
use crate::sim::liquid::{FroudeScale, Liquid};
use crate::sim::rigid::Bodies;
use crate::sim::statistics::Stats;
use crate::sim::world::inlets_outlets::pointer_stream;
use crate::sim::{World, rigid};
use glam::Vec2;

/// The fraction of a liquid that may move faster than what is seen: single particles within it are not. Where a thermostat keeps
/// the particles trembling, the fastest go back and forth by less than a sample; where animals swim, they are behind tails.
const UNSEEN: f32 = 0.002;
const UNSEEN_WHERE_STIRRED: f32 = 0.1;

impl World {
    /// The definition of the world, with the present values of its parameters.
    pub fn definition(&self) -> &WorldDef {
        &self.definition
    }

    /// The definition with all changes and drawn walls, as the scene would begin again.
    pub fn definition_now(&self) -> WorldDef {
        let mut definition = self.definition.clone();
        definition.obstacle.extend(self.user_walls.iter().cloned());
        definition
    }

    /// The tank's walls and obstacles.
    pub fn walls(&self) -> &Walls {
        &self.walls
    }

    /// Present width and height of the tank, metres.
    pub fn size(&self) -> Vec2 {
        self.walls.size()
    }

    /// Present gravity, m/s², turned by the tilt.
    pub fn gravity(&self) -> Vec2 {
        self.definition.gravity * self.tank_motion.gravity_dir()
    }

    /// Angle of gravity from straight down, radians; positive is to the right.
    pub fn tilt(&self) -> f32 {
        self.tank_motion.tilt
    }

    /// The angle by which the scene's flips have turned the tank over, radians: gravity has turned by it to the right.
    pub fn flipped(&self) -> f32 {
        self.tank_motion.flipped
    }

    /// The target angle of gravity, radians.
    pub fn tilt_target(&self) -> f32 {
        self.tank_motion.target
    }

    /// Simulated seconds since the start.
    pub fn time(&self) -> f64 {
        self.steps as f64 / 60.0
    }

    /// The scale of its lengths and speeds, relative to a tank of 2 m² on Earth.
    pub fn scale(&self) -> FroudeScale {
        self.scale
    }

    /// Fixed steps since the start.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Substeps in a step.
    pub fn substeps(&self) -> u32 {
        self.substeps
    }

    /// Number of particles in the tank.
    pub fn particles(&self) -> usize {
        self.liquid.as_ref().map_or(0, |liquid| liquid.particles().len())
    }

    /// Whether `particles` more may be poured in by hand. Without a liquid there is no limit.
    pub fn has_room_for(&self, particles: usize) -> bool {
        let limit = |liquid: &Liquid| pointer_stream::max_particles(liquid, self.size());
        self.particles().saturating_add(particles) <= self.liquid.as_ref().map_or(usize::MAX, limit)
    }

    /// Number of pieces of drawn walls.
    pub fn drawn_walls(&self) -> usize {
        self.user_walls.len()
    }

    /// Number of particles that outlets have taken and inlets have not yet poured.
    pub fn pool_count(&self) -> usize {
        self.inlets_outlets.pool_count()
    }

    /// Measures the contents of the tank.
    pub fn stats(&self) -> Stats {
        let gravity = self.gravity();
        let is_body = |at| self.bodies.as_ref().is_some_and(|bodies| bodies.velocity_at(at).is_some());
        let is_solid = |at| self.walls.distance(at) < 0.0 || is_body(at);
        let each = [
            self.liquid.as_ref().map(|liquid| liquid.stats(gravity, self.size(), is_solid)),
            self.grid.as_ref().map(GridFluid::stats),
            self.cloth.as_ref().map(|cloth| cloth.stats(gravity)),
            self.bodies.as_ref().map(|bodies| bodies.stats(gravity)),
        ];
        each.into_iter().flatten().reduce(Stats::and).unwrap_or_default()
    }

    /// Further quantities of each matter, each with a name, as text for users.
    pub fn describe(&self) -> Vec<(&'static str, String)> {
        let time = [("time", format!("{:.1} s", self.time())), ("substeps", self.substeps.to_string())];
        let liquid = self.liquid.iter().flat_map(Liquid::describe);
        let grid = self.grid.iter().flat_map(GridFluid::describe);
        time.into_iter()
            .chain(liquid)
            .chain(grid)
            .chain(self.cloth.iter().flat_map(|cloth| cloth.describe(self.gravity())))
            .collect()
    }

    /// Largest speed of any matter, m/s.
    pub fn max_speed(&self) -> f32 {
        self.speed_but_of(|_| 0.0)
    }

    /// Largest speed of any matter but of a few particles that are not seen, m/s.
    pub fn visible_speed(&self) -> f32 {
        let is_stirred = |liquid: &Liquid| liquid.keeps_trembling() || self.life.is_some();
        self.speed_but_of(|liquid| if is_stirred(liquid) { UNSEEN_WHERE_STIRRED } else { UNSEEN })
    }

    fn speed_but_of(&self, fraction: impl Fn(&Liquid) -> f32) -> f32 {
        let speeds = [
            self.liquid.as_ref().map(|liquid| liquid.particles().speed_exceeded_by(fraction(liquid))),
            self.grid.as_ref().map(GridFluid::max_speed),
            self.cloth.as_ref().map(Cloth::max_speed),
            self.bodies.as_ref().map(Bodies::max_speed),
        ];
        speeds.into_iter().flatten().fold(0.0, f32::max)
    }

    /// Velocity at a place in the tank, m/s, where there is matter.
    pub fn velocity(&self, at: Vec2) -> Option<Vec2> {
        let liquid = self.liquid.as_ref().and_then(|liquid| liquid.velocity(at));
        liquid
            .or_else(|| self.grid.as_ref().map(|grid| grid.velocity(at)))
            .or_else(|| self.cloth.as_ref()?.velocity_at(at))
            .or_else(|| self.bodies.as_ref()?.velocity_at(at))
    }

    /// Pressure at a place, kPa; of a grid fluid over its density (m²/s²), up to a constant.
    pub fn pressure(&self, at: Vec2) -> Option<f32> {
        let liquid = self.liquid.as_ref().and_then(|liquid| liquid.pressure_at(at));
        liquid.or_else(|| self.grid.as_ref().map(|grid| grid.pressure(at)))
    }

    /// Temperature at a place in the tank, °C, where there is matter with a temperature.
    pub fn temperature(&self, at: Vec2) -> Option<f32> {
        let liquid = self.liquid.as_ref().and_then(|liquid| liquid.temperature_at(at));
        liquid.or_else(|| self.grid.as_ref()?.temperature(at))
    }

    /// Measures the liquid in a region of the tank; without a liquid, the velocity at the region's centre.
    pub fn probe_region(&self, piece: &Region) -> RegionProbe {
        let piece = piece.shape(self.size());
        if let Some(liquid) = &self.liquid {
            return RegionProbe::measure(liquid, &piece);
        }
        let (min, max) = piece.bounds();
        let velocity = self.velocity((min + max) / 2.0).unwrap_or_default().as_dvec2();
        RegionProbe { velocity, speed: velocity.length(), ..RegionProbe::default() }
    }

    /// The liquid, if there is one.
    pub fn liquid(&self) -> Option<&Liquid> {
        self.liquid.as_ref()
    }

    /// Spray, foam and bubbles of the liquid, and embers.
    pub fn specks(&self) -> &[Speck] {
        &self.whitewater.specks
    }

    /// The bodies in the tank.
    pub fn bodies(&self) -> &[rigid::Body] {
        self.bodies.as_ref().map_or(&[], |bodies| &bodies.all)
    }

    /// What lives in the tank.
    pub fn life(&self) -> Option<&Life> {
        self.life.as_ref()
    }

    /// Submerged fraction of a body, 0 to 1.
    pub fn submerged(&self, body: &rigid::Body) -> f32 {
        self.liquid
            .as_ref()
            .map_or(0.0, |liquid| crate::sim::coupling::submersion::submerged(body, liquid, self.gravity()))
    }

    /// The grid fluid, if there is one.
    pub fn smoke(&self) -> Option<&GridFluid> {
        self.grid.as_ref()
    }

    /// Whether any of the contents has a temperature.
    pub fn has_temperature(&self) -> bool {
        self.liquid.as_ref().is_some_and(|liquid| liquid.heat().is_some())
            || self.grid.as_ref().is_some_and(GridFluid::has_temperature)
    }

    /// The cloth, if there is any.
    pub fn cloth(&self) -> Option<&Cloth> {
        self.cloth.as_ref()
    }
}
