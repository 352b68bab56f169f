//! Drops in free flight: small clusters of particles far from all others. Glyphs divide a cell into a few parts, so a drop that
//! lies between parts would be a larger and dimmer patch than one that fits them, and change with every step. Each drop is
//! therefore drawn where its outline fits the parts, less than half a part from its place: it keeps its brightness and its shape.

use crate::cell::glyph_mode::GlyphMode;
use crate::view::grid_layout::GridLayout;
use glam::Vec2;

/// Side of a bin, in R: particles of one drop lie in adjacent bins.
const BIN: f32 = 0.6;

/// The radius of a lone particle, in R.
const RADIUS: f32 = 0.3;

/// The largest drop that is moved, in samples: larger ones have parts of cells enough.
const LARGEST: f32 = 3.5;

#[derive(Clone, Debug, Default)]
pub(super) struct Drops {
    bins: Vec<Bin>,
    columns: usize,
    rows: usize,
    side: Vec2,
    /// Bins of one cluster, which are also those whose neighbours have been searched.
    cluster: Vec<u32>,
}

/// The particles in a bin: their extent, and the way by which their drop is moved, in samples.
#[derive(Clone, Copy, Debug)]
struct Bin {
    min: Vec2,
    max: Vec2,
    way: Vec2,
    found: bool,
}

impl Bin {
    const EMPTY: Self = Self { min: Vec2::INFINITY, max: Vec2::NEG_INFINITY, way: Vec2::ZERO, found: true };

    fn add(&mut self, min: Vec2, max: Vec2) {
        (self.min, self.max) = (self.min.min(min), self.max.max(max));
    }
}

impl Drops {
    /// Finds the drops among particles at these places, in samples, with kernels of `reach` samples.
    pub fn find(&mut self, places: impl Iterator<Item = Vec2>, grid: &GridLayout, reach: Vec2, glyphs: GlyphMode) {
        self.side = BIN * reach;
        self.columns = (grid.columns as f32 / self.side.x) as usize + 1;
        self.rows = (grid.rows as f32 / self.side.y) as usize + 1;
        self.bins.clear();
        self.bins.resize(self.columns * self.rows, Bin::EMPTY);
        for place in places {
            let bin = self.bin(place);
            self.bins[bin].add(place, place);
            self.bins[bin].found = false;
        }
        for first in 0..self.bins.len() {
            if !self.bins[first].found {
                let (min, max) = self.gather(first);
                let (low, size) = (min - RADIUS * reach, max - min + 2.0 * RADIUS * reach);
                if size.max_element() <= LARGEST {
                    let way = fit(low, size, glyphs);
                    self.cluster.iter().for_each(|&bin| self.bins[bin as usize].way = way);
                }
            }
        }
    }

    /// The way from a particle's place to where it is drawn, in samples.
    pub fn way(&self, place: Vec2) -> Vec2 {
        self.bins[self.bin(place)].way
    }

    fn bin(&self, place: Vec2) -> usize {
        let at = (place / self.side).max(Vec2::ZERO);
        (at.x as usize).min(self.columns - 1) + (at.y as usize).min(self.rows - 1) * self.columns
    }

    /// Collects the cluster of a bin, and returns the extent of its particles.
    fn gather(&mut self, first: usize) -> (Vec2, Vec2) {
        let mut whole = Bin::EMPTY;
        self.cluster.clear();
        self.cluster.push(first as u32);
        self.bins[first].found = true;
        let mut searched = 0;
        while let Some(&bin) = self.cluster.get(searched) {
            searched += 1;
            let (column, row) = (bin as usize % self.columns, bin as usize / self.columns);
            whole.add(self.bins[bin as usize].min, self.bins[bin as usize].max);
            for y in row.saturating_sub(1)..(row + 2).min(self.rows) {
                for x in column.saturating_sub(1)..(column + 2).min(self.columns) {
                    let near = &mut self.bins[x + y * self.columns];
                    if !near.found {
                        near.found = true;
                        self.cluster.push((x + y * self.columns) as u32);
                    }
                }
            }
        }
        (whole.min, whole.max)
    }
}

/// The way by which a drop is moved so that it covers whole parts of cells as nearly as its size allows.
fn fit(low: Vec2, size: Vec2, glyphs: GlyphMode) -> Vec2 {
    const HALF: f32 = 2.0;
    const THIRD: f32 = 4.0 / 3.0;
    let (across, down): (f32, &[f32]) = match glyphs {
        GlyphMode::Half => (2.0, &[HALF]),
        GlyphMode::Quadrant => (1.0, &[HALF]),
        GlyphMode::Wedge | GlyphMode::Sextant => (1.0, &[HALF, THIRD]),
        GlyphMode::Octant | GlyphMode::Ascii | GlyphMode::Braille => (1.0, &[1.0]),
    };
    let rest = |part: f32| ((size.y / part).round().max(1.0) * part - size.y).abs();
    let down = down.iter().copied().min_by(|a, b| rest(*a).total_cmp(&rest(*b))).unwrap_or(HALF);
    // Cells begin half a sample before their first sample, which is the second one.
    let along = |low: f32, size: f32, part: f32| {
        let whole = (size / part).round().max(1.0) * part;
        let from = low + 0.5 * (size - whole) - 0.5;
        (from / part).round() * part - from
    };
    Vec2::new(along(low.x, size.x, across), along(low.y, size.y, down))
}
