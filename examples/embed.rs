//! A tank in an app of your own: arrows tilt it, the mouse pushes it, n shows the next scene, q quits.
//!
//! `cargo run --example embed`

use ratatui_core::layout::{Constraint, Layout};
use ratatui_core::terminal::Terminal;
use ratatui_core::text::Line;
use ratatui_crossterm::CrosstermBackend;
use ratatui_crossterm::crossterm::event::{
    self, DisableMouseCapture, EnableMouseCapture, Event, KeyCode, KeyEventKind, MouseButton, MouseEventKind,
};
use ratatui_crossterm::crossterm::{execute, terminal};
use slosh::sim::world::pointer::PointerMode;
use slosh::view::GlyphMode;
use slosh::{Scene, Slosh, SloshState, scene};
use std::error::Error;
use std::io::stdout;
use std::time::{Duration, Instant};

const FRAME: Duration = Duration::from_millis(33);

/// Radians that one press of an arrow tilts.
const TILT: f32 = 0.25;

fn main() -> Result<(), Box<dyn Error>> {
    terminal::enable_raw_mode()?;
    execute!(stdout(), terminal::EnterAlternateScreen, EnableMouseCapture)?;
    let outcome = run();
    execute!(stdout(), DisableMouseCapture, terminal::LeaveAlternateScreen)?;
    terminal::disable_raw_mode()?;
    outcome
}

fn open(name: &str) -> Result<SloshState, Box<dyn Error>> {
    let text = scene::find(name).ok_or("no such scene")?;
    Ok(SloshState::new(&Scene::parse(text, name)?.world))
}

fn run() -> Result<(), Box<dyn Error>> {
    let mut terminal = Terminal::new(CrosstermBackend::new(stdout()))?;
    let slosh = Slosh::new().glyphs(GlyphMode::Quadrant);
    let (mut number, mut angle, mut last) = (0, 0.0, Instant::now());
    let mut tank = open(scene::names()[number])?;
    loop {
        terminal.draw(|frame| {
            let [head, body] = Layout::vertical([Constraint::Length(1), Constraint::Min(0)]).areas(frame.area());
            let title =
                format!(" {} · arrows tilt, the mouse pushes, n is the next scene, q quits", scene::names()[number]);
            frame.render_widget(Line::from(title), head);
            frame.render_stateful_widget(&slosh, body, &mut tank);
        })?;
        while event::poll(FRAME.saturating_sub(last.elapsed()))? {
            match event::read()? {
                Event::Key(key) if key.kind != KeyEventKind::Release => match key.code {
                    KeyCode::Char('q') | KeyCode::Esc => return Ok(()),
                    KeyCode::Char('n') => {
                        number = (number + 1) % scene::names().len();
                        tank = open(scene::names()[number])?;
                        angle = 0.0;
                    }
                    KeyCode::Left => angle -= TILT,
                    KeyCode::Right => angle += TILT,
                    KeyCode::Down => angle = 0.0,
                    _ => {}
                },
                Event::Mouse(mouse) => {
                    // The middle of the cell; the widget knows where it was drawn.
                    let (column, row) = (f32::from(mouse.column) + 0.5, f32::from(mouse.row) + 0.5);
                    match mouse.kind {
                        MouseEventKind::Down(MouseButton::Right) => tank.press(PointerMode::Pull, column, row),
                        MouseEventKind::Down(_) => tank.press(PointerMode::Push, column, row),
                        MouseEventKind::Drag(_) => tank.drag_to(column, row),
                        MouseEventKind::Up(_) => tank.release(),
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        tank.tilt_to(angle);
        tank.advance(last.elapsed());
        last = Instant::now();
    }
}
