//! Colour depths: the number of colours of a terminal, and the nearest of them to any colour.

use crate::cell::color::Rgb;
use crate::cell::color::dither::{ANSI_16, XTERM_240};
use crate::cell::color::indexed::{indexed, nearest_of_16, nearest_of_256};
use ratatui_core::style::Color;
use serde::{Deserialize, Serialize};

named! {
    /// The number of colours of a terminal.
    #[non_exhaustive]
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum ColorDepth {
        /// No colours: the picture consists of the glyphs' shapes.
        Mono => "mono",
        /// The sixteen named ones, which the user's theme defines.
        Ansi16 => "16",
        /// xterm's 6×6×6 cube and 24 greys.
        Ansi256 => "256",
        /// All of 24 bits.
        #[default]
        TrueColor => "truecolor",
    }
}

impl ColorDepth {
    /// The colour of this depth for `rgb` in the cell of column and row `at`. Where colours are few they are dithered in an
    /// ordered pattern that is fixed to the screen, so a picture at rest does not change.
    pub fn color(self, rgb: Rgb, at: (u16, u16)) -> Color {
        match self {
            Self::Mono => Color::Reset,
            Self::Ansi16 => Color::Indexed(ANSI_16.dither(rgb, at)),
            Self::Ansi256 => Color::Indexed(XTERM_240.dither(rgb, at)),
            Self::TrueColor => rgb.into(),
        }
    }

    /// The colour of this depth nearest to `color`, without dithering, for text. Themes redefine the sixteen, so at 256 colours
    /// nothing is reduced to them.
    pub fn nearest(self, color: impl Into<Color>) -> Color {
        match (self, color.into()) {
            (Self::Mono, _) => Color::Reset,
            (Self::Ansi256, Color::Rgb(r, g, b)) => Color::Indexed(nearest_of_256(Rgb(r, g, b))),
            (Self::Ansi16, Color::Rgb(r, g, b)) => Color::Indexed(nearest_of_16(Rgb(r, g, b))),
            (Self::Ansi16, Color::Indexed(index @ 16..)) => Color::Indexed(nearest_of_16(indexed(index))),
            (_, color) => color,
        }
    }
}
