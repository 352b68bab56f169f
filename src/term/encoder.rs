//! The frame encoder: from a buffer of cells to the fewest bytes that turn what the terminal shows
//! into it.
//!
//! The encoder knows what the screen shows, so only cells that look different are sent; it knows the
//! pen (SGR) and the cursor, so only what differs of either is said, in the shortest form. Colours are
//! reduced to the terminal's depth first, so two that the terminal shows alike are alike here too.
//! A frame is wrapped in a synchronized update (DECSET 2026) and shows at once or not at all; what is so short that it
//! arrives in one piece is not.
//!
//! Four things happen to a frame: it is read into tiles (`want`); what of the change is worth its bytes is chosen
//! (`thrift`); the cells to be drawn are put in order, pen by pen (`strokes`); and they are said (`draw`).
//!
//! It writes to memory only: the same bytes go to the terminal, to a recording and to the tests.

pub mod color;
pub(crate) mod color_quantizer;
mod decode_buffer;
mod draw;
pub(crate) mod glyph_coverage;
pub(crate) mod packed_cell;
pub mod rate_control;
pub(crate) mod rate_distortion;
pub(crate) mod sequence_writer;
pub(crate) mod sgr;
pub(crate) mod style_runs;

use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;

use crate::cell::color::ColorDepth;
use crate::term::encoder::packed_cell::PackedCell;
use crate::term::encoder::rate_distortion::{RateDistortion, Wanted, error, is_quick};
use crate::term::encoder::sequence_writer::SequenceWriter;
use crate::term::encoder::style_runs::StyleRuns;

const BEGIN_SYNC: &[u8] = b"\x1b[?2026h";
const END_SYNC: &[u8] = b"\x1b[?2026l";

/// Bytes of a frame that arrives in one piece anyway: links carry, and terminals read, kilobytes at a time. Calm water
/// takes some 170 B a frame, of which the wrapping would be 16.
const SHORT: usize = 256;

/// What the encoder may use beyond the basics that every terminal since the VT100 knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputCaps {
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
pub struct RateTarget {
    /// λ: how much error on the screen a byte must save, in squared code values over the 8×16 pixels of a cell and
    /// three channels. At 0 everything that can be seen is sent; and no cell is off by more than [`MOST_OFF`] · λ.
    pub lambda: u32,
    /// Nothing is begun after this many bytes; the next frame goes on from there.
    pub most: usize,
}

/// The most error of a cell that is shown, per λ.
pub const MOST_OFF: u32 = crate::term::encoder::rate_distortion::MOST;

impl Default for OutputCaps {
    fn default() -> Self {
        Self { depth: ColorDepth::TrueColor, sync: true, erase: true, repeat: false }
    }
}

/// The screen of a terminal as far as we have told it, and the encoder that tells it more.
#[derive(Debug)]
pub struct FrameEncoder {
    width: u16,
    height: u16,
    dialect: OutputCaps,
    /// What the terminal shows; what it should; and what it will after this frame.
    shown: Vec<PackedCell>,
    wanted: Vec<PackedCell>,
    next: Vec<PackedCell>,
    /// For how many frames the same has been wanted, up to 255.
    ages: Vec<u8>,
    clusters: Vec<Box<str>>,
    /// Nothing is known of what the terminal shows: the next frame starts by clearing.
    lost: bool,
    wire: SequenceWriter,
    thrift: RateDistortion,
    strokes: StyleRuns,
    /// The pen to begin the next frame with, where this one had to stop.
    first: u64,
    cells: usize,
    still: bool,
    exact: bool,
}

impl FrameEncoder {
    pub fn new(dialect: OutputCaps) -> Self {
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
            wire: SequenceWriter::default(),
            thrift: RateDistortion::default(),
            strokes: StyleRuns::default(),
            first: 0,
            cells: 0,
            still: false,
            exact: false,
        }
    }

    pub fn dialect(&self) -> OutputCaps {
        self.dialect
    }

    /// Speaks from now on in the colours of `depth`. What is shown was understood and stays, until it is worth its bytes
    /// to draw it nearer.
    pub fn set_depth(&mut self, depth: ColorDepth) {
        self.dialect.depth = depth;
    }

    /// Changes what may be used, since the terminal is another than was thought. If it has fewer colours it did not
    /// understand what was sent, and everything is drawn anew; if it has more it did, and what is shown stays until it
    /// is worth its bytes to draw it nearer.
    pub fn set_dialect(&mut self, dialect: OutputCaps) {
        if dialect.depth < self.dialect.depth {
            self.shown.fill(PackedCell::UNKNOWN);
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

    /// Encodes the change from what is shown to `frame`, cell by cell the same; nothing changed is no bytes.
    pub fn encode(&mut self, frame: &Buffer) -> &[u8] {
        self.encode_within(frame, None)
    }

    /// Encodes what of the change is worth its bytes; the module `thrift` tells how.
    pub fn encode_thriftily(&mut self, frame: &Buffer, terms: RateTarget) -> &[u8] {
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

    fn encode_within(&mut self, frame: &Buffer, terms: Option<RateTarget>) -> &[u8] {
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
        let whole = self.lost;
        if self.lost {
            self.wire.clear();
            self.shown.fill(PackedCell::BLANK);
            self.lost = false;
        }
        self.want(frame);
        match terms {
            Some(terms) => {
                self.thrift.choose(
                    terms.lambda,
                    self.width.into(),
                    &self.shown,
                    Wanted { tiles: &self.wanted, ages: &self.ages },
                    &mut self.next,
                );
            }
            None => self.next.copy_from_slice(&self.wanted),
        }
        let quick = terms.is_some_and(|terms| is_quick(terms.lambda));
        self.draw(terms.map_or(usize::MAX, |terms| terms.most), quick);
        self.judge();
        if self.wire.bytes.len() == start {
            self.wire.bytes.clear();
        } else if self.dialect.sync && self.wire.bytes.len() - start <= SHORT && !whole {
            self.wire.bytes.drain(..start);
        } else if self.dialect.sync {
            self.wire.bytes.extend_from_slice(END_SYNC);
        }
        self.thrift.spent(self.wire.bytes.len());
        &self.wire.bytes
    }

    fn fit(&mut self, width: u16, height: u16) {
        if (width, height) == (self.width, self.height) {
            return;
        }
        (self.width, self.height) = (width, height);
        let cells = usize::from(width) * usize::from(height);
        self.shown = vec![PackedCell::UNKNOWN; cells];
        self.wanted = vec![PackedCell::UNKNOWN; cells];
        self.next = vec![PackedCell::UNKNOWN; cells];
        self.ages = vec![0; cells];
        self.wire.width = width;
        self.first = 0;
        self.lost = true;
    }

    /// Looks no further than to the first cell that is off: in motion that is soon.
    fn judge(&mut self) {
        let mut off = self.shown.iter().zip(&self.wanted).filter(|(here, wanted)| here != wanted);
        self.exact = off.all(|(&here, &wanted)| error(here, wanted) == Some(0));
    }
}
