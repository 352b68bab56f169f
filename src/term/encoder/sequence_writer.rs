//! Writes sequences, and keeps the style and the cursor that they leave. Each cursor move is the shortest of those that all
//! terminals understand: CUP, CUU to CUB, CHA, CR, BS, LF, RI, and HT where tab stops are known.

use crate::term::encoder::packed_cell::{CellStyle, Glyph, PackedCell};
use crate::term::encoder::sgr::{push_number, push_params};
use ratatui::layout::Position;

/// The column is unknown after the last cell of a row.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cursor {
    pub column: Option<u16>,
    pub row: u16,
}

/// Columns between tab stops, and the column beyond which none is relied on: the Linux console has them in 256 columns.
const TAB: u16 = 8;
const MAX_TAB_COLUMN: u16 = 256;

const MAX_LINE_FEEDS: u16 = 3;

/// The farthest move to the left by BS.
const MOST_BACKWARD: i16 = -3;

#[derive(Debug, Default)]
pub struct SequenceWriter {
    pub bytes: Vec<u8>,
    pub width: u16,
    pub tabs: bool,
    style: CellStyle,
    cursor: Cursor,
}

impl SequenceWriter {
    /// Must come first: before it, style and cursor are unknown.
    pub fn clear(&mut self) {
        self.bytes.extend_from_slice(b"\x1b[m\x1b[H\x1b[2J");
        self.style = CellStyle::PLAIN;
        self.cursor = Cursor { column: Some(0), row: 0 };
    }

    /// The cell that a space would show now; `None` if the style in force is visible on spaces.
    pub fn background(&self) -> Option<PackedCell> {
        (!self.style.shows_on_spaces()).then(|| PackedCell::flat(self.style.bg))
    }

    pub fn set_style(&mut self, packed: PackedCell) {
        if packed.looks_right_with(self.style) {
            return;
        }
        let keeps_text = packed.shows_only_background() && !self.style.shows_on_spaces();
        let style = if keeps_text { CellStyle { bg: packed.style.bg, ..self.style } } else { packed.style };
        self.bytes.extend_from_slice(b"\x1b[");
        push_params(&mut self.bytes, Some(self.style), style);
        self.bytes.push(b'm');
        self.style = style;
    }

    /// `text` is that of a glyph that is no character.
    pub fn print(&mut self, glyph: Glyph, text: &str) {
        match glyph.char() {
            // Appends four bytes and drops the surplus: copying a variable number would be a call.
            Some(c) => {
                let (mut utf8, end) = ([0; 4], self.bytes.len() + c.len_utf8());
                c.encode_utf8(&mut utf8);
                self.bytes.extend_from_slice(&utf8);
                self.bytes.truncate(end);
            }
            None => self.bytes.extend_from_slice(text.as_bytes()),
        }
        match glyph.has_known_width() {
            true => self.advance(1),
            false => self.cursor.column = None,
        }
    }

    pub fn repeat(&mut self, count: u16) {
        self.csi(count, b'b');
        self.advance(count);
    }

    /// ECH, with the default background only, because some terminals erase to that in any case. The cursor stays.
    pub fn erase(&mut self, count: u16) {
        self.set_style(PackedCell::BLANK);
        self.csi(count, b'X');
    }

    /// Terminals differ in where the cursor is after the last column, so it is unknown there.
    fn advance(&mut self, count: u16) {
        self.cursor.column = self.cursor.column.map(|x| x + count).filter(|&x| x < self.width);
    }

    /// Cells between the cursor and a place further right in the same row.
    pub fn gap_to(&self, x: u16, y: u16) -> Option<u16> {
        self.cursor.column.filter(|&from| self.cursor.row == y && from < x).map(|from| x - from)
    }

    /// Bytes of the shortest move; `from` is `None` while the cursor is unknown.
    pub fn move_length(from: Option<Cursor>, to: Position, width: u16, tabs: bool) -> usize {
        let Position { x, y } = to;
        let Some(cursor) = from else { return absolute_length(x, y) };
        let in_row = Self { cursor, width, tabs, ..Self::default() }.shortest_in_row(x);
        // By rows first, then within the row.
        absolute_length(x, y).min(rows_length(cursor.row, y) + in_row.map_or(0, |(_, length)| length))
    }

    pub fn move_to(&mut self, x: u16, y: u16) {
        let (row, in_row) = (self.cursor.row, self.shortest_in_row(x));
        if rows_length(row, y) + in_row.map_or(0, |(_, length)| length) <= absolute_length(x, y) {
            self.move_rows(row, y);
            self.move_in_row(x, in_row);
        } else {
            self.move_absolute(x, y);
        }
        self.cursor = Cursor { column: Some(x), row: y };
    }

    /// With LF, RI, CUD or CUU. The row is on the screen, so nothing scrolls.
    fn move_rows(&mut self, from: u16, y: u16) {
        match y.abs_diff(from) {
            rows @ 0..=MAX_LINE_FEEDS if y >= from => self.bytes.extend(std::iter::repeat_n(b'\n', rows.into())),
            1 => self.bytes.extend_from_slice(b"\x1bM"),
            rows => self.csi(rows, if y > from { b'B' } else { b'A' }),
        }
    }

    /// The shortest move and its bytes; `None` if the cursor is there already.
    fn shortest_in_row(&self, x: u16) -> Option<(CursorMove, usize)> {
        let column = self.cursor.column;
        if column == Some(x) {
            return None;
        }
        let mut best = match x {
            0 => (CursorMove::Steps(Steps { returns: true, ..Steps::default() }), 1),
            _ => (CursorMove::Column, 2 + count_length(x + 1)),
        };
        let mut offer = |steps: Steps| {
            if steps.length() <= best.1 {
                best = (CursorMove::Steps(steps), steps.length());
            }
        };
        if self.tabs && x > 0 {
            offer(Steps { returns: true, ..Steps::by_tabs(0, x, self.width) });
            column.filter(|&from| from < x).into_iter().for_each(|from| offer(Steps::by_tabs(from, x, self.width)));
        }
        if let Some(from) = column {
            offer(Steps { rest: x as i16 - from as i16, ..Steps::default() });
        }
        Some(best)
    }

    fn move_in_row(&mut self, x: u16, shortest: Option<(CursorMove, usize)>) {
        match shortest {
            None => {}
            Some((CursorMove::Column, _)) => self.csi(x + 1, b'G'),
            Some((CursorMove::Steps(Steps { returns, tabs, rest }), _)) => {
                self.bytes.extend(returns.then_some(b'\r'));
                self.bytes.extend(std::iter::repeat_n(b'\t', tabs.into()));
                match rest {
                    0 => {}
                    1.. => self.csi(rest.unsigned_abs(), b'C'),
                    MOST_BACKWARD..0 => self.bytes.extend(std::iter::repeat_n(8, rest.unsigned_abs().into())),
                    _ => self.csi(rest.unsigned_abs(), b'D'),
                }
            }
        }
    }

    fn move_absolute(&mut self, x: u16, y: u16) {
        self.bytes.extend_from_slice(b"\x1b[");
        if y > 0 {
            push_number(&mut self.bytes, y + 1);
        }
        if x > 0 {
            self.bytes.push(b';');
            push_number(&mut self.bytes, x + 1);
        }
        self.bytes.push(b'H');
    }

    fn csi(&mut self, n: u16, last: u8) {
        self.bytes.extend_from_slice(b"\x1b[");
        if n != 1 {
            push_number(&mut self.bytes, n);
        }
        self.bytes.push(last);
    }
}

#[derive(Clone, Copy)]
enum CursorMove {
    Column,
    Steps(Steps),
}

#[derive(Clone, Copy, Default)]
struct Steps {
    returns: bool,
    tabs: u16,
    /// Columns from there to the right, by CUF, or to the left, by BS or CUB.
    rest: i16,
}

impl Steps {
    /// To a column further right. The last column is not relied on as a tab stop.
    fn by_tabs(from: u16, to: u16, width: u16) -> Self {
        let steps = |tabs: u16| {
            let stop = if tabs == 0 { from } else { (from / TAB + tabs) * TAB };
            Self { returns: false, tabs, rest: to as i16 - stop as i16 }
        };
        let stop = to.min(MAX_TAB_COLUMN) / TAB;
        let (under, over) = (steps(stop.saturating_sub(from / TAB)), steps(stop.saturating_sub(from / TAB) + 1));
        let beyond = over.rest < MOST_BACKWARD || (to / TAB + 1) * TAB >= width.saturating_sub(1).min(MAX_TAB_COLUMN);
        if beyond || under.length() <= over.length() { under } else { over }
    }

    fn length(self) -> usize {
        let rest = match self.rest {
            0 => 0,
            MOST_BACKWARD..0 => self.rest.unsigned_abs().into(),
            _ => 2 + count_length(self.rest.unsigned_abs()),
        };
        usize::from(self.returns) + usize::from(self.tabs) + rest
    }
}

fn rows_length(from: u16, to: u16) -> usize {
    match to.abs_diff(from) {
        rows @ 0..=MAX_LINE_FEEDS if to >= from => rows.into(),
        1 => 2,
        rows => 2 + count_length(rows),
    }
}

/// A count of one is omitted.
fn count_length(n: u16) -> usize {
    if n == 1 { 1 } else { 1 + digits(n) }
}

fn absolute_length(x: u16, y: u16) -> usize {
    3 + if y > 0 { digits(y + 1) } else { 0 } + if x > 0 { 1 + digits(x + 1) } else { 0 }
}

pub fn digits(n: u16) -> usize {
    n.checked_ilog10().map_or(1, |log| log as usize + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order of drawing is chosen by [`SequenceWriter::move_length`], so a move must cost what that says.
    #[test]
    fn a_move_takes_the_bytes_that_are_expected_of_it() {
        let places = [(0, 0), (15, 0), (40, 3), (0, 5), (79, 23), (9, 9), (10, 10), (41, 3)];
        for (x, y) in places {
            for (to_x, to_y) in places.into_iter().filter(|&to| to != (x, y)) {
                let cursor = Cursor { column: Some(x), row: y };
                let mut writer = SequenceWriter { width: 80, cursor, ..SequenceWriter::default() };
                writer.move_to(to_x, to_y);
                let expected = SequenceWriter::move_length(Some(cursor), Position { x: to_x, y: to_y }, 80, false);
                assert_eq!(writer.bytes.len(), expected, "from {x}, {y} to {to_x}, {to_y}: {:?}", writer.bytes);
            }
        }
    }
}
