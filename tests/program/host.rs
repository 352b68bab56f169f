//! A shared tank: how the host handles guests that are slow, hostile or gone, in virtual time and without a terminal;
//! and both programs in real terminals, over a real sshd, until they end.
#![cfg(unix)]

use crate::program::{self, Finished, SLOSH, SOON};
use crate::pty::{Link, Pty, Setup};
use crate::servers::Sshd;
use rustix::process::{Pid, Signal, kill_process};
use slosh::app::LookOptions;
use slosh::app::action::{PointerMode, TerminalCaps, Window};
use slosh::app::host::protocol;
use slosh::app::host::protocol::{
    GREETING, GuestView, MAX_TO_GUEST, Splitter, TankStatus, ToGuest, ToHost, VERSION, WireCell, framed, greeting,
};
use slosh::app::host::server::{STALLED_AFTER, Server};
use slosh::app::shared_tank::{DEFAULT_ASPECT, GuestAction, LinkMeters, SharedTank, TankConfig};
use slosh::scene;
use slosh::scene::Scene;
use slosh::scene::share_code::ShareCode;
use slosh::view::Palette;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Interval between two turns of a host in virtual time.
const TURN: Duration = Duration::from_nanos(1_000_000_000 / 60 + 1);

// ---- the host alone, in virtual time ----

struct Host {
    server: Server,
    now: Instant,
}

/// A guest that the test controls step by step.
struct Guest {
    stream: UnixStream,
    heard: Splitter,
    greeting: Option<[u8; GREETING]>,
    cells: Vec<WireCell>,
    frames: usize,
    name: String,
    status: TankStatus,
    told: Vec<String>,
    copied: Vec<String>,
    bandwidth: Option<u32>,
    goodbye: Option<String>,
    closed: bool,
}

impl Host {
    fn new() -> Self {
        Self::allowing("all")
    }

    fn allowing(allow: &str) -> Self {
        let scene = Scene::parse(scene::find("dam").expect("a scene"), "dam").expect("a scene");
        let allow = allow.parse().expect("permissions");
        let scenes = vec![scene];
        let config =
            TankConfig { scenes, aspect: DEFAULT_ASPECT, particles: Some(300), allow, ..TankConfig::default() };
        let now = Instant::now();
        let tank = SharedTank::new(config).expect("a tank");
        Self { server: Server::new(tank, None, 1, false, now).expect("a host"), now }
    }

    /// A connection without a hello.
    fn connect(&mut self) -> Guest {
        let (stream, theirs) = UnixStream::pair().expect("a pair of sockets");
        stream.set_nonblocking(true).expect("a socket");
        self.server.add(theirs, false, self.now);
        Guest {
            stream,
            heard: Splitter::new(MAX_TO_GUEST),
            greeting: None,
            cells: Vec::new(),
            frames: 0,
            name: String::new(),
            status: TankStatus::default(),
            told: Vec::new(),
            copied: Vec::new(),
            bandwidth: None,
            goodbye: None,
            closed: false,
        }
    }

    fn join(&mut self, name: &str, columns: u16, rows: u16) -> Guest {
        let mut guest = self.connect();
        guest.send_bytes(&greeting());
        guest.send(&ToHost::Hello { name: name.to_owned(), view: view(columns, rows), remote: false });
        self.turn();
        guest.hear();
        guest
    }

    fn turn(&mut self) {
        self.now += TURN;
        self.server.turn(self.now);
    }

    /// Waits until this many guests are left: see [`Guest::hear_end`].
    fn forget(&mut self, left: usize) {
        let end = Instant::now() + SOON;
        while self.server.tank.roster.len() != left && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
            self.turn();
        }
        assert_eq!(self.server.tank.roster.len(), left);
    }

    /// Makes turns until the guest has this many frames. A large picture comes from another thread: where it is awaited, virtual
    /// time passes no faster than the clock, or guests that ask for nothing meanwhile would be stalled.
    fn play_until(&mut self, guest: &mut Guest, frames: usize) {
        let end = Instant::now() + SOON;
        while guest.frames < frames && Instant::now() < end {
            guest.send(&ToHost::Next);
            self.turn();
            if guest.hear() < 1024 {
                std::thread::sleep(TURN);
            }
        }
        assert!(guest.frames >= frames, "{} frames", guest.frames);
    }

    /// Makes this many turns, in each of which these guests request and read a frame.
    fn play(&mut self, turns: u32, guests: &mut [&mut Guest]) {
        for _ in 0..turns {
            guests.iter_mut().for_each(|guest| guest.send(&ToHost::Next));
            self.turn();
            for guest in guests.iter_mut() {
                guest.hear();
            }
        }
    }
}

fn view(columns: u16, rows: u16) -> GuestView {
    let window = Window { columns, rows, cell: [8, 16] };
    GuestView { window, terminal: TerminalCaps::default(), look: LookOptions::default() }
}

impl Guest {
    fn send(&mut self, message: &ToHost) {
        self.send_bytes(&framed(message));
    }

    fn act(&mut self, action: GuestAction) {
        self.send(&ToHost::Act(action));
    }

    /// Sends as many bytes as there is room for, and returns their number.
    fn send_bytes(&mut self, bytes: &[u8]) -> usize {
        (&self.stream).write(bytes).unwrap_or(0)
    }

    /// Reads all messages that have arrived, and returns the number of bytes.
    fn hear(&mut self) -> usize {
        let mut bytes = Vec::new();
        self.closed |= (&self.stream).read_to_end(&mut bytes).is_ok();
        self.heard.feed(&bytes);
        if self.greeting.is_none() {
            self.greeting = self.heard.greeting();
        }
        while let Some(message) = self.heard.next().expect("a whole message") {
            match protocol::read(&message).expect("a message") {
                ToGuest::Frame(frame) => {
                    let area = usize::from(frame.columns) * usize::from(frame.rows);
                    self.cells.resize(area, WireCell::default());
                    frame.apply(|at, cell| self.cells[at] = cell).expect("a whole frame");
                    self.frames += 1;
                }
                ToGuest::Bandwidth(bandwidth) => self.bandwidth = bandwidth,
                ToGuest::Welcome { name, .. } => self.name = name,
                ToGuest::Status(status) => self.status = status,
                ToGuest::Tell(line) => self.told.push(line),
                ToGuest::Copy(code) => self.copied.push(code),
                ToGuest::Goodbye(reason) => self.goodbye = Some(reason),
                ToGuest::Roster(_) => {}
            }
        }
        bytes.len()
    }

    /// Reads until its socket is closed. A program that another test starts at this moment holds a copy of every socket between
    /// its fork and its exec, so one that is closed here closes a little later.
    fn hear_end(&mut self) {
        let end = Instant::now() + SOON;
        while !self.closed && Instant::now() < end {
            self.hear();
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(self.closed, "its socket is open");
    }

    fn text(&self) -> String {
        self.cells.iter().map(|cell| cell.character).collect()
    }

    /// The number of cells whose red and blue fulfil a condition.
    fn count(&self, is: impl Fn(u8, u8) -> bool) -> usize {
        let fulfils = |cell: &&WireCell| matches!(cell.fg.channels(), Some([red, _, blue]) if is(red, blue));
        self.cells.iter().filter(fulfils).count()
    }

    fn said_goodbye(&self) -> &str {
        self.goodbye.as_deref().unwrap_or("nothing")
    }
}

#[test]
fn a_guest_sees_the_tilt_and_the_push_of_two_others() {
    let mut host = Host::new();
    let (mut anna, mut ben, mut cleo) =
        (host.join("anna", 80, 24), host.join("ben", 60, 20), host.join("cleo", 100, 30));
    host.play(2, &mut [&mut anna, &mut ben, &mut cleo]);
    assert_eq!(cleo.told.last().map(String::as_str), Some("cleo joined"));
    assert_eq!(cleo.status.tilt, 0.0);
    anna.act(GuestAction::Tilt { radians: 0.9 });
    host.play(120, &mut [&mut anna, &mut ben, &mut cleo]);
    assert!((cleo.status.tilt - 0.9).abs() < 0.02, "{}", cleo.status.tilt);
    assert!(!cleo.text().contains("ben"));
    // An opposite tilt levels the tank.
    cleo.act(GuestAction::Tilt { radians: -0.9 });
    for at in 0..30 {
        let x = 0.2 + at as f32 * 0.02;
        ben.act(GuestAction::Pointer { x, y: 0.5, tool: PointerMode::Push, pressed: true });
        host.play(3, &mut [&mut anna, &mut ben, &mut cleo]);
    }
    host.play(120, &mut [&mut anna, &mut ben, &mut cleo]);
    assert!(cleo.status.tilt.abs() < 0.02, "{}", cleo.status.tilt);
    assert!(cleo.text().contains("ben"), "the name at a hand");
    assert!(cleo.frames > 100 && anna.frames > 100);
    // She disconnects.
    drop(anna);
    host.forget(2);
    cleo.act(GuestAction::ReleaseTilt);
    host.play(120, &mut [&mut ben, &mut cleo]);
    assert_eq!(cleo.status.tilt, 0.0);
    assert_eq!(cleo.told.last().map(String::as_str), Some("anna left"));
    assert_eq!(host.server.tank.roster.len(), 2);
}

/// Guests with the same view get the same cells, whenever they joined.
#[test]
fn guests_with_the_same_view_see_the_same() {
    let mut host = Host::new();
    let mut anna = host.join("anna", 64, 20);
    host.play(40, &mut [&mut anna]);
    let mut ben = host.join("ben", 64, 20);
    // Ben is slow, and one frame brings him up to date.
    for _ in 0..10 {
        host.play(7, &mut [&mut anna]);
        host.play(1, &mut [&mut anna, &mut ben]);
        assert!(anna.cells == ben.cells, "the same picture");
    }
    assert!(ben.frames <= 11, "{} frames: one for each time that it asked", ben.frames);
    // A window that had another size for a moment has lost its picture, and gets a full one.
    for settings in [view(30, 10), view(64, 20)] {
        ben.send(&ToHost::View(settings));
    }
    ben.cells.fill(WireCell::default());
    host.play(8, &mut [&mut anna, &mut ben]);
    assert!(anna.cells == ben.cells, "the same picture");
}

/// A guest's own palette arrives as colours, and other guests see theirs.
#[test]
fn a_guest_sees_its_own_palette() {
    let file = "[[palette]]\nname = \"mine\"\nabout = \"red\"\nstops = [\"#ff0000\", \"#ff0000\"]\n\
        deep = \"#ff0000\"\nfoam = \"#ff0000\"\nwall = \"#ff0000\"\ngloss = 0.0\nfresnel = 0.0\nclarity = 0.0\n";
    let palette = Palette::read(file, "mine.toml").expect("a palette").remove(0);
    let look = LookOptions { palette: Some(palette), ..LookOptions::default() };
    let window = Window { columns: 60, rows: 20, cell: [8, 16] };
    let mut host = Host::new();
    let mut plain = host.join("plain", 60, 20);
    let mut own = host.connect();
    own.send_bytes(&greeting());
    let view = GuestView { window, terminal: TerminalCaps::default(), look };
    own.send(&ToHost::Hello { name: "own".to_owned(), view, remote: false });
    host.play(10, &mut [&mut plain, &mut own]);
    let blue = |guest: &Guest| guest.count(|red, blue| blue > red);
    let red = |guest: &Guest| guest.count(|red, blue| red > blue);
    assert!(blue(&plain) > 20 && red(&plain) < 10, "{} {}", blue(&plain), red(&plain));
    assert!(red(&own) > 20 && blue(&own) < 10, "{} {}", blue(&own), red(&own));
}

/// A guest's clipboard gets only a share code, and only with the host's permission.
#[test]
fn copying_needs_the_hosts_permission() {
    let copy = |allow: &'static str, copies: bool| {
        let mut host = Host::allowing(allow);
        let mut guest = host.join("guest", 40, 12);
        guest.send(&ToHost::Copy);
        host.play(2, &mut [&mut guest]);
        assert_eq!(guest.copied.len(), usize::from(copies), "{allow}: {:?}", guest.told);
        let refused = guest.told.iter().any(|line| line == "the host does not allow copying");
        assert_eq!(refused, !copies, "{allow}");
        for code in &guest.copied {
            assert_eq!(ShareCode::parse(code).map(|it| it.scene), Ok("dam".to_owned()));
        }
    };
    // A host draws on a pool that includes its own thread, and a thread can be in only one pool.
    for (allow, copies) in [("all", false), ("copy", true), ("all,copy", true)] {
        std::thread::spawn(move || copy(allow, copies)).join().expect("no panic");
    }
}

/// A guest that does not read, whether it requests frames or not, costs a bounded number of bytes and is disconnected
/// after 30 s. Others see every frame meanwhile.
#[test]
fn stalled_guests_are_disconnected_and_delay_no_other() {
    let mut host = Host::new();
    let mut neighbor = host.join("neighbor", 40, 12);
    let mut deaf: Vec<Guest> = (0..3).map(|nth| host.join(&format!("deaf{nth}"), 80, 24)).collect();
    let silent: Vec<Guest> = (0..3).map(|nth| host.join(&format!("silent{nth}"), 80, 24)).collect();
    let frame = 80 * 24 * 14 + 16_384;
    let mut most = 0;
    let mut angle = 0.5;
    let seconds = STALLED_AFTER.as_secs() as u32;
    for second in 0..seconds - 1 {
        // The tank keeps moving.
        angle = -angle;
        neighbor.act(GuestAction::Tilt { radians: angle });
        for _ in 0..60 {
            deaf.iter_mut().for_each(|guest| guest.send(&ToHost::Next));
            host.play(1, &mut [&mut neighbor]);
            most = most.max(host.server.waiting());
        }
        // Of 60 pictures, not every one differs in a cell.
        assert!(neighbor.frames >= 30 * (second as usize + 1), "{} in {second} s", neighbor.frames);
        assert_eq!(host.server.tank.roster.len(), 7, "after {second} s");
    }
    assert!(most > 0, "the guests read after all");
    assert!(most <= 3 * frame, "{most} bytes wait for three guests");
    for _ in 0..20 {
        host.play(60, &mut [&mut neighbor]);
    }
    assert_eq!(host.server.tank.roster.len(), 1);
    assert!(neighbor.told.iter().any(|line| line == "deaf0 left") && neighbor.goodbye.is_none());
    drop(silent);
}

#[test]
fn a_flood_of_actions_is_dropped_and_then_ends() {
    let mut host = Host::new();
    let (mut neighbor, mut flood) = (host.join("neighbor", 40, 12), host.join("flood", 40, 12));
    for turn in 0..400 {
        for _ in 0..200 {
            flood.act(GuestAction::Shake { direction: [1.0, 0.0] });
        }
        host.play(1, &mut [&mut neighbor]);
        flood.hear();
        if flood.goodbye.is_some() {
            assert!(turn > 10, "disconnected at once");
            break;
        }
    }
    assert_eq!(flood.said_goodbye(), "too many actions");
    assert_eq!(host.server.tank.roster.len(), 1);
    assert!(neighbor.frames > 10 && neighbor.goodbye.is_none());
}

/// Views are expensive to create, and only the latest request matters. The flood alternates between the largest window
/// and a small one.
#[test]
fn a_flood_of_sizes_costs_little() {
    let mut host = Host::new();
    let (mut neighbor, mut flood) = (host.join("neighbor", 40, 12), host.join("flood", 40, 12));
    let made = allocation_counter::measure(|| {
        for turn in 0..60_u16 {
            for nth in 0..12 {
                flood.send(&ToHost::View(view(1000 - nth - turn, 400)));
                flood.send(&ToHost::View(view(2 + nth, 2)));
            }
            host.play(1, &mut [&mut neighbor]);
        }
    });
    // The largest view takes 30 MB, and is created ten times per second.
    assert!(made.bytes_total < 400 << 20, "{} MB in a second", made.bytes_total >> 20);
    assert!(neighbor.frames > 50, "{}", neighbor.frames);
}

#[test]
fn the_smallest_and_the_largest_window_are_drawn_and_larger_ones_refused() {
    let mut host = Host::new();
    let (mut small, mut large) = (host.join("small", 1, 1), host.join("large", 1000, 500));
    host.play(2, &mut [&mut small]);
    // 7 MB through a socket that holds 200 KB.
    host.play_until(&mut large, 1);
    assert_eq!((small.cells.len(), large.cells.len()), (1, 500_000));
    assert!(large.text().chars().any(|c| c > '\u{2500}'), "no picture");
    let mut more = host.join("more", 1000, 500);
    // The same view again.
    host.play_until(&mut more, 1);
    // There is no room for another large view: it is drawn in a window of half the size.
    let mut other = host.join("other", 999, 500);
    host.play_until(&mut other, 1);
    assert_eq!(other.cells.len(), 500 * 250);
    assert!(other.told.iter().any(|line| line.contains("this picture is coarser")), "{:?}", other.told);
    let mut wrong = host.join("wrong", 1001, 500);
    wrong.hear();
    assert!(wrong.said_goodbye().contains("out of range"), "{}", wrong.said_goodbye());
    assert_eq!(host.server.tank.roster.len(), 4);
}

/// Drawing 500,000 cells takes longer than a step, and no turn waits for it.
#[test]
fn a_large_window_delays_no_guest() {
    let mut host = Host::new();
    let (mut small, mut large) = (host.join("small", 40, 12), host.join("large", 1000, 500));
    large.send(&ToHost::Next);
    host.play(1, &mut [&mut small]);
    assert_eq!(small.frames, 1);
    // If that turn had drawn it, 7 MB would be waiting.
    assert!(host.server.waiting() < 1 << 20, "{} bytes wait", host.server.waiting());
    host.play_until(&mut large, 1);
    // Each time that the guest leaves during the drawing, the drawing is discarded.
    for _ in 0..3 {
        let mut other = host.join("other", 400, 100);
        other.send(&ToHost::Next);
        host.turn();
        drop(other);
        host.forget(2);
    }
    host.play_until(&mut large, 2);
}

#[test]
fn a_message_that_is_too_long_takes_no_memory() {
    let mut host = Host::new();
    let mut guest = host.join("guest", 40, 12);
    host.play(5, &mut [&mut guest]);
    guest.send_bytes(&u32::MAX.to_le_bytes());
    guest.send_bytes(&[b'x'; 30_000]);
    let taken = allocation_counter::measure(|| host.turn());
    // A step, the cells of a frame, and the message that the guest left.
    assert!(taken.bytes_max < 200_000, "{} bytes", taken.bytes_max);
    guest.hear();
    assert!(guest.said_goodbye().contains("too long"), "{}", guest.said_goodbye());
    assert_eq!(host.server.tank.roster.len(), 0);
}

#[test]
fn other_versions_other_programs_and_silent_clients_are_refused() {
    let mut host = Host::new();
    let mut old = host.connect();
    let mut bytes = greeting();
    bytes[GREETING - 2..].copy_from_slice(&(VERSION + 1).to_le_bytes());
    old.send_bytes(&bytes);
    let mut web = host.connect();
    web.send_bytes(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    let mut half = host.connect();
    half.send_bytes(&greeting()[..5]);
    let mut mute = host.connect();
    mute.send_bytes(&greeting());
    host.turn();
    host.turn();
    old.hear_end();
    web.hear_end();
    // The greeting contains the version. A program that is not slosh gets no message.
    assert_eq!(old.greeting.and_then(protocol::version_of), Some(VERSION));
    assert_eq!(web.greeting, None);
    assert!(!half.closed && !mute.closed);
    (0..6 * 60).for_each(|_| host.turn());
    half.hear_end();
    mute.hear_end();
    assert_eq!(host.server.tank.roster.len(), 0);
}

#[test]
fn a_name_is_cleaned_and_numbers_are_checked() {
    let mut host = Host::new();
    let mut neighbor = host.join("neighbor", 40, 12);
    let mut guest = host.join("\x1b[2J\u{202e}a/../b\nc-_.dddddddddddddddddd", 40, 12);
    host.play(2, &mut [&mut neighbor, &mut guest]);
    assert_eq!(guest.name, "2Ja..bc-_.dddddd");
    assert_eq!(neighbor.told.last().map(String::as_str), Some("2Ja..bc-_.dddddd joined"));
    for action in [
        GuestAction::Tilt { radians: 4.0 },
        GuestAction::Pointer { x: 1e9, y: 0.0, tool: PointerMode::Pour, pressed: true },
        GuestAction::Shake { direction: [-2.0, 0.0] },
        GuestAction::Scene(7),
    ] {
        guest.told.clear();
        guest.act(action);
        host.play(2, &mut [&mut guest, &mut neighbor]);
        assert_eq!(guest.told.len(), 1, "{action:?}: {:?}", guest.told);
    }
    assert_eq!(neighbor.status.tilt, 0.0);
    for radians in [f32::NAN, f32::INFINITY] {
        guest.told.clear();
        guest.act(GuestAction::Tilt { radians });
        host.play(2, &mut [&mut guest, &mut neighbor]);
        assert_eq!(guest.told.len(), 1, "{radians}: {:?}", guest.told);
    }
    // A message that is cut short, or longer than it should be, ends the connection.
    let act = framed(&ToHost::Act(GuestAction::Tilt { radians: 0.5 }))[4..].to_vec();
    for content in [&act[..act.len() - 1], &[&act[..], &[0]].concat()] {
        let mut guest = host.join("guest", 40, 12);
        guest.send_bytes(&[&(content.len() as u32).to_le_bytes(), content].concat());
        host.play(2, &mut [&mut neighbor]);
        guest.hear();
        assert!(guest.goodbye.is_some(), "{content:?}");
    }
    let mut guest = host.join("guest", 40, 12);
    guest.send(&ToHost::Meters(LinkMeters { frames: -1.0, bytes: 1.0, delay: None }));
    host.play(2, &mut [&mut neighbor]);
    guest.hear();
    assert!(guest.said_goodbye().contains("out of range"));
}

/// A machine that makes four of ten due steps: frames come by the tank's time, whatever the number of a step is.
#[test]
fn an_overloaded_host_sends_frames_and_says_that_it_is_slow() {
    let mut host = Host::new();
    let mut guests = [host.join("anna", 40, 12)];
    for offset in 0..4 {
        guests[0].send(&ToHost::View(GuestView {
            look: LookOptions { fps: 30, ..LookOptions::default() },
            ..view(40 + offset, 12)
        }));
        // Another number of steps at the start of the load.
        host.play(7 + u32::from(offset), &mut guests.each_mut());
        let before = guests[0].frames;
        for turn in 0..20 {
            guests[0].act(GuestAction::Tilt { radians: if turn % 2 == 0 { 0.5 } else { -0.5 } });
            host.now += 9 * TURN;
            host.play(1, &mut guests.each_mut());
        }
        let frames = guests[0].frames - before;
        assert!(frames >= 18, "{frames} frames in 20 turns");
    }
    assert!(guests[0].told.iter().any(|line| line.contains("of its speed")), "{:?}", guests[0].told);
}

/// The status changes in every step of a tilt, and others may join all the time.
#[test]
fn frames_come_while_the_tank_is_tilted_and_others_join() {
    let mut host = Host::new();
    let (mut anna, mut ben) = (host.join("anna", 80, 24), host.join("ben", 80, 24));
    host.play(5, &mut [&mut anna, &mut ben]);
    let before = ben.frames;
    let mut latency = None;
    for turn in 0..120_u32 {
        let angle = (turn % 60) as f32 / 30.0 - 1.0;
        anna.act(GuestAction::Tilt { radians: angle });
        let _visitor = host.join("visitor", 40, 12);
        host.play(1, &mut [&mut anna, &mut ben]);
        latency = latency.or((ben.status.tilt != 0.0).then_some(turn));
    }
    let frames = ben.frames - before;
    assert!(frames >= 110, "{frames} frames in 2 s");
    assert!(latency.is_some_and(|turns| turns <= 6), "the tilt is seen after {latency:?} turns");
}

/// A guest whose window grows when all views together have reached the limit keeps playing, with a coarser picture.
#[test]
fn a_guest_that_resizes_beyond_the_limit_stays() {
    let mut host = Host::new();
    let _large = [host.join("one", 1000, 500), host.join("two", 1000, 189)];
    let mut third = host.join("three", 80, 24);
    host.play(10, &mut [&mut third]);
    third.send(&ToHost::View(view(200, 60)));
    host.play(10, &mut [&mut third]);
    assert_eq!(third.goodbye, None);
    assert_eq!(third.cells.len(), 100 * 30);
    assert!(third.told.iter().any(|line| line.contains("this picture is coarser")), "{:?}", third.told);
}

/// The limit is shared equally. Without one, guests that come over a network share 20 Mbit/s.
#[test]
fn guests_share_the_bandwidth() {
    let mut host = Host::new();
    let mut local = host.join("local", 40, 12);
    let mut remote = [host.connect(), host.connect()];
    for guest in &mut remote {
        guest.send_bytes(&greeting());
        guest.send(&ToHost::Hello { name: "far".to_owned(), view: view(40, 12), remote: true });
    }
    let [one, two] = &mut remote;
    host.play(3, &mut [&mut local, one, two]);
    assert_eq!([local.bandwidth, one.bandwidth, two.bandwidth], [None, Some(1_250_000), Some(1_250_000)]);
    let now = host.now;
    host.server.bandwidth = Some(90_000);
    host.now = now;
    host.play(3, &mut [&mut local, one, two]);
    assert_eq!([local.bandwidth, one.bandwidth, two.bandwidth], [Some(30_000); 3]);
}

/// Guests that join, resize and leave at random leave nothing behind.
#[test]
fn many_joins_leaves_and_sizes_leave_nothing_behind() {
    let mut host = Host::new();
    let mut random = fastrand::Rng::with_seed(3);
    let mut neighbor = host.join("neighbor", 50, 16);
    let mut guests: Vec<Guest> = Vec::new();
    for _ in 0..300 {
        match random.u8(0..6) {
            0 | 1 if guests.len() < 20 => {
                guests.push(host.join("guest", random.u16(1..120), random.u16(1..40)));
            }
            2 if !guests.is_empty() => drop(guests.swap_remove(random.usize(0..guests.len()))),
            _ => {
                for guest in &mut guests {
                    guest.send(&ToHost::View(view(random.u16(1..120), random.u16(1..40))));
                    guest.send(&ToHost::Next);
                    if random.bool() {
                        guest.hear();
                    }
                }
            }
        }
        host.play(1, &mut [&mut neighbor]);
        host.forget(guests.len() + 1);
    }
    assert!(neighbor.frames > 250, "{}", neighbor.frames);
    guests.clear();
    host.forget(1);
    host.play(2, &mut [&mut neighbor]);
    assert_eq!((host.server.tank.roster.len(), host.server.waiting()), (1, 0));
}

// ---- both programs ----

/// A folder for sockets, removed with its content.
struct Runtime(PathBuf);

impl Runtime {
    fn new(name: &str) -> Self {
        // With a short name: the path of a socket has at most 107 bytes.
        let path = std::env::temp_dir().join(format!("slosh-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("UTF-8")
    }

    fn socket(&self) -> PathBuf {
        self.0.join("slosh/tank")
    }

    fn command(&self, args: &str) -> Command {
        let mut command = program::slosh();
        command
            .args(args.split(' ').filter(|arg| !arg.is_empty()))
            .env("XDG_RUNTIME_DIR", &self.0)
            .stdin(Stdio::null());
        command
    }

    fn run(&self, args: &str) -> Output {
        self.command(args).finished()
    }

    /// Starts a host without a terminal, and waits until it listens.
    fn host(&self, args: &str) -> HostProcess {
        let mut command = self.command(&format!("host dam --particles 200 --idle 0 {args}"));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("slosh starts");
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().expect("piped")).read_line(&mut line).expect("a line");
        if !line.contains("/slosh/") {
            let mut said = String::new();
            let _ = child.stderr.as_mut().expect("piped").read_to_string(&mut said);
            panic!("{said}");
        }
        HostProcess(child)
    }

    fn join(&self, args: &str) -> Pty {
        let argv = [SLOSH, "join"].into_iter().chain(args.split(' ').filter(|arg| !arg.is_empty()));
        let mut pty = Setup::new(argv).var("XDG_RUNTIME_DIR", self.path()).answering().start();
        pty.wait_for_picture();
        pty
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

struct HostProcess(Child);

impl HostProcess {
    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.0), signal).expect("a running host");
    }

    fn end(&mut self) -> i32 {
        Pty::code(program::wait(&mut self.0))
    }
}

impl Drop for HostProcess {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn shows(what: &str) -> impl Fn(&Pty) -> bool + '_ {
    move |pty| pty.screen().contents().contains(what)
}

/// Whether the list of guests has the name. Messages about guests contain it, too.
fn lists(name: &str) -> impl Fn(&Pty) -> bool + '_ {
    let is_message = |line: &str| ["joined", "left", "you are"].iter().any(|it| line.contains(it));
    move |pty| pty.screen().contents().lines().any(|line| line.contains(name) && !is_message(line))
}

fn is_drawn(pty: &Pty) -> bool {
    pty.screen().contents().chars().filter(|c| *c > '\u{2500}').count() > 20
}

#[test]
fn a_host_that_ends_or_is_killed_can_be_replaced() {
    let runtime = Runtime::new("ends");
    let mut host = runtime.host("");
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode(&runtime.socket()), mode(&runtime.0.join("slosh"))), (0o600, 0o700));

    // A second host is refused as long as the first one answers.
    let second = runtime.run("host dam");
    let said = String::from_utf8_lossy(&second.stderr);
    assert!(second.status.code() == Some(1) && said.contains("a host named tank is running already"), "{said}");

    let (mut anna, mut ben) = (runtime.join("--as anna"), runtime.join("tank --as ben"));
    assert!(anna.pump_until(SOON, is_drawn) && ben.pump_until(SOON, is_drawn), "{}", ben.tail());
    anna.send(b"s");
    assert!(anna.pump_until(SOON, |pty| lists("anna")(pty) && lists("ben")(pty)), "{}", anna.screen().contents());
    // A killed guest is removed.
    ben.signal(Signal::KILL);
    assert!(anna.pump_until(SOON, |pty| !lists("ben")(pty)), "{}", anna.screen().contents());
    assert!(lists("anna")(&anna), "{}", anna.screen().contents());

    // A killed host leaves its socket, and the next one takes it over.
    host.signal(Signal::KILL);
    anna.assert_ends(SOON, 1);
    host.end();
    let said = anna.screen().contents();
    assert!(said.trim_end().ends_with("tank: the host has ended") && said.trim().lines().count() == 1, "{said:?}");
    assert!(runtime.socket().exists());
    let mut host = runtime.host("");
    let mut anna = runtime.join("--as anna");
    assert!(anna.pump_until(SOON, is_drawn), "{}", anna.tail());
    host.signal(Signal::TERM);
    anna.assert_ends(SOON, 1);
    assert_eq!(host.end(), 128 + Signal::TERM.as_raw());
    assert!(!runtime.socket().exists(), "the socket is still there");

    let alone = runtime.run("join");
    let said = String::from_utf8_lossy(&alone.stderr).into_owned();
    assert!(alone.status.code() == Some(2) || said.contains("no host named tank"), "{said}");
}

#[test]
fn a_host_with_a_terminal_is_a_guest_too_and_may_limit_others() {
    let runtime = Runtime::new("session");
    let argv = [SLOSH, "host", "dam", "--particles", "200", "--idle", "0", "--allow", "push", "--as", "owner"];
    let mut host = Setup::new(argv).var("XDG_RUNTIME_DIR", runtime.path()).answering().start();
    assert!(host.pump_until(SOON, is_drawn), "{}", host.tail());
    let mut anna = runtime.join("--as anna");
    assert!(anna.pump_until(SOON, is_drawn), "{}", anna.tail());
    host.send(b"s");
    assert!(host.pump_until(SOON, |pty| lists("owner")(pty) && lists("anna")(pty)), "{}", host.screen().contents());
    anna.send(b"\x1b[C");
    assert!(anna.pump_until(SOON, shows("the host has locked gravity")), "{}", anna.screen().contents());
    host.send(b"q");
    assert!(Pty::all_end(&mut [&mut host, &mut anna], SOON), "{} {}", host.tail(), anna.tail());
    host.assert_ends(SOON, 0);
    assert!(!runtime.socket().exists(), "the socket is still there");
    anna.assert_ends(SOON, 1);
}

/// The palettes that a scene names are the host's. Guests, who need not have them, see the same colours.
#[test]
fn guests_see_the_palettes_of_the_host() {
    let runtime = Runtime::new("palettes");
    let palette = |name: &str, color: &str| {
        format!(
            "[[palettes]]\nname = \"{name}\"\ninherits = \"water\"\nstops = [\"{color}\", \"{color}\"]\n\
             deep = \"{color}\"\nfoam = \"{color}\"\n"
        )
    };
    let settings = palette("red", "#c01000") + &palette("green", "#00c010");
    let scene = "palette = \"red\"\n[[liquid]]\nbox = [0, 0, 0.5, 0.6]\n\
                 [[liquid]]\nbox = [0.5, 0, 1, 0.6]\npalette = \"green\"\n";
    fs::create_dir_all(runtime.0.join("slosh")).expect("a folder");
    fs::write(runtime.0.join("slosh/config.toml"), settings).expect("written");
    fs::write(runtime.0.join("two.toml"), scene).expect("written");
    let two = format!("{}/two.toml", runtime.path());
    let start = |argv: &[&str]| {
        let setup = Setup::new([SLOSH].into_iter().chain(argv.iter().copied())).var("XDG_RUNTIME_DIR", runtime.path());
        setup.var("COLORTERM", "truecolor").answering()
    };
    // The number of cells in which a channel is above the others.
    let most = |pty: &Pty, channel: usize| {
        let cells = (0..24).flat_map(|row| (0..80).map(move |column| (row, column)));
        let cells = cells.filter_map(|(row, column)| pty.screen().cell(row, column));
        let is = |color| match color {
            vt100::Color::Rgb(r, g, b) => (0..3).all(|at| at == channel || [r, g, b][at] < [r, g, b][channel]),
            _ => false,
        };
        cells.filter(|cell| is(cell.fgcolor()) || is(cell.bgcolor())).count()
    };
    let both = |pty: &Pty| most(pty, 0) > 100 && most(pty, 1) > 100;
    let mut host =
        start(&["host", &two, "--particles", "300", "--idle", "0"]).var("XDG_CONFIG_HOME", runtime.path()).start();
    host.wait_for_picture();
    let mut guest = start(&["join"]).start();
    for pty in [&mut host, &mut guest] {
        let seen = pty.pump_until(SOON, both);
        assert!(seen, "{:?} cells are red, green and blue", [0, 1, 2].map(|channel| most(pty, channel)));
    }
}

/// The layers and the recordings of the toy are the guest's too.
#[test]
fn a_guest_has_the_picker_the_help_and_recordings() {
    let runtime = Runtime::new("layers");
    let mut host = runtime.host("");
    let mut anna = runtime.join("--as anna");
    assert!(anna.pump_until(SOON, is_drawn), "{}", anna.tail());
    anna.send(b"/");
    assert!(anna.pump_until(SOON, shows("enter go")), "{}", anna.screen().contents());
    anna.send(b"curtain\r");
    assert!(anna.pump_until(SOON, |pty| !shows("enter go")(pty)), "{}", anna.screen().contents());
    // The picker opens with the host's scene selected.
    let selected = |pty: &Pty| {
        let screen = pty.screen();
        let is_selected = |row: u16| (0..80).any(|column| screen.cell(row, column).is_some_and(|cell| cell.inverse()));
        (0..24).find(|&row| is_selected(row)).map(|row| screen.rows(0, 80).nth(row.into()).unwrap_or_default())
    };
    let is_curtain = |pty: &Pty| selected(pty).is_some_and(|row| row.contains("curtain"));
    let end = Instant::now() + SOON;
    while !is_curtain(&anna) && Instant::now() < end {
        anna.send(b"/");
        assert!(anna.pump_until(SOON, shows("enter go")), "{}", anna.screen().contents());
        if !is_curtain(&anna) {
            anna.send(b"\x1b");
            assert!(anna.pump_until(SOON, |pty| !shows("enter go")(pty)), "{}", anna.screen().contents());
        }
    }
    assert!(is_curtain(&anna), "{}", anna.screen().contents());
    // esc closes what is open, the topmost first, and does not leave.
    anna.send(b"\x1b");
    assert!(anna.pump_until(SOON, |pty| !shows("enter go")(pty)), "{}", anna.screen().contents());
    anna.send(b"s");
    assert!(anna.pump_until(SOON, lists("anna")), "{}", anna.screen().contents());
    anna.send(b"?");
    assert!(anna.pump_until(SOON, shows("next, previous scene")), "{}", anna.screen().contents());
    // Help covers the list. A key that came in one read with esc would be an alt key, so each esc waits for its effect.
    anna.send(b"\x1b");
    let is_list_alone = |pty: &Pty| !shows("next, previous scene")(pty) && lists("anna")(pty);
    assert!(anna.pump_until(SOON, is_list_alone), "{}", anna.screen().contents());
    anna.send(b"\x1b");
    assert!(anna.pump_until(SOON, |pty| !lists("anna")(pty)), "{}", anna.screen().contents());
    // The panel has the looks, which are a guest's own, and no numbers of the tank.
    anna.send(b"\t");
    assert!(anna.pump_until(SOON, shows("palette")), "{}", anna.screen().contents());
    assert!(shows("each scene's own")(&anna) && !shows("gravity")(&anna), "{}", anna.screen().contents());
    anna.send(b"\x1b[C");
    assert!(anna.pump_until(SOON, |pty| !shows("each scene's own")(pty)), "{}", anna.screen().contents());
    anna.send(b"\x1b[D");
    assert!(anna.pump_until(SOON, shows("each scene's own")), "{}", anna.screen().contents());
    anna.send(b"\x1b");
    assert!(anna.pump_until(SOON, |pty| !shows("colour by")(pty)), "{}", anna.screen().contents());
    anna.send(b"q");
    anna.assert_ends(SOON, 0);
    host.signal(Signal::TERM);
    host.end();
}

/// The cells that differ between two screens.
fn differences(a: &Pty, b: &Pty) -> Vec<String> {
    // A glyph in the colour of its background is a blank.
    let look = |pty: &Pty, row: u16, column: u16| {
        let cell = pty.screen().cell(row, column).expect("a cell of the screen");
        let (sign, fg, bg) = (cell.contents().trim(), cell.fgcolor(), cell.bgcolor());
        if sign.is_empty() || fg == bg { format!("{bg:?}") } else { format!("{sign} {fg:?} {bg:?}") }
    };
    let (rows, columns) = a.screen().size();
    let (rows, columns) = (rows.get(), columns.get());
    let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    let differ = |(row, column)| {
        let (one, other) = (look(a, row, column), look(b, row, column));
        (one != other).then(|| format!("{row},{column}: {one} and {other}"))
    };
    cells.filter_map(differ).collect()
}

/// At 8 kbit/s a guest sees fewer pictures than its neighbour, and finally the same one.
#[test]
fn a_slow_link_carries_fewer_frames_and_clean_ones() {
    let runtime = Runtime::new("slow");
    // By the particles alone water comes to rest sooner.
    let _host = runtime.host("--set grid_pressure=false");
    let setup = || {
        let setup = Setup::new([SLOSH, "join", "--quiet"]).var("XDG_RUNTIME_DIR", runtime.path());
        setup.size(40, 12).answering()
    };
    let (mut fast, mut slow) = (setup().start(), setup().link(Link::shallow(1000.0)).start());
    let pump = |fast: &mut Pty, slow: &mut Pty| {
        fast.pump(Duration::from_millis(20));
        slow.pump(Duration::from_millis(20));
    };
    let end = Instant::now() + SOON;
    while !(is_drawn(&fast) && is_drawn(&slow)) && Instant::now() < end {
        pump(&mut fast, &mut slow);
    }
    let before = (fast.frames(), slow.frames());
    let end = Instant::now() + SOON;
    for turn in 0.. {
        // The tank keeps moving.
        if turn % 15 == 0 {
            fast.send(if turn % 30 == 0 { b"\x1b[C\x1b[C" } else { b"\x1b[D\x1b[D" });
        }
        pump(&mut fast, &mut slow);
        if slow.frames() >= before.1 + 3 || Instant::now() > end {
            break;
        }
    }
    let (of_fast, of_slow) = (fast.frames() - before.0, slow.frames() - before.1);
    assert!(of_slow > 0 && of_slow < of_fast, "{of_slow} frames of {of_fast}");
    // When the tank is at rest, both screens are equal: no outdated cells remain on the slow one.
    fast.send(b"\x1b[C\x1b[C");
    let end = Instant::now() + 4 * SOON;
    while differences(&fast, &slow) != [""; 0] && Instant::now() < end {
        pump(&mut fast, &mut slow);
    }
    assert_eq!(differences(&fast, &slow), [""; 0]);
    assert!(is_drawn(&slow), "{}", slow.screen().contents());
    for pty in [&mut fast, &mut slow] {
        pty.send(b"q");
        pty.assert_ends(SOON, 0);
    }
}

#[test]
fn sockets_are_in_the_documented_folders() {
    let runtime = Runtime::new("places");
    // A folder that others can write to is not used.
    fs::create_dir_all(runtime.0.join("slosh")).expect("our own folder");
    fs::set_permissions(runtime.0.join("slosh"), fs::Permissions::from_mode(0o777)).expect("ours");
    let output = runtime.run("host dam");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains("must be a folder of your own"), "{said}");
    fs::remove_dir(runtime.0.join("slosh")).expect("empty");
    // For a group: any group of the user.
    let group = program::command("id").arg("-gn").finished().stdout;
    let mut host = runtime.host(&format!("--group {}", String::from_utf8_lossy(&group).trim()));
    let mode = |path: PathBuf| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode(runtime.socket()), mode(runtime.0.join("slosh"))), (0o660, 0o750));
    host.signal(Signal::INT);
    assert_eq!(host.end(), 128 + Signal::INT.as_raw());
    // Without a runtime folder, a folder of this user in the folder for temporary files is used.
    let mut command = runtime.command("host dam --particles 50");
    command.env_remove("XDG_RUNTIME_DIR").env("TMPDIR", &runtime.0).stdout(Stdio::piped());
    let mut host = HostProcess(command.spawn().expect("slosh starts"));
    let mut line = String::new();
    BufReader::new(host.0.stdout.as_mut().expect("piped")).read_line(&mut line).expect("a line");
    let socket = PathBuf::from(line.trim_end());
    let folder = format!("slosh-{}", rustix::process::getuid().as_raw());
    assert_eq!(socket, runtime.0.join(folder).join("tank"));
    assert_eq!(mode(socket.parent().expect("its folder").to_owned()), 0o700);
    host.signal(Signal::TERM);
    host.end();
}

/// Another user may have made the folder first, and listen there.
#[test]
fn a_folder_that_another_user_can_write_to_is_not_entered() {
    let runtime = Runtime::new("foreign");
    let folder = runtime.0.join(format!("slosh-{}", rustix::process::getuid().as_raw()));
    fs::create_dir(&folder).expect("our own folder");
    let listener = UnixListener::bind(folder.join("tank")).expect("a socket");
    listener.set_nonblocking(true).expect("a socket");
    let assert_refused = || {
        let setup = Setup::new([SLOSH, "join"]).var("XDG_RUNTIME_DIR", "").var("TMPDIR", runtime.path());
        let mut guest = setup.answering().start();
        guest.assert_ends(SOON, 1);
        let said = guest.screen().contents();
        assert!(said.contains("must be a folder of your own"), "{said}");
        assert!(listener.accept().is_err(), "it has connected");
    };
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).expect("ours");
    assert_refused();
    if rustix::process::getuid().is_root() {
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).expect("ours");
        std::os::unix::fs::chown(&folder, Some(65534), None).expect("we are the superuser");
        assert_refused();
    }
}

#[test]
fn a_file_with_the_name_of_a_tank_is_kept() {
    let runtime = Runtime::new("file");
    fs::create_dir(runtime.0.join("slosh")).expect("our own folder");
    fs::write(runtime.socket(), "a letter").expect("our own folder");
    let output = runtime.run("host dam --particles 50");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains("is not a socket"), "{said}");
    assert_eq!(fs::read_to_string(runtime.socket()).expect("it is still there"), "a letter");
    // A host removes its own socket, and no file that has taken its place.
    fs::remove_file(runtime.socket()).expect("ours");
    let mut host = runtime.host("");
    fs::remove_file(runtime.socket()).expect("ours");
    fs::write(runtime.socket(), "a letter").expect("our own folder");
    host.signal(Signal::TERM);
    host.end();
    assert_eq!(fs::read_to_string(runtime.socket()).expect("it is still there"), "a letter");
}

/// `XDG_RUNTIME_DIR` may name a folder that was removed at a logout, or one with a path too long for a socket.
#[test]
fn without_a_usable_runtime_folder_the_temporary_one_is_used() {
    let runtime = Runtime::new("stale");
    let long = runtime.0.join("x".repeat(100));
    fs::create_dir(&long).expect("our own folder");
    for unusable in [Path::new("/nonexistent/runtime"), &long] {
        let mut command = runtime.command("host dam --particles 50");
        command.env("XDG_RUNTIME_DIR", unusable).env("TMPDIR", &runtime.0).stdout(Stdio::piped());
        let mut host = HostProcess(command.spawn().expect("slosh starts"));
        let mut line = String::new();
        BufReader::new(host.0.stdout.as_mut().expect("piped")).read_line(&mut line).expect("a line");
        let folder = format!("slosh-{}", rustix::process::getuid().as_raw());
        assert_eq!(PathBuf::from(line.trim_end()), runtime.0.join(folder).join("tank"));
        // A guest finds it, also if the guest has another runtime folder.
        let mut guest = Setup::new([SLOSH, "join"]).var("TMPDIR", runtime.path());
        guest = guest.var("XDG_RUNTIME_DIR", unusable.to_str().expect("UTF-8"));
        let mut guest = guest.answering().start();
        guest.wait_for_picture();
        host.signal(Signal::TERM);
        host.end();
    }
    let mut command = runtime.command("host dam");
    let output = command.env_remove("XDG_RUNTIME_DIR").env("TMPDIR", &long).finished();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains("set XDG_RUNTIME_DIR or TMPDIR"), "{said}");
}

/// A host of another version: both sides report it.
#[test]
fn different_versions_are_reported() {
    let runtime = Runtime::new("version");
    fs::create_dir(runtime.0.join("slosh")).expect("our own folder");
    let listener = UnixListener::bind(runtime.socket()).expect("a socket");
    let answering = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a guest");
        let mut bytes = greeting();
        bytes[GREETING - 2..].copy_from_slice(&(VERSION + 1).to_le_bytes());
        stream.write_all(&bytes).expect("room");
        let _ = stream.read(&mut [0; 64]);
    });
    let mut pty = Setup::new([SLOSH, "join"]).var("XDG_RUNTIME_DIR", runtime.path()).answering().start();
    pty.assert_ends(SOON, 1);
    let said = pty.screen().contents();
    assert!(said.contains(&format!("version {}", VERSION + 1)) && said.contains("use the same slosh"), "{said}");
    answering.join().expect("no panic");
}

#[test]
fn an_address_becomes_the_arguments_of_ssh() {
    let runtime = Runtime::new("ssh-args");
    let ssh = runtime.0.join("ssh");
    fs::write(&ssh, "#!/bin/sh\nprintf '<%s>' \"$@\"\nexit 7\n").expect("our own folder");
    fs::set_permissions(&ssh, fs::Permissions::from_mode(0o755)).expect("our own file");
    let path = format!("{}:{}", runtime.path(), std::env::var("PATH").unwrap_or_default());
    for (place, destination, tank) in [
        ("ssh://h", "<--><h>", "tank"),
        ("ssh://h/", "<--><h>", "tank"),
        ("ssh://ben@h:2222/pond", "<-p><2222><--><ben@h>", "pond"),
        ("ssh://user@[::1]", "<--><user@::1>", "tank"),
        ("ssh://[fe80::1%eth0]:22/pond", "<-p><22><--><fe80::1%eth0>", "pond"),
    ] {
        let mut command = runtime.command("join");
        let output = command.arg(place).args(["--as", "anna"]).env("PATH", &path).finished();
        let said = String::from_utf8_lossy(&output.stdout);
        assert_eq!(said, format!("<-t>{destination}<slosh 'join' '{tank}' '--as' 'anna'>"), "{place}");
        assert_eq!(output.status.code(), Some(7), "the exit code is that of ssh");
    }
}

/// ssh is killed while the guest plays, so the program on the other machine can restore nothing.
#[test]
fn a_connection_that_dies_leaves_the_terminal_as_it_was() {
    let runtime = Runtime::new("ssh-dies");
    let Some(sshd) = Sshd::start_with(&strangers(&runtime)) else { return };
    let _host = runtime.host("");
    let (ssh, place) = sshd.own_ssh();
    let path = format!("{}:{}", ssh.display(), std::env::var("PATH").unwrap_or_default());
    let start = |place: &str| Setup::new([SLOSH, "join", place]).var("PATH", &path).answering().start();
    let child = |pty: &Pty| {
        let list = format!("/proc/{0}/task/{0}/children", pty.pid().as_raw_pid());
        let list = fs::read_to_string(list).unwrap_or_default();
        list.split_whitespace().next().and_then(|pid| Pid::from_raw(pid.parse().ok()?))
    };
    let mut guest = start(&format!("ssh://{place}/tank"));
    assert!(guest.pump_until(SOON, is_drawn), "{}", guest.tail());
    kill_process(child(&guest).expect("ssh"), Signal::KILL).expect("a running ssh");
    guest.assert_ends(SOON, 1);
    assert!(guest.screen().contents().contains("the connection has ended"), "{}", guest.screen().contents());

    // A signal ends ssh as well.
    let mut guest = start(&format!("ssh://{place}/tank"));
    assert!(guest.pump_until(SOON, is_drawn), "{}", guest.tail());
    let ssh = child(&guest).expect("ssh");
    guest.signal(Signal::TERM);
    guest.assert_ends(SOON, 128 + Signal::TERM.as_raw());
    let state = format!("/proc/{}/stat", ssh.as_raw_pid());
    let runs = || fs::read_to_string(&state).is_ok_and(|stat| !stat.contains(") Z"));
    let end = Instant::now() + SOON;
    while runs() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(!runs(), "ssh is still there");

    // Nothing is sent to a terminal on which no session began.
    let mut refused = start(&format!("ssh://{}:1/tank", place.rsplit_once(':').expect("a port").0));
    refused.assert_ends(SOON, 255);
    assert!(!refused.output.contains(&0x1b), "{}", refused.tail());
}

/// The largest window that is drawn has 1000 columns. A wider one is cut.
#[test]
fn a_window_beyond_the_limit_is_joined() {
    let runtime = Runtime::new("wide");
    let _host = runtime.host("");
    let setup = Setup::new([SLOSH, "join"]).var("XDG_RUNTIME_DIR", runtime.path()).size(1100, 6);
    let mut guest = setup.answering().start();
    assert!(guest.pump_until(SOON, is_drawn), "{}", guest.tail());
    guest.send(b"q");
    guest.assert_ends(SOON, 0);
}

#[test]
fn the_host_removes_a_guest() {
    let runtime = Runtime::new("kick");
    let _host = runtime.host("");
    let mut anna = runtime.join("--as anna");
    let missing = runtime.run("host kick ben");
    let said = String::from_utf8_lossy(&missing.stderr);
    assert!(missing.status.code() == Some(1) && said.contains("no guest named \"ben\"; guests: anna"), "{said}");
    let removed = runtime.run("host kick anna --name tank");
    assert!(removed.status.success() && removed.stdout == b"anna is removed\n", "{removed:?}");
    anna.assert_ends(SOON, 1);
    assert!(anna.screen().contents().contains("the host has removed you"), "{}", anna.screen().contents());
    let none = runtime.run("host kick anna --name pond");
    assert!(none.status.code() == Some(1) && String::from_utf8_lossy(&none.stderr).contains("no host named pond"));
}

/// A recording that cannot be written any more ends with a message. The tank goes on.
#[test]
fn a_full_disk_ends_the_recording_and_not_the_tank() {
    let runtime = Runtime::new("full");
    let file = runtime.0.join("x.slosh");
    let record = format!("--record {} --force", file.display());
    let mut first = runtime.host(&record);
    first.signal(Signal::TERM);
    first.end();
    // The header fits, and some steps after it. The limit counts blocks of 512 bytes.
    let header = fs::read(&file).expect("a recording").iter().take_while(|&&byte| byte != b'\n').count();
    let blocks = header / 512 + 3;
    let command = format!("trap '' XFSZ; ulimit -f {blocks}; exec {SLOSH} host dam --particles 200 --idle 0 {record}");
    let setup = Setup::new(["sh", "-c", &command]).var("XDG_RUNTIME_DIR", runtime.path());
    let mut host = setup.answering().start();
    assert!(host.pump_until(SOON, shows("others join with slosh join")), "{}", host.screen().contents());
    let keys = |host: &mut Pty| host.send(b"\x1b[C\x1b[D");
    let end = Instant::now() + SOON;
    while !shows("the recording has ended")(&host) && Instant::now() < end {
        keys(&mut host);
        host.pump(Duration::from_millis(50));
    }
    assert!(shows("the recording has ended")(&host), "{}", host.screen().contents());
    let mut anna = runtime.join("--as anna");
    assert!(anna.pump_until(SOON, is_drawn), "{}", anna.tail());
    host.send(b"q");
    assert!(Pty::all_end(&mut [&mut host, &mut anna], SOON), "{} {}", host.tail(), anna.tail());
    host.assert_ends(SOON, 0);
    anna.assert_ends(SOON, 1);
}

// ---- over ssh ----

/// The part of sshd's configuration that the documentation gives for strangers, adapted to this user and program.
fn strangers(runtime: &Runtime) -> String {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/sharing.md")).expect("a page");
    let block = page.split("```sshdconfig\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a block");
    let user = program::command("id").arg("-un").finished().stdout;
    let program = format!("/usr/bin/env LANG=C.UTF-8 XDG_RUNTIME_DIR={} {SLOSH} join", runtime.path());
    let block = block.replace("Match User water", &format!("Match User {}", String::from_utf8_lossy(&user).trim()));
    let block = block.replace("/usr/bin/slosh join", &program);
    assert!(block.contains(&program) && block.contains("DisableForwarding yes"), "{block}");
    // In this test, a key admits the only user, who has a password.
    block.lines().filter(|line| !line.contains("Password")).map(|line| format!("{line}\n")).collect()
}

/// An account for strangers, configured as documented: three guests play on one tank, and can do nothing else.
#[test]
fn three_guests_over_ssh_in_an_account_for_strangers() {
    let runtime = Runtime::new("ssh");
    let Some(sshd) = Sshd::start_with(&strangers(&runtime)) else { return };
    let mut host = runtime.host("--allow tilt,push");
    let join = |words: &str| {
        let argv = sshd.client(words);
        Setup::new(argv.iter().map(String::as_str)).answering().start()
    };
    // As strangers do: `slosh join` starts ssh, and sshd passes its command to the account's own command.
    let (ssh, place) = sshd.own_ssh();
    let path = format!("{}:{}", ssh.display(), std::env::var("PATH").unwrap_or_default());
    let mut guests = ["anna", "ben", "cleo"].map(|name| {
        let argv = [SLOSH, "join", &format!("ssh://{place}/tank"), "--as", name, "--palette", "lava"];
        Setup::new(argv).var("PATH", &path).answering().start()
    });
    for guest in &mut guests {
        assert!(guest.pump_until(SOON, is_drawn), "{}", guest.tail());
    }
    let [anna, ben, cleo] = &mut guests;
    anna.send(b"s");
    let all = |pty: &Pty| ["anna", "ben", "cleo"].iter().all(|name| lists(name)(pty));
    assert!(anna.pump_until(SOON, all), "{}", anna.screen().contents());
    anna.send(b"s");
    // A click and a drag; then the arrow that tilts.
    ben.send(b"\x1b[<0;30;16M\x1b[<32;40;16M");
    assert!(cleo.pump_until(SOON, lists("ben")), "{}", cleo.screen().contents());
    // The level is shown while the tank is tilted.
    assert!(!shows("°")(cleo), "{}", cleo.screen().contents());
    anna.send(b"\x1b[C\x1b[C\x1b[C");
    assert!(cleo.pump_until(SOON, shows("°")), "{}", cleo.screen().contents());
    // Forbidden for this account: files, other programs, suspending, recording.
    for key in [&b"S"[..], b"R", b"\x1a", b"y"] {
        anna.send(key);
        anna.pump(Duration::from_millis(50));
    }
    assert!(anna.pump_until(SOON, shows("not in ")), "{}", anna.screen().contents());
    assert!(anna.terminal().errors.iter().all(|error| !error.contains("52")), "{:?}", anna.terminal().errors);

    for words in ["cat /etc/passwd", "slosh list", "slosh join x --record y.cast", "sh"] {
        let mut other = join(words);
        assert!(other.pump_until(SOON, |pty| is_drawn(pty) || shows("this account accepts")(pty)), "{}", other.tail());
        other.send(b"q");
        other.end(SOON).expect("it should have ended by now");
        let said = String::from_utf8_lossy(&other.output).into_owned();
        assert!(!said.contains("root:") && !said.contains("fountain"), "{words}: {said}");
    }
    // Without a terminal there is no session; file transfer is refused.
    let mut argv = sshd.client("cat /etc/passwd");
    argv.retain(|word| word != "-tt");
    let output = program::command(&argv[0]).args(&argv[1..]).stdin(Stdio::null()).finished();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{output:?}");

    // Each guest is told in one line that the host has ended.
    host.signal(Signal::TERM);
    assert!(Pty::all_end(&mut guests.each_mut(), SOON), "{:?}", guests.each_ref().map(Pty::tail));
    host.end();
    for guest in &mut guests {
        assert_eq!(guest.traces(), [""; 0], "{}", guest.tail());
        assert!(guest.screen().contents().contains("the host has ended"), "{}", guest.screen().contents());
    }
}
