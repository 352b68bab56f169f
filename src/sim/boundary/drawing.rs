//! A region drawn as a pattern of solid cells.

use crate::sim::boundary::sdf_grid::SdfGrid;
use crate::sim::boundary::shape::Shape;
use glam::Vec2;
use serde::{Serialize, Serializer};
use std::sync::Arc;

/// Maximum number of samples per column's width, and in all: they bound the memory of the distances and the time to
/// compute them.
const MAX_FINENESS: usize = 6;
const MAX_SAMPLES: usize = 1_500_000;

/// A pattern of solid cells, each twice as high as wide; the whole is centred in the tank, as large as it fits.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawing {
    /// The text of the scene file. The simulation does not read it.
    source: String,
    /// Samples for each column's width.
    fineness: usize,
    relief: Arc<SdfGrid>,
}

impl Serialize for Drawing {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.source.serialize(to)
    }
}

impl Drawing {
    /// Creates the drawing of these rows of cells, from the top; a shorter row ends in free cells. `source` is the text
    /// of the scene file. At least one cell must be solid.
    pub fn new(rows: &[Vec<bool>], source: String) -> Self {
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let fits = |fineness: &usize| 2 * columns * rows.len() * fineness * fineness <= MAX_SAMPLES;
        let fineness = (1..=MAX_FINENESS).rev().find(fits).unwrap_or(1);
        let width = columns * fineness;
        let mut solid = vec![false; width * rows.len() * 2 * fineness];
        for (number, samples) in solid.chunks_exact_mut(width).enumerate() {
            let row = &rows[number / (2 * fineness)];
            samples.iter_mut().enumerate().for_each(|(at, solid)| *solid = row.get(at / fineness) == Some(&true));
        }
        Self { source, fineness, relief: Arc::new(SdfGrid::new(width, &solid)) }
    }

    /// Size in columns; a line counts as two, because it is as high as two columns are wide.
    pub fn size(&self) -> Vec2 {
        self.relief.size() / self.fineness as f32
    }

    /// Returns the drawing as a shape in a tank of this size, metres.
    pub fn shape(&self, tank: Vec2) -> Shape {
        let pitch = (tank / self.relief.size()).min_element();
        let corner = (tank - pitch * self.relief.size()) / 2.0;
        Shape::SdfGrid { relief: Arc::clone(&self.relief), corner, pitch }
    }
}
