//! Recordings of slosh's own, written and turned into others with no terminal.

use crate::app::action::{Action, Terminal, Window};
use crate::app::demo::Plot;
use crate::app::error::Failure;
use crate::app::headless::progress::Progress;
use crate::app::interactive::SetUp;
use crate::app::recorder::{Kind, Manner, Recording};
use crate::app::replay::Replay;
use crate::app::{App, threads};
use crate::cli::render::frame_writer::Pages;
use crate::cli::render::{USUAL_RATE, refuse_format};
use crate::cli::settings::{Settings, layers};
use crate::cli::{RenderArgs, Size, ToyArgs};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use std::path::Path;
use std::time::Duration;

/// Records not frames but how they are made.
pub fn log(args: &RenderArgs, path: &Path) -> Result<(), Failure> {
    refuse_format(args, path)?;
    if args.stage.acts() {
        return Err(Failure::Input("a .slosh holds what is done in the toy: leave --at and --tilt out".to_owned()));
    }
    let plot = args.stage.plot()?;
    let mut time = plot.as_ref().and_then(Plot::begins).map(f64::from);
    let setup = set_up(args, plot)?;
    let header = setup.header()?;
    let (mut app, mut frame) = open(setup, args.stage.size);
    let manner = Manner { force: args.keep.force, ..Manner::default() };
    let mut recording = Recording::begin(path, &frame, manner, Some(&header))?;
    let count = args.frames.unwrap_or((args.seconds * USUAL_RATE).round().max(1.0) as u32);
    let mut progress = Progress::new(count.into());
    let laps = (args.seconds * USUAL_RATE / f64::from(count)).ceil().max(1.0) as u32;
    let lap = args.seconds / f64::from(count) / f64::from(laps);
    for number in 1..=count {
        for _ in 0..laps {
            if let Some(time) = &mut time {
                app.update(Action::Time(*time as u32));
                *time += lap;
            }
            app.tick(Duration::from_secs_f64(lap), u32::MAX);
        }
        app.draw(&mut frame);
        recording.frame(Duration::ZERO, &frame, &app.take_notes())?;
        progress.at(number.into());
    }
    recording.finish()
}

/// The toy as the stage would be: what is left to chance and to the machine there is not here.
fn set_up(args: &RenderArgs, plot: Option<Plot>) -> Result<SetUp, Failure> {
    let mut setup = match plot {
        Some(plot) => SetUp::of_act(plot, None, [args.stage.scene.settings(), args.settings()].concat())?,
        None => SetUp::new(&ToyArgs::of(args.stage.scene.clone(), args.look.clone()), false)?,
    };
    setup.options.seed = setup.settings.seed.unwrap_or(0);
    if !args.stage.scene.particles_auto() {
        setup.options.fineness = None;
    }
    Ok(setup)
}

/// The app in a window of that size, and the window.
fn open(setup: SetUp, size: Size) -> (App, Buffer) {
    let Size { width, height } = size;
    let depth = setup.settings.color.unwrap_or_default();
    let mut app = App::new(setup.options);
    app.keep_journal();
    app.update(Action::Terminal(Terminal { depth, ..Terminal::default() }));
    app.update(Action::Resize(Window { columns: width, rows: height, cell: [0, 0] }));
    (app, Buffer::empty(Rect::new(0, 0, width, height)))
}

/// What the flags, the environment and the file say.
fn settings(args: &RenderArgs) -> Result<Settings, Failure> {
    layers::settings([args.stage.scene.settings(), args.settings()].concat())
}

fn open_replay(from: &Path, settings: &Settings) -> Result<Replay, Failure> {
    Replay::open(from, settings.threads.unwrap_or_else(threads::suitable))
}

/// Turns a recording of slosh's own into another.
pub fn copy(args: &RenderArgs, from: &Path, to: &Path) -> Result<(), Failure> {
    refuse_format(args, to)?;
    if Kind::of(to) == Some(Kind::Log) {
        return Err(Failure::Input(format!("{} would be what {} is", to.display(), from.display())));
    }
    let settings = settings(args)?;
    let manner = Manner { force: args.keep.force, edition: settings.cast, live: false };
    let mut replay = open_replay(from, &settings)?;
    let mut progress = Progress::new(replay.frames()? as u64);
    let mut recording = None;
    let mut number = 0;
    while let Some(at) = replay.advance()? {
        let recording = match &mut recording {
            Some(recording) => recording,
            none => none.insert(Recording::begin(to, replay.frame(), manner, None)?),
        };
        recording.frame(at, replay.frame(), "")?;
        number += 1;
        progress.at(number);
    }
    recording.map_or_else(|| Err(Failure::Input(format!("{} holds no frame", from.display()))), Recording::finish)
}

/// Writes frames of a recording of slosh's own, evenly spaced up to the last.
pub fn copy_frames(args: &RenderArgs, from: &Path) -> Result<(), Failure> {
    let mut replay = open_replay(from, &settings(args)?)?;
    let all = replay.frames()?;
    let mut pages = Pages::new(args, args.frames.unwrap_or(1).min(all as u32))?;
    let mut number = 0;
    while replay.advance()?.is_some() {
        number += 1;
        if number * pages.count as usize / all.max(1) > pages.done as usize {
            let bytes = pages.format.write(replay.frame())?;
            pages.put(&bytes)?;
        }
    }
    pages.finish()
}
