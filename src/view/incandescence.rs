use crate::cell::color::LinearRgb;
use crate::math::{interpolate, ramp};

/// Temperatures, °C, and the light of a hot body there, linear: Planck's colours at brightnesses that a screen can show.
const GLOW: [[f32; 4]; 7] = [
    [500.0, 0.05, 0.0, 0.0],
    [650.0, 0.22, 0.004, 0.0],
    [800.0, 0.60, 0.025, 0.002],
    [950.0, 0.95, 0.12, 0.006],
    [1100.0, 1.0, 0.32, 0.03],
    [1250.0, 1.0, 0.60, 0.16],
    [1500.0, 1.0, 0.88, 0.62],
];

/// Temperature from which on the glow hides the matter's own colour completely, °C.
const OPAQUE: f32 = 700.0;

/// The colour of the glow at a temperature, °C, and the fraction of the matter's own colour that it hides; `None` below 500 °C.
pub fn at(temperature: f32) -> Option<(LinearRgb, f32)> {
    let coldest = GLOW[0][0];
    let [_, red, green, blue] = interpolate(&GLOW, temperature).filter(|_| temperature > coldest)?;
    Some(([red, green, blue], ramp(temperature, [coldest, OPAQUE])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_begins_at_500_degrees_and_gets_brighter() {
        assert_eq!(at(500.0), None);
        let red = |temperature| at(temperature).expect("it glows").0.iter().sum::<f32>();
        assert!([510.0, 700.0, 900.0, 1200.0, 3000.0].map(red).is_sorted());
        assert_eq!(at(900.0).expect("it glows").1, 1.0);
    }
}
