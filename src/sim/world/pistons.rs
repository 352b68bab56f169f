//! Pistons: solid boxes that move towards their positions, and push what is in their way.

use crate::sim::World;
use crate::sim::boundary::{Shape, Walls};
use crate::sim::clock::STEP;
use crate::sim::definition::WorldDef;
use glam::Vec2;

/// Distance from its target, as a fraction of its way, at which a piston is there.
const THERE: f32 = 1e-5;

pub fn at_start(definition: &WorldDef) -> Vec<f32> {
    definition.piston.iter().map(|piston| piston.target(0.0)).collect()
}

/// The walls of a scene at its start, in a tank of `size`: they act over a tenth of it.
pub fn walls_at_start(definition: &WorldDef, size: Vec2) -> Walls {
    let obstacles = solids(definition, &at_start(definition), size).collect();
    Walls::new(size, definition.tank.shape, obstacles, 0.1 * size.min_element())
}

/// The solids of a scene in a tank of `size`: its obstacles, and its pistons at these positions.
pub fn solids<'a>(definition: &'a WorldDef, positions: &'a [f32], size: Vec2) -> impl Iterator<Item = Shape> + use<'a> {
    let pistons = definition.piston.iter().zip(positions).map(move |(piston, &at)| piston.shape(size, at));
    definition.obstacle.iter().map(move |region| region.shape(size)).chain(pistons)
}

impl World {
    pub(super) fn has_moving_piston(&self) -> bool {
        let time = self.time();
        let mut all = self.definition.piston.iter().zip(&self.pistons);
        all.any(|(piston, at)| (piston.target(time) - at).abs() > THERE)
    }

    pub(super) fn move_pistons(&mut self) {
        if self.pistons.is_empty() {
            return;
        }
        let (time, size, first) = (self.time(), self.walls.size(), self.definition.obstacle.len());
        let pistons = self.definition.piston.iter().zip(&mut self.pistons).enumerate();
        let moved = pistons.map(|(number, (piston, at))| {
            let way = Vec2::from(piston.travel) * size;
            let most = piston.speed * STEP / way.length();
            let by = (piston.target(time) - *at).clamp(-most, most);
            let by = if by.abs() > THERE { by } else { 0.0 };
            *at += by;
            (first + number, piston.shape(size, *at), way * (by / STEP))
        });
        if self.walls.move_obstacles(moved) {
            let walls = &self.walls;
            self.liquid.iter_mut().for_each(|liquid| liquid.store.find_boundary_blocks(walls));
            self.grid.iter_mut().for_each(|grid| grid.fit(walls));
            self.cloth.iter_mut().for_each(|cloth| cloth.fit(walls));
            self.bodies.iter_mut().for_each(|bodies| bodies.fit(walls));
        }
    }
}
