//! The screensaver as part of the app, and the autopilot that plays the toy while there is no input.

use crate::app::action::{Action, Activity};
use crate::app::saver::autopilot::{Autopilot, AutopilotInput, CALM, GENTLE, GENTLE_AND_CALM, LIVELY};
use crate::app::saver::{ARMING, FPS, IDLE_PLAY, IdlePlay, SETTLING, Saver};
use crate::app::{App, Request};
use std::time::Duration;

/// The autopilot's brush, as a fraction of a square tank's side. The autopilot stirs a quarter of the window at a time; with
/// the larger brush of the toy the splashes flashed seven times a second.
pub(super) const AUTOPILOT_BRUSH: f32 = 0.1;

impl App {
    /// Whether the autopilot plays as the screensaver.
    pub fn is_piloted(&self) -> bool {
        self.saver.active.is_some()
    }

    /// Whether the autopilot plays because there is no input.
    pub fn is_played_idly(&self) -> bool {
        self.saver.idle_play.is_some()
    }

    /// Whether the simulation is stopped until the next input, after a long time without any.
    pub fn is_resting(&self) -> bool {
        self.saver.resting
    }

    /// Upper limit on frames a second: the user's, and a lower one while the autopilot plays.
    pub fn fps(&self) -> u32 {
        let played = self.is_piloted() || self.is_played_idly();
        if played { self.options.look.fps.min(FPS) } else { self.options.look.fps }
    }

    /// Starts the screensaver.
    pub(super) fn start_saver(&mut self) {
        self.input.pointer.drop_all();
        self.input.pointer.set_brush(AUTOPILOT_BRUSH);
        self.input.pointer_shown = false;
        self.overlay.quiet = true;
        let saver = &self.options.saver;
        let profile = if saver.reduced_motion { CALM } else { LIVELY };
        let autopilot = Autopilot::new(self.options.simulation.seed, profile);
        let autopilot = autopilot.with_scenes(self.options.playlist(), saver.every.as_secs_f32());
        self.saver.active = Some(Saver { autopilot, since: Duration::ZERO, pointer: None, actions: Vec::new() });
    }

    /// Counts time without input. After some of it the autopilot plays gently, and after much more the simulation stops.
    pub(super) fn advance_idle_time(&mut self, elapsed: Duration) {
        self.saver.idle_time += elapsed;
        if let Some(saver) = &mut self.saver.active {
            saver.since += elapsed;
            return;
        }
        let Some(idle) = self.options.saver.idle.filter(|_| !self.saver.resting) else { return };
        let rests_at = idle + IDLE_PLAY;
        if self.saver.idle_time >= rests_at {
            self.stop_idle_play();
            self.saver.resting = true;
            self.picture.stale = true;
        } else if self.saver.idle_time >= rests_at - SETTLING {
            self.stop_idle_play();
        } else if self.saver.idle_time >= idle && !self.is_played_idly() && self.may_play_idly() {
            self.start_idle_play();
        }
    }

    /// Whether the autopilot may start: not while the user has paused, or something is open.
    fn may_play_idly(&self) -> bool {
        !self.overlay.is_open(&self.input) && !self.tank.clock.paused() && !self.has_demo()
    }

    fn start_idle_play(&mut self) {
        let profile = if self.options.saver.reduced_motion { GENTLE_AND_CALM } else { GENTLE };
        // Different play every time.
        let seed = self.options.simulation.seed.wrapping_add(self.tank.world.steps());
        let autopilot = Autopilot::new(seed, profile).at_angle(self.tank.world.tilt_target());
        self.saver.idle_play = Some(IdlePlay { autopilot, actions: Vec::new(), brush: self.input.pointer.brush() });
        self.input.pointer.drop_all();
        self.input.pointer.set_brush(AUTOPILOT_BRUSH);
        self.overlay.clear();
        self.overlay.status.hidden = true;
        self.picture.stale = true;
    }

    fn stop_idle_play(&mut self) {
        let Some(play) = self.saver.idle_play.take() else { return };
        self.input.pointer.drop_all();
        self.input.pointer.set_brush(play.brush);
        self.tank.world.tilt_to(play.autopilot.home());
        self.overlay.clear();
        self.overlay.status.hidden = false;
        self.picture.stale = true;
    }

    /// Called for each input: ends play by the autopilot and rest. The input then takes effect.
    pub(super) fn touched(&mut self) {
        self.saver.idle_time = Duration::ZERO;
        self.stop_idle_play();
        if std::mem::take(&mut self.saver.resting) {
            self.tank.clock.drop_backlog();
            self.picture.stale = true;
        }
    }

    /// Performs the autopilot's Actions for a step of the world.
    pub(super) fn run_autopilot(&mut self) {
        let autopilot_input = self.autopilot_input();
        let playing = match (&mut self.saver.active, &mut self.saver.idle_play) {
            (Some(saver), _) => Some((&mut saver.autopilot, &mut saver.actions)),
            (None, Some(play)) => Some((&mut play.autopilot, &mut play.actions)),
            (None, None) => None,
        };
        let Some((autopilot, buffer)) = playing else { return };
        let mut actions = std::mem::take(buffer);
        autopilot.act(&autopilot_input, &mut actions);
        for action in actions.drain(..) {
            self.apply(action);
        }
        if let Some(buffer) = self.autopilot_buffer() {
            *buffer = actions;
        }
    }

    fn autopilot_buffer(&mut self) -> Option<&mut Vec<Action>> {
        match (&mut self.saver.active, &mut self.saver.idle_play) {
            (Some(saver), _) => Some(&mut saver.actions),
            (None, Some(play)) => Some(&mut play.actions),
            (None, None) => None,
        }
    }

    fn autopilot_input(&self) -> AutopilotInput {
        AutopilotInput {
            window: (self.picture.window.columns, self.picture.window.rows),
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
        if self.options.saver.exit_on.dismissed_by(activity, first) {
            self.saver.active = None;
            self.request = Some(Request::Quit);
        }
    }
}
