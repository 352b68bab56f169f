//! Output: frames, sent when the link has room, as exact as its rate allows.

use crate::term::encoder::OutputCaps;
use crate::term::{Term, output_caps};
use ratatui::buffer::Buffer;
use std::io;
use std::time::Instant;

const STATUS_REQUEST: &[u8] = b"\x1b[5n";

/// The default is that of a frame that was dropped, because the one before has not been sent completely.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameStats {
    pub bytes: usize,
    pub cells: usize,
    /// False if the frame should be drawn again to reduce the error.
    pub exact: bool,
}

impl Term {
    pub fn ready(&mut self, now: Instant) -> bool {
        if let Some(clients) = self.device.poll_clients(now) {
            self.link.update_clients(clients, now);
            if clients.true_color && self.caps.accept_true_color_of_clients() {
                self.encoder.set_output_caps(self.affordable_caps());
            }
        }
        self.write_buffer.is_empty() && !self.device.awaits_clients(now) && self.link.ready(now)
    }

    /// Whether all clients of tmux have detached. If none was ever attached, a script reads the pane.
    pub fn is_detached(&mut self, now: Instant) -> bool {
        let Some(clients) = self.device.poll_clients(now) else { return false };
        self.was_attached |= !clients.detached;
        self.was_attached && clients.detached
    }

    /// Sends `frame`, or drops it if the one before has not been sent completely. One write; never blocks.
    pub fn draw(&mut self, frame: &Buffer) -> io::Result<FrameStats> {
        self.send()?;
        if !self.write_buffer.is_empty() {
            return Ok(FrameStats::default());
        }
        if self.mouse && self.caps.pixel_mouse && !self.pixel_mouse {
            self.enable_optional_modes();
        }
        let now = Instant::now();
        let stats = self.encode(frame, now);
        if stats.bytes == 0 {
            return Ok(stats);
        }
        if self.link.wants_probe(now) {
            self.write_buffer.extend_from_slice(STATUS_REQUEST);
            self.device.query_sent();
            self.link.probe_sent(now);
        }
        self.write_buffer.extend_from_slice(self.encoder.bytes());
        let ack = self.link.wants_ack(now);
        if ack {
            self.write_buffer.extend_from_slice(STATUS_REQUEST);
            self.device.query_sent();
        } else if self.link.acks.is_silent(now) {
            self.device.clear_pending();
        }
        self.link.sent(stats.bytes, ack, now);
        if ack && self.link.rate().is_some() {
            self.device.set_reply_time(self.link.reply_time());
        }
        self.send()?;
        Ok(stats)
    }

    fn encode(&mut self, frame: &Buffer, now: Instant) -> FrameStats {
        let (columns, rows) = self.size();
        let budget = self.link.budget(usize::from(columns) * usize::from(rows), now);
        let target = self.rate_control.target(budget);
        let bytes = self.encoder.encode_lossy(frame, target).len();
        self.rate_control.record(bytes, self.encoder.unchanged);
        self.link.record_lambda(target.lambda, now);
        // The colours on the screen stay until redrawing them is worth its bytes.
        self.encoder.output_caps.depth = self.affordable_caps().depth;
        let exact = self.encoder.exact && self.encoder.output_caps.depth == self.caps.depth;
        FrameStats { bytes, cells: self.encoder.cells, exact }
    }

    pub(super) fn affordable_caps(&self) -> OutputCaps {
        let mut output_caps = output_caps(&self.caps);
        if !self.caps.depth_fixed {
            output_caps.depth = output_caps.depth.min(self.link.ladder.depth());
        }
        output_caps
    }
}
