//! What a fluid makes of heat. It keeps its enthalpy `h`, J/kg above 0 °C, from which the temperature follows (V. Alexiades, A.
//! Solomon, "Mathematical Modeling of Melting and Freezing Processes", 1993): T = h/c below the melting point, h < c Tm; T = Tm
//! while it melts, c Tm ≤ h ≤ c Tm + L; T = (h − L)/c above; and likewise at the boiling point.

use crate::math::Elementary;
use crate::sim::parameters::parameters;
use serde::{Serialize, Serializer};

/// The temperature at which a fluid has its nominal `density`, °C.
pub const REFERENCE_TEMPERATURE: f32 = 20.0;

/// Minimum temperature above the melting point of what is poured molten, K.
const MOLTEN: f32 = 20.0;

/// Mass of a square metre of liquid of density 1 per metre of depth, kg: water's.
pub const WATER_DENSITY: f64 = 1000.0;

parameters! {
    /// Thermal parameters of a fluid, per kilogram and kelvin as in tables.
    #[derive(Clone, Copy, Debug, PartialEq, Serialize)]
    pub struct Thermal {
        /// κ, the thermal diffusivity, m²/s: conductivity over density and heat capacity. Water's own is 1.4e-7; a tank of a
        /// metre that is to show what a glass of 7 cm shows in the same time needs 200 times that.
        pub conductivity: f32 = 3e-5, 0.0..=0.1, 6 "conduction" "How quickly heat spreads through it";
        /// c, J/(kg K). Water's is 4186.
        pub heat_capacity: f32 = 4186.0, 100.0..=20_000.0,
            14 "heat capacity" "How much heat warms it by one degree";
        /// β, the thermal expansion: decrease of the weight per degree above 20 °C, 1/K. Water's is 2.1e-4.
        pub expansion: f32 = 2.1e-4, -0.01..=0.1,
            7 "expansion" "How much it expands when it warms, so that it rises";
        /// Its viscosity at two temperatures or more; `viscosity` where there is none.
        #[serde(skip_serializing_if = "ViscosityCurve::is_empty")]
        pub viscosity_at: ViscosityCurve = ViscosityCurve::default();
        /// Melting point, °C, if it has a `solid`.
        pub melting_point: f32 = 0.0, -273.0..=3000.0,
            8 "melting point" "The temperature at which it melts and freezes";
        /// Latent heat of melting, J/kg. Water's is 334,000.
        pub latent_heat: f32 = 0.0, 0.0..=1e7, 15 "heat of melting" "How much heat melting takes";
        /// Kelvins below its melting point to which it stays liquid unless it touches its own solid. The solid then grows into
        /// undercooled liquid, in dendrites.
        pub undercooling: f32 = 0.0, 0.0..=100.0,
            16 "undercooling" "How far below its melting point it stays liquid until its solid touches it";
        /// Whether it freezes: whether the fluid has a solid form.
        #[serde(skip)]
        pub freezes: bool = false;
        /// Boiling point, °C.
        pub boiling_point: f32 = 100.0, -273.0..=5000.0, 9 "boiling point" "The temperature at which it boils";
        /// Latent heat of boiling, J/kg; at 0 it does not boil. Water's is 2,256,000.
        pub boiling_heat: f32 = 0.0, 0.0..=1e7, 16 "heat of boiling" "How much heat boiling takes";
    }
}

impl Thermal {
    /// Latent heat of melting, J/kg, if it freezes.
    fn fusion(&self) -> Option<f64> {
        self.freezes.then(|| f64::from(self.latent_heat))
    }

    /// The temperature, °C, of an enthalpy, J/kg. What is `undercooled` has kept its latent heat.
    #[inline]
    pub fn temperature(&self, enthalpy: f64, undercooled: bool) -> f32 {
        let capacity = f64::from(self.heat_capacity);
        let mut sensible = enthalpy;
        if let Some(latent) = self.fusion() {
            let melts = capacity * f64::from(self.melting_point);
            sensible -= if undercooled { latent } else { (enthalpy - melts).clamp(0.0, latent) };
        }
        if self.boiling_heat > 0.0 {
            let boils = capacity * f64::from(self.boiling_point);
            sensible -= (sensible - boils).clamp(0.0, f64::from(self.boiling_heat));
        }
        (sensible / capacity) as f32
    }

    /// The lowest temperature at which it may be liquid, °C.
    pub fn min_liquid_temperature(&self) -> f32 {
        self.melting_point - self.undercooling
    }

    /// The enthalpy, J/kg, at a temperature, °C: what may be liquid is, and at the boiling point all is liquid.
    pub fn enthalpy(&self, temperature: f32) -> f64 {
        let sensible = f64::from(self.heat_capacity) * f64::from(temperature);
        let fusion = self.fusion().filter(|_| temperature >= self.min_liquid_temperature()).unwrap_or(0.0);
        let boiling = if temperature > self.boiling_point { f64::from(self.boiling_heat) } else { 0.0 };
        sensible + fusion + boiling
    }

    /// The temperature at which the fluid is poured into a tank of temperature `tank`, °C. It is the tank's, unless the fluid
    /// would then be solid in a warm room: then it is that at which its viscosity is the nominal `viscosity`, m²/s, or a little
    /// above its melting point.
    pub fn poured_temperature(&self, tank: f32, viscosity: f32) -> f32 {
        if !self.freezes || self.melting_point < REFERENCE_TEMPERATURE {
            return tank;
        }
        let nominal = self.viscosity_at.temperature_of(viscosity).unwrap_or(f32::MIN);
        tank.max(nominal).max(self.melting_point + MOLTEN)
    }

    /// The enthalpy of its liquid at a temperature, °C, at least that at which it freezes; J/kg.
    pub fn liquid_enthalpy(&self, temperature: f32) -> f64 {
        let temperature = if self.freezes { temperature.max(self.melting_point) } else { temperature };
        f64::from(self.heat_capacity) * f64::from(temperature) + self.fusion().unwrap_or(0.0)
    }

    /// The enthalpy of its vapour at the boiling point, J/kg.
    pub fn vapor_enthalpy(&self) -> f64 {
        self.liquid_enthalpy(self.boiling_point) + f64::from(self.boiling_heat)
    }

    /// The solid fraction at an enthalpy, 0 to 1.
    #[inline]
    pub fn solid_fraction(&self, enthalpy: f64) -> f32 {
        let Some(latent) = self.fusion() else { return 0.0 };
        let above = enthalpy - f64::from(self.heat_capacity) * f64::from(self.melting_point);
        if latent > 0.0 { (1.0 - above / latent).clamp(0.0, 1.0) as f32 } else { f32::from(above < 0.0) }
    }

    /// The vapour fraction at an enthalpy, 0 to 1.
    #[inline]
    pub fn vapor_fraction(&self, enthalpy: f64) -> f32 {
        if self.boiling_heat == 0.0 {
            return 0.0;
        }
        let sensible = enthalpy - self.fusion().unwrap_or(0.0);
        let above = sensible - f64::from(self.heat_capacity) * f64::from(self.boiling_point);
        (above / f64::from(self.boiling_heat)).clamp(0.0, 1.0) as f32
    }

    /// Change of its weight from that at 20 °C, as a fraction: negative where it is warm.
    pub fn excess_weight(&self, temperature: f32) -> f32 {
        -self.expansion * (temperature - REFERENCE_TEMPERATURE)
    }
}

pub const MAX_POINTS: usize = 6;

/// A viscosity that depends on the temperature: its logarithm is linear between points, and constant beyond them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ViscosityCurve {
    count: usize,
    /// Temperature, °C, ascending; and viscosity, m²/s.
    points: [[f32; 2]; MAX_POINTS],
}

impl ViscosityCurve {
    /// Creates a curve through these points, °C and m²/s, in order of temperature; none if there are too many.
    pub fn new(given: &[[f32; 2]]) -> Option<Self> {
        let mut points = [[0.0; 2]; MAX_POINTS];
        points.get_mut(..given.len())?.copy_from_slice(given);
        given.is_sorted_by(|a, b| a[0] < b[0]).then_some(Self { count: given.len(), points })
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn points(&self) -> &[[f32; 2]] {
        &self.points[..self.count]
    }

    /// The temperature at which the viscosity first falls to this one, °C, if it does between two points.
    fn temperature_of(&self, viscosity: f32) -> Option<f32> {
        let falls = |pair: &&[[f32; 2]]| pair[0][1] >= viscosity && viscosity >= pair[1][1] && pair[0][1] > pair[1][1];
        let pair = self.points().windows(2).find(falls)?;
        let fraction = (pair[0][1] / viscosity).logarithm() / (pair[0][1] / pair[1][1]).logarithm();
        Some(pair[0][0] + fraction * (pair[1][0] - pair[0][0]))
    }

    /// The viscosity at a temperature, m²/s, if there are points.
    pub fn at(&self, temperature: f32) -> Option<f32> {
        let points = self.points();
        let above = points.partition_point(|point| point[0] <= temperature);
        match (above.checked_sub(1).map(|below| points[below]), points.get(above)) {
            (Some([from, thick]), Some(&[to, thin])) => {
                Some(thick * (thin / thick).power((temperature - from) / (to - from)))
            }
            (Some(end), None) => Some(end[1]),
            (None, end) => end.map(|end| end[1]),
        }
    }
}

impl Serialize for ViscosityCurve {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.points().serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn water() -> Thermal {
        Thermal { latent_heat: 334_000.0, boiling_heat: 2_256_000.0, freezes: true, ..Thermal::default() }
    }

    #[test]
    fn temperature_and_enthalpy_are_inverse() {
        let water = water();
        for temperature in [-40.0, -1.0, 0.5, 20.0, 99.0, 120.0] {
            let back = water.temperature(water.enthalpy(temperature), false);
            assert!((back - temperature).abs() < 1e-3, "{temperature} °C comes back as {back}");
        }
    }

    #[test]
    fn it_stays_at_the_melting_point_while_it_melts() {
        let water = water();
        assert_eq!(water.temperature(100_000.0, false), 0.0);
        assert!((water.solid_fraction(100_000.0) - 0.7006).abs() < 1e-3);
        assert_eq!(water.temperature(334_000.0 + 418_600.0 + 1e6, false), 100.0);
        assert!((water.vapor_fraction(334_000.0 + 418_600.0 + 1_128_000.0) - 0.5).abs() < 1e-3);
    }

    #[test]
    fn a_curve_is_straight_in_the_logarithm() {
        let curve = ViscosityCurve::new(&[[20.0, 1.0], [60.0, 0.01]]).expect("two points in order");
        assert!((curve.at(40.0).expect("there are points") - 0.1).abs() < 1e-5);
        assert_eq!([curve.at(0.0), curve.at(99.0)], [Some(1.0), Some(0.01)]);
        assert_eq!(ViscosityCurve::new(&[[60.0, 1.0], [20.0, 0.01]]), None);
    }
}
