//! The frame encoder: from a buffer of cells to the fewest bytes that turn what the terminal shows
//! into it.
//!
//! The encoder knows what the screen shows, so only cells that look different are sent; it knows the
//! pen (SGR) and the cursor, so only what differs of either is said, in the shortest form. Colours are
//! reduced to the terminal's depth first, so two that the terminal shows alike are alike here too.
//! A frame is wrapped in a synchronized update (DECSET 2026) and shows at once or not at all.
//!
//! It writes to memory only: the same bytes go to the terminal, to a recording and to the tests.

use std::ops::Range;

use ratatui_core::buffer::{Buffer, Cell, CellDiffOption, CellWidth};
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier};

use super::color::Paint;
use super::thrift::{Thrift, error};
use crate::view::ColorDepth;

const BEGIN_SYNC: &[u8] = b"\x1b[?2026h";
const END_SYNC: &[u8] = b"\x1b[?2026l";

/// What the encoder may use beyond the basics that every terminal since the VT100 knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    pub depth: ColorDepth,
    /// Wrap frames in DECSET 2026. Unknown modes are ignored, so nearly always.
    pub sync: bool,
    /// ECH, `CSI n X`: blank n cells.
    pub erase: bool,
    /// REP, `CSI n b`: repeat the last character n times.
    pub repeat: bool,
}

/// On what terms a frame is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// λ: how much error on the screen a byte must save, in squared code values over the pixels of a cell. At 0
    /// everything that can be seen is sent.
    pub lambda: u32,
    /// Nothing is begun after this many bytes; the next frame goes on from there.
    pub most: usize,
}

impl Default for Dialect {
    fn default() -> Self {
        Self { depth: ColorDepth::TrueColor, sync: true, erase: true, repeat: false }
    }
}

/// A cell as the terminal shows it. Cells that look alike are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tile {
    pub glyph: Glyph,
    pub pen: Pen,
}

const BLANK: Tile = Tile { glyph: Glyph(' ' as u32), pen: Pen::PLAIN };
/// Equal to nothing that is ever wanted: what the terminal shows there is not known.
const UNKNOWN: Tile = Tile { glyph: Glyph(u32::MAX), pen: Pen::PLAIN };

/// The attributes that can be seen on a space.
const ON_SPACES: Modifier = Modifier::REVERSED.union(Modifier::UNDERLINED).union(Modifier::CROSSED_OUT);

impl Tile {
    pub fn shows_only_background(&self) -> bool {
        self.glyph == BLANK.glyph && !self.pen.attributes.intersects(ON_SPACES)
    }

    /// Leaves only what can be seen.
    pub fn normal(mut self) -> Self {
        if self.shows_only_background() {
            self.pen = Pen { bg: self.pen.bg, ..Pen::PLAIN };
        }
        self
    }
}

/// A character, or the index of a longer cluster among [`Screen::clusters`], or the right half of a
/// wide one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Glyph(u32);

impl Glyph {
    const RIGHT_HALF: Self = Self(0x11_0000);
    const CLUSTER: u32 = 0x8000_0000;

    pub fn code(self) -> u32 {
        self.0
    }

    pub fn char(self) -> Option<char> {
        char::from_u32(self.0)
    }

    /// Every terminal agrees that the cursor moves by one: after others it is placed anew.
    /// ASCII, Latin-1, boxes and blocks, braille, and the legacy computing blocks (sextants, wedges,
    /// octants); whether a terminal knows the last at all is asked elsewhere.
    fn is_sure(self) -> bool {
        matches!(self.0, 0x20..=0x7e | 0xa1..=0xac | 0xae..=0xff | 0x2500..=0x259f | 0x2800..=0x28ff
            | 0x1_cd00..=0x1_cde5 | 0x1_fb00..=0x1_fbff)
    }
}

impl From<char> for Glyph {
    fn from(char: char) -> Self {
        Self(char.into())
    }
}

/// The graphic rendition in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pen {
    pub fg: Paint,
    pub bg: Paint,
    pub attributes: Modifier,
}

impl Pen {
    pub const PLAIN: Self = Self { fg: Paint::Default, bg: Paint::Default, attributes: Modifier::empty() };
}

/// The screen of a terminal as far as we have told it, and the encoder that tells it more.
#[derive(Debug)]
pub struct Screen {
    width: u16,
    height: u16,
    dialect: Dialect,
    shown: Vec<Tile>,
    wanted: Vec<Tile>,
    /// What the frame before wanted, whether it was shown or not.
    meant: Vec<Tile>,
    clusters: Vec<Box<str>>,
    /// Nothing is known of what the terminal shows: the next frame starts by clearing.
    lost: bool,
    /// `None`: not known, say it all.
    pen: Option<Pen>,
    /// Column and row of the cursor, each `None` where not known.
    x: Option<u16>,
    y: Option<u16>,
    cells: usize,
    bytes: Vec<u8>,
    /// The most bytes of this frame, and the row to begin the next one with if it had to stop.
    most: usize,
    first: u16,
    still: bool,
    exact: bool,
    error: u64,
}

impl Screen {
    pub fn new(dialect: Dialect) -> Self {
        Self {
            width: 0,
            height: 0,
            dialect,
            shown: Vec::new(),
            wanted: Vec::new(),
            meant: Vec::new(),
            clusters: Vec::new(),
            lost: true,
            pen: None,
            x: None,
            y: None,
            cells: 0,
            bytes: Vec::new(),
            most: usize::MAX,
            first: 0,
            still: false,
            exact: false,
            error: 0,
        }
    }

    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Changes what may be used; at another depth everything is drawn anew.
    pub fn set_dialect(&mut self, dialect: Dialect) {
        if dialect.depth != self.dialect.depth {
            self.shown.fill(UNKNOWN);
        }
        self.dialect = dialect;
    }

    /// What the terminal shows is not known any more: the next frame is a whole one.
    pub fn forget(&mut self) {
        self.lost = true;
    }

    /// How many cells the last frame changed.
    pub fn cells_changed(&self) -> usize {
        self.cells
    }

    /// The bytes of the last frame.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The last frame wanted the same as the one before.
    pub fn is_still(&self) -> bool {
        self.still
    }

    /// The last frame is shown as it is, or so that nobody could tell.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// What is wrong on the screen: squared differences of code values over 8×16 pixels a cell and three channels.
    /// Only of cells whose shape is known; others are shown as they are, or not yet.
    pub fn error(&self) -> u64 {
        self.error
    }

    /// Encodes the change from what is shown to `frame`, cell by cell the same; nothing changed is no bytes.
    pub fn encode(&mut self, frame: &Buffer) -> &[u8] {
        self.encode_within(frame, None)
    }

    /// Encodes what of the change is worth its bytes; the module `thrift` tells how.
    pub fn encode_thriftily(&mut self, frame: &Buffer, terms: Terms) -> &[u8] {
        self.encode_within(frame, Some(terms))
    }

    /// What the terminal shows, as far as we know: text, colours and attributes.
    pub fn shown(&self) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, self.width, self.height));
        for (cell, tile) in buffer.content.iter_mut().zip(&self.shown) {
            match tile.glyph.char() {
                Some(c) => cell.set_char(c),
                None => cell.set_symbol(self.text(tile.glyph).unwrap_or(" ")),
            };
            (cell.fg, cell.bg, cell.modifier) = (tile.pen.fg.into(), tile.pen.bg.into(), tile.pen.attributes);
        }
        buffer
    }

    fn encode_within(&mut self, frame: &Buffer, terms: Option<Terms>) -> &[u8] {
        self.bytes.clear();
        (self.exact, self.error) = (true, 0);
        self.cells = 0;
        if self.dialect.sync {
            self.bytes.extend_from_slice(BEGIN_SYNC);
        }
        let start = self.bytes.len();
        self.fit(frame.area.width, frame.area.height);
        if self.clusters.len() > 1000 {
            self.clusters.clear();
            self.lost = true;
        }
        if self.lost {
            self.clear();
        }
        self.want(frame);
        self.still = self.meant == self.wanted;
        self.meant.copy_from_slice(&self.wanted);
        self.encode_rows(terms);
        std::mem::swap(&mut self.shown, &mut self.wanted);
        if self.bytes.len() == start {
            self.bytes.clear();
        } else if self.dialect.sync {
            self.bytes.extend_from_slice(END_SYNC);
        }
        &self.bytes
    }

    /// Row by row; once the terms' bytes are spent the rest stays as it is, and the next frame begins there.
    fn encode_rows(&mut self, terms: Option<Terms>) {
        self.most = terms.map_or(usize::MAX, |terms| terms.most);
        let start = std::mem::take(&mut self.first) % self.height.max(1);
        for y in (start..self.height).chain(0..start) {
            if self.bytes.len() >= self.most {
                self.leave(self.row(y));
                continue;
            }
            if let Some(terms) = terms {
                self.choose_row(y, terms.lambda);
            }
            self.encode_row(y);
        }
    }

    fn row(&self, y: u16) -> Range<usize> {
        let width = usize::from(self.width);
        usize::from(y) * width..usize::from(y) * width + width
    }

    /// Replaces what is wanted in a row by what is worth its bytes.
    fn choose_row(&mut self, y: u16, lambda: u32) {
        let mut thrift = Thrift::new(lambda, self.pen);
        for i in self.row(y) {
            if self.shown[i] == self.wanted[i] {
                thrift.pass();
                continue;
            }
            let (tile, error) = thrift.choose(self.shown[i], self.wanted[i]);
            self.wanted[i] = tile;
            self.error += u64::from(error);
            self.exact &= error == 0;
        }
    }

    /// There is no room left for cells of a row in this frame.
    fn leave(&mut self, cells: Range<usize>) {
        if self.first == 0 {
            self.first = (cells.start / usize::from(self.width)) as u16;
        }
        for i in cells {
            if self.shown[i] == self.wanted[i] {
                continue;
            }
            let error = error(self.shown[i], self.wanted[i]);
            self.error += u64::from(error.unwrap_or(0));
            self.exact &= error == Some(0);
            self.wanted[i] = self.shown[i];
        }
    }

    fn fit(&mut self, width: u16, height: u16) {
        if (width, height) == (self.width, self.height) {
            return;
        }
        (self.width, self.height) = (width, height);
        let cells = usize::from(width) * usize::from(height);
        self.shown = vec![UNKNOWN; cells];
        self.wanted = vec![UNKNOWN; cells];
        self.meant = vec![UNKNOWN; cells];
        self.first = 0;
        self.lost = true;
    }

    fn clear(&mut self) {
        self.bytes.extend_from_slice(b"\x1b[m\x1b[H\x1b[2J");
        self.pen = Some(Pen::PLAIN);
        (self.x, self.y) = (Some(0), Some(0));
        self.shown.fill(BLANK);
        self.lost = false;
    }

    // ---- what is wanted ----

    fn want(&mut self, frame: &Buffer) {
        let width = usize::from(self.width);
        let mut reduce = Reducer::new(self.dialect.depth);
        for (i, cell) in frame.content.iter().enumerate().take(self.shown.len()) {
            let room = width - i % width;
            self.wanted[i] = match cell.diff_option {
                CellDiffOption::Skip => self.shown[i],
                _ if i % width > 0 && self.starts_wide(i - 1) => {
                    Tile { glyph: Glyph::RIGHT_HALF, pen: self.wanted[i - 1].pen }
                }
                _ => Tile { glyph: self.glyph(cell, room), pen: reduce.pen(cell) }.normal(),
            };
            if cell.diff_option == CellDiffOption::AlwaysUpdate {
                self.shown[i] = UNKNOWN;
            }
        }
        self.spoil_halves();
    }

    fn glyph(&mut self, cell: &Cell, room: usize) -> Glyph {
        let symbol = cell.symbol();
        let mut chars = symbol.chars();
        let first = chars.next().unwrap_or(' ');
        let single = chars.next().is_none();
        if single && Glyph(first.into()).is_sure() {
            return Glyph(first.into());
        }
        // Control characters would act, and what has no width would shift the row.
        let fits =
            !symbol.chars().any(char::is_control) && (1..=room.min(2)).contains(&usize::from(symbol.cell_width()));
        match (fits, single) {
            (false, _) => BLANK.glyph,
            (true, true) => Glyph(first.into()),
            (true, false) => self.cluster(symbol),
        }
    }

    fn cluster(&mut self, symbol: &str) -> Glyph {
        let known = self.clusters.iter().position(|c| &**c == symbol);
        let index = known.unwrap_or_else(|| {
            self.clusters.push(symbol.into());
            self.clusters.len() - 1
        });
        Glyph(Glyph::CLUSTER | index as u32)
    }

    fn text(&self, glyph: Glyph) -> Option<&str> {
        let index = glyph.0 & !Glyph::CLUSTER;
        (glyph.0 & Glyph::CLUSTER != 0).then(|| self.clusters.get(index as usize).map(|c| &**c)).flatten()
    }

    fn is_wide(&self, glyph: Glyph) -> bool {
        let mut utf8 = [0; 4];
        match glyph.char() {
            _ if glyph.is_sure() => false,
            Some(c) => c.encode_utf8(&mut utf8).cell_width() == 2,
            None => self.text(glyph).is_some_and(|text| text.cell_width() == 2),
        }
    }

    fn starts_wide(&self, i: usize) -> bool {
        self.is_wide(self.wanted[i].glyph)
    }

    /// Overwriting one half of a wide character takes the other half with it.
    fn spoil_halves(&mut self) {
        for i in 1..self.shown.len() {
            let half = |tile: Tile| tile.glyph == Glyph::RIGHT_HALF;
            if !half(self.shown[i]) && !half(self.wanted[i]) {
                continue;
            }
            if self.shown[i] != self.wanted[i] || self.shown[i - 1] != self.wanted[i - 1] {
                self.shown[i - 1] = UNKNOWN;
                self.shown[i] = UNKNOWN;
            }
        }
    }

    // ---- what is sent ----

    fn encode_row(&mut self, y: u16) {
        let row = self.row(y);
        let Some(first) = row.clone().find(|&i| self.shown[i] != self.wanted[i]) else {
            return;
        };
        let changed = row.clone().rev().find(|&i| self.shown[i] != self.wanted[i]).map_or(first, |i| i + 1);
        let blank = row.end - self.wanted[row.clone()].iter().rev().take_while(|&&t| t == BLANK).count();
        let mut i = first;
        while i < changed {
            let x = (i - row.start) as u16;
            let half = self.wanted[i].glyph == Glyph::RIGHT_HALF;
            if self.shown[i] == self.wanted[i] {
                i += 1;
            } else if self.bytes.len() >= self.most && !half {
                return self.leave(i..row.end);
            } else if i >= blank && changed - i > 3 {
                return self.erase_line(x, y, changed - i);
            } else {
                i += self.run(x, y, i..changed);
            }
        }
    }

    /// Sends the first of `cells`, and those after it that are the same if that is shorter than one
    /// by one; returns how many.
    fn run(&mut self, x: u16, y: u16, cells: Range<usize>) -> usize {
        let tile = self.wanted[cells.start];
        if tile.glyph == Glyph::RIGHT_HALF {
            return 1;
        }
        let erase = tile == BLANK && self.dialect.erase;
        let repeat = self.dialect.repeat && tile.glyph.is_sure();
        let same = match erase || repeat {
            true => self.wanted[cells].iter().take_while(|&&t| t == tile).count(),
            false => 1,
        };
        self.move_to(x, y);
        if erase && same > 3 + digits(same as u16) {
            return self.erase_cells(same);
        }
        self.set_pen(tile);
        self.print(tile);
        let each = tile.glyph.char().map_or(1, char::len_utf8);
        if repeat && (same - 1) * each > 3 + digits(same as u16) {
            return 1 + self.repeat(same - 1);
        }
        1
    }

    fn repeat(&mut self, count: usize) -> usize {
        self.csi(count as u16, b'b');
        self.cells += count;
        self.advance(count as u16);
        count
    }

    fn erase_cells(&mut self, count: usize) -> usize {
        self.set_pen(BLANK);
        self.csi(count as u16, b'X');
        self.cells += count;
        count
    }

    /// EL; with the default background only, since not all terminals erase to another.
    fn erase_line(&mut self, x: u16, y: u16, count: usize) {
        self.move_to(x, y);
        self.set_pen(BLANK);
        self.bytes.extend_from_slice(b"\x1b[K");
        self.cells += count;
    }

    fn print(&mut self, tile: Tile) {
        let mut utf8 = [0; 4];
        match tile.glyph.char() {
            Some(c) => self.bytes.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes()),
            None => {
                let text = self.clusters.get((tile.glyph.0 & !Glyph::CLUSTER) as usize);
                self.bytes.extend_from_slice(text.map_or(" ", |text| text).as_bytes());
            }
        }
        self.cells += 1;
        match tile.glyph.is_sure() {
            true => self.advance(1),
            false => self.x = None,
        }
    }

    /// At the right edge terminals differ in where the cursor is, so there it is not known.
    fn advance(&mut self, count: u16) {
        self.x = self.x.map(|x| x + count).filter(|&x| x < self.width);
    }

    // ---- the cursor ----

    fn move_to(&mut self, x: u16, y: u16) {
        if self.y == Some(y) {
            self.move_along(x, y);
        } else if x == 0 && self.y.is_some_and(|from| from < y && y - from <= 3) {
            self.bytes.push(b'\r');
            let down = y - self.y.unwrap_or(y);
            self.bytes.extend(std::iter::repeat_n(b'\n', down.into()));
        } else {
            self.place(x, y);
        }
        (self.x, self.y) = (Some(x), Some(y));
    }

    /// Within the row: return, backspace, print again what is between, or the shorter of a
    /// relative (CUF, CUB) and an absolute (CHA) move.
    fn move_along(&mut self, x: u16, y: u16) {
        let Some(from) = self.x else {
            return if x == 0 { self.bytes.push(b'\r') } else { self.csi(x + 1, b'G') };
        };
        let absolute = 3 + digits(x + 1);
        match (from <= x, from.abs_diff(x)) {
            (_, 0) => {}
            _ if x == 0 => self.bytes.push(b'\r'),
            (false, steps @ ..=3) => self.bytes.extend(std::iter::repeat_n(8, steps.into())),
            (true, steps) if self.print_again(from, y, steps) => {}
            (true, steps) if 3 + digits(steps) <= absolute => self.csi(steps, b'C'),
            (false, steps) if 3 + digits(steps) < absolute => self.csi(steps, b'D'),
            _ => self.csi(x + 1, b'G'),
        }
    }

    /// Passes over a few unchanged cells by printing them, if the pen fits and it is no longer.
    fn print_again(&mut self, from: u16, y: u16, steps: u16) -> bool {
        let start = usize::from(y) * usize::from(self.width) + usize::from(from);
        let between = &self.wanted[start..start + usize::from(steps.min(5))];
        let Some(pen) = self.pen else { return false };
        let fits = |tile: &Tile| tile.glyph.is_sure() && look(*tile, pen) == tile.pen;
        let chars = || between.iter().filter_map(|tile| tile.glyph.char());
        if !between.iter().all(fits) || chars().map(char::len_utf8).sum::<usize>() > 4 {
            return false;
        }
        let mut utf8 = [0; 4];
        for c in chars() {
            self.bytes.extend_from_slice(c.encode_utf8(&mut utf8).as_bytes());
        }
        true
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

    // ---- the pen ----

    /// Makes the pen draw `tile` right, in the fewest bytes; for a space only the background counts.
    fn set_pen(&mut self, tile: Tile) {
        let pen = match self.pen {
            Some(pen) if look(tile, pen) == tile.pen => return,
            Some(pen) if tile.shows_only_background() && !pen.attributes.intersects(ON_SPACES) => {
                Pen { bg: tile.pen.bg, ..pen }
            }
            _ => tile.pen,
        };
        let anew = Sgr::anew(pen);
        let change = self.pen.and_then(|from| Sgr::change(from, pen));
        let shorter = change.filter(|change| change.len <= anew.len).unwrap_or(anew);
        self.bytes.extend_from_slice(b"\x1b[");
        self.bytes.extend_from_slice(shorter.params());
        self.bytes.push(b'm');
        self.pen = Some(pen);
    }
}

/// How `tile`'s glyph looks when drawn with `pen`.
fn look(tile: Tile, pen: Pen) -> Pen {
    Tile { pen, ..tile }.normal().pen
}

/// The parameters of one SGR, each ended by a semicolon, on the stack.
struct Sgr {
    text: [u8; 96],
    len: usize,
}

impl Sgr {
    /// Everything, starting from a reset.
    fn anew(pen: Pen) -> Self {
        let mut sgr = Self { text: [0; 96], len: 0 };
        if pen == Pen::PLAIN {
            return sgr;
        }
        // An empty first parameter is a 0, the reset.
        sgr.push(";");
        sgr.attributes(pen.attributes);
        if pen.fg != Paint::Default {
            sgr.paint(pen.fg, 30);
        }
        if pen.bg != Paint::Default {
            sgr.paint(pen.bg, 40);
        }
        sgr
    }

    /// Only what differs; `None` if an attribute has to go that only a reset takes away surely.
    fn change(from: Pen, to: Pen) -> Option<Self> {
        if !to.attributes.contains(from.attributes) {
            return None;
        }
        let mut sgr = Self { text: [0; 96], len: 0 };
        sgr.attributes(to.attributes - from.attributes);
        if from.fg != to.fg {
            sgr.paint(to.fg, 30);
        }
        if from.bg != to.bg {
            sgr.paint(to.bg, 40);
        }
        Some(sgr)
    }

    fn params(&self) -> &[u8] {
        let text = &self.text[..self.len];
        text.strip_suffix(b";").unwrap_or(text)
    }

    fn push(&mut self, text: &str) {
        self.text[self.len..self.len + text.len()].copy_from_slice(text.as_bytes());
        self.len += text.len();
    }

    fn number(&mut self, n: u8) {
        let digits = [n / 100, n / 10 % 10, n % 10];
        let first = if n > 99 {
            0
        } else if n > 9 {
            1
        } else {
            2
        };
        for digit in &digits[first..] {
            self.text[self.len] = b'0' + digit;
            self.len += 1;
        }
        self.push(";");
    }

    /// Bold 1, dim 2, italic 3, underline 4, blink 5 and 6, reverse 7, hidden 8, crossed out 9: the
    /// bits of `Modifier` in this order.
    fn attributes(&mut self, attributes: Modifier) {
        for bit in 0..9u8 {
            if attributes.bits() >> bit & 1 != 0 {
                self.number(bit + 1);
            }
        }
    }

    /// `base` is 30 for the text and 40 for the background.
    fn paint(&mut self, paint: Paint, base: u8) {
        match paint {
            Paint::Default => self.number(base + 9),
            Paint::Index(i @ ..8) => self.number(base + i),
            Paint::Index(i @ 8..16) => self.number(base + 60 + i - 8),
            Paint::Index(i) => {
                self.number(base + 8);
                self.push("5;");
                self.number(i);
            }
            Paint::Rgb(r, g, b) => {
                self.number(base + 8);
                self.push("2;");
                self.number(r);
                self.number(g);
                self.number(b);
            }
        }
    }
}

/// Reduces colours, remembering the last: neighbours are often alike.
struct Reducer {
    depth: ColorDepth,
    fg: (Color, Paint),
    bg: (Color, Paint),
}

impl Reducer {
    fn new(depth: ColorDepth) -> Self {
        let reset = (Color::Reset, Paint::Default);
        Self { depth, fg: reset, bg: reset }
    }

    fn pen(&mut self, cell: &Cell) -> Pen {
        for (last, color) in [(&mut self.fg, cell.fg), (&mut self.bg, cell.bg)] {
            if last.0 != color {
                *last = (color, Paint::reduce(color, self.depth));
            }
        }
        Pen { fg: self.fg.1, bg: self.bg.1, attributes: cell.modifier }
    }
}

fn digits(n: u16) -> usize {
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
