//! The values of the ghosts beyond the sides, and of the solid cells beside fluid.

use crate::sim::grid_fluid::mac_grid::{FieldLocation, MacGrid};
use crate::sim::grid_fluid::sides::{Axis, Ghost};
use fearless_simd::dispatch;
use fearless_simd::prelude::*;
use fearless_simd_macros::simd;

impl MacGrid {
    /// Fills the ghosts of values in cells, and the solid cells beside fluid: no gradient across a wall.
    pub fn apply_cell_boundary(&self, array: &mut [f32]) {
        for &(cell, ring) in &self.solid_boundary_cells {
            let wet = (0..9).filter(|number| ring & 1 << number != 0);
            let sum: f32 = wet.map(|number| array[self.neighbour(cell as usize, number)]).sum();
            array[cell as usize] = sum / ring.count_ones() as f32;
        }
        self.fill_ghosts(FieldLocation::Cells, array);
    }

    pub fn fill_ghosts(&self, field: FieldLocation, array: &mut [f32]) {
        match field {
            FieldLocation::Cells => [self.x, self.y].iter().for_each(|axis| mirror_cells(array, axis)),
            FieldLocation::Faces(0) => set_velocity(array, &self.x, &self.y),
            FieldLocation::Faces(_) => set_velocity(array, &self.y, &self.x),
        }
    }

    /// Fills the ghosts of both velocities, and sets the velocity at closed faces to that of the solid there.
    pub fn apply_velocity_boundary(&self, velocity: &mut [Vec<f32>; 2]) {
        for (axis, array) in velocity.iter_mut().enumerate() {
            // Before the ghosts, which count as closed: a ghost of a periodic side has the value of the opposite side.
            let (open, solid) = (&self.face_fraction[axis], &self.solid_velocity[axis]);
            dispatch!(self.level, simd => set_closed(simd, array, open, solid));
            self.fill_ghosts(FieldLocation::Faces(axis), array);
        }
    }
}

/// Sets the velocity at closed faces to that of the solid.
#[simd]
fn set_closed<S: Simd>(_simd: S, array: &mut [f32], open: &[f32], solid: &[f32]) {
    for ((value, open), solid) in array.iter_mut().zip(open).zip(solid) {
        let (closed, solid) = (if *open == 0.0 { u32::MAX } else { 0 }, solid.to_bits());
        *value = f32::from_bits(value.to_bits() & !closed | solid & closed);
    }
}

/// Copies the values in cells at the ends of an axis into the ghosts: no gradient across a side.
fn mirror_cells(array: &mut [f32], axis: &Axis) {
    axis.each_line(|base| {
        let at = |number: usize| base + number * axis.step;
        let ends = [array[at(1)], array[at(axis.cells)]];
        let [low, high] = if axis.is_periodic() { [ends[1], ends[0]] } else { ends };
        (array[at(0)], array[at(axis.cells + 1)]) = (low, high);
    });
}

/// Sets a velocity along an axis at and beyond the sides at both ends, and beyond the sides `beside` it, where the mean of
/// the ghost and the last value is the velocity of the wall or the wind.
fn set_velocity(array: &mut [f32], along: &Axis, beside: &Axis) {
    let n = along.cells;
    along.each_line(|base| {
        let at = |number: usize| base + number * along.step;
        for (end, face) in [1, n + 1].into_iter().enumerate() {
            match along.ends[end].rule().across {
                Ghost::Wall => array[at(face)] = 0.0,
                Ghost::Wind => array[at(face)] = along.wind[0],
                Ghost::Copy => {}
                Ghost::Opposite => array[at(n + 1)] = array[at(1)],
            }
        }
        array[at(0)] = if along.is_periodic() { array[at(n)] } else { array[at(1)] };
    });
    let n = beside.cells;
    beside.each_line(|base| {
        let at = |number: usize| base + number * beside.step;
        for (end, (inner, ghost, opposite)) in [(1, 0, n), (n, n + 1, 1)].into_iter().enumerate() {
            array[at(ghost)] = match beside.ends[end].rule().along {
                Ghost::Wall => 2.0 * beside.wall_speed[end] - array[at(inner)],
                Ghost::Wind => 2.0 * beside.wind[1] - array[at(inner)],
                Ghost::Copy => array[at(inner)],
                Ghost::Opposite => array[at(opposite)],
            };
        }
    });
}
