//! The frame encoder: from a buffer of cells to the fewest bytes that turn what the terminal shows
//! into it.
//!
//! The encoder knows what the screen shows, so only cells that look different are sent; it knows the
//! pen (SGR) and the cursor, so only what differs of either is said, in the shortest form. Colours are
//! reduced to the terminal's depth first, so two that the terminal shows alike are alike here too.
//! A frame is wrapped in a synchronized update (DECSET 2026) and shows at once or not at all.
//!
//! Four things happen to a frame: it is read into tiles (`tile`); what of the change is worth
//! its bytes is chosen (`thrift`); the cells to be drawn are put in order, pen by pen
//! (`strokes`); and they are said (`wire`).
//!
//! It writes to memory only: the same bytes go to the terminal, to a recording and to the tests.

use ratatui_core::buffer::{Buffer, Cell, CellDiffOption, CellWidth};
use ratatui_core::layout::Rect;

use super::color::Reducer;
use super::strokes::Strokes;
use super::thrift::{Thrift, Wanted, error};
use super::tile::{Glyph, Pen, Tile};
use super::wire::{Wire, digits};
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
    /// λ: how much error on the screen a byte must save, in squared code values over the 8×16 pixels of a cell and
    /// three channels. At 0 everything that can be seen is sent; and no cell is off by more than [`MOST_OFF`] · λ.
    pub lambda: u32,
    /// Nothing is begun after this many bytes; the next frame goes on from there.
    pub most: usize,
}

/// The most error of a cell that is shown, per λ.
pub const MOST_OFF: u32 = super::thrift::MOST;

impl Default for Dialect {
    fn default() -> Self {
        Self { depth: ColorDepth::TrueColor, sync: true, erase: true, repeat: false }
    }
}

/// The screen of a terminal as far as we have told it, and the encoder that tells it more.
#[derive(Debug)]
pub struct Screen {
    width: u16,
    height: u16,
    dialect: Dialect,
    /// What the terminal shows; what it should; and what it will after this frame.
    shown: Vec<Tile>,
    wanted: Vec<Tile>,
    next: Vec<Tile>,
    /// For how many frames the same has been wanted, up to 255.
    ages: Vec<u8>,
    clusters: Vec<Box<str>>,
    /// Nothing is known of what the terminal shows: the next frame starts by clearing.
    lost: bool,
    wire: Wire,
    thrift: Thrift,
    strokes: Strokes,
    /// The pen to begin the next frame with, where this one had to stop.
    first: u64,
    cells: usize,
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
            next: Vec::new(),
            ages: Vec::new(),
            clusters: Vec::new(),
            lost: true,
            wire: Wire::default(),
            thrift: Thrift::default(),
            strokes: Strokes::default(),
            first: 0,
            cells: 0,
            still: false,
            exact: false,
            error: 0,
        }
    }

    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Speaks from now on in the colours of `depth`. What is shown was understood and stays, until it is worth its bytes
    /// to draw it nearer.
    pub fn set_depth(&mut self, depth: ColorDepth) {
        self.dialect.depth = depth;
    }

    /// Changes what may be used, since the terminal is another than was thought: at another depth it did not understand
    /// what was sent, and everything is drawn anew.
    pub fn set_dialect(&mut self, dialect: Dialect) {
        if dialect.depth != self.dialect.depth {
            self.shown.fill(Tile::UNKNOWN);
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
        &self.wire.bytes
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
        self.wire.bytes.clear();
        if self.dialect.sync {
            self.wire.bytes.extend_from_slice(BEGIN_SYNC);
        }
        let start = self.wire.bytes.len();
        self.fit(frame.area.width, frame.area.height);
        if self.clusters.len() > 1000 {
            self.clusters.clear();
            self.lost = true;
        }
        if self.lost {
            self.wire.clear();
            self.shown.fill(Tile::BLANK);
            self.lost = false;
        }
        self.want(frame);
        match terms {
            Some(terms) => {
                self.thrift.choose(
                    terms.lambda,
                    &self.shown,
                    Wanted { tiles: &self.wanted, ages: &self.ages },
                    &mut self.next,
                );
            }
            None => self.next.copy_from_slice(&self.wanted),
        }
        self.draw(terms.map_or(usize::MAX, |terms| terms.most));
        self.judge();
        if self.wire.bytes.len() == start {
            self.wire.bytes.clear();
        } else if self.dialect.sync {
            self.wire.bytes.extend_from_slice(END_SYNC);
        }
        &self.wire.bytes
    }

    fn fit(&mut self, width: u16, height: u16) {
        if (width, height) == (self.width, self.height) {
            return;
        }
        (self.width, self.height) = (width, height);
        let cells = usize::from(width) * usize::from(height);
        self.shown = vec![Tile::UNKNOWN; cells];
        self.wanted = vec![Tile::UNKNOWN; cells];
        self.next = vec![Tile::UNKNOWN; cells];
        self.ages = vec![0; cells];
        self.wire.width = width;
        self.first = 0;
        self.lost = true;
    }

    /// What is wrong on the screen after all.
    fn judge(&mut self) {
        (self.exact, self.error) = (true, 0);
        for (&here, &wanted) in self.shown.iter().zip(&self.wanted).filter(|(here, wanted)| here != wanted) {
            let error = error(here, wanted);
            self.error += u64::from(error.unwrap_or(0));
            self.exact &= error == Some(0);
        }
    }
}

/// What is wanted.
impl Screen {
    fn want(&mut self, frame: &Buffer) {
        let width = usize::from(self.width);
        let mut fg = Reducer::new(self.dialect.depth);
        let mut bg = Reducer::new(self.dialect.depth);
        (self.still, self.cells) = (true, 0);
        let mut halves = false;
        for (row, cells) in frame.content.chunks(width.max(1)).enumerate().take(self.height.into()) {
            let mut wide: Option<Tile> = None;
            for (x, cell) in cells.iter().enumerate() {
                let i = row * width + x;
                let tile = match (cell.diff_option, wide.take()) {
                    (CellDiffOption::Skip, _) => self.shown[i],
                    (_, Some(left)) => Tile { glyph: Glyph::RIGHT_HALF, ..left },
                    _ => {
                        let pen = Pen { fg: fg.reduce(cell.fg), bg: bg.reduce(cell.bg), attributes: cell.modifier };
                        Tile { glyph: self.glyph(cell, width - x), pen }.normal()
                    }
                };
                if !tile.glyph.is_sure() {
                    wide = Some(tile).filter(|tile| self.is_wide(tile.glyph));
                }
                if cell.diff_option == CellDiffOption::AlwaysUpdate {
                    self.shown[i] = Tile::UNKNOWN;
                }
                halves |= tile.glyph == Glyph::RIGHT_HALF || self.shown[i].glyph == Glyph::RIGHT_HALF;
                self.ages[i] = if self.wanted[i] == tile { self.ages[i].saturating_add(1) } else { 0 };
                self.still &= self.ages[i] > 0;
                self.wanted[i] = tile;
            }
        }
        if halves {
            self.spoil_halves();
        }
    }

    fn glyph(&mut self, cell: &Cell, room: usize) -> Glyph {
        let symbol = cell.symbol();
        if let Some(glyph) = Glyph::sure(symbol.as_bytes()) {
            return glyph;
        }
        self.strange_glyph(symbol, room)
    }

    #[cold]
    fn strange_glyph(&mut self, symbol: &str, room: usize) -> Glyph {
        let mut chars = symbol.chars();
        let first = chars.next().unwrap_or(' ');
        let single = chars.next().is_none();
        // Control characters would act, and what has no width would shift the row.
        let fits =
            !symbol.chars().any(char::is_control) && (1..=room.min(2)).contains(&usize::from(symbol.cell_width()));
        match (fits, single) {
            (false, _) => Glyph::SPACE,
            (true, true) => first.into(),
            (true, false) => self.cluster(symbol),
        }
    }

    fn cluster(&mut self, symbol: &str) -> Glyph {
        let known = self.clusters.iter().position(|c| &**c == symbol);
        Glyph::cluster(known.unwrap_or_else(|| {
            self.clusters.push(symbol.into());
            self.clusters.len() - 1
        }))
    }

    fn text(&self, glyph: Glyph) -> Option<&str> {
        self.clusters.get(glyph.cluster_index()?).map(|text| &**text)
    }

    /// Of a glyph that is not sure.
    #[cold]
    fn is_wide(&self, glyph: Glyph) -> bool {
        let mut utf8 = [0; 4];
        match glyph.char() {
            Some(c) => c.encode_utf8(&mut utf8).cell_width() == 2,
            None => self.text(glyph).is_some_and(|text| text.cell_width() == 2),
        }
    }

    /// Overwriting one half of a wide character takes the other half with it.
    fn spoil_halves(&mut self) {
        for i in 1..self.shown.len() {
            let half = |tile: Tile| tile.glyph == Glyph::RIGHT_HALF;
            if !half(self.shown[i]) && !half(self.wanted[i]) {
                continue;
            }
            if self.shown[i] != self.wanted[i] || self.shown[i - 1] != self.wanted[i - 1] {
                self.shown[i - 1] = Tile::UNKNOWN;
                self.shown[i] = Tile::UNKNOWN;
            }
        }
    }
}

/// What is sent.
impl Screen {
    /// Draws what is next, stroke by stroke. Once `most` bytes are there nothing more is begun: the rest stays as it
    /// is, and the next frame begins with its pen.
    fn draw(&mut self, most: usize) {
        self.strokes.arrange(&self.shown, &self.next, std::mem::take(&mut self.first));
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
        let erase = tile == Tile::BLANK && self.dialect.erase;
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
