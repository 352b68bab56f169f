//! One scene, as the toy plays it: what a step and a frame of it take, and the bytes.

use super::encoders::{Encoders, THRIFTILY, Tally};
use super::laps::{Laps, Part};
use super::solver::neighbours;
use crate::app::config::Size;
use crate::sim::World;
use crate::sim::watch::Pass;
use crate::view::camera::CELL_PIXELS;
use crate::view::ideal::ideal;
use crate::view::{Look, Painter};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use serde::Serialize;
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

/// Steps that are timed, at least and at most.
const TIMED: (usize, usize) = (15, 300);

/// Neither settling nor timing takes much longer than this, however many the particles.
const PATIENCE: Duration = Duration::from_secs(4);

/// What was measured. Times are medians.
#[derive(Debug, Serialize)]
pub struct Report {
    scene: String,
    particles: usize,
    substeps: u32,
    columns: u16,
    rows: u16,
    glyphs: &'static str,
    step: Vec<Part>,
    step_ms: f64,
    /// Of a particle and a substep.
    step_ns: f64,
    particle_steps_per_second: f64,
    /// Other particles within reach of one, on average.
    neighbours: f64,
    /// Each pair counted for both of its particles, once a substep, over the time of all passes.
    pair_interactions_per_second: f64,
    frame: Vec<Part>,
    frame_ms: f64,
    bytes_per_frame_lively: f64,
    bytes_per_frame_calm: f64,
    encoders: Moments,
}

/// What the encoders took while the scene plays: at its beginning, later, and when it is nearly at rest.
#[derive(Debug, Serialize)]
pub struct Moments {
    lively: Vec<Tally>,
    swell: Vec<Tally>,
    calm: Vec<Tally>,
}

impl Moments {
    fn named(&self) -> [(&'static str, &[Tally]); 3] {
        [("splash", &self.lively), ("swell", &self.swell), ("calm", &self.calm)]
    }
}

/// Draws the scene's beginning frame by frame, lets it settle, then times the steps.
pub fn measure(mut world: World, look: Look, size: Size) -> Report {
    let mut canvas = Canvas::new(look, size);
    let mut frame = Laps::default();
    let encoders = canvas.play(&mut world, &mut frame);
    settle(&mut world, SETTLED);
    let step = time_steps(&mut world);

    let (step_ms, neighbours) = (step.median_total(), neighbours(&world));
    let particle_steps_per_second = world.particles() as f64 / step_ms * 1000.0;
    Report {
        scene: world.scene().name.clone(),
        particles: world.particles(),
        substeps: world.substeps(),
        columns: size.width,
        rows: size.height,
        glyphs: canvas.look.glyphs.name(),
        step: step.parts(Pass::ALL.map(Pass::name)),
        step_ms,
        step_ns: 1e9 / particle_steps_per_second / f64::from(world.substeps()),
        particle_steps_per_second,
        neighbours,
        pair_interactions_per_second: particle_steps_per_second * f64::from(world.substeps()) * neighbours,
        frame: frame.parts(STAGES),
        frame_ms: frame.median_total(),
        bytes_per_frame_lively: encoders.lively.get(THRIFTILY).map_or(0., |tally| tally.bytes),
        bytes_per_frame_calm: encoders.calm.get(THRIFTILY).map_or(0., |tally| tally.bytes),
        encoders,
    }
}

fn settle(world: &mut World, steps: u64) {
    let start = Instant::now();
    while world.steps() < steps && start.elapsed() < PATIENCE {
        world.step();
    }
}

/// Times steps of a tank that is kept awake: at rest it would cost nothing.
fn time_steps(world: &mut World) -> Laps<{ Pass::ALL.len() }> {
    let mut laps = Laps::default();
    let start = Instant::now();
    while laps.runs() < TIMED.0 || (laps.runs() < TIMED.1 && start.elapsed() < PATIENCE) {
        world.wake();
        laps.start();
        world.step_watched(&mut laps);
        laps.finish();
    }
    laps
}

/// What frames are drawn on and encoded with.
struct Canvas {
    look: Look,
    painter: Painter,
    frame: Buffer,
    /// The same with no memory of what went before.
    afresh: Buffer,
    encoders: Encoders,
}

impl Canvas {
    fn new(look: Look, size: Size) -> Self {
        let frame = Buffer::empty(Rect::new(0, 0, size.width, size.height));
        Self { look, painter: Painter::default(), afresh: frame.clone(), frame, encoders: Encoders::new() }
    }

    /// Plays the scene, every frame of it on the screen, and counts at three moments. The first frame of all, which has
    /// the whole screen to fill, counts for nothing.
    fn play(&mut self, world: &mut World, laps: &mut Laps<4>) -> Moments {
        let idle = &mut Laps::default();
        self.draw(world, 1, idle);
        let lively = self.draw(world, COUNTED, laps);
        let mut later = |from: u64| {
            self.draw(world, (from.saturating_sub(world.steps()) / 2) as usize, idle);
            self.draw(world, COUNTED, idle)
        };
        Moments { lively, swell: later(SWELL), calm: later(CALM) }
    }

    /// Draws `count` frames, 30 a second, and returns what they took.
    fn draw(&mut self, world: &mut World, count: usize, laps: &mut Laps<4>) -> Vec<Tally> {
        let area = self.frame.area;
        for _ in 0..count {
            world.step();
            world.step();
            laps.start();
            self.painter.paint_watched(world, &self.look, CELL_PIXELS, area, &mut self.frame, laps);
            self.encoders.encode(&self.frame);
            laps.lap(3);
            laps.finish();
            Painter::default().paint(world, &self.look, CELL_PIXELS, area, &mut self.afresh);
            self.encoders.count(&self.frame, &self.afresh, || ideal(world, &self.look, CELL_PIXELS, area));
        }
        self.encoders.take()
    }
}

pub fn table(report: &Report) -> String {
    let Report { scene, particles, substeps, columns, rows, glyphs, .. } = report;
    let mut text = format!("{scene}, {particles} particles\n");
    text += &format!("\na step of 1/60 s in {substeps} substeps, settled   ms    ns a particle and substep\n");
    let ns = |ms: f64| ms * 1e6 / (*particles as f64 * f64::from(*substeps));
    for Part { name, ms } in &report.step {
        text += &format!("  {name:<40}{ms:>8.3}{:>8.1}\n", ns(*ms));
    }
    text += &format!("  {:<40}{:>8.3}{:>8.1}\n", "all", report.step_ms, report.step_ns);
    text += &format!("  {:.2} million particles × steps a second\n", report.particle_steps_per_second / 1e6);
    let pairs = report.pair_interactions_per_second / 1e6;
    text += &format!("  {:.1} neighbours, {pairs:.0} million pair interactions a second\n", report.neighbours);
    text += &format!("\na frame of {columns}×{rows} cells, {glyphs}, lively   ms\n");
    for Part { name, ms } in &report.frame {
        text += &format!("  {name:<40}{ms:>8.3}\n");
    }
    text += &format!("  {:<40}{:>8.3}\n", "all", report.frame_ms);
    text += "\n30 frames a second        bytes a frame, dB of the ideal picture, times fewer, ms\n";
    for (moment, tallies) in report.encoders.named() {
        for Tally { name, bytes, psnr, fewer, ms } in tallies {
            text += &format!("  {moment:<8}{name:<24}{bytes:>10.0}{psnr:>8.2}{fewer:>7.1}×{ms:>7.3}\n");
        }
    }
    text
}

/// What the encoders took at one size, with the milliseconds of a lively frame's stages.
#[derive(Debug, Serialize)]
pub struct Bytes {
    columns: u16,
    rows: u16,
    #[serde(flatten)]
    moments: Moments,
    frame: Vec<Part>,
}

/// The frames alone.
pub fn measure_bytes(mut world: World, look: Look, size: Size) -> Bytes {
    let mut frame = Laps::default();
    let moments = Canvas::new(look, size).play(&mut world, &mut frame);
    Bytes { columns: size.width, rows: size.height, moments, frame: frame.parts(STAGES) }
}

/// The head of [`bytes_table`].
const BYTES_HEAD: &str = "\
| bytes a frame, 30 a second | ratatui | dB | with memory | dB | slosh, λ = 220 | dB | fewer | λ = 40 | dB | exact | ms a frame | of it encoding |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
";

/// A row for every size and moment, as a table in markdown. `ratatui` fits every frame afresh, `with memory` has the
/// frames that slosh encodes.
pub fn bytes_table(sizes: &[Bytes]) -> String {
    let mut text = BYTES_HEAD.to_owned();
    for Bytes { columns, rows, moments, frame } in sizes {
        let (ms, encoding) = (frame.iter().map(|part| part.ms).sum::<f64>(), frame.last().map_or(0., |part| part.ms));
        for (name, tallies) in moments.named() {
            let [afresh, theirs, exact, ours, fine] = tallies else { continue };
            text += &format!("| {columns}×{rows} {name} | {:.0} | {:.2} ", afresh.bytes, afresh.psnr);
            text += &format!("| {:.0} | {:.2} ", theirs.bytes, theirs.psnr);
            text += &format!("| {:.0} | {:.2} | {:.1}× ", ours.bytes, ours.psnr, ours.fewer);
            text += &format!("| {:.0} | {:.2} | {:.0} ", fine.bytes, fine.psnr, exact.bytes);
            text += &match name {
                "splash" => format!("| {ms:.2} | {encoding:.2} |\n"),
                _ => "| | |\n".to_owned(),
            };
        }
    }
    text
}
