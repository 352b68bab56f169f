//! The questions of [`Caps`], with somebody waiting for the answers: for `slosh doctor`. The toy never waits.

use std::io;
use std::time::{Duration, Instant};

use crate::term::input::event::{Event, Key, KeyCode, Mods, Reply};
use crate::term::tty::platform::{Device, TerminalMode};
use crate::term::{Caps, Size};

/// What asking brought, besides what the capabilities learned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueryResult {
    pub size: Option<Size>,
    /// How long the first answer took; `None` if there was none.
    pub answered: Option<Duration>,
    /// All questions were answered, or passed over.
    pub complete: bool,
}

/// Asks the terminal on standard output, and waits for its answers until it has given the last, until `patience` ends
/// or until somebody presses Ctrl-C. The terminal is then as it was.
///
/// # Errors
/// If standard output is not a terminal, or it cannot be put into raw mode.
pub fn ask(caps: &mut Caps, patience: Duration) -> io::Result<QueryResult> {
    let questions = caps.questions();
    if questions.is_empty() {
        return Ok(QueryResult::default());
    }
    // Key releases are reported as long as they are asked for, so what the flags would be must be tried.
    let mut device = Device::open(&[TerminalMode::Keyboard])?;
    let mut asked = QueryResult { size: device.size(), ..QueryResult::default() };
    if device.answers() {
        let start = Instant::now();
        device.asked();
        device.write(questions.as_bytes())?;
        listen(&mut device, caps, &mut asked, start, start + patience)?;
    }
    device.leave();
    Ok(asked)
}

fn listen(
    device: &mut Device,
    caps: &mut Caps,
    asked: &mut QueryResult,
    start: Instant,
    end: Instant,
) -> io::Result<()> {
    let mut events = Vec::new();
    while Instant::now() < end {
        device.wait(end, false, &mut events)?;
        for event in events.drain(..) {
            match event {
                Event::Reply(reply) => {
                    asked.answered.get_or_insert(start.elapsed());
                    caps.learn(&reply);
                    asked.complete |= matches!(reply, Reply::PrimaryAttributes(_));
                }
                Event::Key(Key { code: KeyCode::Char('c'), mods: Mods::CTRL, .. }) => return Ok(()),
                Event::Quit(_) | Event::Hangup => return Ok(()),
                _ => {}
            }
        }
        if asked.complete {
            return Ok(());
        }
    }
    Ok(())
}
