//! Statistics: a box of counts and times; in a shared tank the list of guests.

use crate::app::input::state::Input;
use crate::app::layers::{Layer, LayerContext, OverlayView};
use crate::app::session::frame_metrics::FrameMetrics;
use crate::app::shared_tank::hands_layer::draw_roster;
use crate::app::tank::Source;
use crate::sim::clock::STEP;
use crate::sim::observer::Pass;
use crate::view::PaintStage;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

/// Columns of a list in its box; and the least beside an open panel, with less of which the panel hides the statistics.
const COLUMN: u16 = 23;
const LEAST: u16 = 18;

#[derive(Clone, Debug, Default)]
pub struct StatsBox {
    pub open: bool,
    pub metrics: FrameMetrics,
}

impl Layer for StatsBox {
    fn is_open(&self, _: &Input) -> bool {
        self.open
    }

    fn set_open(&mut self, open: bool, _: &mut LayerContext) {
        self.open = open;
    }

    fn draw(&mut self, view: &OverlayView, buf: &mut Buffer) {
        match &view.tank.source {
            _ if !self.open || view.free < buf.area.width.min(LEAST) => {}
            Source::Remote(remote) => draw_roster(&remote.roster, &view.theme, buf),
            _ => draw(&self.metrics, view, buf),
        }
    }
}

fn draw(metrics: &FrameMetrics, view: &OverlayView, buf: &mut Buffer) {
    let world = &view.tank.world;
    // Where there is little room names are cut, so that values are whole.
    let names = usize::from(view.free.saturating_sub(11)).min(12);
    let row = |name: &str, value: String| Line::raw(format!("{name:<names$.names$}{value:>9}"));
    let bytes = |bytes: f32| if bytes < 9999.5 { format!("{bytes:.0}") } else { format!("{:.0}k", bytes / 1e3) };
    let mut lines = vec![
        row("particles", world.particles().to_string()),
        row("  awake", world.awake().to_string()),
        row("speed", format!("{}x", view.tank.clock.speed())),
        row("pace", format!("{:.2}x", metrics.steps * STEP)),
        row("steps/s", format!("{:.0}", metrics.steps)),
        row("frames/s", format!("{:.0}", metrics.frames)),
        row("bytes/frame", bytes(metrics.bytes / metrics.frames.max(1.0))),
        row("bytes/s", bytes(metrics.bytes)),
        row("ms a step", format!("{:.2}", metrics.passes.iter().sum::<f32>())),
        row("real time", format!("{:.1} s", view.tank.real_time.as_secs_f32())),
    ];
    lines.extend(world.describe().into_iter().map(|(name, value)| row(name, value)));
    if let Some(auto) = &view.options.simulation.auto_particles {
        lines.insert(2, row("  of a frame", format!("{:.0} %", 100.0 * auto.load)));
    }
    let cost = |(name, ms): (&str, &f32)| Line::styled(format!("  {name:<names$.names$}{ms:>7.2}"), view.theme.text);
    // Passes that the matters in the tank do not have take no time.
    let passes = Pass::ALL.map(Pass::name).into_iter().zip(&metrics.passes);
    lines.extend(passes.filter(|(_, ms)| **ms > 0.0).map(cost));
    lines.push(row("ms a frame", format!("{:.2}", metrics.stages.iter().sum::<f32>() + metrics.send)));
    lines.extend(PaintStage::ALL.map(PaintStage::name).into_iter().zip(&metrics.stages).map(cost));
    lines.push(cost(("send", &metrics.send)));
    // Two columns where one is too high; in one alone, the parts of sums are left out.
    let rows = usize::from(buf.area.height.saturating_sub(2)).max(1);
    let two = view.free >= 2 * COLUMN;
    if lines.len() > rows && !two {
        lines.retain(|line| line.spans.iter().all(|span| !span.content.starts_with(' ')));
    }
    let right = if lines.len() > rows && two { lines.split_off(lines.len().div_ceil(2)) } else { Vec::new() };
    let width = if right.is_empty() { COLUMN.min(view.free) } else { 2 * COLUMN };
    for (left, right) in lines.iter_mut().zip(right) {
        left.push_span("  ");
        right.spans.into_iter().for_each(|span| left.push_span(span.patch_style(right.style)));
    }
    let area = Rect::new(buf.area.x, buf.area.y, width, lines.len() as u16 + 2);
    view.theme.boxed("stats", lines, area, buf);
}
