//! Colours as the encoder sends them to the terminal.

use crate::cell::color::{ColorDepth, color_index};
use ratatui::style::Color;
use serde::{Deserialize, Serialize};

/// A colour as a number of 26 bits, because colours are compared most of all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PackedColor(u32);

impl PackedColor {
    pub const DEFAULT: Self = Self(0);
    const INDEX: u32 = 1 << 24;
    const RGB: u32 = 2 << 24;

    #[inline]
    pub const fn index(index: u8) -> Self {
        Self(Self::INDEX | index as u32)
    }

    #[inline]
    pub const fn rgb(r: u8, g: u8, b: u8) -> Self {
        Self(Self::RGB | u32::from_be_bytes([0, r, g, b]))
    }

    /// `None` for a palette or default colour.
    #[inline]
    pub const fn channels(self) -> Option<[u8; 3]> {
        let [kind, r, g, b] = self.0.to_be_bytes();
        if kind == 2 { Some([r, g, b]) } else { None }
    }

    #[inline]
    pub const fn key(self) -> u32 {
        self.0
    }
}

/// Reduces colours to a depth, and caches the last one, since neighbours are often equal.
pub struct DepthConverter {
    depth: ColorDepth,
    last: (Color, PackedColor),
}

impl DepthConverter {
    pub fn new(depth: ColorDepth) -> Self {
        Self { depth, last: (Color::Reset, PackedColor::DEFAULT) }
    }

    #[inline]
    pub fn reduce(&mut self, color: Color) -> PackedColor {
        match color {
            Color::Rgb(r, g, b) if self.depth == ColorDepth::TrueColor => return PackedColor::rgb(r, g, b),
            Color::Reset => return PackedColor::DEFAULT,
            _ if self.last.0 != color => self.last = (color, self.depth.nearest(color).into()),
            _ => {}
        }
        self.last.1
    }
}

impl From<PackedColor> for Color {
    #[inline]
    fn from(color: PackedColor) -> Self {
        let [kind, r, g, b] = color.0.to_be_bytes();
        match kind {
            0 => Self::Reset,
            1 => Self::Indexed(b),
            _ => Self::Rgb(r, g, b),
        }
    }
}

impl From<Color> for PackedColor {
    fn from(color: Color) -> Self {
        match (color, color_index(color)) {
            (_, Some(index)) => Self::index(index),
            (Color::Rgb(r, g, b), None) => Self::rgb(r, g, b),
            _ => Self::DEFAULT,
        }
    }
}

/// Squared distance in code values, 0 to 3 · 255².
#[inline]
pub fn squared_distance(a: [u8; 3], b: [u8; 3]) -> u32 {
    let square = |axis: usize| u32::from(a[axis].abs_diff(b[axis])).pow(2);
    square(0) + square(1) + square(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ColorDepth::{Ansi16, Mono};

    #[test]
    fn mono_has_no_colours() {
        for color in [Color::Red, Color::Rgb(1, 2, 3), Color::Indexed(200), Color::Reset] {
            assert_eq!(DepthConverter::new(Mono).reduce(color), PackedColor::DEFAULT);
        }
    }

    #[test]
    fn sixteen_take_any_colour_to_the_first_sixteen() {
        assert_eq!(DepthConverter::new(Ansi16).reduce(Color::Rgb(250, 10, 10)), PackedColor::index(9));
        assert_eq!(DepthConverter::new(Ansi16).reduce(Color::Indexed(196)), PackedColor::index(9));
        assert_eq!(DepthConverter::new(Ansi16).reduce(Color::Cyan), PackedColor::index(6));
    }
}
