//! The screensaver: when the autopilot plays, and what ends it. Input ends it only after [`ARMING`]: before that, the return key
//! that started the program is released, a terminal may reply late, and a shell's plugins may write.

pub mod autopilot;
pub(super) mod fade;
pub(super) mod flash_limiter;
pub mod playlist;
pub(super) mod screensaver;

use crate::app::action::{Action, Activity};
use crate::app::input::keymap::Keymap;
use crate::term::{Event, KeyEventKind, MouseEventKind};
use autopilot::Autopilot;
use flash_limiter::FlashLimiter;
use std::time::Duration;

/// Time after the start in which no input ends the screensaver.
pub const ARMING: Duration = Duration::from_millis(1000);

/// Upper limit on frames a second while the autopilot plays, which halves the time for drawing.
pub const FPS: u32 = 30;

/// How long the toy plays by itself before it stops until the next input.
pub const IDLE_PLAY: Duration = Duration::from_secs(600);

/// How long before that time the autopilot ends, so that the tank is level when it stops.
pub const SETTLING: Duration = Duration::from_secs(15);

const MIN_MOVEMENT: f32 = 1.5;

named! {
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum ExitOn {
        #[default]
        Key => "key",
        KeyOrMouse => "key+mouse",
        /// As [`ExitOn::KeyOrMouse`], or that the window gets the focus.
        Focus => "focus",
        None => "none",
    }
}

impl ExitOn {
    pub(super) fn dismissed_by(self, activity: Activity, first: Option<[f32; 2]>) -> bool {
        let mouse = matches!(self, Self::KeyOrMouse | Self::Focus);
        match activity {
            Activity::Key => self != Self::None,
            Activity::Button => mouse,
            Activity::Pointer([x, y]) => {
                mouse && first.is_some_and(|[u, v]| (x - u).abs().max((y - v).abs()) > MIN_MOVEMENT)
            }
            Activity::Focus(got) => self == Self::Focus && got,
        }
    }
}

#[derive(Default)]
pub struct SaverState {
    pub pilot: Option<Pilot>,
    /// Those of a step, whose memory is kept.
    pub actions: Vec<Action>,
    pub idle_time: Duration,
    pub resting: bool,
    pub flash_limiter: FlashLimiter,
}

pub struct Pilot {
    pub(super) autopilot: Autopilot,
    pub(super) role: Role,
}

pub(super) enum Role {
    /// As the screensaver: since when, and the first known position of the pointer.
    Screensaver { since: Duration, pointer: Option<[f32; 2]> },
    /// In a toy without input, whose brush this is.
    Idle { brush: f32 },
}

/// Key releases and repeats have no Action. The keys that quit and suspend do so at any time, unless no key may end the
/// screensaver.
pub fn user_activity(event: &Event, keymap: &Keymap, exit_on: ExitOn) -> Option<Action> {
    let activity = match event {
        Event::Key(key) if key.kind == KeyEventKind::Press => match keymap.action(key) {
            Some(action @ (Action::Quit | Action::Suspend)) if exit_on != ExitOn::None => {
                return Some(action);
            }
            _ => Activity::Key,
        },
        Event::Paste(_) => Activity::Key,
        Event::Mouse(mouse) => match mouse.kind {
            MouseEventKind::Moved | MouseEventKind::Drag(_) => Activity::Pointer([mouse.x, mouse.y]),
            _ => Activity::Button,
        },
        Event::Focus(focused) => Activity::Focus(*focused),
        _ => return None,
    };
    Some(Action::UserActivity(activity))
}
