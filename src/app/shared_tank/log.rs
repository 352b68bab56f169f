//! The events of a shared tank, in order: enough to replay it frame for frame.
//!
//! The tank changes only by these events and by steps. An event is a line of JSON; see `recorder/input_log.rs` for the
//! file. It has the names, joins, leaves and actions of guests, and nothing else about them.

use crate::app::shared_tank::action::GuestAction;
use crate::app::shared_tank::guest::{GuestId, GuestName};
use serde::{Deserialize, Serialize};

/// Upper limit on the steps in one line.
pub const MAX_STEPS: u32 = 600;

/// One event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TankEvent {
    Join {
        name: GuestName,
        /// It is the host's own session.
        host: bool,
    },
    Leave(GuestId),
    Act(GuestId, GuestAction),
    /// This many steps.
    Steps(u32),
    /// A frame was drawn, with this checksum.
    Frame(u32),
}

/// Events that have not been taken yet.
#[derive(Clone, Debug, Default)]
pub(super) struct TankLog {
    text: String,
    /// Steps since the last line.
    steps: u32,
}

impl TankLog {
    pub fn push(&mut self, event: &TankEvent) {
        if self.steps > 0 {
            let steps = TankEvent::Steps(std::mem::take(&mut self.steps));
            self.write(&steps);
        }
        self.write(event);
    }

    fn write(&mut self, event: &TankEvent) {
        self.text += &serde_json::to_string(event).expect("events are plain data");
        self.text.push('\n');
    }

    pub fn step(&mut self) {
        self.steps += 1;
        if self.steps == MAX_STEPS {
            self.steps = 0;
            self.write(&TankEvent::Steps(MAX_STEPS));
        }
    }

    /// The lines since the last call.
    pub fn take(&mut self) -> String {
        std::mem::take(&mut self.text)
    }
}
