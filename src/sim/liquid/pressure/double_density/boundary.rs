//! The part of a particle's neighbourhood that walls and bodies cut off, added ([`crate::sim::boundary::halfplane`]).

use crate::sim::StepContext;
use crate::sim::boundary::Walls;
use crate::sim::liquid::pressure::Medium;
use crate::sim::liquid::pressure::double_density::DoubleDensity;
use crate::sim::liquid::{MAX_PHASES, ParticleStore, Phases, WallContact, WallResponse};
use crate::sim::neighbors::pairs::add;
use crate::sim::neighbors::{Stretch, parallel_for};
use glam::Vec2;

impl DoubleDensity {
    /// Completes the sums of the density pass (times h² and h³) by half-planes, whose other integrals it keeps.
    pub(super) fn add_boundary_density(&mut self, medium: &mut Medium, walls: &Walls) {
        let Medium { store, density, fluid, .. } = medium;
        let (h, full) = (store.h, store.rest.number_density);
        let inv_h2 = 1.0 / (h * h);
        let at_wall = full * fluid.walls.wall_density;
        let (half_plane, boundary_offset) = (&self.half_plane, fluid.body_inset());
        let walls = (fluid.walls.response == WallResponse::HalfPlane).then_some(walls);
        let sums = [&mut density[..], &mut self.near_density];
        store.find_contacts(walls, sums, |boundary, [density, near_density]| {
            scaled_sum(density, boundary.upper_sums[0], inv_h2);
            scaled_sum(near_density, boundary.upper_sums[1], inv_h2 / h);
            let first = boundary.chunk.slots.start;
            let mut add_solid = |slot: u32, distance: f32, solid: f32| {
                let [cut, near_cut, push, near_push, drag] = half_plane.at(distance);
                density[slot as usize - first] += solid * cut;
                near_density[slot as usize - first] += solid * near_cut;
                [solid * push, solid * near_push, full * drag, 0.0]
            };
            for contact in boundary.walls {
                contact.integrals = add_solid(contact.slot, contact.distance / h, at_wall);
            }
            for contact in boundary.bodies {
                contact.integrals = add_solid(contact.slot, contact.distance / h + boundary_offset, full);
            }
        });
    }

    /// Adds the sums of the upper rows, and the push of the half-planes behind walls and in bodies, with the own pressure.
    pub(super) fn add_boundary_pressure(&mut self, medium: &mut Medium, dt: f32, gravity: Vec2) {
        let Medium { store, sums: [dx, dy], fluid, phases, targets, .. } = medium;
        let ParticleStore { h, rest, grid, particles, upper_sums, wall_contacts, body_contacts, .. } = &mut **store;
        let down = gravity.normalize_or_zero();
        let firm = rest.pressures(&fluid.pressure).map(|pressure| 0.5 * self.softness * dt * dt / *h * pressure);
        let unwetted = unwetted(phases, *h, dt);
        let both = 1.0 + fluid.walls.mirrored_pressure;
        let Self { pressure, near_pressure, .. } = self;
        let mass = |slot: usize| if phases.is_single_phase() { 1.0 } else { phases.mass[slot] };
        let inv_dt2 = 1.0 / (dt * dt);
        // The half-plane's integrals are those of the paper's kernel.
        let (h, h2) = (*h, *h * *h);
        let pressures = |slot: usize| (h * pressure[slot], h2 * near_pressure[slot]);
        let push = |slot: usize, normal: Vec2, push: f32, near_push: f32| {
            let (pressure, near_pressure) = pressures(slot);
            let (pressure, near_pressure) = (both * pressure, both * near_pressure);
            let overhead = normal.dot(down).max(0.0);
            let adhesion = fluid.walls.adhesion * (1.0 - overhead);
            let pressure = if pressure > 0.0 { pressure } else { pressure * adhesion };
            pressure * push + near_pressure * near_push
        };
        let sums = [&mut dx[..], dy];
        let chunks = &grid.chunks;
        let contacts = (Stretch::per_chunk(wall_contacts), Stretch::per_chunk(&mut body_contacts.contacts));
        parallel_for(chunks, (sums, contacts), &|chunk, ([dx, dy], (at_walls, at_bodies))| {
            add(dx, &upper_sums[0][chunk.slots.clone()]);
            add(dy, &upper_sums[1][chunk.slots.clone()]);
            let mut shift = |slot: u32, by: Vec2| {
                dx[slot as usize - chunk.slots.start] += by.x;
                dy[slot as usize - chunk.slots.start] += by.y;
            };
            for &WallContact { slot, normal, integrals: [far, near, ..], .. } in &at_walls.all[0] {
                let repulsion = unwetted.map_or(0.0, |by_phase| by_phase[phases.phase[slot as usize] as usize]);
                shift(slot, (push(slot as usize, normal, far, near) + repulsion * far) * normal);
            }
            for contact in &mut at_bodies.all[0] {
                let (slot, [far, near, ..]) = (contact.slot as usize, contact.integrals);
                let (pressure, near_pressure) = pressures(slot);
                let own = pressure * far + near_pressure * near;
                let firm = mass(slot) * (firm[0] * far + firm[1] * near).max(0.0);
                shift(contact.slot, contact.add_reaction((own + firm) * inv_dt2) * (dt * dt));
            }
            targets.damp_neighbor_push(&particles.id, chunk.slots.start, dx, dy);
        });
    }

    /// Slows the liquid along walls, and puts back what has crossed one.
    pub fn resolve_walls(&self, medium: Medium, env: &StepContext) {
        let Medium { store, fluid, thermostat, .. } = medium;
        let rate = env.dt / store.h * 2.0 / store.rest.number_density;
        store.visit_wall_contacts(|grid, p, &WallContact { slot, normal, integrals, .. }| {
            let (at, v) = (p.at(slot as usize), p.velocity(slot as usize));
            let wall = env.walls.wall_velocity(at, normal);
            let tangential = |v: Vec2| v - v.dot(normal) * normal;
            let along = tangential(v - wall);
            // At the speed of the stream beside the wall, or the particle's own.
            let stream = thermostat.stream(grid, grid.block_at(at));
            let speed = stream.map_or(along, |stream| tangential(stream - wall)).length();
            let friction = rate * fluid.friction(speed, thermostat.calm);
            p.set_velocity(slot as usize, v - along * (friction * integrals[0]).min(1.0));
        });
        let anti_stick = fluid.walls.response == WallResponse::AntiStick;
        let release_speed = if anti_stick { fluid.walls.release_speed * store.h } else { 0.0 };
        store.resolve_walls(env.walls, fluid.walls.restitution, release_speed);
    }
}

/// By phase, the repulsion by walls that are not wetted, as a displacement per integral of push; none where all wet them.
fn unwetted(phases: &Phases, h: f32, dt: f32) -> Option<[f32; MAX_PHASES]> {
    if phases.is_single_phase() || phases.params.iter().all(|phase| phase.wetting == 1.0) {
        return None;
    }
    let scale = 0.5 * dt * dt / h * phases.interfacial_repulsion() / phases.params[0].density;
    Some(std::array::from_fn(|number| {
        phases.params.get(number).map_or(0.0, |phase| scale * (1.0 - phase.wetting) * phase.density)
    }))
}

fn scaled_sum(sums: &mut [f32], more: &[f32], scale: f32) {
    sums.iter_mut().zip(more).for_each(|(sum, more)| *sum = (*sum + more) * scale);
}
