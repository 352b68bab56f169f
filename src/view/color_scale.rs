//! What a colour stands for, as a place on the palette from 0 to 1.

use crate::sim::World;
use crate::sim::liquid::particle_liquid::LiquidMethod;
use crate::view::render_style::ColorBy;

/// Gravity that scenes without any are measured by, m/s²: their colours are those they would have on Earth.
const STANDARD_GRAVITY: f32 = 9.81;

/// The relative density at the palette's dense end, and how far below it the other end lies. Liquid at rest, at 1, is a
/// quarter up the palette: compression shows below it, spray above.
const MAX_DENSITY: f32 = 1.2;
const DENSITY_RANGE: f32 = 0.8;

/// A quantity and the value of it that reaches the end of the palette.
#[derive(Clone, Copy, Debug)]
pub struct ColorScale {
    /// The quantity.
    pub color_by: ColorBy,
    /// In the quantity's unit: m/s for speed, m²/s² for pressure over density, m/s² for a force per mass; else 1.
    pub full: f32,
}

impl ColorScale {
    /// The scale for a tank: a fall, and a column of liquid, of half the tank's typical height √(width · height).
    ///
    /// A fall over d ends at √(2 g d), and under d of liquid the pressure over density is g d.
    pub fn new(world: &World, color_by: ColorBy) -> Self {
        let gravity = if world.definition().gravity > 0.0 { world.definition().gravity } else { STANDARD_GRAVITY };
        let depth = 0.5 * (world.size().x * world.size().y).sqrt();
        let full = match color_by {
            ColorBy::Density | ColorBy::Amount | ColorBy::Surface => 1.0,
            ColorBy::Force(_) => gravity,
            ColorBy::Speed => (2.0 * gravity * depth).sqrt(),
            ColorBy::Pressure => gravity * depth,
        };
        Self { color_by, full }
    }

    /// The place on the palette of a liquid's particle.
    pub fn of_particle(&self, liquid: &dyn LiquidMethod, slot: usize) -> f32 {
        let value = match self.color_by {
            ColorBy::Density | ColorBy::Amount => (MAX_DENSITY - liquid.relative_density(slot)) / DENSITY_RANGE,
            ColorBy::Speed => liquid.particles().velocity(slot).length() / self.full,
            ColorBy::Pressure => 1.0 - liquid.pressure(slot) / self.full,
            // Forces span decades: gravity's strength is in the middle.
            ColorBy::Force(force) => {
                let force = liquid.force(force, slot);
                force / (force + self.full)
            }
            ColorBy::Surface => liquid.surface(slot),
        };
        value.clamp(0.0, 1.0)
    }
}
