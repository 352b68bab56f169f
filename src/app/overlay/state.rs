//! What of the overlay is open, and for how long.

use crate::app::action::Direction;
use crate::app::frame_metrics::FrameMetrics;
use crate::app::overlay::panel::Panel;
use crate::term::sanitize;
use std::time::Duration;

/// How long the shortest message stays, and for how much longer each character: of a sentence, which is read, and of a
/// code, which is copied.
const MESSAGE: Duration = Duration::from_millis(2000);
const READING: Duration = Duration::from_millis(20);
const COPYING: Duration = Duration::from_millis(200);
/// How long the tilt indicator and the brush outline stay after the last change.
const LINGER: Duration = Duration::from_millis(1500);

/// What is open, and for how long.
#[derive(Clone, Debug, Default)]
pub struct Overlay {
    pub help: bool,
    pub stats: bool,
    /// Nothing is drawn for now.
    pub quiet: bool,
    pub panel: Panel,
    pub meters: FrameMetrics,
    /// Lines by which the help is scrolled, where it does not fit.
    pub(super) scroll: u16,
    message: String,
    message_left: Duration,
    tilt_left: Duration,
    brush_left: Duration,
}

impl Overlay {
    /// Shows a message for as long as it takes to read; or, if it is a code and no sentence, to copy.
    pub fn show_message(&mut self, message: impl Into<String>) {
        self.message = sanitize::message(&message.into());
        let pace = if self.message.contains(' ') { READING } else { COPYING };
        self.message_left = MESSAGE + pace * self.message.chars().count().min(100) as u32;
    }

    /// The message that is shown.
    pub fn message(&self) -> Option<&str> {
        (!self.message_left.is_zero()).then_some(&*self.message)
    }

    /// Gravity turns, or has just been turned.
    pub fn show_tilt(&mut self) {
        self.tilt_left = LINGER;
    }

    pub(super) fn tilt_shown(&self) -> bool {
        !self.tilt_left.is_zero()
    }

    pub fn show_brush(&mut self) {
        self.brush_left = LINGER;
    }

    pub(super) fn brush_shown(&self) -> bool {
        !self.brush_left.is_zero()
    }

    pub fn toggle_help(&mut self) {
        self.help = !self.help;
        self.scroll = 0;
    }

    pub fn scroll(&mut self, direction: Direction) {
        match direction {
            Direction::Up => self.scroll = self.scroll.saturating_sub(1),
            Direction::Down => self.scroll = self.scroll.saturating_add(1),
            Direction::Left | Direction::Right => {}
        }
    }

    /// Whether something will disappear by itself.
    pub fn is_fading(&self) -> bool {
        !(self.message_left + self.tilt_left + self.brush_left).is_zero()
    }

    /// Lets time pass; returns whether something has disappeared.
    pub fn advance(&mut self, elapsed: Duration) -> bool {
        let mut gone = false;
        for left in [&mut self.message_left, &mut self.tilt_left, &mut self.brush_left] {
            let before = *left;
            *left = left.saturating_sub(elapsed);
            gone |= left.is_zero() && !before.is_zero();
        }
        gone
    }
}
