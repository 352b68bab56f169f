//! Rooms that walls have cut off from each other.
//!
//! In a room into which the wind blows and from which nothing leads out, no flow is free of divergence: the equations
//! of pressure have no solution, and whoever iterates on them runs away. What comes in is then spread evenly over the
//! room, as if it were let out through a thousand holes.

use crate::sim::grid_fluid::boundary::Side;
use crate::sim::grid_fluid::mac_grid::Mac;

/// The rooms of a tank that the wind blows into, or bodies move in.
#[derive(Clone, Debug, Default)]
pub struct Rooms {
    /// For each cell its room, counted from 1; 0 is solid or not yet looked at.
    of: Vec<u32>,
    /// For each room how many cells it has, none if something leads out, and what flows out of them together.
    rooms: Vec<(f32, f64)>,
    todo: Vec<u32>,
}

impl Rooms {
    /// Finds the rooms. Tanks without wind or bodies have none that matter.
    pub fn find(&mut self, mac: &Mac) {
        self.rooms.clear();
        let mut ends = mac.x.ends.into_iter().chain(mac.y.ends);
        if !ends.any(|side| side == Side::Inflow) && mac.swimmers.is_empty() {
            return;
        }
        self.of.clear();
        self.of.resize(mac.len(), 0);
        for cell in (1..=mac.ny).flat_map(|j| mac.row(j)) {
            if self.of[cell] == 0 && !mac.is_solid(cell) {
                self.flood(mac, cell);
            }
        }
    }

    fn flood(&mut self, mac: &Mac, from: usize) {
        let number = self.rooms.len() as u32 + 1;
        let (mut cells, mut leads_out) = (0.0, false);
        self.todo.push(from as u32);
        while let Some(cell) = self.todo.pop() {
            let cell = cell as usize;
            if std::mem::replace(&mut self.of[cell], number) == number {
                continue;
            }
            cells += 1.0;
            for (next, side) in doors(mac, cell).into_iter().flatten() {
                match side {
                    Some(side) => leads_out |= side == Side::Outflow,
                    None if self.of[next] == 0 => self.todo.push(next as u32),
                    None => {}
                }
            }
        }
        self.rooms.push((if leads_out { 0.0 } else { cells }, 0.0));
    }

    /// Spreads what flows out of each closed room (`out`, per cell) evenly, so that together it is nothing.
    pub fn balance(&mut self, out: &mut [f32]) {
        if self.rooms.iter().all(|&(cells, _)| cells == 0.0) {
            return;
        }
        self.rooms.iter_mut().for_each(|room| room.1 = 0.0);
        let numbered = |of: &[u32], at: usize| (of[at] as usize).checked_sub(1);
        for (at, out) in out.iter().enumerate() {
            if let Some(room) = numbered(&self.of, at) {
                self.rooms[room].1 += f64::from(*out);
            }
        }
        for (at, out) in out.iter_mut().enumerate() {
            if let Some((cells, sum)) = numbered(&self.of, at).map(|room| self.rooms[room]).filter(|room| room.0 > 0.0)
            {
                *out -= (sum / f64::from(cells)) as f32;
            }
        }
    }
}

/// The cells behind the open faces of a cell, or the side of the tank that is there.
fn doors(mac: &Mac, cell: usize) -> [Option<(usize, Option<Side>)>; 4] {
    let (column, row) = (cell % mac.stride, cell / mac.stride);
    let door = |face: f32, next: usize, at_end: bool, side: Side, round: usize| match side {
        _ if face == 0.0 => None,
        Side::Wrap if at_end => Some((round, None)),
        side => Some((next, at_end.then_some(side))),
    };
    let ([left, right], [floor, ceiling]) = (mac.x.ends, mac.y.ends);
    let (wide, high) = (mac.nx - 1, (mac.ny - 1) * mac.stride);
    [
        door(mac.open_x[cell], cell - 1, column == 1, left, cell + wide),
        door(mac.open_x[cell + 1], cell + 1, column == mac.nx, right, cell.wrapping_sub(wide)),
        door(mac.open_y[cell], cell - mac.stride, row == 1, floor, cell + high),
        door(mac.open_y[cell + mac.stride], cell + mac.stride, row == mac.ny, ceiling, cell.wrapping_sub(high)),
    ]
}
