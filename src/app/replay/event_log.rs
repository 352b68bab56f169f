//! What happened to the app, in order: enough to play it again, frame for frame.
//!
//! The app changes by Actions and by time that passes, and by nothing else; so a note of each, and of how far each tick
//! came before the machine's time was up, gives the same frames on any machine and on any number of threads. Of every
//! frame a sum is kept, so that whoever plays it again knows that it is the same.
//!
//! A note is a line of JSON. See `record/log.rs` for the file that they go to.

use crate::app::action::Action;
use crate::sim::observer::{Pass, Watch};
use ratatui_core::buffer::Buffer;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Note {
    Do(Action),
    /// Nanoseconds that passed, the most steps that there was time for, and the substep after which the time for
    /// another one was over: 0 if it was not.
    Tick(u64, u32, u32),
    /// Nanoseconds that passed while everything stood still.
    Rest(u64),
    /// Something was said at the foot of the window.
    Say(String),
    /// A frame was drawn, of this sum.
    Frame(u32),
}

/// Notes that nobody has fetched yet.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    text: String,
}

impl Journal {
    pub fn note(&mut self, note: &Note) {
        self.text += &serde_json::to_string(note).expect("notes are plain data");
        self.text.push('\n');
    }

    /// The lines since the last call.
    pub fn take(&mut self) -> String {
        std::mem::take(&mut self.text)
    }
}

/// The sum of a frame: CRC-32 over all that its cells show.
pub fn sum(frame: &Buffer) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&[frame.area.width.to_le_bytes(), frame.area.height.to_le_bytes()].concat());
    for cell in &frame.content {
        sum.update(cell.symbol().as_bytes());
        sum.update(format!("{:?}", (cell.fg, cell.bg, cell.modifier)).as_bytes());
    }
    sum.finalize()
}

/// Counts after which substep somebody interrupts.
pub struct Counted<'a, W> {
    watch: &'a mut W,
    asked: u32,
    pub stopped_after: u32,
}

impl<'a, W: Watch> Counted<'a, W> {
    pub fn new(watch: &'a mut W) -> Self {
        Self { watch, asked: 0, stopped_after: 0 }
    }
}

impl<W: Watch> Watch for Counted<'_, W> {
    fn passed(&mut self, pass: Pass) {
        self.watch.passed(pass);
    }

    fn interrupts(&mut self) -> bool {
        self.asked += 1;
        let stop = self.watch.interrupts();
        if stop {
            self.stopped_after = self.asked;
        }
        stop
    }
}

/// Interrupts after that substep, as somebody did before; 0 is never.
#[derive(Debug)]
pub struct Again(pub u32);

impl Watch for Again {
    fn passed(&mut self, _: Pass) {}

    fn interrupts(&mut self) -> bool {
        let stop = self.0 == 1;
        self.0 = self.0.saturating_sub(1);
        stop
    }
}

/// Nanoseconds, as notes have them.
pub fn nanos(elapsed: Duration) -> u64 {
    u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX)
}
