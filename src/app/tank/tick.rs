//! Time: steps of the tank, and whether they need a new frame.

use crate::app::App;
use crate::app::demo::Demo;
use crate::app::layers::LINGER;
use crate::app::record::replay::event_log::{LogEntry, nanos};
use crate::sim::clock::STEP;
use crate::sim::observer::StepObserver;
use crate::view;
use glam::Vec2;
use std::time::Duration;

/// Movement that needs a new frame, in samples of the picture (an eighth of a cell). Slow liquids get half of the frames.
const MIN_MOVEMENT: f32 = 0.5;

impl App {
    /// Advances by as many fixed steps as are due, at most `most`. Returns their number.
    pub fn tick(&mut self, elapsed: Duration, most: u32) -> u32 {
        self.tick_observed(elapsed, most, &mut (), || false)
    }

    /// `is_late` is asked after each step, and ends the tick.
    pub fn tick_observed(
        &mut self,
        elapsed: Duration,
        most: u32,
        observer: &mut dyn StepObserver,
        is_late: impl FnMut() -> bool,
    ) -> u32 {
        let (steps, is_interrupted) = self.simulate(elapsed, most, observer, is_late);
        self.log.push(|| LogEntry::Tick(nanos(elapsed), most, if is_interrupted { steps } else { 0 }));
        steps
    }

    fn simulate(
        &mut self,
        elapsed: Duration,
        most: u32,
        observer: &mut dyn StepObserver,
        mut is_late: impl FnMut() -> bool,
    ) -> (u32, bool) {
        self.advance_input(elapsed);
        if !self.tank.is_here() {
            self.advance_remote();
            self.advance_replay(elapsed);
            self.picture.stale |= self.overlay.status.advance(elapsed);
            return (0, false);
        }
        if self.tank.world.steps() == 0 {
            self.tank.real_time = Duration::ZERO;
        }
        if !self.tank.clock.paused() {
            self.tank.real_time += elapsed;
        }
        let due = if self.is_resting() { 0 } else { self.tank.clock.advance(elapsed) };
        let (mut steps, mut is_interrupted) = (0, false);
        while steps < due.min(most) && !is_interrupted {
            self.step(observer);
            steps += 1;
            is_interrupted = is_late();
        }
        if steps < due {
            // The machine is too slow. The backlog is dropped: slow motion is better than missing frames.
            self.tank.clock.drop_backlog();
        }
        self.add_drift(steps);
        self.report_full_tank();
        self.picture.stale |= self.overlay.status.advance(elapsed);
        self.quit_at_end(elapsed);
        self.advance_fades(elapsed);
        self.saver.flash_limiter.advance(elapsed);
        self.advance_idle_time(elapsed);
        (steps, is_interrupted)
    }

    /// Lets idle time pass: nothing changes, but the screensaver may become due.
    pub fn rest(&mut self, elapsed: Duration) {
        self.log.push(|| LogEntry::Rest(nanos(elapsed)));
        self.saver.flash_limiter.advance(elapsed);
        self.advance_idle_time(elapsed);
    }

    pub(in crate::app) fn step(&mut self, observer: &mut dyn StepObserver) {
        self.run_autopilot();
        if let Some(demo) = &mut self.tank.demo {
            demo.before_step(&mut self.tank.world);
        }
        self.tank.feed.step(&mut self.tank.world);
        if let Some(fade) = &mut self.picture.fade {
            fade.world.step();
        }
        self.input.pointer.act(&mut self.tank.world, STEP / self.tank.clock.speed());
        self.tank.world.step_observed(observer);
    }

    /// Adds the largest possible movement in the picture during these steps.
    fn add_drift(&mut self, steps: u32) {
        let samples = (self.camera().scale * Vec2::new(view::SAMPLES.0 as f32, view::SAMPLES.1 as f32)).max_element();
        self.picture.drift += self.tank.world.visible_speed() * steps as f32 * STEP * samples;
        let seen = (self.tank.world.walls().version(), self.tank.world.particles());
        self.picture.stale |=
            seen != self.picture.seen || (steps > 0 && self.tank.world.tilt() != self.tank.world.tilt_target());
        self.picture.seen = seen;
    }

    /// Whether a frame drawn now would differ visibly from the last.
    pub fn wants_frame(&self) -> bool {
        self.picture.stale || self.picture.drift > MIN_MOVEMENT
    }

    /// Whether nothing will change before the next Action.
    pub fn is_idle(&self) -> bool {
        if !self.tank.is_here() {
            return false;
        }
        if self.is_resting() {
            return self.overlay.status.vanishes_in().is_none();
        }
        let resting = self.tank.clock.paused() || self.tank.world.is_asleep();
        let changing =
            self.saver.pilot.is_some() || self.picture.fade.is_some() || self.picture.palette_transition.is_some();
        let waiting = !self.tank.clock.paused() && self.tank.demo.as_ref().is_some_and(Demo::is_waiting);
        resting
            && !changing
            && !waiting
            && !self.tank.feed.moving
            && self.overlay.status.vanishes_in().is_none()
            && !self.input.tilt.is_pending(self.tilt_returns())
            && !self.overlay.stats.open
    }

    pub(in crate::app) fn toggle_pause(&mut self) {
        self.tank.clock.toggle_pause();
        // The pointer's movement during the pause must not act as one large push.
        self.input.pointer.catch_up();
    }

    pub(in crate::app) fn step_once(&mut self) {
        if !self.tank.clock.paused() {
            self.tank.clock.toggle_pause();
        }
        self.step(&mut ());
    }

    pub(in crate::app) fn set_speed(&mut self, speed: f32) {
        self.tank.clock.set_speed(speed);
        self.overlay.status.speed.start(LINGER);
    }
}
