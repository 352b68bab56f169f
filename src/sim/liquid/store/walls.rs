//! Contacts of a liquid's particles with walls and bodies.

use crate::sim::boundary::{Contact, Walls};
use crate::sim::liquid::body_contacts;
use crate::sim::liquid::{BodyContact, BodyContacts, ParticleStore, WallContact};
use crate::sim::neighbors::row_chunks::clear_list;
use crate::sim::neighbors::{Grid, RowChunk, Split, Stretch, parallel_for};
use crate::sim::particles::{INVALID_ID, ParticleSliceMut};
use glam::Vec2;

/// The boundary contacts of a chunk, available when the pass over pairs is over.
pub(in crate::sim::liquid) struct ChunkBoundary<'a> {
    pub chunk: &'a RowChunk,
    /// The contributions to the chunk's slots from the row below each.
    pub upper_sums: [&'a [f32]; 2],
    pub walls: &'a mut [WallContact],
    pub bodies: &'a mut [BodyContact],
}

impl ParticleStore {
    pub(in crate::sim) fn find_boundary_blocks(&mut self, walls: &Walls) {
        let near = |&(_, center): &(usize, Vec2)| reaches_wall(center, self.h, walls);
        let blocks = self.grid.block_centers().enumerate().filter(near).map(|(number, _)| number as u32);
        self.boundary_blocks.clear();
        self.boundary_blocks.extend(blocks);
    }

    /// Finds the particles within h of `walls` and of bodies, and calls `visit` to complete the `sums` of each chunk.
    pub(in crate::sim::liquid) fn find_contacts<S: Split>(
        &mut self,
        walls: Option<&Walls>,
        sums: S,
        visit: impl Fn(ChunkBoundary, S) + Sync,
    ) {
        let Self { grid, particles: p, h, boundary_blocks, upper_sums: [upper_a, upper_b], .. } = self;
        let (chunks, h) = (&grid.chunks, *h);
        self.wall_contacts.resize_with(chunks.len(), Vec::new);
        let BodyContacts { hulls, contacts: body_contacts, .. } = &mut self.body_contacts;
        body_contacts.resize(chunks.len(), Vec::new());
        let lists = (Stretch::per_chunk(&mut self.wall_contacts), Stretch::per_chunk(body_contacts));
        parallel_for(chunks, (sums, lists), &|chunk, (sums, (wall_lists, body_lists))| {
            let (at_walls, at_bodies) = (&mut wall_lists.all[0], &mut body_lists.all[0]);
            clear_list(at_walls, chunk);
            for slot in grid.blocks_in_chunk(chunk, boundary_blocks).flatten() {
                let Some(walls) = walls else { break };
                let at = p.position(slot);
                walls.contacts(at, h, |Contact { distance, normal }| {
                    at_walls.push(WallContact { slot: slot as u32, at, distance, normal, integrals: [0.0; 4] });
                });
            }
            body_contacts::find(hulls, grid, chunk, p, h, at_bodies);
            let upper_sums = [&upper_a[chunk.slots.clone()], &upper_b[chunk.slots.clone()]];
            visit(ChunkBoundary { chunk, upper_sums, walls: at_walls, bodies: at_bodies }, sums);
        });
    }

    /// Stops particles that have crossed an obstacle since their contacts were found at its surface.
    pub(in crate::sim::liquid) fn stop_at_obstacles(&mut self, walls: &Walls) {
        if walls.obstacles().is_empty() {
            return;
        }
        self.visit_wall_contacts(|_, p, contact| {
            let slot = contact.slot as usize;
            // What has moved less than the distance to the nearest wall is in no obstacle.
            if p.at(slot).distance(contact.at) >= contact.distance
                && let Some((at, _)) = walls.first_hit(contact.at, p.at(slot))
            {
                p.put(slot, at);
            }
        });
    }

    /// Visits the contacts with walls that the last density pass found, with the particles of the chunk.
    pub(in crate::sim::liquid) fn visit_wall_contacts(
        &mut self,
        visit: impl Fn(&Grid, &mut ParticleSliceMut, &WallContact) + Sync,
    ) {
        let Self { grid, particles, wall_contacts, .. } = self;
        let written = (particles.slice_mut().0, Stretch::per_chunk(wall_contacts));
        parallel_for(&grid.chunks, written, &|_, (mut p, contacts)| {
            contacts.all[0].iter().for_each(|contact| visit(grid, &mut p, contact));
        });
    }

    /// Puts particles that have crossed a wall back, with `restitution` times the normal speed, plus `release_speed` (m/s).
    pub(in crate::sim::liquid) fn resolve_walls(&mut self, walls: &Walls, restitution: f32, release_speed: f32) {
        let (grid, boundary_blocks) = (&self.grid, &self.boundary_blocks);
        let (particles, id, _) = self.particles.slice_mut();
        parallel_for(&grid.chunks, particles, &|chunk, mut p| {
            // Particles added since the sort lie behind all rows.
            let added = chunk.slots.end..p.slots().end;
            let slots = grid.blocks_in_chunk(chunk, boundary_blocks).chain([added]).flatten();
            // Those removed since the sort are far away.
            for slot in slots.filter(|&slot| id[slot] != INVALID_ID) {
                let (surface, Some(normal)) = walls.project_to_free(p.at(slot)) else { continue };
                let mirrored = surface + restitution * (surface - p.at(slot));
                let at = if restitution > 0.0 { walls.end_of_way(surface, mirrored).0 } else { surface };
                p.put(slot, at);
                let wall = walls.wall_velocity(at, normal);
                let relative = p.velocity(slot) - wall;
                let inward = relative.dot(normal).min(0.0);
                let bounced = relative - (1.0 + restitution) * inward * normal + release_speed * normal;
                p.set_velocity(slot, bounced + wall);
            }
        });
    }
}

/// Whether any place in the block of side `h` around `center` is within h of a wall. The outline is sampled at every h/2: the
/// nearest place on it has a sample beside it that is at most 1.031 h from the wall.
fn reaches_wall(center: Vec2, h: f32, walls: &Walls) -> bool {
    let outline = (-1..=1).flat_map(|x| (-1..=1).map(move |y| 0.5 * h * Vec2::new(x as f32, y as f32)));
    // Half a block's diagonal is 0.71 h.
    walls.distance(center) < 1.72 * h && outline.into_iter().any(|from| walls.distance(center + from) < 1.04 * h)
}
