//! The counting sort that puts particles into the grid's order, band by band.
//!
//! Every band looks for its own particles in those old rows from which any have come to it, in their old order; so it
//! needs nobody's counts but its own, and the outcome is the same wherever bands end. In a flowing liquid those are its
//! own rows and one more on either side; whatever else happens (particles that were added, a tank of another shape) is
//! only slower.

use super::bands::{Band, ByBand, ByRow, share};
use super::grid::Layout;
use super::pairs::WIDTH;
use super::particles::{FAR, NOBODY, Particles};
use std::ops::Range;

#[derive(Clone, Debug, Default)]
pub struct Sort {
    /// Where each row begins, and where the last one ends; whatever comes after has been added since.
    starts: Vec<u32>,
    /// To which rows the particles of each old row have gone, and of those that were added.
    reach: Vec<Range<u32>>,
    /// The new cell of every old slot.
    cells: Vec<u32>,
    spare: Particles,
    /// The cells with more than one particle: each row's from the number of its first cell on, and how many.
    shared: Vec<u32>,
    sharing: Vec<u32>,
    /// Slots of each band.
    sizes: Vec<usize>,
}

impl Sort {
    /// Puts the particles in order, and into `first` the first slot of every cell. The bands come as they were after
    /// the sort before, and leave with the same rows and the new slots.
    pub fn sort(&mut self, layout: &Layout, p: &mut Particles, first: &mut Vec<u32>, bands: &mut Vec<Band>) {
        self.locate(layout, p, bands);
        if bands.last().map(|band| band.rows.end) != Some(layout.rows) {
            even(bands, layout.rows);
        }
        first.resize(layout.rows * layout.stride(), 0);
        self.count(layout, first, bands);
        self.scatter(layout, p, first, bands);
        std::mem::swap(&mut self.spare, p);
        self.starts.clear();
        self.starts.extend(first.iter().step_by(layout.stride()));
        self.starts.push(p.slots() as u32);
    }

    /// Where the particles of each row begin, padding included, and where the last row ends.
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// The cells of a row in which more than one particle is.
    pub fn shared(&self, layout: &Layout, row: usize) -> &[u32] {
        &self.shared[row * layout.stride()..][..self.sharing[row] as usize]
    }

    /// Notes each particle's new cell, and to which rows the particles of each old row have gone.
    fn locate(&mut self, layout: &Layout, p: &Particles, bands: &mut Vec<Band>) {
        self.starts.resize(self.starts.len().max(1), 0);
        self.starts.push(p.slots() as u32);
        let rows = self.starts.len() - 1;
        // Those that were added are few, and the last band's.
        bands.resize(bands.len().max(1), Band::default());
        if let Some(last) = bands.last_mut() {
            (last.rows.end, last.slots.end) = (rows, p.slots());
        }
        self.cells.resize(p.slots(), NOBODY);
        self.reach.resize(rows, 0..0);
        let starts = &self.starts;
        share(bands, (&mut self.cells[..], ByRow(1, &mut self.reach)), &|band, (mut cells, ByRow(_, reach))| {
            for (row, reach) in band.rows.clone().zip(reach) {
                let slots = starts[row] as usize..starts[row + 1] as usize;
                *reach = locate_row(layout, p, slots.clone(), cells.split_off_mut(..slots.len()).unwrap_or_default());
            }
        });
        if let Some(last) = bands.last_mut() {
            last.rows.end -= 1;
        }
    }

    /// The old slots from which particles may have gone to these rows, an old row at a time.
    fn sources(&self, rows: &Range<usize>) -> impl DoubleEndedIterator<Item = Range<usize>> + '_ {
        let (first, end) = (rows.start as u32, rows.end as u32);
        let met = move |(_, reach): &(usize, &Range<u32>)| reach.start < end && first < reach.end;
        let slots = |row: usize| self.starts[row] as usize..self.starts[row + 1] as usize;
        self.reach.iter().enumerate().filter(met).map(move |(row, _)| slots(row))
    }

    /// Turns `first` into the end of every cell, counted from the band's first slot, and notes the slots of every band.
    fn count(&mut self, layout: &Layout, first: &mut [u32], bands: &mut [Band]) {
        let mut sizes = std::mem::take(&mut self.sizes);
        let mut shared = (std::mem::take(&mut self.shared), std::mem::take(&mut self.sharing));
        sizes.resize(bands.len(), 0);
        shared.0.resize(first.len(), 0);
        shared.1.resize(layout.rows, 0);
        let stride = layout.stride();
        let by_row = (ByRow(stride, first), ByRow(stride, &mut shared.0), ByRow(1, &mut shared.1));
        share(bands, (by_row, ByBand(&mut sizes)), &|band, ((ends, shared, sharing), ByBand(size))| {
            let (base, ends) = (band.rows.start * stride, ends.1);
            ends.fill(0);
            for &cell in self.sources(&band.rows).flat_map(|slots| &self.cells[slots]) {
                // Also turns away who is nobody or another band's.
                if let Some(count) = ends.get_mut((cell as usize).wrapping_sub(base)) {
                    *count += 1;
                }
            }
            let mut next = 0;
            let rows = ends.chunks_exact_mut(stride).zip(shared.1.chunks_exact_mut(stride)).zip(sharing.1);
            for (row, ((ends, shared), sharing)) in rows.enumerate() {
                (next, *sharing) = lay_out(ends, next, base + row * stride, shared);
            }
            size[0] = next as usize;
        });
        let mut next = 0;
        for (band, size) in bands.iter_mut().zip(&sizes) {
            band.slots = next..next + size;
            next = band.slots.end;
        }
        self.sizes = sizes;
        (self.shared, self.sharing) = shared;
    }

    /// Moves every particle to its slot in `spare`, the last one first, so that the ends of cells become their
    /// beginnings.
    fn scatter(&mut self, layout: &Layout, p: &Particles, first: &mut [u32], bands: &[Band]) {
        let mut spare = std::mem::take(&mut self.spare);
        spare.replace(p, bands.last().map_or(0, |band| band.slots.end));
        let stride = layout.stride();
        let floats = [&mut spare.x[..], &mut spare.y, &mut spare.vx, &mut spare.vy];
        share(
            bands,
            (floats, &mut spare.id[..], ByRow(stride, first)),
            &|band, ([x, y, vx, vy], id, ByRow(_, ends))| {
                for padding in paddings(ends, stride) {
                    (x[padding.clone()].fill(FAR), y[padding.clone()].fill(FAR));
                    (vx[padding.clone()].fill(0.0), vy[padding.clone()].fill(0.0), id[padding].fill(NOBODY));
                }
                let base = band.rows.start * stride;
                for from in self.sources(&band.rows).rev().flat_map(Range::rev) {
                    if let Some(end) = ends.get_mut((self.cells[from] as usize).wrapping_sub(base)) {
                        *end -= 1;
                        let to = *end as usize;
                        (x[to], y[to], vx[to], vy[to]) = (p.x[from], p.y[from], p.vx[from], p.vy[from]);
                        id[to] = p.id[from];
                    }
                }
                ends.iter_mut().for_each(|first| *first += band.slots.start as u32);
            },
        );
        self.spare = spare;
    }
}

/// The new cells of the particles in a row's old slots; returns the rows to which they have gone.
fn locate_row(layout: &Layout, p: &Particles, slots: Range<usize>, cells: &mut [u32]) -> Range<u32> {
    let (mut lowest, mut end) = (u32::MAX, 0);
    for (slot, cell) in slots.zip(cells) {
        *cell = NOBODY;
        if p.is_alive(slot) {
            let row = layout.row_of(p.y[slot]) as u32;
            *cell = row * layout.stride() as u32 + layout.column_of(p.x[slot]) as u32;
            (lowest, end) = (lowest.min(row), end.max(row + 1));
        }
    }
    lowest..end
}

/// Turns the counts of a row's cells, of which the first is number `cell`, into their ends, and notes those that more
/// than one particle shares. The row begins at slot `next`; returns where the next one begins, which is on a vector's
/// boundary, and how many cells were noted.
fn lay_out(counts: &mut [u32], mut next: u32, cell: usize, shared: &mut [u32]) -> (u32, u32) {
    let mut found = 0;
    for (column, count) in counts.iter_mut().enumerate() {
        // Written always and counted sometimes: no branch to guess.
        shared[found] = (cell + column) as u32;
        found += usize::from(*count > 1);
        next += *count;
        *count = next;
    }
    (next.next_multiple_of(WIDTH as u32), found as u32)
}

/// The slots behind each row that fill its last vector. A row's last entry is its end.
fn paddings(ends: &[u32], stride: usize) -> impl Iterator<Item = Range<usize>> + '_ {
    ends.chunks_exact(stride).map(move |row| row[stride - 1] as usize).map(|end| end..end.next_multiple_of(WIDTH))
}

/// Gives every band as many rows as the others.
fn even(bands: &mut [Band], rows: usize) {
    let count = bands.len();
    for (number, band) in bands.iter_mut().enumerate() {
        band.rows = rows * number / count..rows * (number + 1) / count;
    }
}
