//! Where the samples of a picture lie: one grid for the field, walls, bodies and smoke.

use crate::view::camera::{Camera, Turn};
use glam::Vec2;
use ratatui_core::layout::Rect;
use std::ops::Range;

/// Samples of the field in a cell, across and down: square where cells are twice as high as wide.
pub const SAMPLES: (usize, usize) = (2, 4);

/// Number of samples that the splat processes together: a vector of eight 32-bit floats.
pub const LANES: usize = 8;

const PADDING: usize = 4;

/// A grid of samples over an area of cells, with a margin of one sample on every side. Every array over the grid has
/// `elements()` elements, row by row from the top, each row `stride` long.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GridLayout {
    /// Samples across, margin included.
    pub columns: usize,
    /// Samples down, margin included.
    pub rows: usize,
    /// Elements from a row to the next: `columns` and the padding of the splat, in whole vectors.
    pub stride: usize,
    /// Density of the samples relative to [`SAMPLES`], each way: 1, except for the reference image.
    pub oversampling: usize,
    /// The first sample's position in the tank before its turn, m.
    first: Vec2,
    /// Step from one sample to the next, across and down the screen, m. The step down is negative.
    pub spacing: Vec2,
    pub turn: Turn,
}

impl GridLayout {
    /// Creates the layout for the cells that `camera` shows, `oversampling` times as dense as [`SAMPLES`].
    pub fn new(camera: &Camera, oversampling: usize) -> Self {
        let area = camera.area;
        let per_cell = Vec2::new(SAMPLES.0 as f32, SAMPLES.1 as f32) * oversampling as f32;
        let corner = Vec2::new(f32::from(area.x), f32::from(area.y));
        let Rect { width, height, .. } = area;
        let columns = usize::from(width) * SAMPLES.0 * oversampling + 2;
        Self {
            columns,
            rows: usize::from(height) * SAMPLES.1 * oversampling + 2,
            stride: (columns + PADDING * LANES).next_multiple_of(LANES),
            oversampling,
            // The first sample of the margin lies half a sample up and left of the corner.
            first: camera.to_upright(corner - 0.5 / per_cell),
            spacing: Vec2::new(1.0, -1.0) / (camera.scale * per_cell),
            turn: camera.turn,
        }
    }

    pub fn elements(&self) -> usize {
        self.rows * self.stride
    }

    #[inline(always)]
    pub fn index(&self, column: usize, row: usize) -> usize {
        row * self.stride + column
    }

    /// Samples of a cell, across and down.
    #[inline(always)]
    pub fn samples_per_cell(&self) -> (usize, usize) {
        (SAMPLES.0 * self.oversampling, SAMPLES.1 * self.oversampling)
    }

    #[inline(always)]
    pub fn first_of_cell(&self, column: usize, row: usize) -> usize {
        let (across, down) = self.samples_per_cell();
        self.index(1 + column * across, 1 + row * down)
    }

    pub fn position(&self, column: usize, row: usize) -> Vec2 {
        self.turn.back(self.first + self.spacing * Vec2::new(column as f32, row as f32))
    }

    pub fn to_samples(self, world: Vec2) -> Vec2 {
        (self.turn.there(world) - self.first) / self.spacing
    }

    /// Returns the lowest and highest columns and rows of a box in the tank, in samples.
    pub fn bounds(&self, (min, max): (Vec2, Vec2)) -> (Vec2, Vec2) {
        let corners =
            [min, Vec2::new(max.x, min.y), max, Vec2::new(min.x, max.y)].map(|corner| self.to_samples(corner));
        (corners.into_iter().fold(corners[0], Vec2::min), corners.into_iter().fold(corners[0], Vec2::max))
    }

    /// The columns and rows of the samples within `margin` samples of a box in the tank.
    pub fn samples_around(&self, bounds: (Vec2, Vec2), margin: f32) -> [Range<usize>; 2] {
        let (low, high) = self.bounds(bounds);
        let clamp = |value: f32, count: usize| (value.max(0.0) as usize).min(count);
        let columns = clamp(low.x - margin, self.columns)..clamp(high.x + margin + 1.0, self.columns);
        let rows = clamp(low.y - margin, self.rows)..clamp(high.y + margin + 1.0, self.rows);
        [columns, rows]
    }

    /// Returns the column or row of a sample in samples of the ordinary density, margin included.
    #[inline(always)]
    pub fn in_ordinary(&self, sample: usize) -> f32 {
        (sample as f32 - 0.5) / self.oversampling as f32 + 0.5
    }

    /// Returns the number of samples of the ordinary density in a metre.
    pub fn samples_per_metre(&self) -> f32 {
        1.0 / (self.spacing.x * self.oversampling as f32)
    }
}
