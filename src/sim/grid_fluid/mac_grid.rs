//! The marker-and-cell grid: pressure and dye at the centres of cells, velocity on their faces (F. Harlow, J. Welch, "Numerical
//! Calculation of Time-Dependent Viscous Incompressible Flow of Fluid with Free Surface", Physics of Fluids 1965). All arrays
//! have rows of `stride` = nx + 2 with a ring of ghosts around cells (1, 1) to (nx, ny). The face to the left of cell (i, j) is
//! element (i, j) of the array of u, the face below it that of v. In *grid coordinates* the centre of cell (i, j) is at (i, j).

pub mod immersed_bodies;

use crate::sim::boundary::{Shape, Walls, open_fraction};
use crate::sim::grid_fluid::GridFluidDef;
use crate::sim::grid_fluid::sides::{Axis, Sides, close_ends};
use crate::sim::poisson::add_scaled;
use fearless_simd::Level;
use glam::{Vec2, Vec3};
use immersed_bodies::ImmersedBody;

/// Open fraction below which a face is closed: hardly anything flows through it, and it would stiffen the projection.
const MIN_FACE_FRACTION: f32 = 0.1;

/// Spacing of the corners of cells for which walls are thick enough to close faces, in cells: the rest is for rounding.
const SPACING_AT_WALLS: f32 = 1.02;

/// Distance to a solid that is not near, metres.
const FAR: f32 = 1e3;

/// Inverse of the minimum distance, in cells, between an obstacle's surface and a face that is not closed.
const MAX_NO_SLIP_WEIGHT: f32 = 4.0;

const MIN_CELLS_PER_AXIS: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldLocation {
    /// Velocities along an axis, 0 being x: prescribed at walls.
    Faces(usize),
    /// Values in cells: no flux through walls.
    Cells,
}

/// A mask of the cells around a cell: row by row from below, from left to right.
type NeighborMask = u16;

/// Sizes, solids and sides of a grid.
#[derive(Clone, Debug)]
pub struct MacGrid {
    pub(super) level: Level,
    pub nx: usize,
    pub ny: usize,
    /// Elements from a cell to the one above.
    pub stride: usize,
    /// Width and height of a cell, metres.
    pub cell_size: Vec2,
    /// Open fraction of each cell's left face, and of its lower face, 0 to 1.
    pub face_fraction: [Vec<f32>; 2],
    pub x: Axis,
    pub y: Axis,
    /// Velocity of the solid at each face, along x and along y, m/s: nonzero where that is a body, or an obstacle that moves.
    pub solid_velocity: [Vec<f32>; 2],
    /// That of obstacles alone, and the outflow of each cell by their motion, m²/s: empty where none moves.
    pub(super) wall_velocity: [Vec<f32>; 2],
    pub(super) wall_flow: Vec<f32>,
    pub immersed_bodies: Vec<ImmersedBody>,
    /// For each face, along x and along y, the body that covers it.
    owner: [Vec<u16>; 2],
    /// Per cell: a buffer of the outflow by one body's motion.
    flow: Vec<Vec3>,
    /// Solid cells beside fluid, each with the mask of the fluid cells around it.
    pub(super) solid_boundary_cells: Vec<(u32, NeighborMask)>,
    /// Signed distances at the cells' lower left corners: to walls, and to all solids.
    pub(in crate::sim) static_sdf: Vec<f32>,
    pub(super) sdf: Vec<f32>,
}

impl MacGrid {
    /// Creates a grid of about `cells` nearly square cells for a tank of `size` metres.
    pub fn new(cells: usize, size: Vec2, definition: &GridFluidDef) -> Self {
        let per_metre = (cells as f32 / (size.x * size.y)).sqrt();
        let count = |length: f32| ((length * per_metre).round() as usize).max(MIN_CELLS_PER_AXIS);
        let (nx, ny) = (count(size.x), count(size.y));
        let stride = nx + 2;
        let Sides { left, right, floor, ceiling } = definition.sides;
        let x = Axis { cells: nx, step: 1, lines: ny + 2, across: stride, ends: [left, right], ..Axis::default() };
        let y = Axis { cells: ny, step: stride, lines: nx + 2, across: 1, ends: [floor, ceiling], ..Axis::default() };
        let cell_size = size / Vec2::new(nx as f32, ny as f32);
        let zeros = || vec![0.0; stride * (ny + 2)];
        let mut grid = Self {
            level: Level::new(),
            nx,
            ny,
            stride,
            cell_size,
            face_fraction: [zeros(), zeros()],
            x,
            y,
            solid_velocity: [zeros(), zeros()],
            wall_velocity: Default::default(),
            wall_flow: Vec::new(),
            immersed_bodies: Vec::new(),
            owner: Default::default(),
            flow: Vec::new(),
            solid_boundary_cells: Vec::new(),
            static_sdf: zeros(),
            sdf: zeros(),
        };
        grid.set_boundary_speeds(definition);
        grid
    }

    pub fn set_boundary_speeds(&mut self, definition: &GridFluidDef) {
        let [right, up] = definition.wind;
        (self.x.wind, self.y.wind) = ([right, up], [up, right]);
        self.y.wall_speed = [0.0, definition.lid_speed];
    }

    /// Number of elements of an array.
    pub fn elements(&self) -> usize {
        self.stride * (self.ny + 2)
    }

    pub fn size(&self) -> Vec2 {
        self.cell_size * Vec2::new(self.nx as f32, self.ny as f32)
    }

    /// Whether bodies or obstacles cover cells and uncover others.
    pub fn solids_move(&self) -> bool {
        !self.immersed_bodies.is_empty() || !self.wall_flow.is_empty()
    }

    /// Whether there is neither inflow nor outflow.
    pub fn is_closed(&self) -> bool {
        let ends = self.x.ends.into_iter().chain(self.y.ends);
        ends.into_iter().all(|side| !side.is_inflow() && !side.is_outflow())
    }

    pub fn row(&self, j: usize) -> std::ops::Range<usize> {
        j * self.stride + 1..j * self.stride + 1 + self.nx
    }

    pub fn cells(&self) -> impl Iterator<Item = usize> + '_ {
        (1..=self.ny).flat_map(|j| self.row(j))
    }

    /// The cells with a left or a lower face in the tank: all, and the ghosts on the right and above; and their centres in grid
    /// coordinates.
    pub fn cells_with_faces(&self) -> impl Iterator<Item = (usize, Vec2)> + use<> {
        let (columns, rows, stride) = (self.nx + 1, self.ny + 1, self.stride);
        (1..=rows).flat_map(move |j| (1..=columns).map(move |i| (j * stride + i, Vec2::new(i as f32, j as f32))))
    }

    pub fn fluid_cells(&self) -> impl Iterator<Item = usize> + '_ {
        self.cells().filter(|&cell| !self.is_solid(cell))
    }

    pub fn sum(&self, values: &[f32]) -> f64 {
        self.fluid_cells().map(|cell| f64::from(values[cell])).sum()
    }

    pub fn center(&self, cell: usize) -> Vec2 {
        self.at(Vec2::new((cell % self.stride) as f32, (cell / self.stride) as f32))
    }

    /// The cell at a place in the tank, or the nearest.
    pub fn cell_at(&self, at: Vec2) -> usize {
        let most = Vec2::new(self.nx as f32, self.ny as f32);
        let cell = self.place(at).round().clamp(Vec2::ONE, most).as_usizevec2();
        cell.y * self.stride + cell.x
    }

    pub fn cell_area(&self) -> f64 {
        f64::from(self.cell_size.x) * f64::from(self.cell_size.y)
    }

    /// Converts a place in the tank to grid coordinates.
    pub fn place(&self, at: Vec2) -> Vec2 {
        at / self.cell_size + 0.5
    }

    /// Converts grid coordinates to a place in the tank.
    pub fn at(&self, place: Vec2) -> Vec2 {
        (place - 0.5) * self.cell_size
    }

    /// Fraction of a cell inside a shape, smoothed over about the width of a cell.
    pub fn inside(&self, shape: &Shape, cell: usize) -> f32 {
        (0.5 - shape.contact(self.center(cell)).distance / self.cell_size.min_element()).clamp(0.0, 1.0)
    }

    /// Calls `with` for every cell inside a shape, with the fraction of it that is.
    pub fn each_cell_in(&self, shape: &Shape, mut with: impl FnMut(usize, f32)) {
        let (min, max) = shape.bounds();
        let most = Vec2::new(self.nx as f32, self.ny as f32);
        let first = (self.place(min) - 0.5).clamp(Vec2::ONE, most).as_usizevec2();
        let last = (self.place(max) + 1.5).clamp(Vec2::ONE, most).as_usizevec2();
        for at in (first.y..=last.y).flat_map(|j| (first.x..=last.x).map(move |i| j * self.stride + i)) {
            let fraction = self.inside(shape, at);
            if fraction > 0.0 && !self.is_solid(at) {
                with(at, fraction);
            }
        }
    }

    /// Adds `push` times `values` to the `acceleration` of each cell, m/s².
    pub fn accelerate(&self, push: Vec2, values: &[f32], acceleration: &mut [Vec<f32>; 2]) {
        for (acceleration, push) in acceleration.iter_mut().zip(push.to_array()).filter(|(_, push)| *push != 0.0) {
            for row in (1..=self.ny).map(|j| self.row(j)) {
                add_scaled(self.level, &mut acceleration[row.clone()], push, &values[row]);
            }
        }
    }

    /// Fits the cells to the tank's size, and the open faces to the solids. A face is open by the fraction of it outside the
    /// solid, which follows from the distances at its ends (Ng, Min & Gibou 2009).
    pub fn fit(&mut self, walls: &Walls) {
        self.cell_size = walls.size() / Vec2::new(self.nx as f32, self.ny as f32);
        let spacing = SPACING_AT_WALLS * self.cell_size.max_element();
        for (cell, middle) in self.cells_with_faces() {
            self.static_sdf[cell] = walls.distance_from_sides(self.at(middle - 0.5), spacing).unwrap_or(FAR);
        }
        self.sdf.copy_from_slice(&self.static_sdf);
        self.immersed_bodies.clear();
        self.open_faces();
        self.find_wall_flow(walls);
    }

    pub(super) fn open_faces(&mut self) {
        for j in 1..=self.ny + 1 {
            for i in 1..=self.nx + 1 {
                let here = j * self.stride + i;
                for (axis, other_end, exists) in [(0, here + self.stride, j <= self.ny), (1, here + 1, i <= self.nx)] {
                    if exists {
                        let ends = [self.sdf[here], self.sdf[other_end]];
                        self.face_fraction[axis][here] = open_fraction(ends, MIN_FACE_FRACTION);
                    }
                }
            }
        }
        let [left, lower] = &mut self.face_fraction;
        close_ends(left, &self.x);
        close_ends(lower, &self.y);
        self.find_solid_boundary_cells();
    }

    /// Strength with which a solid holds the velocity of a face: a cell's width over its distance, within bounds.
    pub fn no_slip_weight(&self, axis: usize, face: usize) -> f32 {
        let sum = self.sdf[face] + self.sdf[face + [self.stride, 1][axis]];
        let distance = 0.5 * sum / self.cell_size.min_element();
        (1.0 / distance.max(1.0 / MAX_NO_SLIP_WEIGHT)).max(1.0)
    }

    /// Whether a face's velocity is not prescribed.
    pub fn is_free(&self, field: FieldLocation, face: usize) -> bool {
        let FieldLocation::Faces(axis) = field else { return true };
        let number = [face % self.stride, face / self.stride][axis];
        self.face_fraction[axis][face] > 0.0 && !(number == 1 && [self.x, self.y][axis].ends[0].is_inflow())
    }

    /// The first column and row of an array with elements that are not prescribed.
    pub fn first_free(&self, field: FieldLocation) -> [usize; 2] {
        let is_free = |face: usize| self.is_free(field, face);
        match field {
            FieldLocation::Cells => [1, 1],
            FieldLocation::Faces(0) => [if (1..=self.ny).any(|j| is_free(j * self.stride + 1)) { 1 } else { 2 }, 1],
            FieldLocation::Faces(_) => [1, if self.row(1).any(is_free) { 1 } else { 2 }],
        }
    }

    /// Open fractions to the left, to the right, down and up; 1 to a ghost, which has the cell's own value.
    pub fn cell_weights(&self, cell: usize) -> [f32; 4] {
        let (column, row) = (cell % self.stride, cell / self.stride);
        let way = |is_ghost: bool, fraction: f32| if is_ghost { 1.0 } else { fraction };
        [
            way(column == 1, self.face_fraction[0][cell]),
            way(column == self.nx, self.face_fraction[0][cell + 1]),
            way(row == 1, self.face_fraction[1][cell]),
            way(row == self.ny, self.face_fraction[1][cell + self.stride]),
        ]
    }

    fn find_solid_boundary_cells(&mut self) {
        let mut solid_boundary_cells = std::mem::take(&mut self.solid_boundary_cells);
        solid_boundary_cells.clear();
        let solid = self.cells().filter(|&cell| self.is_solid(cell));
        let beside = solid.map(|cell| (cell as u32, self.fluid_neighbors(cell)));
        solid_boundary_cells.extend(beside.filter(|&(_, fluid)| fluid != 0));
        self.solid_boundary_cells = solid_boundary_cells;
    }

    pub(super) fn neighbour(&self, cell: usize, number: usize) -> usize {
        cell + number % 3 + number / 3 * self.stride - 1 - self.stride
    }

    fn fluid_neighbors(&self, cell: usize) -> NeighborMask {
        let fluid = |number: &usize| {
            let near = self.neighbour(cell, *number);
            let (column, row) = (near % self.stride, near / self.stride);
            (1..=self.nx).contains(&column) && (1..=self.ny).contains(&row) && !self.is_solid(near)
        };
        (0..9).filter(fluid).fold(0, |ring, number| ring | 1 << number)
    }

    /// Whether all faces of a cell are closed.
    pub fn is_solid(&self, cell: usize) -> bool {
        let around = self.face_fraction[0][cell]
            + self.face_fraction[0][cell + 1]
            + self.face_fraction[1][cell]
            + self.face_fraction[1][cell + self.stride];
        around == 0.0
    }
}
