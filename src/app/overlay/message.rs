//! A message at the foot of the window.

use crate::app::overlay::state::Overlay;
use crate::app::overlay::theme::OverlayTheme;
use crate::app::overlay::view::OverlayView;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::text::Line;
use textwrap::WordSplitter;

/// Draws the message, else that time is paused, in as many lines as it needs: a share code or a path is shown whole.
pub fn draw(overlay: &mut Overlay, view: &OverlayView, buf: &mut Buffer) {
    let paused = view.tank.clock.paused().then_some("paused");
    let Some(message) = overlay.message().or(paused) else { return };
    let window = buf.area;
    let columns = usize::from(window.width.saturating_sub(2)).max(1);
    // A hyphen in a code or a path is a letter like any other.
    let lines = textwrap::wrap(message, textwrap::Options::new(columns).word_splitter(WordSplitter::NoHyphenation));
    let width = lines.iter().map(|line| Line::raw(&**line).width() + 2).max().unwrap_or(0) as u16;
    let x = window.x + window.width.saturating_sub(width) / 2;
    let first = window.bottom().saturating_sub(lines.len() as u16).max(window.y);
    for (y, text) in (first..).zip(&lines) {
        OverlayTheme::line(&format!(" {text}"), view.theme.strong, Rect::new(x, y, width, 1), buf);
    }
}
