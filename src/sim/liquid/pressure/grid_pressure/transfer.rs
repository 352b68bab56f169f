//! Transfer of mass and momentum to the faces, number and mass to the cells, by the tent kernel (1 − |x|)(1 − |y|) in cells (C.
//! Jiang, C. Schroeder, A. Selle, J. Teran, A. Stomakhin, "The Affine Particle-In-Cell Method", SIGGRAPH 2015): a particle
//! carries the gradient of the velocity as well, which conserves angular momentum and does not damp swirls.

use crate::sim::liquid::Phases;
use crate::sim::liquid::pressure::Medium;
use crate::sim::liquid::pressure::grid_pressure::cells::{Cells, Place};
use crate::sim::neighbors::{WIDTH, parallel_for};
use crate::sim::particles::{INVALID_ID, Particles};
use fearless_simd::dispatch;
use fearless_simd::prelude::*;
use fearless_simd_macros::simd;
use glam::Vec4;
use std::ops::Range;

/// Faces with less mass than this have no velocity of their own, in units of a particle of water.
const MIN_MASS: f32 = 1e-4;

/// What the particles give to the grid.
#[derive(Clone, Debug, Default)]
pub(super) struct Momentum {
    /// Per left and lower face: momentum and mass.
    sums: [Vec<[f32; 2]>; 2],
    /// Per cell: the number of particles, and their mass in units of water's.
    pub cells: Vec<[f32; 2]>,
    /// Velocity of each left and each lower face, m/s.
    pub velocity: [Vec<f32>; 2],
    /// The area of a particle over that of a cell.
    pub particle_area: f32,
}

impl Momentum {
    /// Gathers the particles' contributions, for every node in the order of the slots.
    pub fn gather(&mut self, medium: &Medium, cells: &Cells) {
        let particles = &medium.store.particles;
        self.particle_area = medium.store.particle_area() / cells.area();
        let Self { sums: [left, lower], cells: centers, .. } = self;
        let mut arrays = [left, lower, centers];
        arrays.iter_mut().for_each(|sums| sums.resize(cells.len(), [0.0; 2]));
        let arrays = arrays.map(|sums| &mut sums[..]);
        parallel_for(&cells.chunks, arrays, &|chunk, mut arrays| {
            arrays.iter_mut().for_each(|sums| sums.fill([0.0; 2]));
            let own = chunk.slots.clone();
            dispatch!(medium.store.level, simd => gather_rows(simd, particles, medium.phases, cells, own, arrays));
        });
        self.find_velocities(cells);
    }

    /// The mass at a face, in units of a particle of water.
    pub fn mass(&self, axis: usize, face: usize) -> f32 {
        self.sums[axis][face][1]
    }

    fn find_velocities(&mut self, cells: &Cells) {
        for (velocity, sums) in self.velocity.iter_mut().zip(&self.sums) {
            velocity.resize(cells.len(), 0.0);
            for (velocity, [momentum, mass]) in velocity.iter_mut().zip(sums) {
                *velocity = if *mass > MIN_MASS { momentum / mass } else { 0.0 };
            }
        }
    }
}

/// Sums over the particles whose kernels reach the nodes in `own`.
#[simd]
fn gather_rows<S: Simd>(
    simd: S,
    p: &Particles,
    phases: &Phases,
    cells: &Cells,
    own: Range<usize>,
    [left, lower, centers]: [&mut [[f32; 2]]; 3],
) {
    let stride = cells.stride;
    let is_single = phases.is_single_phase();
    let only = phases.params[0].density;
    let (x, y, vx, vy, id) = (&p.x[..], &p.y[..], &p.vx[..], &p.vy[..], &p.id[..]);
    let whole = own.len() == cells.len();
    for first in (0..id.len()).step_by(WIDTH) {
        let slots = first..id.len().min(first + WIDTH);
        let eight = cells.places(simd, &x[slots.clone()], &y[slots.clone()]);
        for (slot, &[ux, uy, wx, wy]) in slots.clone().zip(&p.gradient[slots]) {
            if id[slot] == INVALID_ID {
                continue;
            }
            let [u, v, center] = &eight.lane(slot - first);
            if !whole {
                let [first, last] = [center.node.min(v.node), center.node.max(v.node)];
                if last + 2 * stride <= own.start || first >= own.end {
                    continue;
                }
            }
            let mass = if is_single { only } else { phases.mass_of(id[slot]) };
            let at_node = vx[slot] - ux * u.x - uy * u.y;
            add(left, &own, stride, u, [[at_node, at_node + ux], [at_node + uy, at_node + ux + uy]], mass, mass);
            let at_node = vy[slot] - wx * v.x - wy * v.y;
            add(lower, &own, stride, v, [[at_node, at_node + wx], [at_node + wy, at_node + wx + wy]], mass, mass);
            add(centers, &own, stride, center, [[1.0; 2]; 2], 1.0, mass);
        }
    }
}

/// Adds `values` times `first`, and `second`, to the four nodes around a place by the kernel, where they are in `own`.
#[inline(always)]
fn add(
    sums: &mut [[f32; 2]],
    own: &Range<usize>,
    stride: usize,
    place: &Place,
    values: [[f32; 2]; 2],
    first: f32,
    second: f32,
) {
    for (row, wy) in [1.0 - place.y, place.y].into_iter().enumerate() {
        let node = place.node + row * stride;
        if !own.contains(&node) {
            continue;
        }
        let [w0, w1] = [(1.0 - place.x) * wy, place.x * wy];
        let node = node - own.start;
        let two = sums[node..node + 2].as_flattened_mut();
        let more =
            Vec4::new(first * values[row][0], second, first * values[row][1], second) * Vec4::new(w0, w0, w1, w1);
        (Vec4::from_slice(two) + more).write_to_slice(two);
    }
}
