//! The Actions of the app, as one closed set. Keys, the mouse, the window, measurements of the run loop and the autopilot all
//! arrive as Actions, so the same Actions and ticks give the same frames.

pub mod help;
pub mod table;

use crate::sim::parallel::MAX_THREADS;
pub use crate::sim::world::pointer::PointerMode;
use crate::view::{ColorDepth, GlyphMode, Rgb};
use glam::Vec2;
use ratatui::layout::Rect;
use serde::{Deserialize, Serialize};
pub use table::Action;

/// Upper limit on the distance of a pointer from the window's corner, in cells: more than any terminal reports.
const MAX_POSITION: f32 = 1e5;

impl Action {
    /// Checks the values against what keys, pointers and windows can produce: a recording may have been edited.
    pub fn validated(self) -> Result<Self, String> {
        let inside = |number: f32, most: f32| number.abs() <= most;
        match self {
            Self::Resize(window) => window.validated().map(Self::Resize),
            Self::SetTilt(angle) if !inside(angle, 1e3) => Err(format!("a tilt of {angle} radians is out of range")),
            Self::PressTool(at)
            | Self::Press(_, at)
            | Self::Move(at)
            | Self::Release(at)
            | Self::UserActivity(Activity::Pointer(at))
                if !at.into_iter().all(|cells| inside(cells, MAX_POSITION)) =>
            {
                Err(format!("a pointer position of {at:?} is out of range"))
            }
            Self::SetThreads(threads) if !(1..=MAX_THREADS).contains(&threads) => {
                Err(format!("{threads} threads are out of range; there may be 1 to {MAX_THREADS}"))
            }
            Self::Measured(meters) if !meters.is_finite() => Err("a measurement is not finite".to_owned()),
            action => Ok(action),
        }
    }
}

named! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Direction {
        Left => "left",
        Down => "down",
        Up => "up",
        Right => "right",
    }
}

impl Direction {
    pub fn unit(self) -> Vec2 {
        match self {
            Self::Left => Vec2::NEG_X,
            Self::Right => Vec2::X,
            Self::Up => Vec2::Y,
            Self::Down => Vec2::NEG_Y,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Activity {
    Key,
    Button,
    Pointer([f32; 2]),
    Focus(bool),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    pub columns: u16,
    pub rows: u16,
    /// Width and height of a cell in pixels; 0 where the terminal does not report them.
    pub cell: [u16; 2],
}

impl Window {
    pub const LARGEST: (u16, u16) = (1000, 500);

    pub fn area(self) -> Rect {
        Rect::new(0, 0, self.columns, self.rows)
    }

    pub fn validated(self) -> Result<Self, String> {
        let sane = (1..=Self::LARGEST.0).contains(&self.columns) && (1..=Self::LARGEST.1).contains(&self.rows);
        if sane { Ok(self) } else { Err(format!("a window of {}×{} cells is out of range", self.columns, self.rows)) }
    }
}

defaults! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub struct TerminalCaps {
        /// The best glyph set that it is likely to draw; used unless the user chooses one.
        pub glyphs: GlyphMode = GlyphMode::default();
        pub unicode: bool = true;
        pub depth: ColorDepth = ColorDepth::default();
        pub background: Option<Rgb> = None;
        /// It has replied, and not told its background.
        pub hides_background: bool = false;
        pub key_release: bool = false;
    }
}
