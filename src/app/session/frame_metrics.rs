//! Measurements for the stats, and the stopwatch that makes them.

use crate::sim::observer::{Pass, StepObserver};
use crate::view::PaintStage;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// Time between two updates of the figures: with a shorter one they would not be readable.
const PERIOD: Duration = Duration::from_millis(500);

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FrameMetrics {
    pub steps: f32,
    pub frames: f32,
    pub bytes: f32,
    /// Milliseconds a step of each pass of the simulation, in the order of [`Pass::ALL`].
    pub passes: [f32; Pass::ALL.len()],
    /// Milliseconds a frame of each stage of the picture, in the order of [`PaintStage::ALL`].
    pub stages: [f32; PaintStage::ALL.len()],
    pub send: f32,
}

impl FrameMetrics {
    pub fn is_finite(&self) -> bool {
        let rates = [self.steps, self.frames, self.bytes, self.send];
        rates.iter().chain(&self.passes).chain(&self.stages).all(|number| number.is_finite())
    }
}

/// The sums reach the app as an Action, so that they can be replayed.
#[derive(Clone, Debug)]
pub struct FrameStopwatch {
    lap: Instant,
    deadline: Instant,
    since: Instant,
    pub steps: u32,
    frames: u32,
    bytes: usize,
    passes: [Duration; Pass::ALL.len()],
    stages: [Duration; PaintStage::ALL.len()],
    send: Duration,
}

impl FrameStopwatch {
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

    pub fn start_simulating(&mut self, patience: Duration) {
        self.start();
        self.deadline = self.lap + patience;
    }

    pub fn start(&mut self) {
        self.lap = Instant::now();
    }

    pub fn stage_finished(&mut self, stage: PaintStage) {
        let lap = self.lap();
        self.stages[stage as usize] += lap;
    }

    fn lap(&mut self) -> Duration {
        let before = std::mem::replace(&mut self.lap, Instant::now());
        self.lap - before
    }

    /// Counts a frame, if it has changed the screen, and its bytes after sending it.
    pub fn sent(&mut self, bytes: usize, changed: bool) {
        let lap = self.lap();
        self.send += lap;
        self.frames += u32::from(changed);
        self.bytes += bytes;
    }

    pub fn read(&mut self, now: Instant) -> Option<FrameMetrics> {
        let seconds = (now - self.since).as_secs_f32();
        if now - self.since < PERIOD {
            return None;
        }
        let each = |duration: Duration, count: u32| duration.as_secs_f32() * 1e3 / count.max(1) as f32;
        let meters = FrameMetrics {
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

pub trait TickObserver: StepObserver {
    /// Called after every step: whether no further step is to be made for this frame.
    fn should_stop(&mut self) -> bool {
        false
    }
}

impl TickObserver for () {}

impl StepObserver for FrameStopwatch {
    fn pass_finished(&mut self, pass: Pass) {
        let lap = self.lap();
        self.passes[pass as usize] += lap;
    }
}

impl TickObserver for FrameStopwatch {
    fn should_stop(&mut self) -> bool {
        self.lap > self.deadline
    }
}
