//! The run loop: from here the app learns what time it is.
//!
//! Waits for events until the next frame is due; events become Actions; time becomes steps; and if the picture has
//! changed and the terminal takes it, a frame goes out.

use crate::app::action::{Action, Terminal, Window};
use crate::app::error::Failure;
use crate::app::files;
use crate::app::files::{failed, free_name};
use crate::app::overlay::frame_metrics::Stopwatch;
use crate::app::recorder::session::Reel;
use crate::app::share_code;
use crate::app::threads::Watcher;
use crate::app::{App, Options, Request};
use crate::term::{Caps, Event, Reply, Term, TermOptions};
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// The longest that simulating may hold up a frame. On a machine that needs longer, time runs slow.
const PATIENCE: Duration = Duration::from_millis(40);

/// Between frames in a window without the focus, which may be covered, and steps for each: a quarter of the usual speed.
/// Simulating is what takes the time (of 27 % of a core at 120×40 some 15; with 15 frames a second and all steps it was
/// still 18 to 23 %).
const UNFOCUSED: Duration = Duration::from_millis(1000 / 5);
const UNFOCUSED_STEPS: u32 = 3;

/// How often to look whether somebody has come, where nobody sees anything; and how long after a key or another event
/// somebody is taken to look in another way: scripts send keys to tmux and ask it for the screen.
const UNSEEN: Duration = Duration::from_millis(500);
const TOUCHED: Duration = Duration::from_secs(2);

/// How long to sleep where nothing can happen before the next event.
const ASLEEP: Duration = Duration::from_secs(1);

/// Ends the run by a panic after so many frames, so that tests can see what becomes of the terminal. In builds for tests
/// only: nobody's variable ends a program that is installed.
#[cfg(debug_assertions)]
pub const PANIC_AFTER: &str = "SLOSH_PANIC_AFTER";

/// After how many frames to panic.
#[cfg(debug_assertions)]
pub fn panic_after() -> Option<u64> {
    std::env::var(PANIC_AFTER).ok().and_then(|frames| frames.parse().ok())
}

/// Plays until it is told to end. A signal that did so is returned, with the terminal restored; see
/// [`crate::term::end_by`].
///
/// # Errors
/// If there is no terminal.
pub fn run(options: Options, terminal: &TermOptions, reel: Reel) -> Result<Option<i32>, Failure> {
    let mut run = Run::open(options, terminal, reel)?;
    let ended = run.play();
    run.term.close()?;
    // What went wrong with a recording was said for a moment only, in a window that is gone now.
    let recorded = run.reel.end().and_then(|_| run.reel.lost());
    match (ended, recorded) {
        (Ok(Some(signal)), Err(failure)) => {
            failure.report();
            Ok(Some(signal))
        }
        (ended, recorded) => ended.and_then(|signal| recorded.map(|()| signal)),
    }
}

/// The terminal's window as it is now.
fn window(term: &Term) -> Window {
    let (columns, rows) = term.size();
    Window { columns, rows, cell: term.cell_pixels().unwrap_or_default().into() }
}

/// Why the run ends.
enum End {
    Asked,
    Signal(i32),
    /// Nobody is there any more.
    Gone,
}

struct Run {
    term: Term,
    app: App,
    buffer: Buffer,
    reel: Reel,
    known: Option<Terminal>,
    stopwatch: Stopwatch,
    watcher: Watcher,
    /// What a step takes, smoothed.
    step_cost: Duration,
    /// When the last event came that was no answer.
    touched: Instant,
    /// When time was last told to the app, and when it will be told next.
    last: Instant,
    due: Instant,
    /// The last frame was dropped on its way, or the terminal does not show quite what it should.
    unfinished: bool,
    /// There is something to show, and the link has no room for it yet.
    held_up: bool,
    frames: u64,
    #[cfg(debug_assertions)]
    panic_after: Option<u64>,
}

impl Run {
    fn open(options: Options, terminal: &TermOptions, reel: Reel) -> io::Result<Self> {
        let term = Term::open(terminal)?;
        let options = Options { window: window(&term), ..options };
        let mut app = App::new(options);
        if reel.is_log() {
            app.keep_journal();
        }
        let now = Instant::now();
        Ok(Self {
            term,
            app,
            buffer: Buffer::default(),
            reel,
            known: None,
            stopwatch: Stopwatch::new(now),
            watcher: Watcher::new(now),
            step_cost: Duration::ZERO,
            touched: now,
            last: now,
            due: now,
            unfinished: false,
            held_up: false,
            frames: 0,
            #[cfg(debug_assertions)]
            panic_after: panic_after(),
        })
    }

    fn play(&mut self) -> Result<Option<i32>, Failure> {
        self.measure_window();
        self.learn();
        self.last = Instant::now();
        self.show()?;
        if self.reel.path.is_some() {
            self.reel.begin(&self.buffer, &self.app.take_notes())?;
        }
        let mut events = Vec::new();
        loop {
            self.term.wait(self.wake(), &mut events)?;
            if self.app.is_idle() {
                // Time that changed nothing is over; it must not be caught up with when things go on.
                let now = Instant::now();
                self.app.rest(now - self.last);
                self.last = now;
            }
            for event in events.drain(..) {
                match self.take(event)? {
                    None => {}
                    Some(End::Signal(signal)) => return Ok(Some(signal)),
                    Some(End::Asked | End::Gone) => return Ok(None),
                }
            }
            let now = Instant::now();
            if now >= self.due {
                self.frame(now)?;
                if let Some(End::Asked) = self.serve()? {
                    return Ok(None);
                }
            } else if self.held_up {
                // The answer that the link has waited for may have come.
                self.show_if_ready(now)?;
            }
        }
    }

    /// When to go on if no event comes before. A clock is told of every second when it begins.
    fn wake(&self) -> Instant {
        if !self.app.is_idle() || self.app.wants_frame() || self.unfinished {
            return self.due;
        }
        let second = self.app.options().wall_clock.as_ref().map(|dial| Instant::now() + dial.until_next());
        second.map_or(self.due + ASLEEP, |second| second.max(self.due))
    }

    /// Turns an event into what it asks for.
    fn take(&mut self, event: Event) -> io::Result<Option<End>> {
        match event {
            Event::Hangup => return Ok(Some(End::Gone)),
            Event::Quit(signal) => return Ok(Some(End::Signal(signal))),
            Event::Resize | Event::Resume => self.measure_window(),
            Event::Reply(Reply::Size { .. }) => self.measure_window(),
            Event::Reply(_) => self.learn(),
            other => {
                self.touched = Instant::now();
                self.due = self.due.min(self.touched + self.interval());
                if let Some(action) = self.app.hear(&other) {
                    self.app.update(action);
                }
            }
        }
        self.serve()
    }

    /// Does what the app cannot do itself.
    fn serve(&mut self) -> io::Result<Option<End>> {
        match self.app.take_request() {
            Some(Request::Quit) => Ok(Some(End::Asked)),
            Some(Request::Suspend) => self.term.suspend().map(|()| None),
            Some(Request::Code) => {
                self.share()?;
                Ok(None)
            }
            Some(Request::Save) => {
                let message = self.save().unwrap_or_else(|failure| failure.to_string());
                self.app.say(message);
                Ok(None)
            }
            Some(Request::Record) => {
                let message = self.reel.toggle(&self.buffer);
                self.app.say(message);
                Ok(None)
            }
            None => Ok(None),
        }
    }

    /// Writes the scene as it is now beside wherever we are, and says where.
    fn save(&self) -> Result<String, Failure> {
        let scene = self.app.scene_now();
        let path = free_name(Path::new(&files::name_for(&scene.name, "toml")));
        files::write(&path, scene.to_toml().as_bytes(), false).map_err(|error| failed(&path, &error))?;
        Ok(format!("saved {}", path.display()))
    }

    /// Copies the share code and shows it.
    fn share(&mut self) -> io::Result<()> {
        match self.app.recipe().code() {
            Ok(code) => {
                self.term.tell(&share_code::copying(&code))?;
                self.app.say(code);
            }
            Err(message) => self.app.say(message),
        }
        Ok(())
    }

    fn measure_window(&mut self) {
        let window = window(&self.term);
        self.buffer.resize(Rect::new(0, 0, window.columns, window.rows));
        self.app.update(Action::Resize(window));
    }

    /// Tells the app what is known of the terminal, where that has changed.
    fn learn(&mut self) {
        let terminal = abilities(self.term.caps());
        if self.known.replace(terminal) != Some(terminal) {
            self.app.update(Action::Terminal(terminal));
            // The size of a cell may be among the answers.
            self.measure_window();
        }
    }

    /// Tells the app that time has passed, and shows what came of it.
    fn frame(&mut self, now: Instant) -> io::Result<()> {
        // A recording is seen later.
        let unseen = self.term.is_unseen(now) && now - self.touched > TOUCHED;
        if unseen && !self.reel.is_running() {
            self.app.rest(now - self.last);
            self.last = now;
            self.due = now + UNSEEN;
            return Ok(());
        }
        let threads = self.watcher.look(now);
        if let Some(threads) = threads.filter(|_| self.app.options().simulation.threads_follow_load) {
            self.app.update(Action::Share(threads));
        }
        if let Some(dial) = &self.app.options().wall_clock {
            let seconds = dial.seconds();
            self.app.update(Action::Time(seconds));
        }
        self.stopwatch.start_simulating(PATIENCE);
        let most = (PATIENCE.as_nanos() / self.step_cost.as_nanos().max(1)).clamp(1, u32::MAX.into()) as u32;
        // A clock must be right when somebody looks, and nobody waits for words that flow back.
        let slow = !self.app.is_focused() && !self.reel.is_running() && !self.app.has_act();
        let most = if slow { most.min(UNFOCUSED_STEPS) } else { most };
        let steps = self.app.tick_watched(now - self.last, most, &mut self.stopwatch);
        if steps > 0 {
            self.step_cost = (self.step_cost * 7 + now.elapsed() / steps) / 8;
        }
        self.stopwatch.stepped(steps);
        self.last = now;
        if let Some(meters) = self.stopwatch.read(now) {
            self.app.update(Action::Measured(meters));
        }
        self.show_if_ready(now)?;
        self.due = (self.due + self.interval()).max(now);
        Ok(())
    }

    fn interval(&self) -> Duration {
        let interval = self.watcher.interval(self.app.fps());
        let seen = self.app.is_focused() || self.reel.is_running();
        if seen { interval } else { interval.max(UNFOCUSED) }
    }

    /// Draws a frame, begun `now`, if there is anything new to see and the link has room for it.
    fn show_if_ready(&mut self, now: Instant) -> io::Result<()> {
        let wanted = self.app.wants_frame() || self.unfinished;
        self.held_up = wanted && !self.term.ready(now);
        if wanted && !self.held_up { self.show() } else { Ok(()) }
    }

    fn show(&mut self) -> io::Result<()> {
        self.stopwatch.start();
        self.app.draw_watched(&mut self.buffer, &mut self.stopwatch);
        if self.reel.is_running()
            && let Some(said) = self.reel.frame(&self.buffer, &self.app.take_notes())
        {
            self.app.say(said);
        }
        let sent = self.term.draw(&self.buffer)?;
        self.stopwatch.sent(sent.bytes);
        self.unfinished = !(sent.sent && sent.exact);
        // A slow link may have cost colours, or given them back.
        self.learn();
        self.frames += 1;
        #[cfg(debug_assertions)]
        assert!(self.panic_after != Some(self.frames), "{PANIC_AFTER} asked for this");
        Ok(())
    }
}

/// What of a terminal's capabilities the app cares for.
fn abilities(caps: &Caps) -> Terminal {
    Terminal {
        glyphs: caps.glyphs,
        unicode: caps.utf8,
        depth: caps.depth,
        background: caps.background,
        key_release: caps.key_release,
    }
}
