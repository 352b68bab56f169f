//! Writes `.slosh` recordings without a terminal, and converts them to other formats.

use crate::app::action::{Action, TerminalCaps};
use crate::app::demo::DemoSpec;
use crate::app::error::Error;
use crate::app::record::{Header, Recording, WriteOptions, is_input_log};
use crate::app::{App, Options};
use crate::cli::demos;
use crate::cli::launch::{self, open_recording};
use crate::cli::progress::Progress;
use crate::cli::render::args::{RECORDING_FPS, RenderArgs};
use crate::cli::render::frame_writer::FrameWriter;
use crate::cli::settings::{Settings, layers};
use crate::data::Setting;
use crate::view::raster;
use ratatui::buffer::Buffer;
use std::path::Path;
use std::time::Duration;

/// Writes a `.slosh` recording: it contains the events of the run, not its frames.
pub fn log(args: &RenderArgs, path: &Path) -> Result<(), Error> {
    args.refuse_format(path)?;
    if !(args.headless.tilt.is_empty() && args.headless.at.is_empty()) {
        return Err(Error::Input("a .slosh recording cannot contain --at and --tilt: leave them out".to_owned()));
    }
    let demo = demos::headless(&args.headless)?;
    let spec = demo.clone();
    let mut since = 0.0;
    let (settings, options) = prepared(args, demo)?;
    let header = Header::new(&options);
    let (mut app, window) = (App::new(options), args.headless.window());
    app.log.start();
    let depth = settings.terminal.color.unwrap_or_default();
    app.update(Action::Terminal(TerminalCaps { depth, ..TerminalCaps::default() }));
    app.update(Action::Resize(window));
    let mut frame = Buffer::empty(window.area());
    let options = WriteOptions { force: args.force, ..WriteOptions::default() };
    let mut recording = Recording::begin(path, frame.area, options, Some(&header))?;
    let count = args.frames.unwrap_or_else(|| args.recording_frames());
    let mut progress = Progress::new(count.into());
    let laps = (args.seconds() * RECORDING_FPS / f64::from(count)).ceil().max(1.0) as u32;
    let lap = args.seconds() / f64::from(count) / f64::from(laps);
    for number in 1..=count {
        for _ in 0..laps {
            if let Some(time) = spec.as_ref().and_then(|spec| spec.time_at(since)) {
                app.update(time);
                since += lap;
            }
            app.tick(Duration::from_secs_f64(lap), u32::MAX);
        }
        app.draw(&mut frame);
        recording.frame(Duration::ZERO, &frame, &app.log.take())?;
        progress.at(number.into());
    }
    app.rest(Duration::from_secs_f64(lap * f64::from(laps)));
    recording.finish(Duration::ZERO, &app.log.take())
}

/// Builds the toy with the defaults of a headless run: the seed is not random, and the scene sets the particle count.
fn prepared(args: &RenderArgs, demo: Option<DemoSpec>) -> Result<(Settings, Options), Error> {
    // In a file, neither a hint of keys nor an autopilot for want of input makes sense.
    let unattended = [("hint", "false"), ("idle", "0")]
        .map(|(name, value)| Setting::with_origin(name, value, &format!("slosh render {value}")));
    let flags = [args.headless.scene.flags.settings(), args.look.settings(), unattended.to_vec()].concat();
    let (settings, mut options) = match demo {
        Some(demo) => launch::demo_options(demo, None, flags)?,
        None => launch::scene_options(&args.headless.scene, flags)?,
    };
    if !args.headless.scene.particles_auto() {
        options.simulation.auto_particles = None;
    }
    Ok((settings, options))
}

fn settings(args: &RenderArgs) -> Result<Settings, Error> {
    layers::settings([args.headless.scene.flags.settings(), args.look.settings()].concat())
}

pub fn copy(args: &RenderArgs, from: &Path, to: &Path) -> Result<(), Error> {
    args.refuse_format(to)?;
    if is_input_log(to) {
        return Err(Error::Input(format!("{} would be a copy of {}", to.display(), from.display())));
    }
    let mut replay = open_recording(from, &settings(args)?)?;
    let all = replay.frames()?;
    let wanted = args.frames.map_or(all, |frames| all.min(frames as usize));
    let options = WriteOptions { force: args.force, every_frame: args.frames.is_some(), live: false };
    let mut progress = Progress::new(all as u64);
    let mut recording = None;
    let mut number = 0;
    while let Some(at) = replay.advance()? {
        number += 1;
        progress.at(number as u64);
        if number * wanted / all > (number - 1) * wanted / all {
            let recording = match &mut recording {
                Some(recording) => recording,
                none => none.insert(Recording::begin(to, replay.frame.area, options, None)?),
            };
            recording.frame(at, &replay.frame, "")?;
        }
    }
    let recording = recording.ok_or_else(|| Error::Input(format!("{} contains no frames", from.display())))?;
    recording.finish(replay.now, "")
}

pub fn copy_frames(args: &RenderArgs, from: &Path) -> Result<(), Error> {
    let mut replay = open_recording(from, &settings(args)?)?;
    let all = replay.frames()?;
    let mut pages = FrameWriter::new(args, args.frames.unwrap_or(1).min(all as u32))?;
    let mut number = 0;
    while replay.advance()?.is_some() {
        number += 1;
        if number * pages.count as usize / all.max(1) > pages.done as usize {
            let mut frame = replay.frame.clone();
            if pages.shows_ascii {
                raster::to_ascii(&mut frame);
            }
            pages.put(&pages.format.write(&frame)?)?;
        }
    }
    pages.finish()
}
