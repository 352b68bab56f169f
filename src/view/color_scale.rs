//! The quantity that colours represent, as a position on the palette from 0 to 1.

use crate::sim::World;
use crate::sim::definition::WorldDef;
use crate::sim::grid_fluid::GridFluidDef;
use crate::sim::liquid::Liquid;
use crate::view::render_style::ColorBy;

/// Gravity for the scale of scenes without any, m/s²: their colours are those they would have on Earth.
const STANDARD_GRAVITY: f32 = 9.81;

/// The relative density at the palette's dense end, and the range down to its thin end. Liquid at rest, at 1, is a quarter up the
/// palette.
const MAX_DENSITY: f32 = 1.2;
const DENSITY_RANGE: f32 = 0.8;

#[derive(Clone, Copy, Debug)]
pub struct ColorScale {
    pub color_by: ColorBy,
    /// In the quantity's unit: m/s for speed, kPa for pressure, m/s² for a force per mass; else 1.
    pub full: f32,
    pub temperatures: (f32, f32),
    /// The temperature of the tank, °C.
    pub tank: f32,
}

impl ColorScale {
    /// The end of the palette is the speed after a fall of d, √(2 g d), and the pressure under d of liquid, ρ g d, where d is
    /// half of the tank's typical height √(width · height).
    pub fn new(world: &World, color_by: ColorBy) -> Self {
        let gravity = if world.definition().gravity > 0.0 { world.definition().gravity } else { STANDARD_GRAVITY };
        let depth = 0.5 * (world.size().x * world.size().y).sqrt();
        let full = match color_by {
            ColorBy::Density | ColorBy::Amount | ColorBy::Surface | ColorBy::Temperature => 1.0,
            ColorBy::Force(_) => gravity,
            ColorBy::Speed => (2.0 * gravity * depth).sqrt(),
            ColorBy::Pressure => world.definition().fluid.phase.density * gravity * depth,
        };
        let tank = world.definition().heat.unwrap_or_default().temperature;
        Self { color_by, full, temperatures: temperatures(world.definition()), tank }
    }

    pub fn of_temperature(&self, temperature: f32) -> f32 {
        let (cold, hot) = self.temperatures;
        (temperature - cold) / (hot - cold)
    }

    /// The position of liquid at rest, in colours of density.
    pub fn at_rest(&self) -> f32 {
        (MAX_DENSITY - 1.0) / DENSITY_RANGE
    }

    pub fn of_particle(&self, liquid: &Liquid, slot: usize) -> f32 {
        let value = match self.color_by {
            ColorBy::Density | ColorBy::Amount => (MAX_DENSITY - liquid.relative_density(slot)) / DENSITY_RANGE,
            ColorBy::Speed => liquid.particles().velocity(slot).length() / self.full,
            ColorBy::Pressure => 1.0 - liquid.pressure(slot) / self.full,
            // Forces span orders of magnitude. A force as strong as gravity is in the middle.
            ColorBy::Force(force) => {
                let force = liquid.force(force, slot).unwrap_or_default().length();
                force / (force + self.full)
            }
            ColorBy::Surface => liquid.surface(slot),
            ColorBy::Temperature => self.of_temperature(liquid.temperature(slot).unwrap_or_default()),
        };
        value.clamp(0.0, 1.0)
    }
}

/// Minimum range of temperatures over the palette, K.
const LEAST_RANGE: f32 = 40.0;

/// Returns the lowest and the highest temperature in a scene's definition, °C. They do not change while the scene plays.
fn temperatures(world: &WorldDef) -> (f32, f32) {
    let heaters = world.heater.iter().filter_map(|heater| heater.temperature);
    let pools = world.liquid.iter().filter_map(|pool| pool.temperature);
    let bodies = world.body.iter().filter_map(|body| body.temperature);
    let smoke = world.smoke.iter().flat_map(GridFluidDef::temperatures);
    let said = heaters.chain(pools).chain(bodies).chain(smoke).chain([world.heat.unwrap_or_default().temperature]);
    let (cold, hot) = said.fold((f32::MAX, f32::MIN), |(cold, hot), it| (cold.min(it), hot.max(it)));
    let missing = (LEAST_RANGE - (hot - cold)).max(0.0);
    (cold - 0.5 * missing, hot + 0.5 * missing)
}
