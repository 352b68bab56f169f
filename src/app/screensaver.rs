//! The screensaver as part of the app: when it starts, and what it restores.

use crate::app::action::Activity;
use crate::app::saver::autopilot::{Autopilot, AutopilotInput};
use crate::app::saver::fade::{Fade, QUICK_COLORS};
use crate::app::saver::{ARMING, ExitOn, FPS, SavedState, Saver};
use crate::app::{App, Request};
use std::time::Duration;

/// The autopilot's brush, as a fraction of a square tank's side: it stirs a quarter of a window at a time, and with the
/// toy's brush the splashes flashed seven times a second.
const AUTOPILOT_BRUSH: f32 = 0.1;

impl App {
    /// Whether the autopilot plays.
    pub fn is_piloted(&self) -> bool {
        self.saver.active.is_some()
    }

    /// Upper limit on frames a second: the user's, and a lower one while the autopilot plays.
    pub fn fps(&self) -> u32 {
        if self.is_piloted() { self.options.fps.min(FPS) } else { self.options.fps }
    }

    /// Starts the autopilot: for good, or until the next input.
    pub(super) fn start_autopilot(&mut self, for_good: bool) {
        let saved = || SavedState {
            world: self.tank.world.clone(),
            current: self.tank.scene_index,
            palette: self.palette().clone(),
            brush: self.input.pointer.brush(),
        };
        let saved = (!for_good).then(saved);
        self.input.pointer.drop_all();
        self.input.pointer.set_brush(AUTOPILOT_BRUSH);
        self.input.pointer_shown = false;
        self.overlay.quiet = true;
        let autopilot = Autopilot::new(self.options.simulation.seed, self.options.saver.reduced_motion);
        self.saver.active = Some(Saver { autopilot, since: Duration::ZERO, pointer: None, actions: Vec::new(), saved });
    }

    /// Counts time without input; enough of it starts the autopilot.
    pub(super) fn advance_idle_time(&mut self, elapsed: Duration) {
        self.saver.idle_time += elapsed;
        if let Some(saver) = &mut self.saver.active {
            saver.since += elapsed;
        } else if self.options.saver.idle.is_some_and(|idle| self.saver.idle_time >= idle) && !self.tank.clock.paused()
        {
            self.start_autopilot(false);
            self.picture.stale = true;
        }
    }

    /// Performs the autopilot's Actions for a step of the world.
    pub(super) fn run_autopilot(&mut self) {
        let autopilot_input = self.autopilot_input();
        let Some(saver) = &mut self.saver.active else { return };
        let mut actions = std::mem::take(&mut saver.actions);
        saver.autopilot.act(&autopilot_input, &mut actions);
        for action in actions.drain(..) {
            self.apply(action);
        }
        if let Some(saver) = &mut self.saver.active {
            saver.actions = actions;
        }
    }

    fn autopilot_input(&self) -> AutopilotInput {
        AutopilotInput {
            window: (self.picture.window.columns, self.picture.window.rows),
            scenes: self.tour().max(1),
            scene: self.tank.scene_index,
            palettes: self.similar_palettes().count(),
            palette: self.similar_palettes().position(|palette| palette.name() == self.palette().name()).unwrap_or(0),
        }
    }

    /// Handles input while the autopilot plays.
    pub(super) fn on_activity(&mut self, activity: Activity) {
        if let Activity::Focus(focused) = activity {
            self.set_focus(focused);
        }
        let Some(saver) = &mut self.saver.active else { return };
        if saver.since < ARMING {
            return;
        }
        let first = saver.pointer;
        if let Activity::Pointer(at) = activity {
            saver.pointer.get_or_insert(at);
        }
        // In the toy the mouse is a tool, so it always counts.
        let policy = if saver.saved.is_some() { ExitOn::KeyOrMouse } else { self.options.saver.exit_on };
        if policy.dismissed_by(activity, first) {
            self.stop_autopilot();
        }
    }

    /// Stops the autopilot: the program ends, or the toy is restored.
    fn stop_autopilot(&mut self) {
        let Some(Saver { saved, .. }) = self.saver.active.take() else { return };
        let Some(saved) = saved else {
            self.request = Some(Request::Quit);
            return;
        };
        self.overlay.quiet = false;
        self.input.pointer.drop_all();
        self.input.pointer.set_brush(saved.brush);
        self.tank.scene_index = saved.current;
        let old = std::mem::replace(&mut self.tank.world, saved.world);
        self.tank.world.set_aspect(self.window_aspect());
        self.picture.fade = Some(Fade::new(old, self.picture.look.clone()));
        self.recolor_to(saved.palette, QUICK_COLORS);
        self.tank.clock.drop_backlog();
        self.saver.idle_time = Duration::ZERO;
    }
}
