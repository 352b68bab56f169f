//! Neighbour search: a uniform grid filled by counting sort.
//!
//! Rows are one interaction radius `h` high and columns a quarter of it wide, so all candidates that one row offers a
//! particle are a single contiguous run of slots, from four columns left of it to four columns right. A pair is met
//! once: a particle looks to the right along its own row and along the row above, never below.
//!
//! Columns of h/4 beat columns of h by about a tenth: the run is shorter by the slack on both sides. Narrowing the
//! run to the chord of the circle was tried and dropped: finding it costs more than it saves.

use super::pairs::WIDTH;
use super::particles::{NOBODY, Particles};
use glam::Vec2;
use std::ops::Range;

/// Columns per interaction radius.
const FINE: usize = 4;

#[derive(Clone, Debug, Default)]
pub struct Grid {
    origin: Vec2,
    per_column: f32,
    per_row: f32,
    columns: usize,
    rows: usize,
    /// First slot of every cell, row by row; each row ends with one more entry, the end of its last cell.
    first: Vec<u32>,
    /// Scratch: the cell of every old slot, then the new slot of every old slot.
    place: Vec<u32>,
    spare: Particles,
    /// The cells with more than one particle.
    shared: Vec<u32>,
}

impl Grid {
    /// Lays the grid over a tank of `size` metres for interaction radius `h`, with a margin of one cell around it.
    pub fn lay(&mut self, size: Vec2, h: f32) {
        self.origin = Vec2::splat(-h);
        self.per_row = 1.0 / h;
        self.per_column = FINE as f32 / h;
        self.rows = (size.y / h).ceil() as usize + 2;
        self.columns = (size.x / h).ceil() as usize * FINE + 2 * FINE;
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    #[inline]
    fn row_of(&self, y: f32) -> usize {
        (((y - self.origin.y) * self.per_row).max(0.0) as usize).min(self.rows - 1)
    }

    #[inline]
    fn column_of(&self, x: f32) -> usize {
        (((x - self.origin.x) * self.per_column).max(0.0) as usize).min(self.columns - 1)
    }

    /// Reorders the particles cell by cell and notes where each cell begins. Stable, so the outcome depends on
    /// nothing but the positions and the order before.
    pub fn sort(&mut self, particles: &mut Particles) {
        self.count(particles);
        let slots = self.lay_out_cells();
        self.assign_slots();
        self.spare.arrange(particles, &self.place, slots);
        std::mem::swap(&mut self.spare, particles);
    }

    /// Notes each particle's cell in `place`, and in `first` how many particles every cell holds.
    fn count(&mut self, particles: &Particles) {
        let stride = self.columns + 1;
        self.first.clear();
        self.first.resize(self.rows * stride, 0);
        self.place.clear();
        self.place.resize(particles.slots(), NOBODY);
        for slot in 0..particles.slots() {
            if particles.is_alive(slot) {
                let cell = self.row_of(particles.y[slot]) * stride + self.column_of(particles.x[slot]);
                self.place[slot] = cell as u32;
                self.first[cell] += 1;
            }
        }
    }

    /// Turns each cell's count into its end, each row beginning on a vector's boundary, and notes the cells that more
    /// than one particle shares. Returns the number of slots.
    fn lay_out_cells(&mut self) -> usize {
        self.shared.resize(self.first.len(), 0);
        let (mut next, mut shared) = (0u32, 0);
        for (number, row) in self.first.chunks_exact_mut(self.columns + 1).enumerate() {
            for (column, cell) in row.iter_mut().enumerate() {
                // Written always and counted sometimes: no branch to guess.
                self.shared[shared] = (number * (self.columns + 1) + column) as u32;
                shared += usize::from(*cell > 1);
                next += *cell;
                *cell = next;
            }
            next = next.next_multiple_of(WIDTH as u32);
        }
        self.shared.truncate(shared);
        next as usize
    }

    /// Gives every particle its slot, the last one first, so that ends become beginnings.
    fn assign_slots(&mut self) {
        for place in self.place.iter_mut().rev().filter(|place| **place != NOBODY) {
            let cursor = &mut self.first[*place as usize];
            *cursor -= 1;
            *place = *cursor;
        }
    }

    /// The slots of the particles in `row`, without its padding.
    #[inline]
    pub fn row(&self, row: usize) -> Range<usize> {
        let stride = self.columns + 1;
        self.first[row * stride] as usize..self.first[(row + 1) * stride - 1] as usize
    }

    /// The slots of every cell that holds more than one particle.
    pub fn shared_cells(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.shared.iter().map(|&cell| self.first[cell as usize] as usize..self.first[cell as usize + 1] as usize)
    }

    /// The grid in squares of h × h, row by row: the middle of each, metres.
    pub fn patches(&self) -> impl Iterator<Item = Vec2> + '_ {
        let side = 1.0 / self.per_row;
        let middle = move |row: usize, column: usize| self.origin + side * (Vec2::new(column as f32, row as f32) + 0.5);
        (0..self.rows).flat_map(move |row| (0..self.columns / FINE).map(move |column| middle(row, column)))
    }

    /// The slots of the particles that were in this patch when they were sorted.
    #[inline]
    pub fn patch(&self, number: usize) -> Range<usize> {
        let across = self.columns / FINE;
        let cell = number / across * (self.columns + 1) + number % across * FINE;
        self.first[cell] as usize..self.first[cell + FINE] as usize
    }

    /// The slots that may hold neighbours of the particles from slot `first` on, which lie in `row` between `x` of the
    /// first and `x_last` of the last of them, as far as they have not met: behind in their own row, and in the row
    /// above.
    #[inline(always)]
    pub fn runs(&self, row: usize, first: usize, x: f32, x_last: f32) -> [Range<usize>; 2] {
        let (from, to) = (self.column_of(x.min(x_last)), self.column_of(x.max(x_last)));
        let (left, right) = (from.saturating_sub(FINE), (to + FINE + 1).min(self.columns));
        let own = row * (self.columns + 1);
        let above = own + self.columns + 1;
        let own_end = (self.first[own + right] as usize).max(first + 1);
        let above_run = match self.first.get(above + left) {
            Some(&from) => from as usize..self.first[above + right] as usize,
            None => 0..0,
        };
        [first + 1..own_end, above_run]
    }
}
