//! One scene, as the toy plays it: what a step and a frame of it take, and the bytes.

use crate::cli::args::headless::Size;
use crate::cli::bench::encoders::{EncoderStats, Encoders};
use crate::cli::bench::solver::neighbours;
use crate::cli::bench::stopwatch::{Laps, Part, Passes};
use crate::sim::World;
use crate::sim::observer::Pass;
use crate::term::encoder::rate_control::{LAMBDA_ECONOMY, LAMBDA_FINE};
use crate::view::camera::CELL_PIXELS;
use crate::view::reference_image::paint_reference;
use crate::view::{Painter, RenderStyle};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use serde::Serialize;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Frames that are counted, 30 a second: two seconds at a time. First of the scene's beginning, when the most is moving.
const COUNTED: usize = 60;

/// Then from these steps on: when the whole tank still swings by some cells, and when it does by parts of one.
const SWELL: u64 = 360;
const CALM: u64 = 600;

/// The stages of a frame.
const STAGES: [&str; 4] = ["field", "light", "glyph", "encode"];

/// Steps after which a scene is taken to have settled.
const SETTLED: u64 = 900;

/// Steps that are timed.
const TIMED: Range<usize> = 15..300;

/// Neither settling nor timing takes much longer than this, however many the particles.
const PATIENCE: Duration = Duration::from_secs(4);

/// What was measured. Times are medians.
#[derive(Debug, Serialize)]
pub struct Report {
    scene: String,
    particles: usize,
    /// Of a grid.
    cells: usize,
    /// Of cloth.
    nodes: usize,
    substeps: u32,
    glyphs: &'static str,
    step: Vec<Part>,
    step_ms: f64,
    /// Of a particle and a substep; of a cell or a node of cloth where there are no particles.
    step_ns: f64,
    particle_steps_per_second: f64,
    /// Other particles within reach of one, on average.
    neighbours: f64,
    /// Each pair counted for both of its particles, once a substep, over the time of all passes.
    pair_interactions_per_second: f64,
    #[serde(flatten)]
    frames: Frames,
}

/// What drawing a scene at one size took, with the milliseconds of a lively frame's stages.
#[derive(Debug, Serialize)]
pub struct Frames {
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

/// Draws the scene's beginning frame by frame, lets it settle, then times the steps.
pub fn measure(name: String, mut world: World, look: RenderStyle, size: Size) -> Report {
    let glyphs = look.glyphs.name();
    let frames = measure_frames(&mut world, look, size);
    settle(&mut world, SETTLED);
    let step = Passes::time(&mut world, TIMED, PATIENCE);

    let (step_ms, neighbours) = (step.median_total(), neighbours(&world));
    let cells = world.smoke().map_or(0, |smoke| smoke.grid().len());
    let nodes = world.cloth().map_or(0, |cloth| cloth.places().len());
    let particle_steps_per_second = world.particles() as f64 / step_ms * 1000.0;
    Report {
        scene: name,
        particles: world.particles(),
        cells,
        nodes,
        substeps: world.substeps(),
        glyphs,
        step: step.parts(Pass::ALL.map(Pass::name)),
        step_ms,
        step_ns: step_ms * 1e6 / (unit(world.particles(), cells, nodes).0 * f64::from(world.substeps())),
        particle_steps_per_second,
        neighbours,
        pair_interactions_per_second: particle_steps_per_second * f64::from(world.substeps()) * neighbours,
        frames,
    }
}

/// Of what there is how much: a tank without particles is told by its cells, or by the nodes of its cloth.
fn unit(particles: usize, cells: usize, nodes: usize) -> (f64, &'static str) {
    let (count, unit) = match (particles, cells, nodes) {
        (0, 0, 1..) => (nodes, "node"),
        (0, 1.., _) => (cells, "cell"),
        _ => (particles.max(1), "particle"),
    };
    (count as f64, unit)
}

fn settle(world: &mut World, steps: u64) {
    let start = Instant::now();
    while world.steps() < steps && start.elapsed() < PATIENCE {
        world.step();
    }
}

/// What frames are drawn on and encoded with.
struct Canvas {
    look: RenderStyle,
    painter: Painter,
    frame: Buffer,
    /// The same with no memory of what went before.
    afresh: Buffer,
    encoders: Encoders,
}

impl Canvas {
    fn new(look: RenderStyle, size: Size) -> Self {
        let frame = Buffer::empty(Rect::new(0, 0, size.width, size.height));
        Self { look, painter: Painter::default(), afresh: frame.clone(), frame, encoders: Encoders::new() }
    }

    /// Draws `count` frames, 30 a second, and returns what they took.
    fn draw(&mut self, world: &mut World, count: usize, laps: &mut Laps<4>) -> Vec<EncoderStats> {
        let area = self.frame.area;
        for _ in 0..count {
            world.step();
            world.step();
            laps.start();
            self.painter.paint_observed(world, &self.look, CELL_PIXELS, area, &mut self.frame, laps);
            self.encoders.encode(&self.frame);
            laps.lap(3);
            laps.finish();
            Painter::default().paint(world, &self.look, CELL_PIXELS, area, &mut self.afresh);
            self.encoders.count(&self.frame, &self.afresh, || paint_reference(world, &self.look, CELL_PIXELS, area));
        }
        self.encoders.take()
    }
}

pub fn table(report: &Report) -> String {
    let Report { scene, particles, cells, nodes, substeps, glyphs, frames, .. } = report;
    let Frames { columns, rows, .. } = frames;
    let (count, unit) = unit(*particles, *cells, *nodes);
    let mut text = format!("{scene}, {count} {unit}s\n");
    text += &format!("\na step of 1/60 s in {substeps} substeps, settled   ms    ns a {unit} and substep\n");
    let ns = |ms: f64| ms * 1e6 / (count * f64::from(*substeps));
    for Part { name, ms } in report.step.iter().filter(|part| part.ms > 0.0) {
        text += &format!("  {name:<40}{ms:>8.3}{:>8.1}\n", ns(*ms));
    }
    text += &format!("  {:<40}{:>8.3}{:>8.1}\n", "all", report.step_ms, report.step_ns);
    if *particles > 0 {
        text += &format!("  {:.2} million particles × steps a second\n", report.particle_steps_per_second / 1e6);
        let pairs = report.pair_interactions_per_second / 1e6;
        text += &format!("  {:.1} neighbours, {pairs:.0} million pair interactions a second\n", report.neighbours);
    }
    text += &format!("\na frame of {columns}×{rows} cells, {glyphs}, lively   ms\n");
    for Part { name, ms } in &frames.frame {
        text += &format!("  {name:<40}{ms:>8.3}\n");
    }
    text += &format!("  {:<40}{:>8.3}\n", "all", frames.frame_ms);
    text += "\n30 frames a second; times fewer than ratatui with the same frames, and with frames fitted afresh\n";
    text += "                             bytes a frame      dB    same  afresh      ms\n";
    for (moment, tallies) in frames.moments() {
        for EncoderStats { name, bytes, psnr, fewer_than_same, fewer_than_afresh, ms } in tallies {
            let fewer = format!("{fewer_than_same:>7.1}×{fewer_than_afresh:>7.1}×");
            text += &format!("  {moment:<8}{name:<24}{bytes:>8.0}{psnr:>8.2}{fewer}{ms:>8.3}\n");
        }
    }
    text
}

/// Plays the scene, every frame of it on the screen, and counts at three moments. The first frame of all, which has the
/// whole screen to fill, counts for nothing.
pub fn measure_frames(world: &mut World, look: RenderStyle, size: Size) -> Frames {
    let mut canvas = Canvas::new(look, size);
    let (mut laps, mut idle) = (Laps::default(), Laps::default());
    canvas.draw(world, 1, &mut idle);
    let lively = canvas.draw(world, COUNTED, &mut laps);
    let mut later = |from: u64| {
        canvas.draw(world, (from.saturating_sub(world.steps()) / 2) as usize, &mut idle);
        canvas.draw(world, COUNTED, &mut idle)
    };
    let (swell, calm) = (later(SWELL), later(CALM));
    let (frame, frame_ms) = (laps.parts(STAGES), laps.median_total());
    Frames { columns: size.width, rows: size.height, frame, frame_ms, lively, swell, calm }
}

/// A row for every size and moment, as a table in markdown. `ratatui` has the frames that slosh encodes, `afresh` fits
/// every frame with no memory of the one before; `fewer` is how many times fewer bytes than the one and than the other.
pub fn bytes_table(sizes: &[Frames]) -> String {
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
