//! Müller's three kernels, normalised for the plane, and what a wall cuts off from them: poly6 W = 4/(π h⁸) (h² − r²)³, spiky W =
//! 10/(π h⁵) (h − r)³, viscosity ∇²W = 40/(π h⁵) (h − r). Lengths below are in h.

use crate::math::Elementary;
use crate::sim::boundary::lookup_table::integrate;
use serde::Serialize;
use std::f32::consts::PI;

named! {
    /// Which kernel the density is summed with.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Kernel {
        /// The kernel of the pressure force, which must not vanish where particles meet: the force is then that of an energy,
        /// which is conserved.
        #[default]
        Spiky => "spiky",
        /// The paper's. Its slope differs from the pressure force's: the two together are not the force of an energy, and a liquid
        /// of low viscosity draws energy from that and boils.
        Poly6 => "poly6",
    }
}

impl Kernel {
    /// W at `q = r/h`, times h².
    pub fn at(self, q: f32) -> f32 {
        match self {
            Kernel::Poly6 => POLY6 * (1.0 - q * q).max(0.0).powi(3),
            Kernel::Spiky => 10.0 / PI * (1.0 - q).max(0.0).powi(3),
        }
    }
}

/// `W_poly6 h²`, `−W′_poly6 h³ / (q (1 − q²)²)`, `−W′_spiky h³ / (1 − q)²` and `∇²W_viscosity h⁴ / (1 − q)`.
pub const POLY6: f32 = 4.0 / PI;
pub const POLY6_SLOPE: f32 = 24.0 / PI;
pub const SPIKY_SLOPE: f32 = 30.0 / PI;
pub const VISCOSITY_LAPLACIAN: f32 = 40.0 / PI;

/// The integral of poly6 along a line at `t` (in h), times h: the colour field's slope across a half-plane's edge.
pub fn edge_slope(t: f32) -> f32 {
    32.0 / 35.0 * POLY6 * (1.0 - t * t).max(0.0).power(3.5)
}

/// The integrals over what a wall at distance `t` cuts off: `∫ W dA` over the arcs beyond it, for the density; `∫ W_spiky′ cos θ dA`,
/// times h, for the push, cos θ integrated over an arc being half its chord; that of poly6, for the colour; and for the virial half
/// of that of `q` times spiky's slope.
pub fn integrals(kernel: Kernel, t: f32) -> [f32; 4] {
    integrate(t, |r, dr| {
        let arc = 2.0 * r * (t / r).min(1.0).arc_cosine() * dr;
        let slope = SPIKY_SLOPE * (1.0 - r).powi(2);
        let push = slope * 2.0 * (r * r - t * t).max(0.0).sqrt() * dr;
        [kernel.at(r) * arc, push, edge_slope(r) * dr, 0.5 * r * SPIKY_SLOPE * (1.0 - r).powi(2) * arc]
    })
}
