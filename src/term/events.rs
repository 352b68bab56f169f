//! What comes from the terminal: events, and answers that are taken to heart.

use crate::term::Term;
use crate::term::input::event;
use crate::term::input::event::{Event, Reply};
use crate::term::tty::platform::TerminalMode;
use std::io;
use std::time::Instant;

impl Term {
    /// Waits for events, at most until `until`, and appends them to `out`; pointer motion is reduced
    /// to the last of each run.
    ///
    /// # Errors
    /// After [`Event::Hangup`] was told, or if another thread panicked (which restored the terminal).
    pub fn wait(&mut self, until: Instant, out: &mut Vec<Event>) -> io::Result<()> {
        let start = out.len();
        out.append(&mut self.queued);
        while out.len() == start {
            let woke = self.device.wait(until, !self.outbox.is_empty(), out)?;
            if woke.writable {
                self.send()?;
            }
            if woke.stop {
                self.stop(false, out)?;
            } else if woke.continued {
                self.continued(out)?;
            }
            if Instant::now() >= until {
                break;
            }
        }
        self.heed(&out[start..]);
        event::coalesce_motion(out);
        Ok(())
    }

    /// Takes answers to heart; the application sees them too.
    fn heed(&mut self, events: &[Event]) {
        let now = Instant::now();
        for event in events {
            match event {
                Event::Reply(Reply::Status) => self.answered(now),
                Event::Reply(reply) => self.learn(reply, now),
                Event::Resize => self.refine(),
                _ => {}
            }
        }
    }

    fn answered(&mut self, now: Instant) {
        self.link.answered(now);
        self.device.set_answer_time(self.link.answer_time());
    }

    fn learn(&mut self, reply: &Reply, now: Instant) {
        self.link.heard(now);
        self.device.set_answer_time(self.link.answer_time());
        if self.caps.learn(reply) {
            self.adapt();
            self.link.set_host(self.caps.host);
            self.refine();
        }
    }

    /// Asks for reports that only some terminals know, as soon as no half-sent frame is in the way.
    pub(super) fn refine(&mut self) {
        if self.caps.resizes && self.outbox.is_empty() {
            self.device.turn_on(TerminalMode::Resizes);
        }
        self.refine_mouse();
    }

    /// Reports in pixels, as soon as the terminal knows them, the size of a cell is known, and no
    /// half-sent frame is in the way.
    fn refine_mouse(&mut self) {
        let cell = self.cell_size();
        if self.mouse && self.caps.pixel_mouse && cell.is_some() && self.outbox.is_empty() {
            self.device.turn_on(TerminalMode::PixelMouse);
            self.pixel_mouse = true;
        }
        self.device.set_pixel_mouse(cell.filter(|_| self.pixel_mouse));
    }

    /// Speaks as the terminal turned out to understand.
    fn adapt(&mut self) {
        let dialect = self.bearable();
        if dialect != self.screen.dialect() {
            self.screen.set_dialect(dialect);
        }
    }
}
