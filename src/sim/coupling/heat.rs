//! Heat and vapour between a liquid, the bodies in it and the air over it, once a step.

use crate::sim::grid_fluid::GridFluid;
use crate::sim::liquid::Liquid;
use crate::sim::rigid::Bodies;

/// Concentration of dye in a puff of steam, and its radius, metres.
const PUFF: (f32, f32) = (0.35, 0.03);

/// A drop forms on a wall where no particle is within this distance, in spacings.
const ROOM: f32 = 0.8;

/// Vapour that leaves a liquid goes to the air above it, and what condenses on cold walls back to the liquid.
pub fn steam(liquid: &mut Liquid, grid: &mut GridFluid) {
    if liquid.heat().is_none() {
        return;
    }
    liquid.release_vapor(|puff| {
        let has_room = grid.add_vapor(puff.phase, puff.at, PUFF.1, puff.mass);
        if has_room {
            grid.puff(puff.at, PUFF.1, PUFF.0);
        }
        has_room
    });
    let inset = 0.5 * liquid.spacing();
    if let Some(drop) = grid.drop_from_wall(|phase| liquid.mass_of_phase(phase), inset, |at| liquid.has_room(at, ROOM))
    {
        liquid.add_drop(drop.phase, drop.at, drop.enthalpy);
    }
}

/// Exchanges heat between bodies and the particles and cells near them.
pub fn exchange_with_bodies(bodies: &mut Bodies, mut liquid: Option<&mut Liquid>, mut grid: Option<&mut GridFluid>) {
    for (number, body) in bodies.all_mut().iter_mut().enumerate() {
        let capacity = body.thermal_capacity();
        let mut exchange = |with: &mut dyn FnMut(f64) -> f64| {
            if let Some(before) = body.temperature() {
                body.set_temperature(with(before));
            }
        };
        if let Some(liquid) = &mut liquid {
            exchange(&mut |before| liquid.exchange_heat_with_body(number, before, capacity));
        }
        if let Some(grid) = &mut grid {
            exchange(&mut |before| grid.exchange_heat_with_body(number, before, capacity));
        }
    }
}

/// Exchanges heat between a liquid's surface and the air, if the air has a temperature.
pub fn exchange_with_air(liquid: &mut Liquid, grid: &mut GridFluid) {
    if grid.has_temperature() {
        liquid.exchange_heat_with_air(|at, temperature, through, capacity| {
            grid.exchange_heat(at, temperature, through, capacity)
        });
    }
}
