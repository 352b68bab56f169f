//! The sides of a grid, and the values of the ring of ghosts beyond them and of the solid cells beside fluid.

use crate::sim::grid_fluid::mac_grid::MacGrid;
use serde::Serialize;

/// The boundary condition of a side of the tank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Solid without slip: the fluid at it has its velocity, which is zero except for the lid.
    #[default]
    #[serde(rename = "no-slip")]
    NoSlip,
    /// Solid and smooth: the fluid slides along it.
    #[serde(rename = "free-slip")]
    FreeSlip,
    /// Inflow of the wind.
    Inflow,
    /// Outflow of whatever arrives.
    Outflow,
    /// Periodic: fluid that leaves here enters on the opposite side.
    #[serde(rename = "periodic")]
    Periodic,
}

/// The four sides of the tank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sides {
    /// The left side of the tank.
    pub left: Side,
    /// The right side.
    pub right: Side,
    /// The floor.
    pub floor: Side,
    /// The ceiling.
    pub ceiling: Side,
}

/// One of the grid's two axes, as a layout of the arrays.
#[derive(Clone, Copy, Debug, Default)]
pub struct Axis {
    /// Cells along it, and elements from one to the next.
    pub cells: usize,
    pub step: usize,
    /// Lines along it, ghosts included, and elements from one to the next.
    pub lines: usize,
    pub across: usize,
    /// The sides at its two ends.
    pub ends: [Side; 2],
    /// The wind along the lines and across them, m/s.
    pub wind: [f32; 2],
    /// Velocities of the walls at the two ends, across the lines, m/s.
    pub wall_speed: [f32; 2],
}

impl Axis {
    /// Whether the two ends are connected.
    pub fn is_periodic(&self) -> bool {
        self.ends[0] == Side::Periodic
    }
}

/// A mask of the cells around a cell: row by row from below, from left to right.
pub(super) type NeighborMask = u16;

impl MacGrid {
    pub(super) fn find_solid_boundary_cells(&mut self) {
        let mut solid_boundary_cells = std::mem::take(&mut self.solid_boundary_cells);
        solid_boundary_cells.clear();
        let solid = (1..=self.ny).flat_map(|j| self.row(j)).filter(|&cell| self.is_solid(cell));
        let beside = solid.map(|cell| (cell as u32, self.fluid_neighbors(cell)));
        solid_boundary_cells.extend(beside.filter(|&(_, fluid)| fluid != 0));
        self.solid_boundary_cells = solid_boundary_cells;
    }

    /// Returns the cell with that number in the ring around a cell.
    fn neighbour(&self, cell: usize, number: usize) -> usize {
        cell + number % 3 + number / 3 * self.stride - 1 - self.stride
    }

    /// Returns the mask of the fluid cells around a cell.
    fn fluid_neighbors(&self, cell: usize) -> NeighborMask {
        let fluid = |number: &usize| {
            let near = self.neighbour(cell, *number);
            let (column, row) = (near % self.stride, near / self.stride);
            (1..=self.nx).contains(&column) && (1..=self.ny).contains(&row) && !self.is_solid(near)
        };
        (0..9).filter(fluid).fold(0, |ring, number| ring | 1 << number)
    }

    /// Fills the ghosts of an array of values in cells, and the solid cells beside fluid, so that there is no gradient
    /// across a wall.
    pub fn apply_cell_boundary(&self, array: &mut [f32]) {
        for &(cell, ring) in &self.solid_boundary_cells {
            let wet = (0..9).filter(|number| ring & 1 << number != 0);
            let sum: f32 = wet.map(|number| array[self.neighbour(cell as usize, number)]).sum();
            array[cell as usize] = sum / ring.count_ones() as f32;
        }
        for axis in [self.x, self.y] {
            each_line(&axis, |base| {
                let at = |number: usize| base + number * axis.step;
                let (first, last) = (array[at(1)], array[at(axis.cells)]);
                (array[at(0)], array[at(axis.cells + 1)]) =
                    if axis.is_periodic() { (last, first) } else { (first, last) };
            });
        }
    }

    /// Fills the ghosts of both velocities, and sets the velocity at closed faces to that of the solid there.
    pub fn apply_velocity_boundary(&self, u: &mut [f32], v: &mut [f32]) {
        let [solid_u, solid_v] = &self.solid_velocity;
        for (array, open, solid_velocity, along, across) in
            [(u, &self.face_fraction_x, solid_u, self.x, self.y), (v, &self.face_fraction_y, solid_v, self.y, self.x)]
        {
            // Before the ghosts, which count as closed: a ghost of a periodic side has the value of the opposite side.
            for ((value, open), solid_velocity) in array.iter_mut().zip(open).zip(solid_velocity) {
                *value = if *open == 0.0 { *solid_velocity } else { *value };
            }
            set_normal_velocity(array, &along);
            set_tangential_velocity(array, &across);
        }
    }
}

/// Calls `with` for the first element of each line, ghosts included.
fn each_line(axis: &Axis, mut with: impl FnMut(usize)) {
    (0..axis.lines).for_each(|line| with(line * axis.across));
}

/// Sets the velocity across the ends of its own axis.
fn set_normal_velocity(array: &mut [f32], axis: &Axis) {
    let n = axis.cells;
    each_line(axis, |base| {
        let at = |number: usize| base + number * axis.step;
        for (end, (face, ghost)) in [(1, Some(0)), (n + 1, None)].into_iter().enumerate() {
            match axis.ends[end] {
                Side::NoSlip | Side::FreeSlip => array[at(face)] = 0.0,
                Side::Inflow => array[at(face)] = axis.wind[0],
                Side::Outflow => {}
                Side::Periodic => array[at(n + 1)] = array[at(1)],
            }
            if let Some(ghost) = ghost {
                array[at(ghost)] = if axis.is_periodic() { array[at(n)] } else { array[at(face)] };
            }
        }
    });
}

/// Sets the velocity along the walls at the ends of the axis across it: the mean of the ghost and the last value is the
/// wall's velocity.
fn set_tangential_velocity(array: &mut [f32], axis: &Axis) {
    let n = axis.cells;
    each_line(axis, |base| {
        let at = |number: usize| base + number * axis.step;
        for (end, (inner, ghost, opposite)) in [(1, 0, n), (n, n + 1, 1)].into_iter().enumerate() {
            array[at(ghost)] = match axis.ends[end] {
                Side::NoSlip => 2.0 * axis.wall_speed[end] - array[at(inner)],
                Side::FreeSlip | Side::Outflow => array[at(inner)],
                Side::Inflow => 2.0 * axis.wind[1] - array[at(inner)],
                Side::Periodic => array[at(opposite)],
            };
        }
    });
}

/// Closes the faces at the ends of an axis that are walls, and those beyond.
pub(super) fn close_ends(open: &mut [f32], axis: &Axis) {
    let n = axis.cells;
    each_line(axis, |base| {
        let at = |number: usize| base + number * axis.step;
        open[at(0)] = 0.0;
        for (end, face) in [1, n + 1].into_iter().enumerate() {
            if matches!(axis.ends[end], Side::NoSlip | Side::FreeSlip) {
                open[at(face)] = 0.0;
            }
        }
        if axis.is_periodic() {
            open[at(n + 1)] = open[at(1)];
        }
    });
    let lines = axis.lines;
    for line in [0, lines - 1] {
        for number in 0..=n + 1 {
            open[line * axis.across + number * axis.step] = 0.0;
        }
    }
}
