//! Colours as the terminal takes them.

use crate::view::ColorDepth;
use ratatui_core::style::Color;

/// A colour on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Paint {
    /// The terminal's own text or background colour.
    #[default]
    Default,
    /// An entry of the terminal's palette.
    Index(u8),
    Rgb(u8, u8, u8),
}

impl Paint {
    /// The nearest colour that `depth` can show.
    pub fn reduce(color: Color, depth: ColorDepth) -> Self {
        Self::from(depth.nearest(color))
    }

    /// A number of 26 bits, another for each.
    pub fn key(self) -> u32 {
        match self {
            Self::Default => 0,
            Self::Index(index) => 1 << 24 | u32::from(index),
            Self::Rgb(r, g, b) => 2 << 24 | u32::from_be_bytes([0, r, g, b]),
        }
    }
}

/// Reduces colours, remembering the last: neighbours are often alike.
#[derive(Debug)]
pub struct Reducer {
    depth: ColorDepth,
    last: (Color, Paint),
}

impl Reducer {
    pub fn new(depth: ColorDepth) -> Self {
        Self { depth, last: (Color::Reset, Paint::Default) }
    }

    #[inline]
    pub fn reduce(&mut self, color: Color) -> Paint {
        match color {
            Color::Rgb(r, g, b) if self.depth == ColorDepth::TrueColor => return Paint::Rgb(r, g, b),
            Color::Reset => return Paint::Default,
            _ if self.last.0 != color => self.last = (color, Paint::reduce(color, self.depth)),
            _ => {}
        }
        self.last.1
    }
}

impl From<Paint> for Color {
    fn from(paint: Paint) -> Self {
        match paint {
            Paint::Default => Self::Reset,
            Paint::Index(index) => Self::Indexed(index),
            Paint::Rgb(r, g, b) => Self::Rgb(r, g, b),
        }
    }
}

impl From<Color> for Paint {
    fn from(color: Color) -> Self {
        use Color::*;
        let index = match color {
            Reset => return Self::Default,
            Rgb(r, g, b) => return Self::Rgb(r, g, b),
            Indexed(i) => i,
            Black => 0,
            Red => 1,
            Green => 2,
            Yellow => 3,
            Blue => 4,
            Magenta => 5,
            Cyan => 6,
            Gray => 7,
            DarkGray => 8,
            LightRed => 9,
            LightGreen => 10,
            LightYellow => 11,
            LightBlue => 12,
            LightMagenta => 13,
            LightCyan => 14,
            White => 15,
        };
        Self::Index(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ColorDepth::{Ansi16, Mono};

    #[test]
    fn mono_has_no_colours() {
        for color in [Color::Red, Color::Rgb(1, 2, 3), Color::Indexed(200), Color::Reset] {
            assert_eq!(Paint::reduce(color, Mono), Paint::Default);
        }
    }

    #[test]
    fn sixteen_take_any_colour_to_the_first_sixteen() {
        assert_eq!(Paint::reduce(Color::Rgb(250, 10, 10), Ansi16), Paint::Index(9));
        assert_eq!(Paint::reduce(Color::Indexed(196), Ansi16), Paint::Index(9));
        assert_eq!(Paint::reduce(Color::Cyan, Ansi16), Paint::Index(6));
    }
}
