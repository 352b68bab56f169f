//! Liquid that starts in a shape: particles at given positions, with targets.

use crate::sim::World;
use crate::sim::liquid::{Liquid, RestState, TargetPositions};
use crate::sim::parallel::instructions::Instructions;
use glam::Vec2;

impl World {
    /// Adds a particle at every place in an empty tank, with the ids 0, 1, 2 …; at rest, neighbours are `spacing` metres apart.
    ///
    /// # Panics
    /// If `spacing` is not positive.
    pub fn spawn_at(&mut self, spacing: f32, places: &[Vec2], instructions: Instructions) {
        assert!(spacing > 0.0, "a spacing of {spacing} m");
        let fluid = self.definition.fluid.at_scale(self.scale);
        let h = spacing / RestState::of(&fluid.pressure).spacing;
        let mut liquid = Liquid::new(fluid, h);
        liquid.use_instructions(instructions);
        liquid.store.particles.reserve(places.len());
        places.iter().for_each(|&place| liquid.add(place, Vec2::ZERO));
        self.walls.set_support_radius(liquid.wall_reach());
        liquid.fit(&self.walls);
        (self.liquid, self.grid, self.cloth, self.bodies) = (Some(liquid), None, None, None);
        self.life = None;
        self.update_substeps();
        self.wake();
    }

    /// The target positions of spawned particles, mutable. Wakes the tank.
    pub fn targets_mut(&mut self) -> Option<&mut TargetPositions> {
        self.wake();
        self.liquid.as_mut().map(|liquid| &mut liquid.targets)
    }

    /// Moves every particle to its target, at rest; adds those that were drained, and removes those without one.
    pub fn settle_at_targets(&mut self) {
        self.wake();
        if let Some(liquid) = &mut self.liquid {
            liquid.settle_at_targets();
        }
    }

    /// Moves particles to other places, with other velocities, as a pipe would. Only their surroundings wake.
    pub fn teleport(&mut self, to: impl FnMut(u32) -> Option<(Vec2, Vec2)>) {
        self.steps_at_rest = 0;
        if let Some(liquid) = &mut self.liquid {
            liquid.teleport(to);
        }
    }
}
