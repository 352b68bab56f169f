//! The liquid at its boundary: the effect of walls and bodies on particles, and the friction of walls.

use crate::sim::StepContext;
use crate::sim::boundary::Walls;
use crate::sim::liquid::body_contacts::WallContact;
use crate::sim::liquid::pressure::medium::Medium;
use crate::sim::liquid::pressure::wcsph::Wcsph;
use crate::sim::liquid::pressure::wcsph::contacts::{beside_body, beside_wall};
use crate::sim::liquid::pressure::wcsph::kernels::edge_slope;
use crate::sim::liquid::store::ParticleStore;
use crate::sim::neighbors::pairs::add;
use crate::sim::neighbors::row_chunks::{PerChunk, parallel_for};
use crate::sim::particles::ParticleSliceMut;

/// Damping of the motion normal to a wall, as a share of the damping that would stop sound.
const WALL_DAMPING: f32 = 0.3;

impl Wcsph {
    /// Turns the sums of the density pass into densities, adding the liquid that walls and bodies have cut off.
    pub(super) fn add_boundary_density(&mut self, Medium { store, density, .. }: &mut Medium, walls: &Walls) {
        let (h, whole) = (store.h, self.lattice.normalization);
        let beyond = whole * store.rest.number_density / self.material.density_kernel.at(0.0);
        let (table, sums) = (&self.boundary_table, [&mut density[..], &mut self.colour]);
        store.find_contacts(Some(walls), sums, |boundary, [density, colour]| {
            add(density, boundary.upper_sums[0]);
            add(colour, boundary.upper_sums[1]);
            density.iter_mut().for_each(|density| *density = (1.0 + *density) * whole);
            let first = boundary.chunk.slots.start;
            for contact in boundary.walls {
                contact.integrals = table.at(beside_wall(contact, h));
                density[contact.slot as usize - first] += beyond * contact.integrals[0];
            }
            for contact in boundary.bodies {
                let [cut, push, ..] = table.at(beside_body(contact, h));
                density[contact.slot as usize - first] += beyond * cut;
                contact.push = beyond * push / h;
            }
        });
    }

    /// Adds the push and the pull of the liquid imagined behind walls and in bodies to the sums of forces.
    pub(super) fn add_boundary_pressure(
        &self,
        store: &mut ParticleStore,
        [x, y]: &mut [Vec<f32>; 2],
        strength: [f32; 3],
    ) {
        let beyond = self.kernel_scale() * store.rest.number_density;
        let (h, adhesion) = (store.h, self.material.adhesion);
        let pressure = &self.pressure;
        for contact in store.wall_contacts.iter().flatten() {
            let (slot, [_, push, ..]) = (contact.slot as usize, contact.integrals);
            // No more than the wall adds to the density: a mirrored pressure, twice as much, is not the force of an energy.
            let push = strength[0] * pressure[slot] * beyond * push / h;
            let pull = 2.0 * strength[2] * adhesion * edge_slope(beside_wall(contact, h)) / h;
            x[slot] += (push - pull) * contact.normal.x;
            y[slot] += (push - pull) * contact.normal.y;
        }
        for contact in store.body_contacts.lists(store.grid.chunks.len()).1.0.iter_mut().flatten() {
            let slot = contact.slot as usize;
            let pull = 2.0 * strength[2] * adhesion * edge_slope(beside_body(contact, h)) / h;
            let given = contact.add_reaction(strength[0] * pressure[slot] * contact.push - pull);
            x[slot] += given.x;
            y[slot] += given.y;
        }
    }

    pub fn apply_wall_friction(&self, Medium { store, .. }: Medium, env: &StepContext) {
        let ParticleStore { h, grid, particles, wall_contacts, .. } = store;
        let rates = [self.material.wall_friction, WALL_DAMPING * self.acting.sound()].map(|speed| speed / *h * env.dt);
        parallel_for(&grid.chunks, (particles.slice_mut().0, PerChunk(wall_contacts)), &|_, (mut p, contacts)| {
            for contact in &contacts.0[0] {
                let rates = rates.map(|rate| (rate * contact.integrals[0]).min(1.0));
                wall_friction(&mut p, contact, rates, env.walls);
            }
        });
    }
}

/// Removes these fractions of a particle's velocity along a wall and normal to it.
fn wall_friction(p: &mut ParticleSliceMut, contact: &WallContact, fractions: [f32; 2], walls: &Walls) {
    let slot = contact.slot as usize;
    let v = p.velocity(slot) - walls.wall_velocity(p.at(slot), contact.normal);
    let across = v.dot(contact.normal) * contact.normal;
    let along = v - across;
    p.set_velocity(slot, p.velocity(slot) - along * fractions[0] - across * fractions[1]);
}
