//! Transfer back: particles take on the velocity and gradient of faces around them (APIC), and move. Lone drops fly freely.

use crate::math::{ramp, slide_along};
use crate::sim::StepContext;
use crate::sim::boundary::Walls;
use crate::sim::liquid::pressure::Medium;
use crate::sim::liquid::pressure::grid_pressure::assemble::Equations;
use crate::sim::liquid::pressure::grid_pressure::bodies::Bodies;
use crate::sim::liquid::pressure::grid_pressure::cells::{Cells, Place};
use crate::sim::liquid::pressure::grid_pressure::classify::Surface;
use crate::sim::liquid::pressure::grid_pressure::{PaneFriction, Wet};
use crate::sim::liquid::{ImmersedBody, ParticleStore, thermostat};
use crate::sim::neighbors::{WIDTH, parallel_for_coarse};
use crate::sim::particles::{INVALID_ID, ParticleSliceMut, resize_buffer};
use fearless_simd::dispatch;
use fearless_simd::prelude::*;
use fearless_simd_macros::simd;
use glam::{Vec2, Vec4};
use std::ops::Range;

/// Guard: the largest move in a substep, in h.
const MAX_FLIGHT: f32 = 20.0;

/// Weights below this count as none.
const MIN_WEIGHT: f32 = 1e-3;

/// The part of gravity that pressure takes from falling liquid, at most, and from liquid that it carries, at least.
const CARRIED: [f32; 2] = [0.25, 0.75];

/// Rate at which a particle on top of the surface takes on its velocity, 1/s: the relaxation alone has no friction.
const SURFACE_DRAG: f32 = 6.0;

/// The speed for which the panes brake, over the root mean square: a wave loses with the cube of its speed.
const BRAKED_SPEED: f32 = 1.5;

/// The part of the gradients of velocity that calm water loses in every substep: otherwise swirls of a few cells live for minutes.
/// Drops of one fluid in another are too slow for that, and a viscosity needs no help.
const CALM_LOSS: f32 = 0.05;

/// Thickness and step of a film, in cells, below which it rests: a third of a layer of particles.
const MIN_FILM: f32 = 0.1;

/// Outlines whose normal has less than this along a face's axis let the liquid slip.
const ALONG: f32 = 0.7;

/// A face after the solve.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
struct Face {
    /// The change of its velocity, and the new velocity, m/s; 0 without liquid on either side.
    change: f32,
    velocity: f32,
    /// 1 if it has a velocity, else 0.
    valid: f32,
    /// How far pressure carries the liquid here, from 0 in free fall to 1; continued beyond the liquid by one face.
    carried: f32,
}

impl Face {
    /// A closed face, which moves with the body or the sheet that closes it.
    fn closed(before: f32, change: f32) -> Self {
        Self { change, velocity: before + change, valid: 1.0, carried: 0.0 }
    }

    #[inline(always)]
    fn lanes(self) -> Vec4 {
        Vec4::new(self.change, self.velocity, self.valid, self.carried)
    }
}

/// The velocities of the faces after the solve.
#[derive(Clone, Debug, Default)]
pub(super) struct FaceVelocities {
    faces: [Vec<Face>; 2],
    /// The velocities, continued beyond the liquid by one face; NaN farther away.
    continued: [Vec<f32>; 2],
    /// Per cell: how far pressure carries it, from 0 to 1.
    carried: Vec<f32>,
    /// The speed of the fastest cell of liquid, and the root mean square of all, m/s, after the last substep.
    pub max_speed: f32,
    pub flow: f32,
}

impl FaceVelocities {
    /// Applies the gradient of ψ, and in films that of their thickness.
    pub fn apply_pressure(&mut self, wet: Wet, equations: &Equations, psi: &[f32], kick: Vec2) {
        let Wet { cells, momentum, surface } = wet;
        for (axis, faces) in self.faces.iter_mut().enumerate() {
            resize_buffer(faces, cells.len()).fill(Face::default());
            let back = cells.back(axis);
            let (per_difference, velocity) = (&equations.per_difference[axis], &momentum.velocity[axis]);
            for at in cells.stride..cells.len() - 1 {
                let other = at - back;
                let change = if per_difference[at] > 0.0 {
                    (psi[other] - psi[at]) * per_difference[at]
                } else if cells.open[axis][at] == 0.0 && (surface.is_liquid[at] || surface.is_liquid[other]) {
                    let relative = velocity[at] - cells.wall_flow(axis, at);
                    at_wall(relative, surface.is_liquid[at], psi[if surface.is_liquid[at] { at } else { other }])
                } else if let Some(change) = film_change(wet, axis, at, kick) {
                    change
                } else {
                    continue;
                };
                faces[at] = Face { change, velocity: velocity[at] + change, valid: 1.0, carried: 0.0 };
            }
        }
    }

    /// Applies the friction of the panes, and continues the velocities beyond the liquid.
    pub fn apply_friction(&mut self, cells: &Cells, surface: &Surface, panes: &PaneFriction) {
        // By the speed of the whole tank: waves in deep water, fast at the surface alone, would lose much more than others.
        let brake = panes.fluid.pane_friction(BRAKED_SPEED * self.flow, panes.calm, panes.dt);
        self.measure_flow(cells, surface, panes);
        for (axis, (faces, continued)) in self.faces.iter_mut().zip(&mut self.continued).enumerate() {
            let back = cells.back(axis);
            let inner = cells.stride..cells.len() - 1;
            for (at, face) in inner.clone().zip(&mut faces[inner]) {
                let [here, other] = [self.carried[at], self.carried[at - back]];
                let brake = 0.5 * (here * brake + other * brake);
                if face.valid > 0.0 {
                    face.change -= brake * face.velocity;
                    face.velocity -= brake * face.velocity;
                    face.carried = here.max(other);
                }
            }
            continue_outwards(faces, continued, cells);
        }
    }

    /// Faces that bodies close move with an outline that faces along the axis; along an outline the liquid slips.
    pub fn close_at_bodies(&mut self, wet: Wet, psi: &[f32], bodies: &Bodies, immersed: &[ImmersedBody]) {
        let Wet { cells, momentum, surface } = wet;
        for (number, covered) in bodies.faces() {
            let (axis, at) = (covered.axis, covered.at);
            let back = cells.back(axis);
            let face = &mut self.faces[axis][at];
            if cells.open[axis][at] > 0.0 || !(surface.is_liquid[at] || surface.is_liquid[at - back]) {
                continue;
            }
            if covered.normal.abs() < ALONG {
                *face = Face::default();
                continue;
            }
            let before = momentum.velocity[axis][at];
            let relative = before - covered.velocity(&immersed[number]);
            let outside = if covered.normal > 0.0 { at } else { at - back };
            let leaves = psi[outside] <= 0.0 && relative * covered.normal > 0.0;
            let change = if leaves { 0.0 } else { -relative };
            *face = Face::closed(before, change);
        }
    }

    pub fn set(&mut self, axis: usize, at: usize, before: f32, change: f32) {
        self.faces[axis][at] = Face::closed(before, change);
    }

    /// Measures the speeds of the liquid cells, and how far pressure carries them.
    fn measure_flow(&mut self, cells: &Cells, surface: &Surface, panes: &PaneFriction) {
        resize_buffer(&mut self.carried, cells.len()).fill(0.0);
        let [u, v] = &self.faces;
        let up = -panes.gravity / (panes.gravity.length_squared() * panes.dt);
        let (mut max, mut sum, mut count) = (0f32, 0.0, 0.0);
        for at in cells.inner().filter(|&at| surface.is_liquid[at]) {
            let [left, right, lower, upper] = [&u[at], &u[at + 1], &v[at], &v[at + cells.stride]];
            let [horizontal, vertical] = [[left, right], [lower, upper]];
            let velocity = Vec2::new(mean(horizontal, |face| face.velocity), mean(vertical, |face| face.velocity));
            // What lies between outlines along which it slips is carried like what is around it.
            let rest = -panes.gravity * panes.dt;
            let change = |axis: usize, faces: [&Face; 2]| {
                if faces[0].valid + faces[1].valid > 0.0 { mean(faces, |face| face.change) } else { rest[axis] }
            };
            let change = Vec2::new(change(0, horizontal), change(1, vertical));
            let squared = velocity.length_squared();
            max = max.max(squared);
            sum += f64::from(squared);
            count += 1.0;
            self.carried[at] = ramp(change.dot(up), CARRIED);
        }
        self.max_speed = max.sqrt();
        self.flow = (sum / f64::max(count, 1.0)).sqrt() as f32;
    }

    /// Gives the particles their new velocities, and moves those that are awake.
    pub fn give_back(&self, medium: &mut Medium, cells: &Cells, env: &StepContext) {
        let ParticleStore { grid, sleep_map, particles, h, level, .. } = &mut *medium.store;
        let Self { faces, continued, .. } = self;
        // Without a speed to compare it with, the flow is not measured.
        let calms = thermostat::thermal_speed(medium.fluid, medium.phases) > 0.0 && medium.phases.is_single_phase();
        let keeps = 1.0 - if calms { CALM_LOSS * medium.thermostat.calm } else { 0.0 };
        let flow = Flow { faces, continued, cells, limit: MAX_FLIGHT * *h / env.dt, keeps, env };
        let (p, id, gradients) = particles.slice_mut();
        parallel_for_coarse(&grid.chunks, (p, gradients), &|chunk, (mut p, gradients)| {
            let first = p.slots().start;
            let mut asleep = first;
            for slots in sleep_map.active_slots(grid, chunk) {
                stop(&mut p, gradients, asleep..slots.start);
                asleep = slots.end;
                dispatch!(*level, simd => flow.advance(simd, &mut p, slots, id, gradients));
            }
            // Particles added since the last sort lie behind all rows. They leave the mouth of an inlet at the speed of the
            // stream, as before a piston: the faces there include those of the wall behind it.
            let added = chunk.slots.end..p.slots().end;
            stop(&mut p, gradients, asleep..added.start);
            for slot in added {
                gradients[slot - first] = [0.0; 4];
                let velocity = p.velocity(slot);
                drift(&mut p, slot, velocity * env.dt, env.walls);
            }
        });
    }
}

/// The mean of those faces that have a velocity.
fn mean(faces: [&Face; 2], of: impl Fn(&Face) -> f32) -> f32 {
    let count = faces[0].valid + faces[1].valid;
    if count > 0.0 { (of(faces[0]) + of(faces[1])) / count } else { 0.0 }
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

/// The change of velocity of a face in a film: liquid too thin to have a pressure, on a wall that closes the face below. It runs
/// from where it is thick to where it is thin, as shallow water does. `kick` is what gravity adds in the substep, m/s.
fn film_change(Wet { cells, surface, .. }: Wet, axis: usize, at: usize, kick: Vec2) -> Option<f32> {
    let across = 1 - axis;
    let row = cells.back(across);
    let below = if kick[across] < 0.0 { at - row } else { at + row };
    // Not on bodies, on which it does not act.
    let is_film = cells.open[axis][at] > 0.0 && cells.open_at_walls[axis].get(below) == Some(&0.0);
    if !is_film || kick[across].abs() <= kick[axis].abs() {
        return None;
    }
    let [here, other] = [at, at - cells.back(axis)].map(|cell| surface.density[cell].min(1.0));
    let step = other - here;
    let pushes = step - step.clamp(-MIN_FILM, MIN_FILM);
    let change = kick[across].abs() * pushes * cells.size[across] / cells.size[axis];
    (here.max(other) >= MIN_FILM).then_some(change)
}

/// Continues the velocities by one face beyond the liquid: the mean of the neighbours.
fn continue_outwards(faces: &mut [Face], continued: &mut Vec<f32>, cells: &Cells) {
    continued.clear();
    continued.extend(faces.iter().map(|face| if face.valid > 0.0 { face.velocity } else { f32::NAN }));
    for at in 0..faces.len() {
        if faces[at].valid > 0.0 {
            continue;
        }
        let (mut sum, mut count, mut carried) = (0.0, 0.0, 0f32);
        for other in [at.wrapping_sub(1), at + 1, at.wrapping_sub(cells.stride), at + cells.stride] {
            if let Some(face) = faces.get(other) {
                sum += face.velocity;
                count += face.valid;
                carried = carried.max(face.valid * face.carried);
            }
        }
        if count > 0.0 {
            continued[at] = sum / count;
            faces[at].carried = carried;
        }
    }
}

/// Moves a particle, which slides along an obstacle that it meets.
#[inline(always)]
fn drift(p: &mut ParticleSliceMut, slot: usize, moved: Vec2, walls: &Walls) {
    let at = p.at(slot);
    match walls.first_hit(at, at + moved) {
        Some(hit) => slide(p, slot, moved, hit, walls),
        None => p.put(slot, at + moved),
    }
}

/// Moves a particle to where it meets an obstacle and on along it, up to a second one. In a notch it loses its velocity.
fn slide(p: &mut ParticleSliceMut, slot: usize, moved: Vec2, hit: (Vec2, Vec2), walls: &Walls) {
    let (end, second) = walls.end_along(p.at(slot) + moved, hit);
    let velocity = slide_along(p.velocity(slot), hit.1);
    let velocity = match second {
        Some(second) if hit.1.dot(second) < 0.0 => Vec2::ZERO,
        Some(second) => slide_along(velocity, second),
        None => velocity,
    };
    p.put(slot, end);
    p.set_velocity(slot, velocity);
}

/// Particles that sleep have no velocity.
fn stop(p: &mut ParticleSliceMut, gradients: &mut [[f32; 4]], slots: Range<usize>) {
    let first = p.slots().start;
    if slots.start < slots.end {
        let own = slots.start - first..slots.end - first;
        p.vx[own.clone()].fill(0.0);
        p.vy[own.clone()].fill(0.0);
        gradients[own].fill([0.0; 4]);
    }
}

struct Flow<'a> {
    faces: &'a [Vec<Face>; 2],
    continued: &'a [Vec<f32>; 2],
    cells: &'a Cells,
    /// Upper limit on a component of a velocity, m/s.
    limit: f32,
    /// The part of the gradients that particles keep.
    keeps: f32,
    env: &'a StepContext<'a>,
}

impl Flow<'_> {
    /// Gives particles the velocities of the faces around them, `v = (1 − W)(v + Δv) + W u` with W the weight of those that have
    /// one, and moves them. `gradients` gets the gradients of the velocity.
    #[simd]
    fn advance<S: Simd>(
        &self,
        simd: S,
        p: &mut ParticleSliceMut,
        slots: Range<usize>,
        ids: &[u32],
        gradients: &mut [[f32; 4]],
    ) {
        let (base, kick) = (p.slots().start, self.env.gravity * self.env.dt);
        for first in slots.clone().step_by(WIDTH) {
            let eight = first..slots.end.min(first + WIDTH);
            let own = eight.start - base..eight.end - base;
            let places = self.cells.places(simd, &p.x[own.clone()], &p.y[own]);
            for slot in eight.filter(|slot| ids[*slot] != INVALID_ID) {
                let [left, lower, _] = places.lane(slot - first);
                let before = p.velocity(slot);
                let u = self.sample(0, &left, before.x);
                let v = self.sample(1, &lower, before.y);
                let velocity =
                    Vec2::new(u.velocity, v.velocity).clamp(Vec2::splat(-self.limit), Vec2::splat(self.limit));
                // In free fall the mean velocity of the substep is that at its middle. Where pressure carries the liquid, that
                // would feed its waves.
                let free = (1.0 - u.carried.max(v.carried)).max(0.0);
                p.set_velocity(slot, velocity);
                drift(p, slot, (velocity - 0.5 * free * kick) * self.env.dt, self.env.walls);
                let [[ux, uy], [wx, wy]] = [u.gradient, v.gradient].map(|it| [self.keeps * it[0], self.keeps * it[1]]);
                gradients[slot - base] = [ux, uy, wx, wy];
            }
        }
    }

    /// What the faces of an axis make of one component of a particle's velocity.
    #[inline(always)]
    fn sample(&self, axis: usize, place: &Place, before: f32) -> Sample {
        let (node, stride) = (place.node, self.cells.stride);
        let faces = &self.faces[axis];
        let (lower, upper) = (&faces[node..node + 2], &faces[node + stride..node + stride + 2]);
        let [a, b, c, d] = [lower[0].lanes(), lower[1].lanes(), upper[0].lanes(), upper[1].lanes()];
        let weights = place.weights();
        let sum = (a * weights[0] + b * weights[1]) + (c * weights[2] + d * weights[3]);
        if (a.z + b.z) + (c.z + d.z) == 4.0 {
            return Sample { velocity: sum.y, gradient: place.gradient([a.y, b.y, c.y, d.y]), carried: sum.w };
        }
        let continued = [node, node + 1, node + stride, node + stride + 1].map(|node| self.continued[axis][node]);
        at_surface(before, self.env.dt, sum, [a, b, c, d], continued, place)
    }
}

struct Sample {
    velocity: f32,
    gradient: [f32; 2],
    carried: f32,
}

/// [`Flow::sample`] where not all faces have a velocity. What `sum` holds is weighted: see [`Face::lanes`].
fn at_surface(before: f32, dt: f32, sum: Vec4, corners: [Vec4; 4], continued: [f32; 4], place: &Place) -> Sample {
    let [change, velocity, weight, carried] = sum.to_array();
    let (per_weight, weight) = if weight > MIN_WEIGHT { (1.0 / weight, weight) } else { (0.0, 0.0) };
    let free = before + per_weight * change;
    let surface: f32 = (place.weights().iter().zip(corners).zip(continued))
        .map(|((weight, face), velocity)| if face.w > 0.0 { weight * face.w * velocity } else { 0.0 })
        .sum();
    let surface = if carried > MIN_WEIGHT { surface / carried } else { 0.0 };
    let drag = SURFACE_DRAG * dt * (carried - weight).max(0.0);
    // Not a number where a face has no velocity.
    let gradient = place.gradient(continued);
    Sample {
        velocity: (1.0 - weight) * (free + drag * (surface - free)) + weight * per_weight * velocity,
        gradient: if gradient[0].is_finite() { gradient } else { [0.0; 2] },
        carried,
    }
}
