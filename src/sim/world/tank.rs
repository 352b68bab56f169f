//! The tank itself: it follows the window's shape, and its walls are drawn, erased and lifted.

use crate::math::Elementary;
use crate::sim::World;
use crate::sim::boundary::Region;
use crate::sim::clock::STEP;
use crate::sim::world::pistons;
use glam::Vec2;

/// Maximum rate at which the tank's shape changes: of the logarithm of its aspect ratio, per second.
const RESHAPE_RATE: f32 = 1.2;

impl World {
    /// Maximum number of pieces of drawn walls: each costs time when another is drawn, and when the tank changes shape.
    pub const MAX_DRAWN_WALLS: usize = 2000;

    /// Sets the target shape of the tank, `aspect` being width over height; walls then push the fluid, and its area stays.
    pub fn set_aspect(&mut self, aspect: f32) {
        if aspect.is_finite() && aspect > 0.0 {
            self.aspect_target = self.definition.aspect(aspect);
        }
    }

    /// Slowly enough that the walls push the fluid instead of passing it.
    pub(super) fn reshape_tank(&mut self) {
        let wanted = (self.aspect_target / self.aspect).logarithm();
        self.walls.corner_velocity = Vec2::ZERO;
        if wanted == 0.0 {
            return;
        }
        let most = RESHAPE_RATE * STEP;
        self.aspect = if wanted.abs() <= most {
            self.aspect_target
        } else {
            self.aspect * wanted.clamp(-most, most).exponential()
        };
        let size = self.definition.tank.size(self.aspect);
        self.walls.corner_velocity = (size - self.walls.size()) / STEP;
        self.fit_to(size);
    }

    fn fit_to(&mut self, size: Vec2) {
        let user_walls = self.user_walls.iter().map(|region| region.shape(size));
        let solids = pistons::solids(&self.definition, &self.pistons, size).chain(user_walls);
        self.walls.rebuild(size, solids.collect());
        self.inlets_outlets.fit(&self.definition, size);
        self.fit_contents();
    }

    /// Draws a wall: a stroke of half thickness `radius`, metres, at most a side of the tank, which cuts cloth. It begins and
    /// ends in the tank or within half its size. There are at most [`Self::MAX_DRAWN_WALLS`].
    pub fn draw_wall(&mut self, from: Vec2, to: Vec2, radius: f32) {
        let size = self.walls.size();
        let is_near = |at: Vec2| at.cmpge(-0.5 * size).all() && at.cmple(1.5 * size).all();
        let is_stroke = is_near(from) && is_near(to) && (0.0..=size.max_element()).contains(&radius);
        if !is_stroke || self.user_walls.len() >= Self::MAX_DRAWN_WALLS {
            return;
        }
        self.wake();
        self.cloth.iter_mut().for_each(|cloth| cloth.cut(from, to, radius));
        self.user_walls.push(Region::Capsule { from: (from / size).into(), to: (to / size).into(), radius });
        self.fit_to(size);
    }

    /// Erases drawn walls within `radius` metres of `at`, and returns whether there were any.
    pub fn erase_walls(&mut self, at: Vec2, radius: f32) -> bool {
        self.wake();
        let (size, before) = (self.walls.size(), self.user_walls.len());
        self.user_walls.retain(|wall| wall.shape(size).contact(at).distance > radius);
        let erased = self.user_walls.len() < before;
        if erased {
            self.fit_to(size);
        }
        erased
    }

    /// Lifts the scene's gate before the step that begins nearest to its time.
    pub(super) fn open_gate(&mut self) {
        if self.definition.gate.is_some_and(|gate| self.steps as f64 >= (60.0 * gate.gone()).round()) {
            self.definition.gate = None;
            self.remove_obstacle(0);
        }
    }

    /// Removes the scene's obstacle of that number, if there is one: opens a gate.
    pub fn remove_obstacle(&mut self, number: usize) {
        if number < self.definition.obstacle.len() {
            self.wake();
            self.definition.obstacle.remove(number);
            self.fit_to(self.walls.size());
        }
    }
}
