//! What directions do: they tilt, move the hand, or scroll; and the hand, moved by the mouse or by keys.

use crate::app::App;
use crate::app::action::tilt;
use crate::app::action::{Grip, Side};
use glam::Vec2;
use std::time::Duration;

/// Cells that a struck direction moves the hand, across and down; and how many times as far with shift.
const NUDGE: Vec2 = Vec2::new(2.0, 1.0);
const FAR: f32 = 4.0;

/// Cells a second that a held direction moves the hand.
const GLIDE: Vec2 = Vec2::new(40.0, 20.0);

/// Tilting, and what else the direction keys do.
impl App {
    pub(super) fn direct(&mut self, side: Side, times: f32) {
        if self.overlay.help {
            self.overlay.scroll(side);
        } else if self.panel.open {
            self.panel.direct(&mut self.world, side, false);
        } else if self.hand_shown {
            self.nudge_hand(side, times);
        } else {
            self.tilt_to(tilt::notched(self.world.tilt_target(), side));
        }
    }

    pub(super) fn hold(&mut self, side: Side) {
        if self.overlay.help || self.panel.open {
            self.direct(side, 1.0);
        } else if self.hand_shown {
            self.tilt.mark(side);
            self.nudge_hand(side, 1.0);
        } else {
            let angle = self.tilt.hold(self.world.tilt_target(), side);
            self.tilt_to(angle);
        }
    }

    pub(super) fn shake(&mut self, side: Side) {
        if self.panel.open {
            self.panel.direct(&mut self.world, side, true);
        } else if self.hand_shown {
            self.nudge_hand(side, FAR);
        } else {
            self.world.shake(direction(side));
        }
    }

    pub(super) fn tilt_to(&mut self, angle: f32) {
        self.world.tilt_to(angle);
        self.overlay.show_level();
    }

    /// Held directions tilt on, or move the hand on.
    pub(super) fn lean(&mut self, elapsed: Duration) {
        let seconds = elapsed.as_secs_f32().min(0.25);
        if self.hand_shown {
            let (x, y) = self.tilt.direction();
            if (x, y) != (0.0, 0.0) {
                self.shift_hand(Vec2::new(x, -y) * GLIDE * seconds);
            }
            return;
        }
        let before = self.world.tilt_target();
        let angle = self.tilt.advance(before, seconds);
        if angle != before {
            self.tilt_to(angle);
        }
        if self.world.tilt() != angle && !self.clock.paused() {
            self.overlay.show_level();
        }
    }
}

fn direction(side: Side) -> Vec2 {
    match side {
        Side::Left => Vec2::NEG_X,
        Side::Right => Vec2::X,
        Side::Up => Vec2::Y,
        Side::Down => Vec2::NEG_Y,
    }
}

/// The hand, moved by the mouse or by keys.
impl App {
    pub(super) fn main_grip(&self) -> Grip {
        if self.walling { Grip::Wall } else { Grip::Push }
    }

    pub(super) fn show_hand(&mut self, shown: bool) {
        if shown && !self.hand_shown {
            self.overlay.say("the hand: directions move it, ? says more");
        }
        self.hand_shown = shown;
        self.hand.drop_all();
        self.tilt.let_go_all();
    }

    /// Closes the hand, or opens it if it is closed.
    pub(super) fn grip(&mut self, grip: Grip) {
        if !self.hand_shown {
            self.show_hand(true);
        }
        let held = self.hand.grip();
        // Keys have a key for bursting: a hand that opens where it closed only opens.
        self.hand.drop_all();
        if held != Some(grip) {
            self.hand.close(&mut self.world, grip, self.hand.target);
        }
    }

    fn nudge_hand(&mut self, side: Side, times: f32) {
        let direction = direction(side);
        self.shift_hand(Vec2::new(direction.x, -direction.y) * NUDGE * times);
    }

    /// Moves the hand by so many cells, within the tank.
    fn shift_hand(&mut self, cells: Vec2) {
        let camera = self.camera();
        let there = camera.to_world(camera.to_cell(self.hand.target) + cells);
        let inside = there.clamp(Vec2::ZERO, self.world.size());
        self.hand.go_to(&mut self.world, inside, 0.0);
        self.stale = true;
    }

    pub(super) fn toggle_walls(&mut self) {
        self.walling = !self.walling;
        self.hand.drop_all();
        self.overlay.say(if self.walling { "left draws walls" } else { "left carries the fluid" });
    }

    pub(super) fn resize_brush(&mut self, larger: bool) {
        self.hand.resize(larger);
        self.overlay.show_ring();
    }

    pub(super) fn press(&mut self, grip: Grip, at: Vec2) {
        let grip = if grip == Grip::Push { self.main_grip() } else { grip };
        let window = self.window_area();
        if self.panel.press(&mut self.world, window, at) {
            return;
        }
        let at = self.camera().to_world(at);
        if !at.is_finite() {
            return;
        }
        self.hand.close(&mut self.world, grip, at);
    }

    pub(super) fn move_hand(&mut self, at: Vec2) {
        let window = self.window_area();
        if self.panel.drag(&mut self.world, window, at) {
            return;
        }
        let camera = self.camera();
        // Half a cell is where a click ends and a drag begins.
        let slack = 0.5 / camera.scale().x;
        let at = camera.to_world(at);
        if at.is_finite() {
            self.hand.go_to(&mut self.world, at, slack);
        }
    }

    pub(super) fn release(&mut self, at: Vec2) {
        self.move_hand(at);
        if !self.panel.release() {
            self.hand.open();
        }
    }
}
