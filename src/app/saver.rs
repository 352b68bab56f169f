//! The screensaver: when the autopilot plays, and what ends it.
//!
//! It arms itself only after a moment: the return key that started it is let go, a terminal answers late, a shell's
//! plugins write what they like. What comes before is no sign of life. Answers that come later are none either; they
//! are no keys (`term/input.rs`).

pub mod autopilot;
pub(super) mod fade;
pub(super) mod flash_limiter;

use crate::app::action::{Action, Touch};
use crate::sim::World;
use crate::term::{Event, KeyKind, MouseKind};
use crate::view::Palette;
use autopilot::Autopilot;
use std::time::Duration;

/// How long nothing ends the screensaver.
pub const ARMING: Duration = Duration::from_millis(1000);

/// How far (cells) the pointer moves before somebody has moved it.
const NUDGE: f32 = 1.5;

/// What ends the screensaver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dismissal {
    /// Any key.
    #[default]
    Key,
    /// Any key, a button of the mouse, or a movement of it.
    KeyOrMouse,
    /// The same, or that the window gets the focus.
    Focus,
    /// Nothing but a signal.
    None,
}

impl Dismissal {
    pub const ALL: [Dismissal; 4] = [Self::Key, Self::KeyOrMouse, Self::Focus, Self::None];

    pub fn name(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::KeyOrMouse => "key+mouse",
            Self::Focus => "focus",
            Self::None => "none",
        }
    }

    /// Whether a sign of life is one that counts. `first` is where the pointer was seen first.
    pub(super) fn heeds(self, touch: Touch, first: Option<[f32; 2]>) -> bool {
        let mouse = matches!(self, Self::KeyOrMouse | Self::Focus);
        match touch {
            Touch::Key => self != Self::None,
            Touch::Button => mouse,
            Touch::Pointer([x, y]) => mouse && first.is_some_and(|[u, v]| (x - u).abs().max((y - v).abs()) > NUDGE),
            Touch::Focus(got) => self == Self::Focus && got,
        }
    }
}

/// The autopilot at the tank.
#[derive(Debug)]
pub struct Saver {
    pub(super) pilot: Autopilot,
    pub(super) since: Duration,
    /// Where the pointer was when it was heard of first.
    pub(super) pointer: Option<[f32; 2]>,
    /// What the autopilot asks for, from step to step.
    pub(super) asked: Vec<Action>,
    /// What the toy gets back when somebody touches it; nothing if touching ends the program.
    pub(super) kept: Option<Kept>,
}

/// The toy as it was left.
#[derive(Debug)]
pub struct Kept {
    pub(super) world: World,
    pub(super) current: usize,
    pub(super) palette: Palette,
}

/// What an event says to a screensaver. A key that is let go, or that has been held since before, says nothing.
pub fn touch(event: &Event) -> Option<Action> {
    let touch = match event {
        Event::Key(key) if key.kind == KeyKind::Press => Touch::Key,
        Event::Paste(_) => Touch::Key,
        Event::Mouse(mouse) => match mouse.kind {
            MouseKind::Moved | MouseKind::Drag => Touch::Pointer([mouse.x, mouse.y]),
            _ => Touch::Button,
        },
        Event::Focus(focused) => Touch::Focus(*focused),
        _ => return None,
    };
    Some(Action::Touch(touch))
}
