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
    since: Instant,
    /// All steps, frames, bytes and milliseconds since then.
    sums: FrameMetrics,
}

impl FrameStopwatch {
    pub fn new(now: Instant) -> Self {
        Self { lap: now, since: now, sums: FrameMetrics::default() }
    }

    pub fn start(&mut self) {
        self.lap = Instant::now();
    }

    pub fn stage_finished(&mut self, stage: PaintStage) {
        self.sums.stages[stage as usize] += self.lap();
    }

    /// Milliseconds.
    fn lap(&mut self) -> f32 {
        let before = std::mem::replace(&mut self.lap, Instant::now());
        (self.lap - before).as_secs_f32() * 1e3
    }

    pub fn stepped(&mut self, steps: u32) {
        self.sums.steps += steps as f32;
    }

    /// Counts a frame, if it has changed the screen, and its bytes after sending it.
    pub fn sent(&mut self, bytes: usize, changed: bool) {
        self.sums.send += self.lap();
        self.sums.frames += f32::from(u8::from(changed));
        self.sums.bytes += bytes as f32;
    }

    pub fn read(&mut self, now: Instant) -> Option<FrameMetrics> {
        let seconds = (now - self.since).as_secs_f32();
        if now - self.since < PERIOD {
            return None;
        }
        let FrameMetrics { steps, frames, bytes, passes, stages, send } = self.sums;
        *self = Self::new(now);
        Some(FrameMetrics {
            steps: steps / seconds,
            frames: frames / seconds,
            bytes: bytes / seconds,
            passes: passes.map(|pass| pass / steps.max(1.0)),
            stages: stages.map(|stage| stage / frames.max(1.0)),
            send: send / frames.max(1.0),
        })
    }
}

impl StepObserver for FrameStopwatch {
    fn pass_finished(&mut self, pass: Pass) {
        self.sums.passes[pass as usize] += self.lap();
    }
}
