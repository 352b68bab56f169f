//! The glyph and colours of one cell, and the part of them that is kept for the next frame.

use crate::cell::color::Rgb;

/// The glyph and colours of one cell. Without a colour it has the terminal's default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FittedCell {
    pub glyph: char,
    pub fg: Option<Rgb>,
    pub bg: Option<Rgb>,
}

impl FittedCell {
    /// A cell of the terminal's own background.
    pub const BLANK: FittedCell = FittedCell { glyph: ' ', fg: None, bg: None };

    /// Whether another cell has the same glyph, and colours of which no channel differs by more than `tolerance` code values.
    pub(in crate::view) fn is_like(self, other: FittedCell, tolerance: u8) -> bool {
        let alike = |a: Option<Rgb>, b: Option<Rgb>| match (a, b) {
            (Some(a), Some(b)) => a.is_within(tolerance, b),
            _ => a == b,
        };
        self.glyph == other.glyph && alike(self.fg, other.fg) && alike(self.bg, other.bg)
    }
}

/// The fit of a cell: its contents, and the index of its glyph in the atlas; for a character, its set of parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GlyphFit {
    index: u16,
    pub cell: FittedCell,
}

impl GlyphFit {
    /// A blank cell. The next frame never keeps it in place of the nearest cell.
    pub const BLANK: Self = Self::without_index(FittedCell::BLANK);

    /// Creates a cell that was not chosen from an atlas. The next frame never keeps it.
    pub const fn without_index(cell: FittedCell) -> Self {
        Self { index: u16::MAX, cell }
    }

    pub(super) fn new(index: usize, cell: FittedCell) -> Self {
        Self { index: index as u16, cell }
    }

    pub(super) fn index(self) -> Option<usize> {
        (self.index != u16::MAX).then_some(usize::from(self.index))
    }
}
