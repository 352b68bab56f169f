//! A session: the app in this terminal, and the only loop around a terminal. It passes events to the app as Actions and the
//! elapsed time as ticks, and sends a frame if the picture has changed and the link is ready. Where the tank is simulated makes
//! no difference but for the time of the next tick: a host or a recording says it.

pub mod frame_metrics;
pub mod interactive;
pub mod share_link;
pub mod threads;

use crate::app::action::{Action, TerminalCaps, Window};
use crate::app::demo::wall_clock::DemoClock;
use crate::app::error::Error;
use crate::app::files::{failed, free_name};
use crate::app::record::session::Recorder;
use crate::app::session::frame_metrics::FrameStopwatch;
use crate::app::session::threads::Watcher;
use crate::app::tank::feed::FeedReader;
use crate::app::{App, Request, files};
use crate::cell::color::TerminalColors;
use crate::term::{Caps, Event, Key, KeyCode, Reply, Term, TermOptions};
use ratatui::buffer::Buffer;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::{Duration, Instant};

/// Upper limit on the simulation time of a frame. A machine that needs longer shows slow motion.
const MAX_SIMULATION: Duration = Duration::from_millis(40);

/// Frame interval in a window without the focus, and steps for each: a quarter of real time.
const UNFOCUSED_INTERVAL: Duration = Duration::from_millis(1000 / 5);
const UNFOCUSED_STEPS: u32 = 3;

/// Interval of the checks whether the picture is visible again; and the time after an event for which it counts as visible.
const HIDDEN_INTERVAL: Duration = Duration::from_millis(500);
const VISIBLE_AFTER_INPUT: Duration = Duration::from_secs(2);

/// Interval of refinements of a frame that was sent with a loss, where no other frame is due.
const REFINE_INTERVAL: Duration = Duration::from_millis(40);

/// Interval of checks for lost replies, and for terminals that never reply.
const REPLY_INTERVAL: Duration = Duration::from_millis(250);

/// Longest time after the start until a recording begins, if the terminal does not reply.
const MAX_WAIT_FOR_COLORS: Duration = Duration::from_millis(500);

const MAX_WAIT: Duration = Duration::from_secs(1);

/// Interval in which a tank at rest looks for numbers that drive it.
const FEED_INTERVAL: Duration = Duration::from_millis(16);

/// Panics after this many frames, so that tests can check that the terminal is restored. In debug builds only.
#[cfg(debug_assertions)]
pub const PANIC_AFTER: &str = "SLOSH_PANIC_AFTER";

/// Runs an app until the user quits or a signal, which is returned, arrives; the terminal is restored. `build` makes the app for
/// this window, and tells the recorder how it starts. See [`crate::term::end_by`].
pub fn run(
    terminal: &TermOptions,
    recorder: Recorder,
    build: impl FnOnce(Window, TerminalCaps, &mut Recorder) -> App,
) -> Result<Option<i32>, Error> {
    let mut session = Session::open(terminal, recorder, build)?;
    let ended = session.play();
    let command = session.share_command.take().filter(|_| !session.term.caps.clipboard);
    drop(session.term);
    if let Some(command) = command {
        // The terminal may be gone.
        let _ = writeln!(io::stdout(), "{command}");
    }
    // An error of a recording was only shown in the window, which is closed now.
    let begun = session.record_by.take().map_or(Ok(()), |_| session.recorder.begin(&session.buffer, ""));
    let finished = session.recorder.end(&session.app.log.take());
    let recorded = begun.and(finished).and_then(|_| session.recorder.lost());
    match (ended, recorded) {
        (Ok(Some(signal)), Err(failure)) => {
            failure.report();
            Ok(Some(signal))
        }
        (ended, recorded) => ended.and_then(|signal| recorded.map(|()| signal)),
    }
}

fn window(term: &Term) -> Window {
    let (columns, rows) = term.size();
    let (most_columns, most_rows) = Window::LARGEST;
    let cell = term.cell_pixels().unwrap_or_default().into();
    Window { columns: columns.min(most_columns), rows: rows.min(most_rows), cell }
}

fn abilities(caps: &Caps) -> TerminalCaps {
    TerminalCaps {
        glyphs: caps.glyphs,
        unicode: caps.utf8,
        depth: caps.depth,
        background: caps.colors.background,
        hides_background: caps.hides_background(),
        key_release: caps.key_release,
    }
}

struct Session {
    term: Term,
    app: App,
    buffer: Buffer,
    recorder: Recorder,
    /// The latest time at which a recording that is wanted from the start begins.
    record_by: Option<Instant>,
    clock: Option<DemoClock>,
    feed: Option<FeedReader>,
    /// Those of the terminal that the app has been told.
    colors: TerminalColors,
    stopwatch: FrameStopwatch,
    watcher: Watcher,
    step_cost: Duration,
    touched: Instant,
    /// Time of the last and of the next tick.
    last: Instant,
    due: Instant,
    /// When the last frame was drawn, if it was not sent exactly.
    unfinished: Option<Instant>,
    held_up: bool,
    frames: u64,
    /// Printed at the end if the terminal has not confirmed that it can copy.
    share_command: Option<String>,
    #[cfg(debug_assertions)]
    panic_after: Option<u64>,
}

impl Session {
    fn open(
        terminal: &TermOptions,
        mut recorder: Recorder,
        build: impl FnOnce(Window, TerminalCaps, &mut Recorder) -> App,
    ) -> Result<Self, Error> {
        #[cfg_attr(not(unix), expect(unused_mut))]
        let mut term = Term::open(terminal)?;
        let window = window(&term);
        let mut app = build(window, abilities(&term.caps), &mut recorder);
        if recorder.is_log() {
            app.log.start();
        }
        if let Some(note) = app.options().note.clone() {
            app.show_message(note);
        }
        #[cfg(unix)]
        if let Some(remote) = app.remote() {
            term.device.watched = Some(remote.host.stream.try_clone()?.into());
            if remote.config.restricted {
                term.device.tmux = None;
            }
        }
        let now = Instant::now();
        Ok(Self {
            term,
            clock: app.options.clock.take(),
            feed: app.options.feed.take(),
            app,
            buffer: Buffer::default(),
            recorder,
            record_by: None,
            colors: TerminalColors::default(),
            stopwatch: FrameStopwatch::new(now),
            watcher: Watcher::new(now),
            step_cost: Duration::ZERO,
            touched: now,
            last: now,
            due: now,
            unfinished: None,
            held_up: false,
            frames: 0,
            share_command: None,
            #[cfg(debug_assertions)]
            panic_after: std::env::var(PANIC_AFTER).ok().and_then(|frames| frames.parse().ok()),
        })
    }

    fn play(&mut self) -> Result<Option<i32>, Error> {
        self.measure_window();
        self.report_caps();
        self.last = Instant::now();
        if self.app.tank.is_here() {
            self.show()?;
        }
        if self.recorder.is_log() {
            self.recorder.begin(&self.buffer, &self.app.log.take())?;
        } else if self.recorder.path.is_some() {
            self.record_by = Some(self.last + MAX_WAIT_FOR_COLORS);
        }
        let mut events = Vec::new();
        loop {
            let wake = self.wake();
            let until = self.record_by.map_or(wake, |latest| latest.min(wake));
            self.term.wait(until, &mut events)?;
            if self.app.is_idle() {
                let now = Instant::now();
                self.app.rest(now - self.last);
                self.last = now;
            }
            for event in events.drain(..) {
                if let ControlFlow::Break(signal) = self.take(event)? {
                    return Ok(signal);
                }
            }
            #[cfg(unix)]
            self.read_feed();
            let now = Instant::now();
            if now >= self.due || !self.app.tank.is_here() {
                self.frame(now)?;
                if let ControlFlow::Break(signal) = self.serve()? {
                    return self.app.tank.failure.take().map_or(Ok(signal), Err);
                }
            } else if self.held_up {
                // The reply that the link waited for may have arrived.
                self.show_if_ready(now)?;
            }
            self.begin_recording()?;
        }
    }

    /// Frames before the replies have colours that were guessed, so a recording begins with the first one after them. A log has all
    /// Actions and begins at the start.
    fn begin_recording(&mut self) -> Result<(), Error> {
        let Some(latest) = self.record_by else { return Ok(()) };
        let is_due = if self.term.awaits_caps() { Instant::now() >= latest } else { !self.app.wants_frame() };
        if is_due {
            self.record_by = None;
            self.recorder.begin(&self.buffer, "")?;
        }
        Ok(())
    }

    /// The time at which to continue without an event. A demo with a wall clock wakes every second.
    fn wake(&mut self) -> Instant {
        if !self.app.tank.is_here() {
            return self.wake_for_source();
        }
        if !self.app.is_idle() || self.app.wants_frame() || self.unfinished.is_some() {
            return self.due;
        }
        if self.feed.is_some() {
            return self.due.min(Instant::now() + FEED_INTERVAL);
        }
        let second = self.clock.as_ref().map(|clock| Instant::now() + clock.until_next());
        second.map_or(self.due + MAX_WAIT, |second| second.max(self.due))
    }

    /// The same for a tank that is simulated elsewhere: sleeps until the source has something, and until the link has room if
    /// something waits for that.
    fn wake_for_source(&mut self) -> Instant {
        let now = Instant::now();
        let asks = self.app.remote().is_some_and(|remote| !remote.asked);
        let waits_for_link = self.app.wants_frame() || self.unfinished.is_some() || asks;
        let for_link = if !waits_for_link || !self.term.write_buffer.is_empty() || self.term.is_detached(now) {
            MAX_WAIT
        } else if self.term.link.is_full() {
            REPLY_INTERVAL
        } else {
            // The reply to a frame often arrives before the rate allows the next one. Nothing else wakes the session then.
            let next = self.term.link.until_next_frame(now);
            if next.is_zero() { REFINE_INTERVAL } else { next.min(REFINE_INTERVAL) }
        };
        now + self.app.next_change().map_or(for_link, |change| change.min(for_link))
    }

    #[cfg(unix)]
    fn read_feed(&mut self) {
        let Some(feed) = &mut self.feed else { return };
        let actions = feed.read(&self.app.tank.feed);
        let ended = feed.ended;
        for action in actions {
            self.app.update(action);
        }
        self.feed.take_if(|_| ended);
    }

    fn take(&mut self, event: Event) -> io::Result<ControlFlow<Option<i32>>> {
        match event {
            Event::Hangup => return Ok(ControlFlow::Break(None)),
            Event::Quit(signal) => return Ok(ControlFlow::Break(Some(signal))),
            Event::Resize | Event::Resume | Event::Reply(Reply::Size { .. }) => self.measure_window(),
            Event::Reply(_) => self.report_caps(),
            // It is reported late, because it may have been the start of a reply.
            Event::Key(Key { code: KeyCode::Esc, .. }) if self.app.was_arming(self.term.device.input_age()) => {}
            other => {
                self.touched = Instant::now();
                self.due = self.due.min(self.touched + self.interval());
                if let Some(action) = self.app.map_event(&other) {
                    self.app.update(action);
                }
            }
        }
        self.serve()
    }

    fn serve(&mut self) -> io::Result<ControlFlow<Option<i32>>> {
        match self.app.take_request() {
            None => {}
            Some(Request::Quit) => return Ok(ControlFlow::Break(None)),
            Some(Request::Suspend) => {
                if let Some(signal) = self.term.stop(true)? {
                    return Ok(ControlFlow::Break(Some(signal)));
                }
            }
            Some(Request::Ring) => self.term.send_sequence("\x07")?,
            Some(Request::CopyShareCode) => match self.app.share_text() {
                Ok(code) => {
                    let command = share_link::of(&code);
                    share_link::copy(&mut self.term, &command)?;
                    self.app.show_message(format!("copied: {command}"));
                    self.share_command = Some(command);
                }
                Err(message) => self.app.show_message(message),
            },
            Some(Request::Save) => {
                let message = self.save().unwrap_or_else(|failure| failure.to_string());
                self.app.show_message(message);
            }
            Some(Request::Record) => {
                let mut message = self.recorder.toggle(&self.buffer, &self.app.log.take());
                // One that had only waited for its first frame has begun now, and ends.
                if self.record_by.take().is_some() && self.recorder.is_running() {
                    message = self.recorder.toggle(&self.buffer, "");
                }
                // A `.slosh` begins at the start: after its end nothing takes the log.
                self.app.log.stop();
                self.app.show_message(message);
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn save(&self) -> Result<String, Error> {
        let scene = self.app.scene_now();
        let path = free_name(Path::new(&files::name_for(&scene.name, "toml")));
        files::write(&path, scene.to_toml().as_bytes(), false).map_err(|error| failed(&path, &error))?;
        Ok(format!("saved {}", path.display()))
    }

    fn measure_window(&mut self) {
        let window = window(&self.term);
        self.buffer.resize(window.area());
        self.app.update(Action::Resize(window));
    }

    fn report_caps(&mut self) {
        let terminal = abilities(&self.term.caps);
        if terminal != self.app.picture.terminal {
            self.app.update(Action::Terminal(terminal));
            // The size of a cell may be among the replies.
            self.measure_window();
        }
        let colors = self.term.caps.colors;
        self.recorder.colors = colors;
        if self.term.caps.asks_colors && colors != self.colors {
            self.colors = colors;
            self.app.update(Action::TerminalColors(colors));
        }
    }

    fn frame(&mut self, now: Instant) -> io::Result<()> {
        // A recording and a timer continue in a hidden window.
        let hidden = self.term.is_detached(now);
        let counts_down = matches!(self.clock, Some(DemoClock::Countdown(_)));
        let unseen = hidden && !counts_down && now - self.touched > VISIBLE_AFTER_INPUT;
        if unseen && !self.recorder.is_running() && self.app.tank.is_here() {
            self.app.rest(now - self.last);
            self.last = now;
            self.due = now + HIDDEN_INTERVAL;
            return Ok(());
        }
        let threads = self.watcher.look(now);
        if let Some(threads) = threads.filter(|_| self.app.options().simulation.threads_follow_load) {
            self.app.update(Action::SetThreads(threads));
        }
        if let Some(clock) = &mut self.clock {
            let action = clock.action(self.app.clock().paused());
            self.app.update(action);
        }
        self.stopwatch.start();
        let end = Instant::now() + MAX_SIMULATION;
        let most = (MAX_SIMULATION.as_nanos() / self.step_cost.as_nanos().max(1)).clamp(1, u32::MAX.into()) as u32;
        // Demos keep their rate: a clock must be right when looked at, and slow text would delay the end.
        let slow = !self.is_watched() && self.app.tank.demo.is_none();
        let most = if slow { most.min(UNFOCUSED_STEPS) } else { most };
        let is_late = || Instant::now() > end;
        let steps = self.app.tick_observed(now - self.last, most, &mut self.stopwatch, is_late);
        self.watcher.worked(now.elapsed());
        if steps > 0 {
            self.step_cost = (self.step_cost * 7 + now.elapsed() / steps) / 8;
        }
        self.stopwatch.stepped(steps);
        self.last = now;
        if let Some(meters) = self.stopwatch.read(now) {
            self.app.update(Action::Measured(meters));
        }
        self.show_if_ready(now)?;
        self.serve_host(now, hidden);
        self.due = (self.due + self.interval()).max(now);
        Ok(())
    }

    /// Reports to a host, and requests its next frame once the link has room for it.
    fn serve_host(&mut self, now: Instant, hidden: bool) {
        let delay = self.term.link.rate().map(|_| self.term.link.reply_time().as_secs_f32());
        let ready = !hidden && !self.app.wants_frame() && self.term.ready(now);
        if let Some(remote) = self.app.remote() {
            remote.report(delay);
            if ready {
                remote.ask();
            }
            if let Some(limit) = remote.bandwidth.take() {
                self.term.link.share = limit.map(f64::from);
            }
        }
    }

    /// Whether the picture is to be as smooth as in the window with the focus: music is fed from another window.
    fn is_watched(&self) -> bool {
        self.app.input.focused || self.recorder.is_running() || self.feed.is_some()
    }

    fn interval(&self) -> Duration {
        let interval = self.watcher.interval(self.app.fps());
        if self.is_watched() { interval } else { interval.max(UNFOCUSED_INTERVAL) }
    }

    fn show_if_ready(&mut self, now: Instant) -> io::Result<()> {
        let refined = self.unfinished.is_some_and(|drawn| now - drawn >= REFINE_INTERVAL);
        let wanted = self.app.wants_frame() || refined;
        let hidden = !self.app.tank.is_here() && self.term.is_detached(now);
        self.held_up = wanted && (hidden || !self.term.ready(now));
        if wanted && !self.held_up { self.show() } else { Ok(()) }
    }

    fn show(&mut self) -> io::Result<()> {
        self.stopwatch.start();
        self.app.draw_observed(&mut self.buffer, |stage| self.stopwatch.stage_finished(stage));
        if self.recorder.is_running()
            && let Some(said) = self.recorder.frame(&self.buffer, &self.app.log.take())
        {
            self.app.log.stop();
            self.app.show_message(said);
        }
        let sent = self.term.draw(&self.buffer)?;
        self.stopwatch.sent(sent.bytes, sent.cells > 0);
        self.unfinished = (!sent.exact).then(Instant::now);
        // A slow link may have reduced the colours, or restored them.
        self.report_caps();
        self.frames += 1;
        #[cfg(debug_assertions)]
        assert!(self.panic_after != Some(self.frames), "{PANIC_AFTER} asked for this");
        Ok(())
    }
}
