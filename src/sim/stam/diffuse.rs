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

use super::edges::{Axis, Side};
use super::mac::Mac;

/// What sort of array diffuses, and so what happens at walls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Values in cells: nothing gets through walls.
    Cells,
    /// Velocities along x or along y, which walls hold.
    AlongX,
    AlongY,
}

/// Room to work in.
#[derive(Clone, Debug)]
pub struct Diffusion {
    explicit: Vec<f32>,
    line: Line,
}

impl Diffusion {
    pub fn new(mac: &Mac) -> Self {
        Self { explicit: vec![0.0; mac.len()], line: Line::new(mac.nx.max(mac.ny)) }
    }

    /// Lets `array`, whose ghosts are filled, diffuse for `dt` seconds at `rate` m²/s.
    pub fn diffuse(&mut self, mac: &Mac, array: &mut [f32], kind: Kind, rate: f32, dt: f32) {
        let r = [mac.pitch.x, mac.pitch.y].map(|pitch| rate * dt / (pitch * pitch));
        let implicit = (1.0 - 0.25 / (r[0] + r[1])).max(0.5);
        self.step_explicitly(mac, array, kind, r.map(|r| (1.0 - implicit) * r));
        for (axis, r) in [(mac.x, r[0]), (mac.y, r[1])] {
            for line in 1..axis.lines - 1 {
                self.solve_line(mac, array, kind, &axis, line, [implicit * r, r]);
            }
        }
    }

    /// What of the step is computed from the values before.
    fn step_explicitly(&mut self, mac: &Mac, array: &mut [f32], kind: Kind, r: [f32; 2]) {
        let up = mac.stride;
        for at in (1..=mac.ny).flat_map(|j| mac.row(j)) {
            let here = array[at];
            let flow = |to: usize, r: f32| r * (array[to] - here);
            self.explicit[at] = here;
            if kind == Kind::Cells {
                let sides = flow(at - 1, r[0] * mac.open_x[at]) + flow(at + 1, r[0] * mac.open_x[at + 1]);
                let ends = flow(at - up, r[1] * mac.open_y[at]) + flow(at + up, r[1] * mac.open_y[at + up]);
                self.explicit[at] += sides + ends;
            } else if is_free(mac, kind, at) {
                self.explicit[at] +=
                    flow(at - 1, r[0]) + flow(at + 1, r[0]) + flow(at - up, r[1]) + flow(at + up, r[1]);
            }
        }
        for j in 1..=mac.ny {
            array[mac.row(j)].copy_from_slice(&self.explicit[mac.row(j)]);
        }
    }

    /// What of it is computed from the values after, along one line.
    fn solve_line(&mut self, mac: &Mac, array: &mut [f32], kind: Kind, axis: &Axis, line: usize, [r, whole]: [f32; 2]) {
        let (n, base) = (axis.cells, line * axis.across);
        let at = |k: usize| base + k * axis.step;
        let (open, grip) = match (kind, axis.step) {
            (Kind::Cells, 1) | (Kind::AlongX, _) => (&mac.open_x, &mac.grip_x),
            (Kind::Cells, _) | (Kind::AlongY, _) => (&mac.open_y, &mac.grip_y),
        };
        for k in 1..=n {
            // What an obstacle's nearness adds is implicit altogether: it may be as large as it likes.
            let beside = |next: usize| r + if open[at(next)] == 0.0 { whole * (grip[at(k)] - 1.0) } else { 0.0 };
            let (lower, upper) = match kind {
                Kind::Cells => (r * open[at(k)], r * open[at(k + 1)]),
                _ if is_free(mac, kind, at(k)) => (beside(k - 1), beside(k + 1)),
                _ => (0.0, 0.0),
            };
            self.line.put(k, lower, upper, array[at(k)]);
        }
        if axis.wraps() {
            self.line.solve_ring(n);
        } else {
            let along = kind == if axis.step == 1 { Kind::AlongX } else { Kind::AlongY };
            let beyond = [array[at(0)], array[at(n + 1)]];
            self.line.end(1, 0, ghost(kind, along, axis, 0, beyond[0]));
            self.line.end(n, 1, ghost(kind, along, axis, 1, beyond[1]));
            self.line.solve(n);
        }
        for k in 1..=n {
            array[at(k)] = self.line.right[k];
        }
    }
}

/// Whether a face's velocity is not given.
fn is_free(mac: &Mac, kind: Kind, at: usize) -> bool {
    match kind {
        Kind::Cells => true,
        Kind::AlongX => mac.open_x[at] > 0.0 && !(mac.x.ends[0] == Side::Inflow && at % mac.stride == 1),
        Kind::AlongY => mac.open_y[at] > 0.0 && !(mac.y.ends[0] == Side::Inflow && at / mac.stride == 1),
    }
}

/// The ghost beyond an end as `share · last + value`.
fn ghost(kind: Kind, along: bool, axis: &Axis, end: usize, beyond: f32) -> (f32, f32) {
    match axis.ends[end] {
        _ if along => (0.0, beyond),
        _ if kind == Kind::Cells => (1.0, 0.0),
        Side::Wall => (-1.0, 2.0 * axis.sliding[end]),
        Side::Inflow => (-1.0, 2.0 * axis.wind[1]),
        Side::Slip | Side::Outflow | Side::Wrap => (1.0, 0.0),
    }
}

/// A tridiagonal system: −lower · before + diagonal · here − upper · after = right, for rows from 1 on.
#[derive(Clone, Debug)]
struct Line {
    lower: Vec<f32>,
    diagonal: Vec<f32>,
    upper: Vec<f32>,
    right: Vec<f32>,
    /// A second right side, for rings.
    cut: Vec<f32>,
}

impl Line {
    fn new(longest: usize) -> Self {
        let zeros = || vec![0.0; longest + 1];
        Self { lower: zeros(), diagonal: zeros(), upper: zeros(), right: zeros(), cut: zeros() }
    }

    fn put(&mut self, k: usize, lower: f32, upper: f32, right: f32) {
        (self.lower[k], self.upper[k], self.right[k], self.cut[k]) = (lower, upper, right, 0.0);
        self.diagonal[k] = 1.0 + lower + upper;
    }

    /// Lets the first row (`end` 0) or the last one (1) see a ghost, which is `share · row + value`.
    fn end(&mut self, k: usize, end: usize, (share, value): (f32, f32)) {
        let coupling = std::mem::take(if end == 0 { &mut self.lower[k] } else { &mut self.upper[k] });
        self.diagonal[k] -= coupling * share;
        self.right[k] += coupling * value;
    }

    /// Thomas' algorithm, for both right sides.
    fn solve(&mut self, n: usize) {
        for k in 1..=n {
            let (before, lower) = (k - 1, self.lower[k]);
            let per = 1.0 / (self.diagonal[k] - lower * if k == 1 { 0.0 } else { self.upper[before] });
            self.upper[k] *= per;
            self.right[k] = (self.right[k] + lower * self.right[before]) * per;
            self.cut[k] = (self.cut[k] + lower * self.cut[before]) * per;
        }
        for k in (1..n).rev() {
            self.right[k] += self.upper[k] * self.right[k + 1];
            self.cut[k] += self.upper[k] * self.cut[k + 1];
        }
    }

    /// The same where the last row's `after` is the first one: the ring is cut open, which changes it by a matrix of
    /// rank one, and closed by the formula of Sherman & Morrison.
    fn solve_ring(&mut self, n: usize) {
        let (low, high) = (std::mem::take(&mut self.lower[1]), std::mem::take(&mut self.upper[n]));
        let gamma = -self.diagonal[1];
        self.diagonal[1] -= gamma;
        self.diagonal[n] -= low * high / gamma;
        (self.cut[1], self.cut[n]) = (gamma, -high);
        self.solve(n);
        let along = |row: &[f32]| row[1] - low / gamma * row[n];
        let share = along(&self.right) / (1.0 + along(&self.cut));
        for k in 1..=n {
            self.right[k] -= share * self.cut[k];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of the equations when the solution is put into them.
    fn worst(lower: &[f32], upper: &[f32], right: &[f32], x: &[f32], ring: bool) -> f32 {
        let n = x.len();
        let row = |k: usize| {
            let before = if k > 0 {
                x[k - 1]
            } else if ring {
                x[n - 1]
            } else {
                0.0
            };
            let after = if k + 1 < n {
                x[k + 1]
            } else if ring {
                x[0]
            } else {
                0.0
            };
            ((1.0 + lower[k] + upper[k]) * x[k] - lower[k] * before - upper[k] * after - right[k]).abs()
        };
        (0..n).map(row).fold(0.0, f32::max)
    }

    #[test]
    fn lines_and_rings_are_solved() {
        let mut rng = fastrand::Rng::with_seed(3);
        for n in [4, 5, 31] {
            let mut random = || (0..n).map(|_| 3.0 * rng.f32()).collect::<Vec<f32>>();
            let (lower, upper, right) = (random(), random(), random());
            for ring in [false, true] {
                let mut line = Line::new(n);
                (0..n).for_each(|k| line.put(k + 1, lower[k], upper[k], right[k]));
                if ring {
                    line.solve_ring(n);
                } else {
                    line.end(1, 0, (0.0, 0.0));
                    line.end(n, 1, (0.0, 0.0));
                    line.solve(n);
                }
                let worst = worst(&lower, &upper, &right, &line.right[1..], ring);
                assert!(worst < 1e-5, "{n} rows, ring {ring}: off by {worst}");
            }
        }
    }
}
