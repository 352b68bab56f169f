//! Vorticity confinement: small swirls that the grid wears down get some of their spin back.
//!
//! R. Fedkiw, J. Stam, H. Jensen, "Visual Simulation of Smoke", SIGGRAPH 2001, section 5: N points up the slope of
//! |ω|, towards a swirl's middle, and `f = ε h (N × ω)` pushes the fluid round it.

use crate::sim::grid_fluid::mac_grid::Mac;
use glam::Vec2;

/// Below this slope (1/s a cell) there is no direction to speak of.
const FLAT: f32 = 1e-6;

/// Spin of the fluid in a cell, 1/s, counter-clockwise.
pub fn spin(mac: &Mac, u: &[f32], v: &[f32], at: usize) -> f32 {
    let up = mac.stride;
    let rise = (v[at + 1] + v[at + 1 + up]) - (v[at - 1] + v[at - 1 + up]);
    let lean = (u[at + up] + u[at + 1 + up]) - (u[at - up] + u[at + 1 - up]);
    0.25 * (rise / mac.pitch.x - lean / mac.pitch.y)
}

/// Adds the acceleration `strength` · h (N × ω) to (`fx`, `fy`), m/s². `strength` is in 1/s, `curl` is room to work in.
pub fn confine(mac: &Mac, u: &[f32], v: &[f32], strength: f32, curl: &mut [f32], [fx, fy]: [&mut [f32]; 2]) {
    for at in (1..=mac.ny).flat_map(|j| mac.row(j)) {
        curl[at] = if mac.is_solid(at) { 0.0 } else { spin(mac, u, v, at) };
    }
    mac.edge_cells(curl);
    let h = (mac.pitch.x * mac.pitch.y).sqrt();
    for at in (1..=mac.ny).flat_map(|j| mac.row(j)) {
        let slope = |from: usize, to: usize| curl[to].abs() - curl[from].abs();
        let uphill = Vec2::new(slope(at - 1, at + 1), slope(at - mac.stride, at + mac.stride)) * (h / mac.pitch);
        let uphill = uphill / (uphill.length() + FLAT);
        let push = strength * h * curl[at];
        fx[at] += push * uphill.y;
        fy[at] -= push * uphill.x;
    }
}
