//! Connected components between walls. From one with inflow and no outlet the inflow is removed evenly.

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
    /// Finds the components. A tank without wind and moving solids needs none.
    pub fn find(&mut self, grid: &MacGrid) {
        self.components.clear();
        let mut ends = grid.x.ends.into_iter().chain(grid.y.ends);
        if !ends.any(Side::is_inflow) && !grid.solids_move() {
            return;
        }
        self.of.clear();
        self.of.resize(grid.elements(), 0);
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
            for (next, side) in open_neighbors(grid, cell) {
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
fn open_neighbors(grid: &MacGrid, cell: usize) -> impl Iterator<Item = (usize, Option<Side>)> + '_ {
    [(0, &grid.x, cell % grid.stride), (1, &grid.y, cell / grid.stride)].into_iter().flat_map(
        move |(number, axis, place)| {
            let round = (axis.cells - 1) * axis.step;
            let before = (cell, cell - axis.step, place == 1, axis.ends[0], cell + round);
            let after =
                (cell + axis.step, cell + axis.step, place == axis.cells, axis.ends[1], cell.wrapping_sub(round));
            [before, after].into_iter().filter(move |(face, ..)| grid.face_fraction[number][*face] > 0.0).map(
                |(_, next, at_end, side, opposite)| match at_end {
                    true if side.is_periodic() => (opposite, None),
                    true => (next, Some(side)),
                    false => (next, None),
                },
            )
        },
    )
}
