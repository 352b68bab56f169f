//! The bodies of the fuzz targets. `fuzz_targets/` runs them under libFuzzer, and tests/program/hostile.rs runs them
//! with a bounded number of mutated seeds, with any compiler, in every run of the tests.

#[cfg(unix)]
use slosh::app::host::protocol;
#[cfg(unix)]
use slosh::app::host::protocol::{MAX_TO_GUEST, Splitter, ToGuest, ToHost, framed, greeting};
#[cfg(unix)]
use slosh::app::host::server::Server;
use slosh::app::record::Header;
use slosh::app::record::replay::lines::LineReader;
use slosh::app::record::replay::{Played, Replay};
#[cfg(unix)]
use slosh::app::shared_tank::{DEFAULT_ASPECT, Permissions, SharedTank, TankConfig};
use slosh::cli::launch::recorded_options;
use slosh::cli::settings::layers::Sources;
use slosh::data::Setting;
use slosh::scene;
use slosh::scene::Scene;
use slosh::scene::share_code::ShareCode;
use slosh::term::input::Parser;
use std::io::Cursor;
#[cfg(unix)]
use std::io::{Read, Write};
#[cfg(unix)]
use std::net::Shutdown;
#[cfg(unix)]
use std::os::unix::net::UnixStream;
use std::path::Path;
#[cfg(unix)]
use std::time::{Duration, Instant};

/// Any bytes from a terminal: no panic, no endless wait, and the same events however they are cut.
pub fn input(bytes: &[u8]) {
    let (mut parser, mut whole) = (Parser::default(), Vec::new());
    parser.feed(bytes, &mut whole);
    parser.flush(&mut whole);
    assert_eq!(parser.timeout(), None);

    let (mut parser, mut parts) = (Parser::default(), Vec::new());
    bytes.iter().for_each(|byte| parser.feed(&[*byte], &mut parts));
    parser.flush(&mut parts);
    assert_eq!(whole, parts);
}

/// Any text as a scene, and as a settings file: an error with its origin, or a value that is the same after it is
/// written and read again.
pub fn scene(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Scene::parse(text, "fuzz.toml") {
        Ok(scene) => {
            let again = Scene::parse(&scene.to_toml(), "again.toml").expect("what was written is read");
            assert_eq!(again.world.particles, scene.world.particles);
        }
        Err(error) => assert!(error.origin.starts_with("fuzz.toml"), "{error}"),
    }
    let sources = Sources { file: Some(("fuzz.toml".to_owned(), text.to_owned())), ..Sources::default() };
    let _ = sources.settings();
}

/// The header of the recordings in which events are replayed: a small scene, so that a step takes little time.
const HEADER: &str = concat!(
    r#"{"slosh":3,"version":"0.1.0","settings":"threads = 1","content":{"scenes":["drop",["drop","ink","curtain","cork"]]},"#,
    r#""window":{"columns":20,"rows":6,"cell":[0,0]},"seed":1,"work":1.0,"saver":false,"set":[]}"#
);

/// Upper limit on the replayed events.
const NOTES: usize = 40;

/// Any bytes as a recording: the first line as its header, and the other lines as events in a recording of a small
/// scene.
pub fn recording(bytes: &[u8]) {
    let cut = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(bytes.len());
    let (first, rest) = bytes.split_at(cut);
    if let Ok(header) = std::str::from_utf8(first).map_err(drop).and_then(|line| Header::parse(line).map_err(drop)) {
        let _ = header.options("fuzz.slosh", recorded_options);
    }
    let all = [HEADER.as_bytes(), if rest.is_empty() { b"\n" } else { rest }].concat();
    let lines = LineReader::new(Cursor::new(all));
    let replay = Replay::read(lines, Path::new("fuzz.slosh"), 1, recorded_options);
    let mut replay = replay.expect("the header is right");
    for _ in 0..NOTES {
        if !matches!(replay.play_line(), Ok(Played::LogEntry | Played::Frame(_))) {
            return;
        }
    }
}

/// Any text as a share code, and as the content of one with a correct checksum.
pub fn code(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for code in [text.to_owned(), ShareCode::pack(text)] {
        let Ok(recipe) = ShareCode::parse(&code) else { continue };
        let settings: Result<Vec<Setting>, _> = recipe.set.iter().map(|text| Setting::parse(text, "--set")).collect();
        let Ok(settings) = settings else { continue };
        let embedded = scene::find(&recipe.scene).expect("a code names a scene that there is");
        let _ = Scene::parse_with(embedded, "fuzz.toml", &settings, &[]);
    }
}

/// Turns of the host in which it reads the bytes of a guest, 60 per second.
#[cfg(unix)]
const TURNS: u32 = 24;

/// Any bytes from a guest: raw, each line as a message, and these messages with one byte changed. The host continues, its
/// neighbour gets complete messages without any of these bytes, and nothing remains after the guest has left.
#[cfg(unix)]
pub fn guest(bytes: &[u8]) {
    let lines = bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    let messages: Vec<u8> = greeting().into_iter().chain(lines.flat_map(message)).collect();
    let mut changed = messages.clone();
    let at = greeting().len() + bytes.iter().map(|&byte| usize::from(byte)).sum::<usize>() % (messages.len() - 7);
    if let Some(byte) = changed.get_mut(at) {
        *byte ^= 0x55;
    }
    for sent in [bytes.to_vec(), messages, changed] {
        // A host draws on a pool that includes its own thread, and a thread can be in only one pool.
        let played = std::thread::spawn(move || FuzzedHost::new().receive(&sent)).join();
        played.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    }
}

/// A line of a seed as a message of a guest. A line that is none is sent as it is.
#[cfg(unix)]
fn message(line: &[u8]) -> Vec<u8> {
    match serde_json::from_slice::<ToHost>(line) {
        Ok(message) => framed(&message),
        Err(_) => [&(line.len() as u32).to_le_bytes(), line].concat(),
    }
}

/// A host with a well-behaved guest.
#[cfg(unix)]
struct FuzzedHost {
    server: Server,
    neighbor: UnixStream,
    heard: Splitter,
    now: Instant,
}

#[cfg(unix)]
impl FuzzedHost {
    fn new() -> Self {
        let scene = Scene::parse(scene::find("drop").expect("a scene"), "drop").expect("a scene");
        let (scenes, allow) = (vec![scene], Permissions::ALL);
        let config = TankConfig { scenes, aspect: DEFAULT_ASPECT, allow, particles: Some(60), ..TankConfig::default() };
        let now = Instant::now();
        let tank = SharedTank::new(config).expect("a tank");
        let mut server = Server::new(tank, None, 1, false, now).expect("a host");
        let (mut neighbor, theirs) = UnixStream::pair().expect("a pair of sockets");
        neighbor.set_nonblocking(true).expect("a socket");
        server.add(theirs, false, now);
        let hello = include_bytes!("corpus/guest/actions");
        let hello = hello.split(|&byte| byte == b'\n').next().expect("a line");
        neighbor.write_all(&[&greeting()[..], &message(hello), &framed(&ToHost::Next)].concat()).expect("room");
        let mut host = Self { server, neighbor, heard: Splitter::new(MAX_TO_GUEST), now };
        host.turn();
        assert_eq!(host.server.tank.roster.len(), 1);
        let read = host.read();
        host.heard.feed(&read);
        assert_eq!(host.heard.greeting().map(Vec::from), Some(greeting()));
        host
    }

    fn turn(&mut self) {
        self.now += Duration::from_nanos(1_000_000_000 / 60 + 1);
        self.server.turn(self.now);
    }

    fn read(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let _ = self.neighbor.read_to_end(&mut bytes);
        bytes
    }

    fn receive(&mut self, sent: &[u8]) {
        let (mut guest, theirs) = UnixStream::pair().expect("a pair of sockets");
        guest.set_nonblocking(true).expect("a socket");
        self.server.add(theirs, false, self.now);
        let mut rest = sent;
        let mut frames = 0;
        for _ in 0..TURNS {
            if let Ok(count) = guest.write(rest) {
                rest = &rest[count..];
            }
            self.neighbor.write_all(&framed(&ToHost::Next)).expect("the host reads");
            self.turn();
            let _ = guest.read(&mut [0; 1 << 16]);
            let read = self.read();
            self.heard.feed(&read);
            while let Some(message) = self.heard.next().expect("a whole message") {
                match protocol::read(&message).expect("a message") {
                    ToGuest::Frame(frame) => frame.apply(|_, _| frames += 1).expect("a whole frame"),
                    message => assert_is_ours(message),
                }
            }
        }
        assert!(frames > 0, "the neighbour saw nothing");
        // A process that another test starts holds a copy of the socket until it runs its program. Such a copy would keep
        // a socket open that is only dropped.
        guest.shutdown(Shutdown::Both).expect("an open socket");
        self.turn();
        self.turn();
        assert_eq!(self.server.tank.roster.len(), 1, "the guest is gone");
    }
}

/// Messages to a neighbour contain the sanitized names of guests, and nothing else from them.
#[cfg(unix)]
fn assert_is_ours(message: ToGuest) {
    let texts = match message {
        ToGuest::Tell(line) | ToGuest::Goodbye(line) => vec![line],
        ToGuest::Roster(rows) => rows.into_iter().map(|row| row.name.to_string()).collect(),
        _ => Vec::new(),
    };
    for text in texts {
        let clean = |c: char| c.is_ascii_alphanumeric() || " -_.:,;%()/".contains(c);
        assert!(text.len() < 100 && text.chars().all(clean), "{text:?}");
    }
}
