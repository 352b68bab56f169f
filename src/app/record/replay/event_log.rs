//! The log of a tank: its events in order, enough to play them again, frame for frame, on any machine. A log of Actions, elapsed
//! time and guests, and of the step after which the time limit interrupted a tick, gives the same frames; a checksum of every
//! frame verifies it. An event is a line of JSON; see `record/input_log.rs` for the file.

use crate::app::action::Action;
use crate::app::shared_tank::action::GuestAction;
use crate::app::shared_tank::guest::{GuestId, GuestName};
use ratatui::buffer::Buffer;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Upper limit on the steps of a shared tank in one line.
pub const MAX_STEPS: u32 = 600;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LogEntry {
    Do(Action),
    /// Elapsed nanoseconds, the limit on steps, and the step after which the time limit interrupted the tick (0 for none).
    Tick(u64, u32, u32),
    /// Elapsed nanoseconds in which the world was at rest.
    Rest(u64),
    Say(String),

    /// A guest of a shared tank; `host` is the host's own session.
    Join {
        name: GuestName,
        host: bool,
    },
    Leave(GuestId),
    Act(GuestId, GuestAction),
    Steps(u32),

    Frame(u32),
}

#[derive(Clone, Debug, Default)]
pub struct EventLog {
    is_on: bool,
    text: String,
    steps: u32,
}

impl EventLog {
    /// It must be called before the first event.
    pub fn start(&mut self) {
        *self = Self { is_on: true, ..Self::default() };
    }

    pub fn stop(&mut self) {
        *self = Self::default();
    }

    pub fn push(&mut self, entry: impl FnOnce() -> LogEntry) {
        if !self.is_on {
            return;
        }
        if self.steps > 0 {
            let steps = LogEntry::Steps(std::mem::take(&mut self.steps));
            self.write(&steps);
        }
        self.write(&entry());
    }

    fn write(&mut self, entry: &LogEntry) {
        self.text += &serde_json::to_string(entry).expect("events are plain data");
        self.text.push('\n');
    }

    pub fn step(&mut self) {
        self.steps += u32::from(self.is_on);
        if self.steps == MAX_STEPS {
            self.steps = 0;
            self.write(&LogEntry::Steps(MAX_STEPS));
        }
    }

    /// The events since the last call, as lines of the log.
    pub fn take(&mut self) -> String {
        std::mem::take(&mut self.text)
    }
}

/// The checksum of a frame: CRC-32 over the symbols and styles of its cells.
pub fn sum(frame: &Buffer) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&[frame.area.width.to_le_bytes(), frame.area.height.to_le_bytes()].concat());
    for cell in &frame.content {
        sum.update(cell.symbol().as_bytes());
        sum.update(format!("{:?}", (cell.fg, cell.bg, cell.modifier)).as_bytes());
    }
    sum.finalize()
}

pub fn nanos(elapsed: Duration) -> u64 {
    u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX)
}
