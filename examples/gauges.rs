//! Gauges of fluid: a disk, a download and a chart. Left and right select, up and down fill and empty, q quits.
//!
//! `cargo run --release --example gauges`; it needs no features of the crate.

use ratatui::DefaultTerminal;
use ratatui::Frame;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind};
use ratatui::layout::{Constraint, Layout};
use slosh::view::widget::bar_chart::{FluidBarChart, FluidBarChartState};
use slosh::view::widget::gauge::{FluidGauge, FluidGaugeState};
use slosh::view::widget::loading::Loading;
use std::error::Error;
use std::time::{Duration, Instant};

const FRAME: Duration = Duration::from_millis(33);

/// The gauges and their values.
#[derive(Default)]
struct Gauges {
    values: [f64; 3],
    chosen: usize,
    download: f64,
    disk: FluidGaugeState,
    loading: FluidGaugeState,
    chart: FluidBarChartState,
}

fn main() -> Result<(), Box<dyn Error>> {
    // It restores the terminal after a panic, too.
    let mut terminal = ratatui::init();
    let played = play(&mut terminal);
    ratatui::restore();
    played
}

fn play(terminal: &mut DefaultTerminal) -> Result<(), Box<dyn Error>> {
    let mut gauges = Gauges { values: [0.3, 0.6, 0.8], ..Gauges::default() };
    let mut last = Instant::now();
    loop {
        terminal.draw(|frame| gauges.draw(frame))?;
        if event::poll(FRAME)?
            && let Event::Key(key) = event::read()?
            && key.kind != KeyEventKind::Release
        {
            let value = &mut gauges.values[gauges.chosen];
            match key.code {
                KeyCode::Char('q') | KeyCode::Esc => return Ok(()),
                KeyCode::Left => gauges.chosen = (gauges.chosen + 2) % 3,
                KeyCode::Right => gauges.chosen = (gauges.chosen + 1) % 3,
                KeyCode::Up => *value = (*value + 0.1).min(1.0),
                KeyCode::Down => *value = (*value - 0.1).max(0.0),
                _ => {}
            }
        }
        gauges.advance(last.elapsed());
        last = Instant::now();
    }
}

impl Gauges {
    fn advance(&mut self, elapsed: Duration) {
        self.download = (self.download + elapsed.as_secs_f64() / 20.0) % 1.0;
        self.disk.advance(elapsed);
        self.loading.advance(elapsed);
        self.chart.advance(elapsed);
    }

    fn draw(&mut self, frame: &mut Frame) {
        let [top, bottom] = Layout::vertical([Constraint::Fill(1); 2]).spacing(1).areas(frame.area());
        let [left, right] = Layout::horizontal([Constraint::Fill(1); 2]).spacing(2).areas(top);
        let disk = self.values[0];
        let gauge = FluidGauge::new(disk).label(format!("disk {:.0} %", 100.0 * disk));
        frame.render_stateful_widget(gauge, left, &mut self.disk);
        frame.render_stateful_widget(Loading::new(self.download).message("fetching"), right, &mut self.loading);
        let tank = |(number, value): (usize, f64)| {
            let mark = if number == self.chosen { "▸ " } else { "" };
            FluidGauge::new(value).label(format!("{mark}{:.0} %", 100.0 * value))
        };
        let chart = FluidBarChart::new(self.values.into_iter().enumerate().map(tank));
        frame.render_stateful_widget(chart, bottom, &mut self.chart);
    }
}
