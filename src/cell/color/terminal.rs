//! The colours that a terminal has given its own names to.

use crate::cell::color::{Rgb, color_index, xterm_rgb};
use ratatui_core::style::Color;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminalColors {
    pub foreground: Option<Rgb>,
    pub background: Option<Rgb>,
    pub named: [Option<Rgb>; 16],
}

impl TerminalColors {
    pub fn background(&self) -> Rgb {
        self.background.unwrap_or(Rgb::BLACK)
    }

    /// Returns the colour that text of this colour has. An unknown default is one that contrasts with the background.
    pub fn text(&self, color: Color) -> Rgb {
        let contrasting = if self.background().oklab()[0] > 0.5 { Rgb(32, 32, 32) } else { Rgb(208, 208, 208) };
        let named = color_index(color).and_then(|index| self.named.get(usize::from(index)).copied().flatten());
        named.unwrap_or_else(|| xterm_rgb(color, self.foreground.unwrap_or(contrasting)))
    }
}
