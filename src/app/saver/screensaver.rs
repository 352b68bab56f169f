//! The screensaver as part of the app, and the autopilot that plays the toy while there is no input.

use crate::app::action::Activity;
use crate::app::saver::autopilot::{Autopilot, AutopilotInput, CALM, GENTLE, GENTLE_AND_CALM, LIVELY};
use crate::app::saver::{ARMING, FPS, IDLE_PLAY, Pilot, Role, SETTLING};
use crate::app::{App, Request};
use std::time::Duration;

/// The autopilot's brush, as a fraction of a square tank's side: with the larger brush of the toy the splashes flash.
pub(in crate::app) const AUTOPILOT_BRUSH: f32 = 0.1;

impl App {
    pub fn is_piloted(&self) -> bool {
        self.saver.pilot.as_ref().is_some_and(|pilot| matches!(pilot.role, Role::Screensaver { .. }))
    }

    pub fn is_played_idly(&self) -> bool {
        self.saver.pilot.as_ref().is_some_and(|pilot| matches!(pilot.role, Role::Idle { .. }))
    }

    pub fn is_resting(&self) -> bool {
        self.saver.resting
    }

    pub fn fps(&self) -> u32 {
        if self.saver.pilot.is_some() { self.options.look.fps.min(FPS) } else { self.options.look.fps }
    }

    pub(in crate::app) fn start_saver(&mut self) {
        self.input.pointer.drop_all();
        self.input.pointer.set_brush(AUTOPILOT_BRUSH);
        self.input.pointer_shown = false;
        let saver = &self.options.saver;
        let profile = if saver.reduced_motion { CALM } else { LIVELY };
        let autopilot = Autopilot::new(self.options.simulation.seed, profile);
        let autopilot = autopilot.with_scenes(self.options.playlist(), saver.every.as_secs_f32());
        let role = Role::Screensaver { since: Duration::ZERO, pointer: None };
        self.saver.pilot = Some(Pilot { autopilot, role });
    }

    /// After some time without input the autopilot plays gently, and after much more the simulation stops.
    pub(in crate::app) fn advance_idle_time(&mut self, elapsed: Duration) {
        self.saver.idle_time += elapsed;
        if let Some(Pilot { role: Role::Screensaver { since, .. }, .. }) = &mut self.saver.pilot {
            *since += elapsed;
            return;
        }
        let Some(idle) = self.options.saver.idle.filter(|_| !self.saver.resting) else { return };
        let rests_at = idle + IDLE_PLAY;
        let is_free = !self.overlay.is_open(&self.input) && !self.tank.clock.paused() && self.tank.demo.is_none();
        if self.saver.idle_time >= rests_at {
            self.stop_idle_play();
            self.saver.resting = true;
            self.picture.stale = true;
        } else if self.saver.idle_time >= rests_at - SETTLING {
            self.stop_idle_play();
        } else if self.saver.idle_time >= idle && self.saver.pilot.is_none() && is_free {
            self.start_idle_play();
        }
    }

    fn start_idle_play(&mut self) {
        let profile = if self.options.saver.reduced_motion { GENTLE_AND_CALM } else { GENTLE };
        // Different play every time.
        let seed = self.options.simulation.seed.wrapping_add(self.tank.world.steps());
        let autopilot = Autopilot::new(seed, profile).at_angle(self.tank.world.tilt_target());
        let role = Role::Idle { brush: self.input.pointer.brush() };
        self.saver.pilot = Some(Pilot { autopilot, role });
        self.input.pointer.drop_all();
        self.input.pointer.set_brush(AUTOPILOT_BRUSH);
        self.overlay.status.advance(Duration::MAX);
        self.picture.stale = true;
    }

    fn stop_idle_play(&mut self) {
        let Some(&Pilot { role: Role::Idle { brush }, ref autopilot, .. }) = self.saver.pilot.as_ref() else { return };
        self.tank.world.tilt_to(autopilot.home);
        self.saver.pilot = None;
        self.input.pointer.drop_all();
        self.input.pointer.set_brush(brush);
        self.overlay.status.advance(Duration::MAX);
        self.picture.stale = true;
    }

    /// Called for each input: ends play by the autopilot and rest. The input then takes effect.
    pub(in crate::app) fn touched(&mut self) {
        self.saver.idle_time = Duration::ZERO;
        self.stop_idle_play();
        if std::mem::take(&mut self.saver.resting) {
            self.tank.clock.drop_backlog();
            self.picture.stale = true;
        }
    }

    pub(in crate::app) fn run_autopilot(&mut self) {
        if self.saver.pilot.is_none() {
            return;
        }
        let input = AutopilotInput {
            scene: self.tank.scene_index,
            palettes: self.similar_palettes().count(),
            palette: self.similar_palettes().position(|palette| palette.name() == self.palette().name()).unwrap_or(0),
            ..AutopilotInput::of(&self.tank.world, self.camera().visible())
        };
        // An action may ask whether there is an autopilot, so it is performed when the autopilot is back.
        let mut actions = std::mem::take(&mut self.saver.actions);
        if let Some(pilot) = &mut self.saver.pilot {
            pilot.autopilot.act(&input, &mut |action| actions.push(action));
        }
        actions.drain(..).for_each(|action| self.apply(action));
        self.saver.actions = actions;
    }

    /// Whether the screensaver did not heed input yet, this long ago.
    pub fn was_arming(&self, ago: Duration) -> bool {
        let role = self.saver.pilot.as_ref().map(|pilot| &pilot.role);
        matches!(role, Some(Role::Screensaver { since, .. }) if since.saturating_sub(ago) < ARMING)
    }

    pub(in crate::app) fn on_activity(&mut self, activity: Activity) {
        if let Activity::Focus(focused) = activity {
            self.set_focus(focused);
        }
        let Some(Pilot { role: Role::Screensaver { since, pointer }, .. }) = &mut self.saver.pilot else { return };
        if *since < ARMING {
            return;
        }
        let first = *pointer;
        if let Activity::Pointer(at) = activity {
            pointer.get_or_insert(at);
        }
        if self.options.saver.exit_on.dismissed_by(activity, first) {
            self.saver.pilot = None;
            self.request = Some(Request::Quit);
        }
    }
}
