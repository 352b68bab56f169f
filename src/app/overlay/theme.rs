//! Styles and boxes of the overlay.

use crate::app::options::OverlayColors;
use crate::cell::color::mix;
use crate::view::{ColorDepth, Rgb};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::symbols::border;
use ratatui_core::text::Line;
use ratatui_core::widgets::Widget;
use ratatui_widgets::block::Block;
use ratatui_widgets::borders::BorderType;
use ratatui_widgets::clear::Clear;
use ratatui_widgets::paragraph::Paragraph;

/// Of text and background, how much the faint text has of the text's colour (in linear light).
const FAINT: f32 = 0.65;

/// The smallest box that gets a border: in a window of three rows a border would leave nothing to read.
const MIN_BORDERED: (u16, u16) = (12, 4);

/// The styles of the overlay, and the characters that the terminal has for it.
#[derive(Clone, Copy, Debug)]
pub struct OverlayTheme {
    pub text: Style,
    pub strong: Style,
    pub faint: Style,
    /// Characters beyond ASCII are available.
    pub unicode: bool,
    pub depth: ColorDepth,
}

impl OverlayTheme {
    /// The theme in `colors`, as far as `depth` has them; without colours, white on black.
    pub fn new(colors: Option<OverlayColors>, depth: ColorDepth, unicode: bool) -> Self {
        let near = |rgb: Rgb| depth.nearest(Color::Rgb(rgb.0, rgb.1, rgb.2));
        let [text, background, faint] = match colors {
            None => [Color::White, Color::Black, Color::DarkGray],
            Some(OverlayColors { text, background }) => {
                let faint = Rgb::from_linear(mix(background.linear(), text.linear(), FAINT));
                [near(text), near(background), near(faint)]
            }
        };
        let style = |color| Style::new().fg(color).bg(background);
        Self { text: style(text), strong: style(text).add_modifier(Modifier::BOLD), faint: style(faint), unicode, depth }
    }

    /// Draws a line of text, cut to the window, with its own background.
    pub fn line(text: &str, style: Style, area: Rect, buf: &mut Buffer) {
        let area = area.intersection(buf.area);
        Clear.render(area, buf);
        Line::styled(text, style).render(area, buf);
        buf.set_style(area, style);
    }

    /// Draws a box with lines in it, cut to the window.
    pub fn boxed(&self, title: &str, lines: Vec<Line>, area: Rect, buf: &mut Buffer) {
        let area = area.intersection(buf.area);
        let block = Block::bordered().title(Line::styled(format!(" {title} "), self.strong)).style(self.text);
        let block = if self.unicode { block.border_type(BorderType::Rounded) } else { block.border_set(ASCII) };
        let bordered = area.width >= MIN_BORDERED.0 && area.height >= MIN_BORDERED.1;
        let block = if bordered { block } else { Block::new().style(self.text) };
        Clear.render(area, buf);
        Paragraph::new(lines).style(self.text).block(block).render(area, buf);
    }
}

const ASCII: border::Set = border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};
