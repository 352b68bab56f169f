//! Gauges of fluid: a disk, a download and a chart. Left and right select, up and down fill and empty, q quits.
//!
//! `cargo run --release --example gauges`; it needs no features of the crate.

mod gauge;

use gauge::{Gauge, GaugeState};
use ratatui::DefaultTerminal;
use ratatui::Frame;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind};
use ratatui::layout::{Constraint, Layout};
use std::error::Error;
use std::time::{Duration, Instant};

const FRAME: Duration = Duration::from_millis(33);

/// The gauges and their values.
#[derive(Default)]
struct Gauges {
    values: [f64; 3],
    chosen: usize,
    download: f64,
    disk: GaugeState,
    loading: GaugeState,
    chart: [GaugeState; 3],
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
        let chart = self.chart.iter_mut();
        chart.chain([&mut self.disk, &mut self.loading]).for_each(|tank| tank.advance(elapsed));
    }

    fn draw(&mut self, frame: &mut Frame) {
        let [top, bottom] = Layout::vertical([Constraint::Fill(1); 2]).spacing(1).areas(frame.area());
        let [left, right] = Layout::horizontal([Constraint::Fill(1); 2]).spacing(2).areas(top);
        let percent = |value: f64| format!("{:.0} %", 100.0 * value);
        let disk = Gauge::new(self.values[0], format!("disk {}", percent(self.values[0])));
        frame.render_stateful_widget(disk, left, &mut self.disk);
        let loading = Gauge::new(self.download, format!("fetching {}", percent(self.download)));
        frame.render_stateful_widget(loading, right, &mut self.loading);
        let bars: [_; 3] = Layout::horizontal([Constraint::Fill(1); 3]).spacing(1).areas(bottom);
        for (number, (tank, area)) in self.chart.iter_mut().zip(bars).enumerate() {
            let mark = if number == self.chosen { "▸ " } else { "" };
            let value = self.values[number];
            frame.render_stateful_widget(Gauge::new(value, format!("{mark}{}", percent(value))), area, tank);
        }
    }
}
