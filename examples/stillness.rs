//! Looks for pictures that stand still: plays scenes without any input for a minute, and prints for each the quietest three
//! seconds as the share of cells that change in them.
//!
//! `cargo run --example stillness [-n PARTICLES] [SCENE|FILE]...` plays all scenes if none is named, and fails if one is too quiet.

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::Color;
use slosh::app::action::{Action, TerminalCaps, Window};
use slosh::app::{App, Options, SaverOptions, SimulationOptions};
use slosh::cell::color::xterm_rgb;
use slosh::scene::{self, EMBEDDED, Scene};
use slosh::view::{ColorDepth, GlyphMode, Rgb};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Duration of a play, of the window of time in which something must change, and between two looks, in seconds.
pub const PLAY: usize = 60;
const WINDOW: f32 = 3.0;
const LOOK: f32 = 0.5;

/// The share of cells that must change within the window.
pub const LIMIT: f32 = 0.01;

/// A difference of a colour's channel that is visible.
const VISIBLE: u8 = 8;

/// The quietest time of a scene: the share of cells that change, and when it begins, in seconds.
#[derive(Clone, Copy, Debug)]
pub struct Quietest {
    pub share: f32,
    pub at: f32,
}

/// Plays a scene as the program does that nobody touches, at 80×24.
pub fn quietest(scene: Scene, idle: Duration, particles: Option<usize>) -> Quietest {
    let mut options = Options::new(scene.clone(), vec![scene]);
    options.saver = SaverOptions { idle: Some(idle), ..SaverOptions::default() };
    options.controls.hint = false;
    options.simulation = SimulationOptions { particles, seed: 1, ..SimulationOptions::default() };
    let mut app = App::new(options);
    let (glyphs, depth) = (GlyphMode::Sextant, ColorDepth::TrueColor);
    app.update(Action::Terminal(TerminalCaps { glyphs, unicode: true, depth, ..TerminalCaps::default() }));
    app.update(Action::Resize(Window { columns: 80, rows: 24, cell: [8, 16] }));
    let steps = (LOOK * 60.0) as usize;
    let looks = (PLAY as f32 / LOOK) as usize;
    let mut pictures = Vec::with_capacity(looks);
    for _ in 0..looks {
        for _ in 0..steps {
            app.tick(Duration::from_secs(1) / 60, 2);
        }
        let mut picture = Buffer::empty(Rect::new(0, 0, 80, 24));
        app.draw(&mut picture);
        pictures.push(picture);
    }
    let window = (WINDOW / LOOK) as usize;
    let shares = pictures.windows(window + 1).enumerate().map(|(at, pictures)| {
        let changed = |cell: usize| pictures[1..].iter().any(|picture| differs(&pictures[0], picture, cell));
        let cells = pictures[0].content.len();
        let changes = (0..cells).filter(|&cell| changed(cell)).count();
        Quietest { share: changes as f32 / cells as f32, at: (at + 1) as f32 * LOOK }
    });
    shares.min_by(|a, b| a.share.total_cmp(&b.share)).expect("a play is longer than its window")
}

/// Whether a cell looks different in two pictures.
fn differs(a: &Buffer, b: &Buffer, cell: usize) -> bool {
    let (a, b) = (&a.content[cell], &b.content[cell]);
    let apart = |a: Color, b: Color| {
        let [a, b] = [a, b].map(|color| xterm_rgb(color, Rgb::BLACK));
        a.0.abs_diff(b.0).max(a.1.abs_diff(b.1)).max(a.2.abs_diff(b.2)) >= VISIBLE
    };
    let blank = |cell: &ratatui_core::buffer::Cell| cell.symbol() == " " || !apart(cell.fg, cell.bg);
    match (blank(a), blank(b)) {
        (true, true) => apart(a.bg, b.bg),
        (false, false) => a.symbol() != b.symbol() || apart(a.fg, b.fg) || apart(a.bg, b.bg),
        _ => true,
    }
}

/// The scene of that name, or in that file.
fn scene(name: &str) -> Result<Scene, String> {
    let read = || std::fs::read_to_string(name).map_err(|error| format!("{name}: {error}"));
    let text = scene::find(name).map_or_else(read, |text| Ok(text.to_owned()))?;
    Scene::parse(&text, name).map_err(|error| error.to_string())
}

fn main() -> ExitCode {
    let mut names: Vec<String> = std::env::args().skip(1).collect();
    let particles = if names.first().is_some_and(|flag| flag == "-n") {
        names.drain(..2.min(names.len())).nth(1).and_then(|number| number.parse().ok())
    } else {
        None
    };
    if names.is_empty() {
        names = EMBEDDED.iter().map(|&(name, _)| name.to_owned()).collect();
    }
    let scenes: Vec<Scene> = match names.iter().map(|name| scene(name)).collect() {
        Ok(scenes) => scenes,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let (next, quiet) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let play = || {
        while let Some(scene) = scenes.get(next.fetch_add(1, Ordering::Relaxed)) {
            let Quietest { share, at } = quietest(scene.clone(), Duration::from_secs(8), particles);
            let verdict = if share < LIMIT { "too quiet" } else { "" };
            quiet.fetch_add(usize::from(share < LIMIT), Ordering::Relaxed);
            println!("{:<14} {:6.2} % from {at:4.1} s {verdict}", scene.name, 100.0 * share);
        }
    };
    std::thread::scope(|threads| {
        let count = std::thread::available_parallelism().map_or(1, usize::from);
        (0..count).for_each(|_| drop(threads.spawn(play)));
    });
    ExitCode::from(u8::from(quiet.into_inner() > 0))
}
