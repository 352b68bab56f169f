//! What is said to the terminal: bytes, and where they leave its pen and its cursor.
//!
//! Only what differs from the pen in force is said, and every way of the cursor is the shortest of those that all
//! terminals know.

use crate::term::encoder::packed_cell::{CellStyle, Glyph, PackedCell};
use crate::term::encoder::sgr::Sgr;

/// The bytes of a frame, and the state that the terminal is in after them.
#[derive(Debug, Default)]
pub struct SequenceWriter {
    pub bytes: Vec<u8>,
    /// Columns of the screen.
    pub width: u16,
    /// `None`: not known, say it all.
    pen: Option<CellStyle>,
    /// Column and row of the cursor, each `None` where not known.
    x: Option<u16>,
    y: Option<u16>,
}

impl SequenceWriter {
    /// Blanks the screen, from any state.
    pub fn clear(&mut self) {
        self.bytes.extend_from_slice(b"\x1b[m\x1b[H\x1b[2J");
        self.pen = Some(CellStyle::PLAIN);
        (self.x, self.y) = (Some(0), Some(0));
    }

    /// The background that a space would have now.
    pub fn background(&self) -> Option<PackedCell> {
        self.pen.filter(|pen| !pen.shows_on_spaces()).map(|pen| PackedCell::flat(pen.bg))
    }

    /// Makes the pen draw `tile` right, in the fewest bytes; for a space only the background counts.
    pub fn set_pen(&mut self, tile: PackedCell) {
        let pen = match self.pen {
            Some(pen) if tile.suits(pen) => return,
            Some(pen) if tile.shows_only_background() && !pen.shows_on_spaces() => CellStyle { bg: tile.pen.bg, ..pen },
            _ => tile.pen,
        };
        self.bytes.extend_from_slice(b"\x1b[");
        self.bytes.extend_from_slice(Sgr::shortest(self.pen, pen).params());
        self.bytes.push(b'm');
        self.pen = Some(pen);
    }

    /// Prints `glyph`, whose text is `text` unless it is a character.
    pub fn print(&mut self, glyph: Glyph, text: &str) {
        let mut utf8 = [0; 4];
        let text = glyph.char().map_or(text, |c| c.encode_utf8(&mut utf8));
        self.bytes.extend_from_slice(text.as_bytes());
        match glyph.is_sure() {
            true => self.advance(1),
            false => self.x = None,
        }
    }

    /// REP: the last character `count` times more.
    pub fn repeat(&mut self, count: u16) {
        self.csi(count, b'b');
        self.advance(count);
    }

    /// ECH: blanks `count` cells and leaves the cursor where it is. With the default background only, since not all
    /// terminals erase to another.
    pub fn erase(&mut self, count: u16) {
        self.set_pen(PackedCell::BLANK);
        self.csi(count, b'X');
    }

    /// At the right edge terminals differ in where the cursor is, so there it is not known.
    fn advance(&mut self, count: u16) {
        self.x = self.x.map(|x| x + count).filter(|&x| x < self.width);
    }

    /// How many cells further the cursor would have to be, if that is all.
    pub fn cells_before(&self, x: u16, y: u16) -> Option<u16> {
        self.x.filter(|&from| self.y == Some(y) && from < x).map(|from| x - from)
    }

    /// Bytes of the shortest move from `from` to a place, by column and row. The column is not known after the last cell
    /// of a row, and nothing may be.
    pub fn length(from: Option<(Option<u16>, u16)>, (x, y): (u16, u16)) -> usize {
        let placed = 3 + if y > 0 { digits(y + 1) } else { 0 } + if x > 0 { 1 + digits(x + 1) } else { 0 };
        let Some((column, row)) = from else { return placed };
        placed.min(Self { x: column, ..Self::default() }.by_steps(row, x, y))
    }

    /// Moves the cursor.
    pub fn go(&mut self, x: u16, y: u16) {
        match self.y {
            Some(from) if 3 + digits(x + 1) + digits(y + 1) >= self.by_steps(from, x, y) => {
                self.step_down(from, y);
                self.step_along(x);
            }
            _ => self.place(x, y),
        }
        (self.x, self.y) = (Some(x), Some(y));
    }

    /// Bytes of a move first along the column, then along the row.
    fn by_steps(&self, from: u16, x: u16, y: u16) -> usize {
        let down = match y.abs_diff(from) {
            0 => 0,
            1 if y > from => 1,
            rows => 2 + count(rows),
        };
        down + self.along(x).map_or(0, |(_, length)| length)
    }

    /// LF, or CUD and CUU.
    fn step_down(&mut self, from: u16, y: u16) {
        match y.abs_diff(from) {
            0 => {}
            1 if y > from => self.bytes.push(b'\n'),
            rows => self.csi(rows, if y > from { b'B' } else { b'A' }),
        }
    }

    /// The shortest move within the row, and its length.
    fn along(&self, x: u16) -> Option<(CursorMove, usize)> {
        let absolute = (CursorMove::Column, 2 + count(x + 1));
        let from = match self.x {
            _ if x == 0 && self.x != Some(0) => return Some((CursorMove::Return, 1)),
            None => return Some(absolute),
            Some(from) => from,
        };
        let steps = from.abs_diff(x);
        let relative = match from > x {
            true if steps <= 3 => (CursorMove::Backspaces, usize::from(steps)),
            true => (CursorMove::Left, 2 + count(steps)),
            false => (CursorMove::Right, 2 + count(steps)),
        };
        (steps > 0).then_some(if relative.1 <= absolute.1 { relative } else { absolute })
    }

    fn step_along(&mut self, x: u16) {
        let steps = self.x.map_or(0, |from| from.abs_diff(x));
        match self.along(x) {
            None => {}
            Some((CursorMove::Return, _)) => self.bytes.push(b'\r'),
            Some((CursorMove::Backspaces, _)) => self.bytes.extend(std::iter::repeat_n(8, steps.into())),
            Some((CursorMove::Left, _)) => self.csi(steps, b'D'),
            Some((CursorMove::Right, _)) => self.csi(steps, b'C'),
            Some((CursorMove::Column, _)) => self.csi(x + 1, b'G'),
        }
    }

    /// CUP, without the parts that are one.
    fn place(&mut self, x: u16, y: u16) {
        self.bytes.extend_from_slice(b"\x1b[");
        if y > 0 {
            number(&mut self.bytes, y + 1);
        }
        if x > 0 {
            self.bytes.push(b';');
            number(&mut self.bytes, x + 1);
        }
        self.bytes.push(b'H');
    }

    fn csi(&mut self, n: u16, last: u8) {
        self.bytes.extend_from_slice(b"\x1b[");
        if n != 1 {
            number(&mut self.bytes, n);
        }
        self.bytes.push(last);
    }
}

/// Ways within a row.
#[derive(Clone, Copy)]
enum CursorMove {
    Return,
    Backspaces,
    /// CUB, CUF and CHA.
    Left,
    Right,
    Column,
}

/// Bytes of a count and the letter after it; one is left out.
fn count(n: u16) -> usize {
    if n == 1 { 1 } else { 1 + digits(n) }
}

pub fn digits(n: u16) -> usize {
    match n {
        0..10 => 1,
        10..100 => 2,
        100..1000 => 3,
        1000..10000 => 4,
        _ => 5,
    }
}

fn number(bytes: &mut Vec<u8>, n: u16) {
    let mut text = [b'0'; 5];
    let mut rest = n;
    for digit in text.iter_mut().rev() {
        *digit += (rest % 10) as u8;
        rest /= 10;
    }
    bytes.extend_from_slice(&text[5 - digits(n)..]);
}
