//! Müller's three kernels, normalised for the plane, and what a wall cuts off from them: poly6 W = 4/(π h⁸) (h² − r²)³, spiky W =
//! 10/(π h⁵) (h − r)³, viscosity ∇²W = 40/(π h⁵) (h − r). Lengths below are in h.

use crate::math::Elementary;
use crate::sim::boundary::lookup_table::{LookupTable, integrate};
use serde::Serialize;
use std::f32::consts::PI;

named! {
    /// Which kernel the density is summed with.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Kernel {
        /// The kernel of the pressure force: the force is then that of an energy, which is conserved.
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
            Kernel::Poly6 => poly6(q),
            Kernel::Spiky => spiky(q),
        }
    }
}

/// `W_poly6 h²`, `−W′_poly6 h³ / (q (1 − q²)²)`, `−W′_spiky h³ / (1 − q)²` and `∇²W_viscosity h⁴ / (1 − q)`.
pub const POLY6: f32 = 4.0 / PI;
pub const POLY6_SLOPE: f32 = 24.0 / PI;
pub const SPIKY_SLOPE: f32 = 30.0 / PI;
pub const VISCOSITY_LAPLACIAN: f32 = 40.0 / PI;

/// Kernel of density and colour: W at `q = r/h`, times h².
pub fn poly6(q: f32) -> f32 {
    POLY6 * (1.0 - q * q).max(0.0).powi(3)
}

/// Kernel of pressure, whose force must not vanish where particles meet: W at `q = r/h`, times h².
pub fn spiky(q: f32) -> f32 {
    10.0 / PI * (1.0 - q).max(0.0).powi(3)
}

/// The integral of poly6 along a line at `t` (in h), times h: the colour field's slope across a half-plane's edge.
pub fn edge_slope(t: f32) -> f32 {
    32.0 / 35.0 * POLY6 * (1.0 - t * t).max(0.0).power(3.5)
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct KernelIntegrals {
    /// Integral of the density's kernel over the part that is cut off.
    pub density: f32,
    /// Integral of spiky's slope along the wall's normal, times h.
    pub push: f32,
    /// Share of the colour: the integral of poly6.
    pub colour: f32,
    /// Half of the integral of `q` times spiky's slope: the contribution to the virial.
    pub virial: f32,
}

impl KernelIntegrals {
    /// Returns density, push, colour and virial.
    pub fn to_array(self) -> [f32; 4] {
        [self.density, self.push, self.colour, self.virial]
    }

    /// Creates the integrals from the order of [`Self::to_array`].
    pub fn from_array([density, push, colour, virial]: [f32; 4]) -> Self {
        Self { density, push, colour, virial }
    }
}

#[derive(Clone, Debug)]
pub struct BoundaryTable(LookupTable<4>);

impl BoundaryTable {
    /// Tabulates the integrals for a density that is summed with this kernel.
    pub fn new(kernel: Kernel) -> Self {
        Self(LookupTable::new(|t| integrals(kernel, t)))
    }

    /// Returns the integrals for a wall at distance `t` (in h). Behind the wall they are those on it.
    #[inline]
    pub fn at(&self, t: f32) -> KernelIntegrals {
        KernelIntegrals::from_array(self.0.at(t))
    }
}

/// The integrals in the order of [`KernelIntegrals::to_array`]: `∫ W dA` over the arcs beyond the wall, and `∫ W_spiky′ cos θ dA`,
/// for which cos θ integrated over an arc is half its chord.
fn integrals(kernel: Kernel, t: f32) -> [f32; 4] {
    integrate(t, |r, dr| {
        let arc = 2.0 * r * (t / r).min(1.0).arc_cosine() * dr;
        let slope = SPIKY_SLOPE * (1.0 - r).powi(2);
        let push = slope * 2.0 * (r * r - t * t).max(0.0).sqrt() * dr;
        [kernel.at(r) * arc, push, edge_slope(r) * dr, 0.5 * r * SPIKY_SLOPE * (1.0 - r).powi(2) * arc]
    })
}
