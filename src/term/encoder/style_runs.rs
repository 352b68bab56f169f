//! Orders the changed cells of a frame by style, so that each style is written once: a style takes some 20 bytes and a cursor
//! move 3 to 8.
//!
//! Styles are chained: the next one shares a colour, and of those it has the fewest possible successors (Warnsdorff's rule).
//! Within a style the next run is the nearest of those ahead by the bytes of the move.

use crate::term::encoder::packed_cell::{CellStyle, Glyph, PackedCell, sort_key};
use crate::term::encoder::sequence_writer::{Cursor, SequenceWriter};
use ratatui::layout::Position;
use std::ops::Range;

const MAX_PRINTED_GAP: u16 = 5;

/// More groups than this are not chained, which takes quadratic time.
const MAX_CHAINED: usize = 400;

const LOOKAHEAD: usize = 12;

/// Bit at which the row begins in the key that cells are sorted by.
const ROW_BITS: u32 = 96;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawOrder {
    /// By style, over the whole screen.
    Styles,
    /// By row from the top, and within a row by style.
    Rows,
}

#[derive(Debug, Default)]
pub struct StyleRuns {
    pub width: usize,
    pub tabs: bool,
    /// Row (where rows come first), style key and index of each changed cell.
    styles: Vec<u128>,
    /// Group, from 1, and index of each changed cell.
    pub order: Vec<(u32, u32)>,
    /// Group of every cell of the screen; 0 where nothing changes.
    group_of: Vec<u32>,
    nodes: Vec<ChainNode>,
    /// Range of each run of a group, in indices of changed cells.
    runs: Vec<(u32, u32)>,
    reordered: Vec<(u32, u32)>,
}

#[derive(Clone, Copy, Debug)]
struct ChainNode {
    style: CellStyle,
    /// It sets a background only.
    flat: bool,
    /// From 1; 0 while undecided.
    position: u32,
    /// Undecided groups that share a colour with it.
    open_neighbors: u32,
}

impl ChainNode {
    fn shares_color(&self, style: CellStyle) -> bool {
        self.style.fg == style.fg || self.style.bg == style.bg
    }
}

impl StyleRuns {
    /// Orders the cells in which `shown` and `next` differ. Rows or styles from `first` on come before the others.
    pub fn arrange(&mut self, shown: &[PackedCell], next: &[PackedCell], first: u64, order: DrawOrder, quick: bool) {
        let width = self.width.max(1);
        let row = |cell: u32| cell as usize / width;
        self.styles.clear();
        for (cell, (here, packed)) in shown.iter().zip(next).enumerate() {
            if here != packed && packed.glyph != Glyph::RIGHT_HALF {
                let row = if order == DrawOrder::Rows { row(cell as u32) } else { 0 };
                self.styles.push((row as u128) << ROW_BITS | sort_key(packed.style.key(), cell as u32));
            }
        }
        self.styles.sort_unstable();
        let bits = if order == DrawOrder::Styles { 32 } else { ROW_BITS };
        let start = self.styles.partition_point(|&key| ((key >> bits) as u64) < first);
        self.styles.rotate_left(start);
        self.assign_groups(next, |a, b| order == DrawOrder::Styles || row(a) == row(b));
        for group in self.order.chunk_by_mut(|a, b| a.0 == b.0).filter(|group| !group.is_sorted()) {
            group.sort_unstable();
        }
        // The cells that the byte limit cut off come first in the next frame, so that every cell is drawn in the end.
        match order {
            _ if quick => {}
            DrawOrder::Styles if first > 0 => {}
            DrawOrder::Styles => self.chain(0..self.order.len(), None, next),
            DrawOrder::Rows => self.chain_rows(next),
        }
        if !quick {
            self.order_by_distance();
        }
        self.group_of.clear();
        self.group_of.resize(next.len(), 0);
        for &(group, cell) in &self.order {
            self.group_of[cell as usize] = group;
        }
    }

    /// A new group begins with each style, and between two cells that do not go `together`. Cells that show only their background
    /// sort first among the cells of that background, and the next group joins them.
    fn assign_groups(&mut self, next: &[PackedCell], together: impl Fn(u32, u32) -> bool) {
        self.order.clear();
        let mut group = 0;
        let mut last: Option<(u64, u32, PackedCell)> = None;
        for &entry in &self.styles {
            let (key, cell) = ((entry >> 32) as u64, entry as u32);
            let packed = next[cell as usize];
            let goes_along = last.is_some_and(|(style, last, before)| {
                together(last, cell)
                    && (style == key
                        || before.shows_only_background()
                            && packed.style.bg == before.style.bg
                            && !packed.style.shows_on_spaces())
            });
            group += u32::from(!goes_along);
            last = Some((key, cell, packed));
            self.order.push((group, cell));
        }
    }

    /// Chains the groups of each row, beginning with the style that the row before ends with.
    fn chain_rows(&mut self, next: &[PackedCell]) {
        let (width, mut start, mut last) = (self.width, 0, None);
        while start < self.order.len() {
            let row = |cell: &(u32, u32)| cell.1 as usize / width;
            let count = self.order[start..].iter().take_while(|cell| row(cell) == row(&self.order[start])).count();
            self.chain(start..start + count, last, next);
            start += count;
            let group = self.order[..start].chunk_by(|a, b| a.0 == b.0).next_back();
            last = group.and_then(|group| leading(group, next)).map(|packed| packed.style);
        }
    }

    /// Puts groups that share a colour next to each other; `last` is the style before them.
    fn chain(&mut self, cells: Range<usize>, mut last: Option<CellStyle>, next: &[PackedCell]) {
        self.nodes.clear();
        let before = self.order.get(cells.start).map_or(0, |cell| cell.0 - 1);
        for group in self.order[cells.clone()].chunk_by(|a, b| a.0 == b.0) {
            let Some(PackedCell { style, .. }) = leading(group, next) else { continue };
            let flat = group.iter().all(|cell| next[cell.1 as usize].shows_only_background());
            self.nodes.push(ChainNode { style, flat, position: 0, open_neighbors: 0 });
        }
        if self.nodes.len() > MAX_CHAINED {
            return;
        }
        // A background alone leaves the text colour in force, so it fits anywhere.
        let mut position = 0;
        for node in self.nodes.iter_mut().filter(|node| node.flat) {
            position += 1;
            node.position = position;
        }
        for at in 0..self.nodes.len() {
            let style = self.nodes[at].style;
            self.nodes[at].open_neighbors =
                self.nodes.iter().filter(|node| node.position == 0 && node.shares_color(style)).count() as u32;
        }
        let key = |node: &ChainNode, last: Option<CellStyle>| {
            (!last.is_some_and(|style| node.shares_color(style)), node.open_neighbors)
        };
        while let Some(node) =
            self.nodes.iter_mut().filter(|node| node.position == 0).min_by_key(|node| key(node, last))
        {
            position += 1;
            node.position = position;
            let style = node.style;
            last = Some(style);
            self.nodes.iter_mut().filter(|node| node.shares_color(style)).for_each(|node| node.open_neighbors -= 1);
        }
        let order = &mut self.order[cells];
        for (group, node) in order.chunk_by_mut(|a, b| a.0 == b.0).zip(&self.nodes) {
            group.iter_mut().for_each(|cell| cell.0 = before + node.position);
        }
        order.sort_unstable();
    }

    fn order_by_distance(&mut self) {
        let (width, tabs) = (self.width, self.tabs);
        let place = |cell: u32| Position::new((cell as usize % width) as u16, (cell as usize / width) as u16);
        let mut cursor = None;
        self.reordered.clear();
        self.reordered.reserve(self.order.capacity());
        self.runs.reserve(self.order.capacity().saturating_sub(self.runs.len()));
        for cells in self.order.chunk_by(|a, b| a.0 == b.0) {
            self.runs.clear();
            let mut first = 0;
            for run in cells.chunk_by(|a, b| a.1 + 1 == b.1 && !(b.1 as usize).is_multiple_of(width)) {
                self.runs.push((first, first + run.len() as u32));
                first += run.len() as u32;
            }
            for next in 0..self.runs.len() {
                let ahead = self.runs[next..].iter().take(LOOKAHEAD);
                let length = |run: &(u32, u32)| {
                    SequenceWriter::move_length(cursor, place(cells[run.0 as usize].1), width as u16, tabs)
                };
                let nearest = ahead.map(length).enumerate().min_by_key(|&(_, length)| length);
                let nearest = nearest.map_or(0, |(nearest, _)| nearest);
                self.runs[next..=next + nearest].rotate_right(1);
                let run = &cells[self.runs[next].0 as usize..self.runs[next].1 as usize];
                self.reordered.extend_from_slice(run);
                let Position { x, y } = run.last().map_or(Position::ORIGIN, |last| place(last.1));
                cursor = Some(Cursor { column: Some(x + 1).filter(|&x| usize::from(x) < width), row: y });
            }
        }
        std::mem::swap(&mut self.order, &mut self.reordered);
    }

    /// The cell that gives the style of the group that begins at `at`; `None` if none begins there.
    pub fn leading_cell(&self, at: usize, next: &[PackedCell]) -> Option<PackedCell> {
        if at > 0 && self.order[at - 1].0 == self.order[at].0 {
            return None;
        }
        let group = self.order[at..].chunk_by(|a, b| a.0 == b.0).next()?;
        leading(group, next)
    }

    /// Adjacent equal cells from number `at` on, in one row.
    pub fn equal_cells(&self, at: usize, next: &[PackedCell]) -> usize {
        let (group, first) = self.order[at];
        let room = self.width - first as usize % self.width;
        let same = |(number, cell): (usize, &(u32, u32))| {
            *cell == (group, first + number as u32) && next[cell.1 as usize] == next[first as usize]
        };
        self.order[at..].iter().enumerate().take(room).take_while(|cell| same(*cell)).count()
    }

    /// Whether the `gap` cells before `cell` may be printed over with `blank`: they are drawn later, or equal it.
    pub fn may_print_over(&self, gap: u16, cell: usize, blank: PackedCell, next: &[PackedCell]) -> bool {
        let later = |gap: usize| self.group_of[gap] > self.group_of[cell] || next[gap] == blank;
        gap <= MAX_PRINTED_GAP && (cell - usize::from(gap)..cell).all(later)
    }
}

/// The first cell of a group that shows more than its background; if there is none, the last cell.
fn leading(group: &[(u32, u32)], next: &[PackedCell]) -> Option<PackedCell> {
    let packed = group.iter().map(|cell| next[cell.1 as usize]);
    packed.reduce(|lead, packed| if lead.shows_only_background() { packed } else { lead })
}
