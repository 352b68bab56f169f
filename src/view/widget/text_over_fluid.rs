//! Fluid behind another widget, whose text stays legible.

use crate::cell::color::{ColorDepth, LinearRgb, Rgb, mix, xterm_rgb};
use crate::cell::glyph_shape;
use crate::view::widget::{Slosh, SloshState};
use ratatui_core::buffer::{Buffer, Cell};
use ratatui_core::layout::Rect;
use ratatui_core::style::Color;
use ratatui_core::widgets::{StatefulWidget, Widget};
use unicode_width::UnicodeWidthStr;

/// Fraction of the fluid's light in a cell under text. Chosen by eye: text is legible, and the fluid is still visible.
const DIMMED: f32 = 0.55;

/// OKLab lightness of the background from which on text is black; white below. Chosen by eye.
const LIGHT: f32 = 0.6;

/// Greatest luminance of a cell under white text: a contrast of 5 by WCAG 2. Under black text light is added, so contrast is greater.
const MAX_LUMINANCE: f32 = 0.16;

/// The coverage of glyphs whose shape is not known, letters above all: an estimate.
const LETTER_COVERAGE: f32 = 0.25;

/// A widget with fluid behind it. The background of its text is the fluid's colour, dimmed; on a light background, made lighter.
/// Text without a colour is white, or black on a light background. The fluid is visible in blank cells of the widget, except in
/// single blanks between words.
///
#[cfg_attr(doc, doc = include_str!("moving/text_over_fluid.md"))]
///
/// ```
/// use ratatui_core::{buffer::Buffer, layout::Rect, text::Text, widgets::StatefulWidget};
/// use slosh::{OverFluid, Scene, Slosh, SloshState, scene};
///
/// let mut state = SloshState::new(&Scene::parse(scene::find("dam").unwrap(), "dam")?.world);
/// let area = Rect::new(0, 0, 40, 12);
/// let mut buffer = Buffer::empty(area);
/// OverFluid::new(Text::raw("Any widget"), Slosh::new()).render(area, &mut buffer, &mut state);
/// assert_eq!(buffer[(0, 0)].symbol(), "A");
/// assert_ne!(buffer[(3, 11)].symbol(), " ", "water");
/// # Ok::<(), slosh::DataError>(())
/// ```
#[must_use = "a widget does nothing until it is rendered"]
#[derive(Clone, Debug)]
pub struct OverFluid<W> {
    widget: W,
    slosh: Slosh,
}

impl<W> OverFluid<W> {
    /// Creates the widget that shows `widget` over the fluid that `slosh` draws.
    pub fn new(widget: W, slosh: Slosh) -> Self {
        Self { widget, slosh }
    }
}

impl<W: Widget> StatefulWidget for OverFluid<W> {
    type State = SloshState;

    fn render(self, area: Rect, buf: &mut Buffer, state: &mut SloshState) {
        (&self.slosh).render(area, buf, state);
        let area = area.intersection(buf.area);
        state.sheet.resize(area);
        state.sheet.reset();
        self.widget.render(area, &mut state.sheet);
        let style = &self.slosh.style;
        merge(&state.sheet, style.depth, style.background.resolve(&style.palette).0, buf);
    }
}

fn merge(sheet: &Buffer, depth: ColorDepth, background: Rgb, buf: &mut Buffer) {
    let written = |x: u16, y: u16| sheet.cell((x, y)).is_some_and(|cell| *cell != Cell::EMPTY);
    for (x, y) in sheet.area.positions().map(|at| (at.x, at.y)) {
        let left = x.checked_sub(1);
        // The cell after a wide character belongs to that character, and a single blank between two words belongs to them.
        let wide = left.and_then(|left| sheet.cell((left, y))).is_some_and(|cell| cell.symbol().width() > 1);
        let between = left.is_some_and(|left| written(left, y)) && written(x.saturating_add(1), y);
        if written(x, y) || wide || between {
            print(&sheet[(x, y)], (x, y), depth, background, &mut buf[(x, y)]);
        }
    }
}

fn print(over: &Cell, at: (u16, u16), depth: ColorDepth, background: Rgb, under: &mut Cell) {
    let ground = dimmed(under, background);
    *under = over.clone();
    let Some(ground) = ground.filter(|_| depth != ColorDepth::Mono) else { return };
    if over.bg == Color::Reset {
        under.bg = depth.color(ground, at);
        if over.fg == Color::Reset {
            under.fg = depth.color(text_color(background), at);
        }
    }
}

/// The colour of text over a picture with this background. It does not depend on the cell: within a word it would change.
pub(crate) fn text_color(background: Rgb) -> Rgb {
    if is_light(background) { Rgb::BLACK } else { Rgb::WHITE }
}

pub(crate) fn is_light(color: Rgb) -> bool {
    color.oklab()[0] > LIGHT
}

/// Returns the colour of a cell of the picture, dimmed for text towards the lightness of the background: black, or white if that is
/// light. `None` where the cell shows nothing but the terminal's own background.
pub(crate) fn dimmed(cell: &Cell, background: Rgb) -> Option<Rgb> {
    let light = mean(cell, background)?;
    let fraction = DIMMED.min(MAX_LUMINANCE / luminance(light));
    let mixed = if is_light(background) { mix([1.0; 3], light, DIMMED) } else { mix([0.0; 3], light, fraction) };
    Some(Rgb::from_linear(mixed))
}

fn mean(cell: &Cell, background: Rgb) -> Option<LinearRgb> {
    let light = |color: Color| (color != Color::Reset).then(|| xterm_rgb(color, Rgb::BLACK).linear());
    let coverage = |glyph| glyph_shape::covered_fraction(glyph).unwrap_or(LETTER_COVERAGE);
    let coverage = cell.symbol().chars().next().map_or(0.0, coverage);
    match (light(cell.fg), light(cell.bg)) {
        (Some(fg), Some(bg)) => Some(mix(bg, fg, coverage)),
        (Some(fg), None) => (coverage > 0.0).then(|| mix(background.linear(), fg, coverage)),
        (None, bg) => bg,
    }
}

/// Relative luminance, 0 to 1 (ITU-R BT.709).
pub(crate) fn luminance([r, g, b]: LinearRgb) -> f32 {
    0.2126 * r + 0.7152 * g + 0.0722 * b
}
