//! Projection: the part of a velocity that neither swells nor shrinks (Stam 1999, section 2.1, Helmholtz and Hodge).
//!
//! ∇²φ = ∇·w, u = w − ∇φ. Stam's and the games' twenty sweeps of Gauss–Seidel leave most of the divergence of large
//! swirls where it is; here conjugate gradients run until little enough is left.
//!
//! When pressure acts matters as much as how exactly. All of it after advection, as Stam has it, turns swirls into
//! divergence and throws that away: a Taylor–Green vortex of 1 m/s in a tank of 1 m loses a quarter of its energy a
//! second to steps of 1/60 s, however fine the grid. Here half of it acts before (what is advected is [`reflect`]ed, as
//! in J. Zehnder, R. Narain, B. Thomaszewski, "An Advection-Reflection Solver for Detail-Preserving Fluid Simulation",
//! SIGGRAPH 2018, with the last step's pressure for the half-step's, so that one projection a step is enough), and the
//! loss is below a thousandth. Between advection and diffusion the last pressure is applied whole, and φ is what it
//! changes by (van Kan 1986): walls then hold the velocity that is there in the end.
//!
//! Beside bodies that move nothing is reflected: the last pressure is that of other cells. Where a body touches a wall
//! they are narrow, their pressure is great, and a step later, when they are wider, its gradient is more than what is left
//! of single precision can take back: `balloons` ran away at the first touch, also with half of it, or none but as the
//! first guess. So in a tank with bodies the flow wears down as Stam's does.
//!
//! [`reflect`]: Projection::reflect

use crate::sim::grid_fluid::components::Rooms;
use crate::sim::grid_fluid::immersed_bodies::Swimmers;
use crate::sim::grid_fluid::mac_grid::Mac;
use crate::sim::grid_fluid::multigrid::Multigrid;
use fearless_simd::prelude::*;
use fearless_simd::{Level, dispatch};
use fearless_simd_macros::simd;

/// What may remain of the greatest divergence: half of the thousandth that is promised, because the residual that the
/// iteration carries along and the divergence that is there afterwards differ by rounding.
const REMAINDER: f32 = 5e-4;

/// Divergence that comes of rounding alone, in units of the last place of the fastest flow through a cell.
const ROUNDING: f32 = 4.0;

/// Iterations at the most. Five or so are usual; a guard for tanks full of drawn walls.
const MOST_ITERATIONS: usize = 40;

/// What a projection found and what it left: the greatest divergence of a cell, 1/s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Divergence {
    pub before: f32,
    pub after: f32,
    pub iterations: usize,
}

/// Solves for pressure. Owns its arrays, and keeps φ from step to step: it is the first guess of the next.
#[derive(Clone, Debug)]
pub struct Projection {
    grids: Multigrid,
    rooms: Rooms,
    /// Half of the pressure over density, times the time step, m²/s: the part of it that acts after advection in one
    /// step and before advection in the next.
    phi: Vec<f32>,
    /// By how much φ changes in this step, from what it was in the last.
    change: Vec<f32>,
    /// What pressure over density has done in the last step, whenever in it, times the time step: m²/s.
    impulse: Vec<f32>,
    /// No step's pressure is known: all of the next one's acts after advection.
    forgotten: bool,
    /// What flows out of a cell at the most before pressure acts, m²/s.
    before: f32,
    r: Vec<f32>,
    z: Vec<f32>,
    p: Vec<f32>,
    ap: Vec<f32>,
}

impl Projection {
    pub fn new(mac: &Mac) -> Self {
        let zeros = || vec![0.0; mac.len()];
        Self {
            grids: Multigrid::new(mac),
            rooms: Rooms::default(),
            phi: zeros(),
            change: zeros(),
            impulse: zeros(),
            forgotten: true,
            before: 0.0,
            r: zeros(),
            z: zeros(),
            p: zeros(),
            ap: zeros(),
        }
    }

    pub fn fit(&mut self, mac: &Mac) {
        self.grids.fit(mac);
        self.rooms.find(mac);
    }

    /// What pressure over density has done in the last step, times the time step: m²/s.
    pub fn impulse(&self) -> &[f32] {
        &self.impulse
    }

    /// Forgets the pressure: it was that of other walls, or of no step at all.
    pub fn forget(&mut self) {
        self.phi.fill(0.0);
        self.forgotten = true;
    }

    /// Takes the divergence out of (u, v) between two steps, and remembers nothing of it.
    pub fn clean(&mut self, mac: &mut Mac, u: &mut [f32], v: &mut [f32]) -> Divergence {
        self.forget();
        self.predict(mac, u, v);
        let divergence = self.project(mac, u, v);
        self.forget();
        self.begin();
        divergence
    }

    /// A step begins.
    pub fn begin(&mut self) {
        self.impulse.fill(0.0);
    }

    /// Takes what the last step's pressure did off once more: (u, v) are half of it ahead.
    pub fn reflect(&mut self, mac: &Mac, u: &mut [f32], v: &mut [f32]) {
        subtract_gradient(mac, &self.phi, 1.0, u, v);
        mac.edge_velocity(u, v);
        add_scaled(&mut self.impulse, 1.0, &self.phi);
    }

    /// The first half of a projection: measures the divergence of (u, v) and takes off what the last step's pressure
    /// does to it, which is most of what there is to do.
    pub fn predict(&mut self, mac: &mut Mac, u: &mut [f32], v: &mut [f32]) {
        flows_out(mac, u, v, &mut self.r);
        self.before = greatest(&self.r);
        subtract_gradient(mac, &self.phi, 1.0, u, v);
        mac.press_bodies(&self.phi);
        mac.edge_velocity(u, v);
    }

    /// The second half: takes the rest of the divergence out of (u, v).
    pub fn project(&mut self, mac: &mut Mac, u: &mut [f32], v: &mut [f32]) -> Divergence {
        mac.edge_velocity(u, v);
        let fastest = flows_out(mac, u, v, &mut self.r);
        let enough = (REMAINDER * self.before).max(ROUNDING * f32::EPSILON * fastest);
        let iterations = self.solve_and_subtract(mac, enough, u, v);
        add_scaled(&mut self.phi, 1.0, &self.change);
        add_scaled(&mut self.impulse, 1.0, &self.phi);
        if std::mem::take(&mut self.forgotten) {
            // Else it would be all and nothing in turn for ever.
            self.phi.iter_mut().for_each(|phi| *phi *= 0.5);
        }
        mac.edge_cells(&mut self.impulse);
        flows_out(mac, u, v, &mut self.r);
        let per_area = 1.0 / (mac.pitch.x * mac.pitch.y);
        Divergence { before: self.before * per_area, after: greatest(&self.r) * per_area, iterations }
    }

    /// Takes the divergence out of (u, v) that a blow has brought: something that acts at once, and whose pressure is
    /// over with it. In φ, half of which acts in the next step, it would turn its sign from step to step for ever.
    pub fn project_blow(&mut self, mac: &mut Mac, u: &mut [f32], v: &mut [f32]) {
        mac.edge_velocity(u, v);
        let fastest = flows_out(mac, u, v, &mut self.r);
        let enough = (REMAINDER * greatest(&self.r)).max(ROUNDING * f32::EPSILON * fastest);
        self.solve_and_subtract(mac, enough, u, v);
        add_scaled(&mut self.impulse, 1.0, &self.change);
    }

    /// Finds the `change` of pressure for what flows out of the cells, which is in `r`, and lets it act.
    fn solve_and_subtract(&mut self, mac: &mut Mac, enough: f32, u: &mut [f32], v: &mut [f32]) -> usize {
        self.rooms.balance(&mut self.r);
        let iterations = self.solve(&mac.swimmers, enough);
        subtract_gradient(mac, &self.change, 1.0, u, v);
        mac.press_bodies(&self.change);
        mac.edge_velocity(u, v);
        iterations
    }

    /// Preconditioned conjugate gradients on A φ = −(what flows out), which is in `r`, until no cell's residual exceeds
    /// `enough`. Returns how many iterations it took.
    fn solve(&mut self, swimmers: &Swimmers, enough: f32) -> usize {
        let Self { grids, change, r, z, p, ap, .. } = self;
        change.fill(0.0);
        r.iter_mut().for_each(|r| *r = -*r);
        let mut rz = 0.0;
        for iteration in 0..MOST_ITERATIONS {
            if greatest(r) <= enough {
                return iteration;
            }
            grids.precondition(r, z);
            let rz_before = std::mem::replace(&mut rz, dot(r, z));
            let beta = if iteration == 0 { 0.0 } else { rz / rz_before };
            for (p, z) in p.iter_mut().zip(&*z) {
                *p = z + beta * *p;
            }
            grids.finest().apply(p, ap);
            swimmers.answer(p, ap);
            let curvature = dot(p, ap);
            if curvature <= 0.0 || !curvature.is_finite() {
                return iteration;
            }
            let alpha = rz / curvature;
            add_scaled(change, alpha, p);
            add_scaled(r, -alpha, ap);
        }
        MOST_ITERATIONS
    }
}

/// What flows out of each cell that is not solid, m²/s, what bodies push before them included; returns the most that
/// flows through one.
fn flows_out(mac: &Mac, u: &[f32], v: &[f32], out: &mut [f32]) -> f32 {
    if mac.swimmers.is_empty() {
        return dispatch!(Level::new(), simd => flows_out_past_walls(simd, mac, u, v, out));
    }
    let (mut most, [moving_x, moving_y]) = (0.0f32, &mac.moving);
    for j in 1..=mac.ny {
        for at in mac.row(j) {
            let through = |v: &[f32], open: &[f32], moving: &[f32], face: usize| {
                v[face] * open[face] + moving[face] * (1.0 - open[face])
            };
            let sides = [at, at + 1].map(|face| through(u, &mac.open_x, moving_x, face) * mac.pitch.y);
            let ends = [at, at + mac.stride].map(|face| through(v, &mac.open_y, moving_y, face) * mac.pitch.x);
            out[at] = if mac.is_solid(at) { 0.0 } else { (sides[1] - sides[0]) + (ends[1] - ends[0]) };
            most = most.max(sides[0].abs()).max(ends[0].abs());
        }
    }
    most
}

/// The same where all that is solid stands still: nothing flows through closed faces.
#[simd]
fn flows_out_past_walls<S: Simd>(_simd: S, mac: &Mac, u: &[f32], v: &[f32], out: &mut [f32]) -> f32 {
    let (n, [wide, high]) = (mac.nx, mac.pitch.to_array());
    let mut most = [0.0f32; 8];
    for j in 1..=mac.ny {
        let at = j * mac.stride + 1;
        let of = |array, at| -> &[f32] {
            let array: &[f32] = array;
            &array[at..at + n]
        };
        let (left, right) = (of(u, at), of(u, at + 1));
        let (open_left, open_right) = (of(&mac.open_x, at), of(&mac.open_x, at + 1));
        let (below, above) = (of(v, at), of(v, at + mac.stride));
        let (open_below, open_above) = (of(&mac.open_y, at), of(&mac.open_y, at + mac.stride));
        let out = &mut out[at..at + n];
        for i in 0..n {
            let sides = (right[i] * open_right[i] - left[i] * open_left[i]) * high;
            out[i] = sides + (above[i] * open_above[i] - below[i] * open_below[i]) * wide;
        }
        for (values, per) in [(left, high), (below, wide)] {
            for values in values.chunks(8) {
                for (most, value) in most.iter_mut().zip(values) {
                    *most = most.max(value.abs() * per);
                }
            }
        }
    }
    most.into_iter().fold(0.0, f32::max)
}

/// u −= `share` · ∇φ at every open face through which pressure acts.
fn subtract_gradient(mac: &Mac, phi: &[f32], share: f32, u: &mut [f32], v: &mut [f32]) {
    let per = share / mac.pitch;
    for j in 1..=mac.ny {
        for at in mac.row(j) {
            u[at] -= (phi[at] - phi[at - 1]) * per.x;
            v[at] -= (phi[at] - phi[at - mac.stride]) * per.y;
        }
    }
    for (array, axis, per) in [(u, mac.x, per.x), (v, mac.y, per.y)] {
        for line in 1..axis.lines - 1 {
            let at = |number: usize| line * axis.across + number * axis.step;
            let n = axis.cells;
            // Half a cell from the last middle to where the fluid leaves and φ is zero.
            if axis.ends[0] == crate::sim::grid_fluid::Side::Outflow {
                array[at(1)] -= phi[at(1)] * per;
            }
            if axis.ends[1] == crate::sim::grid_fluid::Side::Outflow {
                array[at(n + 1)] += 2.0 * phi[at(n)] * per;
            }
        }
    }
}

fn greatest(values: &[f32]) -> f32 {
    dispatch!(Level::new(), simd => greatest_of(simd, values))
}

#[simd]
fn greatest_of<S: Simd>(_simd: S, values: &[f32]) -> f32 {
    let mut most = [0.0f32; 8];
    for chunk in values.chunks(8) {
        for (most, value) in most.iter_mut().zip(chunk) {
            *most = most.max(value.abs());
        }
    }
    most.into_iter().fold(0.0, f32::max)
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    dispatch!(Level::new(), simd => sum_of_products(simd, a, b))
}

/// Sums in eight lanes, always the same ones: the same bits on every machine.
#[simd]
fn sum_of_products<S: Simd>(_simd: S, a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0f32; 8];
    for (a, b) in a.chunks(8).zip(b.chunks(8)) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.into_iter().sum()
}

fn add_scaled(to: &mut [f32], scale: f32, from: &[f32]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += scale * from;
    }
}
