//! `slosh render`: frames with no terminal, as text or as pictures.

use super::config::RenderArgs;
use super::failure::Failure;
use super::files::failed;
use super::progress::Progress;
use super::record::{Kind, Recording};
use super::stage::Stage;
use super::term::color::{self, Paint};
use super::term::{Caps, Env};
use crate::view::camera::CELL_PIXELS;
use crate::view::ideal::ideal;
use crate::view::raster::{self, Image};
use crate::view::{ColorDepth, Look, Painter};
use clap::ValueEnum;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier};
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::time::Duration;

/// Frames a second of a recording where their number is not given.
const USUAL_RATE: f64 = 25.0;

/// What a frame is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Glyphs in their colours
    Ansi,
    /// Glyphs only
    Text,
    /// A picture of 8×16 pixels a cell, as binary PPM
    Ppm,
    /// A picture of 8×16 pixels a cell
    Png,
}

impl Format {
    fn ending(self) -> &'static str {
        match self {
            Format::Ansi => "ansi",
            Format::Text => "txt",
            Format::Ppm => "ppm",
            Format::Png => "png",
        }
    }

    fn is_picture(self) -> bool {
        matches!(self, Format::Ppm | Format::Png)
    }

    fn write(self, frame: &Buffer) -> Result<Vec<u8>, Failure> {
        match self {
            Format::Ansi => Ok(ansi(frame).into_bytes()),
            Format::Text => Ok(text(frame).into_bytes()),
            Format::Ppm | Format::Png => self.picture(&raster::rasterize(frame)),
        }
    }

    fn picture(self, image: &Image) -> Result<Vec<u8>, Failure> {
        if self == Format::Png { png(image) } else { Ok(image.to_ppm()) }
    }
}

/// Plays the scene and writes its frames, evenly spaced up to the end.
pub fn run(args: &RenderArgs) -> Result<(), Failure> {
    match args.out.as_deref().filter(|path| is_recording(path)) {
        Some(path) => record(args, path),
        None => frames(args),
    }
}

/// A single PNG picture is no recording, and neither is a folder.
fn is_recording(path: &Path) -> bool {
    Kind::of(path).is_some() && !path.is_dir()
}

fn record(args: &RenderArgs, path: &Path) -> Result<(), Failure> {
    if args.ideal || args.format.is_some() {
        return Err(Failure::Input(format!("{} is a recording by its ending: leave --format out", path.display())));
    }
    let single = args.frames.is_none() && Kind::of(path) == Some(Kind::Apng) && !ends_with(path, "apng");
    let usual = if single { 1 } else { (args.seconds * USUAL_RATE).round().max(1.0) as u32 };
    let count = args.frames.unwrap_or(usual);
    let mut set = Set::new(args)?;
    let mut recording = Recording::begin(path, &set.frame, args.force)?;
    let mut progress = Progress::new(count.into());
    for number in 1..=count {
        let at = args.seconds * f64::from(number) / f64::from(count);
        recording.frame(Duration::from_secs_f64(at), set.draw(at))?;
        progress.at(number.into());
    }
    recording.finish()
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
        let stage = Stage::new(&args.stage, &args.look)?;
        let look = stage.look()?;
        let area = Rect::new(0, 0, args.stage.size.width, args.stage.size.height);
        Ok(Self { stage, look, painter: Painter::default(), frame: Buffer::empty(area) })
    }

    /// The frame of that second.
    fn draw(&mut self, seconds: f64) -> &Buffer {
        self.stage.play_to(seconds);
        let area = self.frame.area;
        self.painter.paint(&self.stage.world, &self.look, CELL_PIXELS, area, &mut self.frame);
        &self.frame
    }
}

fn frames(args: &RenderArgs) -> Result<(), Failure> {
    let format = args.format.unwrap_or(if args.out.is_some() { Format::Png } else { Format::Ansi });
    let count = args.frames.unwrap_or(1);
    check(args, format)?;
    let mut set = Set::new(args)?;
    set.look.depth = match format {
        Format::Text => ColorDepth::Mono,
        _ => set.stage.settings.color.unwrap_or_else(|| suitable_depth(format)),
    };
    let name = |number: u32| format!("frame-{number:04}.{}", format.ending());
    if let Some(folder) = &args.out {
        fs::create_dir_all(folder).map_err(|error| at(folder, error))?;
        let there = (1..=count).map(|number| folder.join(name(number))).find(|path| path.exists());
        if let Some(path) = there.filter(|_| !args.force) {
            return Err(failed(&path, &io::ErrorKind::AlreadyExists.into()));
        }
    }
    let mut progress = args.out.is_some().then(|| Progress::new(count.into()));
    for number in 1..=count {
        let second = args.seconds * f64::from(number) / f64::from(count);
        let bytes = if args.ideal {
            set.stage.play_to(second);
            format.picture(&ideal(&set.stage.world, &set.look, CELL_PIXELS, set.frame.area))?
        } else {
            format.write(set.draw(second))?
        };
        match &args.out {
            Some(folder) => save(folder, &name(number), &bytes)?,
            None => io::stdout().lock().write_all(&bytes)?,
        }
        if let Some(progress) = &mut progress {
            progress.at(number.into());
        }
    }
    io::stdout().flush()?;
    Ok(())
}

fn check(args: &RenderArgs, format: Format) -> Result<(), Failure> {
    let advice = "give --out DIR";
    if args.ideal && !format.is_picture() {
        return Err(Failure::Input("--ideal is a picture, not cells; give --format png, or ppm".to_owned()));
    }
    if args.out.is_none() && format.is_picture() && io::stdout().is_terminal() {
        return Err(Failure::Input(format!(
            "a terminal shows no {} file; {advice}, or write to a file with >",
            format.ending()
        )));
    }
    if args.out.is_none() && format == Format::Png && args.frames.is_some_and(|frames| frames > 1) {
        return Err(Failure::Input(format!(
            "several PNG files in a row are no PNG file; {advice}, or use --format ppm"
        )));
    }
    Ok(())
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

/// A row of glyphs a line.
fn text(frame: &Buffer) -> String {
    let mut text = String::new();
    for row in frame.content.chunks(usize::from(frame.area.width)) {
        let line: String = row.iter().map(|cell| cell.symbol()).collect();
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// A row of coloured glyphs a line; every line begins and ends with the terminal's own colours, so that any of them
/// can be cut out.
fn ansi(frame: &Buffer) -> String {
    let mut ansi = String::new();
    for row in frame.content.chunks(usize::from(frame.area.width)) {
        let mut pen = (Color::Reset, Color::Reset, Modifier::empty());
        for cell in row {
            let wanted = (cell.fg, cell.bg, cell.modifier);
            if wanted != pen {
                ansi += &sgr(wanted);
                pen = wanted;
            }
            ansi += cell.symbol();
        }
        ansi += "\x1b[0m\n";
    }
    ansi
}

/// Selects a rendition, whatever came before.
fn sgr((fg, bg, modifier): (Color, Color, Modifier)) -> String {
    let mut codes = vec!["0".to_owned()];
    for (flag, code) in [(Modifier::BOLD, "1"), (Modifier::DIM, "2"), (Modifier::REVERSED, "7")] {
        if modifier.contains(flag) {
            codes.push(code.to_owned());
        }
    }
    codes.extend(color_code(fg, 30));
    codes.extend(color_code(bg, 40));
    format!("\x1b[{}m", codes.join(";"))
}

/// `base` is 30 for the foreground and 40 for the background. The first sixteen colours are said as every terminal
/// knows them, the bright ones 60 above.
fn color_code(color: Color, base: u8) -> Option<String> {
    match Paint::from(color).kind() {
        color::Kind::Default => None,
        color::Kind::Index(index @ 0..8) => Some((base + index).to_string()),
        color::Kind::Index(index @ 8..16) => Some((base + 60 + index - 8).to_string()),
        color::Kind::Index(index) => Some(format!("{};5;{index}", base + 8)),
        color::Kind::Rgb(r, g, b) => Some(format!("{};2;{r};{g};{b}", base + 8)),
    }
}

pub fn png(image: &Image) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, image.width as u32, image.height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let written = encoder.write_header().and_then(|mut writer| writer.write_image_data(&image.rgb));
    written.map_err(|error| Failure::Run(error.to_string()))?;
    Ok(bytes)
}

/// Writes a file so that it is there as a whole or not at all.
fn save(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), Failure> {
    let (part, whole) = (folder.join(format!(".{name}.part")), folder.join(name));
    let saved = fs::write(&part, bytes).and_then(|()| fs::rename(&part, &whole));
    saved.map_err(|error| {
        let _ = fs::remove_file(&part);
        at(&whole, error)
    })
}

fn at(path: &Path, error: io::Error) -> Failure {
    Failure::Run(format!("{}: {error}", path.display()))
}
