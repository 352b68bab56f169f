//! Projection on the divergence-free part of a velocity: ∇²φ = ∇·w, u = w − ∇φ (J. Stam, "Stable Fluids", SIGGRAPH 1999,
//! section 2.1). Half of the pressure acts before advection ([`Projection::reflect`]: J. Zehnder, R. Narain, B. Thomaszewski,
//! "An Advection-Reflection Solver for Detail-Preserving Fluid Simulation", SIGGRAPH 2018), because pressure after advection
//! alone damps swirls. The solver computes the change of φ since the last step (van Kan 1986). A tank with bodies takes two
//! projections ([`Projection::reflect_with_bodies`]), and no reflection while a contact holds a body.

use crate::sim::grid_fluid::components::Components;
use crate::sim::grid_fluid::mac_grid::MacGrid;
use crate::sim::poisson::multigrid;
use crate::sim::poisson::{ConjugateGradients, add_scaled, max_norm, max_norm_simd};
use fearless_simd::dispatch;
use fearless_simd::prelude::*;
use fearless_simd_macros::simd;

/// Divergence by rounding alone, in units of the last place of the fastest flow through a cell.
const ROUNDING: f32 = 4.0;

/// Maximum number of iterations: about five are usual.
const MAX_ITERATIONS: usize = 40;

/// The largest divergence of a cell before and after a projection, 1/s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Divergence {
    pub before: f32,
    pub after: f32,
}

/// The pressure solver. It owns its arrays, and keeps φ from step to step as the first guess of the next.
#[derive(Clone, Debug)]
pub struct Projection {
    solver: ConjugateGradients,
    components: Components,
    /// Half of the pressure over density, times dt, m²/s: it acts after advection and again before that of the next step.
    phi: Vec<f32>,
    delta_phi: Vec<f32>,
    /// Total pressure over density that acted in the last step, times the time step: m²/s.
    pub impulse: Vec<f32>,
    /// Whether no earlier pressure is known: all of the next step's acts after advection.
    has_no_history: bool,
    /// The largest outflow of a cell before pressure acts, m²/s.
    before: f32,
    /// Tolerance relative to the largest divergence.
    pub tolerance: f32,
}

impl Projection {
    pub fn new(grid: &MacGrid, tolerance: f32) -> Self {
        let zeros = || vec![0.0; grid.elements()];
        Self {
            solver: ConjugateGradients::new(grid.nx, grid.ny, [grid.x.is_periodic(), grid.y.is_periodic()], false),
            components: Components::default(),
            phi: zeros(),
            delta_phi: zeros(),
            impulse: zeros(),
            has_no_history: true,
            before: 0.0,
            tolerance,
        }
    }

    pub fn fit(&mut self, grid: &MacGrid) {
        self.solver.grids.fit(|finest| set_coefficients(finest, grid));
        self.components.find(grid);
    }

    /// Discards the pressure, which belongs to other walls or to no step.
    pub fn reset_pressure(&mut self) {
        self.phi.fill(0.0);
        self.has_no_history = true;
    }

    /// Removes the divergence of (u, v) between two steps, and keeps no pressure.
    pub fn remove_divergence(&mut self, grid: &mut MacGrid, velocity: &mut [Vec<f32>; 2]) -> Divergence {
        self.reset_pressure();
        self.predict(grid, velocity);
        let divergence = self.project(grid, velocity);
        self.reset_pressure();
        self.impulse.fill(0.0);
        divergence
    }

    /// Reflection (Zehnder 2018): subtracts the last step's pressure gradient once more before advection.
    pub fn reflect(&mut self, grid: &MacGrid, velocity: &mut [Vec<f32>; 2]) {
        subtract_gradient(grid, &self.phi, velocity);
        grid.apply_velocity_boundary(velocity);
        add_scaled(grid.level, &mut self.impulse, 1.0, &self.phi);
    }

    /// The middle of a step with bodies: projects the velocity; `reflected` gets the pressure twice, and so do the bodies.
    pub fn reflect_with_bodies(
        &mut self,
        grid: &mut MacGrid,
        velocity: &mut [Vec<f32>; 2],
        reflected: &mut [Vec<f32>; 2],
    ) {
        self.project_impulse(grid, velocity);
        reflected.clone_from(velocity);
        subtract_gradient(grid, &self.delta_phi, reflected);
        grid.apply_pressure_impulse(&self.delta_phi);
        grid.apply_velocity_boundary(reflected);
        add_scaled(grid.level, &mut self.impulse, 1.0, &self.delta_phi);
    }

    /// The first half of a projection: measures the divergence of (u, v) and applies the last step's pressure.
    pub fn predict(&mut self, grid: &mut MacGrid, velocity: &mut [Vec<f32>; 2]) {
        net_outflux(grid, velocity, &mut self.solver.residual);
        self.before = max_norm(grid.level, &self.solver.residual);
        subtract_gradient(grid, &self.phi, velocity);
        grid.apply_pressure_impulse(&self.phi);
        grid.apply_velocity_boundary(velocity);
    }

    /// The second half: removes the remaining divergence of (u, v).
    pub fn project(&mut self, grid: &mut MacGrid, velocity: &mut [Vec<f32>; 2]) -> Divergence {
        self.solve_and_subtract(grid, Some(self.before), velocity);
        add_scaled(grid.level, &mut self.phi, 1.0, &self.delta_phi);
        add_scaled(grid.level, &mut self.impulse, 1.0, &self.phi);
        if std::mem::take(&mut self.has_no_history) {
            // Otherwise the pressure would alternate between all and nothing for ever.
            self.phi.iter_mut().for_each(|phi| *phi *= 0.5);
        }
        grid.apply_cell_boundary(&mut self.impulse);
        net_outflux(grid, velocity, &mut self.solver.residual);
        let per_area = 1.0 / (grid.cell_size.x * grid.cell_size.y);
        Divergence { before: self.before * per_area, after: max_norm(grid.level, &self.solver.residual) * per_area }
    }

    /// For the divergence of an impulse, whose pressure ends with it: as part of φ it would alternate its sign for ever.
    pub fn project_impulse(&mut self, grid: &mut MacGrid, velocity: &mut [Vec<f32>; 2]) {
        self.solve_and_subtract(grid, None, velocity);
        add_scaled(grid.level, &mut self.impulse, 1.0, &self.delta_phi);
    }

    /// Solves to a fraction of the divergence `before` some force, or of that now.
    fn solve_and_subtract(&mut self, grid: &mut MacGrid, before: Option<f32>, velocity: &mut [Vec<f32>; 2]) {
        grid.apply_velocity_boundary(velocity);
        let fastest = net_outflux(grid, velocity, &mut self.solver.residual);
        let before = before.unwrap_or_else(|| max_norm(grid.level, &self.solver.residual));
        let tolerance = (self.tolerance * before).max(ROUNDING * f32::EPSILON * fastest);
        self.components.remove_mean(&mut self.solver.residual);
        self.solver.residual.iter_mut().for_each(|outflow| *outflow = -*outflow);
        self.delta_phi.fill(0.0);
        let bodies = |phi: &[f32], out: &mut [f32]| {
            for body in &grid.immersed_bodies {
                body.flows.add(body.inverse_mass * body.flows.impulse(phi), out);
            }
        };
        self.solver.solve(grid.level, &mut self.delta_phi, tolerance, MAX_ITERATIONS, bodies);
        subtract_gradient(grid, &self.delta_phi, velocity);
        grid.apply_pressure_impulse(&self.delta_phi);
        grid.apply_velocity_boundary(velocity);
    }
}

/// Pressure does not act through closed faces nor at the inflow; at the outflow it is zero half a cell beyond the last centre.
fn set_coefficients(finest: &mut multigrid::Level, grid: &MacGrid) {
    let ratio = grid.cell_size.y / grid.cell_size.x;
    for (a, open, weight, axis) in [
        (&mut finest.ax, &grid.face_fraction[0], ratio, &grid.x),
        (&mut finest.ay, &grid.face_fraction[1], 1.0 / ratio, &grid.y),
    ] {
        for (a, open) in a.iter_mut().zip(open) {
            *a = open * weight;
        }
        axis.each_line(|base| {
            for (end, face) in [1, axis.cells + 1].into_iter().enumerate() {
                a[base + face * axis.step] *= axis.ends[end].rule().pressure;
            }
        });
    }
}

/// The outflow of each cell, m²/s, including that by the motion of bodies and obstacles; returns the largest flow through a cell.
fn net_outflux(grid: &MacGrid, velocity: &[Vec<f32>; 2], out: &mut [f32]) -> f32 {
    let fastest = dispatch!(grid.level, simd => net_outflux_static(simd, grid, velocity, out));
    if !grid.wall_flow.is_empty() {
        add_scaled(grid.level, out, 1.0, &grid.wall_flow);
    }
    grid.immersed_bodies.iter().for_each(|body| body.flows.add(body.velocity, out));
    fastest
}

/// The same as if all solids stood still: closed faces have no flow.
#[simd]
fn net_outflux_static<S: Simd>(simd: S, grid: &MacGrid, [u, v]: &[Vec<f32>; 2], out: &mut [f32]) -> f32 {
    let (n, [wide, high]) = (grid.nx, grid.cell_size.to_array());
    let mut most = 0.0f32;
    for j in 1..=grid.ny {
        let at = j * grid.stride + 1;
        let of = |array, at| -> &[f32] {
            let array: &[f32] = array;
            &array[at..at + n]
        };
        let (left, right) = (of(u, at), of(u, at + 1));
        let (open_left, open_right) = (of(&grid.face_fraction[0], at), of(&grid.face_fraction[0], at + 1));
        let (below, above) = (of(v, at), of(v, at + grid.stride));
        let (open_below, open_above) = (of(&grid.face_fraction[1], at), of(&grid.face_fraction[1], at + grid.stride));
        let out = &mut out[at..at + n];
        for i in 0..n {
            let sides = (right[i] * open_right[i] - left[i] * open_left[i]) * high;
            out[i] = sides + (above[i] * open_above[i] - below[i] * open_below[i]) * wide;
        }
        most = most.max(max_norm_simd(simd, left) * high).max(max_norm_simd(simd, below) * wide);
    }
    most
}

/// u −= ∇φ at every open face through which pressure acts.
fn subtract_gradient(grid: &MacGrid, phi: &[f32], velocity: &mut [Vec<f32>; 2]) {
    let [u, v] = velocity.each_mut().map(Vec::as_mut_slice);
    let per = 1.0 / grid.cell_size;
    for j in 1..=grid.ny {
        for at in grid.row(j) {
            u[at] -= (phi[at] - phi[at - 1]) * per.x;
            v[at] -= (phi[at] - phi[at - grid.stride]) * per.y;
        }
    }
    for (array, axis, per) in [(u, grid.x, per.x), (v, grid.y, per.y)] {
        for line in 1..axis.lines - 1 {
            let at = |number: usize| line * axis.across + number * axis.step;
            let n = axis.cells;
            // Half a cell from the last centre to the outflow, where φ is zero.
            if axis.ends[0].is_outflow() {
                array[at(1)] -= phi[at(1)] * per;
            }
            if axis.ends[1].is_outflow() {
                array[at(n + 1)] += 2.0 * phi[at(n)] * per;
            }
        }
    }
}
