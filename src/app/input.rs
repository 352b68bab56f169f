//! The effects of the direction keys (they tilt, move the pointer, or scroll), and the pointer, moved by the mouse or
//! by keys.

use crate::app::App;
use crate::app::action::tilt::TiltMode;
use crate::app::action::{Direction, PointerMode};
use crate::sim::liquid::Liquid;
use crate::sim::world::inlets_outlets::pointer_stream;
use glam::Vec2;
use std::time::Duration;

/// Cells that a pressed direction moves the pointer, across and down; and the factor with shift.
pub(super) const STEP_CELLS: Vec2 = Vec2::new(2.0, 1.0);
pub(super) const FAR_FACTOR: f32 = 4.0;

/// Cells a second that a held direction moves the pointer.
pub(super) const HELD_CELLS: Vec2 = Vec2::new(40.0, 20.0);

/// The direction keys.
impl App {
    pub(super) fn handle_direction(&mut self, side: Direction, times: f32) {
        if self.overlay.help.open {
            self.overlay.help.scroll(side);
        } else if self.overlay.picker.open {
            self.overlay.picker.handle_direction(&self.options, side, false);
        } else if self.overlay.panel.open {
            self.overlay.panel.handle_direction(&mut self.tank.world, side, false);
        } else if self.input.pointer_shown && !self.input.tilt.holds(side) {
            self.nudge_hand(side, times);
        } else if !self.input.tilt.holds(side) {
            let angle = self.input.tilt.press(self.tank.world.tilt_target(), side);
            self.tilt_to(angle);
        }
    }

    pub(super) fn hold(&mut self, side: Direction) {
        if self.overlay.help.open || self.overlay.picker.open || self.overlay.panel.open {
            self.handle_direction(side, 1.0);
        } else if self.input.pointer_shown {
            self.input.tilt.mark(side);
            self.nudge_hand(side, 1.0);
        } else {
            let angle = self.input.tilt.hold(self.tank.world.tilt_target(), side);
            self.tilt_to(angle);
        }
    }

    pub(super) fn shake(&mut self, side: Direction) {
        if self.overlay.picker.open {
            self.overlay.picker.handle_direction(&self.options, side, true);
        } else if self.overlay.panel.open {
            self.overlay.panel.handle_direction(&mut self.tank.world, side, true);
        } else if self.input.pointer_shown {
            self.nudge_hand(side, FAR_FACTOR);
        } else {
            self.tank.world.shake(direction(side));
        }
    }

    pub(super) fn tilt_to(&mut self, angle: f32) {
        self.tank.world.tilt_to(angle);
        self.overlay.status.show_tilt();
    }

    /// Tilts for another source than the direction keys: the tilt stays.
    pub(super) fn set_tilt(&mut self, angle: f32) {
        self.input.tilt.forget();
        self.tilt_to(angle);
    }

    /// Continues tilting, or moving the pointer, for held directions.
    pub(super) fn advance_input(&mut self, elapsed: Duration) {
        let seconds = elapsed.as_secs_f32().min(0.25);
        self.input.tilt.pass(seconds);
        if self.input.pointer_shown {
            let (x, y) = self.input.tilt.direction();
            if (x, y) != (0.0, 0.0) {
                self.shift_hand(Vec2::new(x, -y) * HELD_CELLS * seconds);
            }
            return;
        }
        let before = self.tank.world.tilt_target();
        let returns = self.options.controls.tilt == TiltMode::Return && !self.tank.clock.paused();
        let angle = self.input.tilt.advance(before, seconds, returns);
        if angle != before {
            self.tilt_to(angle);
        }
        if self.tank.world.tilt() != angle && !self.tank.clock.paused() && !self.is_resting() {
            self.overlay.status.show_tilt();
        }
    }
}

pub(super) fn direction(side: Direction) -> Vec2 {
    match side {
        Direction::Left => Vec2::NEG_X,
        Direction::Right => Vec2::X,
        Direction::Up => Vec2::Y,
        Direction::Down => Vec2::NEG_Y,
    }
}

/// The pointer, moved by the mouse or by keys.
impl App {
    /// The tool of the left button.
    pub fn tool(&self) -> PointerMode {
        self.input.tools.selected()
    }

    /// The tool of the left button, in a word or two.
    pub fn tool_label(&self) -> String {
        self.input.tools.label(&self.tank.world)
    }

    pub(super) fn select_tool(&mut self, tool: PointerMode) {
        self.input.tools.select(tool);
        self.show_tool();
    }

    pub(super) fn toggle_walls(&mut self) {
        self.select_tool(self.input.tools.walls_or_back());
    }

    /// Selects the next fluid or dye, and pouring with it.
    pub(super) fn next_fluid(&mut self) {
        self.input.tools.next_fluid(&self.tank.world);
        self.show_tool();
    }

    fn show_tool(&mut self) {
        self.input.pointer.drop_all();
        self.overlay.show_brush();
    }

    /// Sets the number of the fluid or dye that the pointer pours. Returns whether there is anything to pour.
    fn prepare_to_pour(&mut self) -> bool {
        match self.input.tools.number_to_pour(&mut self.tank.world) {
            Ok(number) => self.input.pointer.pours = number,
            Err(message) => {
                self.overlay.status.show_message(message);
                return false;
            }
        }
        true
    }

    /// Reports the reason for which the pointer cannot pour more.
    pub(super) fn report_full_tank(&mut self) {
        let world = &self.tank.world;
        let full = |liquid: &Liquid| world.particles() >= pointer_stream::max_particles(liquid, world.size());
        if self.input.pointer.grip() == Some(PointerMode::Pour) && world.liquid().is_some_and(full) {
            self.overlay.status.show_message("the tank is full");
        }
    }

    pub(super) fn show_hand(&mut self, shown: bool) {
        if shown && !self.input.pointer_shown {
            self.overlay.status.show_message("pointer: directions move it, ? shows its keys");
        }
        self.input.pointer_shown = shown;
        self.input.pointer.drop_all();
        self.input.tilt.let_go_all();
    }

    /// Presses the pointer's button, or releases it.
    pub(super) fn grip(&mut self, grip: PointerMode) {
        if !self.input.pointer_shown {
            self.show_hand(true);
        }
        let held = self.input.pointer.grip();
        // There is a separate key for bursts: a release at the place of the press causes none.
        self.input.pointer.drop_all();
        if held != Some(grip) {
            self.close_pointer(grip, self.input.pointer.target);
        }
    }

    fn nudge_hand(&mut self, side: Direction, times: f32) {
        let direction = direction(side);
        self.shift_hand(Vec2::new(direction.x, -direction.y) * STEP_CELLS * times);
    }

    /// Moves the pointer by a number of cells, within the tank.
    fn shift_hand(&mut self, cells: Vec2) {
        let camera = self.camera();
        let there = camera.to_world(camera.to_cell(self.input.pointer.target) + cells);
        let inside = there.clamp(Vec2::ZERO, self.tank.world.size());
        self.input.pointer.go_to(&mut self.tank.world, inside, 0.0);
        self.picture.stale = true;
    }

    pub(super) fn resize_brush(&mut self, larger: bool) {
        if self.overlay.picker.open {
            let side = if larger { Direction::Up } else { Direction::Down };
            return self.overlay.picker.handle_direction(&self.options, side, false);
        }
        self.input.pointer.resize(larger);
        self.overlay.show_brush();
    }

    pub(super) fn press(&mut self, grip: PointerMode, at: Vec2) {
        let window = self.window_area();
        if self.overlay.picker.open {
            return self.pick_at(at);
        }
        if self.overlay.panel.press(&mut self.tank.world, window, at) {
            return;
        }
        let at = self.camera().to_world(at);
        if !at.is_finite() {
            return;
        }
        self.close_pointer(grip, at);
    }

    /// Presses a button at a place in the tank, metres.
    fn close_pointer(&mut self, grip: PointerMode, at: Vec2) {
        if grip == PointerMode::Pour && !self.prepare_to_pour() {
            return;
        }
        self.input.pointer.close(&mut self.tank.world, grip, at);
    }

    pub(super) fn move_hand(&mut self, at: Vec2) {
        let window = self.window_area();
        if self.overlay.panel.drag(&mut self.tank.world, window, at) {
            return;
        }
        let camera = self.camera();
        // A movement of less than half a cell is a click, not a drag.
        let slack = 0.5 / camera.scale().x;
        let at = camera.to_world(at);
        if at.is_finite() {
            self.input.pointer.go_to(&mut self.tank.world, at, slack);
        }
    }

    pub(super) fn release(&mut self, at: Vec2) {
        self.move_hand(at);
        if !self.overlay.panel.release() {
            self.input.pointer.open();
        }
    }

    pub(super) fn back(&mut self) {
        if self.overlay.help.open {
            self.overlay.help.toggle();
        } else if self.overlay.picker.open {
            self.toggle_picker();
        } else if self.overlay.panel.open {
            self.toggle_panel();
        } else if self.overlay.stats.open {
            self.overlay.stats.open = false;
        } else if self.input.pointer_shown {
            self.show_hand(false);
        } else if self.tool() != PointerMode::Push {
            self.select_tool(PointerMode::Push);
        } else {
            self.quit();
        }
    }
}
