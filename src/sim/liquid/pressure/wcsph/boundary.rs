//! The liquid at its boundary: the effect of walls and bodies on particles, and the friction of walls.

use crate::sim::StepContext;
use crate::sim::boundary::Walls;
use crate::sim::liquid::pressure::Medium;
use crate::sim::liquid::pressure::wcsph::Wcsph;
use crate::sim::liquid::pressure::wcsph::kernels::edge_slope;
use crate::sim::liquid::{BodyContact, ParticleStore, WallContact};
use crate::sim::neighbors::pairs::add;
use glam::Vec2;

/// Damping of the motion normal to a wall, as a share of the damping that would stop sound.
const WALL_DAMPING: f32 = 0.3;

/// See `Liquid::boundary_offset`. Calibrated with floating boxes.
pub(in crate::sim::liquid) const BOUNDARY_OFFSET: f32 = 0.06;

/// Distance of a particle from a wall, in h, at least zero: a particle that has crossed the wall counts as on it.
fn beside_wall(contact: &WallContact, h: f32) -> f32 {
    (contact.distance / h).max(0.0)
}

/// Distance of a particle from the half-plane that represents a body, in h.
fn beside_body(contact: &BodyContact, h: f32) -> f32 {
    (contact.distance / h + BOUNDARY_OFFSET).max(0.0)
}

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
                contact.integrals = table.at(beside_body(contact, h));
                density[contact.slot as usize - first] += beyond * contact.integrals[0];
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
        // No more than the wall adds to the density: a mirrored pressure, twice as much, is not the force of an energy.
        let push = |slot: u32, [_, push, ..]: [f32; 4], distance: f32| {
            let push = strength[0] * self.pressure[slot as usize] * beyond * push / h;
            push - 2.0 * strength[2] * adhesion * edge_slope(distance) / h
        };
        let mut add = |slot: u32, given: Vec2| {
            x[slot as usize] += given.x;
            y[slot as usize] += given.y;
        };
        for contact in store.wall_contacts.iter().flatten() {
            add(contact.slot, push(contact.slot, contact.integrals, beside_wall(contact, h)) * contact.normal);
        }
        for contact in store.body_contacts.contacts.iter_mut().flatten() {
            let push = push(contact.slot, contact.integrals, beside_body(contact, h));
            add(contact.slot, contact.add_reaction(push));
        }
    }

    pub fn apply_wall_friction(&self, Medium { store, .. }: Medium, env: &StepContext) {
        let speeds = [self.material.wall_friction, WALL_DAMPING * self.acting.sound()];
        let rates = speeds.map(|speed| speed / store.h * env.dt);
        store.visit_wall_contacts(|_, p, &WallContact { slot, normal, integrals, .. }| {
            let fractions = rates.map(|rate| (rate * integrals[0]).min(1.0));
            let before = p.velocity(slot as usize);
            let v = before - env.walls.wall_velocity(p.at(slot as usize), normal);
            let across = v.dot(normal) * normal;
            p.set_velocity(slot as usize, before - (v - across) * fractions[0] - across * fractions[1]);
        });
    }
}
