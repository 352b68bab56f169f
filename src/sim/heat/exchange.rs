//! Exchange of heat between a body and what is around it.

/// A part of what is around a body.
#[derive(Clone, Copy, Debug)]
pub struct Neighbor {
    /// Heat that it would take in a step from a body one kelvin warmer that stays so, J/K.
    pub conductance: f64,
    /// Temperature, on any scale.
    pub temperature: f64,
}

/// The temperature, after a step, of a body of `temperature` and heat `capacity` (J/K) among `neighbors`: implicit in the body's
/// temperature, so it is stable for any two capacities. Each neighbour gets `conductance · (result − temperature)`.
pub fn with_body(temperature: f64, capacity: f64, neighbors: impl Iterator<Item = Neighbor>) -> f64 {
    let (mut wanted, mut all) = (0.0, 0.0);
    for Neighbor { conductance, temperature } in neighbors {
        wanted += conductance * temperature;
        all += conductance;
    }
    (capacity * temperature + wanted) / (capacity + all)
}

/// The fraction of its heat capacity that something takes by `exchange`, the ratio of a conductance in a step to that capacity.
pub fn fraction(exchange: f64) -> f64 {
    use crate::math::Elementary;
    1.0 - (-exchange).exponential()
}
