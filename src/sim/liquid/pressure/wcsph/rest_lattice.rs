//! The liquid at rest: a hexagonal lattice.

use crate::math::Elementary;
use crate::sim::liquid::RestState;
use crate::sim::liquid::pressure::wcsph::SphMaterial;
use std::f32::consts::PI;

/// The liquid at rest: a hexagonal lattice on which every particle has the given number of neighbours.
pub fn rest(material: &SphMaterial) -> RestState {
    let number_density = (material.neighbours + 1.0) / PI;
    RestState {
        spacing: (2.0 / (3f32.sqrt() * number_density)).sqrt(),
        density: 1.0,
        near_density: 0.0,
        number_density,
        viscous_moment: 0.0,
    }
}

/// Density on the lattice at rest, where by definition it is ρ₀: the sum over a lattice is not the kernel's integral.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RestLattice {
    /// Factor of `Σ (1 − q)³`, the particle itself included.
    pub normalization: f32,
    /// `d ln Σ / d ln n`, n being the particles per area.
    pub compressibility_exponent: f32,
}

impl RestLattice {
    pub(super) fn at_rest(material: &SphMaterial) -> Self {
        let spacing = rest(material).spacing;
        let kernel = |q: f32| material.density_kernel.at(q) / material.density_kernel.at(0.0);
        let sum = |scale: f32| 1.0 + hexagonal(spacing * scale).map(kernel).sum::<f32>();
        // Particles per area go with the inverse square of the spacing.
        Self {
            normalization: 1.0 / sum(1.0),
            compressibility_exponent: (sum(0.99) / sum(1.01)).logarithm() / (2.0 * (1.01f32 / 0.99).logarithm()),
        }
    }
}

/// Distances of the neighbours of a node of a hexagonal lattice, up to 1.
fn hexagonal(spacing: f32) -> impl Iterator<Item = f32> {
    let reach = (1.2 / spacing).ceil() as i32;
    let node = move |(a, b)| spacing * ((a * a + a * b + b * b) as f32).sqrt();
    let nodes = (-reach..=reach).flat_map(move |a| (-reach..=reach).map(move |b| (a, b)));
    nodes.filter(|&node| node != (0, 0)).map(node).filter(|&r| r < 1.0)
}
