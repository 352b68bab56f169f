//! Writes the changed cells, one style group after the other, or row by row.

use crate::term::encoder::FrameEncoder;
use crate::term::encoder::packed_cell::{Glyph, PackedCell};
use crate::term::encoder::sequence_writer::digits;
use crate::term::encoder::style_runs::DrawOrder;

impl FrameEncoder {
    /// Draws the next cells group by group. After `most` bytes no cell is begun: the next frame resumes with its style or row. A
    /// cleared screen is always drawn style by style, which takes up to two thirds less.
    pub(super) fn draw(&mut self, most: usize, quick: bool, cleared: bool) {
        (self.writer.tabs, self.style_runs.tabs) = (self.output_caps.tabs, self.output_caps.tabs);
        let order = if self.output_caps.row_order && !cleared { DrawOrder::Rows } else { DrawOrder::Styles };
        let first = std::mem::take(&mut self.resume);
        self.style_runs.arrange(&self.shown, &self.next, first, order, quick);
        let mut at = 0;
        while at < self.style_runs.order.len() {
            let cell = self.style_runs.order[at].1 as usize;
            if self.writer.bytes.len() >= most {
                self.resume = match order {
                    DrawOrder::Styles if self.output_caps.row_order => 0,
                    DrawOrder::Styles => self.next[cell].style.key(),
                    DrawOrder::Rows => (cell / usize::from(self.width)) as u64,
                };
                return;
            }
            if let Some(leading_cell) = self.style_runs.leading_cell(at, &self.next) {
                self.writer.set_style(leading_cell);
            }
            self.move_to(cell);
            let drawn = self.draw_run(at, cell);
            self.mark_shown(cell, drawn);
            at += drawn;
        }
    }

    fn move_to(&mut self, cell: usize) {
        let (x, y) = ((cell % usize::from(self.width)) as u16, (cell / usize::from(self.width)) as u16);
        if let (Some(gap), Some(blank)) = (self.writer.gap_to(x, y), self.writer.background())
            && self.style_runs.may_print_over(gap, cell, blank, &self.next)
        {
            for cell in cell - usize::from(gap)..cell {
                self.writer.print(blank.glyph, "");
                self.shown[cell] = blank;
            }
        } else {
            self.writer.move_to(x, y);
        }
    }

    /// Sends the cell number `at`, and the equal cells after it if ECH or REP is shorter. Returns the number of cells sent.
    fn draw_run(&mut self, at: usize, cell: usize) -> usize {
        let packed = self.next[cell];
        let erase = packed == PackedCell::BLANK && self.output_caps.erase;
        let repeat = self.output_caps.repeat && packed.glyph.has_known_width();
        let same = if erase || repeat { self.style_runs.equal_cells(at, &self.next) } else { 1 };
        if erase && same > 3 + digits(same as u16) {
            self.writer.erase(same as u16);
            return same;
        }
        self.writer.set_style(packed);
        let grapheme = packed.glyph.grapheme_index().and_then(|index| self.graphemes.get(index));
        self.writer.print(packed.glyph, grapheme.map_or(" ", |text| text));
        let each = packed.glyph.char().map_or(1, char::len_utf8);
        if repeat && (same - 1) * each > 2 + digits(same as u16 - 1) {
            self.writer.repeat(same as u16 - 1);
            return same;
        }
        1
    }

    /// A wide cell includes its right half.
    fn mark_shown(&mut self, cell: usize, count: usize) {
        let half = self.next.get(cell + count).is_some_and(|packed| packed.glyph == Glyph::RIGHT_HALF);
        let cells = cell..cell + count + usize::from(half);
        self.shown[cells.clone()].copy_from_slice(&self.next[cells]);
        self.cells += count;
    }
}
