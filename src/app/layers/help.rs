use crate::app::action::help::{HelpLine, columns};
use crate::app::action::{Action, Direction};
use crate::app::input::state::Input;
use crate::app::layers::theme::OverlayTheme;
use crate::app::layers::{Layer, LayerContext, OverlayView};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// Cells for the keys, at least, and for their effects.
const KEYS: usize = 18;
const ABOUT: usize = 20;

#[derive(Clone, Debug, Default)]
pub struct Help {
    pub open: bool,
    scrolled: u16,
}

const FAR: u16 = 10;

impl Layer for Help {
    fn is_open(&self, _: &Input) -> bool {
        self.open
    }

    fn set_open(&mut self, open: bool, _: &mut LayerContext) {
        *self = Self { open, scrolled: 0 };
    }

    fn take(&mut self, action: Action, _: &mut LayerContext) -> bool {
        let (direction, lines) = match action {
            Action::Tilt(direction) | Action::HoldDirection(direction) => (direction, 1),
            Action::Shake(direction) => (direction, FAR),
            _ => return false,
        };
        match direction {
            Direction::Up => self.scrolled = self.scrolled.saturating_sub(lines),
            Direction::Down => self.scrolled = self.scrolled.saturating_add(lines),
            Direction::Left | Direction::Right => {}
        }
        true
    }

    fn draw(&mut self, view: &OverlayView, buf: &mut Buffer) {
        if !self.open {
            return;
        }
        let theme = &view.theme;
        let [left, right] = columns(&view.options.controls.keymap, view.key_release);
        let keys = left.iter().chain(&right).map(keys_width).max().unwrap_or(0).max(KEYS);
        let column = (keys + ABOUT) as u16;
        let wide = buf.area.width >= 2 * column + 3;
        let lines: Vec<Line> = if wide {
            let pair = |nth: usize| {
                let mut spans = row(left.get(nth), keys, theme);
                spans.push(Span::raw(" "));
                spans.extend(row(right.get(nth), keys, theme));
                Line::from(spans)
            };
            (0..left.len().max(right.len())).map(pair).collect()
        } else {
            let all = left.iter().chain([&HelpLine::Blank]).chain(&right);
            all.map(|line| Line::from(row(Some(line), keys, theme))).collect()
        };
        let (width, height) = (if wide { 2 * column + 3 } else { column + 2 }, lines.len() as u16 + 2);
        let (width, height) = (width.min(buf.area.width), height.min(buf.area.height));
        self.scrolled = self.scrolled.min((lines.len() as u16 + 2).saturating_sub(height));
        let (x, y) = (buf.area.x + (buf.area.width - width) / 2, buf.area.y + (buf.area.height - height) / 2);
        let shown = lines.into_iter().skip(usize::from(self.scrolled)).collect();
        theme.boxed("slosh", shown, Rect::new(x, y, width, height), buf);
    }
}

/// The cells of a line's keys, with a blank after them.
fn keys_width(line: &HelpLine) -> usize {
    if let HelpLine::Entry { keys, .. } = line { keys.chars().count() + 1 } else { 0 }
}

/// A line whose keys have `width` cells.
fn row(line: Option<&HelpLine>, width: usize, theme: &OverlayTheme) -> Vec<Span<'static>> {
    match line {
        None | Some(HelpLine::Blank) => vec![Span::raw(" ".repeat(width + ABOUT))],
        Some(HelpLine::Heading(text)) => vec![Span::styled(format!("{text:<0$}", width + ABOUT), theme.faint)],
        Some(HelpLine::Entry { keys, label, .. }) => {
            vec![
                Span::styled(format!("{keys:<width$}"), theme.strong),
                Span::styled(format!("{label:<ABOUT$}"), theme.text),
            ]
        }
    }
}
