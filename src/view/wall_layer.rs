//! Walls and obstacles, sampled for the picture, and kept until walls or camera change.

use crate::math::Elementary;
use crate::sim::World;
use crate::sim::boundary::{Container, Walls};
use crate::sim::definition::WallMaterial;
use crate::view::grid_layout::GridLayout;
use crate::view::kernel_truncation::{self, MAX_GAIN, OPEN, VISIBLE};
use glam::Vec2;
use std::ops::Range;

/// Thickness of the rim of a tank, as a fraction of the smaller side of the picture; and its least value in samples.
const RIM_SHARE: f32 = 0.012;
const MIN_RIM: f32 = 2.0;

/// Direction towards the light: above, and to the left, as for liquid.
const LIGHT: Vec2 = Vec2::new(-0.5, 0.866);

/// Brightness of stone far inside, and the light that a surface gains where it faces the light and loses where it faces away from
/// it, which falls to 1/e over this depth, in samples. Chosen by eye.
const INSIDE: f32 = 0.75;
const FACING: f32 = 0.8;
const AVERTED: f32 = 0.3;
const BEVEL: f32 = 2.5;

/// Brightness of glass, and that of its highlight.
const GLASS: f32 = 1.5;
const HIGHLIGHT: f32 = 3.0;

/// The fraction of its light that wet stone loses.
const WETNESS: f32 = 0.45;

#[derive(Clone, Debug, Default)]
pub struct WallLayer {
    /// Distance to the nearest wall, in samples; negative inside of it.
    pub distance: Vec<f32>,
    /// Distance to the outer edge of the rim, in samples; negative beyond it.
    pub rim: Vec<f32>,
    /// The factor on the field: 1 far from walls, about 2 on a plane wall, at most [`MAX_GAIN`].
    pub gain: Vec<f32>,
    /// The light on it, as a factor on its colour.
    pub shade: Vec<f32>,
    /// The fraction of its light that it loses where it is wet.
    pub wetness: f32,
    raised: Vec<Range<usize>>,
    pub walled_cells: Vec<bool>,
    /// The version of the walls, the grid, the bits of the kernel's reach and the material for which the layer was computed.
    made_for: Option<(u64, GridLayout, u32, WallMaterial)>,
    pub version: u64,
}

impl WallLayer {
    pub fn update(&mut self, world: &World, grid: &GridLayout, reach: f32) {
        let (walls, material) = (world.walls(), world.definition().tank.walls);
        let key = Some((walls.version(), *grid, reach.to_bits(), material));
        if self.made_for == key {
            return;
        }
        self.made_for = key;
        self.version += 1;
        self.wetness = if material == WallMaterial::Glass { 0.0 } else { WETNESS };
        self.measure(walls, material, grid, reach);
        self.find_raised();
        self.find_walled_cells(grid);
    }

    pub fn compensate(&self, array: &mut [f32]) {
        for run in self.raised.iter().cloned() {
            for (value, gain) in array[run.clone()].iter_mut().zip(&self.gain[run]) {
                *value *= gain;
            }
        }
    }

    fn measure(&mut self, walls: &Walls, material: WallMaterial, grid: &GridLayout, reach: f32) {
        let samples_per_metre = grid.samples_per_metre();
        let rim = (RIM_SHARE * grid.columns.min(grid.rows) as f32 / grid.oversampling as f32).max(MIN_RIM);
        // A round tank touches the sides of the window, which would cut off a rim outside of it.
        let inset = if walls.container() == Container::Circle { 0.5 * rim } else { 0.0 };
        for array in [&mut self.distance, &mut self.rim] {
            array.clear();
            array.resize(grid.elements(), OPEN);
        }
        for array in [&mut self.gain, &mut self.shade] {
            array.clear();
            array.resize(grid.elements(), 1.0);
        }
        for row in 0..grid.rows {
            for column in 0..grid.columns {
                let (at, here) = (grid.position(column, row), grid.index(column, row));
                walls.contacts(at, f32::INFINITY, |contact| {
                    let distance = contact.distance * samples_per_metre;
                    if distance < self.distance[here] {
                        self.distance[here] = distance;
                        self.shade[here] = shade(material, distance, grid.turn.direction(contact.normal));
                    }
                    self.gain[here] /= kernel_truncation::free_before(distance, reach);
                });
                self.gain[here] = self.gain[here].min(MAX_GAIN);
                let is_obstacle =
                    walls.obstacle(at).is_some_and(|o| o.distance * samples_per_metre <= self.distance[here]);
                if is_obstacle {
                    self.rim[here] = if material == WallMaterial::Stone { OPEN } else { self.distance[here] + rim };
                } else {
                    self.rim[here] = self.distance[here] + rim - inset;
                    self.distance[here] -= inset;
                }
            }
        }
    }

    fn find_raised(&mut self) {
        self.raised.clear();
        let mut from = 0;
        for run in self.gain.chunk_by(|a, b| (*a == 1.0) == (*b == 1.0)) {
            if run[0] != 1.0 {
                self.raised.push(from..from + run.len());
            }
            from += run.len();
        }
    }

    fn find_walled_cells(&mut self, grid: &GridLayout) {
        let (across, down) = grid.samples_per_cell();
        let (width, height) = ((grid.columns - 2) / across, (grid.rows - 2) / down);
        self.walled_cells.clear();
        self.walled_cells.reserve(width * height);
        for row in 0..height {
            for column in 0..width {
                // Only the cell's own samples count: the margin around the window lies outside of the tank.
                let first = grid.first_of_cell(column, row);
                let own = (0..down).flat_map(|y| first + y * grid.stride..first + y * grid.stride + across);
                let nearest = own.map(|sample| self.distance[sample]).fold(OPEN, f32::min);
                self.walled_cells.push(nearest < VISIBLE);
            }
        }
    }
}

/// The light on a wall at a signed distance from its surface, in samples, whose normal there is `normal`.
fn shade(material: WallMaterial, distance: f32, normal: Vec2) -> f32 {
    let facing = normal.dot(LIGHT);
    match material {
        WallMaterial::Stone => {
            let edge = (distance.min(0.0) / BEVEL).exponential();
            INSIDE + edge * (FACING * facing.max(0.0) + AVERTED * facing.min(0.0))
        }
        // The light is seen through the glass, in the side that is turned away from it too.
        WallMaterial::Glass => GLASS + (HIGHLIGHT - GLASS) * facing.abs().powi(6),
    }
}
