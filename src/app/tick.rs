//! Time passes: the tank lives on, and what it did is worth another picture or not.

use crate::app::App;
use crate::app::demo::Act;
use crate::app::replay::event_log::{Counted, Note, nanos};
use crate::sim::clock::STEP;
use crate::sim::observer;
use crate::view;
use glam::Vec2;
use std::time::Duration;

/// How far (in samples of the picture) the fastest particle may move before the picture must be painted again.
const STILL: f32 = 0.25;

impl App {
    /// Time passes: as many fixed steps as are due, and at most `most`. Returns how many there were.
    pub fn tick(&mut self, elapsed: Duration, most: u32) -> u32 {
        self.tick_watched(elapsed, most, &mut ())
    }

    /// As [`App::tick`], under the eyes of `watch`.
    pub fn tick_watched(&mut self, elapsed: Duration, most: u32, watch: &mut impl observer::Watch) -> u32 {
        let mut counted = Counted::new(watch);
        let steps = self.simulate(elapsed, most, &mut counted);
        let stopped = counted.stopped_after;
        self.note(|| Note::Tick(nanos(elapsed), most, stopped));
        steps
    }

    fn simulate(&mut self, elapsed: Duration, most: u32, watch: &mut impl observer::Watch) -> u32 {
        self.lean(elapsed);
        let due = self.clock.advance(elapsed);
        let mut steps = 0;
        while steps < due.min(most) && self.step(watch) {
            steps += 1;
        }
        // Half a step may be seen, on a machine that takes seconds for one.
        self.stale |= self.world.is_in_a_step();
        if steps < due {
            // Too much for this machine: time runs slow rather than frames stall.
            self.clock.forgive();
        }
        self.look_for_motion(steps);
        self.stale |= self.overlay.advance(elapsed);
        self.end_if_left(elapsed);
        self.fade_on(elapsed);
        self.steady.advance(elapsed);
        self.wait_for_touch(elapsed);
        steps
    }

    /// Time passes in which the app was idle: nothing changes, but somebody may be gone.
    pub fn rest(&mut self, elapsed: Duration) {
        self.note(|| Note::Rest(nanos(elapsed)));
        self.steady.advance(elapsed);
        self.wait_for_touch(elapsed);
    }

    /// One step, or as much of one as `watch` allows. Says whether it is over.
    pub(super) fn step(&mut self, watch: &mut impl observer::Watch) -> bool {
        if !self.world.is_in_a_step() {
            self.autopilot();
            if let Some(act) = &mut self.act {
                act.direct(&mut self.world);
            }
            if let Some(fade) = &mut self.fade {
                fade.world.step();
            }
            self.hand.act(&mut self.world, STEP / self.clock.speed());
        }
        self.world.step_watched(watch)
    }

    /// Adds up how far the picture may have moved.
    fn look_for_motion(&mut self, steps: u32) {
        let samples = (self.camera().scale() * Vec2::new(view::SAMPLES.0 as f32, view::SAMPLES.1 as f32)).max_element();
        self.drift += self.world.fastest() * steps as f32 * STEP * samples;
        let seen = (self.world.walls().version(), self.world.particles());
        self.stale |= seen != self.seen || (steps > 0 && self.world.tilt() != self.world.tilt_target());
        self.seen = seen;
    }

    /// Whether a picture drawn now would differ, as far as anybody can see, from the last.
    pub fn wants_frame(&self) -> bool {
        self.stale || self.drift > STILL
    }

    /// Whether nothing will change before the next Action.
    pub fn is_idle(&self) -> bool {
        let resting = self.clock.paused() || self.world.is_asleep();
        let changing = self.is_piloted() || self.fade.is_some() || self.recolor.is_some();
        let waiting = !self.clock.paused() && self.act.as_ref().is_some_and(Act::is_waiting);
        resting && !changing && !waiting && !self.overlay.is_fading() && !self.tilt.is_held() && !self.overlay.stats
    }
}
