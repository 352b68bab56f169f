//! Coincident particles: there is no line between them along which to push.

use crate::math::direction;
use crate::sim::neighbors::grid::Grid;
use crate::sim::neighbors::row_chunks::parallel_for;
use crate::sim::particles::Particles;
use glam::Vec2;

/// Squared distance below which two particles count as coincident, in h².
pub(in crate::sim) const COINCIDENT_R2: f32 = 1e-10;

/// Distance by which each of them is moved, in h.
const SEPARATION: f32 = 1e-4;

/// Number of substeps between searches for coincident particles.
pub const SEPARATION_INTERVAL: u32 = 8;

/// Moves particles that are in the same place a little apart, by a hash of the two, the same on every run.
pub fn separate_coincident(particles: &mut Particles, grid: &Grid, h: f32) {
    let (p, id, _) = particles.slice_mut();
    parallel_for(&grid.chunks, p, &|chunk, mut p| {
        for cell in chunk.rows.clone().flat_map(|row| grid.multi_occupied_cells(row)) {
            for (i, j) in cell.clone().flat_map(|i| (i + 1..cell.end).map(move |j| (i, j))) {
                if p.at(i).distance_squared(p.at(j)) < COINCIDENT_R2 * h * h {
                    let apart = h * SEPARATION * tie_break(id[i], id[j]);
                    p.put(i, p.at(i) - apart);
                    p.put(j, p.at(j) + apart);
                }
            }
        }
    });
}

/// The direction in which particle `b` leaves particle `a` when both are in the same place.
fn tie_break(a: u32, b: u32) -> Vec2 {
    let mut hash = (u64::from(a.min(b)) << 32 | u64::from(a.max(b))).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    hash ^= hash >> 29;
    hash = hash.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let turn = (hash >> 40) as f32 / (1u32 << 24) as f32 * std::f32::consts::TAU;
    if a < b { direction(turn) } else { -direction(turn) }
}
