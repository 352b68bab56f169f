//! How much there is to do in each pass, counted by hand in the code: what a pass is measured against.

use crate::sim::watch::Pass;

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
    /// Bytes: an f32 or u32 read or written is four. Forces read and write vx, vy. Advance x, y, vx, vy. Sort reads
    /// x, y and id, writes and reads `place` three times, and reads the five arrays, blanks and writes them anew; its
    /// cells are left out. Density clears four arrays of sums, reads and writes them, and reads x, y. Relax reads four
    /// and writes two for the pressures, clears four, reads six, reads and writes four, and reads those again to move
    /// x, y, vx, vy. Walls touch a few particles only.
    pub fn of(pass: Pass, viscous: bool) -> Self {
        let (flops_per_pair, bytes_per_particle) = match pass {
            Pass::Forces => (0.0, 16.0),
            Pass::Advance => (0.0, 32.0),
            Pass::Sort => (0.0, 96.0),
            Pass::Density => (15.0, 56.0),
            Pass::Relax => (if viscous { 35.0 } else { 23.0 }, 144.0),
            Pass::Walls | Pass::World | Pass::Springs => (0.0, 0.0),
            // Of a grid, which has no particles.
            Pass::Diffuse | Pass::Project | Pass::Dye => (0.0, 0.0),
        };
        Self { flops_per_pair, bytes_per_particle }
    }
}
