//! What goes to the terminal: frames, when they may and as rich as they may be.

use crate::cell::color::ColorDepth;
use crate::term::encoder::OutputCaps;
use crate::term::{Term, dialect};
use ratatui_core::buffer::Buffer;
use std::io;
use std::time::Instant;

/// The terminal says that it is there, when it has come to it: DSR.
const FENCE: &[u8] = b"\x1b[5n";

/// What became of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameStats {
    /// False if the frame was dropped, because the one before is not out yet.
    pub sent: bool,
    pub bytes: usize,
    /// Cells that changed.
    pub cells: usize,
    /// The terminal shows the frame as it is. If not, draw it again to come nearer.
    pub exact: bool,
}

impl Term {
    /// May a frame be sent that is begun now? If not, an event or the next tick will tell; draw nothing meanwhile.
    pub fn ready(&mut self, now: Instant) -> bool {
        if let Some(behind) = self.device.look_behind(now) {
            self.link.look_behind(behind, now);
        }
        self.outbox.is_empty() && self.link.ready(now)
    }

    /// Nobody sees what is drawn any more: we run in tmux, and whoever was attached has left. (Where nobody ever was, a
    /// script has started us, and looks by asking tmux for the screen.)
    pub fn is_unseen(&mut self, now: Instant) -> bool {
        let Some(behind) = self.device.look_behind(now) else { return false };
        self.was_seen |= !behind.nobody;
        self.was_seen && behind.nobody
    }

    /// How many bytes the next frame should have at most.
    pub fn budget(&self, now: Instant) -> usize {
        let (columns, rows) = self.size();
        self.link.budget(usize::from(columns) * usize::from(rows), now)
    }

    /// Shows `frame`, or drops it if the one before is not out yet; one write, never blocking.
    ///
    /// # Errors
    /// If another thread panicked. That the terminal is gone is told by the next wait.
    pub fn draw(&mut self, frame: &Buffer) -> io::Result<FrameStats> {
        if !self.outbox.is_empty() {
            self.send()?;
        }
        if !self.outbox.is_empty() {
            return Ok(FrameStats::default());
        }
        if self.mouse && self.caps.pixel_mouse && !self.pixel_mouse {
            self.refine();
        }
        let now = Instant::now();
        let stats = self.encode(frame, now);
        if stats.bytes == 0 {
            return Ok(stats);
        }
        self.outbox.push(self.screen.bytes());
        let fence = self.link.wants_fence(now);
        if fence {
            self.outbox.push(FENCE);
            self.device.asked();
        } else if self.link.is_mute(now) {
            self.device.expect_no_answers();
        }
        self.link.sent(stats.bytes, fence, now);
        if fence && self.link.rate().is_some() {
            self.device.set_answer_time(self.link.answer_time());
        }
        self.send()?;
        Ok(stats)
    }

    fn encode(&mut self, frame: &Buffer, now: Instant) -> FrameStats {
        let terms = self.quality.terms(self.budget(now));
        let bytes = self.screen.encode_thriftily(frame, terms).len();
        self.quality.took(bytes, self.screen.is_still());
        self.link.took(terms.lambda, now);
        self.screen.set_depth(self.bearable().depth);
        // Fewer colours than there could be are never the last word: at rest they come back.
        let exact = self.screen.is_exact() && self.depth() == self.caps.depth;
        FrameStats { sent: true, bytes, cells: self.screen.cells_changed(), exact }
    }

    /// How many colours frames are sent in: the terminal's, or fewer where the link is too slow for them.
    pub fn depth(&self) -> ColorDepth {
        self.screen.dialect().depth
    }

    /// What the terminal understands and the link can bear.
    pub(super) fn bearable(&self) -> OutputCaps {
        let mut dialect = dialect(&self.caps);
        if !self.caps.depth_fixed {
            dialect.depth = dialect.depth.min(self.link.depth());
        }
        dialect
    }

    /// The bytes of the last frame, without our questions: what a recording plays back.
    pub fn last_frame(&self) -> &[u8] {
        self.screen.bytes()
    }

    /// The next frame is drawn whole.
    pub fn redraw(&mut self) {
        self.screen.forget();
    }
}
