//! The window and the terminal: size, focus, capabilities.

use crate::app::App;
use crate::app::action::{TerminalCaps, Window};
use crate::app::demo::Demo;
use crate::sim::WorldOptions;

impl App {
    pub(in crate::app) fn apply_caps(&mut self, terminal: TerminalCaps) {
        // The cells of a page keep the terminal's own background.
        let is_page = self.tank.demo.as_ref().is_some_and(Demo::is_page);
        self.picture.terminal = TerminalCaps { hides_background: terminal.hides_background && !is_page, ..terminal };
        self.restyle();
    }

    pub(in crate::app) fn resize(&mut self, window: Window) {
        if window == self.picture.window {
            return;
        }
        // A demo whose layout depends on the window is laid out again.
        let fresh = self.tank.world.steps() == 0 || self.tank.demo.as_ref().is_some_and(|demo| !demo.is_page());
        self.picture.window = window;
        let WorldOptions { aspect, cells, .. } = self.options.world_options(self.tank_window());
        if fresh {
            // This is the first known size: the tank is built for it, instead of being deformed to it.
            self.rebuild();
        }
        self.tank.world.set_aspect(aspect);
        if let Some(cells) = cells {
            self.tank.world.set_cells(cells);
        }
    }

    pub(in crate::app) fn set_focus(&mut self, focused: bool) {
        self.input.focused = focused;
        // A window without the focus receives no key releases.
        self.input.tilt.let_go_all();
        self.input.pointer.drop_all();
    }
}
