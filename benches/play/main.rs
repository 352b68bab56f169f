//! The cost of a scene on this machine: its steps, its frames, the toy in motion, and a host with guests.
//!
//! `cargo bench --bench play -- SCENE --size 120x40`, or with `--guests 50`; `--help` lists the flags.

mod guest_kind;
#[cfg(unix)]
mod guests;
mod motion;
#[allow(dead_code)]
#[path = "../shared/stopwatch.rs"]
mod stopwatch;

use clap::Parser;
use guest_kind::GuestKind;
use motion::Motion;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde::Serialize;
use slosh::app::action::Window;
use slosh::app::error::Error;
use slosh::cli::args::LookArgs;
use slosh::cli::args::headless::HeadlessArgs;
use slosh::cli::headless::HeadlessJob;
use slosh::sim::World;
use slosh::sim::observer::Pass;
use slosh::term::encoder::rate_control::RateController;
use slosh::term::encoder::{FrameEncoder, OutputCaps};
use slosh::view::camera::CELL_PIXELS;
use slosh::view::{Painter, RenderStyle};
use std::io::{self, Write};
use std::ops::Range;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use stopwatch::{Part, Passes, Stopwatch, USUAL_SIZES};

/// Measure the cost of a scene on this machine: steps, frames, and the toy in motion
#[derive(Parser)]
struct BenchArgs {
    #[command(flatten)]
    pub headless: HeadlessArgs,
    #[command(flatten)]
    pub look: LookArgs,
    /// Measure a host with this many guests on ptys instead: the cost of each, and the latency of keys
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=500))]
    pub guests: Option<u16>,
    /// With --guests: add a run with this many more guests that stop reading
    #[arg(long, value_name = "N", default_value_t = 0, requires = "guests", value_parser = clap::value_parser!(u16).range(0..=500))]
    pub stalled: u16,
    /// With --guests: windows of the guests, in turn, with bytes per second for a slow link, as 80x24,40x12@1000
    /// [default: a run with all at 80x24, then one with a mixture]
    #[arg(long, value_name = "WxH[@BYTES]", requires = "guests", value_delimiter = ',')]
    pub mix: Vec<GuestKind>,
    /// With --guests: number of times that all runs are made, in turn
    #[arg(long, value_name = "N", default_value_t = 1, requires = "guests", value_parser = clap::value_parser!(u16).range(1..=100))]
    pub rounds: u16,
    /// With --guests: pin the host and its guests to this core; the bench uses the others
    #[arg(long, value_name = "NUMBER", requires = "guests")]
    pub core: Option<usize>,
    /// With --guests: measured seconds of each run [default: 20]
    #[arg(long, value_name = "T", requires = "guests", value_parser = slosh::cli::args::headless::seconds(0.0))]
    pub seconds: Option<f64>,
    /// Print JSON, for scripts
    #[arg(long)]
    pub json: bool,
}

/// Number of measured frames from the scene's start. At 30 per second these are the first two seconds, in which most
/// moves.
const FRAMES: usize = 60;

/// The stages of a frame.
const STAGES: [&str; 4] = ["field", "light", "glyph", "encode"];

/// Steps after which a scene has settled.
const SETTLED: u64 = 900;

/// Number of timed steps: lower limit, and exclusive upper limit.
const TIMED: Range<usize> = 15..300;

/// Upper limit on the time of settling, and on that of timing.
const TIMEOUT: Duration = Duration::from_secs(4);

/// The measurements. Times are medians.
#[derive(Debug, Serialize)]
struct Report {
    version: &'static str,
    scene: String,
    /// The unit that the cost is divided by: particles, cells of a grid, or nodes of cloth.
    unit: &'static str,
    units: usize,
    substeps: u32,
    step: Vec<Part>,
    step_ms: f64,
    columns: u16,
    rows: u16,
    glyphs: &'static str,
    frame: Vec<Part>,
    frame_ms: f64,
    /// Mean bytes per frame, encoded as the toy does on a fast link.
    frame_bytes: f64,
    /// At the given size; by default at three sizes.
    motion: Vec<Motion>,
}

fn main() -> ExitCode {
    // cargo adds --bench.
    let args = BenchArgs::parse_from(std::env::args_os().filter(|arg| arg != "--bench"));
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => error.report(),
    }
}

/// Measures and reports.
fn run(args: &BenchArgs) -> Result<(), Error> {
    if let Some(count) = args.guests {
        return run_guests(args, count.into());
    }
    let report = measure(args)?;
    let text = match args.json {
        true => serde_json::to_string_pretty(&report).map_err(io::Error::from)? + "\n",
        false => table(&report),
    };
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(())
}

#[cfg(unix)]
fn run_guests(args: &BenchArgs, guests: usize) -> Result<(), Error> {
    let scene = HeadlessJob::new(&args.headless, args.look.settings())?.run.scene.name;
    let bench = guests::GuestBench {
        scene: &scene,
        guests,
        stalled: args.stalled.into(),
        seconds: args.seconds,
        mix: &args.mix,
        rounds: args.rounds,
        core: args.core,
    };
    let report = guests::measure(&bench)?;
    let text = match args.json {
        true => serde_json::to_string_pretty(&report).map_err(io::Error::from)? + "\n",
        false => guests::table(&report),
    };
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(())
}

#[cfg(not(unix))]
fn run_guests(_: &BenchArgs, _: usize) -> Result<(), Error> {
    Err(Error::Run("a shared tank needs Unix sockets, which slosh does not have on this system".to_owned()))
}

fn measure(args: &BenchArgs) -> Result<Report, Error> {
    let job = HeadlessJob::new(&args.headless, args.look.settings())?;
    let (look, size) = (job.look()?, args.headless.window());
    let (scene, mut world) = (job.run.scene, job.run.world);
    let glyphs = look.glyphs.name();
    let frames = time_frames(&mut world, &look, size);
    settle(&mut world);
    let step = Passes::time(&mut world, TIMED, TIMEOUT);
    let given = args.headless.scene.flags.value("particles").is_some();
    let (units, unit) = units(&world);
    Ok(Report {
        version: env!("CARGO_PKG_VERSION"),
        scene: scene.name.clone(),
        unit,
        units,
        substeps: world.substeps(),
        step_ms: step.median_total(),
        step: step.parts(Pass::ALL.map(Pass::name)),
        columns: size.columns,
        rows: size.rows,
        glyphs,
        frame_ms: frames.stages.median_total(),
        frame: frames.stages.parts(STAGES),
        frame_bytes: frames.bytes as f64 / FRAMES as f64,
        motion: motion_sizes(size)
            .into_iter()
            .map(|size| motion::measure(&scene, given, &job.settings, size))
            .collect(),
    })
}

/// The default size is the smallest usual one, and stands for all three.
fn motion_sizes(size: Window) -> Vec<Window> {
    if size == USUAL_SIZES[0] { USUAL_SIZES.to_vec() } else { vec![size] }
}

/// Returns the number of units of the world's main matter, and their name.
fn units(world: &World) -> (usize, &'static str) {
    let cells = world.smoke().map_or(0, |smoke| smoke.grid.elements());
    let nodes = world.cloth().map_or(0, |cloth| cloth.at.len());
    match (world.particles(), cells, nodes) {
        (0, 0, 1..) => (nodes, "node"),
        (0, 1.., _) => (cells, "cell"),
        (particles, ..) => (particles.max(1), "particle"),
    }
}

struct Frames {
    stages: Stopwatch<4>,
    bytes: usize,
}

/// Draws and encodes frames from the scene's start. The first one fills the entire screen and is not counted.
fn time_frames(world: &mut World, look: &RenderStyle, size: Window) -> Frames {
    let area = Rect::new(0, 0, size.columns, size.rows);
    let (mut painter, mut buffer) = (Painter::default(), Buffer::empty(area));
    let (mut screen, mut quality) = (FrameEncoder::new(OutputCaps::default()), RateController::default());
    let mut frames = Frames { stages: Stopwatch::default(), bytes: 0 };
    for number in 0..=FRAMES {
        (0..2).for_each(|_| world.step());
        frames.stages.start();
        let finished = |stage| frames.stages.lap(stage as usize);
        painter.paint_observed(world, look, CELL_PIXELS, area, &mut buffer, finished);
        let bytes = screen.encode_lossy(&buffer, quality.target(usize::MAX)).len();
        frames.stages.lap(3);
        quality.record(bytes, screen.unchanged);
        if number > 0 {
            frames.stages.finish();
            frames.bytes += bytes;
        }
    }
    frames
}

fn settle(world: &mut World) {
    let start = Instant::now();
    while world.steps() < SETTLED && start.elapsed() < TIMEOUT {
        world.step();
    }
}

fn table(report: &Report) -> String {
    let Report { scene, unit, units, substeps, columns, rows, glyphs, .. } = report;
    let ns = |ms: f64| ms * 1e6 / (*units as f64 * f64::from(*substeps));
    let row = |name: &str, ms: f64| format!("  {name:<40}{ms:>8.3}");
    let mut text = format!("slosh {}\n\n{scene}, {units} {unit}s\n", report.version);
    text += &format!("\na step of 1/60 s in {substeps} substeps, settled   ms    ns a {unit} and substep\n");
    for Part { name, ms } in report.step.iter().filter(|part| part.ms > 0.0) {
        text += &format!("{}{:>8.1}\n", row(name, *ms), ns(*ms));
    }
    text += &format!("{}{:>8.1}\n", row("all", report.step_ms), ns(report.step_ms));
    text += &format!("\na frame of {columns}×{rows} cells, {glyphs}             ms\n");
    for Part { name, ms } in &report.frame {
        text += &format!("{}\n", row(name, *ms));
    }
    text += &format!("{}\n  {:<40}{:>8.0}\n", row("all", report.frame_ms), "bytes a frame", report.frame_bytes);
    text + "\n" + &report.motion.iter().map(motion::table).collect::<String>()
}
