//! What the stats show, and the stopwatch that measures it.

use crate::sim::observer::Pass;
use crate::view::PaintStage;
use crate::{sim, view};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// How long is measured before the figures change: shorter cannot be read.
const PERIOD: Duration = Duration::from_millis(500);

/// Rates and costs over the last moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Meters {
    /// Fixed steps of the simulation (60 of them are a second of the tank's time, whatever speed it is to have), frames and bytes to the terminal, each a second.
    pub steps: f32,
    pub frames: f32,
    pub bytes: f32,
    /// Milliseconds a step that each pass of the simulation takes, in the order of [`Pass::ALL`].
    pub passes: [f32; Pass::ALL.len()],
    /// Milliseconds a frame that each stage of the picture takes, in the order of [`PaintStage::ALL`].
    pub stages: [f32; PaintStage::ALL.len()],
    /// Milliseconds a frame until it is encoded and on its way.
    pub send: f32,
}

impl Meters {
    /// Whether all of it are numbers.
    pub fn is_finite(&self) -> bool {
        let rates = [self.steps, self.frames, self.bytes, self.send];
        rates.iter().chain(&self.passes).chain(&self.stages).all(|number| number.is_finite())
    }
}

/// Adds up what passes by, by the system's clock. What it tells reaches the app as an Action, so that it can be replayed.
#[derive(Clone, Debug)]
pub struct Stopwatch {
    /// When the pass that runs now began.
    lap: Instant,
    /// When simulating is to stop for now.
    deadline: Instant,
    since: Instant,
    steps: u32,
    frames: u32,
    bytes: usize,
    passes: [Duration; Pass::ALL.len()],
    stages: [Duration; PaintStage::ALL.len()],
    send: Duration,
}

impl Stopwatch {
    pub fn new(now: Instant) -> Self {
        Self {
            lap: now,
            deadline: now,
            since: now,
            steps: 0,
            frames: 0,
            bytes: 0,
            passes: Default::default(),
            stages: Default::default(),
            send: Duration::ZERO,
        }
    }

    /// Simulating begins now, and must not hold up a frame for longer than `patience`, or than a substep takes.
    pub fn start_simulating(&mut self, patience: Duration) {
        self.start();
        self.deadline = self.lap + patience;
    }

    /// Something that is to be measured begins now.
    pub fn start(&mut self) {
        self.lap = Instant::now();
    }

    fn lap(&mut self) -> Duration {
        let before = std::mem::replace(&mut self.lap, Instant::now());
        self.lap - before
    }

    /// So many steps were made.
    pub fn stepped(&mut self, steps: u32) {
        self.steps += steps;
    }

    /// A frame of so many bytes was encoded, and is on its way since now.
    pub fn sent(&mut self, bytes: usize) {
        let lap = self.lap();
        self.send += lap;
        self.frames += 1;
        self.bytes += bytes;
    }

    /// The figures, if it is time for new ones.
    pub fn read(&mut self, now: Instant) -> Option<Meters> {
        let seconds = (now - self.since).as_secs_f32();
        if now - self.since < PERIOD {
            return None;
        }
        let each = |duration: Duration, count: u32| duration.as_secs_f32() * 1e3 / count.max(1) as f32;
        let meters = Meters {
            steps: self.steps as f32 / seconds,
            frames: self.frames as f32 / seconds,
            bytes: self.bytes as f32 / seconds,
            passes: self.passes.map(|pass| each(pass, self.steps)),
            stages: self.stages.map(|stage| each(stage, self.frames)),
            send: each(self.send, self.frames),
        };
        *self = Self::new(now);
        Some(meters)
    }
}

impl sim::observer::Watch for Stopwatch {
    fn passed(&mut self, pass: Pass) {
        let lap = self.lap();
        self.passes[pass as usize] += lap;
    }

    fn interrupts(&mut self) -> bool {
        self.lap > self.deadline
    }
}

impl view::FrameObserver for Stopwatch {
    fn stage_finished(&mut self, stage: PaintStage) {
        let lap = self.lap();
        self.stages[stage as usize] += lap;
    }
}
