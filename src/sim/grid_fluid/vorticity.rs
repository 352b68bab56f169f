//! Vorticity confinement, which amplifies small swirls (R. Fedkiw, J. Stam, H. Jensen, "Visual Simulation of Smoke", SIGGRAPH
//! 2001, section 5): N is the unit gradient of |ω|, and `f = ε h (N × ω)`.

use crate::sim::grid_fluid::mac_grid::MacGrid;
use glam::Vec2;

/// Gradient below which the direction is undefined, 1/s per cell.
const FLAT: f32 = 1e-6;

/// Vorticity of a cell, 1/s, counter-clockwise.
fn vorticity(grid: &MacGrid, [u, v]: &[Vec<f32>; 2], at: usize) -> f32 {
    let up = grid.stride;
    let rise = (v[at + 1] + v[at + 1 + up]) - (v[at - 1] + v[at - 1 + up]);
    let lean = (u[at + up] + u[at + 1 + up]) - (u[at - up] + u[at + 1 - up]);
    0.25 * (rise / grid.cell_size.x - lean / grid.cell_size.y)
}

/// Adds the acceleration `strength` · h (N × ω) to (`fx`, `fy`), m/s². `strength` is in 1/s, `scratch` has one element a cell.
pub fn confine(
    grid: &MacGrid,
    velocity: &[Vec<f32>; 2],
    strength: f32,
    scratch: &mut [f32],
    [fx, fy]: &mut [Vec<f32>; 2],
) {
    for at in grid.cells() {
        scratch[at] = if grid.is_solid(at) { 0.0 } else { vorticity(grid, velocity, at) };
    }
    grid.apply_cell_boundary(scratch);
    let h = (grid.cell_size.x * grid.cell_size.y).sqrt();
    for at in grid.cells() {
        let slope = |from: usize, to: usize| scratch[to].abs() - scratch[from].abs();
        let uphill = Vec2::new(slope(at - 1, at + 1), slope(at - grid.stride, at + grid.stride)) * (h / grid.cell_size);
        let uphill = uphill / (uphill.length() + FLAT);
        let push = strength * h * scratch[at];
        fx[at] += push * uphill.y;
        fy[at] -= push * uphill.x;
    }
}
