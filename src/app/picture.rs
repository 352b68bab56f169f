//! The picture: its look, and what it showed last.

mod draw;
pub(super) mod look;
mod window;

use crate::app::Options;
use crate::app::action::{TerminalCaps, Window};
use crate::app::saver::fade::{Fade, PaletteTransition};
use crate::view::{Painter, Palette, RenderStyle};
use std::collections::BTreeMap;

#[derive(Debug, Default)]
pub struct Picture {
    pub look: RenderStyle,
    pub painter: Painter,
    pub window: Window,
    pub terminal: TerminalCaps,
    pub fade: Option<Fade>,
    pub palette_transition: Option<PaletteTransition>,
    /// Palettes that the user has chosen, by the index of the scene.
    pub chosen_palettes: BTreeMap<usize, Palette>,
    pub stale: bool,
    /// Upper limit on the movement of any particle since the last frame, in samples of the picture.
    pub drift: f32,
    /// As of the last tick.
    pub seen: SeenWorld,
}

/// Changes of the world that need a new frame even if no particle moves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeenWorld {
    pub walls: u64,
    pub particles: usize,
}

impl Picture {
    pub fn new(options: &Options) -> Self {
        let look = options.look.style(&TerminalCaps::default());
        Self { look, window: options.window, stale: true, ..Self::default() }
    }
}
