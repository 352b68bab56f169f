//! Heat between a liquid and the bodies in it. A body has one temperature: inside it heat is quick.

use crate::sim::coupling::split_off;
use crate::sim::{Matter, StepContext};

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
