//! The surface of the liquid, and its tension.

use crate::sim::liquid::ParticleStore;
use crate::sim::liquid::pressure::wcsph::kernels::POLY6;
use crate::sim::liquid::pressure::wcsph::material::cohesion_from_tension;
use crate::sim::liquid::pressure::wcsph::{SphMaterial, Wcsph};
use crate::sim::neighbors::{Stretch, parallel_for};
use crate::sim::particles::resize_buffer;

impl Wcsph {
    pub(super) fn cohesion(&self, h: f32) -> f32 {
        cohesion_from_tension(self.material.surface_tension / self.material.rest_density, h)
    }

    /// Eq. 15: the colour field c, 1 inside the liquid and ½ on its surface; and the weight of a particle in the surface, by the
    /// deficit from 1, which fades in between half the threshold and one and a half.
    pub(super) fn find_surface(&mut self, store: &mut ParticleStore) {
        let SphMaterial { surface_threshold: threshold, adhesion, .. } = self.material;
        let Self { colour, surface, .. } = self;
        let scale = POLY6 / store.rest.number_density;
        let arrays = [&mut colour[..], resize_buffer(surface, store.particles.slots())];
        let walls = Stretch::per_chunk(&mut store.wall_contacts);
        let bodies = Stretch::per_chunk(&mut store.body_contacts.contacts);
        let written = (arrays, (walls, bodies));
        parallel_for(&store.grid.chunks, written, &|chunk, ([colour, surface], (walls, bodies))| {
            colour.iter_mut().for_each(|colour| *colour = (1.0 + *colour) * scale);
            let walls = walls.all[0].iter().map(|contact| (contact.slot, contact.integrals));
            let bodies = bodies.all[0].iter().map(|contact| (contact.slot, contact.integrals));
            for (slot, [_, _, cut, _]) in walls.chain(bodies) {
                colour[slot as usize - chunk.slots.start] += adhesion * cut;
            }
            for (surface, colour) in surface.iter_mut().zip(colour) {
                *surface = ((1.0 - *colour) / threshold - 0.5).clamp(0.0, 1.0);
            }
        });
    }
}
