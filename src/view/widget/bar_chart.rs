//! A bar chart: several tanks side by side.

use crate::view::widget::gauge::{FluidGauge, FluidGaugeState};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::{Constraint, Layout, Rect};
use ratatui_core::widgets::StatefulWidget;
use std::time::Duration;

/// Gauges side by side, with one blank column between them.
///
#[cfg_attr(doc, doc = include_str!("moving/bar_chart.md"))]
///
/// ```
/// use ratatui_core::{buffer::Buffer, layout::Rect, widgets::StatefulWidget};
/// use slosh::view::widget::{gauge::FluidGauge, bar_chart::{FluidBarChart, FluidBarChartState}};
///
/// let mut state = FluidBarChartState::default();
/// let mut buffer = Buffer::empty(Rect::new(0, 0, 41, 10));
/// FluidBarChart::new([FluidGauge::new(0.3).label("up"), FluidGauge::new(0.9).label("down")])
///     .render(buffer.area, &mut buffer, &mut state);
/// assert!(state.level(0) < state.level(1));
/// assert_eq!(buffer[(20, 9)].symbol(), " ", "between them");
/// ```
#[must_use = "a widget does nothing until it is rendered"]
#[derive(Clone, Debug)]
pub struct FluidBarChart<'a> {
    gauges: Vec<FluidGauge<'a>>,
}

impl<'a> FluidBarChart<'a> {
    /// Creates a chart of gauges, from left to right.
    pub fn new(gauges: impl IntoIterator<Item = FluidGauge<'a>>) -> Self {
        Self { gauges: gauges.into_iter().collect() }
    }
}

impl StatefulWidget for FluidBarChart<'_> {
    type State = FluidBarChartState;

    fn render(self, area: Rect, buf: &mut Buffer, state: &mut FluidBarChartState) {
        state.tanks.resize_with(self.gauges.len(), FluidGaugeState::default);
        let areas = Layout::horizontal(self.gauges.iter().map(|_| Constraint::Fill(1))).spacing(1).split(area);
        for ((gauge, area), tank) in self.gauges.into_iter().zip(areas.iter()).zip(&mut state.tanks) {
            gauge.render(*area, buf, tank);
        }
    }
}

/// The tanks, kept from frame to frame: as many as were drawn last.
#[derive(Clone, Debug, Default)]
pub struct FluidBarChartState {
    tanks: Vec<FluidGaugeState>,
}

impl FluidBarChartState {
    /// Simulates in all tanks the steps that are due after `elapsed` real time, of which at most a quarter of a second
    /// counts.
    pub fn advance(&mut self, elapsed: Duration) {
        self.tanks.iter_mut().for_each(|tank| tank.advance(elapsed));
    }

    /// Turns gravity in all tanks, smoothly, to `angle` radians from straight down.
    pub fn tilt_to(&mut self, angle: f32) {
        self.tanks.iter_mut().filter_map(FluidGaugeState::tank_mut).for_each(|tank| tank.tilt_to(angle));
    }

    /// Returns the present fill of a tank, 0 to 1; tanks are numbered from the left.
    pub fn level(&self, tank: usize) -> f64 {
        self.tanks.get(tank).map_or(0.0, FluidGaugeState::level)
    }

    /// Returns a tank, numbered from the left; `None` before it is drawn.
    pub fn tank_mut(&mut self, tank: usize) -> Option<&mut FluidGaugeState> {
        self.tanks.get_mut(tank)
    }
}
