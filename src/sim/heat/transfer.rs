//! Heat and vapour between a liquid, the bodies in it and the air over it, once a step.

use crate::sim::grid_fluid::GridFluid;
use crate::sim::liquid::Liquid;
use crate::sim::rigid::Bodies;

/// Concentration of dye in a puff of steam.
const PUFF_DYE: f32 = 0.35;

/// Radius of a puff, metres.
const PUFF_RADIUS: f32 = 0.03;

/// A drop forms on a wall where no particle is within this distance, in spacings.
const ROOM: f32 = 0.8;

/// Vapour that leaves a liquid goes to the air above it, and what condenses on cold walls back to the liquid.
pub fn steam(liquid: &mut Liquid, grid: &mut GridFluid) {
    let Some((conduction, particles)) = liquid.heated() else { return };
    conduction.release_vapor(particles, |puff| {
        let Some(air) = grid.heated() else { return false };
        let has_room = air.heat.add_vapor(air.grid, puff.phase, puff.at, PUFF_RADIUS, puff.mass);
        if has_room {
            grid.puff(puff.at, PUFF_RADIUS, PUFF_DYE);
        }
        has_room
    });
    let inset = 0.5 * liquid.spacing();
    let Some(air) = grid.heated() else { return };
    let mass = |phase| liquid.thermal_mass(phase);
    let has_room = |at| liquid.has_room(at, ROOM * liquid.spacing());
    if let Some((phase, at, enthalpy)) = air.heat.drop_from_wall(air.grid, mass, inset, has_room) {
        liquid.add_drop(phase, at, enthalpy);
    }
}

/// Exchanges heat between bodies and the particles and cells near them.
pub fn with_bodies(bodies: &mut Bodies, mut liquid: Option<&mut Liquid>, mut grid: Option<&mut GridFluid>) {
    for (number, body) in bodies.all.iter_mut().enumerate() {
        let capacity = body.thermal_capacity();
        let Some(mut temperature) = body.temperature else { continue };
        if let Some((conduction, particles)) = liquid.as_mut().and_then(|liquid| liquid.heated()) {
            temperature = conduction.exchange_with_body(particles, number, temperature, capacity);
        }
        if let Some(mut cells) = grid.as_mut().and_then(|grid| grid.heated()) {
            temperature = cells.exchange_with_body(number, temperature, capacity);
        }
        body.temperature = Some(temperature);
    }
}

/// Exchanges heat between a liquid's surface and the air, if the air has a temperature.
pub fn with_air(liquid: &mut Liquid, grid: &mut GridFluid) {
    if let (Some((conduction, particles)), Some(mut cells)) = (liquid.heated(), grid.heated())
        && cells.heat.has_temperature()
    {
        conduction.exchange_with_air(particles, |at, temperature, conductance, capacity| {
            cells.exchange(at, temperature, conductance, capacity)
        });
    }
}
