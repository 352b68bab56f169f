//! Recordings of a shared tank with all its guests: as a `.slosh`, or as pictures.

use crate::app::error::Error;
use crate::app::record::replay::event_log::{LogEntry, MAX_STEPS, sum};
use crate::app::record::{Header, Recording, WriteOptions};
use crate::app::shared_tank::view::{RecordedView, SharedView};
use crate::app::shared_tank::{SharedTank, TankConfig};
use crate::sim::clock::STEP;
use ratatui::buffer::Buffer;
use std::path::Path;
use std::time::Duration;

/// Steps from one recorded frame to the next: 30 frames a second.
const STEPS_PER_FRAME: u64 = 2;

pub struct TankRecorder {
    recording: Recording,
    view: SharedView,
    frame: Buffer,
    due: Duration,
}

impl TankRecorder {
    pub fn begin(path: &Path, write: WriteOptions, tank: &mut SharedTank, view: &RecordedView) -> Result<Self, Error> {
        let frame = Buffer::empty(view.window.area());
        let header = Header::of_tank(&tank.config, view);
        let recording = Recording::begin(path, frame.area, write, Some(&header))?;
        tank.log.start();
        let mut recorder = Self { recording, view: view.view(), frame, due: Duration::ZERO };
        recorder.record(tank)?;
        Ok(recorder)
    }

    /// Records a frame, if one is due after this step, and the events before it. If it cannot be written, the frames before it
    /// stay valid.
    pub fn after_step(&mut self, tank: &mut SharedTank) -> Result<(), Error> {
        if tank.steps.is_multiple_of(STEPS_PER_FRAME) { self.record(tank) } else { Ok(()) }
    }

    fn record(&mut self, tank: &mut SharedTank) -> Result<(), Error> {
        self.view.draw(tank, &mut self.frame);
        tank.log.push(|| LogEntry::Frame(sum(&self.frame)));
        let time = |steps: u64| Duration::from_secs_f64(steps as f64 * f64::from(STEP));
        self.due = time(tank.steps + STEPS_PER_FRAME);
        self.recording.frame(time(tank.steps), &self.frame, &tank.log.take())
    }

    pub fn finish(self) -> Result<(), Error> {
        self.recording.finish(self.due, "")
    }
}

pub struct TankReplay {
    tank: SharedTank,
    view: SharedView,
}

impl TankReplay {
    pub fn new(config: TankConfig, view: &RecordedView, threads: usize) -> Result<Self, Error> {
        let tank = SharedTank::new(TankConfig { threads, ..config })?;
        Ok(Self { tank, view: view.view() })
    }

    /// Repeats an event other than a frame, and returns the time of its steps; an error if a tank cannot have logged it.
    pub fn play(&mut self, entry: LogEntry) -> Result<Duration, String> {
        match entry {
            LogEntry::Join { name, host } => {
                self.tank.join(name, host).ok_or("too many guests for one tank")?;
            }
            LogEntry::Leave(guest) => self.tank.leave(guest),
            LogEntry::Act(guest, action) => {
                self.tank.act(guest, action);
            }
            LogEntry::Steps(steps) if steps > MAX_STEPS => {
                return Err(format!("{steps} steps are out of range; a line has at most {MAX_STEPS}"));
            }
            LogEntry::Steps(steps) => {
                (0..steps).for_each(|_| self.tank.step());
                return Ok(Duration::from_secs_f64(f64::from(steps) * f64::from(STEP)));
            }
            _ => return Err("a shared tank has no such event".to_owned()),
        }
        // A replay shows no announcements.
        self.tank.announcements.clear();
        Ok(Duration::ZERO)
    }

    pub fn draw(&mut self, frame: &mut Buffer) {
        self.view.draw(&self.tank, frame);
    }
}
