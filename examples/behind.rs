//! Fluid behind text that stays readable: type, and the mouse pushes what flows behind the words; esc quits.
//!
//! `cargo run --example behind`

use ratatui_core::terminal::Terminal;
use ratatui_core::text::{Line, Text};
use ratatui_crossterm::CrosstermBackend;
use ratatui_crossterm::crossterm::event::{
    self, DisableMouseCapture, EnableMouseCapture, Event, KeyCode, KeyEventKind, MouseEventKind,
};
use ratatui_crossterm::crossterm::{execute, terminal};
use slosh::sim::world::pointer::PointerMode;
use slosh::view::widget::text_over_fluid::OverFluid;
use slosh::{Scene, Slosh, SloshState, scene};
use std::error::Error;
use std::io::stdout;
use std::time::{Duration, Instant};

const FRAME: Duration = Duration::from_millis(33);

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
    let mut tank = SloshState::new(&Scene::parse(scene::find("ink").ok_or("no such scene")?, "ink")?.world);
    let (mut typed, mut last) = (String::new(), Instant::now());
    loop {
        terminal.draw(|frame| {
            let words = Text::from(vec![
                Line::from("Dear reader,"),
                Line::default(),
                Line::from("the ink behind these words moves as you push it."),
                Line::from("Type something, or press esc to quit."),
                Line::default(),
                Line::from(format!("{typed}▏")),
            ]);
            let area = frame.area();
            frame.render_stateful_widget(OverFluid::new(words, Slosh::new()), area, &mut tank);
        })?;
        while event::poll(FRAME.saturating_sub(last.elapsed()))? {
            match event::read()? {
                Event::Key(key) if key.kind != KeyEventKind::Release => match key.code {
                    KeyCode::Esc => return Ok(()),
                    KeyCode::Left => tank.tilt_to(-0.5),
                    KeyCode::Right => tank.tilt_to(0.5),
                    KeyCode::Down => tank.tilt_to(0.0),
                    KeyCode::Backspace => drop(typed.pop()),
                    KeyCode::Char(letter) => typed.push(letter),
                    _ => {}
                },
                Event::Mouse(mouse) => {
                    let (column, row) = (f32::from(mouse.column) + 0.5, f32::from(mouse.row) + 0.5);
                    match mouse.kind {
                        MouseEventKind::Down(_) => tank.press(PointerMode::Push, column, row),
                        MouseEventKind::Drag(_) => tank.drag_to(column, row),
                        MouseEventKind::Up(_) => tank.release(),
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        tank.advance(last.elapsed());
        last = Instant::now();
    }
}
