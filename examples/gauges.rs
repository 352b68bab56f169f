//! Gauges that are tanks: left and right choose one, up and down fill and drain it, so does a click; q quits.
//!
//! `cargo run --example gauges`

use ratatui_core::layout::{Constraint, Layout, Position, Rect};
use ratatui_core::terminal::Terminal;
use ratatui_core::text::Line;
use ratatui_crossterm::CrosstermBackend;
use ratatui_crossterm::crossterm::event::{
    self, DisableMouseCapture, EnableMouseCapture, Event, KeyCode, KeyEventKind, MouseEventKind,
};
use ratatui_crossterm::crossterm::{execute, terminal};
use slosh::Slosh;
use slosh::view::palette;
use slosh::view::widget::gauge::{FluidGauge, GaugeState};
use std::error::Error;
use std::io::stdout;
use std::time::{Duration, Instant};

const FRAME: Duration = Duration::from_millis(33);

/// What each stands for, the palette of its fluid, and how full it is at first.
const GAUGES: [(&str, &str, f64); 3] = [("memory", "water", 0.35), ("disk", "lava", 0.8), ("battery", "honey", 0.6)];

fn main() -> Result<(), Box<dyn Error>> {
    terminal::enable_raw_mode()?;
    execute!(stdout(), terminal::EnterAlternateScreen, EnableMouseCapture)?;
    let outcome = run();
    execute!(stdout(), DisableMouseCapture, terminal::LeaveAlternateScreen)?;
    terminal::disable_raw_mode()?;
    outcome
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut terminal = Terminal::new(CrosstermBackend::new(stdout()))?;
    let mut fills = GAUGES.map(|(_, _, fill)| fill);
    let mut states = GAUGES.map(|_| GaugeState::default());
    let looks = GAUGES.map(|(_, name, _)| Slosh::new().palette(palette::find(name).cloned().unwrap_or_default()));
    let (mut chosen, mut last) = (0, Instant::now());
    let mut areas = [Rect::ZERO; GAUGES.len()];
    loop {
        terminal.draw(|frame| {
            let [head, body] = Layout::vertical([Constraint::Length(1), Constraint::Min(0)]).areas(frame.area());
            frame.render_widget(Line::from(" arrows or a click fill and drain, q quits"), head);
            areas = Layout::horizontal([Constraint::Fill(1); GAUGES.len()]).spacing(1).areas(body);
            for (number, state) in states.iter_mut().enumerate() {
                let mark = if number == chosen { "▸ " } else { "" };
                let label = format!("{mark}{} {:.0} %", GAUGES[number].0, 100.0 * fills[number]);
                let gauge = FluidGauge::new(fills[number]).label(label).slosh(looks[number].clone());
                frame.render_stateful_widget(gauge, areas[number], state);
            }
        })?;
        while event::poll(FRAME.saturating_sub(last.elapsed()))? {
            match event::read()? {
                Event::Key(key) if key.kind != KeyEventKind::Release => match key.code {
                    KeyCode::Char('q') | KeyCode::Esc => return Ok(()),
                    KeyCode::Left => chosen = (chosen + GAUGES.len() - 1) % GAUGES.len(),
                    KeyCode::Right => chosen = (chosen + 1) % GAUGES.len(),
                    KeyCode::Up => fills[chosen] = (fills[chosen] + 0.05).min(1.0),
                    KeyCode::Down => fills[chosen] = (fills[chosen] - 0.05).max(0.0),
                    _ => {}
                },
                Event::Mouse(mouse) if matches!(mouse.kind, MouseEventKind::Down(_) | MouseEventKind::Drag(_)) => {
                    let at = Position::new(mouse.column, mouse.row);
                    if let Some(number) = areas.iter().position(|area| area.contains(at)) {
                        let area = areas[number];
                        chosen = number;
                        fills[number] = f64::from(area.bottom() - at.y) / f64::from(area.height);
                    }
                }
                _ => {}
            }
        }
        states.iter_mut().for_each(|state| state.advance(last.elapsed()));
        last = Instant::now();
    }
}
