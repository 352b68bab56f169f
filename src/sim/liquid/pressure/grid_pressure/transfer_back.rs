//! Transfer back: the faces' velocities to the particles, which then move.
//!
//! Where all faces around a particle have a velocity it takes on the grid's, and its gradient (APIC). A lone drop has none
//! around it, and flies freely.

use crate::sim::StepContext;
use crate::sim::liquid::pressure::grid_pressure::assemble::Equations;
use crate::sim::liquid::pressure::grid_pressure::cells::{Cells, Place};
use crate::sim::liquid::pressure::grid_pressure::classify::Surface;
use crate::sim::liquid::pressure::grid_pressure::transfer::Momentum;
use crate::sim::liquid::pressure::medium::Medium;
use crate::sim::liquid::store::ParticleStore;
use crate::sim::neighbors::row_chunks::parallel_for_coarse;
use crate::sim::particles::{INVALID_ID, ParticleSliceMut, resize_buffer};
use glam::Vec2;

/// Guard: the largest move in a substep, in h.
const MAX_FLIGHT: f32 = 20.0;

/// Weights below this count as none.
const MIN_WEIGHT: f32 = 1e-3;

/// A face after the solve.
#[derive(Clone, Copy, Debug, Default)]
struct Face {
    /// The change of its velocity, and the new velocity, m/s; 0 without liquid on either side.
    change: f32,
    velocity: f32,
    /// 1 if it has a velocity, else 0.
    valid: f32,
    /// The velocity, continued beyond the liquid by one face; NaN farther away.
    continued: f32,
}

/// The velocities of the faces after the solve.
#[derive(Clone, Debug, Default)]
pub(super) struct FaceVelocities {
    faces: [Vec<Face>; 2],
    /// Per slot: see [`Momentum::affine`].
    affine: Vec<[f32; 4]>,
}

impl FaceVelocities {
    /// Applies the gradient of ψ.
    pub fn update(
        &mut self,
        cells: &Cells,
        momentum: &Momentum,
        surface: &Surface,
        equations: &Equations,
        psi: &[f32],
    ) {
        for (axis, faces) in self.faces.iter_mut().enumerate() {
            faces.clear();
            faces.resize(cells.len(), Face { continued: f32::NAN, ..Face::default() });
            let back = [1, cells.stride][axis];
            let (per_difference, velocity) = (&equations.per_difference[axis], &momentum.velocity[axis]);
            for at in cells.stride..cells.len() - 1 {
                let other = at - back;
                let change = if per_difference[at] > 0.0 {
                    (psi[other] - psi[at]) * per_difference[at]
                } else if cells.open[axis][at] == 0.0 && (surface.is_liquid[at] || surface.is_liquid[other]) {
                    at_wall(velocity[at], surface.is_liquid[at], psi[if surface.is_liquid[at] { at } else { other }])
                } else {
                    continue;
                };
                let velocity = velocity[at] + change;
                faces[at] = Face { change, velocity, valid: 1.0, continued: velocity };
            }
            continue_outwards(faces, cells);
        }
    }

    /// The speed of the fastest liquid cell, m/s.
    pub fn max_speed(&self, cells: &Cells, surface: &Surface) -> f32 {
        let [u, v] = &self.faces;
        let mut max = 0f32;
        for j in 1..=cells.ny {
            for at in cells.row(j).filter(|&at| surface.is_liquid[at]) {
                let x = 0.5 * (u[at].velocity + u[at + 1].velocity);
                let y = 0.5 * (v[at].velocity + v[at + cells.stride].velocity);
                max = max.max(x * x + y * y);
            }
        }
        max.sqrt()
    }

    /// Gives the particles their new velocities, and moves those that are awake.
    pub fn give_back(&mut self, medium: &mut Medium, cells: &Cells, affine_by_id: &mut [[f32; 4]], env: &StepContext) {
        let ParticleStore { grid, sleep_map, particles, h, .. } = &mut *medium.store;
        let Self { faces, affine } = self;
        let limit = MAX_FLIGHT * *h / env.dt;
        let affine = resize_buffer(affine, particles.slots());
        let (p, id) = particles.slice_mut();
        parallel_for_coarse(grid.chunks(), (p, &mut affine[..]), &|chunk, (mut p, affine)| {
            let first = p.slots().start;
            let kick = env.gravity * env.dt;
            let mut asleep = first;
            // Particles added since the last sort lie behind all rows.
            let added = chunk.slots.end..p.slots().end;
            for slots in sleep_map.active_slots(grid, chunk).chain([added]) {
                stop(&mut p, affine, asleep..slots.start);
                asleep = slots.end;
                for slot in slots {
                    if id[slot] != INVALID_ID {
                        affine[slot - first] = advance(&mut p, slot, faces, cells, kick, limit, env);
                    }
                }
            }
            let end = p.slots().end;
            stop(&mut p, affine, asleep..end);
        });
        for (affine, id) in affine.iter().zip(id) {
            if let Some(by_id) = affine_by_id.get_mut(*id as usize) {
                *by_id = *affine;
            }
        }
    }
}

/// The change of velocity of a closed face: the flow through it stops. Where the liquid beside it is pressed on by
/// nothing, only the flow into the wall stops: one-sided walls everywhere would damp waves.
fn at_wall(velocity: f32, liquid_above: bool, psi: f32) -> f32 {
    if psi > 0.0 {
        -velocity
    } else if liquid_above {
        -velocity.min(0.0)
    } else {
        -velocity.max(0.0)
    }
}

/// Continues the velocities by one face beyond the liquid: the mean of the neighbours.
fn continue_outwards(faces: &mut [Face], cells: &Cells) {
    for at in 0..faces.len() {
        if faces[at].valid > 0.0 {
            continue;
        }
        let (mut sum, mut count) = (0.0, 0.0);
        for other in [at.wrapping_sub(1), at + 1, at.wrapping_sub(cells.stride), at + cells.stride] {
            if let Some(face) = faces.get(other) {
                sum += face.velocity;
                count += face.valid;
            }
        }
        if count > 0.0 {
            faces[at].continued = sum / count;
        }
    }
}

/// Particles that sleep have no velocity.
fn stop(p: &mut ParticleSliceMut, affine: &mut [[f32; 4]], slots: std::ops::Range<usize>) {
    let first = p.slots().start;
    if slots.start < slots.end {
        let own = slots.start - first..slots.end - first;
        p.vx[own.clone()].fill(0.0);
        p.vy[own.clone()].fill(0.0);
        affine[own].fill([0.0; 4]);
    }
}

/// Gives a particle the velocity of the faces around it, `v = (1 − W)(v + Δv) + W u` with W the weight of those that have one,
/// and moves it. Returns the gradient of the velocity.
#[inline(always)]
fn advance(
    p: &mut ParticleSliceMut,
    slot: usize,
    faces: &[Vec<Face>; 2],
    cells: &Cells,
    kick: Vec2,
    limit: f32,
    env: &StepContext,
) -> [f32; 4] {
    let (at, before) = (p.at(slot), p.velocity(slot));
    let places = cells.places(at.x, at.y);
    let [u, v] = [0, 1].map(|axis| sample(&faces[axis], &places.faces[axis], cells.stride));
    let velocity = Vec2::new(u.apply(before.x), v.apply(before.y)).clamp(Vec2::splat(-limit), Vec2::splat(limit));
    // In free fall the mean velocity of the substep is that at its middle.
    let free = Vec2::new(1.0 - u.weight, 1.0 - v.weight);
    let moved = (velocity - 0.5 * free * kick) * env.dt;
    p.put(slot, at + moved);
    p.set_velocity(slot, velocity);
    [u.gradient[0], u.gradient[1], v.gradient[0], v.gradient[1]]
}

/// What the faces around a particle tell of one component of its velocity.
struct Sample {
    change: f32,
    velocity: f32,
    weight: f32,
    gradient: [f32; 2],
}

impl Sample {
    #[inline(always)]
    fn apply(&self, before: f32) -> f32 {
        (1.0 - self.weight) * (before + self.change) + self.weight * self.velocity
    }
}

#[inline(always)]
fn sample(faces: &[Face], place: &Place, stride: usize) -> Sample {
    let Place { node, x, y } = *place;
    let lower = &faces[node..node + 2];
    let upper = &faces[node + stride..node + stride + 2];
    let [a, b, c, d] = [lower[0], lower[1], upper[0], upper[1]];
    let weights = [(1.0 - x) * (1.0 - y), x * (1.0 - y), (1.0 - x) * y, x * y];
    let sum =
        |of: fn(&Face) -> f32| weights[0] * of(&a) + weights[1] * of(&b) + (weights[2] * of(&c) + weights[3] * of(&d));
    let weight = sum(|face| face.valid);
    let per_weight = if weight > MIN_WEIGHT { 1.0 / weight } else { 0.0 };
    let [a, b, c, d] = [a, b, c, d].map(|face| face.continued);
    let gradient = [(1.0 - y) * (b - a) + y * (d - c), (1.0 - x) * (c - a) + x * (d - b)];
    // Not a number where a face has no velocity.
    let gradient = if gradient[0].is_finite() { gradient } else { [0.0; 2] };
    Sample {
        change: per_weight * sum(|face| face.change),
        velocity: per_weight * sum(|face| face.velocity),
        weight: if weight > MIN_WEIGHT { weight } else { 0.0 },
        gradient,
    }
}
