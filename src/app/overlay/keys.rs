//! The help: which key does what.

use crate::app::overlay::help::Line as HelpLine;
use crate::app::overlay::{Pens, Scene, boxed};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::text::{Line, Span};

/// Cells for keys and for what they do, and between columns.
const KEYS: usize = 18;
const ABOUT: usize = 20;
const COLUMN: u16 = (KEYS + ABOUT) as u16;

/// Draws the help, in two columns where there is room, and scrolled where there is not. Returns how far it really is
/// scrolled.
pub fn help(scene: &Scene, scroll: u16, buf: &mut Buffer) -> u16 {
    let [left, right] = scene.help;
    let wide = buf.area.width >= 2 * COLUMN + 3;
    let lines: Vec<Line> = if wide {
        let pair = |nth: usize| {
            let mut spans = row(left.get(nth), &scene.pens);
            spans.push(Span::raw(" "));
            spans.extend(row(right.get(nth), &scene.pens));
            Line::from(spans)
        };
        (0..left.len().max(right.len())).map(pair).collect()
    } else {
        left.iter()
            .chain([&HelpLine::Blank])
            .chain(right)
            .map(|line| Line::from(row(Some(line), &scene.pens)))
            .collect()
    };
    let (width, height) = (if wide { 2 * COLUMN + 3 } else { COLUMN + 2 }, lines.len() as u16 + 2);
    let (width, height) = (width.min(buf.area.width), height.min(buf.area.height));
    let scroll = scroll.min((lines.len() as u16 + 2).saturating_sub(height));
    let corner = (buf.area.x + (buf.area.width - width) / 2, buf.area.y + (buf.area.height - height) / 2);
    let shown = lines.into_iter().skip(usize::from(scroll)).collect();
    boxed("slosh", shown, Rect::new(corner.0, corner.1, width, height), (scene.unicode, &scene.pens), buf);
    scroll
}

fn row(line: Option<&HelpLine>, pens: &Pens) -> Vec<Span<'static>> {
    match line {
        None | Some(HelpLine::Blank) => vec![Span::raw(" ".repeat(KEYS + ABOUT))],
        Some(HelpLine::Heading(text)) => vec![Span::styled(format!("{text:<0$}", KEYS + ABOUT), pens.faint)],
        Some(HelpLine::Entry { keys, about }) => {
            vec![
                Span::styled(format!("{keys:<KEYS$}"), pens.strong),
                Span::styled(format!("{about:<ABOUT$}"), pens.text),
            ]
        }
    }
}
