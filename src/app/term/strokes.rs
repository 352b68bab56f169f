//! Strokes: the cells of a frame by the pen that draws them.
//!
//! To say a pen takes some 20 bytes, to move the cursor 3 to 8, and water has the same colours in many places: so cells
//! are not sent row by row but pen by pen, each pen said once, and its cells from the top left to the bottom right. The
//! frame shows as a whole at its end, so nobody sees the order. Short gaps within a stroke are printed over where a
//! later stroke draws there anyway, which is shorter than to jump them. (Row by row a splash at 120×40 takes 30.1 KB
//! a frame, exactly drawn, so 27.0; with the colours that the module `thrift` shares out, 8.0 and 5.4.)

use super::tile::{Glyph, Tile};

/// A longer gap is jumped.
const GAP: u16 = 5;

/// The strokes of a frame, in order.
#[derive(Debug, Default)]
pub struct Strokes {
    /// The pen of each cell to be drawn, and the cell.
    pens: Vec<(u64, u32)>,
    /// The stroke of each cell to be drawn, from 1, and the cell.
    order: Vec<(u32, u32)>,
    /// The stroke of every cell of the screen; 0 where nothing is to be drawn.
    rank: Vec<u32>,
}

impl Strokes {
    /// Puts the cells in which `shown` and `next` differ in order, the pens from `first` on before all others.
    pub fn arrange(&mut self, shown: &[Tile], next: &[Tile], first: u64) {
        self.pens.clear();
        for (cell, (here, tile)) in shown.iter().zip(next).enumerate() {
            if here != tile && tile.glyph != Glyph::RIGHT_HALF {
                self.pens.push((tile.pen.key(), cell as u32));
            }
        }
        self.pens.sort_unstable();
        let start = self.pens.partition_point(|pen| pen.0 < first);
        self.pens.rotate_left(start);
        self.number(next);
        // Within a stroke by place.
        self.order.sort_unstable();
        self.rank.clear();
        self.rank.resize(next.len(), 0);
        for &(stroke, cell) in &self.order {
            self.rank[cell as usize] = stroke;
        }
    }

    /// A new stroke for every pen; but cells that show only their background, which come first among those of a
    /// background, go with the next.
    fn number(&mut self, next: &[Tile]) {
        self.order.clear();
        let mut stroke = 0;
        let mut last: Option<(u64, Tile)> = None;
        for &(key, cell) in &self.pens {
            let tile = next[cell as usize];
            let goes_along = last.is_some_and(|(pen, before)| {
                pen == key
                    || before.shows_only_background() && tile.pen.bg == before.pen.bg && !tile.pen.shows_on_spaces()
            });
            stroke += u32::from(!goes_along);
            last = Some((key, tile));
            self.order.push((stroke, cell));
        }
    }

    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// The cell that is drawn as number `at`.
    pub fn cell(&self, at: usize) -> usize {
        self.order[at].1 as usize
    }

    /// The cell that says which pen to take for the stroke that begins at `at`; `None` if none does.
    pub fn lead(&self, at: usize, next: &[Tile]) -> Option<Tile> {
        if at > 0 && self.order[at - 1].0 == self.order[at].0 {
            return None;
        }
        let stroke = self.order[at..].iter().take_while(|cell| cell.0 == self.order[at].0);
        let tiles = stroke.map(|cell| next[cell.1 as usize]);
        tiles.reduce(|lead, tile| if lead.shows_only_background() { tile } else { lead })
    }

    /// How many cells from number `at` on are one beside the other in one row, of `width`, and look the same.
    pub fn alike(&self, at: usize, next: &[Tile], width: usize) -> usize {
        let (stroke, first) = self.order[at];
        let room = width - first as usize % width;
        let same = |(number, cell): (usize, &(u32, u32))| {
            *cell == (stroke, first + number as u32) && next[cell.1 as usize] == next[first as usize]
        };
        self.order[at..].iter().enumerate().take(room).take_while(|cell| same(*cell)).count()
    }

    /// Whether the `gap` cells before `cell` may be printed over with `blank` in its stroke: they are drawn later, or
    /// look like that.
    pub fn may_print_over(&self, gap: u16, cell: usize, blank: Tile, next: &[Tile]) -> bool {
        let later = |gap: usize| self.rank[gap] > self.rank[cell] || next[gap] == blank;
        gap <= GAP && (cell - usize::from(gap)..cell).all(later)
    }
}
