//! Fluid behind text: a list that stays legible over ink. Up and down select, left and right tilt, q quits.
//!
//! `cargo run --release --example behind`; it needs no features of the crate.

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind};
use ratatui::style::Stylize;
use ratatui::text::{Line, Text};
use slosh::OverFluid;
use slosh::{Scene, Slosh, SloshState, scene};
use std::error::Error;
use std::time::{Duration, Instant};

const FRAME: Duration = Duration::from_millis(33);

const ENTRIES: [&str; 5] = ["Continue", "New game", "Settings", "Credits", "Quit"];

fn main() -> Result<(), Box<dyn Error>> {
    // It restores the terminal after a panic, too.
    let mut terminal = ratatui::init();
    let played = play(&mut terminal);
    ratatui::restore();
    played
}

fn play(terminal: &mut DefaultTerminal) -> Result<(), Box<dyn Error>> {
    let ink = Scene::parse(scene::find("ink").ok_or("it comes with slosh")?, "ink")?;
    let mut tank = SloshState::new(&ink.world);
    let (mut chosen, mut tilt) = (0, 0.0_f32);
    let mut last = Instant::now();
    loop {
        let entry = |(number, name): (usize, &&'static str)| match number == chosen {
            true => Line::from(format!("  ▸ {name}")).bold(),
            false => Line::from(format!("    {name}")),
        };
        let menu: Text =
            [Line::raw(""), Line::raw("")].into_iter().chain(ENTRIES.iter().enumerate().map(entry)).collect();
        terminal.draw(|frame| {
            frame.render_stateful_widget(OverFluid::new(menu, Slosh::new()), frame.area(), &mut tank);
        })?;
        if event::poll(FRAME)?
            && let Event::Key(key) = event::read()?
            && key.kind != KeyEventKind::Release
        {
            match key.code {
                KeyCode::Char('q') | KeyCode::Esc => return Ok(()),
                KeyCode::Enter if chosen == ENTRIES.len() - 1 => return Ok(()),
                KeyCode::Up => chosen = (chosen + ENTRIES.len() - 1) % ENTRIES.len(),
                KeyCode::Down => chosen = (chosen + 1) % ENTRIES.len(),
                KeyCode::Left => tilt -= 0.2,
                KeyCode::Right => tilt += 0.2,
                _ => {}
            }
        }
        tank.tilt_to(tilt);
        tank.advance(last.elapsed());
        last = Instant::now();
    }
}
