//! The cells: their size, and the parts of their faces and surroundings that walls leave open.

use crate::sim::boundary::{Change, Contact, Container, Walls, open_fraction};
use crate::sim::liquid::ParticleStore;
use crate::sim::neighbors::{RowChunk, WIDTH};
use crate::sim::particles::resize_buffer;
use fearless_simd::prelude::*;
use fearless_simd::{f32x8, i32x8};
use glam::Vec2;

/// Open fractions of a face below this are closed.
const MIN_OPEN: f32 = 0.05;

/// Distance from an obstacle at which a place counts as outside of it, in support radii.
const OUTSIDE: f32 = 1e-3;

/// Cells with a smaller free fraction are solid.
const SOLID: f32 = 0.02;

/// Kernels of which solids leave less than this are narrow.
const NARROW: f32 = 0.25;

/// Samples along each side of a cell for the free fraction of its kernel, which is two cells wide.
const SAMPLES: usize = 8;

/// Places along a face at which moving walls are looked for.
const FACE_SAMPLES: usize = 4;

/// Around a moved wall, in cells: faces that it may open or close, and cells that it may have been beside as a plate. All faces of
/// those cells are among those faces.
const MOVED_FACES: f32 = 3.0;
const MOVED_PLATES: f32 = 2.0;

/// Upper limit on the change of [`Walls::distance`] in a metre: that of a drawing.
const MAX_SLOPE: f32 = std::f32::consts::SQRT_2;

/// A staggered grid over the tank, whose sides lie on faces. Cell (i, j), both from 1, is number `j stride + i`, and a ring of
/// ghosts surrounds the cells. Arrays of faces have the left and the lower face of each cell under its number.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    pub nx: usize,
    pub ny: usize,
    pub stride: usize,
    /// Width and height of a cell, metres: about h.
    pub size: Vec2,
    /// Cells a metre.
    per_metre: Vec2,
    /// The version of the walls for which the fractions hold.
    version: Option<u64>,
    /// Open fraction of each left and of each lower face.
    pub open: [Vec<f32>; 2],
    /// The fraction of the transfer's kernel around each centre that is outside of solids.
    pub free: Vec<f32>,
    /// The same two, without bodies.
    pub open_at_walls: [Vec<f32>; 2],
    free_at_walls: Vec<f32>,
    /// Cells beside a wall that is thinner than a cell: their kernels reach beyond it.
    pub is_beside_plate: Vec<bool>,
    /// Per left and lower face: see [`Cells::wall_flow`]; empty while no wall moves.
    wall_flow: [Vec<f32>; 2],
    pub chunks: Vec<RowChunk>,
}

/// A place within a square of four nodes: the number of the lower left one, and the distance from it, in cells.
pub(super) struct Place {
    pub node: usize,
    pub x: f32,
    pub y: f32,
}

impl Place {
    /// The weights of the four nodes: the tent kernel.
    #[inline(always)]
    pub fn weights(&self) -> [f32; 4] {
        let Self { x, y, .. } = *self;
        [(1.0 - x) * (1.0 - y), x * (1.0 - y), (1.0 - x) * y, x * y]
    }

    /// The gradient of a quantity with these values at the four nodes, per cell.
    #[inline(always)]
    pub fn gradient(&self, [a, b, c, d]: [f32; 4]) -> [f32; 2] {
        let Self { x, y, .. } = *self;
        [(1.0 - y) * (b - a) + y * (d - c), (1.0 - x) * (c - a) + x * (d - b)]
    }
}

/// Eight positions relative to each of the three kinds of nodes.
pub(super) struct EightPlaces {
    /// The numbers of the lower left nodes: left faces, lower faces, centres.
    nodes: [[i32; WIDTH]; 3],
    /// Distances from faces along each axis, then from centres.
    parts: [[f32; WIDTH]; 4],
}

impl EightPlaces {
    /// One of them, relative to left faces, lower faces and centres.
    #[inline(always)]
    pub fn lane(&self, lane: usize) -> [Place; 3] {
        let [left, lower, center] = self.nodes.each_ref().map(|node| node[lane] as usize);
        let [x, y, center_x, center_y] = self.parts.each_ref().map(|part| part[lane]);
        let [left, lower] = [Place { node: left, x, y: center_y }, Place { node: lower, x: center_x, y }];
        [left, lower, Place { node: center, x: center_x, y: center_y }]
    }
}

impl Cells {
    /// Number of elements of an array.
    pub fn len(&self) -> usize {
        self.stride * (self.ny + 2)
    }

    /// From a cell back to the one before it along an axis.
    pub fn back(&self, axis: usize) -> usize {
        [1, self.stride][axis]
    }

    /// The area of a cell, m².
    pub fn area(&self) -> f32 {
        self.size.x * self.size.y
    }

    /// The cells of a row, without ghosts.
    pub fn row(&self, j: usize) -> std::ops::Range<usize> {
        j * self.stride + 1..j * self.stride + 1 + self.nx
    }

    /// All cells, row by row, without ghosts.
    pub fn inner(&self) -> impl Iterator<Item = usize> {
        (1..=self.ny).flat_map(|j| self.row(j))
    }

    /// Adapts to the walls, and returns whether the number of cells has changed.
    pub fn fit(&mut self, walls: &Walls, store: &ParticleStore) -> bool {
        self.divide_rows(store.grid.chunks.len());
        let changes = self.version.replace(walls.version()).and_then(|version| walls.changes_since(version));
        if changes.is_some_and(<[_]>::is_empty) {
            // Walls of the same version have the same velocities, or have come to a stop.
            if !walls.moves() {
                self.wall_flow.iter_mut().for_each(Vec::clear);
            }
            return false;
        }
        let tank = walls.extent();
        let count = |length: f32| ((length / store.h).round() as usize).max(2);
        let before = (self.nx, self.ny);
        (self.nx, self.ny) = (count(tank.x), count(tank.y));
        self.stride = self.nx + 2;
        self.size = tank / Vec2::new(self.nx as f32, self.ny as f32);
        self.per_metre = 1.0 / self.size;
        let moved = Moved { size: self.size, changes };
        self.find_open_faces(walls, moved);
        self.close_at_plates(walls, moved);
        self.find_free_fractions(walls, moved);
        self.forget_solids();
        self.find_wall_flow(walls, moved);
        if before != (self.nx, self.ny) {
            self.chunks.clear();
            self.divide_rows(store.grid.chunks.len());
        }
        before != (self.nx, self.ny)
    }

    fn divide_rows(&mut self, count: usize) {
        let rows = self.ny + 2;
        if self.chunks.len() != count && self.nx > 0 {
            self.chunks.clear();
            self.chunks.extend(RowChunk::even(rows, self.stride, count));
        }
    }

    /// Computes the open fractions from the distances to the walls at both ends of a face.
    fn find_open_faces(&mut self, walls: &Walls, moved: Moved) {
        if moved.changes.is_none() {
            let len = self.len();
            self.open_at_walls.iter_mut().for_each(|open| resize_buffer(open, len).fill(0.0));
        }
        // The sides of a box are faces themselves.
        let distance = |i: usize, j: usize| {
            let at = Vec2::new(i as f32 - 1.0, j as f32 - 1.0) * self.size;
            walls.distance_from_sides(at, 0.0).unwrap_or(walls.support_radius())
        };
        for j in 1..=self.ny + 1 {
            for i in 1..=self.nx + 1 {
                let at = j * self.stride + i;
                if !moved.reaches([i, j], MOVED_FACES) {
                    continue;
                }
                let here = distance(i, j);
                if j <= self.ny && i > 1 && i <= self.nx {
                    self.open_at_walls[0][at] = open_fraction([here, distance(i, j + 1)], MIN_OPEN);
                }
                if i <= self.nx && j > 1 && j <= self.ny {
                    self.open_at_walls[1][at] = open_fraction([here, distance(i + 1, j)], MIN_OPEN);
                }
            }
        }
    }

    /// Closes the faces between cells whose centres an obstacle separates, however thin it is. A centre within an obstacle
    /// counts as the nearest place outside: so every path from cell to cell that crosses the obstacle has a closed face.
    fn close_at_plates(&mut self, walls: &Walls, moved: Moved) {
        self.is_beside_plate.resize(self.len(), false);
        let row = |j: usize| (1..=self.nx).map(move |i| [i, j]);
        for [i, j] in (1..=self.ny).flat_map(row).filter(|&cell| moved.reaches(cell, MOVED_PLATES)) {
            self.is_beside_plate[j * self.stride + i] = false;
        }
        if walls.obstacles().is_empty() {
            return;
        }
        let center = |i: usize, j: usize| {
            let at = (Vec2::new(i as f32, j as f32) - 0.5) * self.size;
            let outside =
                |contact: Contact| at + (OUTSIDE * walls.support_radius() - contact.distance) * contact.normal;
            walls.obstacle(at).filter(|contact| contact.distance <= 0.0).map_or(at, outside)
        };
        for j in 1..=self.ny {
            for i in 1..=self.nx {
                if !moved.reaches([i, j], MOVED_FACES) {
                    continue;
                }
                let at = j * self.stride + i;
                let here = center(i, j);
                for (axis, other, there) in [(0, at - 1, (i - 1, j)), (1, at - self.stride, (i, j - 1))] {
                    if self.open_at_walls[axis][at] > 0.0 && walls.first_hit(here, center(there.0, there.1)).is_some() {
                        self.open_at_walls[axis][at] = 0.0;
                        self.is_beside_plate[at] = true;
                        self.is_beside_plate[other] = true;
                    }
                }
            }
        }
    }

    fn find_free_fractions(&mut self, walls: &Walls, moved: Moved) {
        if moved.changes.is_none() {
            self.free_at_walls.clear();
            self.free_at_walls.resize(self.len(), 0.0);
        }
        for j in 1..=self.ny {
            for i in 1..=self.nx {
                if !moved.reaches([i, j], 1.0) {
                    continue;
                }
                let center = (Vec2::new(i as f32, j as f32) - 0.5) * self.size;
                let spacing = self.size / SAMPLES as f32;
                let free = free_weight(walls, center, spacing, [0, 0], 2 * SAMPLES);
                self.free_at_walls[j * self.stride + i] = free / (SAMPLES * SAMPLES) as f32;
            }
        }
    }

    fn find_wall_flow(&mut self, walls: &Walls, moved: Moved) {
        let Self { nx, ny, stride, size, .. } = *self;
        for (axis, flow) in self.wall_flow.iter_mut().enumerate() {
            flow.clear();
            if !walls.moves() {
                continue;
            }
            flow.resize(stride * (ny + 2), 0.0);
            let along = if axis == 0 { Vec2::new(0.0, size.y) } else { Vec2::new(size.x, 0.0) };
            for j in 1..=ny + axis {
                for i in 1..=nx + 1 - axis {
                    let face = j * stride + i;
                    let is_side = [i, j][axis] == 1 || [i, j][axis] == [nx, ny][axis] + 1;
                    if (!is_side && self.open_at_walls[axis][face] == 1.0) || !moved.reaches([i, j], MOVED_FACES) {
                        continue;
                    }
                    let first = Vec2::new(i as f32 - 1.0, j as f32 - 1.0) * size;
                    let sum: f32 = (0..FACE_SAMPLES)
                        .map(|number| first + (number as f32 + 0.5) / FACE_SAMPLES as f32 * along)
                        .filter(|&at| is_side || walls.obstacle(at).is_some_and(|contact| contact.distance <= 0.0))
                        .map(|at| walls.solid_velocity(at, |contact| contact.distance <= 0.0)[axis])
                        .sum();
                    flow[face] = sum / FACE_SAMPLES as f32;
                }
            }
        }
    }

    /// What moving walls add to the flow through a face: their velocity times the fraction that they close, m/s.
    pub fn wall_flow(&self, axis: usize, face: usize) -> f32 {
        self.wall_flow[axis].get(face).copied().unwrap_or(0.0)
    }

    /// Opens what bodies and sheets cover.
    pub fn forget_solids(&mut self) {
        self.open.clone_from(&self.open_at_walls);
        self.free.clone_from(&self.free_at_walls);
    }

    /// Whether solids leave so little of a kernel that what it holds says nothing about the liquid.
    pub fn is_narrow(&self, at: usize) -> bool {
        self.free[at] < NARROW && self.is_in_tank(at)
    }

    /// Whether any face of a cell is open.
    pub fn is_open(&self, at: usize) -> bool {
        let [left, lower] = &self.open;
        left[at] + left[at + 1] + lower[at] + lower[at + self.stride] > 0.0
    }

    /// Whether the face below a cell is closed.
    pub fn stands_on_wall(&self, at: usize, gravity: Vec2) -> bool {
        let axis = usize::from(gravity.y.abs() >= gravity.x.abs());
        let below = if gravity[axis] < 0.0 { at } else { at + self.back(axis) };
        self.open[axis][below] == 0.0
    }

    /// Whether walls leave something of the kernel around a cell.
    pub fn is_in_tank(&self, at: usize) -> bool {
        self.free_at_walls[at] > SOLID
    }

    /// The nodes around up to eight positions; those outside of the tank are moved to its sides.
    #[inline(always)]
    pub fn places<S: Simd>(&self, simd: S, x: &[f32], y: &[f32]) -> EightPlaces {
        let (i, center_i, x, center_x) = divide(simd, x, self.per_metre.x, self.nx);
        let (j, center_j, y, center_y) = divide(simd, y, self.per_metre.y, self.ny);
        let stride = i32x8::splat(simd, self.stride as i32);
        let (mut nodes, mut parts) = ([[0; WIDTH]; 3], [[0.0; WIDTH]; 4]);
        (center_j * stride + (i + 1)).store_slice(&mut nodes[0]);
        ((j + 1) * stride + center_i).store_slice(&mut nodes[1]);
        (center_j * stride + center_i).store_slice(&mut nodes[2]);
        x.store_slice(&mut parts[0]);
        y.store_slice(&mut parts[1]);
        center_x.store_slice(&mut parts[2]);
        center_y.store_slice(&mut parts[3]);
        EightPlaces { nodes, parts }
    }

    /// A position in cells, centres having whole numbers; half a cell beyond the outermost centres at most.
    pub fn in_cells(&self, at: Vec2) -> Vec2 {
        let most = Vec2::new(self.nx as f32, self.ny as f32) + 0.499;
        (at / self.size + 0.5).clamp(Vec2::splat(0.5), most)
    }

    /// A position relative to the cells' centres.
    pub fn place(&self, at: Vec2) -> Place {
        let at = self.in_cells(at);
        let (first, Vec2 { x, y }) = (at.as_usizevec2(), at.fract());
        Place { node: first.y * self.stride + first.x, x, y }
    }

    /// The numbers of the four nodes around a place, in the order of its weights.
    pub fn nodes(&self, Place { node, .. }: &Place) -> [usize; 4] {
        [*node, node + 1, node + self.stride, node + self.stride + 1]
    }

    /// A quantity of cells at a position. It is continued linearly from the outermost centres to the tank's sides.
    pub fn interpolate(&self, values: &[f32], at: Vec2) -> f32 {
        if values.len() < self.len() || self.nx == 0 {
            return 0.0;
        }
        let part = |x: f32, n: usize| {
            let x = x.clamp(0.0, n as f32) + 0.5;
            let i = (x as usize).clamp(1, n - 1);
            (i, x - i as f32)
        };
        let (i, x) = part(at.x * self.per_metre.x, self.nx);
        let (j, y) = part(at.y * self.per_metre.y, self.ny);
        let node = j * self.stride + i;
        let below = values[node] + x * (values[node + 1] - values[node]);
        let above = values[node + self.stride] + x * (values[node + self.stride + 1] - values[node + self.stride]);
        below + y * (above - below)
    }
}

/// What has moved since the fractions were found.
#[derive(Clone, Copy)]
struct Moved<'a> {
    /// Of a cell, metres.
    size: Vec2,
    /// None if anything may have changed.
    changes: Option<&'a [Change]>,
}

impl Moved<'_> {
    /// Whether the centre of a cell lies within `margin` cells of what has changed.
    fn reaches(self, [i, j]: [usize; 2], margin: f32) -> bool {
        let center = (Vec2::new(i as f32, j as f32) - 0.5) * self.size;
        let holds = |(min, max): (Vec2, Vec2)| center.clamp(min, max) == center;
        self.changes.is_none_or(|all| all.iter().any(|change| holds(change.bounds(margin * self.size))))
    }
}

/// The weight of the free samples of the kernel around `center`, `spacing` metres apart, in a square of `side` samples from
/// `first` (column, row). That of all samples is [`SAMPLES`]². One distance is enough where no surface is near.
fn free_weight(walls: &Walls, center: Vec2, spacing: Vec2, first: [usize; 2], side: usize) -> f32 {
    let middle = Vec2::new(first[0] as f32, first[1] as f32) + 0.5 * side as f32 - SAMPLES as f32;
    let distance = walls.distance(center + middle * spacing);
    let radius = 0.5 * (side - 1) as f32 * spacing.length();
    // The distance to an ellipse is not exact enough to tell.
    let is_exact = walls.container() != Container::Circle;
    if side == 1 || (is_exact && distance.abs() > MAX_SLOPE * radius) {
        let weight = |sample: usize| 1.0 - ((sample as f32 + 0.5) / SAMPLES as f32 - 1.0).abs();
        let along = |first: usize| (first..first + side).map(weight).sum::<f32>();
        return if distance > 0.0 { along(first[0]) * along(first[1]) } else { 0.0 };
    }
    let half = side / 2;
    let quarters = [[0, 0], [half, 0], [0, half], [half, half]].map(|[right, up]| [first[0] + right, first[1] + up]);
    quarters.into_iter().map(|first| free_weight(walls, center, spacing, first, half)).sum()
}

/// Eight positions in cells: the cells from the lower side, those half a cell off, and the rest of each.
#[inline(always)]
fn divide<S: Simd>(simd: S, at: &[f32], per_metre: f32, count: usize) -> (i32x8<S>, i32x8<S>, f32x8<S>, f32x8<S>) {
    let mut whole = [0.0; WIDTH];
    whole[..at.len()].copy_from_slice(at);
    let limit = f32x8::splat(simd, count as f32 - 1e-3);
    let at = (f32x8::from_slice(simd, &whole) * per_metre).max(f32x8::splat(simd, 0.0)).min(limit);
    let off = at + 0.5;
    let (i, center) = (at.to_int::<i32x8<S>>(), off.to_int::<i32x8<S>>());
    (i, center, at - i.to_float::<f32x8<S>>(), off - center.to_float::<f32x8<S>>())
}
