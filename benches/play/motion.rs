//! Measures the fraction of one core that the toy takes while its tank moves: the toy's own frame loop without a
//! terminal.
//!
//! As in the run loop, a frame is drawn if it would differ, and is encoded as for a fast link. The particle count is
//! automatic, on one thread. Neither the system's cost of writing to a terminal nor the terminal's own work is
//! included.
//!
//! The fraction is processor time over simulated time; wall time would include other programs. Processor time is the
//! system's account of this thread where there is one, and wall time elsewhere.

use crate::stopwatch::processor_time;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use serde::Serialize;
use slosh::app::action::{Action, TerminalCaps, Window};
use slosh::app::session::frame_metrics::FrameMetrics;
use slosh::app::tank::auto_particles;
use slosh::app::tank::auto_particles::AutoParticles;
use slosh::app::{App, Options};
use slosh::cli::settings::Settings;
use slosh::scene::Scene;
use slosh::term::encoder::rate_control::RateController;
use slosh::term::encoder::{FrameEncoder, OutputCaps};
use std::time::Duration;

/// Simulated seconds before the measurement, in which the particle count settles, and of the measurement. The tank is
/// tilted back and forth throughout, so that it moves.
const BEFORE: f32 = 3.0;
const COUNTED: f32 = 3.0;

/// Amplitude of the tilt, radians, and its frequency, Hz.
const TILT: f32 = 0.35;
const TURNS: f32 = 0.4;

/// Interval at which the particle count is adapted, in simulated seconds, as in the run loop.
const MEASURED: f32 = 0.5;

/// Counts, and processor times in seconds.
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

    /// Returns the metrics in the run loop's units: milliseconds per step and per frame. Only the sums over passes and
    /// stages matter.
    fn meters(&self) -> FrameMetrics {
        let each = |seconds: f64, count: u32| (1e3 * seconds) as f32 / count.max(1) as f32;
        let mut meters = FrameMetrics { steps: self.steps as f32 / MEASURED, ..FrameMetrics::default() };
        meters.passes[0] = each(self.stepping, self.steps);
        meters.stages[0] = each(self.drawing, self.frames);
        meters.send = each(self.encoding, self.frames);
        meters
    }
}

/// The measurements.
#[derive(Debug, Serialize)]
pub struct Motion {
    columns: u16,
    rows: u16,
    particles: usize,
    /// Frames per second of simulated time, and their mean bytes.
    frames: f64,
    bytes: f64,
    /// Processor time over simulated time, and its parts.
    fraction: f64,
    stepping: f64,
    drawing: f64,
    encoding: f64,
}

/// Plays a scene in a window of this size. With `given` it keeps the scene's own particle count; otherwise the count is
/// automatic.
pub fn measure(scene: &Scene, given: bool, settings: &Settings, size: Window) -> Motion {
    let instructions = settings.instructions;
    let auto = || AutoParticles::new(auto_particles::time_a_particle(instructions));
    let window = Window { cell: [8, 16], ..size };
    let mut options =
        Options { window, look: settings.look.clone(), ..Options::new(scene.clone(), vec![scene.clone()]) };
    options.controls.hint = false;
    (options.simulation.auto_particles, options.simulation.instructions) = ((!given).then(auto), instructions);
    let depth = settings.terminal.color.unwrap_or_default();
    let terminal = TerminalCaps { unicode: true, depth, ..TerminalCaps::default() };
    play(App::new(options), terminal, window, settings.look.fps)
}

fn play(mut app: App, terminal: TerminalCaps, window: Window, fps: u32) -> Motion {
    app.update(Action::Terminal(terminal));
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
            quality.record(spent.bytes, screen.unchanged);
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
    Motion {
        columns: window.columns,
        rows: window.rows,
        particles: app.world().particles(),
        frames: f64::from(frames) / simulated,
        bytes: bytes as f64 / f64::from(frames.max(1)),
        fraction: (stepping + drawing + encoding) / simulated,
        stepping: stepping / simulated,
        drawing: drawing / simulated,
        encoding: encoding / simulated,
    }
}

pub fn table(motion: &Motion) -> String {
    let Motion { columns, rows, particles, frames, bytes, fraction, stepping, drawing, encoding } = motion;
    let [fraction, stepping, drawing, encoding] = [fraction, stepping, drawing, encoding].map(|part| 100.0 * part);
    format!(
        "the toy in motion at {columns}×{rows}, headless, on one thread, {particles} particles\n  \
         {frames:.1} frames a second, {bytes:.0} bytes a frame\n  \
         {fraction:.1} % of a core: steps {stepping:.1} %, drawing {drawing:.1} %, encoding {encoding:.1} %\n"
    )
}
