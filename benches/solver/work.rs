//! The amount of work in each pass, counted by hand in the code: the reference for measured times.

use slosh::sim::observer::Pass;

/// The minimum work of a pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    /// Floating-point operations per pair of neighbours, computed once for both particles.
    pub flops_per_pair: f64,
    /// Bytes read and written per particle; every array that the pass streams counts once in each direction.
    pub bytes_per_particle: f64,
}

impl Work {
    /// Additions, subtractions, multiplications, divisions, roots, minima and maxima count as one each. Comparisons,
    /// selections, and operations per particle or per vector do not count. Candidates that are not neighbours are no work:
    /// the lanes that they waste lower the fraction of the peak.
    ///
    /// | | density | relax | of it for viscosity |
    /// |---|---|---|---|
    /// | offset | 2 | 2 | |
    /// | r² | 3 | 3 | |
    /// | r (and the minimum divisor), 1/r | 1 | 3 | |
    /// | g = max(1 − r/h, 0) | 3 | 3 | |
    /// | speed of approach u, not below 0 | | 7 | 7 |
    /// | u · min(β u + σ, limit) | | 4 | 4 |
    /// | g² and g³; g (P + P_near g + viscous) / r | 2 | 7 | 1 |
    /// | times the offset | | 2 | |
    /// | added to both | 4 | 4 | |
    /// | | | **15** | **35** | **12** |
    ///
    /// Bytes per particle, with four bytes for an f32 or u32. Data that a band of rows passes twice in succession count twice:
    ///
    /// | | read | written |
    /// |---|---|---|
    /// | advance: x, y, vx, vy | 16 | 16 |
    /// | sort: positions, cells | 8 | 4 |
    /// | counting cells | 4 | |
    /// | cells and five arrays to their new slots | 24 | 20 |
    /// | density: four arrays of sums cleared | | 16 |
    /// | positions, the sums, neighbours | 24 | 20 |
    /// | contributions to the row above added | 16 | 8 |
    /// | relax: densities to pressures | 8 | 8 |
    /// | four arrays of sums cleared | | 16 |
    /// | positions, pressures, neighbours, the sums; velocities for viscosity | 36, 44 | 16 |
    /// | contributions to the row above added | 16 | 8 |
    /// | displacements, positions, velocities | 24 | 16 |
    ///
    /// Walls affect a few particles only.
    pub fn of(pass: Pass, viscous: bool) -> Self {
        let (flops_per_pair, bytes_per_particle) = match pass {
            Pass::Advance => (0.0, 32.0),
            Pass::Sort => (0.0, 60.0),
            Pass::Density => (15.0, 84.0),
            Pass::Relax if viscous => (35.0, 156.0),
            Pass::Relax => (23.0, 148.0),
            Pass::Walls | Pass::World | Pass::Springs => (0.0, 0.0),
            // Passes of a grid, which has no particles.
            Pass::Advect | Pass::Forces | Pass::Diffuse | Pass::Project | Pass::Dye => (0.0, 0.0),
            // Passes of cloth, and couplings: not counted.
            Pass::Cloth | Pass::Couple => (0.0, 0.0),
        };
        Self { flops_per_pair, bytes_per_particle }
    }
}
