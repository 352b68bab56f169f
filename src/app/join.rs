//! A guest's session on a shared tank: input becomes actions for the host, and the host's cells are drawn on this terminal,
//! at the pace of its link.
//!
//! The session requests a frame when the terminal has room for one, and the host answers with the newest. So a slow link gets
//! fewer frames, none of them old, and none is queued. The session writes no file and runs no program.

pub(crate) mod connection;
mod input;
mod overlay;
mod picture;
pub mod ssh;

use crate::app::action::event_map::EventMap;
use crate::app::action::{TerminalCaps, Window};
use crate::app::error::Error;
use crate::app::host::protocol;
use crate::app::host::protocol::{GuestView, TankStatus, ToGuest, ToHost};
use crate::app::options::{ControlOptions, LookOptions};
use crate::app::run::{abilities, window};
use crate::app::share_link;
use crate::app::shared_tank::{GuestId, GuestStatus, LinkMeters};
use crate::term::{Event, Reply, Term, TermOptions};
use connection::HostConnection;
use input::GuestInput;
use overlay::GuestOverlay;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// Interval of the loop while a direction is held.
const TURN: Duration = Duration::from_millis(16);

/// Interval of refinements of a frame that was sent with a loss.
const REFINE_INTERVAL: Duration = Duration::from_millis(40);

/// Interval of checks of a terminal that has not replied to the last frames yet. A reply wakes the session at once; the checks
/// are for lost replies, and for terminals that never reply.
const REPLY_INTERVAL: Duration = Duration::from_millis(250);

/// Interval of frames that are fetched, and not drawn, while no client of tmux is attached.
const HIDDEN_INTERVAL: Duration = Duration::from_secs(5);

/// Interval of measurements.
const METERS_INTERVAL: Duration = Duration::from_secs(1);

/// Upper limit on the bytes of a share code; that of an embedded scene has 60.
const MAX_CODE: usize = 1000;

/// Upper limit on a wait.
const MAX_WAIT: Duration = Duration::from_secs(1);

/// The options of a guest's session.
#[derive(Debug)]
pub struct JoinConfig {
    /// The name of the tank, for messages.
    pub tank: String,
    /// The name of the guest.
    pub name: String,
    pub look: LookOptions,
    pub controls: ControlOptions,
    pub terminal: TermOptions,
    /// For strangers: no program is run, and the session cannot be suspended.
    pub restricted: bool,
    /// The command with which others join, for the host's own session.
    pub invitation: Option<String>,
}

/// The reason for which a session ended.
enum Ended {
    /// The guest left.
    Left,
    Signal(i32),
    /// The terminal is gone.
    Hangup,
    /// The host closed the connection, with this reason.
    Host(String),
}

/// Runs the session until the guest leaves. Returns the signal that ended it, if any; the terminal is restored.
///
/// # Errors
/// If there is no terminal, or the host ends or refuses.
pub fn run(stream: UnixStream, config: JoinConfig) -> Result<Option<i32>, Error> {
    // The terminal is left alone if the host does not answer or has another version.
    let host = HostConnection::open(stream, &config.tank)?;
    let mut session = GuestSession::open(host, config)?;
    let ended = session.play();
    let tank = std::mem::take(&mut session.config.tank);
    session.term.close()?;
    match ended? {
        Ended::Left | Ended::Hangup => Ok(None),
        Ended::Signal(signal) => Ok(Some(signal)),
        Ended::Host(reason) => Err(Error::Run(format!("{tank}: {reason}"))),
    }
}

struct GuestSession {
    config: JoinConfig,
    term: Term,
    host: HostConnection,
    window: Window,
    terminal: TerminalCaps,
    /// The tank as the host drew it, and with the overlay.
    picture: Buffer,
    shown: Buffer,
    events: EventMap,
    input: GuestInput,
    overlay: GuestOverlay,
    status: TankStatus,
    scenes: Vec<String>,
    roster: Vec<GuestStatus>,
    /// When a frame was requested that has not arrived.
    asked: Option<Instant>,
    /// There is something to draw; the last frame was sent with a loss.
    stale: bool,
    unfinished: bool,
    drawn_at: Instant,
    meters: Meters,
    #[cfg(debug_assertions)]
    panic_after: Option<u64>,
}

/// Counts for the list of guests.
struct Meters {
    since: Instant,
    frames: u32,
    bytes: usize,
    #[cfg(debug_assertions)]
    all_frames: u64,
}

impl GuestSession {
    fn open(host: HostConnection, config: JoinConfig) -> Result<Self, Error> {
        let mut term = Term::open(&config.terminal)?;
        term.watch(host.descriptor()?);
        if config.restricted {
            term.run_nothing();
        }
        let now = Instant::now();
        let mut session = Self {
            window: window(&term),
            terminal: abilities(term.caps()),
            picture: Buffer::default(),
            shown: Buffer::default(),
            events: EventMap::default(),
            input: GuestInput::default(),
            overlay: GuestOverlay::default(),
            status: TankStatus::default(),
            scenes: Vec::new(),
            roster: Vec::new(),
            asked: None,
            stale: true,
            unfinished: false,
            drawn_at: now,
            meters: Meters {
                since: now,
                frames: 0,
                bytes: 0,
                #[cfg(debug_assertions)]
                all_frames: 0,
            },
            #[cfg(debug_assertions)]
            panic_after: crate::app::run::panic_after(),
            config,
            term,
            host,
        };
        let hello =
            ToHost::Hello { name: session.config.name.clone(), view: session.view(), remote: session.term.caps().ssh };
        session.host.send(&hello);
        if session.config.controls.hint {
            session.overlay.show_hint();
        }
        Ok(session)
    }

    fn play(&mut self) -> Result<Ended, Error> {
        let mut events = Vec::new();
        let mut last = Instant::now();
        loop {
            let until = self.wake();
            self.term.wait(until, &mut events)?;
            for event in events.drain(..) {
                if let Some(ended) = self.take(event)? {
                    return Ok(ended);
                }
            }
            if let Some(ended) = self.hear_host() {
                return Ok(ended);
            }
            let now = Instant::now();
            let elapsed = now - last;
            last = now;
            self.input.advance(elapsed, self.config.controls.tilt, &mut self.host);
            self.stale |= self.overlay.advance(elapsed);
            self.measure(now);
            self.show_if_ready(now)?;
            self.ask(now);
            self.host.flush();
        }
    }

    fn wake(&mut self) -> Instant {
        let now = Instant::now();
        let waits_for_terminal = self.stale || self.unfinished || self.asked.is_none();
        let wait = if self.input.is_changing(self.config.controls.tilt) || self.host.has_output() {
            TURN
        } else if !waits_for_terminal || self.term.has_output() || self.term.is_detached(now) {
            // Messages of the host wake the session, and so does a terminal that reads again.
            MAX_WAIT
        } else if self.term.is_link_full() {
            REPLY_INTERVAL
        } else {
            REFINE_INTERVAL
        };
        // The reply to a frame often arrives before the rate allows the next one. Nothing else wakes the session then.
        let next_frame = self.term.until_next_frame(now);
        let waits_for_rate = (self.stale || self.asked.is_none()) && !next_frame.is_zero();
        let wait = if waits_for_rate { wait.min(next_frame) } else { wait };
        // It sleeps until a text disappears. With a regular interval instead, and a message for each new guest, fifty guests
        // woke 3000 times a second.
        let wait = self.overlay.vanishes_in().map_or(wait, |left| wait.min(left));
        now + wait
    }

    /// Handles an event of the terminal.
    fn take(&mut self, event: Event) -> Result<Option<Ended>, Error> {
        match event {
            Event::Hangup => return Ok(Some(Ended::Hangup)),
            Event::Quit(signal) => return Ok(Some(Ended::Signal(signal))),
            Event::Resize | Event::Resume | Event::Reply(Reply::Size { .. }) => {
                self.resize();
                // The screen may be empty now, and a tank at rest sends no frame.
                self.stale = true;
            }
            Event::Reply(_) => {
                let terminal = abilities(self.term.caps());
                if self.terminal != terminal {
                    self.terminal = terminal;
                    self.resize();
                    self.change_view();
                }
            }
            event => {
                if event == Event::Focus(false) {
                    self.input.let_go();
                }
                let (keymap, releases) = (&self.config.controls.keymap, self.terminal.key_release);
                if let Some(action) = self.events.action(&event, keymap, releases, false) {
                    return self.perform(action);
                }
            }
        }
        Ok(None)
    }

    /// The cells of the window.
    fn area(&self) -> Rect {
        Rect::new(0, 0, self.window.columns, self.window.rows)
    }

    /// Handles a change of the size of the window or of its cells. The old picture stays until the host has drawn a new one.
    fn resize(&mut self) {
        let window = window(&self.term);
        if self.window != window {
            self.window = window;
            self.change_view();
            self.stale = true;
        }
    }

    /// Requests another view.
    fn change_view(&mut self) {
        self.host.send(&ToHost::View(self.view()));
    }

    fn view(&self) -> GuestView {
        GuestView { window: self.window, terminal: self.terminal, look: self.config.look.clone() }
    }

    /// Handles the host's messages. Returns the reason if the session ends.
    fn hear_host(&mut self) -> Option<Ended> {
        let closed = self.host.read();
        loop {
            let message = match self.host.next() {
                Ok(Some(message)) => message,
                Ok(None) => break,
                Err(error) => return Some(Ended::Host(error)),
            };
            match self.hear(&message) {
                Ok(None) => {}
                Ok(ended) => return ended,
                Err(error) => return Some(Ended::Host(format!("the host sent an invalid message: {error}"))),
            }
        }
        closed.then(|| Ended::Host("the host has ended".to_owned()))
    }

    fn hear(&mut self, message: &[u8]) -> Result<Option<Ended>, String> {
        match protocol::read(message)? {
            ToGuest::Frame(frame) => {
                self.asked = None;
                // It may be smaller than the window, or have its former size: it is stretched then.
                let area = Rect::new(0, 0, frame.columns, frame.rows);
                if self.picture.area != area {
                    frame.apply(|_, _| ())?;
                    self.picture = Buffer::empty(area);
                }
                let picture = &mut self.picture.content;
                frame.apply(|at, cell| cell.put(&mut picture[at]))?;
                self.stale = true;
            }
            ToGuest::Bandwidth(bandwidth) => self.term.limit_bandwidth(bandwidth),
            ToGuest::Welcome { name, scenes } => {
                self.overlay.say(format!("you are {name}"));
                self.scenes = scenes;
            }
            ToGuest::Status(status) => {
                self.stale |= self.status != status;
                self.status = status;
            }
            ToGuest::Tell(line) => {
                self.overlay.say(line);
                self.stale = true;
            }
            ToGuest::Roster(rows) => {
                let status = |(number, row): (usize, protocol::RosterRow)| GuestStatus {
                    id: GuestId(number as u16),
                    name: row.name.into(),
                    color: row.color,
                    link: row.link,
                };
                self.roster = rows.into_iter().enumerate().map(status).collect();
                self.stale |= self.overlay.stats;
            }
            ToGuest::Copy(code) => self.copy(&code).map_err(|error| error.to_string())?,
            ToGuest::Goodbye(reason) => return Ok(Some(Ended::Host(reason))),
        }
        Ok(None)
    }

    /// Copies the command or link that opens a share code to the terminal's clipboard.
    fn copy(&mut self, code: &str) -> Result<(), Error> {
        let is_code = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if !code.is_empty() && code.len() <= MAX_CODE && code.chars().all(is_code) {
            let command = share_link::of(code);
            self.term.send_sequence(&share_link::copying(&command))?;
            self.overlay.say(format!("copied: {command}"));
            self.stale = true;
        }
        Ok(())
    }

    /// Shows a frame if there is something new and the link is ready.
    fn show_if_ready(&mut self, now: Instant) -> Result<(), Error> {
        let refined = self.unfinished && now - self.drawn_at >= REFINE_INTERVAL;
        if !(self.stale || refined) || !self.term.ready(now) || self.term.is_detached(now) {
            return Ok(());
        }
        let area = self.area();
        picture::fit(&self.picture, area, &mut self.shown);
        self.draw_overlay();
        let sent = self.term.draw(&self.shown)?;
        self.meters.frames += u32::from(sent.sent && sent.cells > 0);
        self.meters.bytes += sent.bytes;
        self.unfinished = !(sent.sent && sent.exact);
        (self.stale, self.drawn_at) = (!sent.sent, now);
        #[cfg(debug_assertions)]
        {
            self.meters.all_frames += 1;
            let name = crate::app::run::PANIC_AFTER;
            assert!(self.panic_after != Some(self.meters.all_frames), "{name} asked for this");
        }
        Ok(())
    }

    /// Requests the next frame, once the link has room for it.
    fn ask(&mut self, now: Instant) {
        if self.asked.is_some() || self.stale {
            return;
        }
        let wait = if self.term.is_detached(now) { HIDDEN_INTERVAL } else { Duration::ZERO };
        if self.term.ready(now) && now - self.drawn_at >= wait {
            (self.asked, self.drawn_at) = (Some(now), if wait.is_zero() { self.drawn_at } else { now });
            self.host.send(&ToHost::Next);
        }
    }

    fn measure(&mut self, now: Instant) {
        let elapsed = now - self.meters.since;
        if elapsed < METERS_INTERVAL {
            return;
        }
        let seconds = elapsed.as_secs_f32();
        let delay = self.term.link().rate().map(|_| self.term.link().reply_time().as_secs_f32());
        let link = LinkMeters {
            frames: self.meters.frames as f32 / seconds,
            bytes: self.meters.bytes as f32 / seconds,
            delay,
        };
        self.host.send(&ToHost::Meters(link));
        (self.meters.since, self.meters.frames, self.meters.bytes) = (now, 0, 0);
    }
}
