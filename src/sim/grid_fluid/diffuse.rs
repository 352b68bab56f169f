//! Diffusion, implicit and without iterations: alternating directions.
//!
//! ```text
//! (1 − θ r δx²)(1 − θ r δy²) φ = (1 + (1 − θ) r (δx² + δy²)) φⁿ        r = ν dt / dx²
//! ```
//!
//! One tridiagonal system a row and one a column instead of a matrix over the plane (Peaceman & Rachford 1955, factored
//! as Beam & Warming 1978 do). The factors' cross term is of second order in dt, and so is the scheme where θ = ½
//! (Crank & Nicolson). θ grows with r, so that no ripple of the grid's own size changes its sign from step to step:
//! honey would ring otherwise.
//!
//! All systems of one direction are solved side by side, row after row, in vectors: one after the other they took four
//! times as long. For those along x the array is transposed over its diagonal, and back.

use crate::sim::grid_fluid::boundary::{Axis, Side};
use crate::sim::grid_fluid::mac_grid::MacGrid;
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};
use fearless_simd_macros::simd;

/// The location of an array's values, which determines the boundary condition at walls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldLocation {
    /// Values in cells: no flux through walls.
    Cells,
    /// Velocities along x or along y: prescribed at walls.
    AlongX,
    AlongY,
}

/// A cell beside a wall that is kept at a value, such as a temperature.
#[derive(Clone, Copy, Debug)]
pub struct FixedNeighbor {
    pub cell: u32,
    /// Strength of the coupling: 1 at the distance of a cell.
    pub weight: f32,
    pub value: f32,
}

impl FixedNeighbor {
    /// Index of its cell along an axis, and of its line.
    pub fn along(&self, axis: &Axis) -> usize {
        self.split(axis)[usize::from(axis.step != 1)]
    }

    fn line(&self, axis: &Axis) -> usize {
        self.split(axis)[usize::from(axis.step == 1)]
    }

    /// Column and row.
    fn split(&self, axis: &Axis) -> [usize; 2] {
        let stride = axis.step.max(axis.across);
        [self.cell as usize % stride, self.cell as usize / stride]
    }
}

/// The parameters of one diffusion of an array.
#[derive(Clone, Copy, Debug)]
pub struct DiffusionStep<'a> {
    /// The location of its values.
    pub kind: FieldLocation,
    /// ν or κ, m²/s.
    pub rate: f32,
    /// Seconds.
    pub dt: f32,
    /// The cells beside walls that are kept at a value, along x and along y; for values in cells only.
    pub fixed: [&'a [FixedNeighbor]; 2],
}

impl DiffusionStep<'_> {
    /// Parameters without walls that are kept at a value.
    pub fn new(kind: FieldLocation, rate: f32, dt: f32) -> Self {
        Self { kind, rate, dt, fixed: [&[], &[]] }
    }
}

/// The operators for each location, and scratch arrays.
#[derive(Clone, Debug)]
pub struct Diffusion {
    /// Along x and along y, for velocities along x, those along y, and values in cells.
    operators: [[LineOperator; 2]; 3],
    /// Whether the solids have changed since values in cells diffused last: few dyes do.
    stale: bool,
    explicit: Vec<f32>,
    /// An array transposed over its diagonal.
    transposed: Vec<f32>,
    solver: LineSolver,
    line: Tridiagonal,
    /// The contributions of kept walls to the explicit part of a step.
    from_beside: Vec<f32>,
}

impl Diffusion {
    pub fn new(grid: &MacGrid) -> Self {
        let operators = [FieldLocation::AlongX, FieldLocation::AlongY, FieldLocation::Cells].map(|kind| {
            let operator = |axis: &Axis| LineOperator { kind, width: axis.lines, ..LineOperator::default() };
            [operator(&grid.x), operator(&grid.y)]
        });
        let zeros = || vec![0.0; grid.len()];
        let max_cells = grid.nx.max(grid.ny);
        Self {
            operators,
            stale: true,
            explicit: zeros(),
            transposed: zeros(),
            solver: LineSolver::new(grid),
            line: Tridiagonal::new(max_cells),
            from_beside: Vec::new(),
        }
    }

    /// Updates the solids.
    pub fn fit(&mut self, grid: &MacGrid) {
        self.stale = true;
        for [x, y] in &mut self.operators[..2] {
            x.fit(grid, &grid.x);
            y.fit(grid, &grid.y);
        }
    }

    /// Diffuses `array`, whose ghosts are filled.
    pub fn diffuse(&mut self, grid: &MacGrid, array: &mut [f32], step: &DiffusionStep) {
        let DiffusionStep { kind, rate, dt, fixed } = *step;
        let r = [grid.cell_size.x, grid.cell_size.y].map(|cell_size| rate * dt / (cell_size * cell_size));
        let implicit = (1.0 - 0.25 / (r[0] + r[1])).max(0.5);
        if kind == FieldLocation::Cells && std::mem::take(&mut self.stale) {
            let [x, y] = &mut self.operators[2];
            x.fit(grid, &grid.x);
            y.fit(grid, &grid.y);
        }
        let operators = match kind {
            FieldLocation::AlongX => &self.operators[0],
            FieldLocation::AlongY => &self.operators[1],
            FieldLocation::Cells => &self.operators[2],
        };
        let explicit = r.map(|r| (1.0 - implicit) * r);
        // The contributions of kept walls are computed before the step overwrites the values, and added after it.
        self.from_beside.clear();
        for (fixed, r) in fixed.iter().zip(explicit) {
            let flow = |it: &FixedNeighbor| r * it.weight * (it.value - array[it.cell as usize]);
            self.from_beside.extend(fixed.iter().map(flow));
        }
        step_explicitly(grid, array, &operators[1], explicit, &mut self.explicit);
        for (it, more) in fixed.iter().copied().flatten().zip(&self.from_beside) {
            array[it.cell as usize] += more;
        }
        for (operator, axis, r, fixed) in
            [(&operators[0], &grid.x, r[0], fixed[0]), (&operators[1], &grid.y, r[1], fixed[1])]
        {
            let rates = [implicit * r, if kind == FieldLocation::Cells { implicit * r } else { r }];
            let system = LineSystem { operator, axis, rates, fixed };
            if axis.is_periodic() {
                self.line.solve_periodic_lines(array, &system);
            } else if axis.step == 1 {
                transpose(array, grid.stride, &mut self.transposed);
                self.solver.solve(&mut self.transposed, &system);
                transpose(&self.transposed, axis.lines, array);
            } else {
                self.solver.solve(array, &system);
            }
        }
    }
}

/// Transposes an array of rows of `width`, in squares, so that both sides stay in the cache.
fn transpose(array: &[f32], width: usize, transposed: &mut [f32]) {
    // 16 floats are a cache line of 64 bytes.
    const SIDE: usize = 16;
    let rows = array.len() / width;
    for top in (0..rows).step_by(SIDE) {
        for left in (0..width).step_by(SIDE) {
            for column in left..(left + SIDE).min(width) {
                for row in top..(top + SIDE).min(rows) {
                    transposed[column * rows + row] = array[row * width + column];
                }
            }
        }
    }
}

/// The couplings to the neighbours along one axis, element by element, laid out so that the lines lie side by side: row
/// k holds the k-th element of each.
#[derive(Clone, Debug)]
struct LineOperator {
    kind: FieldLocation,
    /// Lines, ghosts included.
    width: usize,
    /// The range of lines with free elements.
    lines: [usize; 2],
    /// Whether all of a row has the couplings of open space.
    open: Vec<bool>,
    /// Whether a velocity is free, 1 or 0; and the additional couplings to the elements before and behind it: by the
    /// nearness of an obstacle, or by how open the way between cells is.
    free: Vec<f32>,
    low: Vec<f32>,
    high: Vec<f32>,
}

impl Default for LineOperator {
    fn default() -> Self {
        let (open, free, low, high) = Default::default();
        Self { kind: FieldLocation::Cells, width: 0, lines: [1, 0], open, free, low, high }
    }
}

impl LineOperator {
    fn fit(&mut self, grid: &MacGrid, axis: &Axis) {
        let width = axis.lines;
        self.open.clear();
        self.open.resize(axis.cells + 2, true);
        [&mut self.free, &mut self.low, &mut self.high].into_iter().for_each(|array| array.resize(grid.len(), 0.0));
        let (open, no_slip_weight) = match (self.kind, axis.step) {
            (FieldLocation::Cells, 1) | (FieldLocation::AlongX, _) => (&grid.face_fraction_x, &grid.no_slip_weight_x),
            (FieldLocation::Cells, _) | (FieldLocation::AlongY, _) => (&grid.face_fraction_y, &grid.no_slip_weight_y),
        };
        // Velocities across the tank's lower left sides may all be prescribed.
        let given =
            |line: usize| (1..=axis.cells).all(|k| !is_free(grid, self.kind, line * axis.across + k * axis.step));
        self.lines = [if given(1) { 2 } else { 1 }, width - 2];
        for k in 1..=axis.cells {
            for line in self.lines[0]..=self.lines[1] {
                let at = line * axis.across + k * axis.step;
                let beside = |next: usize| if open[next] == 0.0 { no_slip_weight[at] - 1.0 } else { 0.0 };
                let (free, low, high) = match self.kind {
                    FieldLocation::Cells => (0.0, open[at], open[at + axis.step]),
                    kind if is_free(grid, kind, at) => (1.0, beside(at - axis.step), beside(at + axis.step)),
                    _ => (0.0, 0.0, 0.0),
                };
                let here = k * width + line;
                (self.free[here], self.low[here], self.high[here]) = (free, low, high);
                self.open[k] &= (free, low, high) == (1.0, 0.0, 0.0) || (free, low, high) == (0.0, 1.0, 1.0);
            }
        }
    }

    /// The couplings of an element to the one before and the one behind.
    fn couplings(&self, here: usize, [r, more]: [f32; 2]) -> (f32, f32) {
        let free = self.free[here] * r;
        (free + more * self.low[here], free + more * self.high[here])
    }
}

/// The explicit part of a step. `operator` is that along y, which is laid out as the array is.
fn step_explicitly(grid: &MacGrid, array: &mut [f32], operator: &LineOperator, r: [f32; 2], explicit: &mut [f32]) {
    if r == [0.0, 0.0] {
        return;
    }
    for j in 1..=grid.ny {
        let row = grid.row(j);
        if operator.kind == FieldLocation::Cells {
            for at in row.clone() {
                let flow = |to: usize, r: f32| r * (array[to] - array[at]);
                let sides =
                    flow(at - 1, r[0] * grid.face_fraction_x[at]) + flow(at + 1, r[0] * grid.face_fraction_x[at + 1]);
                let (down, up) = (at - grid.stride, at + grid.stride);
                explicit[at] = array[at]
                    + (sides + flow(down, r[1] * grid.face_fraction_y[at]) + flow(up, r[1] * grid.face_fraction_y[up]));
            }
        } else {
            let (from, n) = (j * grid.stride + operator.lines[0], operator.lines[1] + 1 - operator.lines[0]);
            let free = (!operator.open[j]).then(|| &operator.free[from..from + n]);
            explicit[row.clone()].copy_from_slice(&array[row.clone()]);
            let here = [from - grid.stride, from - 1, from, from + 1, from + grid.stride].map(|at| &array[at..at + n]);
            dispatch!(Level::new(), simd => spread(simd, here, free, r, &mut explicit[from..from + n]));
        }
    }
    for j in 1..=grid.ny {
        array[grid.row(j)].copy_from_slice(&explicit[grid.row(j)]);
    }
}

/// A five-point stencil: below, left, centre, right and above.
#[simd]
fn spread<S: Simd>(_simd: S, values: [&[f32]; 5], free: Option<&[f32]>, [x, y]: [f32; 2], out: &mut [f32]) {
    let n = out.len();
    let [below, left, here, right, above] = values.map(|values| &values[..n]);
    let change =
        |i: usize| x * ((left[i] - here[i]) + (right[i] - here[i])) + y * ((below[i] - here[i]) + (above[i] - here[i]));
    match free {
        None => (0..n).for_each(|i| out[i] = here[i] + change(i)),
        Some(free) => (0..n).for_each(|i| out[i] = here[i] + free[i] * change(i)),
    }
}

/// Whether a face's velocity is not prescribed.
fn is_free(grid: &MacGrid, kind: FieldLocation, at: usize) -> bool {
    match kind {
        FieldLocation::Cells => true,
        FieldLocation::AlongX => {
            grid.face_fraction_x[at] > 0.0 && !(grid.x.ends[0] == Side::Inflow && at % grid.stride == 1)
        }
        FieldLocation::AlongY => {
            grid.face_fraction_y[at] > 0.0 && !(grid.y.ends[0] == Side::Inflow && at / grid.stride == 1)
        }
    }
}

/// The ghost beyond an end: `fraction · last + value`, where no value means that it is an element and known.
fn ghost(operator: &LineOperator, axis: &Axis, end: usize) -> (f32, Option<f32>) {
    let along = operator.kind == if axis.step == 1 { FieldLocation::AlongX } else { FieldLocation::AlongY };
    match axis.ends[end] {
        _ if along => (0.0, None),
        _ if operator.kind == FieldLocation::Cells => (1.0, Some(0.0)),
        Side::NoSlip => (-1.0, Some(2.0 * axis.wall_speed[end])),
        Side::Inflow => (-1.0, Some(2.0 * axis.wind[1])),
        Side::FreeSlip | Side::Outflow | Side::Periodic => (1.0, Some(0.0)),
    }
}

/// The systems of all lines along one axis.
#[derive(Clone, Copy)]
struct LineSystem<'a> {
    operator: &'a LineOperator,
    axis: &'a Axis,
    /// θ r in open space, and the additional coupling factor: see [`LineOperator::couplings`].
    rates: [f32; 2],
    fixed: &'a [FixedNeighbor],
}

/// Tridiagonal systems side by side: −lower · before + diagonal · here − upper · after = right.
#[derive(Clone, Debug)]
struct LineSolver {
    /// By row: the eliminated `upper`.
    upper: Vec<f32>,
    /// For one row.
    low: Vec<f32>,
    high: Vec<f32>,
    diagonal: Vec<f32>,
}

impl LineSolver {
    fn new(grid: &MacGrid) -> Self {
        let row = || vec![0.0; grid.nx.max(grid.ny) + 2];
        Self { upper: vec![0.0; grid.len()], low: row(), high: row(), diagonal: row() }
    }

    /// Thomas' algorithm. `array` is the right-hand side, laid out as the operator is, and becomes the solution.
    /// `fixed` is in the order of its cells along the axis.
    fn solve(&mut self, array: &mut [f32], system: &LineSystem) {
        let LineSystem { operator, axis, rates, fixed } = *system;
        let mut fixed = fixed.iter().peekable();
        let [first, last] = operator.lines;
        let (n, width, count) = (axis.cells, operator.width, last + 1 - first);
        let [low, high, diagonal] = [&mut self.low, &mut self.high, &mut self.diagonal].map(|row| &mut row[..count]);
        for k in 1..=n {
            let here = k * width + first;
            let extra = (!operator.open[k])
                .then(|| [&operator.free, &operator.low, &operator.high].map(|row| &row[here..here + count]));
            dispatch!(Level::new(), simd => couple(simd, rates[0], rates[1], extra, [&mut *low, &mut *high, &mut *diagonal]));
            for (end, beyond) in [(0, here - width), (1, here + width)].into_iter().filter(|&(end, _)| k == [1, n][end])
            {
                let (fraction, value) = ghost(operator, axis, end);
                for line in 0..count {
                    let coupling = std::mem::take(if end == 0 { &mut low[line] } else { &mut high[line] });
                    diagonal[line] -= coupling * fraction;
                    array[here + line] += coupling * value.unwrap_or(array[beyond + line]);
                }
            }
            while let Some(it) = fixed.next_if(|it| it.along(axis) == k) {
                let (line, coupling) = (it.line(axis) - first, rates[1] * it.weight);
                diagonal[line] += coupling;
                array[here + line] += coupling * it.value;
            }
            let (done, rest) = array.split_at_mut(here);
            let (upper_done, upper) = self.upper.split_at_mut(here);
            let before = [&done[here - width..][..count], &upper_done[here - width..][..count]];
            let row = [&mut rest[..count], &mut upper[..count]];
            dispatch!(Level::new(), simd => eliminate(simd, [&*low, &*high, &*diagonal], before, row, k == 1));
        }
        for k in (1..n).rev() {
            let here = k * width + first;
            let (rest, after) = array.split_at_mut(here + width);
            let (row, after) = (&mut rest[here..here + count], &after[..count]);
            dispatch!(Level::new(), simd => add_product(simd, &self.upper[here..here + count], after, row));
        }
    }
}

/// The coefficients of a row; `extra` where it is not in open space.
#[simd]
fn couple<S: Simd>(_simd: S, r: f32, more: f32, extra: Option<[&[f32]; 3]>, row: [&mut [f32]; 3]) {
    let [low, high, diagonal] = row;
    let n = low.len();
    let (high, diagonal) = (&mut high[..n], &mut diagonal[..n]);
    match extra {
        None => {
            low.fill(r);
            high.fill(r);
            diagonal.fill(1.0 + r + r);
        }
        Some(extra) => {
            let [free, below, above] = extra.map(|row| &row[..n]);
            for i in 0..n {
                let r = free[i] * r;
                (low[i], high[i]) = (r + more * below[i], r + more * above[i]);
                diagonal[i] = 1.0 + low[i] + high[i];
            }
        }
    }
}

/// Eliminates the row before, which is done, from a row. There is none before the first.
#[simd]
fn eliminate<S: Simd>(_simd: S, coefficients: [&[f32]; 3], before: [&[f32]; 2], row: [&mut [f32]; 2], is_first: bool) {
    let [right, upper] = row;
    let n = right.len();
    let upper = &mut upper[..n];
    let [low, high, diagonal] = coefficients.map(|row| &row[..n]);
    if is_first {
        for i in 0..n {
            let per = 1.0 / diagonal[i];
            (upper[i], right[i]) = (high[i] * per, right[i] * per);
        }
        return;
    }
    let [right_before, upper_before] = before.map(|row| &row[..n]);
    for i in 0..n {
        let per = 1.0 / (diagonal[i] - low[i] * upper_before[i]);
        (upper[i], right[i]) = (high[i] * per, (right[i] + low[i] * right_before[i]) * per);
    }
}

#[simd]
fn add_product<S: Simd>(_simd: S, a: &[f32], b: &[f32], to: &mut [f32]) {
    let n = to.len();
    let (a, b) = (&a[..n], &b[..n]);
    for i in 0..n {
        to[i] += a[i] * b[i];
    }
}

/// A single such system in which the last row is coupled to the first, for rows from 1 on: few tanks are periodic.
#[derive(Clone, Debug)]
struct Tridiagonal {
    lower: Vec<f32>,
    diagonal: Vec<f32>,
    upper: Vec<f32>,
    right: Vec<f32>,
    /// A second right-hand side.
    correction_rhs: Vec<f32>,
}

impl Tridiagonal {
    fn new(max_cells: usize) -> Self {
        let zeros = || vec![0.0; max_cells + 1];
        Self { lower: zeros(), diagonal: zeros(), upper: zeros(), right: zeros(), correction_rhs: zeros() }
    }

    /// Solves line after line. `array` is the right-hand side, laid out as the grid is, and becomes the solution.
    fn solve_periodic_lines(&mut self, array: &mut [f32], system: &LineSystem) {
        let LineSystem { operator, axis, rates, fixed } = *system;
        for line in operator.lines[0]..=operator.lines[1] {
            let at = |k: usize| line * axis.across + k * axis.step;
            for k in 1..=axis.cells {
                let (lower, upper) = operator.couplings(k * operator.width + line, rates);
                self.set_row(k, lower, upper, array[at(k)]);
            }
            for it in fixed.iter().filter(|it| it.line(axis) == line) {
                let (k, coupling) = (it.along(axis), rates[1] * it.weight);
                self.diagonal[k] += coupling;
                self.right[k] += coupling * it.value;
            }
            self.solve_periodic(axis.cells);
            (1..=axis.cells).for_each(|k| array[at(k)] = self.right[k]);
        }
    }

    fn set_row(&mut self, k: usize, lower: f32, upper: f32, right: f32) {
        (self.lower[k], self.upper[k], self.right[k], self.correction_rhs[k]) = (lower, upper, right, 0.0);
        self.diagonal[k] = 1.0 + lower + upper;
    }

    /// Thomas' algorithm, for both right-hand sides.
    fn solve(&mut self, n: usize) {
        for k in 1..=n {
            let (before, lower) = (k - 1, self.lower[k]);
            let per = 1.0 / (self.diagonal[k] - lower * if k == 1 { 0.0 } else { self.upper[before] });
            self.upper[k] *= per;
            self.right[k] = (self.right[k] + lower * self.right[before]) * per;
            self.correction_rhs[k] = (self.correction_rhs[k] + lower * self.correction_rhs[before]) * per;
        }
        for k in (1..n).rev() {
            self.right[k] += self.upper[k] * self.right[k + 1];
            self.correction_rhs[k] += self.upper[k] * self.correction_rhs[k + 1];
        }
    }

    /// The cyclic system is cut open, which changes the matrix by one of rank one, and corrected by the formula of
    /// Sherman & Morrison.
    fn solve_periodic(&mut self, n: usize) {
        let (low, high) = (std::mem::take(&mut self.lower[1]), std::mem::take(&mut self.upper[n]));
        let gamma = -self.diagonal[1];
        self.diagonal[1] -= gamma;
        self.diagonal[n] -= low * high / gamma;
        (self.correction_rhs[1], self.correction_rhs[n]) = (gamma, -high);
        self.solve(n);
        let along = |row: &[f32]| row[1] - low / gamma * row[n];
        let fraction = along(&self.right) / (1.0 + along(&self.correction_rhs));
        for k in 1..=n {
            self.right[k] -= fraction * self.correction_rhs[k];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::grid_fluid::GridFluidDef;

    /// The largest residual of the equations for a solution.
    fn worst(couplings: &[(f32, f32)], right: &[f32], x: &[f32], beyond: [f32; 2]) -> f32 {
        let n = x.len();
        let row = |k: usize| {
            let before = if k > 0 { x[k - 1] } else { beyond[0] };
            let after = if k + 1 < n { x[k + 1] } else { beyond[1] };
            let (lower, upper) = couplings[k];
            ((1.0 + lower + upper) * x[k] - lower * before - upper * after - right[k]).abs()
        };
        (0..n).map(row).fold(0.0, f32::max)
    }

    #[test]
    fn rings_are_solved() {
        let mut rng = fastrand::Rng::with_seed(3);
        for n in [4, 5, 31] {
            let mut random = || (0..n).map(|_| 3.0 * rng.f32()).collect::<Vec<f32>>();
            let (lower, upper, right) = (random(), random(), random());
            let mut line = Tridiagonal::new(n);
            (0..n).for_each(|k| line.set_row(k + 1, lower[k], upper[k], right[k]));
            line.solve_periodic(n);
            let x = &line.right[1..];
            let couplings: Vec<_> = lower.into_iter().zip(upper).collect();
            let worst = worst(&couplings, &right, x, [x[n - 1], x[0]]);
            assert!(worst < 1e-5, "{n} rows: off by {worst}");
        }
    }

    #[test]
    fn lines_are_solved_side_by_side_up_to_their_ghosts() {
        let mut rng = fastrand::Rng::with_seed(4);
        let definition = GridFluidDef { lid_speed: 0.7, ..GridFluidDef::default() };
        let grid = MacGrid::new(200, glam::Vec2::new(2.0, 1.0), &definition);
        for kind in [FieldLocation::AlongX, FieldLocation::AlongY, FieldLocation::Cells] {
            let (axis, width) = (grid.y, grid.y.lines);
            let mut operator = LineOperator { kind, width, lines: [1, width - 2], ..LineOperator::default() };
            operator.open = (0..grid.ny + 2).map(|k| k % 3 == 0).collect();
            let mut random = || (0..grid.len()).map(|_| 3.0 * rng.f32()).collect::<Vec<f32>>();
            (operator.free, operator.low, operator.high) = (random(), random(), random());
            let (right, rates) = (random(), [0.8, 0.3]);
            let mut x = right.clone();
            LineSolver::new(&grid).solve(&mut x, &LineSystem { operator: &operator, axis: &axis, rates, fixed: &[] });
            for line in 1..=grid.nx {
                let column = |array: &[f32]| (1..=grid.ny).map(|k| array[k * width + line]).collect::<Vec<f32>>();
                let coupling = |k: usize| {
                    if operator.open[k] { (rates[0], rates[0]) } else { operator.couplings(k * width + line, rates) }
                };
                let (couplings, x) = ((1..=grid.ny).map(coupling).collect::<Vec<_>>(), column(&x));
                let ends = [(0, x[0], 0), (1, x[grid.ny - 1], grid.ny + 1)];
                let beyond = ends.map(|(end, last, k)| {
                    let (fraction, value) = ghost(&operator, &axis, end);
                    fraction * last + value.unwrap_or(right[k * width + line])
                });
                let worst = worst(&couplings, &column(&right), &x, beyond);
                assert!(worst < 1e-5, "{kind:?}, line {line}: off by {worst}");
            }
        }
    }

    #[test]
    fn an_array_that_is_turned_twice_is_as_it_was() {
        let array: Vec<f32> = (0..37 * 19).map(|number| number as f32).collect();
        let (mut transposed, mut back) = (array.clone(), vec![0.0; array.len()]);
        transpose(&array, 37, &mut transposed);
        assert_eq!((transposed[1], transposed[19]), (37.0, 1.0));
        transpose(&transposed, 19, &mut back);
        assert_eq!(back, array);
    }
}
