pub mod args;
mod format;
mod frame_writer;
mod render_recording;

use crate::app::error::Error;
use crate::app::files;
use crate::app::record::{self, Recording, WriteOptions, png};
use crate::cli::headless::HeadlessJob;
use crate::cli::progress::Progress;
use crate::term::{Caps, Env};
use crate::view::camera::CELL_PIXELS;
use crate::view::reference_image::paint_reference;
use crate::view::{ColorDepth, GlyphMode, Painter, RenderStyle, Rgb};
pub use args::RenderArgs;
use format::Format;
use frame_writer::FrameWriter;
use ratatui::buffer::Buffer;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::time::Duration;

pub fn run(args: &RenderArgs) -> Result<(), Error> {
    let recording = args.out().map(recording).transpose()?.flatten();
    if let Some(from) = args.headless.scene.replay() {
        args.refuse_recorded(from)?;
    }
    match (args.headless.scene.replay(), recording) {
        (Some(from), Some(to)) => render_recording::copy(args, from, to),
        (Some(from), None) => render_recording::copy_frames(args, from),
        (None, Some(to)) if record::is_input_log(to) => render_recording::log(args, to),
        (None, Some(to)) => record(args, to),
        (None, None) => frames(args),
    }
}

/// A path with an extension is a folder only if that folder exists, or if the path ends in a separator.
fn recording(path: &Path) -> Result<Option<&Path>, Error> {
    let as_folder = path.to_string_lossy().ends_with(std::path::is_separator);
    if path.is_dir() || as_folder || path.extension().is_none() {
        return Ok(None);
    }
    record::Format::required(path).map(|_| Some(path))
}

fn record(args: &RenderArgs, path: &Path) -> Result<(), Error> {
    let is_png = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png"));
    let usual = if is_png { 1 } else { args.recording_frames() };
    let count = args.frames.unwrap_or(usual);
    if is_png && count == 1 && args.ideal {
        let picture = RenderJob::new(args, true)?.draw_ideal(args.seconds())?;
        return files::write(path, &picture, args.force).map_err(|error| files::failed(path, &error));
    }
    args.refuse_format(path)?;
    check_rate(path, count, args.seconds())?;
    let is_cast = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("cast"));
    let mut job = RenderJob::new(args, !is_cast)?;
    let options = WriteOptions { force: args.force, every_frame: args.frames.is_some(), ..WriteOptions::default() };
    let mut recording = Recording::begin(path, job.frame.area, options, None)?;
    let mut progress = Progress::new(count.into());
    // Every frame shows the end of its interval, so that the last one is that of `--seconds`.
    let end = |number: u32| args.seconds() * f64::from(number) / f64::from(count);
    for number in 1..=count {
        recording.frame(Duration::from_secs_f64(end(number - 1)), job.draw(end(number)), "")?;
        progress.at(number.into());
    }
    recording.finish(Duration::from_secs_f64(args.seconds()), "")
}

fn check_rate(path: &Path, count: u32, seconds: f64) -> Result<(), Error> {
    let shortest = record::Format::required(path)?.shortest.as_secs_f64();
    if count == 1 || seconds >= shortest * f64::from(count) {
        return Ok(());
    }
    let (path, most) = (path.display(), ((seconds / shortest) as u32).max(1));
    Err(Error::Input(format!(
        "{path}: {count} frames in {seconds} s are too many for its players; give --frames {most} or fewer"
    )))
}

struct RenderJob {
    source: HeadlessJob,
    look: RenderStyle,
    painter: Painter,
    frame: Buffer,
}

impl RenderJob {
    /// Pictures are black where nothing is; the background of a terminal is not known.
    fn new(args: &RenderArgs, is_picture: bool) -> Result<Self, Error> {
        let job = HeadlessJob::new(&args.headless, args.look.settings())?;
        job.check_end(args.seconds())?;
        let mut look = job.look()?;
        look.background = look.background.over(is_picture.then_some(Rgb::BLACK));
        let frame = Buffer::empty(args.headless.window().area());
        Ok(Self { source: job, look, painter: Painter::default(), frame })
    }

    fn draw(&mut self, seconds: f64) -> &Buffer {
        self.source.run.play_to(seconds);
        let area = self.frame.area;
        self.painter.decor = self.source.run.decor();
        self.painter.paint(&self.source.run.world, &self.look, CELL_PIXELS, area, &mut self.frame);
        self.source.run.overprint(&self.look, &mut self.frame);
        &self.frame
    }

    fn draw_ideal(&mut self, seconds: f64) -> Result<Vec<u8>, Error> {
        let run = &mut self.source.run;
        run.play_to(seconds);
        let picture = paint_reference(&run.world, run.decor().as_deref(), &self.look, CELL_PIXELS, self.frame.area);
        png::encode(&picture)
    }
}

fn frames(args: &RenderArgs) -> Result<(), Error> {
    let mut pages = FrameWriter::new(args, args.frames.unwrap_or(1))?;
    let format = pages.format;
    let mut job = RenderJob::new(args, format == Format::Png)?;
    if pages.shows_ascii && job.source.settings.look.glyphs.is_none() {
        job.look.glyphs = GlyphMode::Ascii;
    }
    job.look.depth = match format {
        Format::Text => ColorDepth::Mono,
        _ => job.source.settings.terminal.color.unwrap_or_else(|| suitable_depth(format)),
    };
    for number in 1..=pages.count {
        let second = args.seconds() * f64::from(number) / f64::from(pages.count);
        let bytes = if args.ideal { job.draw_ideal(second)? } else { format.write(job.draw(second))? };
        pages.put(&bytes)?;
    }
    pages.finish()
}

/// Text on a terminal has the terminal's colour depth; other frames have all colours, unless they are switched off.
fn suitable_depth(format: Format) -> ColorDepth {
    let env = Env::read();
    if format == Format::Png {
        return ColorDepth::TrueColor;
    }
    let is_plain = !io::stdout().is_terminal() && !env.no_color;
    if is_plain { ColorDepth::TrueColor } else { Caps::from_env(&env, None).depth }
}
