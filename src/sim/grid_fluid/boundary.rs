//! The sides of a grid, and what the ring of ghosts beyond them and the solid cells beside fluid hold.

use crate::sim::grid_fluid::mac_grid::Mac;
use serde::Serialize;

/// What the tank's side does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Solid; the fluid at it moves as it does, which is not at all, unless it is the lid.
    #[default]
    Wall,
    /// Solid and smooth: the fluid glides along it.
    Slip,
    /// The wind comes in here.
    Inflow,
    /// Whatever comes, leaves.
    Outflow,
    /// What leaves here comes in on the opposite side.
    Wrap,
}

/// The four sides of the tank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sides {
    pub left: Side,
    pub right: Side,
    pub floor: Side,
    pub ceiling: Side,
}

/// One of the grid's two directions, as the arrays see it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Axis {
    /// Cells along it, and elements from one to the next.
    pub cells: usize,
    pub step: usize,
    /// Lines along it, ghosts included, and elements from one to the next.
    pub lines: usize,
    pub across: usize,
    /// What lies at its two ends.
    pub ends: [Side; 2],
    /// The wind along the lines and across them, m/s.
    pub wind: [f32; 2],
    /// How fast the walls at the two ends move, across the lines, m/s.
    pub sliding: [f32; 2],
}

impl Axis {
    /// Whether the ends are one place.
    pub fn wraps(&self) -> bool {
        self.ends[0] == Side::Wrap
    }
}

/// The cells around one, as bits: row by row from below, from left to right.
pub(super) type Ring = u16;

impl Mac {
    pub(super) fn find_shores(&mut self) {
        let mut shores = std::mem::take(&mut self.shores);
        shores.clear();
        let solid = (1..=self.ny).flat_map(|j| self.row(j)).filter(|&cell| self.is_solid(cell));
        let beside = solid.map(|cell| (cell as u32, self.fluid_around(cell)));
        shores.extend(beside.filter(|&(_, fluid)| fluid != 0));
        self.shores = shores;
    }

    /// The cell with that number in the ring around a cell.
    fn neighbour(&self, cell: usize, number: usize) -> usize {
        cell + number % 3 + number / 3 * self.stride - 1 - self.stride
    }

    /// Which cells around a cell are fluid.
    fn fluid_around(&self, cell: usize) -> Ring {
        let fluid = |number: &usize| {
            let near = self.neighbour(cell, *number);
            let (column, row) = (near % self.stride, near / self.stride);
            (1..=self.nx).contains(&column) && (1..=self.ny).contains(&row) && !self.is_solid(near)
        };
        (0..9).filter(fluid).fold(0, |ring, number| ring | 1 << number)
    }

    /// Fills the ghosts of an array of values in cells, and the solid cells beside fluid: nothing flows across a wall.
    pub fn edge_cells(&self, array: &mut [f32]) {
        for &(cell, ring) in &self.shores {
            let wet = (0..9).filter(|number| ring & 1 << number != 0);
            let sum: f32 = wet.map(|number| array[self.neighbour(cell as usize, number)]).sum();
            array[cell as usize] = sum / ring.count_ones() as f32;
        }
        for axis in [self.x, self.y] {
            each_line(&axis, |base| {
                let at = |number: usize| base + number * axis.step;
                let (first, last) = (array[at(1)], array[at(axis.cells)]);
                (array[at(0)], array[at(axis.cells + 1)]) = if axis.wraps() { (last, first) } else { (first, last) };
            });
        }
    }

    /// Fills the ghosts of both velocities, and lets the fluid at closed faces move as what is solid there.
    pub fn edge_velocity(&self, u: &mut [f32], v: &mut [f32]) {
        let [moving_x, moving_y] = &self.moving;
        for (array, open, moving, along, across) in
            [(u, &self.open_x, moving_x, self.x, self.y), (v, &self.open_y, moving_y, self.y, self.x)]
        {
            // Before the ghosts, which count as closed: one of a side that wraps has the value of the opposite side.
            for ((value, open), moving) in array.iter_mut().zip(open).zip(moving) {
                *value = if *open == 0.0 { *moving } else { *value };
            }
            edge_normal(array, &along);
            edge_tangent(array, &across);
        }
    }
}

/// Calls `with` with the first element of each line, ghosts included.
fn each_line(axis: &Axis, mut with: impl FnMut(usize)) {
    (0..axis.lines).for_each(|line| with(line * axis.across));
}

/// Velocity across the ends of its own axis.
fn edge_normal(array: &mut [f32], axis: &Axis) {
    let n = axis.cells;
    each_line(axis, |base| {
        let at = |number: usize| base + number * axis.step;
        for (end, (face, ghost)) in [(1, Some(0)), (n + 1, None)].into_iter().enumerate() {
            match axis.ends[end] {
                Side::Wall | Side::Slip => array[at(face)] = 0.0,
                Side::Inflow => array[at(face)] = axis.wind[0],
                Side::Outflow => {}
                Side::Wrap => array[at(n + 1)] = array[at(1)],
            }
            if let Some(ghost) = ghost {
                array[at(ghost)] = if axis.wraps() { array[at(n)] } else { array[at(face)] };
            }
        }
    });
}

/// Velocity along the walls at the ends of the axis across it: the ghost beyond is such that its mean with the value
/// before is what the wall says.
fn edge_tangent(array: &mut [f32], axis: &Axis) {
    let n = axis.cells;
    each_line(axis, |base| {
        let at = |number: usize| base + number * axis.step;
        for (end, (inner, ghost, opposite)) in [(1, 0, n), (n, n + 1, 1)].into_iter().enumerate() {
            array[at(ghost)] = match axis.ends[end] {
                Side::Wall => 2.0 * axis.sliding[end] - array[at(inner)],
                Side::Slip | Side::Outflow => array[at(inner)],
                Side::Inflow => 2.0 * axis.wind[1] - array[at(inner)],
                Side::Wrap => array[at(opposite)],
            };
        }
    });
}

/// Closes the faces at the ends of an axis that are walls, and what lies beyond.
pub(super) fn close_ends(open: &mut [f32], axis: &Axis) {
    let n = axis.cells;
    each_line(axis, |base| {
        let at = |number: usize| base + number * axis.step;
        open[at(0)] = 0.0;
        for (end, face) in [1, n + 1].into_iter().enumerate() {
            if matches!(axis.ends[end], Side::Wall | Side::Slip) {
                open[at(face)] = 0.0;
            }
        }
        if axis.wraps() {
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
