//! Everything that can be asked of the app, as one closed set.
//!
//! Keys, the mouse, the window, the run loop's own measurements and the autopilot all
//! arrive as Actions, so the same Actions and ticks give the same frames.

pub mod keymap;
pub mod pointer;
pub mod tilt;

use crate::app::overlay::frame_metrics::Meters;
use crate::sim::parallel::MOST_THREADS;
pub use crate::sim::world::pointer::Grip;
use crate::view::{ColorDepth, GlyphMode};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// A direction was struck: the tank tilts by a step, the hand moves by a step, an open help scrolls.
    Tilt(Side),
    /// A direction is held down from now on, where the terminal tells when it is let go.
    Hold(Side),
    LetGo(Side),
    Upright,
    /// Gravity is to point there: radians from straight down, positive to the right.
    Lean(f32),
    Shake(Side),

    Pause,
    Step,
    Slower,
    Faster,
    Reset,
    NextScene,
    PreviousScene,
    /// The scene of that number comes, and the one that was shown fades.
    Scene(u16),
    /// About a twentieth of the scene's particles more, or fewer.
    Pour,
    Drain,

    /// What is held in a shape melts, or flows back into it.
    Melt,

    Glyphs,
    Palette,
    /// The palette of that number, among those for a room as light or dark as this, comes, slowly.
    Colors(u16),
    Drive,
    /// Whether cloth shows its surface, its threads, or both.
    Weave,
    Stats,
    Help,

    /// Opens or closes the panel with the scene's numbers; takes the last change back; all as the scene has it; writes
    /// the scene, as it is now, into a file.
    Panel,
    Undo,
    Original,
    Save,

    /// Shows or hides the hand: a pointer moved by keys.
    Hand,
    /// The hand closes, as if the left button went down, or opens.
    Grab,
    /// The hand pulls, as if the right button went down, or lets go.
    Pull,
    /// What a click does, under the hand or the mouse.
    Burst,
    /// Whether the hand and the left button draw walls instead of pushing.
    Walls,
    /// The brush grows (`true`) or shrinks, once.
    Brush(bool),

    /// Copies and shows the share code.
    Code,
    /// Starts or stops recording.
    Record,

    /// Closes what is open: the help, then the hand. With nothing open, ends.
    Back,
    Quit,
    Suspend,

    /// A button of the mouse went down. Places are in cells from the top left corner, with a fraction.
    Press(Grip, [f32; 2]),
    Move([f32; 2]),
    Release([f32; 2]),
    /// Somebody did something while the autopilot plays.
    Touch(Touch),
    /// The window got or lost the focus.
    Focus(bool),
    /// The window is of this size now.
    Resize(Window),
    /// What the terminal can do, as far as that is known by now.
    Terminal(Terminal),
    /// What the run loop measured, for the stats.
    Measured(Meters),
    /// It is so many seconds past midnight.
    Time(u32),
    /// So many threads suit the machine.
    Share(usize),
}

/// Cells that a pointer may be away from the window's corner: more than any terminal tells.
const FARTHEST: f32 = 1e5;

impl Action {
    /// Itself, if keys, pointers and windows bring such a one about: what a recording holds may have been made by hand.
    ///
    /// # Errors
    /// Says what there is none of.
    pub fn believed(self) -> Result<Self, String> {
        let inside = |number: f32, most: f32| number.abs() <= most;
        match self {
            Self::Resize(window) => window.believed().map(Self::Resize),
            Self::Lean(angle) if !inside(angle, 1e3) => Err(format!("no tank leans by {angle} radians")),
            Self::Press(_, at) | Self::Move(at) | Self::Release(at) | Self::Touch(Touch::Pointer(at))
                if !at.into_iter().all(|cells| inside(cells, FARTHEST)) =>
            {
                Err(format!("no pointer is at {at:?}"))
            }
            Self::Share(threads) if !(1..=MOST_THREADS).contains(&threads) => {
                Err(format!("no simulation is shared by {threads} threads; by 1 to {MOST_THREADS}"))
            }
            Self::Measured(meters) if !meters.is_finite() => Err("no measurement is infinite".to_owned()),
            action => Ok(action),
        }
    }

    /// Whether it goes on as long as its key is held.
    pub fn repeats(self) -> bool {
        use Action::*;
        matches!(self, Tilt(_) | Step | Slower | Faster | Pour | Drain | Brush(_))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    Left,
    Down,
    Up,
    Right,
}

/// A sign of life, for whoever waits for one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Touch {
    Key,
    Button,
    /// The pointer is at this place, in cells.
    Pointer([f32; 2]),
    /// The window got or lost the focus.
    Focus(bool),
}

/// The size of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    pub columns: u16,
    pub rows: u16,
    /// Width and height of a cell in pixels; 8×16 where the terminal does not tell.
    pub cell: [u16; 2],
}

impl Window {
    /// The largest that is believed, in columns and rows.
    pub const LARGEST: (u16, u16) = (1000, 500);

    /// Itself, if there may be such a window.
    ///
    /// # Errors
    /// If it is larger than any, or has no cells.
    pub fn believed(self) -> Result<Self, String> {
        let sane = (1..=Self::LARGEST.0).contains(&self.columns) && (1..=Self::LARGEST.1).contains(&self.rows);
        if sane { Ok(self) } else { Err(format!("no window has {}×{} cells", self.columns, self.rows)) }
    }
}

/// The terminal's abilities that the app cares for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terminal {
    /// The best glyphs it is likely to draw, used as long as the user has chosen none.
    pub glyphs: GlyphMode,
    /// It has glyphs beyond ASCII at all.
    pub unicode: bool,
    pub depth: ColorDepth,
    /// The colour of its background, where it told.
    pub background: Option<[u8; 3]>,
    /// It tells when a key is let go, so a tilt can be held.
    pub key_release: bool,
}

impl Default for Terminal {
    /// Before anything is known of it.
    fn default() -> Self {
        Self {
            glyphs: GlyphMode::default(),
            unicode: true,
            depth: ColorDepth::default(),
            background: None,
            key_release: false,
        }
    }
}
