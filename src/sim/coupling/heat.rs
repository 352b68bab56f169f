//! Heat between a liquid and the bodies in it. A body has one temperature: inside it heat is quick.

use crate::sim::coupling::split_off;
use crate::sim::{Matter, StepContext};

/// How much of a cell one puff of steam fills, and its radius, metres.
const PUFF: (f32, f32) = (0.35, 0.03);

/// Steam that has left a liquid shows in the smoke or air above it, if there is any.
pub fn steam(matter: &mut [Matter], env: &StepContext) {
    if !env.shown {
        return;
    }
    let Some((grid, others)) = split_off(matter, Matter::as_grid_fluid_mut) else { return };
    for liquid in others.filter_map(|matter| matter.as_liquid()) {
        liquid.steam().iter().for_each(|&at| grid.puff(at, PUFF.1, PUFF.0));
    }
}

/// Lets the bodies and the particles within reach of them exchange heat, once a step.
pub fn exchange(matter: &mut [Matter], env: &StepContext) {
    if !env.shown {
        return;
    }
    let Some((bodies, others)) = split_off(matter, Matter::as_bodies_mut) else { return };
    for liquid in others.filter_map(Matter::as_liquid_mut).filter(|liquid| liquid.heat().is_some()) {
        for (number, body) in bodies.all_mut().iter_mut().enumerate() {
            let Some(before) = body.temperature() else { continue };
            let after = liquid.exchange_heat_with_body(number, before, body.thermal_capacity());
            body.set_temperature(after);
        }
    }
}
