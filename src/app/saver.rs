//! The screensaver: when the autopilot plays, and what ends it.
//!
//! It arms itself only after a moment: the return key that started it is let go, a terminal answers late, a shell's
//! plugins write what they like. What comes before is no sign of life. Answers that come later are none either; they
//! are no keys (`term/input.rs`).

pub mod autopilot;
pub(super) mod fade;
pub(super) mod flash_limiter;

use crate::app::App;
use crate::app::action::{Action, Touch};
use crate::sim::World;
use crate::term::{Event, KeyKind, MouseKind};
use crate::view::Palette;
use autopilot::{Autopilot, Sight};
use fade::Fade;
use std::time::Duration;

/// How long nothing ends the screensaver.
pub const ARMING: Duration = Duration::from_millis(1000);

/// Frames a second, at most, while the autopilot plays: no hand waits for an answer, and a picture costs more of a core
/// than the eye gains.
pub const FPS: u32 = 30;

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
    fn heeds(self, touch: Touch, first: Option<[f32; 2]>) -> bool {
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
    pilot: Autopilot,
    since: Duration,
    /// Where the pointer was when it was heard of first.
    pointer: Option<[f32; 2]>,
    /// What the autopilot asks for, from step to step.
    asked: Vec<Action>,
    /// What the toy gets back when somebody touches it; nothing if touching ends the program.
    kept: Option<Kept>,
}

/// The toy as it was left.
#[derive(Debug)]
struct Kept {
    world: World,
    current: usize,
    palette: Palette,
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

impl App {
    /// Whether the autopilot plays.
    pub fn is_piloted(&self) -> bool {
        self.saver.is_some()
    }

    /// Frames a second, at most: as many as the user wants, and fewer while the autopilot plays.
    pub fn fps(&self) -> u32 {
        if self.is_piloted() { self.options.fps.min(FPS) } else { self.options.fps }
    }

    /// The autopilot takes over: for good, or until somebody touches the toy.
    pub(super) fn take_over(&mut self, for_good: bool) {
        let kept = || Kept { world: self.world.clone(), current: self.current, palette: self.palette().clone() };
        let kept = (!for_good).then(kept);
        self.hand.drop_all();
        self.hand_shown = false;
        self.overlay.quiet = true;
        let pilot = Autopilot::new(self.options.simulation.seed, self.options.saver.reduced_motion);
        self.saver = Some(Saver { pilot, since: Duration::ZERO, pointer: None, asked: Vec::new(), kept });
    }

    /// Time in which nobody touched the toy; on and on, it calls the autopilot.
    pub(super) fn wait_for_touch(&mut self, elapsed: Duration) {
        self.untouched += elapsed;
        if let Some(saver) = &mut self.saver {
            saver.since += elapsed;
        } else if self.options.saver.idle.is_some_and(|idle| self.untouched >= idle) && !self.clock.paused() {
            self.take_over(false);
            self.stale = true;
        }
    }

    /// The autopilot's part in a step of the world.
    pub(super) fn autopilot(&mut self) {
        let sight = self.sight();
        let Some(saver) = &mut self.saver else { return };
        let mut asked = std::mem::take(&mut saver.asked);
        saver.pilot.act(&sight, &mut asked);
        for action in asked.drain(..) {
            self.apply(action);
        }
        if let Some(saver) = &mut self.saver {
            saver.asked = asked;
        }
    }

    fn sight(&self) -> Sight {
        Sight {
            window: (self.window.columns, self.window.rows),
            scenes: self.tour().max(1),
            scene: self.current,
            palettes: self.alike().count(),
            palette: self.alike().position(|palette| palette.name() == self.palette().name()).unwrap_or(0),
        }
    }

    /// Somebody may be there.
    pub(super) fn touched(&mut self, touch: Touch) {
        if let Touch::Focus(focused) = touch {
            self.set_focus(focused);
        }
        let Some(saver) = &mut self.saver else { return };
        if saver.since < ARMING {
            return;
        }
        let first = saver.pointer;
        if let Touch::Pointer(at) = touch {
            saver.pointer.get_or_insert(at);
        }
        // The toy is played with the mouse, so there the mouse always counts.
        let policy = if saver.kept.is_some() { Dismissal::KeyOrMouse } else { self.options.saver.exit_on };
        if policy.heeds(touch, first) {
            self.hand_back();
        }
    }

    /// The autopilot leaves: the program ends, or the toy is as it was left.
    fn hand_back(&mut self) {
        let Some(Saver { kept, .. }) = self.saver.take() else { return };
        let Some(kept) = kept else {
            self.request = Some(crate::app::Request::Quit);
            return;
        };
        self.overlay.quiet = false;
        self.hand.drop_all();
        self.current = kept.current;
        let old = std::mem::replace(&mut self.world, kept.world);
        self.world.reshape(self.window_aspect());
        self.fade = Some(Fade::new(old, self.look.clone()));
        self.recolor_to(kept.palette, fade::QUICK_COLORS);
        self.clock.forgive();
        self.untouched = Duration::ZERO;
    }
}
