//! Writes `.slosh` recordings without a terminal, and converts them to other formats.

use crate::app::App;
use crate::app::action::{Action, TerminalCaps, Window};
use crate::app::demo::DemoSpec;
use crate::app::error::Error;
use crate::app::recorder::{RecordFormat, Recording, WriteOptions};
use crate::cli::args::headless::FrameSize;
use crate::cli::demos;
use crate::cli::launch::{Launch, open_recording};
use crate::cli::progress::Progress;
use crate::cli::render::args::{RECORDING_FPS, RenderArgs};
use crate::cli::render::frame_writer::FrameWriter;
use crate::cli::settings::{Settings, layers};
use crate::data::Setting;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::path::Path;
use std::time::Duration;

/// Writes a `.slosh` recording: it contains the events of the run, not its frames.
pub fn log(args: &RenderArgs, path: &Path) -> Result<(), Error> {
    args.refuse_format(path)?;
    if args.headless.has_timeline() {
        return Err(Error::Input("a .slosh recording cannot contain --at and --tilt: leave them out".to_owned()));
    }
    let demo = demos::headless(&args.headless)?;
    let mut time = demo.as_ref().and_then(DemoSpec::begins).map(f64::from);
    let launch = launch(args, demo)?;
    let header = launch.header();
    let (mut app, mut frame) = open(launch, args.headless.size());
    let options = WriteOptions { force: args.keep.force, ..WriteOptions::default() };
    let mut recording = Recording::begin(path, &frame, options, Some(&header))?;
    let count = args.frames.unwrap_or((args.seconds() * RECORDING_FPS).round().max(1.0) as u32);
    let mut progress = Progress::new(count.into());
    let laps = (args.seconds() * RECORDING_FPS / f64::from(count)).ceil().max(1.0) as u32;
    let lap = args.seconds() / f64::from(count) / f64::from(laps);
    for number in 1..=count {
        for _ in 0..laps {
            if let Some(time) = &mut time {
                app.update(Action::SetWallClock(*time as u32));
                *time += lap;
            }
            app.tick(Duration::from_secs_f64(lap), u32::MAX);
        }
        app.draw(&mut frame);
        recording.frame(Duration::ZERO, &frame, &app.take_log())?;
        progress.at(number.into());
    }
    recording.finish()
}

/// Builds the toy with the defaults of a headless run: the seed is not random, and the scene sets the particle count.
fn launch(args: &RenderArgs, demo: Option<DemoSpec>) -> Result<Launch, Error> {
    // In a file, neither a hint of keys nor an autopilot for want of input makes sense.
    let unattended =
        [("hint", "false"), ("idle", "0")].map(|(name, value)| Setting::from_flag(name, value, "slosh render"));
    let flags = [args.headless.scene.settings(), args.settings(), unattended.to_vec()].concat();
    let mut launch = match demo {
        Some(demo) => Launch::of_demo(demo, None, flags)?,
        None => Launch::of_scene(&args.headless.scene, flags)?,
    };
    if !args.headless.scene.particles_auto() {
        launch.options.simulation.auto_particles = None;
    }
    Ok(launch)
}

/// Builds the app in a window of that size, and a buffer for its frames.
fn open(launch: Launch, size: FrameSize) -> (App, Buffer) {
    let FrameSize { width, height } = size;
    let depth = launch.settings.terminal.color.unwrap_or_default();
    let mut app = App::new(launch.options);
    app.start_log();
    app.update(Action::Terminal(TerminalCaps { depth, ..TerminalCaps::default() }));
    app.update(Action::Resize(Window { columns: width, rows: height, cell: [0, 0] }));
    (app, Buffer::empty(Rect::new(0, 0, width, height)))
}

/// Reads the settings from flags, environment and file.
fn settings(args: &RenderArgs) -> Result<Settings, Error> {
    layers::settings([args.headless.scene.settings(), args.settings()].concat())
}

/// Converts a `.slosh` recording to another format.
pub fn copy(args: &RenderArgs, from: &Path, to: &Path) -> Result<(), Error> {
    args.refuse_format(to)?;
    if RecordFormat::from_path(to) == Some(RecordFormat::Log) {
        return Err(Error::Input(format!("{} would be a copy of {}", to.display(), from.display())));
    }
    let settings = settings(args)?;
    let options = WriteOptions { force: args.keep.force, version: settings.cast, live: false };
    let mut replay = open_recording(from, &settings)?;
    let mut progress = Progress::new(replay.frames()? as u64);
    let mut recording = None;
    let mut number = 0;
    while let Some(at) = replay.advance()? {
        let recording = match &mut recording {
            Some(recording) => recording,
            none => none.insert(Recording::begin(to, replay.frame(), options, None)?),
        };
        recording.frame(at, replay.frame(), "")?;
        number += 1;
        progress.at(number);
    }
    recording.map_or_else(|| Err(Error::Input(format!("{} contains no frames", from.display()))), Recording::finish)
}

/// Writes frames of a `.slosh` recording, evenly spaced up to the last.
pub fn copy_frames(args: &RenderArgs, from: &Path) -> Result<(), Error> {
    let mut replay = open_recording(from, &settings(args)?)?;
    let all = replay.frames()?;
    let mut pages = FrameWriter::new(args, args.frames.unwrap_or(1).min(all as u32))?;
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
