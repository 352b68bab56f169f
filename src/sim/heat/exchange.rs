//! Exchange of heat between two matters in a step.

use crate::math::Elementary;

/// A part of what is around a body.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    /// The particle's id, or the cell.
    pub part: u32,
    /// Heat that it would take in a step from a body one kelvin warmer that stays so, J/K.
    pub conductance: f64,
    /// Temperature, °C.
    pub temperature: f64,
}

/// The temperature, after a step, of a body of `temperature` and heat `capacity` (J/K) among its contacts: implicit in the body's
/// temperature, so it is stable for any two capacities. `give` gives a part heat, J/m, and returns what it got after rounding.
pub fn with_body(temperature: f64, capacity: f64, contacts: &[Contact], mut give: impl FnMut(u32, f64) -> f64) -> f64 {
    let sum: f64 = contacts.iter().map(|contact| contact.conductance * contact.temperature).sum();
    let conductance: f64 = contacts.iter().map(|contact| contact.conductance).sum();
    let after = (capacity * temperature + sum) / (capacity + conductance);
    let given = contacts.iter().map(|contact| give(contact.part, contact.conductance * (after - contact.temperature)));
    temperature - given.sum::<f64>() / capacity
}

/// The heat, J/m, that passes through `conductance` (J/K in this step) from a matter that is `warmer` by so many kelvins: exact
/// for two uniform temperatures. `capacity` is ab/(a + b) for two of capacities a and b, and a beside a reservoir.
pub fn between(capacity: f64, conductance: f64, warmer: f64) -> f64 {
    fraction(conductance / capacity) * capacity * warmer
}

/// The fraction of its heat capacity that something takes by `exchange`, the ratio of a conductance in a step to that capacity.
pub fn fraction(exchange: f64) -> f64 {
    1.0 - (-exchange).exponential()
}
