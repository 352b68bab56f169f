//! Pressure on a coarse grid: it carries weight and long waves, and one double-density relaxation a substep keeps the particles'
//! spacing, the surface and splashes (K. Raveendran, C. Wojtan, G. Turk, "Hybrid Smoothed Particle Hydrodynamics", Symposium on
//! Computer Animation 2011). The relaxation alone must follow sound through the whole depth; here the step is bound by the speed
//! of the flow. ψ is the pressure times dt, in kPa s for a density in kg/dm³: m²/s in water. docs/physics.md has the derivation.

mod assemble;
mod bodies;
mod cells;
mod classify;
mod sheets;
mod slip;
mod transfer;
mod transfer_back;

use crate::sim::StepContext;
use crate::sim::liquid::pressure::Medium;
use crate::sim::liquid::{Fluid, ParticleStore, PhaseParams, Phases, WallResponse};
use crate::sim::neighbors::parallel_for_coarse;
use crate::sim::particles::resize_buffer;
use crate::sim::poisson::ConjugateGradients;
use assemble::Equations;
use bodies::Bodies;
use cells::Cells;
use classify::Surface;
use glam::Vec2;
use sheets::Sheets;
use slip::Slip;
use transfer::Momentum;
use transfer_back::FaceVelocities;

/// The distance that the fastest cell of liquid may move in a substep, in h.
const COURANT: f32 = 2.0;

/// Guard: more substeps than any splash takes.
const MAX_SUBSTEPS: f32 = 24.0;

/// Upper limit on the outflow that a cell keeps in a substep, as a fraction of its area.
const TOLERANCE: f32 = 1e-3;

/// Upper limit on the iterations of the solver: five are usual.
const MAX_ITERATIONS: usize = 60;

#[derive(Clone, Debug, Default)]
pub(in crate::sim::liquid) struct GridPressure {
    cells: Cells,
    momentum: Momentum,
    surface: Surface,
    bodies: Bodies,
    sheets: Sheets,
    equations: Equations,
    solver: ConjugateGradients,
    /// ψ by cell, kept as the first guess of the next substep.
    psi: Vec<f32>,
    slip: Slip,
    faces: FaceVelocities,
    /// Length of the last substep, seconds.
    dt: f32,
}

impl GridPressure {
    pub fn new() -> Self {
        Self { dt: 1.0, ..Self::default() }
    }

    /// Why the method does not carry a liquid; none if it does. Springs, pulls and unwetted films act over less than a cell.
    pub fn refuses(fluid: &Fluid, phases: &Phases, gravity: Vec2) -> Option<&'static str> {
        let any = |is: fn(&PhaseParams) -> bool| phases.params.iter().any(is);
        let reasons = [
            (!fluid.grid_pressure, "key"),
            (gravity == Vec2::ZERO, "no gravity"),
            (fluid.pressure.stiffness > 0.0 || fluid.pressure.tension_scale > 0.0, "tension"),
            (fluid.walls.response != WallResponse::HalfPlane, "wall"),
            (any(|phase| phase.elastic.makes_springs()), "springs"),
            (phases.has_gas(), "a gas"),
            (!fluid.calms, "jitter"),
        ];
        reasons.into_iter().find(|(holds, _)| *holds).map(|(_, reason)| reason)
    }

    /// Applies gravity, pointer forces and the grid's pressure, and moves the particles.
    pub fn advance(&mut self, mut medium: Medium, env: &StepContext) {
        if self.cells.fit(env.walls, medium.store) {
            let Cells { nx, ny, .. } = self.cells;
            self.solver = ConjugateGradients::new(nx, ny, [false; 2], true);
            resize_buffer(&mut self.psi, self.cells.len()).fill(0.0);
        }
        apply_forces(&mut medium, env);
        let Self { cells, momentum, surface, bodies, sheets, equations, solver, psi, slip, faces, .. } = self;
        if !bodies.is_empty() || !sheets.is_empty() {
            cells.forget_solids();
        }
        bodies.cover(cells, &medium.store.body_contacts.immersed);
        sheets.cover(cells, &medium.store.sheets);
        medium.store.particles.keep_gradients();
        momentum.gather(&medium, cells);
        sheets.hide(&medium, cells, momentum);
        let level = medium.store.level;
        let ParticleStore { body_contacts, sheets: immersed_sheets, sources, .. } = &mut *medium.store;
        let immersed = &mut body_contacts.immersed;
        bodies.fill_faces(momentum, immersed);
        surface.classify(momentum, cells);
        bodies.meet_surface(cells, surface);
        let wet = Wet { cells, momentum, surface };
        let calm = medium.thermostat.calm;
        equations.assemble(level, wet, env.dt, calm, solver, psi);
        assemble::add_sources(wet, sources, env.gravity, &mut solver.residual);
        bodies.assemble(wet, immersed, psi, &mut solver.residual);
        sheets.assemble(wet, immersed_sheets, psi, &mut solver.residual);
        let tolerance = TOLERANCE * cells.area() / env.dt;
        solver.solve(level, psi, tolerance, MAX_ITERATIONS, |psi, out| {
            bodies.couple(immersed, psi, out);
            sheets.couple(cells, psi, out);
        });
        assemble::limit(wet, psi);
        let panes = PaneFriction { fluid: medium.fluid, calm, gravity: env.gravity, dt: env.dt };
        bodies.push(psi, &panes, immersed);
        faces.apply_pressure(wet, equations, psi, env.gravity * env.dt);
        faces.close_at_bodies(wet, psi, bodies, immersed);
        sheets.push(cells, psi, faces, immersed_sheets);
        faces.apply_friction(cells, surface, &panes);
        medium.store.body_contacts.move_outlines(env.dt);
        self.dt = env.dt;
        slip.apply(&mut medium, cells, surface, env);
        faces.give_back(&mut medium, cells, env);
    }

    /// The substeps, with fractions, that the speed of the flow requires in a step of `step` seconds. A small tank, in which
    /// all happens sooner, has as many more as it takes to be the same experiment as a large one.
    pub fn required_substeps(&self, store: &ParticleStore, fluid: &Fluid, step: f32) -> f32 {
        let speed = self.faces.max_speed.max(store.body_contacts.max_speed());
        let flow = (speed * step / (COURANT * store.h)).min(MAX_SUBSTEPS);
        flow.max((1.0 / fluid.scale.time()).round())
    }

    /// Root mean square speed of the liquid, m/s.
    pub fn flow(&self) -> f32 {
        self.faces.flow
    }

    /// Pressure at a place, kPa.
    pub fn pressure_at(&self, at: Vec2) -> f32 {
        self.cells.interpolate(&self.psi, at) / self.dt
    }
}

/// The cells with what the particles have given them, and which hold liquid.
#[derive(Clone, Copy)]
struct Wet<'a> {
    cells: &'a Cells,
    momentum: &'a Momentum,
    surface: &'a Surface,
}

/// What brakes the liquid and the bodies in it along the panes before and behind it.
struct PaneFriction<'a> {
    fluid: &'a Fluid,
    /// Calmness of the liquid: see [`Fluid::friction`].
    calm: f32,
    gravity: Vec2,
    dt: f32,
}

/// Gravity and pointers act on all. Those that sleep lose it again when all others get the pressure that balances it.
fn apply_forces(medium: &mut Medium, env: &StepContext) {
    let ParticleStore { grid, particles, .. } = &mut *medium.store;
    let kick = env.gravity * env.dt;
    parallel_for_coarse(&grid.chunks, particles.slice_mut().0, &|_, mut p| {
        p.vx.iter_mut().for_each(|vx| *vx += kick.x);
        p.vy.iter_mut().for_each(|vy| *vy += kick.y);
        for force in env.pointer_forces {
            force.apply_to_particles(&mut p, env.dt);
        }
    });
}
