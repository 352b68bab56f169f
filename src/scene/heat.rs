//! The `[heat]` table and the `[[heater]]` entries of a scene.

use crate::data::{DataError, Fields};
use crate::scene::read;
use crate::sim::heat::{HeatDef, HeaterDef, TEMPERATURES};

/// Range of a heater's power, in watts per metre of the tank's depth. Negative values cool.
const POWER: std::ops::RangeInclusive<f32> = -1e9..=1e9;

/// Reads `[heat]`.
///
/// # Errors
/// Names the key whose value is out of range.
pub fn parse(mut fields: Fields) -> Result<HeatDef, DataError> {
    let default = HeatDef::default();
    let heat = HeatDef {
        temperature: fields.number("temperature", TEMPERATURES, default.temperature)?,
        air_loss: fields.number("air_loss", 0.0..=1e6, default.air_loss)?,
    };
    fields.done()?;
    Ok(heat)
}

/// Reads one heater.
///
/// # Errors
/// Names the key whose value is out of range.
pub fn heater(mut fields: Fields) -> Result<HeaterDef, DataError> {
    let region = read::region(&mut fields)?;
    let temperature = fields.get("temperature").map(|entry| entry.number(TEMPERATURES)).transpose()?;
    let power = fields.get("power").map(|entry| entry.number(POWER)).transpose()?;
    if temperature.is_some() == power.is_some() {
        return Err(
            fields.error("needs one of temperature (°C, of the walls in it) and power (W/m, for what is in it)")
        );
    }
    fields.done()?;
    Ok(HeaterDef { region, temperature, power })
}
