//! The heaters of a tank of its present size.

use crate::sim::boundary::Shape;
use crate::sim::heat::HeaterDef;
use glam::Vec2;

#[derive(Clone, Debug, Default)]
pub struct Heaters {
    pub defs: Vec<HeaterDef>,
    shapes: Vec<Shape>,
}

impl Heaters {
    pub fn new(defs: &[HeaterDef]) -> Self {
        Self { defs: defs.to_vec(), shapes: Vec::new() }
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

    pub fn powered(&self) -> impl Iterator<Item = (&Shape, f32)> {
        self.shapes.iter().zip(&self.defs).filter_map(|(shape, def)| Some((shape, def.power?)))
    }
}
