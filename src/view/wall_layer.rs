//! Walls and obstacles, sampled for the picture, and kept until walls or camera change.

use crate::math::Elementary;
use crate::sim::World;
use crate::sim::boundary::{Contact, Container, Walls};
use crate::sim::definition::WallMaterial;
use crate::view::grid_layout::GridLayout;
use crate::view::kernel_truncation::{self, MAX_GAIN, OPEN, VISIBLE};
use glam::Vec2;
use std::ops::Range;

/// Thickness of the rim of a tank, as a fraction of the smaller side of the picture; and its least value in samples.
const RIM_SHARE: f32 = 0.012;
const MIN_RIM: f32 = 2.0;

/// The least thickness of an obstacle, in samples: water would stand against nothing.
const MIN_WALL: f32 = 1.2;

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

/// The lesser part of a normal above which a wall is slanted; and the distance from a wall, in samples, below which its normal
/// counts. That of a corner turns in front of it.
const SLANT: f32 = 0.02;
const EDGE: f32 = 0.25;

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
    /// A bit for each sample: whether the nearest wall lies neither level nor upright there.
    slanted: Vec<u8>,
    pub cells: Vec<WallCell>,
    /// The version of the walls, and the grid, the bits of the kernel's reach and the material for which the layer was computed.
    made_for: Option<(u64, (GridLayout, u32, WallMaterial))>,
    version: u32,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct WallCell {
    pub is_walled: bool,
    /// Whether all walls in it are level or upright.
    pub is_straight: bool,
    /// The version of the layer in which a sample in it or beside it has changed last.
    pub version: u32,
}

impl WallLayer {
    pub fn update(&mut self, world: &World, grid: &GridLayout, reach: f32) {
        let walls = world.walls();
        let material = world.definition().tank.walls;
        let key = (*grid, reach.to_bits(), material);
        let former = self.made_for.replace((walls.version(), key));
        let changes = former.filter(|former| former.1 == key).and_then(|former| walls.changes_since(former.0));
        if changes.is_some_and(<[_]>::is_empty) {
            return;
        }
        self.version += 1;
        self.wetness = if material == WallMaterial::Glass { 0.0 } else { WETNESS };
        if let Some(changes) = changes {
            for change in changes {
                let within = grid.samples_around(change.bounds(Vec2::splat(walls.support_radius())), 0.0);
                self.measure(walls, material, grid, reach, within);
            }
        } else {
            let arrays = [&mut self.distance, &mut self.rim, &mut self.gain, &mut self.shade];
            for (array, far) in arrays.into_iter().zip([OPEN, OPEN, 1.0, 1.0]) {
                array.clear();
                array.resize(grid.elements(), far);
            }
            self.slanted.clear();
            self.slanted.resize(grid.elements().div_ceil(8), 0);
            let (across, down) = grid.samples_per_cell();
            self.cells.clear();
            self.cells.resize((grid.columns - 2) / across * ((grid.rows - 2) / down), WallCell::default());
            self.measure(walls, material, grid, reach, [0..grid.columns, 0..grid.rows]);
        }
        self.extend(grid);
    }

    pub fn compensate(&self, array: &mut [f32]) {
        array.iter_mut().zip(&self.gain).for_each(|(value, gain)| *value *= gain);
    }

    /// Measures the samples in these columns and rows.
    fn measure(
        &mut self,
        walls: &Walls,
        material: WallMaterial,
        grid: &GridLayout,
        reach: f32,
        [columns, rows]: [Range<usize>; 2],
    ) {
        let samples_per_metre = grid.samples_per_metre();
        let thickness = (RIM_SHARE * grid.columns.min(grid.rows) as f32 / grid.oversampling as f32).max(MIN_RIM);
        // A round tank touches the sides of the window, which would cut off a rim outside of it.
        let inset = if walls.container() == Container::Circle { 0.5 * thickness } else { 0.0 };
        for row in rows.clone() {
            for column in columns.clone() {
                let (at, here) = (grid.position(column, row), grid.index(column, row));
                let (mut distance, mut gain, mut light, mut slanted) = (OPEN, 1.0, 1.0, false);
                let mut meet = |contact: Contact| {
                    let own = contact.distance * samples_per_metre;
                    gain /= kernel_truncation::free_before(own, reach);
                    if own < distance {
                        distance = own;
                        let normal = grid.turn.direction(contact.normal);
                        light = shade(material, own, normal);
                        slanted = normal.abs().min_element() > SLANT;
                    }
                    own
                };
                walls.container_contacts(at, f32::INFINITY, |contact| _ = meet(contact));
                let obstacle = walls.obstacle_on_grid(at, MIN_WALL / samples_per_metre).map(meet);
                self.gain[here] = gain.min(MAX_GAIN);
                self.shade[here] = light;
                let bits = &mut self.slanted[here / 8];
                *bits = *bits & !(1 << (here % 8)) | u8::from(slanted && distance < EDGE) << (here % 8);
                if obstacle.is_some_and(|own| own <= distance) {
                    self.rim[here] = if material == WallMaterial::Stone { OPEN } else { distance + thickness };
                    self.distance[here] = distance;
                } else {
                    self.rim[here] = distance + thickness - inset;
                    self.distance[here] = distance - inset;
                }
            }
        }
        self.find_walled_cells(grid, [columns, rows]);
    }

    /// Continues walls into the margin as they are beside it. It lies outside of the tank, in walls that the window does not show,
    /// and samples between the two would bend the edges of others.
    fn extend(&mut self, grid: &GridLayout) {
        let (right, bottom) = (grid.columns - 1, grid.rows - 1);
        for array in [&mut self.distance, &mut self.rim, &mut self.shade] {
            for row in 1..bottom {
                array[grid.index(0, row)] = array[grid.index(1, row)];
                array[grid.index(right, row)] = array[grid.index(right - 1, row)];
            }
            for (from, to) in [(1, 0), (bottom - 1, bottom)] {
                array.copy_within(grid.index(0, from)..=grid.index(right, from), grid.index(0, to));
            }
        }
    }

    /// Looks at the cells that have a sample in these columns and rows, or beside them.
    fn find_walled_cells(&mut self, grid: &GridLayout, [columns, rows]: [Range<usize>; 2]) {
        let (across, down) = grid.samples_per_cell();
        let (width, height) = ((grid.columns - 2) / across, (grid.rows - 2) / down);
        let cells = |samples: Range<usize>, side: usize, count: usize| {
            samples.start.saturating_sub(2) / side..samples.end.div_ceil(side).min(count)
        };
        for row in cells(rows, down, height) {
            for column in cells(columns.clone(), across, width) {
                // Only the cell's own samples count: the margin around the window lies outside of the tank.
                let first = grid.first_of_cell(column, row);
                let own = (0..down).flat_map(|y| first + y * grid.stride..first + y * grid.stride + across);
                let nearest = own.clone().map(|sample| self.distance[sample]).fold(OPEN, f32::min);
                let is_straight = own.into_iter().all(|sample| self.slanted[sample / 8] >> (sample % 8) & 1 == 0);
                let cell = WallCell { is_walled: nearest < VISIBLE, is_straight, version: self.version };
                self.cells[row * width + column] = cell;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{self, Scene};
    use crate::sim::WorldOptions;
    use crate::view::camera::{CELL_PIXELS, Camera};
    use ratatui_core::layout::Rect;

    /// Of each cell, whether it is walled; and all numbers of the layer.
    fn contents(layer: &WallLayer) -> (Vec<bool>, [&Vec<f32>; 4]) {
        let cells = layer.cells.iter().map(|cell| cell.is_walled).collect();
        (cells, [&layer.distance, &layer.rim, &layer.gain, &layer.shade])
    }

    #[test]
    fn moving_walls_are_measured_where_they_move() {
        for name in ["levels", "spectrum"] {
            let scene = Scene::parse(scene::find(name).unwrap(), name).unwrap().world;
            let mut world = World::new(&scene, &WorldOptions { particles: Some(300), ..WorldOptions::default() });
            let grid = GridLayout::new(&Camera::of(&world, Rect::new(0, 0, 80, 24), CELL_PIXELS), 1);
            let mut layer = WallLayer::default();
            // More than a few steps are not remembered.
            for steps in [0, 1, 1, 3, 20, 1] {
                (0..steps).for_each(|_| world.step());
                let before: Vec<u32> = layer.cells.iter().map(|cell| cell.version).collect();
                layer.update(&world, &grid, 7.0);
                let mut whole = WallLayer::default();
                whole.update(&world, &grid, 7.0);
                assert_eq!(contents(&layer), contents(&whole), "{name} after {steps} more steps");
                let unchanged = layer.cells.iter().zip(before).filter(|(cell, before)| cell.version == *before);
                assert_eq!(unchanged.count() > layer.cells.len() / 2, [1, 3].contains(&steps), "{name}: {steps}");
            }
        }
    }
}
