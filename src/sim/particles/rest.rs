//! A liquid at rest: how densely its particles lie when nothing presses on them.

use crate::sim::ddr::Fluid;
use glam::Vec2;

/// The liquid at rest, found on a hexagonal lattice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rest {
    /// Distance between neighbours, in h.
    pub spacing: f32,
    /// ρ there.
    pub density: f32,
    /// ρ_near there.
    pub near_density: f32,
    /// Particles per h².
    pub crowd: f32,
}

impl Rest {
    /// Finds the lattice spacing at which the mean pressure (the virial, `Σ r · D(r)`) is zero.
    pub fn of(fluid: &Fluid) -> Self {
        let (mut tight, mut loose) = (0.05, 1.0);
        for _ in 0..40 {
            let spacing = 0.5 * (tight + loose);
            if Lattice::new(spacing).virial(fluid) > 0.0 { tight = spacing } else { loose = spacing }
        }
        let spacing = 0.5 * (tight + loose);
        let crowd = 2.0 / (3f32.sqrt() * spacing * spacing);
        let lattice = Lattice::new(spacing);
        let (density, near_density) = (lattice.sums(|g, _| g * g), lattice.sums(|g, _| g * g * g));
        Self { spacing, density, near_density, crowd }
    }

    /// How many particles there are within h of one.
    pub fn neighbours(&self) -> f32 {
        std::f32::consts::PI * self.crowd
    }

    /// Pressure and near-pressure of the liquid at rest, in the units of stiffness: they cancel on the whole, the near
    /// one being felt at short range.
    pub fn pressures(&self, fluid: &Fluid) -> [f32; 2] {
        [fluid.stiffness * (self.density - fluid.rest_density), fluid.near_stiffness * self.near_density]
    }
}

/// The neighbours of one particle of a hexagonal lattice, as their distances in h.
struct Lattice(Vec<f32>);

impl Lattice {
    fn new(spacing: f32) -> Self {
        let reach = (1.2 / spacing).ceil() as i32;
        let node =
            |(a, b): (i32, i32)| spacing * Vec2::new(a as f32 + 0.5 * b as f32, 0.75f32.sqrt() * b as f32).length();
        let nodes = (-2 * reach..=2 * reach).flat_map(|a| (-2 * reach..=2 * reach).map(move |b| (a, b)));
        Self(nodes.map(node).filter(|&r| r > 0.0 && r < 1.0).collect())
    }

    fn sums(&self, term: impl Fn(f32, f32) -> f32) -> f32 {
        self.0.iter().map(|&r| term(1.0 - r, r)).sum()
    }

    fn virial(&self, fluid: &Fluid) -> f32 {
        let pressure = fluid.stiffness * (self.sums(|g, _| g * g) - fluid.rest_density);
        let near_pressure = fluid.near_stiffness * self.sums(|g, _| g * g * g);
        self.sums(|g, r| r * (pressure * g + near_pressure * g * g))
    }
}
