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
        while out.len() == start && self.queued.is_empty() {
            let result = self.device.wait(until, !self.write_buffer.is_empty(), out)?;
            if result.writable {
                self.send()?;
            }
            if result.stop {
                self.stop(false)?;
            } else if result.continued {
                // SIGCONT also comes with SIGHUP: the next wait reports that the terminal has hung up.
                let _ = self.device.reassert();
                self.after_resume();
            }
            if Instant::now() >= until || result.watched {
                break;
            }
        }
        out.append(&mut self.queued);
        self.apply_replies(&out[start..]);
        event::coalesce_motion(out);
        Ok(())
    }

    fn apply_replies(&mut self, events: &[Event]) {
        let now = Instant::now();
        for event in events {
            match event {
                Event::Reply(Reply::Status) => self.link.ack_received(now),
                Event::Reply(Reply::ColorScheme) => self.write_buffer.extend_from_slice(BACKGROUND_QUERY),
                Event::Reply(reply) => self.apply_reply(reply, now),
                Event::Resize => self.enable_optional_modes(),
                _ => {}
            }
            if matches!(event, Event::Reply(_)) {
                self.device.set_reply_time(self.link.reply_time());
            }
        }
    }

    fn apply_reply(&mut self, reply: &Reply, now: Instant) {
        self.link.acks.reply_received(now);
        let utf8 = self.caps.utf8;
        if self.caps.apply_reply(reply) {
            if utf8 != self.caps.utf8 {
                // Wide blocks have moved what came after them.
                self.encoder.invalidate();
            }
            self.encoder.set_output_caps(self.affordable_caps());
            self.link.set_terminal(self.caps.kind);
            self.enable_optional_modes();
        }
    }

    /// Switches on reports that only some terminals have, unless a half-sent frame is in the way.
    pub(super) fn enable_optional_modes(&mut self) {
        let cell = self.cell_size();
        if self.write_buffer.is_empty() {
            let pixels = self.mouse && self.caps.pixel_mouse && cell.is_some();
            let modes = [
                (self.caps.resizes, TerminalMode::Resizes),
                (self.caps.scheme_changes, TerminalMode::ColorScheme),
                (pixels, TerminalMode::PixelMouse),
            ];
            modes.into_iter().filter(|(known, _)| *known).for_each(|(_, mode)| self.device.enable(mode));
            self.pixel_mouse |= pixels;
        }
        self.device.set_pixel_mouse(cell.filter(|_| self.pixel_mouse));
    }
}
