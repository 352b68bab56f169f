//! Play without input: the screensaver's autopilot plays on the tank until a guest acts.

use crate::app::action::Action;
use crate::app::saver::autopilot::{Autopilot, AutopilotInput, CALM, LIVELY};
use crate::app::saver::screensaver::AUTOPILOT_BRUSH;
use crate::app::shared_tank::SharedTank;
use crate::sim::clock::STEP;
use crate::sim::world::pointer::Pointer;
use crate::view::camera::Turn;
use glam::Vec2;
use ratatui::layout::Rect;

/// The window for the autopilot; its positions are converted to fractions of the tank.
const WINDOW: Rect = Rect::new(0, 0, 80, 24);

pub(super) struct SharedIdlePlay {
    autopilot: Autopilot,
    pointer: Pointer,
}

impl SharedTank {
    pub fn is_played_idly(&self) -> bool {
        self.idle_play.is_some()
    }

    /// Lets the autopilot act after the configured time without input. It does not play while there are no guests.
    pub(super) fn play_idly(&mut self) {
        let due = self.config.idle.is_some_and(|idle| self.untouched as f32 * STEP > idle);
        if !due || self.roster.is_empty() {
            if self.idle_play.is_some() {
                self.update_gravity();
            }
            return;
        }
        let mut play = self.idle_play.take().unwrap_or_else(|| self.begin_idle_play());
        let input = AutopilotInput { scene: self.scene_index, ..AutopilotInput::of(&self.world, WINDOW) };
        play.autopilot.act(&input, &mut |action| self.follow(&mut play.pointer, action));
        play.pointer.act(&mut self.world, STEP);
        self.idle_play = Some(play);
    }

    fn begin_idle_play(&mut self) -> SharedIdlePlay {
        for hand in &mut self.hands {
            (hand.tilt, hand.moved) = (None, None);
            hand.pointer.drop_all();
        }
        self.tilt_to(0.0);
        let mut pointer = Pointer::new(self.world.size() / 2.0);
        pointer.set_brush(AUTOPILOT_BRUSH);
        let profile = if self.config.reduced_motion { CALM } else { LIVELY };
        // Different play every time.
        let autopilot = Autopilot::new(self.config.seed.wrapping_add(self.steps), profile);
        SharedIdlePlay { autopilot, pointer }
    }

    /// Performs those Actions of the autopilot that change the tank.
    fn follow(&mut self, pointer: &mut Pointer, action: Action) {
        let (size, turn) = (self.world.size(), Turn::of(&self.world));
        let place = |at: [f32; 2]| {
            let share = Vec2::from(at) / Vec2::new(f32::from(WINDOW.width), f32::from(WINDOW.height));
            turn.back(Vec2::new(share.x, 1.0 - share.y).clamp(Vec2::ZERO, Vec2::ONE) * size)
        };
        let portion = (self.config.particles.unwrap_or(self.world.definition().particles) / 20).max(1);
        match action {
            Action::SetTilt(angle) => self.tilt_to(angle),
            Action::Reset => self.rebuild(),
            Action::Shake(side) => self.world.shake(side.unit()),
            Action::Press(grip, at) => pointer.close(&mut self.world, grip, place(at)),
            Action::Move(at) => pointer.go_to(&mut self.world, place(at), 0.0),
            Action::Release(at) => {
                pointer.go_to(&mut self.world, place(at), 0.0);
                pointer.open();
            }
            Action::Pour if self.world.has_room_for(portion) => self.world.pour(portion),
            Action::Drain => self.world.drain(portion.min(self.world.particles())),
            _ => {}
        }
    }
}
