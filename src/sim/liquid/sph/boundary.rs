//! The liquid at its boundary: what of the walls and the bodies in it a particle feels, and how walls hold it.

use crate::sim::StepContext;
use crate::sim::boundary::{Contact, Walls};
use crate::sim::liquid::body_contacts;
use crate::sim::liquid::sph::Sph;
use crate::sim::liquid::sph::kernels::{Cut, edge_slope};
use crate::sim::neighbors::row_chunks::{PerChunk, clear_list, parallel_for};
use crate::sim::particles::ParticleSliceMut;
use glam::Vec2;

/// How strongly a wall damps the motion towards it and away, as a share of what would stop sound.
const WALL_DAMPING: f32 = 0.3;

/// See [`body_contacts::LiquidCoupling::boundary_offset`]. Boxes 0.26 m high of density 0.3, 0.5 and 0.9 in 2,500 particles of 24 mm lie 0.276, 0.477 and
/// 0.914 deep at 0, and 0.299, 0.504 and 0.960 deep at 0.09.
pub(super) const INSET: f32 = 0.06;

/// A particle near a wall, and what it feels of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoundaryContact {
    pub slot: u32,
    normal: Vec2,
    /// Distance, in h.
    distance: f32,
    pub cut: Cut,
}

impl Sph {
    /// Looks for the patches of the grid that are within reach of a wall.
    pub(super) fn find_boundary_blocks(&mut self, walls: &Walls) {
        // Half a patch's diagonal is 0.71 h.
        let near = |&(_, middle): &(usize, Vec2)| walls.distance(middle) < 1.72 * self.h;
        self.boundary_blocks.clear();
        self.boundary_blocks
            .extend(self.grid.block_centers().enumerate().filter(near).map(|(number, _)| number as u32));
    }

    /// Turns the sums of the density pass into densities, with what walls and bodies have cut off of the liquid.
    pub(super) fn add_boundary_density(&mut self, walls: &Walls) {
        let Self { grid, particles: p, boundary_blocks, cuts, density, touching, body_contacts, h, .. } = self;
        let (h, whole) = (*h, self.lattice.share);
        let beyond = whole * self.rest.crowd / self.substance.density.at(0.0);
        touching.resize_with(grid.chunks().len(), Vec::new);
        let (hulls, touches) = body_contacts.lists(grid.chunks().len());
        parallel_for(grid.chunks(), (&mut density[..], PerChunk(touching), touches), &|chunk,
                                                                                       (
            density,
            touching,
            touches,
        )| {
            density.iter_mut().for_each(|density| *density = (1.0 + *density) * whole);
            let touching = &mut touching.0[0];
            clear_list(touching, chunk);
            for slot in grid.blocks_in_chunk(chunk, boundary_blocks).flatten() {
                walls.contacts(p.position(slot), h, |Contact { distance, normal }| {
                    let distance = (distance / h).max(0.0);
                    let cut = cuts.at(distance);
                    density[slot - chunk.slots.start] += beyond * cut.density;
                    touching.push(BoundaryContact { slot: slot as u32, normal, distance, cut });
                });
            }
            body_contacts::find(hulls, (grid, chunk), p, h, &mut touches.0[0], |touch| {
                let cut = cuts.at(beside_body(touch, h));
                density[touch.slot as usize - chunk.slots.start] += beyond * cut.density;
                touch.push = beyond * cut.push / h;
            });
        });
    }

    /// Adds to the sums of forces what the liquid that is imagined behind walls and in bodies pushes and draws.
    pub(super) fn add_boundary_pressure(&mut self, strength: [f32; 3]) {
        let Self { grid, touching, pressure, sums: [x, y], body_contacts, h, .. } = self;
        let beyond = self.lattice.share / self.substance.density.at(0.0) * self.rest.crowd;
        let (h, adhesion) = (*h, self.substance.adhesion);
        for touch in touching.iter().flatten() {
            let slot = touch.slot as usize;
            // No more than the wall adds to the density: a mirrored pressure, twice as much, is no energy's force.
            let push = strength[0] * pressure[slot] * beyond * touch.cut.push / h;
            let draw = 2.0 * strength[2] * adhesion * edge_slope(touch.distance) / h;
            x[slot] += (push - draw) * touch.normal.x;
            y[slot] += (push - draw) * touch.normal.y;
        }
        for touch in body_contacts.lists(grid.chunks().len()).1.0.iter_mut().flatten() {
            let slot = touch.slot as usize;
            let draw = 2.0 * strength[2] * adhesion * edge_slope(beside_body(touch, h)) / h;
            let given = touch.add_reaction(strength[0] * pressure[slot] * touch.push - draw);
            x[slot] += given.x;
            y[slot] += given.y;
        }
    }

    /// Slows the liquid along walls.
    pub(super) fn apply_wall_friction(&mut self, env: &StepContext, sound: f32) {
        let rub = [self.substance.wall_friction, WALL_DAMPING * sound].map(|speed| speed / self.h * env.dt);
        parallel_for(self.grid.chunks(), (self.particles.slice_mut().0, PerChunk(&mut self.touching)), &|_,
                                                                                                         (
            mut p,
            touching,
        )| {
            for touch in &touching.0[0] {
                wall_friction(&mut p, touch, rub, env.walls);
            }
        });
    }

    /// Puts back what has crossed a wall, and reflects it with what the wall leaves of its speed.
    pub(super) fn resolve_walls(&mut self, env: &StepContext) {
        let (grid, boundary_blocks, restitution) = (&self.grid, &self.boundary_blocks, self.substance.restitution);
        parallel_for(grid.chunks(), self.particles.slice_mut().0, &|chunk, mut p| {
            // What has been added lies behind all rows.
            let added = chunk.slots.end..p.slots().end;
            for slot in grid.blocks_in_chunk(chunk, boundary_blocks).chain([added]).flatten() {
                let (at, Some(normal)) = env.walls.project_to_free(p.at(slot)) else { continue };
                p.put(slot, at);
                let wall = env.walls.wall_velocity(at, normal);
                let relative = p.velocity(slot) - wall;
                let inward = relative.dot(normal).min(0.0);
                p.set_velocity(slot, relative - (1.0 + restitution) * inward * normal + wall);
            }
        });
    }
}

/// How far a particle is from the half-plane that a body is to it, in h.
pub(super) fn beside_body(touch: &body_contacts::BodyContact, h: f32) -> f32 {
    (touch.distance / h + INSET).max(0.0)
}

/// Slows the liquid along a wall, at `rate` times what the wall has cut off of its neighbours.
fn wall_friction(p: &mut ParticleSliceMut, touch: &BoundaryContact, rates: [f32; 2], walls: &Walls) {
    let slot = touch.slot as usize;
    let v = p.velocity(slot) - walls.wall_velocity(p.at(slot), touch.normal);
    let across = v.dot(touch.normal) * touch.normal;
    let [along, across] = [v - across, across];
    let [share, cross] = rates.map(|rate| (rate * touch.cut.density).min(1.0));
    p.set_velocity(slot, p.velocity(slot) - along * share - across * cross);
}
