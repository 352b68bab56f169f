//! The `[heat]` table and the `[[heater]]` entries of a scene.

use crate::data::{Error, Fields};
use crate::scene::read;
use crate::sim::boundary::region::Region;
use crate::sim::heat::{HeatDef, HeaterDef, TEMPERATURES};

/// Watts that a heater may have for each metre of the tank's depth; less than none cools.
const POWER: std::ops::RangeInclusive<f32> = -1e9..=1e9;

/// How far a wall that is named reaches into the tank and beyond it, as a fraction of the tank.
const WALL: f32 = 1e-4;

/// Reads `[heat]`.
pub fn parse(mut fields: Fields) -> Result<HeatDef, Error> {
    let default = HeatDef::default();
    let heat = HeatDef {
        temperature: fields.number("temperature", TEMPERATURES, default.temperature)?,
        air_loss: fields.number("air_loss", 0.0..=1e6, default.air_loss)?,
    };
    fields.done()?;
    Ok(heat)
}

/// Reads one heater: a region, or a wall by its name and from where to where.
pub fn heater(mut fields: Fields) -> Result<HeaterDef, Error> {
    let region = match fields.get("wall") {
        Some(wall) => {
            let from = fields.number("from", 0.0..=1.0, 0.0)?;
            let to = fields.number("to", 0.0..=1.0, 1.0)?;
            if from >= to {
                return Err(wall.error("must begin before it ends: from less than to"));
            }
            let (low, high) = (-WALL, 1.0 + WALL);
            Region::Box(wall.word(&[
                ("floor", [from, low, to, WALL]),
                ("ceiling", [from, 1.0 - WALL, to, high]),
                ("left", [low, from, WALL, to]),
                ("right", [1.0 - WALL, from, high, to]),
                ("all", [low, low, high, high]),
            ])?)
        }
        None => read::region(&mut fields)?,
    };
    let temperature = fields.get("temperature").map(|entry| entry.number(TEMPERATURES)).transpose()?;
    let power = fields.get("power").map(|entry| entry.number(POWER)).transpose()?;
    if temperature.is_some() == power.is_some() {
        return Err(fields.error("needs one of temperature (°C, of the walls in it) and power (W/m, for what is in it)"));
    }
    fields.done()?;
    Ok(HeaterDef { region, temperature, power })
}
