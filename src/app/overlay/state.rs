//! What of the overlay is open, and for how long.

use crate::app::action::Direction;
use crate::app::frame_metrics::FrameMetrics;
use crate::app::overlay::hint;
use crate::app::overlay::panel::Panel;
use crate::app::overlay::picker::Picker;
use crate::term::sanitize;
use std::time::Duration;

/// How long the shortest message stays, and for how much longer each character: of a sentence, which is read, and of one
/// with a code or a path, which is copied.
const MESSAGE: Duration = Duration::from_millis(2000);
const READING: Duration = Duration::from_millis(20);
const COPYING: Duration = Duration::from_millis(200);
/// A word of so many characters is a code or a path.
const CODE_LENGTH: usize = 20;
/// Characters beyond these give a message no more time: half a minute is enough.
const MAX_TIMED: usize = 150;
/// How long the level, the speed and the brush outline stay after the last change.
const LINGER: Duration = Duration::from_millis(1500);

/// What is open, and for how long.
#[derive(Clone, Debug, Default)]
pub struct Overlay {
    pub help: bool,
    pub stats: bool,
    /// Nothing is drawn for now.
    pub quiet: bool,
    pub panel: Panel,
    pub picker: Picker,
    pub meters: FrameMetrics,
    /// Lines by which the help is scrolled, where it does not fit.
    pub(super) scroll: u16,
    /// The autopilot plays: the status row is not shown.
    pub(in crate::app) idle_play: bool,
    message: String,
    /// The length of its beginning that is enough where there is little room.
    short: usize,
    message_left: Duration,
    tilt_left: Duration,
    speed_left: Duration,
    brush_left: Duration,
    hint_left: Duration,
}

impl Overlay {
    /// Shows a message for as long as it takes to read; or, if there is a code in it, to copy.
    pub fn show_message(&mut self, message: impl Into<String>) {
        self.message = sanitize::message(&message.into());
        self.short = self.message.len();
        let code =
            self.message.split(' ').map(|word| word.chars().count()).filter(|&length| length >= CODE_LENGTH).max();
        self.message_left = MESSAGE
            + READING * self.message.chars().count().min(MAX_TIMED) as u32
            + COPYING * code.unwrap_or(0).min(MAX_TIMED) as u32;
    }

    /// Shows the name of a scene and what it is about. The name alone is enough where there is little room.
    pub fn show_scene(&mut self, name: &str, about: &str) {
        self.show_message(if about.is_empty() { name.to_owned() } else { format!("{name}: {about}") });
        self.short = sanitize::message(name).len().min(self.message.len());
    }

    /// Ends the message and everything else that would disappear by itself.
    pub fn clear(&mut self) {
        self.left().into_iter().for_each(|left| *left = Duration::ZERO);
    }

    /// What is enough of the message where there is little room.
    pub(super) fn short_message(&self) -> Option<&str> {
        self.message().and_then(|message| message.get(..self.short))
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

    /// The speed has just been changed.
    pub fn show_speed(&mut self) {
        self.speed_left = LINGER;
    }

    pub(super) fn speed_shown(&self) -> bool {
        !self.speed_left.is_zero()
    }

    /// Shows the few keys to begin with: at the start.
    pub fn show_hint_at_start(&mut self) {
        self.hint_left = hint::AT_START;
    }

    /// Shows the few keys to begin with: a key was pressed that means nothing.
    pub fn show_hint(&mut self) {
        self.hint_left = self.hint_left.max(hint::AFTER_UNKNOWN_KEY);
    }

    pub(super) fn hint_shown(&self) -> bool {
        !self.hint_left.is_zero()
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
        let left = [self.message_left, self.tilt_left, self.speed_left, self.brush_left, self.hint_left];
        left.iter().any(|left| !left.is_zero())
    }

    /// Advances the timers; returns whether something has disappeared.
    pub fn advance(&mut self, elapsed: Duration) -> bool {
        let mut gone = false;
        for left in self.left() {
            let before = *left;
            *left = left.saturating_sub(elapsed);
            gone |= left.is_zero() && !before.is_zero();
        }
        gone
    }

    fn left(&mut self) -> [&mut Duration; 5] {
        [&mut self.message_left, &mut self.tilt_left, &mut self.speed_left, &mut self.brush_left, &mut self.hint_left]
    }
}
