//! The input for drawing the overlay.

use crate::app::action::PointerMode;
use crate::app::layers::theme::OverlayTheme;
use crate::app::options::Options;
use crate::app::state::{Input, Tank};
use crate::view::{Camera, RenderStyle};
use glam::Vec2;

/// The state of the app that the overlay shows, besides its own.
pub struct OverlayView<'a> {
    pub options: &'a Options,
    pub tank: &'a Tank,
    pub input: &'a Input,
    /// The simulation is stopped until the next input.
    pub resting: bool,
    pub key_release: bool,
    pub theme: OverlayTheme,
    pub look: &'a RenderStyle,
    /// The palette that is chosen.
    pub palette: &'a str,
    pub camera: Camera,
}

impl OverlayView<'_> {
    pub fn pointer(&self) -> Vec2 {
        self.camera.to_cell(self.input.pointer.target)
    }

    pub fn tool(&self) -> PointerMode {
        self.input.pointer.grip().unwrap_or(self.input.tools.selected)
    }

    /// The radius of the tool, in cells across and down.
    pub fn brush(&self) -> Vec2 {
        self.camera.scale() * self.input.pointer.reach(&self.tank.world, self.tool())
    }
}
