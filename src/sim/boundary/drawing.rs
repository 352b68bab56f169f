//! A region drawn as a pattern of solid cells.

use crate::sim::boundary::sdf_grid::SdfGrid;
use crate::sim::boundary::shape::Shape;
use glam::Vec2;
use serde::Serialize;
use std::sync::Arc;

/// Maximum number of samples per column's width, and in all.
const MAX_FINENESS: usize = 6;
const MAX_SAMPLES: usize = 1_500_000;

/// A pattern of solid cells, each twice as high as wide; the whole is centred in the tank, as large as it fits.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Drawing {
    /// The text of the scene file. The simulation does not read it.
    source: String,
    /// Samples for each column's width.
    #[serde(skip)]
    fineness: usize,
    #[serde(skip)]
    relief: Arc<SdfGrid>,
}

/// Joins solid cells that touch at a corner only, so that a line of `/` or `\\` holds water.
fn join_corners(rows: &[Vec<bool>], columns: usize, fineness: usize, solid: &mut [bool]) {
    let is_solid = |row: usize, column: usize| rows[row].get(column) == Some(&true);
    let width = columns * fineness;
    let height = rows.len() * 2 * fineness;
    let radius = fineness.max(2) as f32 / 2.0;
    for row in 1..rows.len() {
        for column in 1..columns {
            let falling = is_solid(row - 1, column - 1) && is_solid(row, column);
            let rising = is_solid(row - 1, column) && is_solid(row, column - 1);
            let count = [(row - 1, column - 1), (row - 1, column), (row, column - 1), (row, column)]
                .into_iter()
                .filter(|&(row, column)| is_solid(row, column))
                .count();
            if count != 2 || !(falling || rising) {
                continue;
            }
            let (x, y) = (column * fineness, row * 2 * fineness);
            for sample_y in y.saturating_sub(fineness)..(y + fineness).min(height) {
                for sample_x in x.saturating_sub(fineness)..(x + fineness).min(width) {
                    let offset = Vec2::new(sample_x as f32 - x as f32 + 0.5, sample_y as f32 - y as f32 + 0.5);
                    solid[sample_y * width + sample_x] |= offset.length() <= radius;
                }
            }
        }
    }
}

impl Drawing {
    /// Rows of cells from the top, at least one solid; a shorter row ends in free cells. `source` is the scene file's text.
    ///
    /// # Panics
    /// If there is no cell.
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
        join_corners(rows, columns, fineness, &mut solid);
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
