//! How much there is to do in each pass, counted by hand in the code: what a pass is measured against.

use slosh::sim::observer::Pass;

/// What a pass does at least.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Work {
    /// Floating-point operations for a pair of neighbours, met once for both of them.
    pub flops_per_pair: f64,
    /// Bytes read and written for a particle, every array that the pass streams counted once each way.
    pub bytes_per_particle: f64,
}

impl Work {
    /// Additions, subtractions, multiplications, divisions, roots, minima and maxima count as one each; comparisons,
    /// selections and what happens once a particle or once a vector do not. Candidates that turn out to be no
    /// neighbours are no work: lanes wasted on them lower the share of the peak.
    ///
    /// | | density | relax | of it for viscosity |
    /// |---|---|---|---|
    /// | offset | 2 | 2 | |
    /// | r² | 3 | 3 | |
    /// | r (and the least that is divided by), 1/r | 1 | 3 | |
    /// | g = max(1 − r/h, 0) | 3 | 3 | |
    /// | speed of approach u, not below 0 | | 7 | 7 |
    /// | u · min(β u + σ, most) | | 4 | 4 |
    /// | g² and g³; g (P + P_near g + viscous) / r | 2 | 7 | 1 |
    /// | times the offset | | 2 | |
    /// | added to both | 4 | 4 | |
    /// | | **15** | **35** | **12** |
    ///
    /// Bytes of a particle, an f32 or u32 being four; what a band of rows goes through twice in a row counts twice:
    ///
    /// | | read | written |
    /// |---|---|---|
    /// | advance: x, y, vx, vy | 16 | 16 |
    /// | sort: places, cells | 8 | 4 |
    /// | counting cells | 4 | |
    /// | cells and five arrays to their new slots | 24 | 20 |
    /// | density: four arrays of sums cleared | | 16 |
    /// | places, the sums, neighbours | 24 | 20 |
    /// | what was given to the row above added up | 16 | 8 |
    /// | relax: densities to pressures | 8 | 8 |
    /// | four arrays of sums cleared | | 16 |
    /// | places, pressures, neighbours, the sums; velocities for viscosity | 36, 44 | 16 |
    /// | what was given to the row above added up | 16 | 8 |
    /// | displacements, places, velocities | 24 | 16 |
    ///
    /// Walls touch a few particles only.
    pub fn of(pass: Pass, viscous: bool) -> Self {
        let (flops_per_pair, bytes_per_particle) = match pass {
            Pass::Advance => (0.0, 32.0),
            Pass::Sort => (0.0, 60.0),
            Pass::Density => (15.0, 84.0),
            Pass::Relax if viscous => (35.0, 156.0),
            Pass::Relax => (23.0, 148.0),
            Pass::Walls | Pass::World | Pass::Springs => (0.0, 0.0),
            // Of a grid, which has no particles.
            Pass::Forces | Pass::Diffuse | Pass::Project | Pass::Dye => (0.0, 0.0),
            // Of cloth, and between matters: left out.
            Pass::Cloth | Pass::Couple => (0.0, 0.0),
        };
        Self { flops_per_pair, bytes_per_particle }
    }
}
