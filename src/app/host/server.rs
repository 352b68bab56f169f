//! The host's loop: it accepts guests, carries out their actions, and sends frames, while the tank steps at its fixed rate. Each
//! step has a turn of the loop. Nothing in it blocks, so no guest delays another.

use crate::app::error::{Error, warn};
use crate::app::host::protocol::{
    self, GREETING, GuestView, MAX_TO_HOST, Splitter, TankStatus, ToGuest, ToHost, VERSION,
};
use crate::app::host::rate_limit::{Allowance, RateLimit};
use crate::app::host::socket::Socket;
use crate::app::host::views::{ViewId, Views};
use crate::app::input::tilt::upright;
use crate::app::options::LookOptions;
use crate::app::shared_tank::recording::TankRecorder;
use crate::app::shared_tank::{GuestId, GuestName, SharedTank};
use crate::scene::Scene;
use crate::scene::share_code::ShareCode;
use crate::sim::clock::STEP;
use crate::view::{Palette, palette};
use rustix::event::{PollFd, PollFlags};
use std::collections::VecDeque;
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::time::{Duration, Instant};

pub const MAX_CONNECTIONS: usize = 1024;

/// For the first message of a connection; and for a guest that requests no frame, or reads nothing.
const HELLO_WITHIN: Duration = Duration::from_secs(5);
pub const STALLED_AFTER: Duration = Duration::from_secs(30);

/// Upper limit on the bytes of messages, without the frame, that wait for a guest; further messages are dropped.
const MAX_WAITING: usize = 16 << 10;

const READ_A_TURN: usize = 4096;

/// Least time between two changes of a guest's view, each of which allocates buffers.
const VIEW_INTERVAL: Duration = Duration::from_millis(100);

/// A window gets a frame at most once in as many steps as it has multiples of these cells, but four frames a second in any case:
/// a tank at half its speed, the least of which guests are not told, then still leaves two.
const CELLS_A_STEP: usize = 8_000;
const MAX_STEPS_A_FRAME: usize = 15;

/// Upper limits on the steps of a turn, and on the time that they take: a machine that is too slow does not catch up.
const MAX_STEPS: u32 = 4;
const MAX_STEPPING: Duration = Duration::from_millis(50);

/// Interval at which guests are told that the tank runs too slowly, and the fraction of its steps below which it does.
const SPEED_INTERVAL: Duration = Duration::from_secs(10);
const SLOW: f32 = 0.5;

/// A step that takes longer leaves guests less than two frames a second. They are told sooner.
const LONG_STEP: Duration = Duration::from_millis(500);
const LONG_STEP_INTERVAL: Duration = Duration::from_secs(2);

/// Bytes a second for all guests that come over ssh, if the user sets no limit: 20 Mbit/s.
const SSH_BANDWIDTH: u32 = 2_500_000;

const SMALLER: &str = "all windows together are too large for the host: this picture is coarser";

/// Interval at which the list of guests is sent to guests that show it, in steps: half a second.
const ROSTER_INTERVAL: u64 = 30;

const MAX_ROSTER: usize = 64;

struct Connection {
    stream: UnixStream,
    input: Splitter,
    greeted: bool,
    guest: Option<Guest>,
    is_host: bool,
    out: VecDeque<u8>,
    frame_end: usize,
    limit: RateLimit,
    since: Instant,
    /// When it last read something, or had nothing to read.
    read_at: Instant,
    closing: bool,
    gone: bool,
}

struct Guest {
    id: GuestId,
    view: ViewId,
    /// Whether it came over a network; and the limit on its bytes a second that it knows.
    remote: bool,
    bandwidth: Option<u32>,
    /// The view that it has; the one that it has requested, and when its view was changed last.
    settings: GuestView,
    next_view: Option<GuestView>,
    view_changed: Option<Instant>,
    /// The interval of the tank's time in which it got the last frame.
    last_interval: u64,
    wants: bool,
    wanted_at: Instant,
    /// The version of the picture on its screen; 0 before the first.
    version: u32,
    told: Option<TankStatus>,
    shows_roster: bool,
}

pub struct Server {
    pub tank: SharedTank,
    recorder: Option<TankRecorder>,
    connections: Vec<Connection>,
    views: Views,
    pool: rayon_core::ThreadPool,
    /// A counter of the changes that may affect a picture.
    state: u64,
    due: Instant,
    reports: bool,
    pub bandwidth: Option<u32>,
    /// The host's, which its scenes name.
    pub palettes: Vec<Palette>,
    /// Steps made and missed since the last look at the speed, and when that was.
    steps: (u32, u32),
    speed_seen: Instant,
    stepping: Duration,
}

impl Server {
    /// `reports`: disconnected guests are reported on standard error.
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
            bandwidth: None,
            palettes: LookOptions::default().palettes,
            steps: (0, 0),
            speed_seen: now,
            stepping: Duration::ZERO,
        })
    }

    /// Serves guests until `stop`, which is called in each turn and whenever `wake` is readable, returns true.
    pub fn serve(&mut self, socket: &Socket, wake: impl AsFd, mut stop: impl FnMut() -> bool) -> Result<(), Error> {
        while !stop() {
            self.accept(&socket.guests.listener, false, Instant::now());
            self.accept(&socket.control.listener, true, Instant::now());
            self.turn(Instant::now());
            self.wait(socket, wake.as_fd());
        }
        let now = Instant::now();
        for connection in &mut self.connections {
            connection.close("the host has ended");
            connection.write(now);
        }
        self.connections.clear();
        self.recorder.take().map_or(Ok(()), TankRecorder::finish)
    }

    fn wait(&self, socket: &Socket, wake: BorrowedFd) {
        let idle = self.connections.is_empty();
        let limit = if idle { Duration::from_secs(3600) } else { self.due.saturating_duration_since(Instant::now()) };
        let mut fds = vec![PollFd::from_borrowed_fd(wake, PollFlags::IN)];
        if idle {
            fds.extend([&socket.guests, &socket.control].map(|it| PollFd::new(&it.listener, PollFlags::IN)));
        }
        let limit = rustix::event::Timespec::try_from(limit).ok();
        let _ = rustix::event::poll(&mut fds, limit.as_ref());
    }

    fn accept(&mut self, listener: &UnixListener, is_host: bool, now: Instant) {
        while self.connections.len() < MAX_CONNECTIONS {
            let Ok((stream, _)) = listener.accept() else { return };
            self.add(stream, is_host, now);
        }
    }

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
            out: protocol::greeting().into(),
            frame_end: 0,
            limit: RateLimit::new(now),
            since: now,
            read_at: now,
            closing: false,
            gone: false,
        });
    }

    pub fn waiting(&self) -> usize {
        self.connections.iter().map(|connection| connection.out.len()).sum()
    }

    pub fn turn(&mut self, now: Instant) {
        for index in 0..self.connections.len() {
            self.read(index, now);
        }
        self.change_views(now);
        let start = Instant::now();
        let mut steps = 0;
        while self.due <= now && steps < MAX_STEPS && (steps == 0 || start.elapsed() < MAX_STEPPING) {
            self.step();
            self.due += Duration::from_secs_f32(STEP);
            steps += 1;
        }
        self.steps.0 += steps;
        if self.due <= now {
            // A machine that was asleep is not slow.
            let late = (now - self.due).min(self.stepping + Duration::from_secs(1));
            self.steps.1 += (late.as_secs_f32() / STEP) as u32 + 1;
            self.due = now + Duration::from_secs_f32(STEP);
        }
        self.stepping = start.elapsed();
        self.tell_speed(now);
        self.share_bandwidth();
        for line in std::mem::take(&mut self.tank.announcements) {
            self.state += 1;
            self.tell_guests(&ToGuest::Tell(line));
        }
        self.tell_status();
        self.send_frames();
        self.connections.iter_mut().filter(|it| !it.gone).for_each(|it| it.write(now));
        self.let_go(now);
    }

    fn step(&mut self) {
        let was_asleep = self.tank.world.is_asleep();
        self.tank.step();
        if !was_asleep || !self.tank.world.is_asleep() {
            self.state += 1;
        }
        if let Some(recorder) = &mut self.recorder
            && let Err(error) = recorder.after_step(&mut self.tank)
        {
            // The disk is full, for example. The tank goes on.
            self.recorder = None;
            self.tank.log.stop();
            let line = format!("the recording has ended: {error}");
            if self.reports {
                warn(&line);
            }
            self.connections.iter_mut().filter(|it| it.is_host).for_each(|it| it.tell(&ToGuest::Tell(line.clone())));
        }
    }

    fn tell_speed(&mut self, now: Instant) {
        let interval = if self.stepping > LONG_STEP { LONG_STEP_INTERVAL } else { SPEED_INTERVAL };
        if now.saturating_duration_since(self.speed_seen) < interval {
            return;
        }
        let (made, missed) = std::mem::take(&mut self.steps);
        self.speed_seen = now;
        let speed = made as f32 / (made + missed).max(1) as f32;
        if made > 0 && speed < SLOW {
            let line = format!("this tank is too much for its host: it runs at {:.0} % of its speed", 100.0 * speed);
            self.tell_guests(&ToGuest::Tell(line));
        }
    }

    fn share_bandwidth(&mut self) {
        let is_limited = |guest: &Guest, all: Option<u32>| all.is_some() || guest.remote;
        let all = self.bandwidth;
        let guests = self.connections.iter().filter_map(|connection| connection.guest.as_ref());
        let count = guests.filter(|guest| is_limited(guest, all)).count().max(1);
        let share = all.unwrap_or(SSH_BANDWIDTH) / count as u32;
        for connection in &mut self.connections {
            let Some(guest) = &mut connection.guest else { continue };
            let bandwidth = is_limited(guest, all).then_some(share);
            if guest.bandwidth != bandwidth {
                guest.bandwidth = bandwidth;
                connection.tell(&ToGuest::Bandwidth(bandwidth));
            }
        }
    }

    fn tell_guests(&mut self, message: &ToGuest) {
        let message = protocol::framed(message);
        let guests = self.connections.iter_mut().filter(|connection| connection.guest.is_some());
        guests.for_each(|connection| connection.tell_framed(&message));
    }

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
            let Some(greeting) = connection.input.greeting() else { return };
            connection.greet(greeting, self.reports);
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
        if connection.guest.is_some() && matches!(message, ToHost::Act(_) | ToHost::Copy) {
            match connection.limit.take(now) {
                Allowance::Allowed => {}
                Allowance::Dropped => return,
                Allowance::Exceeded => return connection.close("too many actions"),
            }
        }
        match (message, &mut connection.guest) {
            (ToHost::Hello { name, view, remote }, None) => self.welcome(index, &name, view, remote, now),
            (ToHost::Kick(name), _) if connection.is_host => self.kick(index, &name),
            (_, None) => connection.close("the first message must be a hello"),
            (ToHost::Hello { .. }, Some(_)) => connection.close("a second hello"),
            (ToHost::Kick(_), Some(_)) => connection.close("only the host removes guests"),
            (ToHost::View(settings), Some(guest)) => guest.next_view = Some(settings),
            (ToHost::Act(action), Some(guest)) => {
                self.state += 1;
                if let Some(reason) = self.tank.act(guest.id, action) {
                    connection.tell(&ToGuest::Tell(reason.to_owned()));
                }
            }
            (ToHost::Next, Some(guest)) => (guest.wants, guest.wanted_at) = (true, now),
            (ToHost::Meters(link), Some(guest)) => {
                let own = self.tank.roster.iter_mut().find(|status| status.id == guest.id);
                own.into_iter().for_each(|own| own.link = link);
            }
            (ToHost::Roster(shown), Some(guest)) => guest.shows_roster = shown,
            (ToHost::Copy, Some(guest)) => {
                let view = guest.settings.clone();
                let answer = self.share_code(&view).map_or_else(ToGuest::Tell, ToGuest::Copy);
                self.connections[index].tell(&answer);
            }
        }
    }

    fn share_code(&self, view: &GuestView) -> Result<String, String> {
        if !self.tank.config.allow.copy {
            return Err("the host does not allow copying".to_owned());
        }
        let scene = self.tank.scene();
        if Scene::embedded(&scene.name).as_ref() != Some(scene) {
            return Err("only scenes that come with slosh, and as they come, have share codes".to_owned());
        }
        let own = view.look.palette.as_ref().map(palette::Palette::name);
        let palette = own.and_then(palette::find).map(palette::Palette::name);
        let palette = palette.or(scene.world.fluid_label.as_deref()).unwrap_or(palette::embedded()[0].name());
        let code = ShareCode {
            scene: scene.name.clone(),
            seed: self.tank.config.seed,
            palette: palette.to_owned(),
            color_by: view.look.color_by.name().to_owned(),
            set: Vec::new(),
        };
        code.code()
    }

    fn welcome(&mut self, index: usize, name: &str, settings: GuestView, remote: bool, now: Instant) {
        let name = GuestName::clean(name);
        let Some(id) = self.tank.join(name.clone(), self.connections[index].is_host) else {
            return self.connections[index].close("the tank is full of guests");
        };
        self.state += 1;
        let scenes = self.tank.config.scenes.iter().map(|scene| scene.name.clone()).collect();
        let connection = &mut self.connections[index];
        connection.tell(&ToGuest::Welcome { name: name.to_string(), scenes });
        connection.guest = Some(Guest {
            id,
            view: ViewId::NONE,
            remote,
            bandwidth: None,
            last_interval: 0,
            settings: settings.clone(),
            next_view: Some(settings),
            view_changed: None,
            wants: false,
            wanted_at: now,
            version: 0,
            told: None,
            shows_roster: false,
        });
    }

    fn kick(&mut self, index: usize, name: &str) {
        let roster = &self.tank.roster;
        let ids: Vec<GuestId> = roster.iter().filter(|it| it.name.as_str() == name).map(|it| it.id).collect();
        let is_named = |connection: &Connection| {
            !connection.is_host && connection.guest.as_ref().is_some_and(|guest| ids.contains(&guest.id))
        };
        let mut removed = 0;
        for connection in self.connections.iter_mut().filter(|connection| is_named(connection)) {
            connection.close("the host has removed you");
            removed += 1;
        }
        let answer = match removed {
            0 => {
                let names: Vec<&str> = self.tank.roster.iter().map(|guest| guest.name.as_str()).collect();
                let names = if names.is_empty() { "there are none".to_owned() } else { names.join(", ") };
                ToGuest::Goodbye(format!("there is no guest named {name:?}; guests: {names}"))
            }
            1 => ToGuest::Tell(format!("{name} is removed")),
            count => ToGuest::Tell(format!("{count} guests named {name} are removed")),
        };
        self.connections[index].tell(&answer);
    }

    fn change_views(&mut self, now: Instant) {
        for connection in self.connections.iter_mut().filter(|connection| !connection.closing) {
            let Some(guest) = &mut connection.guest else { continue };
            // The first frame of a view is sent at once, so the change to a large view is delayed instead.
            let steps = guest.next_view.as_ref().map_or(0, interval_of);
            let least = Duration::from_secs_f32(steps as f32 * STEP).max(VIEW_INTERVAL);
            if guest.view_changed.is_some_and(|changed| now.saturating_duration_since(changed) < least) {
                continue;
            }
            let Some(mut settings) = guest.next_view.take() else { continue };
            settings.look.palettes.clone_from(&self.palettes);
            // Also if the view is the same: the guest may have had another window meanwhile, and needs a whole frame.
            guest.version = 0;
            guest.view_changed = Some(now);
            let is_same = guest.view != ViewId::NONE && shared(&settings) == shared(&guest.settings);
            guest.settings = settings;
            if is_same {
                continue;
            }
            // The old view is released first: both together might exceed the limit.
            self.views.release(guest.view);
            match self.views.acquire(shared(&guest.settings)) {
                Ok((view, is_smaller)) => {
                    guest.view = view;
                    if is_smaller {
                        connection.tell(&ToGuest::Tell(SMALLER.to_owned()));
                    }
                }
                Err(reason) => {
                    guest.view = ViewId::NONE;
                    connection.close(reason);
                }
            }
        }
    }

    fn tell_status(&mut self) {
        let world = &self.tank.world;
        let size = world.size();
        let status = TankStatus {
            scene: self.tank.scene_index as u16,
            aspect: size.x / size.y,
            guests: self.tank.roster.len() as u16,
            // Rounded to the resolution of the level indicator.
            tilt: ((world.tilt() - upright(world.tilt())) * 64.0).round() / 64.0,
        };
        let due = self.tank.steps.is_multiple_of(ROSTER_INTERVAL);
        let looked_at = self.connections.iter().any(|it| it.guest.as_ref().is_some_and(|guest| guest.shows_roster));
        let rows = || self.tank.roster.iter().take(MAX_ROSTER).cloned().collect();
        let roster = (due && looked_at).then(|| protocol::framed(&ToGuest::Roster(rows())));
        for connection in &mut self.connections {
            let Some(guest) = &mut connection.guest else { continue };
            let shows_roster = guest.shows_roster;
            if guest.told != Some(status) && connection.out.len() < MAX_WAITING {
                guest.told = Some(status);
                connection.tell(&ToGuest::Status(status));
            }
            if let Some(roster) = roster.as_ref().filter(|_| shows_roster) {
                connection.tell_framed(roster);
            }
        }
    }

    /// Guests with the same view and rate get their frames in the same steps.
    fn send_frames(&mut self) {
        let steps = self.tank.steps;
        let due = |connection: &Connection| {
            let guest = connection.guest.as_ref()?;
            let is_new = steps / interval_of(&guest.settings) != guest.last_interval || guest.version == 0;
            (connection.has_room() && guest.wants && is_new).then_some(guest.view)
        };
        let wanted: Vec<ViewId> = self.connections.iter().filter_map(due).collect();
        self.views.draw(&wanted, &self.tank, self.state, &self.pool);
        for connection in &mut self.connections {
            let is_due = due(connection).is_some();
            let has_room = connection.has_room();
            let Some(guest) = &mut connection.guest else { continue };
            let view = guest.view;
            // A large view was begun when it was due, and is sent when it is drawn.
            let has_come = has_room && guest.wants && self.views.is_large(view);
            if !is_due && !has_come {
                continue;
            }
            if let Some((version, frame)) = self.views.frame(view, guest.version) {
                (guest.version, guest.wants) = (version, false);
                guest.last_interval = steps / interval_of(&guest.settings);
                connection.out.extend(&frame[..]);
                connection.frame_end = connection.out.len();
            }
        }
    }

    fn let_go(&mut self, now: Instant) {
        for connection in &mut self.connections {
            if let Some(reason) = connection.stalled(now) {
                let id = connection.guest.as_ref().map(|guest| guest.id);
                let status = self.tank.roster.iter().find(|status| Some(status.id) == id);
                let name = status.map_or_else(|| "a guest".to_owned(), |status| status.name.to_string());
                if self.reports {
                    warn(&format!("{name} {reason} and was disconnected"));
                }
                connection.gone = true;
            }
            connection.gone |= connection.closing && connection.out.is_empty();
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
}

impl Connection {
    fn greet(&mut self, greeting: [u8; GREETING], reports: bool) {
        self.greeted = true;
        match protocol::version_of(greeting) {
            Some(VERSION) => {}
            // The guest knows our version from our greeting, reports the mismatch itself, and may not understand our messages.
            Some(version) => {
                if reports {
                    warn(&format!("a guest speaks version {version} of the protocol, this host version {VERSION}"));
                }
                self.closing = true;
            }
            None => self.gone = true,
        }
    }

    /// Other messages than frames do not delay a frame: they come in every step while the tank is tilted.
    fn has_room(&self) -> bool {
        self.frame_end == 0 && !self.closing
    }

    fn tell(&mut self, message: &ToGuest) {
        self.tell_framed(&protocol::framed(message));
    }

    /// As [`Connection::tell`], for a serialised message, which may be sent to many guests.
    fn tell_framed(&mut self, message: &[u8]) {
        if self.out.len() < MAX_WAITING {
            self.out.extend(message);
        }
    }

    fn close(&mut self, reason: &str) {
        self.tell(&ToGuest::Goodbye(reason.to_owned()));
        self.closing = true;
    }

    fn write(&mut self, now: Instant) {
        match protocol::send(&mut self.out, &self.stream) {
            Ok(count) => {
                self.frame_end = self.frame_end.saturating_sub(count);
                if count > 0 || self.out.is_empty() {
                    self.read_at = now;
                }
                if self.out.is_empty() {
                    // Releases memory after a large frame.
                    self.out.shrink_to(MAX_WAITING);
                }
            }
            Err(_) => self.gone = true,
        }
    }

    fn stalled(&self, now: Instant) -> Option<&'static str> {
        let since = |then: Instant| now.saturating_duration_since(then);
        match &self.guest {
            None if since(self.since) > HELLO_WITHIN => Some("sent no hello"),
            _ if !self.out.is_empty() && since(self.read_at) > STALLED_AFTER => Some("did not read for 30 s"),
            Some(guest) if !guest.wants && since(guest.wanted_at) > STALLED_AFTER => {
                Some("had no room for a frame for 30 s")
            }
            _ => None,
        }
    }
}

/// The least number of steps between two frames: as requested, and as the window allows.
fn interval_of(view: &GuestView) -> u64 {
    let cells = usize::from(view.window.columns) * usize::from(view.window.rows);
    let asked = (1.0 / (view.look.fps as f32 * STEP)).round() as u64;
    asked.max((cells / CELLS_A_STEP).min(MAX_STEPS_A_FRAME) as u64).max(1)
}

/// The settings of a view for all guests that share it, whatever their frame rates.
fn shared(view: &GuestView) -> GuestView {
    let mut shared = view.clone();
    shared.look.fps = LookOptions::default().fps;
    shared
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::action::TerminalCaps;
    use crate::app::action::Window;

    #[test]
    fn every_window_gets_at_least_four_frames_a_second() {
        for [columns, rows] in [[1, 1], [200, 60], [400, 200], [1000, 500]] {
            let window = Window { columns, rows, cell: [8, 16] };
            let view = GuestView { window, terminal: TerminalCaps::default(), look: LookOptions::default() };
            let rate = 1.0 / (STEP * interval_of(&view) as f32);
            assert!((4.0..=60.5).contains(&rate), "{columns}×{rows}: {rate} frames a second");
        }
    }
}
