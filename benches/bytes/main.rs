//! Bytes per frame of ratatui's encoder and of slosh's, for the same frames, at three sizes.
//!
//! `cargo bench --bench bytes [-- SCENE --json]`

mod encoders;
#[path = "../shared/picture.rs"]
mod picture;
#[allow(dead_code)]
#[path = "../shared/stopwatch.rs"]
mod stopwatch;

use clap::Parser;
use encoders::{EncoderStats, Encoders};
use picture::BenchArgs;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use serde::Serialize;
use slosh::app::action::Window;
use slosh::app::error::Error;
use slosh::sim::World;
use slosh::term::encoder::rate_control::{LAMBDA_ECONOMY, LAMBDA_FINE};
use slosh::view::camera::CELL_PIXELS;
use slosh::view::reference_image::paint_reference;
use slosh::view::{Painter, RenderStyle};
use std::io;
use stopwatch::{Part, Stopwatch, USUAL_SIZES};

/// Number of counted frames, 30 per second: two seconds at a time. First from the scene's start, when most moves.
const COUNTED: usize = 60;

/// Then from these steps: while the entire tank still sways by several cells, and while it does by fractions of one.
const SWELL: u64 = 360;
const CALM: u64 = 600;

/// The stages of a frame.
const STAGES: [&str; 4] = ["field", "light", "glyph", "encode"];

/// The measurements of a scene at one size, with the milliseconds of the stages of a lively frame.
#[derive(Debug, Serialize)]
struct Frames {
    columns: u16,
    rows: u16,
    frame: Vec<Part>,
    frame_ms: f64,
    lively: Vec<EncoderStats>,
    swell: Vec<EncoderStats>,
    calm: Vec<EncoderStats>,
}

impl Frames {
    fn moments(&self) -> [(&'static str, &[EncoderStats]); 3] {
        [("splash", &self.lively), ("swell", &self.swell), ("calm", &self.calm)]
    }
}

fn main() -> Result<(), Error> {
    let args = BenchArgs::parse();
    if args.test {
        return Ok(());
    }
    let mut sizes = Vec::new();
    for size in USUAL_SIZES {
        let mut job = args.job(size)?;
        let look = job.look()?;
        sizes.push(measure_frames(&mut job.run.world, look, size));
    }
    if args.json {
        println!("{}", serde_json::to_string_pretty(&sizes).map_err(io::Error::from)?);
    } else {
        print!("{}", bytes_table(&sizes));
    }
    Ok(())
}

/// The buffers and encoders of frames.
struct Canvas {
    look: RenderStyle,
    painter: Painter,
    frame: Buffer,
    /// The same frame without a memory of earlier ones.
    afresh: Buffer,
    encoders: Encoders,
}

impl Canvas {
    fn new(look: RenderStyle, size: Window) -> Self {
        let frame = Buffer::empty(Rect::new(0, 0, size.columns, size.rows));
        Self { look, painter: Painter::default(), afresh: frame.clone(), frame, encoders: Encoders::new() }
    }

    /// Draws `count` frames, 30 per second, and returns the measurements.
    fn draw(&mut self, world: &mut World, count: usize, laps: &mut Stopwatch<4>) -> Vec<EncoderStats> {
        let area = self.frame.area;
        for _ in 0..count {
            world.step();
            world.step();
            laps.start();
            let finished = |stage| laps.lap(stage as usize);
            self.painter.paint_observed(world, &self.look, CELL_PIXELS, area, &mut self.frame, finished);
            self.encoders.encode(&self.frame);
            laps.lap(3);
            laps.finish();
            Painter::default().paint(world, &self.look, CELL_PIXELS, area, &mut self.afresh);
            self.encoders
                .count(&self.frame, &self.afresh, || paint_reference(world, None, &self.look, CELL_PIXELS, area));
        }
        self.encoders.take()
    }
}

/// Plays the scene, draws every frame, and counts at three moments. The very first frame, which fills the entire
/// screen, is not counted.
fn measure_frames(world: &mut World, look: RenderStyle, size: Window) -> Frames {
    let mut canvas = Canvas::new(look, size);
    let (mut laps, mut idle) = (Stopwatch::default(), Stopwatch::default());
    canvas.draw(world, 1, &mut idle);
    let lively = canvas.draw(world, COUNTED, &mut laps);
    let mut later = |from: u64| {
        canvas.draw(world, (from.saturating_sub(world.steps()) / 2) as usize, &mut idle);
        canvas.draw(world, COUNTED, &mut idle)
    };
    let (swell, calm) = (later(SWELL), later(CALM));
    let (frame, frame_ms) = (laps.parts(STAGES), laps.median_total());
    Frames { columns: size.columns, rows: size.rows, frame, frame_ms, lively, swell, calm }
}

/// A Markdown table with a row for every size and moment. `ratatui` gets the frames that slosh encodes, `afresh` frames
/// fitted without a memory; `fewer` is the ratio of their bytes to slosh's.
fn bytes_table(sizes: &[Frames]) -> String {
    let mut text = format!(
        "| bytes a frame, 30 a second | ratatui, afresh | dB | ratatui, same frames | dB | slosh, λ = {LAMBDA_ECONOMY} | dB | \
         fewer than same | than afresh | λ = {LAMBDA_FINE} | dB | fewer than same | exact | ms a frame | of it encoding |\n\
         |---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n"
    );
    for frames in sizes {
        let Frames { columns, rows, frame, frame_ms: ms, .. } = frames;
        let encoding = frame.last().map_or(0., |part| part.ms);
        for (name, tallies) in frames.moments() {
            let [afresh, theirs, exact, ours, fine] = tallies else { continue };
            text += &format!("| {columns}×{rows} {name} | {:.0} | {:.2} ", afresh.bytes, afresh.psnr);
            text += &format!("| {:.0} | {:.2} ", theirs.bytes, theirs.psnr);
            let EncoderStats { bytes, psnr, fewer_than_same, fewer_than_afresh, .. } = ours;
            text += &format!("| {bytes:.0} | {psnr:.2} | {fewer_than_same:.1}× | {fewer_than_afresh:.1}× ");
            text += &format!("| {:.0} | {:.2} | {:.1}× ", fine.bytes, fine.psnr, fine.fewer_than_same);
            text += &format!("| {:.0} ", exact.bytes);
            text += &match name {
                "splash" => format!("| {ms:.2} | {encoding:.2} |\n"),
                _ => "| | |\n".to_owned(),
            };
        }
    }
    text
}
