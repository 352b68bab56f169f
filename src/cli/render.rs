//! `slosh render`: frames with no terminal, as text or as pictures.

mod format;
mod frame_writer;
mod render_recording;

use crate::app::error::Failure;
use crate::app::headless::Stage;
use crate::app::headless::progress::Progress;
use crate::app::recorder::{Kind, Manner, Recording};
use crate::cli::RenderArgs;
use crate::term::{Caps, Env};
use crate::view::camera::CELL_PIXELS;
use crate::view::reference_image::ideal;
use crate::view::{ColorDepth, Look, Painter};
pub use format::{Format, png};
use frame_writer::Pages;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::time::Duration;

/// Frames a second of a recording where their number is not given.
const USUAL_RATE: f64 = 25.0;

/// Plays the scene, or a recording of slosh's own, and writes its frames.
pub fn run(args: &RenderArgs) -> Result<(), Failure> {
    let recording = args.out.as_deref().map(recording).transpose()?.flatten();
    match (args.stage.scene.replay(), recording) {
        (Some(from), Some(to)) => render_recording::copy(args, from, to),
        (Some(from), None) => render_recording::copy_frames(args, from),
        (None, Some(to)) if Kind::of(to) == Some(Kind::Log) => render_recording::log(args, to),
        (None, Some(to)) => record(args, to),
        (None, None) => frames(args),
    }
}

/// The path, if it is a recording's and not a folder's: what has an ending is a folder only if it is there already, or
/// if it is written as one.
fn recording(path: &Path) -> Result<Option<&Path>, Failure> {
    let as_folder = path.to_string_lossy().ends_with(std::path::is_separator);
    if path.is_dir() || as_folder || path.extension().is_none() {
        return Ok(None);
    }
    Kind::needed(path).map(|_| Some(path))
}

fn record(args: &RenderArgs, path: &Path) -> Result<(), Failure> {
    refuse_format(args, path)?;
    let single = args.frames.is_none() && Kind::of(path) == Some(Kind::Apng) && !ends_with(path, "apng");
    let usual = if single { 1 } else { (args.seconds * USUAL_RATE).round().max(1.0) as u32 };
    let count = args.frames.unwrap_or(usual);
    let mut set = Set::new(args)?;
    let manner = Manner { force: args.keep.force, edition: set.stage.settings.cast, live: false };
    let mut recording = Recording::begin(path, &set.frame, manner, None)?;
    let mut progress = Progress::new(count.into());
    for number in 1..=count {
        let at = args.seconds * f64::from(number) / f64::from(count);
        recording.frame(Duration::from_secs_f64(at), set.draw(at), "")?;
        progress.at(number.into());
    }
    recording.finish()
}

fn refuse_format(args: &RenderArgs, path: &Path) -> Result<(), Failure> {
    if args.ideal || args.format.is_some() {
        return Err(Failure::Input(format!("{} is a recording by its ending: leave --format out", path.display())));
    }
    Ok(())
}

fn ends_with(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|own| own.eq_ignore_ascii_case(ending))
}

/// A stage, and what it is drawn with.
struct Set {
    stage: Stage,
    look: Look,
    painter: Painter,
    frame: Buffer,
}

impl Set {
    fn new(args: &RenderArgs) -> Result<Self, Failure> {
        let stage = Stage::new(&args.stage, args.settings())?;
        stage.ends_at(args.seconds)?;
        let look = stage.look()?;
        let area = Rect::new(0, 0, args.stage.size.width, args.stage.size.height);
        Ok(Self { stage, look, painter: Painter::default(), frame: Buffer::empty(area) })
    }

    /// The frame of that second.
    fn draw(&mut self, seconds: f64) -> &Buffer {
        self.stage.play_to(seconds);
        let area = self.frame.area;
        self.painter.paint(&self.stage.world, &self.look, CELL_PIXELS, area, &mut self.frame);
        self.stage.overprint(&self.look, &mut self.frame);
        &self.frame
    }
}

fn frames(args: &RenderArgs) -> Result<(), Failure> {
    let mut pages = Pages::new(args, args.frames.unwrap_or(1))?;
    let format = pages.format;
    let mut set = Set::new(args)?;
    set.look.depth = match format {
        Format::Text => ColorDepth::Mono,
        _ => set.stage.settings.color.unwrap_or_else(|| suitable_depth(format)),
    };
    for number in 1..=pages.count {
        let second = args.seconds * f64::from(number) / f64::from(pages.count);
        let bytes = if args.ideal {
            set.stage.play_to(second);
            format.picture(&ideal(&set.stage.world, &set.look, CELL_PIXELS, set.frame.area))?
        } else {
            format.write(set.draw(second))?
        };
        pages.put(&bytes)?;
    }
    pages.finish()
}

/// On a terminal what it shows; in a file everything, because whoever reads it is not known, unless colours are
/// unwanted altogether.
fn suitable_depth(format: Format) -> ColorDepth {
    let env = Env::read();
    if format.is_picture() {
        return ColorDepth::TrueColor;
    }
    match Caps::guess(&env, None).depth {
        _ if !io::stdout().is_terminal() && !env.no_color => ColorDepth::TrueColor,
        depth => depth,
    }
}
