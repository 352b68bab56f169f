//! A tank of fluid in an app: arrows tilt it, the mouse pushes, n shows the next scene, q quits.
//!
//! `cargo run --release --example embed`; it needs no features of the crate.

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, MouseButton, MouseEvent, MouseEventKind};
use ratatui::crossterm::execute;
use slosh::PointerMode;
use slosh::{Scene, Slosh, SloshState, scene};
use std::error::Error;
use std::io;
use std::time::{Duration, Instant};

const FRAME: Duration = Duration::from_millis(33);

fn main() -> Result<(), Box<dyn Error>> {
    // It restores the terminal after a panic, too, all but the mouse.
    let mut terminal = ratatui::init();
    execute!(io::stdout(), event::EnableMouseCapture)?;
    let restore = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let _ = execute!(io::stdout(), event::DisableMouseCapture);
        restore(panic);
    }));
    let played = play(&mut terminal);
    execute!(io::stdout(), event::DisableMouseCapture)?;
    ratatui::restore();
    played
}

fn play(terminal: &mut DefaultTerminal) -> Result<(), Box<dyn Error>> {
    let tanks = ["dam", "honey", "smoke", "cork"];
    let load = |number: usize| -> Result<SloshState, Box<dyn Error>> {
        let name = tanks[number % tanks.len()];
        let scene = Scene::parse(scene::find(name).ok_or("it comes with slosh")?, name)?;
        Ok(SloshState::new(&scene.world))
    };
    let (mut number, mut tilt) = (0, 0.0_f32);
    let mut tank = load(number)?;
    let mut last = Instant::now();
    loop {
        terminal.draw(|frame| frame.render_stateful_widget(&Slosh::new(), frame.area(), &mut tank))?;
        if event::poll(FRAME)? {
            match event::read()? {
                Event::Key(key) if key.kind != KeyEventKind::Release => match key.code {
                    KeyCode::Char('q') | KeyCode::Esc => return Ok(()),
                    KeyCode::Char('n') => {
                        number += 1;
                        (tank, tilt) = (load(number)?, 0.0);
                    }
                    KeyCode::Left => tilt -= 0.25,
                    KeyCode::Right => tilt += 0.25,
                    KeyCode::Up => tilt = 0.0,
                    _ => {}
                },
                Event::Mouse(MouseEvent { kind, column, row, .. }) => {
                    // The centre of the cell.
                    let at = (f32::from(column) + 0.5, f32::from(row) + 0.5);
                    match kind {
                        MouseEventKind::Down(MouseButton::Left) => tank.press(PointerMode::Push, at.0, at.1),
                        MouseEventKind::Down(_) => tank.press(PointerMode::Pull, at.0, at.1),
                        MouseEventKind::Drag(_) | MouseEventKind::Moved => tank.drag_to(at.0, at.1),
                        MouseEventKind::Up(_) => tank.release(),
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        tank.tilt_to(tilt);
        tank.advance(last.elapsed());
        last = Instant::now();
    }
}
