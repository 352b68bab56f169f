//! Reads a frame into packed cells: the target.

use ratatui::buffer::{Buffer, Cell, CellDiffOption, CellWidth};

use crate::term::encoder::FrameEncoder;
use crate::term::encoder::color::DepthConverter;
use crate::term::encoder::packed_cell::{CellStyle, Glyph, PackedCell};
use crate::term::sanitize::is_hidden;

impl FrameEncoder {
    /// Reads a frame, and counts for how many frames each cell has had its target.
    pub(super) fn decode(&mut self, frame: &Buffer) {
        let width = usize::from(self.width);
        let mut fg = DepthConverter::new(self.output_caps.depth);
        let mut bg = DepthConverter::new(self.output_caps.depth);
        (self.unchanged, self.cells) = (true, 0);
        let mut has_wide = false;
        for (row, cells) in frame.content.chunks(width.max(1)).enumerate().take(self.height.into()) {
            let mut wide: Option<PackedCell> = None;
            for (x, cell) in cells.iter().enumerate() {
                let i = row * width + x;
                let packed = match (cell.diff_option, wide.take()) {
                    (CellDiffOption::Skip, _) => self.shown[i],
                    (_, Some(left)) => PackedCell { glyph: Glyph::RIGHT_HALF, ..left },
                    _ => {
                        let style =
                            CellStyle { fg: fg.reduce(cell.fg), bg: bg.reduce(cell.bg), attributes: cell.modifier };
                        PackedCell { glyph: self.glyph(cell, width - x), style }.normalized()
                    }
                };
                if !packed.glyph.has_known_width() {
                    wide = Some(packed).filter(|packed| self.is_wide(packed.glyph));
                }
                if cell.diff_option == CellDiffOption::AlwaysUpdate {
                    self.shown[i] = PackedCell::UNKNOWN;
                }
                has_wide |= packed.glyph == Glyph::RIGHT_HALF || self.shown[i].glyph == Glyph::RIGHT_HALF;
                self.ages[i] = if self.target[i] == packed { self.ages[i].saturating_add(1) } else { 0 };
                self.unchanged &= self.ages[i] > 0;
                self.target[i] = packed;
            }
        }
        if has_wide {
            self.invalidate_split_wide();
        }
    }

    fn glyph(&mut self, cell: &Cell, room: usize) -> Glyph {
        let symbol = cell.symbol();
        Glyph::with_known_width(symbol.as_bytes()).unwrap_or_else(|| self.slow_glyph(symbol, room))
    }

    #[cold]
    fn slow_glyph(&mut self, symbol: &str, room: usize) -> Glyph {
        let mut chars = symbol.chars();
        let first = chars.next().unwrap_or(' ');
        let single = chars.next().is_none();
        // Hidden characters, and those without width, would shift the row.
        let fits = !symbol.contains(is_hidden) && (1..=room.min(2)).contains(&usize::from(symbol.cell_width()));
        match (fits, single) {
            (false, _) => Glyph::SPACE,
            (true, true) => first.into(),
            (true, false) => self.grapheme(symbol),
        }
    }

    /// A grapheme of several characters is stored at its first use.
    fn grapheme(&mut self, symbol: &str) -> Glyph {
        let known = self.graphemes.iter().position(|c| &**c == symbol);
        Glyph::grapheme(known.unwrap_or_else(|| {
            self.graphemes.push(symbol.into());
            self.graphemes.len() - 1
        }))
    }

    pub(super) fn text(&self, glyph: Glyph) -> Option<&str> {
        self.graphemes.get(glyph.grapheme_index()?).map(|text| &**text)
    }

    #[cold]
    fn is_wide(&self, glyph: Glyph) -> bool {
        let mut utf8 = [0; 4];
        match glyph.char() {
            Some(c) => c.encode_utf8(&mut utf8).cell_width() == 2,
            None => self.text(glyph).is_some_and(|text| text.cell_width() == 2),
        }
    }

    /// Overwriting one half of a wide character erases the other half too.
    fn invalidate_split_wide(&mut self) {
        for i in 1..self.shown.len() {
            let half = |packed: PackedCell| packed.glyph == Glyph::RIGHT_HALF;
            if !half(self.shown[i]) && !half(self.target[i]) {
                continue;
            }
            if self.shown[i] != self.target[i] || self.shown[i - 1] != self.target[i - 1] {
                self.shown[i - 1] = PackedCell::UNKNOWN;
                self.shown[i] = PackedCell::UNKNOWN;
            }
        }
    }
}
