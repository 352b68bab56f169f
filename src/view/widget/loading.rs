//! A loading screen: a tank that fills with the progress.

use crate::view::widget::Slosh;
use crate::view::widget::gauge::{FluidGauge, FluidGaugeState};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::text::{Line, Span};
use ratatui_core::widgets::StatefulWidget;

/// A screen that fills from above while something loads. A line says what is loading, and the progress.
///
#[cfg_attr(doc, doc = include_str!("moving/loading.md"))]
///
/// ```
/// use ratatui_core::{buffer::Buffer, layout::Rect, widgets::StatefulWidget};
/// use slosh::view::widget::{gauge::FluidGaugeState, loading::Loading};
/// use std::time::Duration;
///
/// let mut state = FluidGaugeState::default();
/// let mut buffer = Buffer::empty(Rect::new(0, 0, 40, 12));
/// for percent in 0..=100 {
///     Loading::new(f64::from(percent) / 100.0).message("fetching").render(buffer.area, &mut buffer, &mut state);
///     state.advance(Duration::from_millis(50));
/// }
/// let middle: String = (0..40).map(|x| buffer[(x, 6)].symbol()).collect();
/// assert!(middle.contains("fetching 100 %"));
/// ```
#[must_use = "a widget does nothing until it is rendered"]
#[derive(Clone, Debug)]
pub struct Loading<'a> {
    progress: f64,
    message: Line<'a>,
    slosh: Slosh,
}

impl<'a> Loading<'a> {
    /// Creates a loading screen. `progress` is from 0 to 1; a value that is not a number counts as 0.
    pub fn new(progress: f64) -> Self {
        Self { progress, message: Line::default(), slosh: Slosh::new() }
    }

    /// Sets the message about the loading.
    pub fn message(mut self, message: impl Into<Line<'a>>) -> Self {
        self.message = message.into();
        self
    }

    /// Sets the look of the fluid.
    pub fn slosh(mut self, slosh: Slosh) -> Self {
        self.slosh = slosh;
        self
    }
}

impl StatefulWidget for Loading<'_> {
    type State = FluidGaugeState;

    fn render(self, area: Rect, buf: &mut Buffer, state: &mut FluidGaugeState) {
        let mut label = self.message;
        if label.width() > 0 {
            label.push_span(Span::raw(" "));
        }
        label.push_span(Span::raw(format!("{:.0} %", 100.0 * self.progress.clamp(0.0, 1.0).max(0.0))));
        FluidGauge::new(self.progress).label(label).slosh(self.slosh).render(area, buf, state);
    }
}
