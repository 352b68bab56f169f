//! The effects of the direction keys (they tilt, move the pointer, or scroll), and the pointer, moved by the mouse or by keys.

pub mod event_map;
pub mod keymap;
pub mod state;
pub mod tilt;
pub mod tools;

use crate::app::App;
use crate::app::action::{Action, PointerMode};
use crate::app::input::tilt::TiltMode;
use crate::app::layers::{LINGER, LayerContext, Timer, key_pointer};
use crate::sim::World;
use crate::sim::life::Life;
use crate::sim::liquid::Liquid;
use crate::sim::world::inlets_outlets::pointer_stream;
use crate::sim::world::pointer::Poured;
use glam::Vec2;
use std::time::Duration;

/// Cells a second that a held direction moves the pointer.
pub(super) const HELD_CELLS: Vec2 = Vec2::new(40.0, 20.0);

impl App {
    pub(super) fn layers_take(&mut self, action: Action) -> bool {
        let before = self.tank_window();
        let mut context = LayerContext {
            window: self.window_area(),
            camera: self.camera(),
            options: &self.options,
            tank: &mut self.tank,
            input: &mut self.input,
            message: None,
            scene: None,
            look: None,
        };
        let taken = self.overlay.take(action, &mut context);
        if taken && self.overlay.is_open(context.input) {
            // What has been opened takes the place of the first keys.
            self.overlay.status.hint = Timer::default();
        }
        let LayerContext { message, scene, look, .. } = context;
        look.into_iter().for_each(|(look, forward)| self.turn_look(look, forward));
        message.into_iter().for_each(|message| self.overlay.status.show_message(message));
        if let Some(scene) = scene
            && !self.host_takes(Action::SetScene(scene as u16))
        {
            self.show_scene(scene);
        }
        let now = self.tank_window();
        if now != before {
            // A panel beside the tank leaves it less room. The resolution of grids is kept: resampling would blur them.
            self.tank.world.set_aspect(self.options.world_options(now).aspect);
        }
        taken
    }

    pub(super) fn tilt_returns(&self) -> bool {
        self.options.controls.tilt == TiltMode::Return && !self.tank.clock.paused()
    }

    pub(super) fn tilt_to(&mut self, angle: f32) {
        self.tank.world.tilt_to(angle);
        self.overlay.status.tilt.start(LINGER);
    }

    /// Tilts for another source than the direction keys: the tilt stays.
    pub(super) fn set_tilt(&mut self, angle: f32) {
        self.input.tilt.forget();
        self.tilt_to(angle);
    }

    pub(super) fn advance_input(&mut self, elapsed: Duration) {
        let seconds = elapsed.as_secs_f32().min(0.25);
        self.input.tilt.pass(seconds);
        if self.input.pointer_shown {
            let (x, y) = self.input.tilt.direction();
            if (x, y) != (0.0, 0.0) {
                let cells = Vec2::new(x, -y) * HELD_CELLS * seconds;
                let camera = self.camera();
                key_pointer::move_by(&mut self.input.pointer, &mut self.tank.world, &camera, cells);
                self.picture.stale = true;
            }
            return;
        }
        let before = self.tank.world.tilt_target();
        let angle = self.input.tilt.advance(before, seconds, self.tilt_returns());
        if angle != before {
            self.tilt_to(angle);
        }
        let turns = self.tank.world.tilt() != angle && self.tank.is_here();
        if turns && !self.tank.clock.paused() && !self.is_resting() {
            self.overlay.status.tilt.start(LINGER);
        }
    }

    pub fn tool_label(&self) -> String {
        self.input.tools.label(&self.tank.world)
    }

    pub(super) fn select_tool(&mut self, tool: PointerMode) {
        self.input.tools.select(tool);
        self.show_tool();
    }

    pub(super) fn next_fluid(&mut self) {
        self.input.tools.next_fluid(&self.tank.world);
        self.show_tool();
    }

    fn show_tool(&mut self) {
        self.input.pointer.drop_all();
        self.overlay.status.tools.start(LINGER);
    }

    pub(super) fn report_full_tank(&mut self) {
        let world = &self.tank.world;
        let full = |liquid: &Liquid| world.particles() >= pointer_stream::max_particles(liquid, world.size());
        let message = match self.input.pointer.grip() {
            Some(PointerMode::Pour) if matches!(self.input.pointer.pours, Poured::Fish(_)) => {
                if world.life().is_none_or(Life::has_room) {
                    return;
                }
                "the tank holds no more fish"
            }
            Some(PointerMode::Pour) if world.liquid().is_some_and(full) => "the tank is full",
            Some(PointerMode::Wall) if world.drawn_walls() >= World::MAX_DRAWN_WALLS => {
                "the tank holds no more walls: erase some, or reset it"
            }
            _ => return,
        };
        self.overlay.status.show_message(message);
    }

    pub(super) fn grip(&mut self, grip: PointerMode) {
        if !self.input.pointer_shown {
            self.layers_take(Action::TogglePointer);
        }
        let held = self.input.pointer.grip();
        // There is a separate key for bursts: a release at the place of the press causes none.
        self.input.pointer.drop_all();
        if held != Some(grip) {
            self.close_pointer(grip, self.input.pointer.target);
        }
    }

    pub(super) fn press(&mut self, grip: PointerMode, at: Vec2) {
        let at = self.camera().to_world(at);
        if at.is_finite() {
            self.close_pointer(grip, at);
        }
    }

    fn close_pointer(&mut self, grip: PointerMode, at: Vec2) {
        if grip == PointerMode::Pour {
            match self.input.tools.to_pour(&mut self.tank.world) {
                Ok(poured) => self.input.pointer.pours = poured,
                Err(message) => return self.overlay.status.show_message(message),
            }
        }
        self.input.pointer.close(&mut self.tank.world, grip, at);
    }

    pub(super) fn move_hand(&mut self, at: Vec2) {
        let camera = self.camera();
        // A movement of less than half a cell is a click, not a drag.
        let slack = 0.5 / camera.scale.x;
        let at = camera.to_world(at);
        if at.is_finite() {
            self.input.pointer.go_to(&mut self.tank.world, at, slack);
        }
    }

    pub(super) fn release(&mut self, at: Vec2) {
        self.move_hand(at);
        self.input.pointer.open();
    }

    /// Returns to the usual tool, and else quits: no layer is open.
    pub(super) fn back(&mut self) {
        if self.input.tools.selected != PointerMode::Push {
            self.select_tool(PointerMode::Push);
        } else {
            self.quit();
        }
    }
}
