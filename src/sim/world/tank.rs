//! The tank itself: it follows the window's shape, and its walls are drawn, erased and lifted.

use crate::math::Elementary;
use crate::sim::World;
use crate::sim::boundary::region::Region;
use crate::sim::clock::STEP;
use crate::sim::definition::WorldDef;
use glam::Vec2;

/// Aspect ratios (width over height) of a tank; a window beyond them shows margins.
pub const ASPECTS: std::ops::RangeInclusive<f32> = 1.0 / 8.0..=16.0;

/// Maximum rate at which the tank's shape changes: of the logarithm of its aspect ratio, per second.
const RESHAPE_RATE: f32 = 1.2;

impl World {
    /// Maximum number of pieces of drawn walls: each costs time when another is drawn, and when the tank changes shape.
    pub const MAX_DRAWN_WALLS: usize = 2000;

    /// Sets the target shape of the tank, `aspect` being width over height; its area stays. It changes over the next
    /// steps, the walls pushing the fluid.
    pub fn set_aspect(&mut self, aspect: f32) {
        if aspect.is_finite() && aspect > 0.0 {
            self.aspect_target = tank_aspect(&self.definition, aspect);
        }
    }

    /// Moves the walls towards the shape the window asks for, slowly enough to push the fluid instead of passing it.
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
        let size = tank_size(self.definition.tank.area, self.aspect);
        self.walls.corner_velocity = (size - self.walls.size()) / STEP;
        self.fit_to(size);
    }

    /// Rebuilds everything for a tank of `size`.
    fn fit_to(&mut self, size: Vec2) {
        let solid = self.definition.obstacle.iter().chain(&self.user_walls).map(|region| region.shape(size));
        self.walls.rebuild(size, solid.collect());
        self.inlets_outlets.fit(&self.definition, size);
        self.fit_contents();
    }

    /// Draws a wall: a stroke of half thickness `radius`, metres. It keeps its fractional place when the tank changes
    /// shape, and cuts cloth in its way. A tank with [`Self::MAX_DRAWN_WALLS`] takes no more.
    pub fn draw_wall(&mut self, from: Vec2, to: Vec2, radius: f32) {
        if self.user_walls.len() >= Self::MAX_DRAWN_WALLS {
            return;
        }
        self.wake();
        self.cloth.iter_mut().for_each(|cloth| cloth.cut(from, to, radius));
        let size = self.walls.size();
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

    /// Lifts the scene's gate when it is time: before step number `step`, or between its substeps.
    pub(super) fn open_gate(&mut self, step: u64) {
        if self.substeps_to_gate(step) <= self.substeps_done {
            self.definition.gate = None;
            self.remove_obstacle(0);
        }
    }

    /// Number of substeps of step number `step` that precede the gate's opening; more than the step has, if it stays
    /// closed.
    pub(super) fn substeps_to_gate(&self, step: u64) -> u32 {
        let Some(gate) = self.definition.gate else { return u32::MAX };
        ((60.0 * gate.gone() - step as f64) * f64::from(self.substeps)).ceil() as u32
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

pub(crate) fn tank_aspect(definition: &WorldDef, window: f32) -> f32 {
    let widest = definition.widest();
    let aspect = definition.tank.aspect.unwrap_or_else(|| window.clamp(1.0 / widest, widest));
    aspect.clamp(*ASPECTS.start(), *ASPECTS.end())
}

pub(crate) fn tank_size(area: f32, aspect: f32) -> Vec2 {
    let height = (area / aspect).sqrt();
    Vec2::new(area / height, height)
}
