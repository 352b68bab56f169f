//! A picture of a shared tank: all of it, letterboxed in a window of any shape, with the guests' hands.

use crate::app::action::{TerminalCaps, Window};
use crate::app::layers::OverlayTheme;
use crate::app::options::LookOptions;
use crate::app::shared_tank::guest::Hand;
use crate::app::shared_tank::{SharedTank, hands_layer};
use crate::scene::Scene;
use crate::sim::World;
use crate::view::{Camera, Painter, RenderStyle};
use ratatui::buffer::Buffer;

/// The default window of recorded frames, which suits [`DEFAULT_ASPECT`](super::DEFAULT_ASPECT).
pub const WINDOW: Window = Window { columns: 96, rows: 20, cell: [0, 0] };

pub struct SharedView {
    look: LookOptions,
    /// The terminal has characters beyond ASCII.
    unicode: bool,
    style: RenderStyle,
    /// The scene that the style's palette was chosen for.
    chosen_for: Option<String>,
    /// Width and height of a cell in pixels; 0 where unknown.
    cell_pixels: (u16, u16),
    painter: Painter,
}

impl SharedView {
    pub fn new(look: LookOptions, terminal: TerminalCaps, cell_pixels: (u16, u16)) -> Self {
        let style = look.style(&terminal);
        Self { look, unicode: terminal.unicode, style, chosen_for: None, cell_pixels, painter: Painter::default() }
    }

    pub fn draw(&mut self, tank: &SharedTank, buf: &mut Buffer) {
        self.paint(&tank.world, tank.scene(), tank.hands(), buf);
    }

    pub fn paint(&mut self, world: &World, scene: &Scene, hands: impl Iterator<Item = Hand>, buf: &mut Buffer) {
        if self.chosen_for.as_ref() != Some(&scene.name) {
            self.chosen_for = Some(scene.name.clone());
            self.style.palette = self.look.palette_for(&scene.world);
        }
        self.painter.paint(world, &self.style, self.cell_pixels, buf.area, buf);
        let camera = Camera::new(buf.area, self.cell_pixels, world.size());
        let (background, _) = self.style.background.resolve(&self.style.palette);
        let theme = OverlayTheme::new(self.look.overlay, background, self.style.depth, self.unicode);
        hands_layer::draw_hands(hands, &camera, &theme, self.style.glyphs, buf);
    }
}

#[derive(Clone, Debug)]
pub struct RecordedView {
    pub look: LookOptions,
    pub settings: String,
    pub window: Window,
}

impl RecordedView {
    pub fn view(&self) -> SharedView {
        SharedView::new(self.look.clone(), TerminalCaps::default(), (0, 0))
    }
}
