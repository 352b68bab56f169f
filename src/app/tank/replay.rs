//! A recording as the source of a tank: it plays at the recorded pace, in the middle of the window.

use crate::app::action::Action;
use crate::app::record::replay::{Played, Replay};
use crate::app::tank::{Source, empty_scene};
use crate::app::{App, ControlOptions, Options, Request};
use crate::sim::clock::{Clock, MAX_FRAME};
use crate::view::raster;
use ratatui::buffer::Buffer;
use std::time::{Duration, Instant};

/// Upper limit on the time of one advance without a frame: keys must work meanwhile.
const MAX_ADVANCE: Duration = Duration::from_millis(40);

pub struct ReplayTank {
    replay: Replay,
    now: Duration,
    /// The time of the frame that was played last, if it has not been shown.
    next: Option<Duration>,
}

pub fn refusal(action: Action) -> Option<&'static str> {
    use Action::*;
    match action {
        Quit | Back | Suspend | Pause | Slower | Faster | Help | Record => None,
        Resize(_) | Terminal(_) | Focus(_) | Measured(_) => None,
        // Without a message.
        Move(_) | Release(_) | ReleaseDirection(_) | UnknownKey => Some(""),
        _ => Some("not in a recording"),
    }
}

impl ReplayTank {
    pub fn app(replay: Replay, controls: ControlOptions) -> App {
        let controls = ControlOptions { hint: false, ..controls };
        let options = Options { controls, ..Options::new(empty_scene("recording"), Vec::new()) };
        App::with_source(options, Source::Replay(Box::new(Self { replay, now: Duration::ZERO, next: None })))
    }

    pub fn next_frame(&self, clock: &Clock) -> Option<Duration> {
        let left = self.next.map_or(Duration::ZERO, |at| at.saturating_sub(self.now));
        (!clock.paused()).then(|| left.div_f32(clock.speed()))
    }

    pub fn draw(&self, unicode: bool, buf: &mut Buffer) {
        buf.reset();
        lay(&self.replay.frame, buf);
        if !unicode {
            raster::to_ascii(buf);
        }
    }
}

impl App {
    pub(in crate::app) fn advance_replay(&mut self, elapsed: Duration) {
        let Source::Replay(tank) = &mut self.tank.source else { return };
        if self.tank.clock.paused() {
            return;
        }
        // Playback does not catch up after a stop, or on a slow machine.
        tank.now += elapsed.min(MAX_FRAME).mul_f32(self.tank.clock.speed());
        let end = Instant::now() + MAX_ADVANCE;
        while Instant::now() < end {
            if let Some(at) = tank.next {
                if at > tank.now {
                    break;
                }
                tank.now = tank.now.min(at + MAX_FRAME);
                tank.next = None;
                self.picture.stale = true;
            }
            match tank.replay.play_line() {
                Ok(Played::Frame(at)) => tank.next = Some(at),
                Ok(Played::LogEntry) => {}
                Ok(Played::All) => {
                    self.request = Some(Request::Quit);
                    return;
                }
                Err(error) => return self.fail(error),
            }
        }
    }
}

/// Copies a frame to the middle of a window of any size, cut on all sides if it is larger.
fn lay(frame: &Buffer, window: &mut Buffer) {
    let offset = |frame: u16, window: u16| (i32::from(window) - i32::from(frame)) / 2;
    let (x, y) = (offset(frame.area.width, window.area.width), offset(frame.area.height, window.area.height));
    for at in frame.area.positions() {
        let place = (u16::try_from(i32::from(at.x) + x), u16::try_from(i32::from(at.y) + y));
        if let (Ok(column), Ok(row)) = place
            && let Some(cell) = window.cell_mut((column, row))
        {
            cell.clone_from(&frame[at]);
        }
    }
}
