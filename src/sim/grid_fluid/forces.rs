use crate::math::Elementary;
use crate::sim::StepContext;
use crate::sim::boundary::Shape;
use crate::sim::forces::{PointerForce, PointerForceKind};
use crate::sim::grid_fluid::{GridFluid, middle_velocity, vorticity};
use glam::Vec2;

/// Speed of a poured stream in a grid relative to that in a liquid: a jet of 1.5 m/s would stir a whole tank of ink.
const STREAM_SPEED: f32 = 0.2;

/// Seconds without a pointer after which the next stroke adds the next dye.
const STROKE_ENDS: f32 = 0.15;

/// Maximum speed, m/s: a guard.
const MAX_SPEED: f32 = 100.0;

impl GridFluid {
    /// Adds a puff of the last dye, which fills the fraction `amount` of the cells around a place.
    pub(in crate::sim) fn puff(&mut self, at: Vec2, radius: f32, amount: f32) {
        if let Some(dye) = self.dyes.last_mut() {
            let shape = Shape::Circle { at, radius };
            self.grid.each_cell_in(&shape, |at, fraction| pour(&mut dye[at], amount * fraction));
        }
    }

    /// Adds the dye of sources and the pointer: each fills its cells towards 1 at its rate.
    pub(super) fn add_dye(&mut self, env: &StepContext) {
        for (source, shape) in self.definition.source.iter().zip(&self.sources) {
            let dye = &mut self.dyes[self.definition.dye_called(&source.dye)];
            self.grid.each_cell_in(shape, |at, fraction| pour(&mut dye[at], source.rate * fraction * env.dt));
        }
        self.pointer.1 += env.dt;
        for force in env.pointer_forces {
            let fill = |dye: &mut [f32], rate: f32| {
                self.grid.each_cell_in(&circle(force), |at, fraction| pour(&mut dye[at], rate * fraction * env.dt));
            };
            // Rates, 1/s.
            let stroke_rate = match force.kind {
                PointerForceKind::Push { .. } | PointerForceKind::Carry { .. } | PointerForceKind::Repel { .. } => 6.0,
                PointerForceKind::Explode { .. } => 25.0,
                PointerForceKind::Pour { number, .. } => {
                    let last = self.dyes.len() - 1;
                    fill(&mut self.dyes[last.min(number.into())], 30.0);
                    continue;
                }
                PointerForceKind::Drain => {
                    for dye in &mut self.dyes {
                        let left = |fraction: f32| (-8.0 * fraction * env.dt).exponential();
                        self.grid.each_cell_in(&circle(force), |at, fraction| dye[at] *= left(fraction));
                    }
                    continue;
                }
                PointerForceKind::Whirl { .. }
                | PointerForceKind::Attract { .. }
                | PointerForceKind::HeatBrush { .. } => continue,
            };
            // Each stroke adds the next dye.
            let (number, since) = self.pointer;
            self.pointer = (if since > STROKE_ENDS { (number + 1) % self.dyes.len() } else { number }, 0.0);
            fill(&mut self.dyes[self.pointer.0], stroke_rate);
        }
    }

    /// Adds buoyancy, the velocity of sources that blow, and vorticity confinement.
    pub(super) fn add_forces(&mut self, env: &StepContext) {
        self.acceleration.iter_mut().for_each(|acceleration| acceleration.fill(0.0));
        // Boussinesq: a fluid lighter than its surroundings by a fraction is accelerated against gravity by that fraction of it.
        for (dye, amount) in self.definition.dye.iter().zip(&self.dyes).filter(|(dye, _)| dye.buoyancy != 0.0) {
            self.grid.accelerate(-dye.buoyancy * env.gravity, amount, &mut self.acceleration);
        }
        if let Some(heat) = &self.heat {
            heat.add_lift(&self.grid, &self.definition, env.gravity, &mut self.acceleration);
        }
        for (source, shape) in self.definition.source.iter().zip(&self.sources) {
            let Some(velocity) = source.velocity.map(Vec2::from) else { continue };
            let (grid, velocities, [fx, fy]) = (&self.grid, &self.velocity, &mut self.acceleration);
            grid.each_cell_in(shape, |at, fraction| {
                let missing = (velocity - middle_velocity(grid, velocities, at)) * (fraction / env.dt);
                (fx[at], fy[at]) = (fx[at] + missing.x, fy[at] + missing.y);
            });
        }
        if self.definition.vorticity_confinement > 0.0 {
            let [vorticity, ..] = &mut self.scratch;
            let strength = self.definition.vorticity_confinement;
            vorticity::confine(&self.grid, &self.velocity, strength, vorticity, &mut self.acceleration);
        }
        self.accelerate(env.dt);
    }

    pub(super) fn poke(&mut self, env: &StepContext) {
        if env.pointer_forces.is_empty() {
            return;
        }
        self.acceleration.iter_mut().for_each(|acceleration| acceleration.fill(0.0));
        for force in env.pointer_forces {
            let force = &gentle(*force);
            let (grid, velocities, [fx, fy]) = (&self.grid, &self.velocity, &mut self.acceleration);
            grid.each_cell_in(&circle(force), |at, _| {
                let before = middle_velocity(grid, velocities, at);
                let change = (force.apply(grid.center(at) - force.at, before, env.dt) - before) / env.dt;
                (fx[at], fy[at]) = (fx[at] + change.x, fy[at] + change.y);
            });
        }
        self.accelerate(env.dt);
        self.projection.project_impulse(&mut self.grid, &mut self.velocity);
    }

    /// Half of each cell's acceleration goes to each of its faces.
    fn accelerate(&mut self, dt: f32) {
        let Self { grid, velocity, acceleration, .. } = self;
        for ((velocity, acceleration), back) in velocity.iter_mut().zip(acceleration).zip([1, grid.stride]) {
            grid.apply_cell_boundary(acceleration);
            for row in (1..=grid.ny).map(|j| grid.row(j)) {
                let before = &acceleration[row.start - back..row.end - back];
                for ((velocity, here), before) in velocity[row.clone()].iter_mut().zip(&acceleration[row]).zip(before) {
                    *velocity = (*velocity + 0.5 * dt * (before + here)).clamp(-MAX_SPEED, MAX_SPEED);
                }
            }
        }
        grid.apply_velocity_boundary(velocity);
    }
}

/// Returns the force with the speed of a stream reduced for a grid.
fn gentle(force: PointerForce) -> PointerForce {
    match force.kind {
        PointerForceKind::Pour { velocity, number } => {
            PointerForce { kind: PointerForceKind::Pour { velocity: STREAM_SPEED * velocity, number }, ..force }
        }
        _ => force,
    }
}

fn circle(force: &PointerForce) -> Shape {
    Shape::Circle { at: force.at, radius: force.radius }
}

fn pour(fraction: &mut f32, much: f32) {
    *fraction += (1.0 - *fraction) * (1.0 - (-much).exponential());
}
