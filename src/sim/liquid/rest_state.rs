//! A liquid at rest: the density of its particles without external pressure.

use crate::math::Elementary;
use crate::sim::liquid::fluid::PressureParams;
use glam::Vec2;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestState {
    /// Distance between neighbours, in h.
    pub spacing: f32,
    /// ρ at rest.
    pub density: f32,
    /// ρ_near at rest.
    pub near_density: f32,
    /// Particles per h².
    pub number_density: f32,
    /// `Σ (1 − r/h)² (r/h)²`: the moment through which the pairs' viscosity acts.
    pub viscous_moment: f32,
}

impl RestState {
    /// Finds the lattice spacing at which the mean pressure (the virial, `Σ r · D(r)`) is zero.
    pub fn of(pressure: &PressureParams) -> Self {
        let (mut tight, mut loose) = (0.05, 1.0);
        for _ in 0..40 {
            let spacing = 0.5 * (tight + loose);
            if HexagonalLattice::new(spacing).virial(pressure) > 0.0 { tight = spacing } else { loose = spacing }
        }
        let spacing = 0.5 * (tight + loose);
        let number_density = 2.0 / (3f32.sqrt() * spacing * spacing);
        let lattice = HexagonalLattice::new(spacing);
        let (density, near_density) = (lattice.sums(|g, _| g * g), lattice.sums(|g, _| g * g * g));
        let viscous_moment = lattice.sums(|g, r| g * g * r * r);
        Self { spacing, density, near_density, number_density, viscous_moment }
    }

    /// Number of particles within h of one.
    pub fn neighbours(&self) -> f32 {
        std::f32::consts::PI * self.number_density
    }

    /// The highest angular frequency at which the liquid at rest can vibrate, times h, in m/s. It bounds the time step.
    pub fn max_frequency(&self, pressure: &PressureParams) -> f32 {
        HexagonalLattice::new(self.spacing).max_frequency_squared(pressure, self.pressures(pressure)).max(0.0).sqrt()
    }

    /// Pressure over density on a lattice of this spacing (in h), m²/s²: the virial, a quarter of `Σ r · f`.
    pub fn pressure_at(&self, pressure: &PressureParams, spacing: f32) -> f32 {
        0.25 * HexagonalLattice::new(spacing).virial(pressure)
    }

    /// In the units of stiffness. Their sum over the neighbours is zero; the near-pressure acts at short range.
    pub fn pressures(&self, pressure: &PressureParams) -> [f32; 2] {
        pressure.pressures([self.density, self.near_density])
    }
}

/// The neighbours of one particle of a hexagonal lattice, in h.
struct HexagonalLattice(Vec<Vec2>);

impl HexagonalLattice {
    fn new(spacing: f32) -> Self {
        let reach = (1.2 / spacing).ceil() as i32;
        let node = |(a, b): (i32, i32)| spacing * Vec2::new(a as f32 + 0.5 * b as f32, 0.75f32.sqrt() * b as f32);
        let nodes = (-2 * reach..=2 * reach).flat_map(|a| (-2 * reach..=2 * reach).map(move |b| (a, b)));
        Self(nodes.map(node).filter(|r| r.length() > 0.0 && r.length() < 1.0).collect())
    }

    fn sums(&self, term: impl Fn(f32, f32) -> f32) -> f32 {
        self.0.iter().map(|r| term(1.0 - r.length(), r.length())).sum()
    }

    /// The square of the highest angular frequency of the lattice, in units of stiffness over h²: the greatest eigenvalue of its
    /// dynamical matrix over plane waves `u exp(i q·x)`. With g = 1 − r, D(q) = k S Sᵀ + (3/2) k_near N Nᵀ + Σ (1 − cos q·r) ((P
    /// + 2 P_near g) r̂ r̂ᵀ − (f/r)(1 − r̂ r̂ᵀ)), S = Σ g sin(q·r) r̂, N = Σ g² sin(q·r) r̂, f = P g + P_near g².
    fn max_frequency_squared(&self, params: &PressureParams, [pressure, near_pressure]: [f32; 2]) -> f32 {
        // Wave numbers tested along each axis.
        const WAVES: usize = 24;
        // The spectrum is periodic beyond the edge of the zone: at most 4π/(√3 a), along either axis of the lattice.
        let spacing = self.0.iter().map(|r| r.length()).fold(1.0, f32::min);
        let edge = 4.0 * std::f32::consts::PI / (3f32.sqrt() * spacing);
        let mut most = 0f32;
        for direction in [Vec2::X, Vec2::Y] {
            for wave in 1..=WAVES {
                let q = direction * (edge * wave as f32 / WAVES as f32);
                let (mut s, mut n) = (Vec2::ZERO, Vec2::ZERO);
                // The matrix is symmetric: xx, xy, yy.
                let mut matrix = [0f32; 3];
                for &r in &self.0 {
                    let (length, unit) = (r.length(), r.normalize());
                    let g = 1.0 - length;
                    let phase = q.dot(r);
                    s += g * phase.sine() * unit;
                    n += g * g * phase.sine() * unit;
                    let bend = 1.0 - phase.cosine();
                    let (along, across) =
                        (pressure + 2.0 * near_pressure * g, -(pressure * g + near_pressure * g * g) / length);
                    matrix[0] += bend * (along * unit.x * unit.x + across * unit.y * unit.y);
                    matrix[1] += bend * (along - across) * unit.x * unit.y;
                    matrix[2] += bend * (along * unit.y * unit.y + across * unit.x * unit.x);
                }
                let (k, near) = (params.stiffness, 1.5 * params.near_stiffness);
                matrix[0] += k * s.x * s.x + near * n.x * n.x;
                matrix[1] += k * s.x * s.y + near * n.x * n.y;
                matrix[2] += k * s.y * s.y + near * n.y * n.y;
                let (mean, half) = (0.5 * (matrix[0] + matrix[2]), 0.5 * (matrix[0] - matrix[2]));
                most = most.max(mean + (half * half + matrix[1] * matrix[1]).sqrt());
            }
        }
        most
    }

    fn virial(&self, params: &PressureParams) -> f32 {
        let sums = [self.sums(|g, _| g * g), self.sums(|g, _| g * g * g)];
        let [pressure, near_pressure] = params.pressures(sums);
        self.sums(|g, r| r * (pressure * g + near_pressure * g * g))
    }
}
