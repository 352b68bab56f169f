//! The share of one core that the toy takes while its tank moves, at three sizes: its own frame loop without a terminal.
//!
//! As the run loop has it: two steps of 1/60 s when two are due, a frame drawn if it would differ, the frame encoded as
//! for a link that takes everything, the particles as many as `auto` makes them on one thread. What is not in it: the
//! system's part in writing to a terminal, and what the terminal does with it.
//!
//! The share is processor time over simulated time. The clock on the wall would count what other programs take, too; so
//! it is the processor's own account of this thread where the system keeps one, and the wall's elsewhere.

use crate::app::action::{Action, TerminalCaps, Window};
use crate::app::auto_particles;
use crate::app::auto_particles::AutoParticles;
use crate::app::frame_metrics::FrameMetrics;
use crate::app::{App, Options, SimulationOptions};
use crate::scene::Scene;
use crate::sim::parallel::instructions::Instructions;
use crate::term::encoder::rate_control::RateController;
use crate::term::encoder::{FrameEncoder, OutputCaps};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use serde::Serialize;
use std::time::Duration;

use crate::cli::bench::fidelity::SIZES;

/// Simulated seconds before anything is counted, in which `auto` finds its number, and those that are counted. The tank
/// is tilted back and forth all the while, so that it moves.
const BEFORE: f32 = 3.0;
const COUNTED: f32 = 3.0;

/// How far it is tilted, radians, and how often in a second it goes there and back.
const TILT: f32 = 0.35;
const TURNS: f32 = 0.4;

/// How often `auto` is told what the last moment took, in simulated seconds, as the run loop does.
const MEASURED: f32 = 0.5;

/// What was done, and the processor time of it in seconds.
#[derive(Default)]
struct Spent {
    steps: u32,
    frames: u32,
    bytes: usize,
    stepping: f64,
    drawing: f64,
    encoding: f64,
}

impl Spent {
    fn add(&mut self, other: &Self) {
        self.steps += other.steps;
        self.frames += other.frames;
        self.bytes += other.bytes;
        self.stepping += other.stepping;
        self.drawing += other.drawing;
        self.encoding += other.encoding;
    }

    /// As the run loop tells it: milliseconds a step and a frame. Of the passes and stages only the sums count.
    fn meters(&self) -> FrameMetrics {
        let each = |seconds: f64, count: u32| (1e3 * seconds) as f32 / count.max(1) as f32;
        let mut meters = FrameMetrics { steps: self.steps as f32 / MEASURED, ..FrameMetrics::default() };
        meters.passes[0] = each(self.stepping, self.steps);
        meters.stages[0] = each(self.drawing, self.frames);
        meters.send = each(self.encoding, self.frames);
        meters
    }
}

/// What playing takes at one size.
#[derive(Debug, Serialize)]
pub struct Playing {
    columns: u16,
    rows: u16,
    particles: usize,
    /// Frames a second of simulated time that were drawn, and their mean bytes.
    frames: f64,
    bytes: f64,
    /// Processor time over simulated time, and the parts of it.
    share: f64,
    stepping: f64,
    drawing: f64,
    encoding: f64,
}

/// `given`: with the scene's own number of particles, and not as many as `auto` makes them.
pub fn measure(scene: &Scene, given: bool, fps: u32, instructions: Instructions) -> Vec<Playing> {
    let work = (!given).then(|| AutoParticles::new(auto_particles::time_a_particle(instructions)));
    SIZES
        .map(|size| {
            let simulation =
                SimulationOptions { auto_particles: work.clone(), instructions, ..SimulationOptions::default() };
            let options = Options { simulation, fps, ..Options::new(scene.clone(), vec![scene.clone()]) };
            let window = Window { columns: size.width, rows: size.height, cell: [8, 16] };
            play(App::new(Options { window, ..options }), window, fps)
        })
        .into()
}

fn play(mut app: App, window: Window, fps: u32) -> Playing {
    app.update(Action::Terminal(TerminalCaps { unicode: true, ..TerminalCaps::default() }));
    app.update(Action::Resize(window));
    let mut frame = Buffer::empty(Rect::new(0, 0, window.columns, window.rows));
    let (mut screen, mut quality) = (FrameEncoder::new(OutputCaps::default()), RateController::default());
    let elapsed = Duration::from_secs(1) / fps.clamp(1, 240);
    let number = |seconds: f32| (seconds / elapsed.as_secs_f32()) as u32;
    let (mut counted, mut lately) = (Spent::default(), Spent::default());
    for tick in 0..number(BEFORE + COUNTED) {
        let seconds = tick as f32 * elapsed.as_secs_f32();
        app.update(Action::SetTilt(TILT * (std::f32::consts::TAU * TURNS * seconds).sin()));
        let start = processor_time();
        let steps = app.tick(elapsed, u32::MAX);
        let stepped = processor_time();
        let mut spent = Spent { steps, stepping: stepped - start, ..Spent::default() };
        if app.wants_frame() {
            app.draw(&mut frame);
            let drawn = processor_time();
            spent.bytes = screen.encode_lossy(&frame, quality.target(usize::MAX)).len();
            quality.record(spent.bytes, screen.is_unchanged());
            (spent.frames, spent.drawing, spent.encoding) = (1, drawn - stepped, processor_time() - drawn);
        }
        lately.add(&spent);
        if tick % number(MEASURED) == number(MEASURED) - 1 {
            app.update(Action::Measured(lately.meters()));
            lately = Spent::default();
        }
        if tick >= number(BEFORE) {
            counted.add(&spent);
        }
    }
    let Spent { frames, bytes, stepping, drawing, encoding, .. } = counted;
    let simulated = f64::from(COUNTED);
    Playing {
        columns: window.columns,
        rows: window.rows,
        particles: app.world().particles(),
        frames: f64::from(frames) / simulated,
        bytes: bytes as f64 / f64::from(frames.max(1)),
        share: (stepping + drawing + encoding) / simulated,
        stepping: stepping / simulated,
        drawing: drawing / simulated,
        encoding: encoding / simulated,
    }
}

/// Seconds that this thread has had of a processor, since some moment.
#[cfg(unix)]
pub(super) fn processor_time() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}

#[cfg(not(unix))]
pub(super) fn processor_time() -> f64 {
    use std::sync::OnceLock;
    static START: OnceLock<std::time::Instant> = OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed().as_secs_f64()
}

pub fn table(all: &[Playing]) -> String {
    let mut text =
        "the toy in motion, without a terminal, on one thread, with as many particles as auto has or are given\n"
            .to_owned();
    text +=
        "                            particles  frames/s  bytes/frame     share of a core   steps    draw  encode\n";
    for Playing { columns, rows, particles, frames, bytes, share, stepping, drawing, encoding } in all {
        let [share, stepping, drawing, encoding] = [share, stepping, drawing, encoding].map(|part| 100.0 * part);
        let size = format!("{columns}×{rows}");
        text += &format!("  {size:<26}{particles:>9}{frames:>10.1}{bytes:>13.0}{share:>18.1} %");
        text += &format!("{stepping:>6.1} %{drawing:>6.1} %{encoding:>6.1} %\n");
    }
    text
}
