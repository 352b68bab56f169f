use crate::app::input::tilt::Tilt;
use crate::app::input::tools::Tools;
use crate::sim::world::pointer::Pointer;
use glam::Vec2;

/// What the user holds: directions, the pointer and its tool, the focus.
pub struct Input {
    pub tilt: Tilt,
    pub pointer: Pointer,
    pub pointer_shown: bool,
    pub tools: Tools,
    pub focused: bool,
}

impl Input {
    pub fn new(pointer: Vec2) -> Self {
        Self {
            tilt: Tilt::default(),
            pointer: Pointer::new(pointer),
            pointer_shown: false,
            tools: Tools::default(),
            focused: true,
        }
    }
}
