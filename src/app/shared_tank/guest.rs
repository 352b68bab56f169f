//! A guest: its name, its colour, its hand, and the measurements of its link.

use crate::sim::world::pointer::PointerMode;
use crate::view::{ColorDepth, Rgb};
use glam::Vec2;
use ratatui::style::Color;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Identifies a guest from join to leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GuestId(pub u16);

pub const MAX_NAME: usize = 16;

/// A name that can be shown on any screen: at most [`MAX_NAME`] ASCII letters, digits, `-`, `_` and `.`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "String")]
pub struct GuestName(String);

impl GuestName {
    /// A name without all other characters; `guest` if nothing remains.
    pub fn clean(name: &str) -> Self {
        let allowed = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let clean: String = name.chars().filter(allowed).take(MAX_NAME).collect();
        Self(if clean.is_empty() { "guest".to_owned() } else { clean })
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for GuestName {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<String> for GuestName {
    fn from(name: String) -> Self {
        Self::clean(&name)
    }
}

/// The colours of hands, far apart from one another and light enough for dark water; each with the one that stands for it where
/// there are sixteen. Bright ones of the sixteen come first, because plain red and green are too dark over water.
pub const HAND_COLORS: [(Rgb, Color); 12] = [
    (Rgb(255, 92, 92), Color::LightRed),
    (Rgb(255, 220, 70), Color::LightYellow),
    (Rgb(110, 255, 120), Color::LightGreen),
    (Rgb(255, 130, 240), Color::LightMagenta),
    (Rgb(90, 230, 255), Color::LightCyan),
    (Rgb(255, 165, 60), Color::Yellow),
    (Rgb(150, 150, 255), Color::White),
    (Rgb(190, 255, 60), Color::Green),
    (Rgb(255, 175, 190), Color::Magenta),
    (Rgb(60, 255, 200), Color::Cyan),
    (Rgb(210, 150, 255), Color::Red),
    (Rgb(235, 235, 235), Color::Gray),
];

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GuestStatus {
    pub id: GuestId,
    pub name: GuestName,
    /// Index into [`HAND_COLORS`].
    pub color: u8,
    pub link: LinkMeters,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinkMeters {
    pub frames: f32,
    pub bytes: f32,
    /// Time from a frame to the terminal's reply, seconds; none if it has not replied.
    pub delay: Option<f32>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Hand {
    pub name: GuestName,
    pub color: u8,
    /// The position in the upright picture of the tank, metres.
    pub at: Vec2,
    pub tool: PointerMode,
    pub held: bool,
}

impl Hand {
    fn colors(&self) -> (Rgb, Color) {
        HAND_COLORS[usize::from(self.color) % HAND_COLORS.len()]
    }

    pub fn rgb(&self) -> Rgb {
        self.colors().0
    }

    /// The colour of the hand on a dark background, at that colour depth.
    pub fn ink(&self, depth: ColorDepth) -> Color {
        match depth {
            ColorDepth::Ansi16 => self.colors().1,
            depth => depth.nearest(self.rgb()),
        }
    }
}
