//! The picture: its look, and what it showed last.

mod draw;
pub(super) mod look;
mod window;

use crate::app::action::{TerminalCaps, Window};
use crate::app::saver::fade::{Fade, PaletteTransition};
use crate::view::{Painter, Palette, RenderStyle};
use std::collections::BTreeMap;

#[derive(Default)]
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
    /// The version of the walls and the number of particles, as of the last tick: a change needs a new frame.
    pub seen: (u64, usize),
}
