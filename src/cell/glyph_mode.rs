//! Glyph modes: the sets of glyphs that a picture may use. To add one: a variant, its glyphs, and, where terminals differ
//! in whether they draw it, a column in the table of terminals.

use crate::cell::{ascii, blocks, braille, wedge};
use ratatui_core::symbols::pixel::{OCTANTS, SEXTANTS};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

named! {
    /// The set of glyphs that a picture uses.
    #[non_exhaustive]
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum GlyphMode {
        /// All of the below and cells cut by slanted lines (Unicode 13): the smoothest.
        Wedge => "wedge",
        /// All of the below and 2×3 blocks (Unicode 13).
        Sextant => "sextant",
        /// 2×2 blocks and eighths of a block: in nearly every font, and smooth where surfaces are level.
        #[default]
        Quadrant => "quadrant",
        /// Upper and lower half: in every console font.
        Half => "half",
        /// Letters and signs of ASCII, chosen by their shape.
        Ascii => "ascii",
        /// 2×4 dots: a style.
        Braille => "braille",
        /// 2×4 blocks (Unicode 16, 2024): few fonts and terminals have them yet, so they are used only when requested.
        Octant => "octant",
    }
}

/// How the glyphs of a mode represent a picture.
#[derive(Clone, Copy, Debug)]
pub enum Repertoire {
    /// Blocks: a glyph divides its cell into foreground and background. All glyphs, some perhaps more than once.
    Blocks(fn() -> Vec<char>),
    /// Characters and dots: a glyph is drawn on the cell's background.
    Signs {
        /// The glyph for a set of the cell's 2×4 parts: a bit each, row by row from the upper left.
        outline: fn(usize) -> char,
        /// The glyph of a full cell at a brightness, 0 to 1.
        full: fn(f32) -> char,
    },
}

impl GlyphMode {
    /// One line for `slosh list`.
    pub fn about(self) -> &'static str {
        match self {
            Self::Wedge => "slanted edges, 2x3 blocks and eighths, the smoothest; Unicode 13",
            Self::Sextant => "2x3 blocks and eighths; Unicode 13",
            Self::Quadrant => "2x2 blocks and eighths; nearly every font has them",
            Self::Half => "upper and lower half blocks, two colours a cell",
            Self::Ascii => "letters and signs chosen by their shape; every terminal has them",
            Self::Braille => "2x4 dots",
            Self::Octant => "2x4 blocks; needs a Unicode 16 font",
        }
    }

    /// Its glyphs.
    pub fn repertoire(self) -> Repertoire {
        match self {
            Self::Wedge => Repertoire::Blocks(|| [&blocks::all()[..], &SEXTANTS, &wedge::all()].concat()),
            Self::Sextant => Repertoire::Blocks(|| [&blocks::all()[..], &SEXTANTS].concat()),
            Self::Quadrant => Repertoire::Blocks(blocks::all),
            Self::Half => Repertoire::Blocks(|| blocks::HALVES.to_vec()),
            Self::Ascii => Repertoire::Signs { outline: ascii::outline, full: ascii::full },
            Self::Braille => Repertoire::Signs { outline: braille::dots, full: |_| '⣿' },
            Self::Octant => Repertoire::Blocks(|| OCTANTS.to_vec()),
        }
    }

    /// Whether beads in a cell of one colour are dots of braille. Few console fonts have those.
    pub fn has_dots(self) -> bool {
        matches!(self, Self::Wedge | Self::Sextant | Self::Quadrant | Self::Octant)
    }

    /// The glyph of walls where there are no colours to distinguish them from liquid.
    pub fn wall(self) -> char {
        match self {
            Self::Ascii => '%',
            Self::Braille => '⢕',
            _ => '░',
        }
    }

    /// Whether a glyph divides its cell, rather than being a character or dots on it.
    pub fn is_blocks(self) -> bool {
        matches!(self.repertoire(), Repertoire::Blocks(_))
    }
}

impl fmt::Display for GlyphMode {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for GlyphMode {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|mode| mode.name() == name).ok_or_else(|| {
            let names = Self::ALL.map(Self::name).join(", ");
            format!("no glyph mode `{name}`: choose one of {names}")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_is_found_by_its_name_in_settings_and_in_recordings() {
        for mode in GlyphMode::ALL {
            assert_eq!(mode.name().parse(), Ok(mode));
            #[cfg(feature = "app")]
            assert_eq!(serde_json::to_string(&mode).unwrap(), format!("{:?}", mode.name()));
        }
    }
}
