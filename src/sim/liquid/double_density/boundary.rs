//! The liquid at its boundary: the walls and the bodies in it cut off a part of a particle's neighbourhood, and what is
//! missing is added analytically (see [`halfplane`]).
//!
//! [`halfplane`]: crate::sim::boundary::halfplane

use crate::sim::StepContext;
use crate::sim::boundary::{Contact, Walls};
use crate::sim::liquid::body_contacts;
use crate::sim::liquid::double_density::DoubleDensityLiquid;
use crate::sim::liquid::fluid::WallResponse;
use crate::sim::neighbors::pairs::add;
use crate::sim::neighbors::row_chunks::{PerChunk, clear_list, parallel_for};
use crate::sim::particles::ParticleSliceMut;
use glam::Vec2;

/// A particle near a wall and the integrals of the cut-off half-plane that it feels.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoundaryContact {
    pub(super) slot: u32,
    pub(super) normal: Vec2,
    push: f32,
    near_push: f32,
    /// The drag of a liquid that does not slip.
    pub(super) drag: f32,
}

impl DoubleDensityLiquid {
    /// Looks for the patches of the grid that are within reach of a wall.
    pub(super) fn find_boundary_blocks(&mut self, walls: &Walls) {
        let near = |&(_, middle): &(usize, Vec2)| reaches_wall(middle, self.h, walls);
        self.boundary_blocks.clear();
        self.boundary_blocks
            .extend(self.grid.block_centers().enumerate().filter(near).map(|(number, _)| number as u32));
    }

    /// Adds up what the density pass gave to each row and to the row above, which is times h² and h³, and what the half-plane behind each wall in
    /// reach would have added; notes its push for [`Self::relax`].
    pub(super) fn add_boundary_density(&mut self, walls: &Walls) {
        let Self { grid, particles: p, boundary_blocks, half_plane, h, above, body_contacts, .. } = self;
        let (full, per_h2) = (self.rest.crowd, 1.0 / (*h * *h));
        let crowd = full * self.fluid.wall_density;
        let boundary_offset = self.fluid.body_inset();
        let analytic = self.fluid.wall == WallResponse::HalfPlane;
        self.touching.resize_with(grid.chunks().len(), Vec::new);
        let sums = [&mut self.density[..], &mut self.near_density];
        let (hulls, touches) = body_contacts.lists(grid.chunks().len());
        let written = (sums, PerChunk(&mut self.touching), touches);
        parallel_for(grid.chunks(), written, &|chunk, ([density, near_density], touching, touches)| {
            total(density, &above[0][chunk.slots.clone()], per_h2);
            total(near_density, &above[1][chunk.slots.clone()], per_h2 / *h);
            let touching = &mut touching.0[0];
            clear_list(touching, chunk);
            for slot in grid.blocks_in_chunk(chunk, boundary_blocks).filter(|_| analytic).flatten() {
                walls.contacts(p.position(slot), *h, |Contact { distance, normal }| {
                    let cut = half_plane.at(distance / *h);
                    density[slot - chunk.slots.start] += crowd * cut.density;
                    near_density[slot - chunk.slots.start] += crowd * cut.near_density;
                    let (push, near_push) = (crowd * cut.push, crowd * cut.near_push);
                    touching.push(BoundaryContact {
                        slot: slot as u32,
                        normal,
                        push,
                        near_push,
                        drag: full * cut.drag,
                    });
                });
            }
            body_contacts::find(hulls, (grid, chunk), p, *h, &mut touches.0[0], |touch| {
                let cut = half_plane.at(touch.distance / *h + boundary_offset);
                let slot = touch.slot as usize - chunk.slots.start;
                density[slot] += full * cut.density;
                near_density[slot] += full * cut.near_density;
                (touch.push, touch.near_push, touch.drag) = (full * cut.push, full * cut.near_push, full * cut.drag);
            });
        });
    }

    /// Adds up what was given to each row and to the row above, and the push of the half-planes behind the walls, which
    /// are imagined to be under the particle's own pressure; and those of bodies, for which see [`bodies`].
    pub(super) fn add_boundary_pressure(&mut self, dt: f32, gravity: Vec2) {
        let down = gravity.normalize_or_zero();
        let firm = self.rest.pressures(&self.fluid).map(|pressure| 0.5 * dt * dt / self.h * pressure);
        let both = 1.0 + self.fluid.mirrored_pressure;
        let Self { pressure, near_pressure, above, fluid, body_contacts, targets, particles, mixture, .. } = self;
        let weight = |slot: usize| if mixture.is_plain() { 1.0 } else { mixture.mass[slot] };
        let per_dt2 = 1.0 / (dt * dt);
        // The half-plane's integrals are of the paper's kernel.
        let (h, h2) = (self.h, self.h * self.h);
        let pressures = |slot: usize| (h * pressure[slot], h2 * near_pressure[slot]);
        let push = |slot: usize, normal: Vec2, push: f32, near_push: f32| {
            let (pressure, near_pressure) = pressures(slot);
            let (pressure, near_pressure) = (both * pressure, both * near_pressure);
            let overhead = normal.dot(down).max(0.0);
            let adhesion = fluid.adhesion * (1.0 - overhead);
            let pressure = if pressure > 0.0 { pressure } else { pressure * adhesion };
            pressure * push + near_pressure * near_push
        };
        let sums = [&mut self.dx[..], &mut self.dy];
        let written = (sums, PerChunk(&mut self.touching), body_contacts.lists(self.grid.chunks().len()).1);
        parallel_for(self.grid.chunks(), written, &|chunk, ([dx, dy], touching, touches)| {
            add(dx, &above[0][chunk.slots.clone()]);
            add(dy, &above[1][chunk.slots.clone()]);
            let mut shift = |slot: u32, by: Vec2| {
                dx[slot as usize - chunk.slots.start] += by.x;
                dy[slot as usize - chunk.slots.start] += by.y;
            };
            for BoundaryContact { slot, normal, push: far, near_push, .. } in &touching.0[0] {
                shift(*slot, push(*slot as usize, *normal, *far, *near_push) * *normal);
            }
            for touch in &mut touches.0[0] {
                let (pressure, near_pressure) = pressures(touch.slot as usize);
                let own = pressure * touch.push + near_pressure * touch.near_push;
                let firm = weight(touch.slot as usize) * (firm[0] * touch.push + firm[1] * touch.near_push).max(0.0);
                shift(touch.slot, touch.add_reaction((own + firm) * per_dt2) * (dt * dt));
            }
            targets.ease(&particles.id, chunk.slots.start, dx, dy);
        });
    }

    /// Puts back what has crossed a wall, and lets the wall answer.
    pub(super) fn resolve_walls(&mut self, env: &StepContext) {
        let rub = env.dt / self.h * 2.0 / self.rest.crowd;
        let (grid, boundary_blocks, fluid, h) = (&self.grid, &self.boundary_blocks, self.fluid, self.h);
        let thermostat = &self.thermostat;
        let p = self.particles.slice_mut().0;
        parallel_for(grid.chunks(), (p, PerChunk(&mut self.touching)), &|chunk, (mut p, touching)| {
            for touch in &touching.0[0] {
                let stream = thermostat.stream(grid, grid.block_at(p.at(touch.slot as usize)));
                let friction = |speed| rub * fluid.friction(speed, thermostat.calm());
                wall_friction(&mut p, touch, stream, friction, env.walls);
            }
            for slot in grid.blocks_in_chunk(chunk, boundary_blocks).flatten() {
                let (at, Some(normal)) = env.walls.project_to_free(p.at(slot)) else { continue };
                p.put(slot, at);
                let wall = env.walls.wall_velocity(at, normal);
                let relative = p.velocity(slot) - wall;
                let inward = relative.dot(normal).min(0.0);
                let mut bounced = relative - (1.0 + fluid.restitution) * inward * normal;
                if fluid.wall == WallResponse::AntiStick {
                    bounced += fluid.release_speed * h * normal;
                }
                p.set_velocity(slot, bounced + wall);
            }
        });
    }
}

/// Whether any place in the patch of side `h` around `middle` is within h of a wall.
///
/// Its outline is asked at every h/2: next to the nearest place on it lies one of those that is at most 1.031 h away.
/// (The middle alone, with half a diagonal more, took in twice as many patches along a straight wall.)
fn reaches_wall(middle: Vec2, h: f32, walls: &Walls) -> bool {
    let outline = (-1..=1).flat_map(|x| (-1..=1).map(move |y| 0.5 * h * Vec2::new(x as f32, y as f32)));
    // Half a patch's diagonal is 0.71 h.
    walls.distance(middle) < 1.72 * h && outline.into_iter().any(|from| walls.distance(middle + from) < 1.04 * h)
}

/// Slows the liquid along a wall by the `friction` that belongs to the speed of the stream beside it, or the particle's own
/// where none is known, times the push of the half-plane behind it.
fn wall_friction(
    p: &mut ParticleSliceMut,
    touch: &BoundaryContact,
    stream: Option<Vec2>,
    friction: impl Fn(f32) -> f32,
    walls: &Walls,
) {
    let slot = touch.slot as usize;
    let wall = walls.wall_velocity(p.at(slot), touch.normal);
    let tangential = |v: Vec2| v - v.dot(touch.normal) * touch.normal;
    let along = tangential(p.velocity(slot) - wall);
    let speed = stream.map_or(along, |stream| tangential(stream - wall)).length();
    p.set_velocity(slot, p.velocity(slot) - along * (friction(speed) * touch.push).min(1.0));
}

/// Adds up, in units of one over `scale`.
fn total(sums: &mut [f32], more: &[f32], scale: f32) {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum = (*sum + more) * scale);
}
