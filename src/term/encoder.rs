//! The frame encoder: from a buffer of cells to the fewest bytes that turn what the terminal shows
//! into it.
//!
//! The encoder knows what the screen shows, so only cells that look different are sent; it knows the
//! style (SGR) and the cursor, so only what differs of either is said, in the shortest form. Colours are
//! reduced to the terminal's depth first, so two that the terminal shows alike are alike here too.
//! A frame is wrapped in a synchronized update (DECSET 2026) and shows at once or not at all; what is so short that it
//! arrives in one piece is not.
//!
//! Four things happen to a frame: it is read into cells (`decode`); what of the change is worth its bytes is chosen
//! (`rate_distortion`); the cells to be drawn are put in order, style by style (`style_runs`); and they are said (`draw`).
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
const MAX_UNWRAPPED_BYTES: usize = 256;

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

/// On what rate a frame is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateTarget {
    /// λ: how much error on the screen a byte must save, in squared code values over the 8×16 pixels of a cell and
    /// three channels. At 0 everything that can be seen is sent; and no cell is off by more than [`MAX_ERROR_PER_LAMBDA`] · λ.
    pub lambda: u32,
    /// Nothing is begun after this many bytes; the next frame goes on from there.
    pub max_bytes: usize,
}

/// The most error of a cell that is shown, per λ.
pub const MAX_ERROR_PER_LAMBDA: u32 = crate::term::encoder::rate_distortion::MAX_ERROR;

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
    output_caps: OutputCaps,
    /// What the terminal shows; what it should; and what it will after this frame.
    shown: Vec<PackedCell>,
    target: Vec<PackedCell>,
    next: Vec<PackedCell>,
    /// For how many frames the same has been target, up to 255.
    ages: Vec<u8>,
    graphemes: Vec<Box<str>>,
    /// Nothing is known of what the terminal shows: the next frame starts by clearing.
    must_clear: bool,
    writer: SequenceWriter,
    rate_distortion: RateDistortion,
    style_runs: StyleRuns,
    /// The style to begin the next frame with, where this one had to stop.
    resume_style: u64,
    cells: usize,
    unchanged: bool,
    exact: bool,
}

impl FrameEncoder {
    pub fn new(output_caps: OutputCaps) -> Self {
        Self {
            width: 0,
            height: 0,
            output_caps,
            shown: Vec::new(),
            target: Vec::new(),
            next: Vec::new(),
            ages: Vec::new(),
            graphemes: Vec::new(),
            must_clear: true,
            writer: SequenceWriter::default(),
            rate_distortion: RateDistortion::default(),
            style_runs: StyleRuns::default(),
            resume_style: 0,
            cells: 0,
            unchanged: false,
            exact: false,
        }
    }

    pub fn output_caps(&self) -> OutputCaps {
        self.output_caps
    }

    /// Speaks from now on in the colours of `depth`. What is shown was understood and stays, until it is worth its bytes
    /// to draw it nearer.
    pub fn set_depth(&mut self, depth: ColorDepth) {
        self.output_caps.depth = depth;
    }

    /// Changes what may be used, since the terminal is another than was thought. If it has fewer colours it did not
    /// understand what was sent, and everything is drawn anew; if it has more it did, and what is shown stays until it
    /// is worth its bytes to draw it nearer.
    pub fn set_output_caps(&mut self, output_caps: OutputCaps) {
        if output_caps.depth < self.output_caps.depth {
            self.shown.fill(PackedCell::UNKNOWN);
        }
        self.output_caps = output_caps;
    }

    /// What the terminal shows is not known any more: the next frame is a whole one.
    pub fn invalidate(&mut self) {
        self.must_clear = true;
    }

    /// How many cells the last frame changed.
    pub fn cells_changed(&self) -> usize {
        self.cells
    }

    /// The bytes of the last frame.
    pub fn bytes(&self) -> &[u8] {
        &self.writer.bytes
    }

    /// The last frame target the same as the one before.
    pub fn is_unchanged(&self) -> bool {
        self.unchanged
    }

    /// The last frame is shown as it is, or so that nobody could tell.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// Encodes the change from what is shown to `frame`, cell by cell the same; nothing changed is no bytes.
    pub fn encode(&mut self, frame: &Buffer) -> &[u8] {
        self.encode_within(frame, None)
    }

    /// Encodes what of the change is worth its bytes; the module `rate_distortion` tells how.
    pub fn encode_lossy(&mut self, frame: &Buffer, rate: RateTarget) -> &[u8] {
        self.encode_within(frame, Some(rate))
    }

    /// What the terminal shows, as far as we know: text, colours and attributes.
    pub fn shown(&self) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, self.width, self.height));
        for (cell, packed) in buffer.content.iter_mut().zip(&self.shown) {
            match packed.glyph.char() {
                Some(c) => cell.set_char(c),
                None => cell.set_symbol(self.text(packed.glyph).unwrap_or(" ")),
            };
            (cell.fg, cell.bg, cell.modifier) =
                (packed.style.fg.into(), packed.style.bg.into(), packed.style.attributes);
        }
        buffer
    }

    fn encode_within(&mut self, frame: &Buffer, rate: Option<RateTarget>) -> &[u8] {
        self.writer.bytes.clear();
        if self.output_caps.sync {
            self.writer.bytes.extend_from_slice(BEGIN_SYNC);
        }
        let start = self.writer.bytes.len();
        self.resize(frame.area.width, frame.area.height);
        if self.graphemes.len() > 1000 {
            self.graphemes.clear();
            self.must_clear = true;
        }
        let full_redraw = self.must_clear;
        if self.must_clear {
            self.writer.clear();
            self.shown.fill(PackedCell::BLANK);
            self.must_clear = false;
        }
        self.decode(frame);
        match rate {
            Some(rate) => {
                self.rate_distortion.choose(
                    rate.lambda,
                    self.width.into(),
                    &self.shown,
                    Wanted { cells: &self.target, ages: &self.ages },
                    &mut self.next,
                );
            }
            None => self.next.copy_from_slice(&self.target),
        }
        let quick = rate.is_some_and(|rate| is_quick(rate.lambda));
        self.draw(rate.map_or(usize::MAX, |rate| rate.max_bytes), quick);
        self.update_exactness();
        if self.writer.bytes.len() == start {
            self.writer.bytes.clear();
        } else if self.output_caps.sync && self.writer.bytes.len() - start <= MAX_UNWRAPPED_BYTES && !full_redraw {
            self.writer.bytes.drain(..start);
        } else if self.output_caps.sync {
            self.writer.bytes.extend_from_slice(END_SYNC);
        }
        self.rate_distortion.record_bytes(self.writer.bytes.len());
        &self.writer.bytes
    }

    fn resize(&mut self, width: u16, height: u16) {
        if (width, height) == (self.width, self.height) {
            return;
        }
        (self.width, self.height) = (width, height);
        let cells = usize::from(width) * usize::from(height);
        self.shown = vec![PackedCell::UNKNOWN; cells];
        self.target = vec![PackedCell::UNKNOWN; cells];
        self.next = vec![PackedCell::UNKNOWN; cells];
        self.ages = vec![0; cells];
        self.writer.width = width;
        self.resume_style = 0;
        self.must_clear = true;
    }

    /// Looks no further than to the first cell that is off: in motion that is soon.
    fn update_exactness(&mut self) {
        let mut off = self.shown.iter().zip(&self.target).filter(|(here, target)| here != target);
        self.exact = off.all(|(&here, &target)| error(here, target) == Some(0));
    }
}
