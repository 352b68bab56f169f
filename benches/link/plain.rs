//! The loop of most ratatui programs: poll, update, draw everything through ratatui's own backend.

use std::io::{self, BufWriter, stdout};
use std::time::{Duration, Instant};

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, Event, KeyCode};
use ratatui::crossterm::{execute, terminal};
use slosh::app::action::{Action, Direction, Window};
use slosh::app::{App, Options};
use slosh::scene;
use slosh::scene::Scene;

const FRAME: Duration = Duration::from_nanos(1_000_000_000 / 60);

pub fn run(name: &str) -> io::Result<()> {
    let scene = Scene::parse(scene::find(name).expect("an embedded scene"), name).expect("a sound scene");
    let mut app = App::new(Options::new(scene.clone(), vec![scene]));
    terminal::enable_raw_mode()?;
    execute!(stdout(), terminal::EnterAlternateScreen)?;
    let mut terminal = Terminal::new(CrosstermBackend::new(BufWriter::with_capacity(1 << 20, stdout())))?;
    let (columns, rows) = terminal::size()?;
    app.update(Action::Resize(Window { columns, rows, cell: [0, 0] }));
    let mut last = Instant::now();
    while step(&mut app, last)? {
        let now = Instant::now();
        app.tick(now - last, 10);
        last = now;
        terminal.draw(|frame| app.draw(frame.buffer_mut()))?;
    }
    execute!(stdout(), terminal::LeaveAlternateScreen)?;
    terminal::disable_raw_mode()
}

/// Waits for the next frame and handles keys meanwhile; returns false to quit.
fn step(app: &mut App, last: Instant) -> io::Result<bool> {
    while event::poll(FRAME.saturating_sub(last.elapsed()))? {
        let Event::Key(key) = event::read()? else { continue };
        match key.code {
            KeyCode::Char('[') => app.update(Action::Slower),
            KeyCode::Char(']') => app.update(Action::Faster),
            KeyCode::Char('H') => app.update(Action::Shake(Direction::Left)),
            KeyCode::Char('L') => app.update(Action::Shake(Direction::Right)),
            KeyCode::Char('q') => return Ok(false),
            _ => {}
        }
    }
    Ok(true)
}
