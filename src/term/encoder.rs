//! The frame encoder: from a buffer of cells to the fewest bytes that turn what the terminal shows into it, in memory only.
//!
//! It keeps what the screen shows, the style (SGR) and the cursor. `decode_buffer` gives the target cells; `rate_distortion`
//! decides which are drawn, and how exactly; `style_runs` orders them; `sequence_writer` and `sgr` write them.

pub mod color;
pub(crate) mod color_quantizer;
mod decode_buffer;
mod draw;
pub(crate) mod glyph_coverage;
pub(crate) mod packed_cell;
pub mod rate_control;
pub mod rate_distortion;
pub(crate) mod sequence_writer;
pub(crate) mod sgr;
pub(crate) mod style_runs;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::cell::color::ColorDepth;
use crate::term::encoder::packed_cell::PackedCell;
use crate::term::encoder::rate_distortion::{RateDistortion, error, is_quick};
use crate::term::encoder::sequence_writer::SequenceWriter;
use crate::term::encoder::style_runs::StyleRuns;

const BEGIN_SYNC: &[u8] = b"\x1b[?2026h";
const END_SYNC: &[u8] = b"\x1b[?2026l";

/// Largest frame, in bytes, that is sent without a synchronized update (DECSET 2026): it arrives in one piece.
const MAX_UNWRAPPED_BYTES: usize = 256;

defaults! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct OutputCaps {
        pub depth: ColorDepth = ColorDepth::TrueColor;
        /// Frames are wrapped in DECSET 2026. Terminals ignore unknown modes, so this is nearly always on.
        pub sync: bool = true;
        /// Frames are drawn row by row instead of style by style: for a terminal that may show a half-drawn frame.
        pub row_order: bool = false;
        pub erase: bool = true;
        /// Whether REP, `CSI n b`, repeats the last character.
        pub repeat: bool = false;
        pub tabs: bool = false;
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateTarget {
    /// λ, the Lagrange multiplier: the error that a byte must remove to be sent, in squared code values summed over the 8×16
    /// pixels of a cell and three channels. At 0 every visible difference is sent.
    pub lambda: u32,
    /// Bytes after which no further cell is begun; the next frame continues from there.
    pub max_bytes: usize,
}

#[derive(Debug, Default)]
pub struct FrameEncoder {
    width: u16,
    height: u16,
    pub output_caps: OutputCaps,
    /// What the terminal shows; the target; and what will be shown after this frame.
    shown: Vec<PackedCell>,
    target: Vec<PackedCell>,
    next: Vec<PackedCell>,
    /// Frames for which each cell has had the same target, up to 255.
    ages: Vec<u8>,
    graphemes: Vec<Box<str>>,
    /// The screen content is unknown, so the next frame starts by clearing it.
    must_clear: bool,
    writer: SequenceWriter,
    rate_distortion: RateDistortion,
    style_runs: StyleRuns,
    /// Style key or row at which the next frame begins, because the byte limit stopped this one there.
    resume: u64,
    pub cells: usize,
    pub unchanged: bool,
    pub exact: bool,
}

impl FrameEncoder {
    pub fn new(output_caps: OutputCaps) -> Self {
        Self { output_caps, must_clear: true, ..Self::default() }
    }

    /// Changes what the encoder may use. If the terminal has fewer colours than assumed, everything is redrawn.
    pub fn set_output_caps(&mut self, output_caps: OutputCaps) {
        if output_caps.depth < self.output_caps.depth {
            self.shown.fill(PackedCell::UNKNOWN);
        }
        if output_caps.row_order != self.output_caps.row_order {
            self.resume = 0;
        }
        self.output_caps = output_caps;
    }

    pub fn invalidate(&mut self) {
        self.must_clear = true;
    }

    pub fn bytes(&self) -> &[u8] {
        &self.writer.bytes
    }

    /// Encodes the difference between the screen and `frame` exactly; no bytes if there is none.
    pub fn encode(&mut self, frame: &Buffer) -> &[u8] {
        self.encode_within(frame, None)
    }

    /// Encodes the part of the difference that is worth its bytes; see `rate_distortion`.
    pub fn encode_lossy(&mut self, frame: &Buffer, rate: RateTarget) -> &[u8] {
        self.encode_within(frame, Some(rate))
    }

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
            Some(RateTarget { lambda, .. }) => {
                let (width, wanted) = (self.width.into(), (&self.target[..], &self.ages[..]));
                self.rate_distortion.choose(lambda, width, &self.shown, wanted, &mut self.next);
            }
            None => self.next.copy_from_slice(&self.target),
        }
        let quick = rate.is_some_and(|rate| is_quick(rate.lambda));
        self.draw(rate.map_or(usize::MAX, |rate| rate.max_bytes), quick, full_redraw);
        // Stops at the first cell with a visible error, which it meets early in a moving picture.
        let mut off = self.shown.iter().zip(&self.target).filter(|(here, target)| here != target);
        self.exact = off.all(|(&here, &target)| error(here, target) == Some(0));
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
        (self.writer.width, self.style_runs.width) = (width, width.into());
        self.resume = 0;
        self.must_clear = true;
    }
}
