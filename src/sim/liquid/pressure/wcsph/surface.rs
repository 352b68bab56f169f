//! The surface of the liquid, and its tension.

use crate::sim::liquid::pressure::wcsph::contacts::beside_body;
use crate::sim::liquid::pressure::wcsph::kernels::POLY6;
use crate::sim::liquid::pressure::wcsph::material::cohesion_from_tension;
use crate::sim::liquid::pressure::wcsph::{SphMaterial, Wcsph};
use crate::sim::liquid::store::ParticleStore;
use crate::sim::neighbors::row_chunks::{PerChunk, parallel_for};
use crate::sim::particles::resize_buffer;

impl Wcsph {
    pub(super) fn cohesion(&self, h: f32) -> f32 {
        cohesion_from_tension(self.material.surface_tension / self.material.rest_density, h)
    }

    /// Eq. 15: the colour field c, 1 inside the liquid and ½ on its surface; and the weight of a particle in the surface, by the
    /// deficit from 1, which fades in between half the threshold and one and a half.
    pub(super) fn find_surface(&mut self, store: &mut ParticleStore) {
        let SphMaterial { surface_threshold: threshold, adhesion, .. } = self.material;
        let Self { colour, surface, boundary_table: table, .. } = self;
        let (scale, h, chunks) = (POLY6 / store.rest.number_density, store.h, &store.grid.chunks);
        let arrays = [&mut colour[..], resize_buffer(surface, store.particles.slots())];
        let written = (arrays, (PerChunk(&mut store.wall_contacts), store.body_contacts.lists(chunks.len()).1));
        parallel_for(chunks, written, &|chunk, ([colour, surface], (at_walls, at_bodies))| {
            colour.iter_mut().for_each(|colour| *colour = (1.0 + *colour) * scale);
            for contact in &at_walls.0[0] {
                let [_, _, cut, _] = contact.integrals;
                colour[contact.slot as usize - chunk.slots.start] += adhesion * cut;
            }
            for contact in &at_bodies.0[0] {
                let [_, _, cut, _] = table.at(beside_body(contact, h));
                colour[contact.slot as usize - chunk.slots.start] += adhesion * cut;
            }
            for (surface, colour) in surface.iter_mut().zip(colour) {
                *surface = ((1.0 - *colour) / threshold - 0.5).clamp(0.0, 1.0);
            }
        });
    }
}
