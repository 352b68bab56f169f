//! Heat and vapour between a liquid, the bodies in it and the air over it, once a step.

use crate::sim::coupling::split_off;
use crate::sim::liquid::double_density::DoubleDensityLiquid;
use crate::sim::solver::Solver;
use crate::sim::{Matter, StepContext};

/// Concentration of dye in a puff of steam, and its radius, metres.
const PUFF: (f32, f32) = (0.35, 0.03);

/// The liquids that have a temperature.
fn warm_liquids<'a>(matter: impl Iterator<Item = &'a mut Matter>) -> impl Iterator<Item = &'a mut DoubleDensityLiquid> {
    matter.filter_map(Matter::as_liquid_mut).filter(|liquid| liquid.heat().is_some())
}

/// Moves the vapour that leaves a liquid to the air above it, if there is any, where it is visible; and what condenses on cold
/// walls back to the liquid.
pub fn steam(matter: &mut [Matter], env: &StepContext) {
    if !env.shown {
        return;
    }
    let Some((grid, others)) = split_off(matter, Matter::as_grid_fluid_mut) else {
        warm_liquids(matter.iter_mut()).for_each(|liquid| liquid.exchange_with_steam(env.walls, |_| false));
        return;
    };
    for liquid in warm_liquids(others) {
        liquid.exchange_with_steam(env.walls, |puff| {
            grid.puff(puff.at, PUFF.1, PUFF.0);
            grid.add_vapor(puff.phase, puff.at, PUFF.1, puff.mass)
        });
        let inset = 0.5 * liquid.spacing();
        if let Some(drop) =
            grid.drop_from_wall(|phase| liquid.mass_of_phase(phase), inset, |at| liquid.has_room_for_drop(at))
        {
            liquid.add_drop(drop.phase, drop.at, drop.enthalpy);
        }
    }
}

/// Exchanges heat between bodies and the particles and cells near them, and between a liquid's surface and the air.
pub fn exchange(matter: &mut [Matter], env: &StepContext) {
    if !env.shown {
        return;
    }
    if let Some((bodies, others)) = split_off(matter, Matter::as_bodies_mut) {
        for other in others {
            for (number, body) in bodies.all_mut().iter_mut().enumerate() {
                let Some(before) = body.temperature() else { continue };
                let capacity = body.thermal_capacity();
                let after = match other {
                    Matter::Liquid(liquid) => liquid.exchange_heat_with_body(number, before, capacity),
                    Matter::GridFluid(fluid) => fluid.exchange_heat_with_body(number, before, capacity),
                    _ => before,
                };
                body.set_temperature(after);
            }
        }
    }
    let Some((grid, others)) = split_off(matter, Matter::as_grid_fluid_mut) else { return };
    if grid.has_temperature() {
        for liquid in warm_liquids(others) {
            liquid.exchange_heat_with_air(|at, temperature, through, capacity| {
                grid.exchange_heat(at, temperature, through, capacity)
            });
        }
    }
}
