//! Sends the queries of [`Caps`] and waits for the replies, for diagnostics. An interactive session never waits.

use std::io;
use std::time::{Duration, Instant};

use crate::term::input::event::{Event, Reply};
use crate::term::tty::platform::{TerminalConnection, TerminalMode};
use crate::term::{Caps, Size};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueryResult {
    pub size: Option<Size>,
    pub first_reply: Option<Duration>,
    /// Whether the last query was replied to, so that all others were replied to or ignored.
    pub complete: bool,
}

/// Sends the queries and waits until the last one is replied to, until `timeout` has passed or until Ctrl-C. Restores the
/// terminal.
pub fn query(caps: &mut Caps, timeout: Duration) -> io::Result<QueryResult> {
    let queries = caps.queries();
    if queries.is_empty() {
        return Ok(QueryResult::default());
    }
    // Key releases are reported only while they are switched on.
    let mut device = TerminalConnection::open(&[TerminalMode::Keyboard])?;
    let mut result = QueryResult { size: device.size(), ..QueryResult::default() };
    if TerminalConnection::CAN_REPLY {
        let (start, mut events, mut ended) = (Instant::now(), Vec::new(), false);
        device.query_sent();
        device.write(queries.as_bytes())?;
        while !result.complete && !ended && start.elapsed() < timeout {
            device.wait(start + timeout, false, &mut events)?;
            for event in events.drain(..) {
                match event {
                    Event::Reply(reply) => {
                        result.first_reply.get_or_insert(start.elapsed());
                        caps.apply_reply(&reply);
                        result.complete |= matches!(reply, Reply::PrimaryAttributes(_));
                    }
                    Event::Key(key) => ended |= key.is_interrupt(),
                    other => ended |= matches!(other, Event::Quit(_) | Event::Hangup),
                }
            }
        }
        // Some terminals (Terminal.app) print the end of a query that they do not know.
        device.write(b"\r\x1b[K")?;
    }
    Ok(result)
}
