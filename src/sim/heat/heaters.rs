//! The heaters of a tank of its present size, and what they and brushes do to any matter.

use crate::sim::boundary::Shape;
use crate::sim::forces::PointerForce;
use crate::sim::heat::HeaterDef;
use glam::Vec2;

/// Rate at which a hot or cold brush changes the temperature under its middle, K/s.
const BRUSH_RATE: f32 = 100.0;

/// Matter below this is cooled no further by a brush, °C.
const MIN_BRUSHED: f32 = -60.0;

/// Matter in parts that receive heat: particles or cells.
pub trait HeatedParts {
    /// Matter above this is heated no further by a brush, °C.
    const MAX_BRUSHED: f32;

    /// Lists the parts in a shape, each with 1/mass of what of it is inside, in a unit of the matter's own.
    fn list_inside(&self, shape: &Shape, parts: &mut Vec<(usize, f64)>);

    fn position(&self, part: usize) -> Vec2;

    /// °C.
    fn temperature(&self, part: usize) -> f32;

    /// Heat capacity of a part, J/K for each metre of the tank's depth.
    fn heat_capacity(&self, part: usize) -> f64;

    /// Adds heat, J/m, and returns what the part gets: it is cooled to absolute zero at most.
    fn add_heat(&mut self, part: usize, heat: f64) -> f64;
}

#[derive(Clone, Debug, Default)]
pub struct Heaters {
    pub defs: Vec<HeaterDef>,
    shapes: Vec<Shape>,
    parts: Vec<(usize, f64)>,
}

impl Heaters {
    pub fn new(defs: &[HeaterDef]) -> Self {
        Self { defs: defs.to_vec(), ..Self::default() }
    }

    pub fn fit(&mut self, size: Vec2) {
        self.shapes.clear();
        self.shapes.extend(self.defs.iter().map(|def| def.region.shape(size)));
    }

    /// Whether any keeps walls at a temperature.
    pub fn keep_walls(&self) -> bool {
        self.defs.iter().any(|def| def.temperature.is_some())
    }

    /// The temperature at which the walls at a place are kept, °C, if any heater does; of several the last counts.
    pub fn wall_temperature(&self, at: Vec2) -> Option<f32> {
        let here = self.shapes.iter().zip(&self.defs).rev().filter(|(shape, _)| shape.contact(at).distance <= 0.0);
        here.filter_map(|(_, def)| def.temperature).next()
    }

    /// The powers that heat or cool, W/m.
    pub fn powers(&self) -> impl Iterator<Item = f32> {
        self.defs.iter().filter_map(|def| def.power)
    }

    /// Gives matter the power of heaters, by mass, and the heat of brushes for `dt` seconds; returns how much it got, J/m.
    pub fn apply<M: HeatedParts>(&mut self, matter: &mut M, forces: &[PointerForce], dt: f32) -> f64 {
        let Self { defs, shapes, parts } = self;
        let mut received = 0.0;
        for (def, shape) in defs.iter().zip(shapes) {
            let Some(power) = def.power else { continue };
            matter.list_inside(shape, parts);
            let mass: f64 = parts.iter().map(|(_, inv_mass)| 1.0 / inv_mass).sum();
            let heat = f64::from(power) * f64::from(dt);
            received += parts.iter().map(|(part, own)| matter.add_heat(*part, heat / (mass * own))).sum::<f64>();
        }
        for &PointerForce { at, radius, kind } in forces.iter().filter(|force| force.kind.heating() != 0.0) {
            let rate = kind.heating();
            matter.list_inside(&Shape::Circle { at, radius }, parts);
            for &(part, _) in &*parts {
                let fraction = (matter.position(part).distance(at) / radius).min(1.0);
                let temperature = matter.temperature(part);
                let beyond = if rate > 0.0 { temperature > M::MAX_BRUSHED } else { temperature < MIN_BRUSHED };
                if !beyond {
                    let warmer = rate * BRUSH_RATE * (1.0 - fraction * fraction).powi(2) * dt;
                    received += matter.add_heat(part, f64::from(warmer) * matter.heat_capacity(part));
                }
            }
        }
        received
    }
}
