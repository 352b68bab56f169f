//! Styles and boxes of the overlay.

use crate::cell::color::mix;
use crate::view::widget::text_over_fluid::{self, is_light};
use crate::view::{ColorDepth, Rgb};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::border;
use ratatui::text::Line;
use ratatui::widgets::{Block, BorderType, Clear, Paragraph, Widget};

/// Least fraction of the text's colour in faint text, in linear light; the rest is the background's.
const FAINT: f32 = 0.65;

/// The contrast of faint text and its background, by WCAG 2, which requires 4.5.
const FAINT_CONTRAST: f32 = 5.0;

/// The smallest box that gets a border: in a window of three rows a border would leave no room for text.
const MIN_BORDERED: (u16, u16) = (12, 4);

#[derive(Clone, Copy, Debug)]
pub struct OverlayTheme {
    pub text: Style,
    pub strong: Style,
    pub faint: Style,
    pub unicode: bool,
    pub depth: ColorDepth,
    pub background: Rgb,
    /// A single line of text is drawn on the picture itself: with enough colours, if none are set for the overlay.
    over_picture: bool,
}

impl OverlayTheme {
    /// Without `colors`: white on black, or black on white if the picture's `background` is light.
    pub fn new(colors: Option<[Rgb; 2]>, background: Rgb, depth: ColorDepth, unicode: bool) -> Self {
        let over_picture = colors.is_none() && matches!(depth, ColorDepth::TrueColor | ColorDepth::Ansi256);
        let behind = background;
        let [text, background, faint] = match colors {
            None if is_light(background) => [Color::Black, Color::White, Color::DarkGray],
            None => [Color::White, Color::Black, Color::DarkGray],
            Some([text, background]) => {
                let fraction = faint_fraction(background, text).max(FAINT);
                let faint = Rgb::from_linear(mix(background.linear(), text.linear(), fraction));
                [text, background, faint].map(|rgb| depth.nearest(rgb))
            }
        };
        let style = |color| Style::new().fg(color).bg(background);
        // Many terminals show bold black as grey.
        let bold = if text == Color::Black { Modifier::empty() } else { Modifier::BOLD };
        let strong = style(text).add_modifier(bold);
        Self { text: style(text), strong, faint: style(faint), unicode, depth, background: behind, over_picture }
    }

    /// Draws a line of text with a blank on each side, in the middle of row `y` of `within`, cut to it.
    pub fn line(&self, text: &str, faint: bool, within: Rect, y: u16, buf: &mut Buffer) {
        let width = (Line::raw(text).width() as u16).saturating_add(2).min(within.width);
        let area = Rect::new(within.x + (within.width - width) / 2, y, width, 1).intersection(buf.area);
        if area.is_empty() {
            return;
        }
        if self.over_picture {
            self.dim(faint, area, buf);
        } else {
            Clear.render(area, buf);
            buf.set_style(area, if faint { self.faint } else { self.text });
        }
        let at = area.x + u16::from(area.width > 2);
        buf.set_stringn(at, area.y, text, usize::from(area.right() - at), Style::new());
    }

    fn dim(&self, faint: bool, area: Rect, buf: &mut Buffer) {
        let depth = self.depth;
        let readable = text_over_fluid::text_color(self.background);
        for at in area.positions() {
            let under = text_over_fluid::dimmed(&buf[at], self.background);
            let ground = under.unwrap_or(self.background);
            let text = match (faint, under) {
                (true, _) => {
                    let fraction = faint_fraction(ground, readable);
                    let mixed = Rgb::from_linear(mix(ground.linear(), readable.linear(), fraction));
                    depth.color(mixed, at.into())
                }
                // The terminal's own background may not be known, but its text is legible on it.
                (false, None) => Color::Reset,
                (false, Some(_)) => depth.color(readable, at.into()),
            };
            let cell = &mut buf[at];
            cell.reset();
            cell.fg = text;
            cell.bg = under.map_or(Color::Reset, |color| depth.color(color, at.into()));
        }
    }

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

/// The fraction of the text's colour in its mixture with the background's, in linear light, for a contrast of [`FAINT_CONTRAST`],
/// or 1.
fn faint_fraction(ground: Rgb, text: Rgb) -> f32 {
    let (ground, text) = (luminance(ground), luminance(text));
    let wanted = if text > ground {
        FAINT_CONTRAST * (ground + FLARE) - FLARE
    } else {
        (ground + FLARE) / FAINT_CONTRAST - FLARE
    };
    // Luminance is linear in the mixture. Equal luminances have no contrast at all.
    let fraction = (wanted - ground) / (text - ground);
    if fraction.is_finite() { fraction.clamp(0.0, 1.0) } else { 1.0 }
}

/// Light that a screen reflects in a lit room, relative to white, by WCAG 2.
const FLARE: f32 = 0.05;

fn luminance(color: Rgb) -> f32 {
    text_over_fluid::luminance(color.linear())
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Contrast by WCAG 2.
    fn contrast(a: Rgb, b: Rgb) -> f32 {
        let (a, b) = (luminance(a) + FLARE, luminance(b) + FLARE);
        a.max(b) / a.min(b)
    }

    fn rgb(color: Color, default: Rgb) -> Rgb {
        if let Color::Rgb(r, g, b) = color { Rgb(r, g, b) } else { default }
    }

    #[test]
    fn faint_text_is_legible_on_any_background() {
        let area = Rect::new(0, 0, 20, 1);
        for behind in [Rgb::BLACK, Rgb::WHITE, Rgb(0xfd, 0xf6, 0xe3), Rgb(0, 0x2b, 0x36), Rgb(0x77, 0x77, 0x77)] {
            for water in [None, Some(Rgb(20, 90, 170)), Some(Rgb(200, 230, 250)), Some(Rgb(250, 140, 20))] {
                let mut buf = Buffer::empty(area);
                let bg = water.map_or(Color::Reset, Color::from);
                area.positions().for_each(|at| buf[at].bg = bg);
                OverlayTheme::new(None, behind, ColorDepth::TrueColor, true).line("arrows", true, area, 0, &mut buf);
                let cell = &buf[(9, 0)];
                let contrast = contrast(rgb(cell.fg, Rgb::WHITE), rgb(cell.bg, behind));
                assert!((4.0..6.0).contains(&contrast), "{contrast} on {behind} over {water:?}");
            }
        }
        // Themes of light rooms: text and background of paper, and of solarized.
        for (text, background) in
            [(Rgb(0x3b, 0x35, 0x2e), Rgb(0xee, 0xe8, 0xd9)), (Rgb(0x58, 0x6e, 0x75), Rgb(0xee, 0xe8, 0xd5))]
        {
            let theme = OverlayTheme::new(Some([text, background]), background, ColorDepth::TrueColor, true);
            let faint = contrast(rgb(theme.faint.fg.unwrap_or_default(), text), background);
            assert!(faint >= 4.5_f32.min(0.95 * contrast(text, background)), "{faint} of {text} on {background}");
        }
    }
}
