//! What is drawn over the picture: help, stats, the pointer, the panel, the status row, and the hint.
//!
//! A new overlay is a file here, and an entry of `LAYERS`; a short text is an entry of `status::ITEMS` instead. Every
//! layer is cut to the window, however small, and can be read over any fluid.

pub mod help;
pub mod hint;
mod hud;
pub mod panel;
pub mod picker;
mod ring;
mod state;
mod stats;
pub mod status;
mod theme;
mod view;

use ratatui_core::buffer::Buffer;
pub use state::Overlay;
pub use theme::OverlayTheme;
pub use view::OverlayView;

/// One layer of the overlay. It draws nothing while it is closed.
type Layer = fn(&mut Overlay, &OverlayView, &mut Buffer);

/// All layers, in drawing order.
const LAYERS: [Layer; 8] =
    [ring::draw, hud::pointer, stats::draw, draw_panel, hint::draw, status::draw, draw_picker, help::draw];

fn draw_panel(overlay: &mut Overlay, view: &OverlayView, buf: &mut Buffer) {
    overlay.panel.draw(view, buf);
}

fn draw_picker(overlay: &mut Overlay, view: &OverlayView, buf: &mut Buffer) {
    overlay.picker.draw(view, buf);
}

/// Draws the overlay.
pub fn draw(overlay: &mut Overlay, view: &OverlayView, buf: &mut Buffer) {
    if !overlay.quiet {
        LAYERS.iter().for_each(|layer| layer(overlay, view, buf));
    }
}
