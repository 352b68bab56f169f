//! What is sent: the cells that change, stroke by stroke.

use crate::term::encoder::FrameEncoder;
use crate::term::encoder::packed_cell::{Glyph, PackedCell};
use crate::term::encoder::sequence_writer::digits;

impl FrameEncoder {
    /// Draws what is next, stroke by stroke. Once `most` bytes are there nothing more is begun: the rest stays as it
    /// is, and the next frame begins with its pen.
    pub(super) fn draw(&mut self, most: usize, quick: bool) {
        self.strokes.arrange(&self.shown, &self.next, std::mem::take(&mut self.first), self.width.into(), quick);
        let mut at = 0;
        while at < self.strokes.len() {
            let cell = self.strokes.cell(at);
            if self.wire.bytes.len() >= most {
                self.first = self.next[cell].pen.key();
                return;
            }
            if let Some(lead) = self.strokes.lead(at, &self.next) {
                self.wire.set_pen(lead);
            }
            self.go(cell);
            let drawn = self.run(at, cell);
            self.show(cell, drawn);
            at += drawn;
        }
    }

    /// Moves the cursor there, or prints over the little that is between.
    fn go(&mut self, cell: usize) {
        let (x, y) = ((cell % usize::from(self.width)) as u16, (cell / usize::from(self.width)) as u16);
        if let (Some(gap), Some(blank)) = (self.wire.cells_before(x, y), self.wire.background())
            && self.strokes.may_print_over(gap, cell, blank, &self.next)
        {
            for cell in cell - usize::from(gap)..cell {
                self.wire.print(blank.glyph, "");
                self.shown[cell] = blank;
            }
        } else {
            self.wire.go(x, y);
        }
    }

    /// Sends the cell that is drawn as number `at`, and those after it that are the same if that is shorter than one
    /// by one; returns how many.
    fn run(&mut self, at: usize, cell: usize) -> usize {
        let tile = self.next[cell];
        let erase = tile == PackedCell::BLANK && self.dialect.erase;
        let repeat = self.dialect.repeat && tile.glyph.is_sure();
        let same = match erase || repeat {
            true => self.strokes.alike(at, &self.next, self.width.into()),
            false => 1,
        };
        if erase && same > 3 + digits(same as u16) {
            self.wire.erase(same as u16);
            return same;
        }
        self.wire.set_pen(tile);
        let cluster = tile.glyph.cluster_index().and_then(|index| self.clusters.get(index));
        self.wire.print(tile.glyph, cluster.map_or(" ", |text| text));
        let each = tile.glyph.char().map_or(1, char::len_utf8);
        if repeat && (same - 1) * each > 2 + digits(same as u16 - 1) {
            self.wire.repeat(same as u16 - 1);
            return same;
        }
        1
    }

    /// So many cells are shown as they should be now; a wide one takes its right half with it.
    fn show(&mut self, cell: usize, count: usize) {
        let half = self.next.get(cell + count).is_some_and(|tile| tile.glyph == Glyph::RIGHT_HALF);
        let cells = cell..cell + count + usize::from(half);
        self.shown[cells.clone()].copy_from_slice(&self.next[cells]);
        self.cells += count;
    }
}
