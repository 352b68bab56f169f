//! Liquid cast in a shape: particles at given places, with homes and colours of their own.

use crate::sim::World;
use crate::sim::boundary::Shape;
use crate::sim::liquid::double_density::Liquid;
use crate::sim::liquid::rest_state::Rest;
use crate::sim::liquid::targets::Homes;
use crate::sim::matter::{Matter, WALL_REACH};
use crate::sim::parallel::instructions::Instructions;
use crate::sim::particles::ParticleColor;
use glam::Vec2;

/// Casting, and what becomes of the cast.
impl World {
    /// Puts a particle at every place in a tank that holds nothing yet, with the ids 0, 1, 2 …; at rest, neighbours
    /// are `spacing` metres apart.
    pub fn cast(&mut self, spacing: f32, places: &[Vec2], instructions: Instructions) {
        let h = spacing / Rest::of(&self.definition.fluid).spacing;
        let mut liquid = Liquid::new(self.definition.fluid, h);
        liquid.use_instructions(instructions);
        liquid.reserve(places.len());
        places.iter().for_each(|&place| liquid.add(place, Vec2::ZERO));
        self.walls.set_reach(WALL_REACH * h);
        liquid.fit(&self.walls);
        self.matter = vec![Matter::Liquid(liquid)];
        self.count_substeps();
        self.wake();
    }

    /// The homes of the cast's particles, to be changed: whoever asks wakes the tank.
    pub fn homes_mut(&mut self) -> Option<&mut Homes> {
        self.wake();
        self.matter.iter_mut().find_map(Matter::as_liquid_mut).map(Liquid::homes_mut)
    }

    /// Gives particles colours of their own, by id; those beyond the list have the palette's.
    pub fn tint(&mut self, tints: Vec<ParticleColor>) {
        if let Some(liquid) = self.matter.iter_mut().find_map(Matter::as_liquid_mut) {
            liquid.set_tints(tints);
        }
    }

    /// Takes particles to other places, with other velocities, as a pipe would.
    pub fn carry(&mut self, to: impl FnMut(u32) -> Option<(Vec2, Vec2)>) {
        self.wake();
        if let Some(liquid) = self.matter.iter_mut().find_map(Matter::as_liquid_mut) {
            liquid.carry(to);
        }
    }

    /// Outlines of glass that are seen and stop nothing: what the cast is meant to fill.
    pub fn set_vessels(&mut self, vessels: Vec<Shape>) {
        self.vessels = vessels;
    }

    pub fn vessels(&self) -> &[Shape] {
        &self.vessels
    }
}
