//! Fluid behind another widget, whose text stays readable.

use crate::cell::color::{ColorDepth, Linear, Rgb, mix, shown};
use crate::cell::glyph_shape;
use crate::view::widget::{Slosh, SloshState};
use ratatui_core::buffer::{Buffer, Cell};
use ratatui_core::layout::Rect;
use ratatui_core::style::Color;
use ratatui_core::widgets::{StatefulWidget, Widget};
use unicode_width::UnicodeWidthStr;

/// How much of the fluid's own light a cell keeps under text.
const DIMMED: f32 = 0.55;

/// From this lightness (of OKLab) on a ground asks for dark text.
const LIGHT: f32 = 0.62;

/// A widget with fluid behind it. What it writes stands on the fluid's colour, dimmed; where it says nothing about the
/// colour of its text, that is black or white, whichever can be read there. What it leaves blank, but for
/// a blank between words, is fluid.
///
/// ```
/// use ratatui_core::{buffer::Buffer, layout::Rect, text::Text, widgets::StatefulWidget};
/// use slosh::sim::scene::{self, Scene};
/// use slosh::view::widget::{Slosh, SloshState, behind::Behind};
///
/// let mut state = SloshState::new(&Scene::parse(scene::find("dam").unwrap(), "dam")?);
/// let area = Rect::new(0, 0, 40, 12);
/// let mut buffer = Buffer::empty(area);
/// Behind::new(Text::raw("Any widget"), Slosh::new()).render(area, &mut buffer, &mut state);
/// assert_eq!(buffer[(0, 0)].symbol(), "A");
/// assert_ne!(buffer[(3, 11)].symbol(), " ", "water");
/// # Ok::<(), slosh::data::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Behind<W> {
    widget: W,
    slosh: Slosh,
}

impl<W> Behind<W> {
    pub fn new(widget: W, slosh: Slosh) -> Self {
        Self { widget, slosh }
    }
}

impl<W: Widget> StatefulWidget for Behind<W> {
    type State = SloshState;

    fn render(self, area: Rect, buf: &mut Buffer, state: &mut SloshState) {
        (&self.slosh).render(area, buf, state);
        write(self.widget, area, &self.slosh, state, buf);
    }
}

/// Writes a widget over the fluid that `state` has drawn into `buf`.
pub(super) fn write(widget: impl Widget, area: Rect, slosh: &Slosh, state: &mut SloshState, buf: &mut Buffer) {
    let area = area.intersection(buf.area);
    let sheet = &mut state.sheet;
    sheet.resize(area);
    sheet.reset();
    widget.render(area, sheet);
    lay(sheet, slosh.look.depth, buf);
}

/// Lays what is written on `sheet` over the fluid in `buf`.
fn lay(sheet: &Buffer, depth: ColorDepth, buf: &mut Buffer) {
    let written = |x: u16, y: u16| sheet.cell((x, y)).is_some_and(|cell| *cell != Cell::EMPTY);
    for (x, y) in sheet.area.positions().map(|at| (at.x, at.y)) {
        let left = x.checked_sub(1);
        // Behind a wide character comes a cell that is no blank of the widget's, and one between words belongs to them.
        let wide = left.and_then(|left| sheet.cell((left, y))).is_some_and(|cell| cell.symbol().width() > 1);
        let between = left.is_some_and(|left| written(left, y)) && written(x.saturating_add(1), y);
        if written(x, y) || wide || between {
            print(&sheet[(x, y)], (x, y), depth, &mut buf[(x, y)]);
        }
    }
}

fn print(over: &Cell, at: (u16, u16), depth: ColorDepth, under: &mut Cell) {
    let ground = mean(under).map(|light| mix([0.0; 3], light, DIMMED));
    *under = over.clone();
    let Some(ground) = ground.filter(|_| depth != ColorDepth::Mono) else { return };
    if over.bg == Color::Reset {
        let ground = Rgb::from_linear(ground);
        under.bg = depth.color(ground, at);
        if over.fg == Color::Reset {
            let readable = if ground.oklab()[0] < LIGHT { Rgb::WHITE } else { Rgb::BLACK };
            under.fg = depth.color(readable, at);
        }
    }
}

/// The colour of a cell from afar; none where the terminal's own ground shows.
fn mean(cell: &Cell) -> Option<Linear> {
    let light = |color: Color| (color != Color::Reset).then(|| shown(color, Rgb::BLACK).linear());
    let covered = cell.symbol().chars().next().map_or(0.0, covered);
    match (light(cell.fg), light(cell.bg)) {
        (Some(fg), Some(bg)) => Some(mix(bg, fg, covered)),
        (Some(fg), None) => (covered > 0.5).then_some(fg),
        (None, bg) => bg,
    }
}

/// The share of a cell that a glyph covers.
fn covered(glyph: char) -> f32 {
    let Some(pixels) = glyph_shape::pixels(glyph) else { return 0.25 };
    let sum: u32 = pixels.iter().flatten().map(|&pixel| u32::from(pixel)).sum();
    sum as f32 / (255 * glyph_shape::CELL.0 * glyph_shape::CELL.1) as f32
}
