//! The hint: the few keys to begin with, as one dim line at the head of the window.

use crate::app::action::help;
use crate::app::overlay::state::Overlay;
use crate::app::overlay::theme::OverlayTheme;
use crate::app::overlay::view::OverlayView;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::text::Line;
use std::time::Duration;

/// How long it stays at the start, and after a key that means nothing.
pub const AT_START: Duration = Duration::from_secs(6);
pub const AFTER_UNKNOWN_KEY: Duration = Duration::from_secs(3);

/// Draws the hint. In a narrow window it says less.
pub fn draw(overlay: &mut Overlay, view: &OverlayView, buf: &mut Buffer) {
    if !overlay.hint_shown() {
        return;
    }
    let area = view.camera.area();
    let separator = if view.theme.unicode { " · " } else { " | " };
    let scenes = view.options.scenes.len() > 1 && view.tank.demo.is_none();
    let parts = help::hint(&view.options.controls.keymap, view.options.controls.mouse, scenes, view.theme.unicode);
    draw_hint(parts, separator, &view.theme, area, buf);
}

/// Draws as many of the parts as fit.
pub fn draw_hint(mut parts: Vec<String>, separator: &str, theme: &OverlayTheme, area: Rect, buf: &mut Buffer) {
    // The mouse is tried anyway, and the last part, which leads to all others, stays longest.
    while parts.len() > 1 && Line::raw(parts.join(separator)).width() + 2 > usize::from(area.width) {
        parts.remove(usize::from(parts.len() > 2));
    }
    let text = parts.join(separator);
    if Line::raw(&*text).width() <= usize::from(area.width) {
        theme.line(&text, true, area, area.y, buf);
    }
}
