//! Sleep of a whole world at rest. That of parts of a liquid is in `neighbors/sleep_map.rs`.

use crate::sim::World;
use crate::sim::liquid::Liquid;
use crate::sim::neighbors::{SLEEP_SPEED, STEPS_TO_SLEEP};

impl World {
    /// Whether anything is about to move the tank or its contents.
    pub(super) fn is_disturbed(&self) -> bool {
        self.life.is_some() || self.is_turning() || self.inlets_outlets.is_open() || !self.pointer_forces.is_empty()
    }

    fn is_turning(&self) -> bool {
        self.tank_motion.is_turning(self.time()) || self.aspect != self.aspect_target || self.has_moving_piston()
    }

    /// A world at rest costs nothing until disturbed. Without gravity nothing sleeps: slow drift goes on.
    pub(super) fn update_world_sleep(&mut self) {
        let is_on_grid = self.liquid.as_ref().is_some_and(Liquid::is_on_grid);
        // First: it counts for how long each body has stayed.
        let calm = self.bodies.as_mut().is_none_or(|bodies| bodies.is_at_rest(is_on_grid))
            && self.liquid.as_ref().is_none_or(|liquid| liquid.is_slower_than(SLEEP_SPEED, &self.walls))
            && self.grid.as_ref().is_none_or(|grid| grid.is_slower_than(SLEEP_SPEED))
            && self.cloth.as_ref().is_none_or(|cloth| cloth.is_slower_than(SLEEP_SPEED));
        self.steps_at_rest = if calm && self.definition.gravity > 0.1 { self.steps_at_rest + 1 } else { 0 };
        if self.is_asleep() {
            self.liquid.iter_mut().for_each(|liquid| liquid.zero_velocities());
            self.grid.iter_mut().for_each(|grid| grid.zero_velocities());
            self.cloth.iter_mut().for_each(|cloth| cloth.zero_velocities());
            self.bodies.iter_mut().for_each(|bodies| bodies.zero_velocities());
            self.whitewater.specks.clear();
        }
    }

    /// Unless all of the tank is about to be moved. Without gravity nothing sleeps.
    pub(super) fn update_sleep(&mut self) {
        if !self.allow_sleep || self.definition.gravity <= 0.1 {
            return;
        }
        // Matter on a cloth loads it, asleep or not: in a tank with cloth, either everything sleeps or nothing.
        if self.is_turning() || self.cloth.is_some() {
            self.wake_contents();
        }
        self.liquid.iter_mut().for_each(|liquid| liquid.update_sleep(&self.pointer_forces, &self.walls));
        self.bodies.iter_mut().for_each(|bodies| bodies.update_sleep(&self.pointer_forces));
    }

    /// Wakes the world, and keeps it awake if called before every step.
    pub fn wake(&mut self) {
        self.steps_at_rest = 0;
        self.wake_contents();
    }

    fn wake_contents(&mut self) {
        self.liquid.iter_mut().for_each(|liquid| liquid.wake());
        self.bodies.iter_mut().for_each(|bodies| bodies.wake());
    }

    /// Sets whether parts of the tank may sleep while others move; the default is true. A whole tank at rest sleeps in any case.
    pub fn set_allow_sleep(&mut self, may: bool) {
        self.allow_sleep = may;
        self.wake();
    }

    /// Number of particles that are awake.
    pub fn awake(&self) -> usize {
        if self.is_asleep() { 0 } else { self.liquid.as_ref().map_or(0, |liquid| liquid.store.awake()) }
    }

    /// Whether everything is at rest and stays so until it is disturbed.
    pub fn is_asleep(&self) -> bool {
        self.steps_at_rest >= u32::from(STEPS_TO_SLEEP)
    }
}
