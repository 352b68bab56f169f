//! What drives the fluid: sources, lift, the pointer's hand, and the spin that is given back.

use crate::sim::StepContext;
use crate::sim::boundary::Shape;
use crate::sim::grid_fluid::mac_grid::Mac;
use crate::sim::grid_fluid::{Smoke, middle, middle_velocity, vorticity};
use crate::sim::pointer_force::PointerForceKind;
use glam::Vec2;

/// Dye that a moving pointer gives off, and a bursting one, as a rate, 1/s.
const POINTER_DYE: f32 = 6.0;
const BURST_DYE: f32 = 25.0;

/// Seconds without a pointer after which the next one brings the next dye.
const STROKE_ENDS: f32 = 0.15;

/// Nothing is faster, m/s: a guard.
const FASTEST: f32 = 100.0;

impl Smoke {
    /// What sources and the pointer bring: each fills its cells towards 1 at its rate.
    pub(super) fn add_dye(&mut self, env: &StepContext) {
        for (source, shape) in self.medium.source.iter().zip(&self.sources) {
            let dye = &mut self.dyes[self.medium.dye_called(&source.dye)];
            each_cell_in(&self.mac, shape, |at, share| pour(&mut dye[at], source.rate * share * env.dt));
        }
        self.pointer.1 += env.dt;
        for force in env.pointer_forces {
            let rate = match force.kind {
                PointerForceKind::Push { .. } => POINTER_DYE,
                PointerForceKind::Explode => BURST_DYE,
                PointerForceKind::Pull => continue,
            };
            let (number, since) = self.pointer;
            self.pointer = (if since > STROKE_ENDS { (number + 1) % self.dyes.len() } else { number }, 0.0);
            let (dye, brush) = (&mut self.dyes[self.pointer.0], Shape::Circle { at: force.at, radius: force.radius });
            each_cell_in(&self.mac, &brush, |at, share| pour(&mut dye[at], rate * share * env.dt));
        }
    }

    /// Lift, sources that blow, and the spin that the grid has worn down.
    pub(super) fn add_forces(&mut self, env: &StepContext) {
        self.fx.fill(0.0);
        self.fy.fill(0.0);
        self.add_lift(env.gravity);
        for (source, shape) in self.medium.source.iter().zip(&self.sources) {
            let Some(velocity) = source.velocity.map(Vec2::from) else { continue };
            let (mac, u, v, fx, fy) = (&self.mac, &self.u, &self.v, &mut self.fx, &mut self.fy);
            each_cell_in(mac, shape, |at, share| {
                let missing = (velocity - middle_velocity(mac, u, v, at)) * (share / env.dt);
                (fx[at], fy[at]) = (fx[at] + missing.x, fy[at] + missing.y);
            });
        }
        if self.medium.confinement > 0.0 {
            let [curl, ..] = &mut self.spare;
            let force = [&mut self.fx[..], &mut self.fy[..]];
            vorticity::confine(&self.mac, &self.u, &self.v, self.medium.confinement, curl, force);
        }
        self.accelerate(env.dt);
    }

    /// Boussinesq: what is lighter than its surroundings by a share is pushed against gravity by that share of it.
    fn add_lift(&mut self, gravity: Vec2) {
        for (dye, amount) in self.medium.dye.iter().zip(&self.dyes).filter(|(dye, _)| dye.lift != 0.0) {
            let push = -dye.lift * gravity;
            for at in (1..=self.mac.ny).flat_map(|j| self.mac.row(j)) {
                self.fx[at] += push.x * amount[at];
                self.fy[at] += push.y * amount[at];
            }
        }
    }

    /// The pointer's hand.
    pub(super) fn poke(&mut self, env: &StepContext) {
        if env.pointer_forces.is_empty() {
            return;
        }
        self.fx.fill(0.0);
        self.fy.fill(0.0);
        for force in env.pointer_forces {
            let (mac, u, v, fx, fy) = (&self.mac, &self.u, &self.v, &mut self.fx, &mut self.fy);
            let brush = Shape::Circle { at: force.at, radius: force.radius };
            each_cell_in(mac, &brush, |at, _| {
                let before = middle_velocity(mac, u, v, at);
                let change = (force.apply(middle(mac, at) - force.at, before, env.dt) - before) / env.dt;
                (fx[at], fy[at]) = (fx[at] + change.x, fy[at] + change.y);
            });
        }
        self.accelerate(env.dt);
        self.projection.project_blow(&mut self.mac, &mut self.u, &mut self.v);
    }

    /// Half of each cell's acceleration goes to each of its faces.
    fn accelerate(&mut self, dt: f32) {
        self.mac.edge_cells(&mut self.fx);
        self.mac.edge_cells(&mut self.fy);
        let (half, up) = (0.5 * dt, self.mac.stride);
        for at in (1..=self.mac.ny).flat_map(|j| self.mac.row(j)) {
            self.u[at] = (self.u[at] + half * (self.fx[at - 1] + self.fx[at])).clamp(-FASTEST, FASTEST);
            self.v[at] = (self.v[at] + half * (self.fy[at - up] + self.fy[at])).clamp(-FASTEST, FASTEST);
        }
        self.mac.edge_velocity(&mut self.u, &mut self.v);
    }
}

/// The share of a cell that is inside of a shape, to about the width of a cell.
pub(super) fn inside(mac: &Mac, shape: &Shape, at: usize) -> f32 {
    (0.5 - shape.contact(middle(mac, at)).distance / mac.pitch.min_element()).clamp(0.0, 1.0)
}

/// Calls `with` with every cell that is inside of a shape, and the share of it that is.
fn each_cell_in(mac: &Mac, shape: &Shape, mut with: impl FnMut(usize, f32)) {
    let (min, max) = shape.bounds();
    let most = Vec2::new(mac.nx as f32, mac.ny as f32);
    let first = (mac.place(min) - 0.5).clamp(Vec2::ONE, most).as_usizevec2();
    let last = (mac.place(max) + 1.5).clamp(Vec2::ONE, most).as_usizevec2();
    for at in (first.y..=last.y).flat_map(|j| (first.x..=last.x).map(move |i| j * mac.stride + i)) {
        let share = inside(mac, shape, at);
        if share > 0.0 && !mac.is_solid(at) {
            with(at, share);
        }
    }
}

/// Brings a share nearer to 1.
fn pour(share: &mut f32, much: f32) {
    *share += (1.0 - *share) * (1.0 - (-much).exp());
}
