//! Connected components between walls. In one with inflow and no outlet no flow is free of divergence; the inflow is then removed
//! evenly over it.

use crate::sim::grid_fluid::mac_grid::MacGrid;
use crate::sim::grid_fluid::sides::Side;

#[derive(Clone, Debug, Default)]
pub struct Components {
    /// For each cell its component, counted from 1; 0 is solid or not yet visited.
    of: Vec<u32>,
    /// For each component its number of cells, none if it has an outlet, and its total outflow.
    components: Vec<(f32, f64)>,
    todo: Vec<u32>,
}

impl Components {
    /// Finds the components. A tank without wind and bodies needs none.
    pub fn find(&mut self, grid: &MacGrid) {
        self.components.clear();
        let mut ends = grid.x.ends.into_iter().chain(grid.y.ends);
        if !ends.any(Side::is_inflow) && grid.immersed_bodies.is_empty() {
            return;
        }
        self.of.clear();
        self.of.resize(grid.len(), 0);
        for cell in grid.cells() {
            if self.of[cell] == 0 && !grid.is_solid(cell) {
                self.flood(grid, cell);
            }
        }
    }

    fn flood(&mut self, grid: &MacGrid, from: usize) {
        let number = self.components.len() as u32 + 1;
        let (mut cells, mut leads_out) = (0.0, false);
        self.todo.push(from as u32);
        while let Some(cell) = self.todo.pop() {
            let cell = cell as usize;
            if std::mem::replace(&mut self.of[cell], number) == number {
                continue;
            }
            cells += 1.0;
            for (next, side) in open_neighbors(grid, cell).into_iter().flatten() {
                match side {
                    Some(side) => leads_out |= side.is_outflow(),
                    None if self.of[next] == 0 => self.todo.push(next as u32),
                    None => {}
                }
            }
        }
        self.components.push((if leads_out { 0.0 } else { cells }, 0.0));
    }

    /// Distributes the outflow (`out`, per cell) of each closed component evenly, so that its sum is zero.
    pub fn remove_mean(&mut self, out: &mut [f32]) {
        if self.components.iter().all(|&(cells, _)| cells == 0.0) {
            return;
        }
        self.components.iter_mut().for_each(|component| component.1 = 0.0);
        let numbered = |of: &[u32], at: usize| (of[at] as usize).checked_sub(1);
        for (at, out) in out.iter().enumerate() {
            if let Some(component) = numbered(&self.of, at) {
                self.components[component].1 += f64::from(*out);
            }
        }
        for (at, out) in out.iter_mut().enumerate() {
            if let Some((cells, sum)) =
                numbered(&self.of, at).map(|component| self.components[component]).filter(|component| component.0 > 0.0)
            {
                *out -= (sum / f64::from(cells)) as f32;
            }
        }
    }
}

/// The cells behind the open faces of a cell, or the side of the tank that is there.
fn open_neighbors(grid: &MacGrid, cell: usize) -> [Option<(usize, Option<Side>)>; 4] {
    let (column, row) = (cell % grid.stride, cell / grid.stride);
    let neighbor = |face: f32, next: usize, at_end: bool, side: Side, round: usize| match side {
        _ if face == 0.0 => None,
        side if at_end && side.is_periodic() => Some((round, None)),
        side => Some((next, at_end.then_some(side))),
    };
    let ([left, right], [floor, ceiling]) = (grid.x.ends, grid.y.ends);
    let (wide, high) = (grid.nx - 1, (grid.ny - 1) * grid.stride);
    [
        neighbor(grid.face_fraction[0][cell], cell - 1, column == 1, left, cell + wide),
        neighbor(grid.face_fraction[0][cell + 1], cell + 1, column == grid.nx, right, cell.wrapping_sub(wide)),
        neighbor(grid.face_fraction[1][cell], cell - grid.stride, row == 1, floor, cell + high),
        neighbor(
            grid.face_fraction[1][cell + grid.stride],
            cell + grid.stride,
            row == grid.ny,
            ceiling,
            cell.wrapping_sub(high),
        ),
    ]
}
