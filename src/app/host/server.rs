//! The host's loop: it accepts guests, carries out their actions, and sends frames, while the tank steps at its fixed rate.
//!
//! Each step of the tank has a turn of the loop, which reads the messages of guests, steps the tank, and draws and sends the
//! views that guests wait for. Nothing in it blocks, so no guest delays another.

use crate::app::action::Window;
use crate::app::error::{Error, warn};
use crate::app::host::protocol;
use crate::app::host::protocol::{
    GREETING, MAX_TO_HOST, PicturePart, RosterRow, Splitter, TankStatus, ToGuest, ToHost, VERSION, ViewSettings,
};
use crate::app::host::rate_limit::{Allowance, RateLimit};
use crate::app::host::views::{ViewId, Views};
use crate::app::shared_tank::panes::{Pane, PaneLayout, Seams};
use crate::app::shared_tank::recording::TankRecorder;
use crate::app::shared_tank::{GuestAction, GuestId, GuestName, HostAction, SharedTank, Verdict};
use crate::scene;
use crate::scene::Scene;
use crate::scene::share_code::ShareCode;
use crate::sim::clock::STEP;
use crate::view::{ColorBy, palette};
use ratatui::layout::Rect;
use rustix::event::{PollFd, PollFlags};
use std::io;
use std::io::{Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::{Duration, Instant};

/// Upper limit on simultaneous connections. A guest takes up to 1 % of a core of the host, so the limit is above what a
/// machine can serve; it bounds memory.
pub const MAX_CONNECTIONS: usize = 1024;

/// Time limits: for the first message of a connection; and for a guest that requests no frame, or reads nothing, before it is
/// disconnected.
const HELLO_WITHIN: Duration = Duration::from_secs(5);
pub const STALLED_AFTER: Duration = Duration::from_secs(30);

/// Upper limit on the bytes of messages that wait for a guest; further messages are dropped. A frame is not counted.
const MAX_WAITING: usize = 16 << 10;

/// Upper limit on the bytes that are read from a guest in a turn.
const READ_A_TURN: usize = 4096;

/// Least time between two changes of a guest's view. Each allocates buffers, and a window that is being resized changes many
/// times a second.
const VIEW_INTERVAL: Duration = Duration::from_millis(100);

/// A window gets a frame at most once in as many steps as it has multiples of these cells. 8,000 cells take about 2 ms
/// to draw; a picture of 1000×500 would delay all guests if it were drawn thirty times per second.
const CELLS_A_STEP: usize = 8_000;

/// Upper limit on the steps of a turn: a machine that is too slow, or was asleep, does not catch up.
const MAX_STEPS: u32 = 4;

/// Interval at which the list of guests is sent to guests that show it, in steps: half a second.
const ROSTER_INTERVAL: u64 = 30;

/// Upper limit on the rows of this list.
const MAX_ROSTER: usize = 64;

/// A connection.
#[derive(Debug)]
struct Connection {
    stream: UnixStream,
    input: Splitter,
    greeted: bool,
    /// The guest, after its first message.
    guest: Option<Guest>,
    /// Whether it is the host's own session.
    is_host: bool,
    out: Vec<u8>,
    /// Bytes of `out` that are written.
    written: usize,
    limit: RateLimit,
    since: Instant,
    /// When it last read something, or had nothing to read.
    read_at: Instant,
    /// Whether it is closed once the waiting bytes are written.
    closing: bool,
    /// Whether it is closed.
    gone: bool,
}

/// A guest.
#[derive(Debug)]
struct Guest {
    id: GuestId,
    view: ViewId,
    /// The settings that it requested last; and its view: the settings, and the part that is sent to it.
    asked: ViewSettings,
    placed: PlacedView,
    /// The view that it has requested, and when its view was changed last.
    next_view: Option<ViewSettings>,
    view_changed: Instant,
    /// Steps between frames: as requested, and as its window allows.
    asked_interval: u64,
    interval: u64,
    /// Whether it has requested a frame.
    wants: bool,
    /// When it requested one last.
    wanted_at: Instant,
    /// The version of the picture on its screen.
    version: Option<u32>,
    told: Option<TankStatus>,
    shows_roster: bool,
}

/// The host.
#[derive(Debug)]
pub struct Server {
    tank: SharedTank,
    recorder: Option<TankRecorder>,
    connections: Vec<Connection>,
    views: Views,
    pool: rayon_core::ThreadPool,
    /// A counter of the changes that may affect a picture.
    state: u64,
    /// When the next step is due.
    due: Instant,
    /// Reports disconnected guests on standard error, with the reason.
    reports: bool,
    /// The tank spans the guests' panes.
    span: Option<Seams>,
    layout: Option<PaneLayout>,
}

/// The settings of a view, and the part of it that is sent to a guest; none is all of it.
type PlacedView = (ViewSettings, Option<Rect>);

impl Server {
    /// A host of this tank, which draws on this many threads. `reports`: disconnected guests are reported on standard error.
    ///
    /// # Errors
    /// If no threads can be started.
    pub fn new(
        tank: SharedTank,
        recorder: Option<TankRecorder>,
        threads: usize,
        reports: bool,
        now: Instant,
    ) -> Result<Self, Error> {
        let pool = rayon_core::ThreadPoolBuilder::new().num_threads(threads.max(1)).use_current_thread().build();
        let pool = pool.map_err(|error| Error::Run(error.to_string()))?;
        Ok(Self {
            tank,
            recorder,
            connections: Vec::new(),
            views: Views::default(),
            pool,
            state: 0,
            due: now,
            reports,
            span: None,
            layout: None,
        })
    }

    /// Makes the tank span the guests' panes, with or without walls between them.
    pub fn with_span(self, seams: Seams) -> Self {
        Self { span: Some(seams), ..self }
    }

    /// Serves guests until `stop` returns true. It is called in each turn, and whenever `wake` is readable.
    ///
    /// # Errors
    /// If the recording cannot be written.
    pub fn serve(
        &mut self,
        listener: &UnixListener,
        wake: impl AsFd,
        mut stop: impl FnMut() -> bool,
    ) -> Result<(), Error> {
        let result = loop {
            if stop() {
                break Ok(());
            }
            self.accept(listener, Instant::now());
            if let Err(error) = self.turn(Instant::now()) {
                break Err(error);
            }
            self.wait(listener, wake.as_fd());
        };
        self.say_goodbye();
        let recorded = self.recorder.take().map_or(Ok(()), TankRecorder::finish);
        result.and(recorded)
    }

    /// Waits for the next step, or for the first guest.
    fn wait(&self, listener: &UnixListener, wake: BorrowedFd) {
        let idle = self.connections.is_empty();
        let limit = if idle { Duration::from_secs(3600) } else { self.due.saturating_duration_since(Instant::now()) };
        let mut fds = vec![PollFd::from_borrowed_fd(wake, PollFlags::IN)];
        if idle {
            fds.push(PollFd::new(listener, PollFlags::IN));
        }
        let limit = rustix::event::Timespec::try_from(limit).ok();
        let _ = rustix::event::poll(&mut fds, limit.as_ref());
    }

    fn accept(&mut self, listener: &UnixListener, now: Instant) {
        while self.connections.len() < MAX_CONNECTIONS {
            let Ok((stream, _)) = listener.accept() else { return };
            self.add(stream, false, now);
        }
    }

    /// Adds the connection of a guest, or of the host's own session.
    pub fn add(&mut self, stream: UnixStream, is_host: bool, now: Instant) {
        if stream.set_nonblocking(true).is_err() {
            return;
        }
        if self.connections.is_empty() {
            // Without guests the tank does not step; the missed steps are dropped.
            self.due = now;
        }
        self.connections.push(Connection {
            stream,
            input: Splitter::new(MAX_TO_HOST),
            greeted: false,
            guest: None,
            is_host,
            out: protocol::greeting().to_vec(),
            written: 0,
            limit: RateLimit::new(now),
            since: now,
            read_at: now,
            closing: false,
            gone: false,
        });
    }

    /// The number of guests.
    pub fn guests(&self) -> usize {
        self.tank.roster().len()
    }

    /// The tank.
    pub fn tank(&self) -> &SharedTank {
        &self.tank
    }

    /// The sum of the bytes that wait for guests.
    pub fn waiting(&self) -> usize {
        self.connections.iter().map(|connection| connection.out.len() - connection.written).sum()
    }

    /// Reads messages, makes the steps that are due, draws and writes.
    ///
    /// # Errors
    /// If the recording cannot be written.
    pub fn turn(&mut self, now: Instant) -> Result<(), Error> {
        for index in 0..self.connections.len() {
            self.read(index, now);
        }
        self.change_views(now);
        let mut steps = 0;
        while self.due <= now && steps < MAX_STEPS {
            self.step()?;
            self.due += Duration::from_secs_f32(STEP);
            steps += 1;
        }
        if self.due <= now {
            self.due = now + Duration::from_secs_f32(STEP);
        }
        self.tell_announcements();
        self.tell_status();
        self.send_frames();
        for connection in &mut self.connections {
            connection.write(now);
        }
        self.let_go(now);
        Ok(())
    }

    fn step(&mut self) -> Result<(), Error> {
        let was_asleep = self.tank.world().is_asleep();
        self.tank.step();
        if !was_asleep || !self.tank.world().is_asleep() {
            self.state += 1;
        }
        match &mut self.recorder {
            Some(recorder) => recorder.after_step(&mut self.tank),
            None => Ok(()),
        }
    }

    /// Reads the messages of a connection and carries them out.
    fn read(&mut self, index: usize, now: Instant) {
        let connection = &mut self.connections[index];
        if connection.closing || connection.gone {
            return;
        }
        let mut bytes = [0; READ_A_TURN];
        match (&connection.stream).read(&mut bytes) {
            Ok(0) => connection.gone = true,
            Ok(count) => connection.input.feed(&bytes[..count]),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
            Err(_) => connection.gone = true,
        }
        if !connection.greeted {
            match connection.input.greeting() {
                None => return,
                Some(greeting) => connection.greet(greeting, self.reports),
            }
        }
        while !self.connections[index].closing && !self.connections[index].gone {
            match self.connections[index].input.next().and_then(|it| it.map(|it| ToHost::read(&it)).transpose()) {
                Ok(None) => return,
                Ok(Some(message)) => self.take(index, message, now),
                Err(reason) => self.connections[index].close(&reason),
            }
        }
    }

    fn take(&mut self, index: usize, message: ToHost, now: Instant) {
        let connection = &mut self.connections[index];
        match (message, &mut connection.guest) {
            (ToHost::Hello { name, view, fps }, None) => self.welcome(index, &name, view, fps, now),
            (_, None) => connection.close("the first message must be a hello"),
            (ToHost::Hello { .. }, Some(_)) => connection.close("a second hello"),
            (ToHost::View(settings), Some(guest)) => guest.next_view = Some(settings),
            (ToHost::Act(action), Some(guest)) => {
                let id = guest.id;
                match connection.limit.take(now) {
                    Allowance::Allowed => self.act(index, id, action),
                    Allowance::Dropped => {}
                    Allowance::Exceeded => connection.close("too many actions"),
                }
            }
            (ToHost::Next, Some(guest)) => (guest.wants, guest.wanted_at) = (true, now),
            (ToHost::Meters(link), Some(guest)) => {
                let id = guest.id;
                self.tank.set_link(id, link);
            }
            (ToHost::Roster(shown), Some(guest)) => guest.shows_roster = shown,
            (ToHost::Copy, Some(guest)) => {
                let view = guest.asked.clone();
                match connection.limit.take(now) {
                    Allowance::Allowed => {
                        let answer = self.share_code(&view).map_or_else(ToGuest::Tell, ToGuest::Copy);
                        self.connections[index].tell(&answer);
                    }
                    Allowance::Dropped => {}
                    Allowance::Exceeded => connection.close("too many actions"),
                }
            }
        }
    }

    /// The share code of the current scene, in a guest's colours.
    fn share_code(&self, view: &ViewSettings) -> Result<String, String> {
        if !self.tank.config().allow.copy {
            return Err("the host does not allow copying".to_owned());
        }
        let scene = self.tank.scene();
        let embedded = scene::find(&scene.name).and_then(|text| Scene::parse(text, &scene.name).ok());
        if embedded.as_ref() != Some(scene) {
            return Err("only scenes that come with slosh, and as they come, have share codes".to_owned());
        }
        let palette = view.palette.as_deref().and_then(palette::find).map(palette::Palette::name);
        let palette = palette.or(scene.world.fluid_label.as_deref()).unwrap_or(palette::names()[0]);
        let color_by = if ColorBy::ALL.iter().any(|it| it.name() == view.color_by) {
            view.color_by.clone()
        } else {
            ColorBy::default().name().to_owned()
        };
        let code = ShareCode {
            scene: scene.name.clone(),
            seed: self.tank.config().seed,
            palette: palette.to_owned(),
            color_by,
            set: Vec::new(),
        };
        code.code()
    }

    fn welcome(&mut self, index: usize, name: &str, settings: ViewSettings, fps: u16, now: Instant) {
        let asked_interval = (1.0 / (f32::from(fps) * STEP)).round().max(1.0) as u64;
        // A new pane gets its part of the picture once the tank spans it.
        let asked = settings;
        let settings = ViewSettings { pane: None, ..asked.clone() };
        let interval = asked_interval.max(interval_of(&settings));
        let view = match self.views.acquire(settings.clone()) {
            Ok(view) => view,
            Err(reason) => return self.connections[index].close(reason),
        };
        let name = GuestName::clean(name);
        let Some(id) = self.tank.join(name.clone()) else {
            self.views.release(view);
            return self.connections[index].close("the tank is full of guests");
        };
        self.state += 1;
        let scenes = self.tank.config().scenes.iter().map(|scene| scene.name.clone()).collect();
        let connection = &mut self.connections[index];
        connection.tell(&ToGuest::Welcome { name: name.to_string(), scenes, spans: self.span.is_some() });
        connection.guest = Some(Guest {
            id,
            view,
            asked,
            placed: (settings, None),
            next_view: None,
            view_changed: now,
            asked_interval,
            interval,
            wants: false,
            wanted_at: now,
            version: None,
            told: None,
            shows_roster: false,
        });
    }

    /// Gives guests the views that they requested last.
    fn change_views(&mut self, now: Instant) {
        for guest in self.connections.iter_mut().filter_map(|connection| connection.guest.as_mut()) {
            // The first frame of a view is sent at once, so the change to a large view is delayed instead.
            let steps = guest.next_view.as_ref().map_or(0, interval_of);
            let least = Duration::from_secs_f32(steps as f32 * STEP).max(VIEW_INTERVAL);
            if now.saturating_duration_since(guest.view_changed) >= least
                && let Some(settings) = guest.next_view.take()
            {
                (guest.asked, guest.view_changed) = (settings, now);
                // Also if the view is the same: the guest may have had another window meanwhile, and needs a whole frame.
                guest.version = None;
            }
        }
        self.lay_out();
        for connection in &mut self.connections {
            let Some(guest) = &mut connection.guest else { continue };
            let placed = placed(&guest.asked, self.layout.as_ref());
            if placed == guest.placed || connection.closing {
                continue;
            }
            let (settings, part) = placed.clone();
            if part != guest.placed.1 || part.is_some() {
                let whole = settings.window;
                let part = part.map(|part| PicturePart {
                    columns: whole.columns,
                    rows: whole.rows,
                    left: part.x,
                    top: part.y,
                });
                connection.out.extend(protocol::framed(&ToGuest::Part(part)));
            }
            guest.placed = placed;
            guest.interval = guest.asked_interval.max(interval_of(&settings));
            // The old view is released first: both together might exceed the limit.
            self.views.release(guest.view);
            match self.views.acquire(settings) {
                Ok(view) => (guest.view, guest.version) = (view, None),
                Err(reason) => {
                    guest.view = ViewId::NONE;
                    connection.close(reason);
                }
            }
        }
    }

    /// Updates the tank to the present panes.
    fn lay_out(&mut self) {
        let Some(seams) = self.span else { return };
        let guests = self.connections.iter().filter_map(|connection| connection.guest.as_ref());
        let asked: Vec<&ViewSettings> = guests.map(|guest| &guest.asked).collect();
        let layout = PaneLayout::new(asked.iter().filter_map(|asked| pane(asked)));
        // Without panes the tank keeps its shape.
        if let Some(layout) = &layout {
            let cell = asked.iter().find(|asked| asked.pane.is_some()).map_or([0, 0], |asked| asked.window.cell);
            self.tank.span(layout, seams, cell.into());
        }
        self.layout = layout;
    }

    fn act(&mut self, index: usize, guest: GuestId, action: GuestAction) {
        self.state += 1;
        let verdict = match action {
            // The host needs no majority.
            GuestAction::Scene(number) if self.connections[index].is_host => {
                self.tank.act_as_host(HostAction::Scene(number))
            }
            GuestAction::Reset if self.connections[index].is_host => self.tank.act_as_host(HostAction::Reset),
            action => self.tank.act(guest, action),
        };
        if let Verdict::Refused(reason) = verdict {
            self.connections[index].tell(&ToGuest::Tell(reason.to_owned()));
        }
    }

    fn tell_announcements(&mut self) {
        for line in self.tank.take_announcements() {
            self.state += 1;
            let message = protocol::framed(&ToGuest::Tell(line));
            let guests = self.connections.iter_mut().filter(|connection| connection.guest.is_some());
            guests.for_each(|connection| connection.tell_framed(&message));
        }
    }

    /// Sends the status to guests if it has changed, and the list of guests to those that show it.
    fn tell_status(&mut self) {
        let world = self.tank.world();
        let size = world.size();
        let status = TankStatus {
            scene: self.tank.scene_index() as u16,
            aspect: size.x / size.y,
            guests: self.tank.roster().len() as u16,
            // Rounded to the resolution of the level indicator.
            tilt: (world.tilt() * 64.0).round() / 64.0,
        };
        let row = |guest: &crate::app::shared_tank::GuestStatus| RosterRow {
            name: guest.name.to_string(),
            color: guest.color,
            link: guest.link,
        };
        let due = self.tank.steps().is_multiple_of(ROSTER_INTERVAL);
        let looked_at = self.connections.iter().any(|it| it.guest.as_ref().is_some_and(|guest| guest.shows_roster));
        let rows = || self.tank.roster().iter().take(MAX_ROSTER).map(row).collect();
        let roster = (due && looked_at).then(|| protocol::framed(&ToGuest::Roster(rows())));
        for connection in &mut self.connections {
            let Some(guest) = &mut connection.guest else { continue };
            let shows_roster = guest.shows_roster;
            if guest.told != Some(status) {
                guest.told = Some(status);
                connection.tell(&ToGuest::Status(status));
            }
            if let Some(roster) = roster.as_ref().filter(|_| shows_roster) {
                connection.tell_framed(roster);
            }
        }
    }

    /// Draws the views that guests wait for, and sends the changes. Guests with the same view and rate get their frames in
    /// the same steps.
    fn send_frames(&mut self) {
        let steps = self.tank.steps();
        let due = |connection: &Connection| {
            let guest = connection.guest.as_ref()?;
            let waits = guest.wants && connection.out.len() == connection.written && !connection.closing;
            (waits && (steps.is_multiple_of(guest.interval) || guest.version.is_none())).then_some(guest.view)
        };
        let mut wanted: Vec<ViewId> = Vec::new();
        for view in self.connections.iter().filter_map(due) {
            if !wanted.contains(&view) {
                wanted.push(view);
            }
        }
        self.views.draw(&wanted, &self.tank, self.state, &self.pool);
        for connection in &mut self.connections {
            let is_due = due(connection).is_some();
            let is_free = connection.out.len() == connection.written && !connection.closing;
            let Some(guest) = &mut connection.guest else { continue };
            let view = guest.view;
            // A large view was begun when it was due, and is sent when it is drawn.
            let has_come = is_free && guest.wants && self.views.is_large(view);
            if !is_due && !has_come {
                continue;
            }
            let (version, frame) = self.views.frame(view, guest.version, guest.placed.1);
            if let Some(frame) = frame {
                (guest.version, guest.wants) = (Some(version), false);
                connection.out.extend_from_slice(&frame);
            }
        }
    }

    /// Removes connections that are closed, are to be closed, or do not read.
    fn let_go(&mut self, now: Instant) {
        for connection in &mut self.connections {
            if let Some(reason) = connection.stalled(now) {
                let id = connection.guest.as_ref().map(|guest| guest.id);
                let status = self.tank.roster().iter().find(|status| Some(status.id) == id);
                let name = status.map_or_else(|| "a guest".to_owned(), |status| status.name.to_string());
                if self.reports {
                    warn(&format!("{name} {reason} and was disconnected"));
                }
                connection.gone = true;
            }
            connection.gone |= connection.closing && connection.out.len() == connection.written;
        }
        let (tank, views, state) = (&mut self.tank, &mut self.views, &mut self.state);
        self.connections.retain(|connection| {
            if let Some(guest) = connection.guest.as_ref().filter(|_| connection.gone) {
                tank.leave(guest.id);
                views.release(guest.view);
                *state += 1;
            }
            !connection.gone
        });
    }

    /// Tells all guests that the host ends. It does not wait for guests that do not read at once.
    fn say_goodbye(&mut self) {
        let now = Instant::now();
        for connection in &mut self.connections {
            connection.close("the host has ended");
            connection.write(now);
        }
        self.connections.clear();
    }
}

/// The place of a guest's window on the screen. Its size is that of the window, which is known before tmux reports it.
fn pane(asked: &ViewSettings) -> Option<Pane> {
    let pane = Pane { width: asked.window.columns, height: asked.window.rows, ..asked.pane? };
    pane.validated().ok()
}

/// The view of a guest: of its own window, or its part of the view of all panes.
fn placed(asked: &ViewSettings, layout: Option<&PaneLayout>) -> PlacedView {
    let own = ViewSettings { pane: None, ..asked.clone() };
    let spanned = layout.zip(pane(asked)).map(|(layout, pane)| (layout.window(), layout.part(pane)));
    match spanned {
        Some((whole, part)) if (part.width, part.height) == (own.window.columns, own.window.rows) => {
            let window = Window { columns: whole.width, rows: whole.height, ..own.window };
            (ViewSettings { window, ..own }, Some(part))
        }
        _ => (own, None),
    }
}

impl Connection {
    fn greet(&mut self, greeting: [u8; GREETING], reports: bool) {
        self.greeted = true;
        match protocol::version_of(greeting) {
            Some(VERSION) => {}
            // The guest reports the mismatch itself: it knows our version from our greeting, and may not understand our
            // messages.
            Some(version) => {
                if reports {
                    warn(&format!("a guest speaks version {version} of the protocol, this host version {VERSION}"));
                }
                self.closing = true;
            }
            None => self.gone = true,
        }
    }

    /// Queues a message, unless too many bytes are waiting.
    fn tell(&mut self, message: &ToGuest) {
        self.tell_framed(&protocol::framed(message));
    }

    /// As [`Connection::tell`], for a serialised message, which may be sent to many guests.
    fn tell_framed(&mut self, message: &[u8]) {
        if self.out.len() - self.written < MAX_WAITING {
            self.out.extend_from_slice(message);
        }
    }

    /// Sends the reason, and closes.
    fn close(&mut self, reason: &str) {
        self.tell(&ToGuest::Goodbye(reason.to_owned()));
        self.closing = true;
    }

    /// Writes as much as fits.
    fn write(&mut self, now: Instant) {
        while self.written < self.out.len() && !self.gone {
            match (&self.stream).write(&self.out[self.written..]) {
                Ok(count) => {
                    self.written += count;
                    self.read_at = now;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => self.gone = true,
            }
        }
        self.read_at = now;
        self.out.clear();
        self.written = 0;
        // Releases memory after a large frame.
        self.out.shrink_to(MAX_WAITING);
    }

    /// The reason for which it counts as stalled, if it does.
    fn stalled(&self, now: Instant) -> Option<&'static str> {
        let since = |then: Instant| now.saturating_duration_since(then);
        match &self.guest {
            None if since(self.since) > HELLO_WITHIN => Some("sent no hello"),
            _ if self.written < self.out.len() && since(self.read_at) > STALLED_AFTER => Some("did not read for 30 s"),
            Some(guest) if !guest.wants && since(guest.wanted_at) > STALLED_AFTER => {
                Some("had no room for a frame for 30 s")
            }
            _ => None,
        }
    }
}

/// The least number of steps between two frames of a window.
fn interval_of(settings: &ViewSettings) -> u64 {
    (usize::from(settings.window.columns) * usize::from(settings.window.rows) / CELLS_A_STEP) as u64
}
