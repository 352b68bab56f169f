use crate::term::Term;
use crate::term::input::event::{self, Event, Reply};
use crate::term::tty::platform::TerminalMode;
use std::io;
use std::time::Instant;

const BACKGROUND_QUERY: &[u8] = b"\x1b]11;?\x1b\\";

impl Term {
    /// Waits for events until `until`, or until the descriptor that is watched is readable. Of each run of pointer motion only
    /// the last event is kept.
    pub fn wait(&mut self, until: Instant, out: &mut Vec<Event>) -> io::Result<()> {
        let start = out.len();
        out.append(&mut self.queued);
        while out.len() == start {
            let result = self.device.wait(until, !self.write_buffer.is_empty(), out)?;
            if result.writable {
                self.send()?;
            }
            if result.stop {
                self.stop(false, out)?;
            } else if result.continued {
                // SIGCONT also comes with SIGHUP: the next wait reports that the terminal has hung up.
                let _ = self.device.reassert();
                self.after_resume(out);
            }
            if Instant::now() >= until || result.watched {
                break;
            }
        }
        self.apply_replies(&out[start..]);
        event::coalesce_motion(out);
        Ok(())
    }

    fn apply_replies(&mut self, events: &[Event]) {
        let now = Instant::now();
        for event in events {
            match event {
                Event::Reply(Reply::Status) => self.ack_received(now),
                Event::Reply(Reply::ColorScheme) => self.write_buffer.push(BACKGROUND_QUERY),
                Event::Reply(reply) => self.apply_reply(reply, now),
                Event::Resize => self.enable_optional_modes(),
                _ => {}
            }
        }
    }

    fn ack_received(&mut self, now: Instant) {
        self.link.ack_received(now);
        self.device.set_reply_time(self.link.reply_time());
    }

    fn apply_reply(&mut self, reply: &Reply, now: Instant) {
        self.link.acks.reply_received(now);
        self.device.set_reply_time(self.link.reply_time());
        let utf8 = self.caps.utf8;
        if self.caps.apply_reply(reply) {
            if utf8 != self.caps.utf8 {
                // Wide blocks have moved what came after them.
                self.encoder.invalidate();
            }
            self.apply_output_caps();
            self.link.set_terminal(self.caps.kind);
            self.enable_optional_modes();
        }
    }

    /// Switches on reports that only some terminals have, unless a half-sent frame is in the way.
    pub(super) fn enable_optional_modes(&mut self) {
        if self.caps.resizes && self.write_buffer.is_empty() {
            self.device.enable(TerminalMode::Resizes);
        }
        if self.caps.scheme_changes && self.write_buffer.is_empty() {
            self.device.enable(TerminalMode::ColorScheme);
        }
        self.enable_pixel_mouse();
    }

    /// As soon as the terminal is known to have it, the size of a cell is known, and no half-sent frame is in the way.
    fn enable_pixel_mouse(&mut self) {
        let cell = self.cell_size();
        if self.mouse && self.caps.pixel_mouse && cell.is_some() && self.write_buffer.is_empty() {
            self.device.enable(TerminalMode::PixelMouse);
            self.pixel_mouse = true;
        }
        self.device.set_pixel_mouse(cell.filter(|_| self.pixel_mouse));
    }

    pub(super) fn apply_output_caps(&mut self) {
        let output_caps = self.affordable_caps();
        if output_caps != self.encoder.output_caps {
            self.encoder.set_output_caps(output_caps);
        }
    }
}
