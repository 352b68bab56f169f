//! `slosh bench --guests`: a host, and guests on ptys that answer like terminals, at several sizes and link speeds.
//!
//! Host and guests are the program itself, started as a user starts it, so all of what a guest costs is in the figures. The
//! bench plays the terminals: it reads what each link carries, answers questions, moves pointers, and looks at the screens of
//! some guests for the effect.

mod process;
mod terminal;

use crate::app::error::Error;
use crate::cli::args::headless::FrameSize;
use process::{Usage, usage};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use terminal::{Terminal, wait_for_any};

/// Upper limit on guests of a bench.
pub const MAX_GUESTS: usize = 500;

/// How long guests may take to get their first picture, and how long the tank then runs before anything is measured.
const STARTING: Duration = Duration::from_secs(60);
const WARMING_UP: Duration = Duration::from_secs(3);

/// How long is measured.
const MEASURED: Duration = Duration::from_secs(20);

/// Guests whose screens are kept, for the time from key to screen: an emulator costs ten times what a guest does.
const WATCHED: usize = 6;

/// Guests that stir the tank all the time, and how often each moves its pointer.
const STIRRING: usize = 5;
const STIR_INTERVAL: Duration = Duration::from_millis(50);

/// Time between two measured movements of a guest's pointer; one without effect by then is lost.
const KEY_INTERVAL: Duration = Duration::from_millis(700);
const LOST: Duration = Duration::from_secs(5);

/// Sizes and bytes a second (none: as fast as it is read) of guests in the mixed run, one after the other.
const MIXED: [(FrameSize, Option<f64>); 8] = [
    (FrameSize { width: 80, height: 24 }, None),
    (FrameSize { width: 120, height: 40 }, None),
    (FrameSize { width: 80, height: 24 }, Some(125e3)),
    (FrameSize { width: 60, height: 20 }, None),
    (FrameSize { width: 100, height: 30 }, Some(250e3)),
    (FrameSize { width: 80, height: 24 }, Some(20e3)),
    (FrameSize { width: 132, height: 43 }, None),
    (FrameSize { width: 40, height: 12 }, Some(8e3)),
];

/// The figures of one run.
#[derive(Debug, Serialize)]
pub struct GuestRun {
    /// What is special about it.
    name: String,
    guests: usize,
    stalled: usize,
    /// Percent of a core: the host's, and the mean of its guests' own processes.
    host_cpu: f64,
    guest_cpu: f64,
    /// Memory of their own, MB: the host's, and the mean of its guests' processes; none where the system does not tell.
    host_memory: Option<f64>,
    guest_memory: Option<f64>,
    /// Frames a second: the mean, and of the guest with the fewest.
    frames: f64,
    fewest_frames: f64,
    /// Mean bytes a second of a guest.
    bytes: f64,
    /// From a key to its effect on the screen, milliseconds.
    key_median: f64,
    key_99: f64,
    key_worst: f64,
    keys_shown: usize,
    keys_sent: usize,
}

/// What is measured.
pub struct GuestBench<'a> {
    pub scene: &'a str,
    pub guests: usize,
    /// Guests that stop reading, in one more run.
    pub stalled: usize,
    pub seconds: Option<f64>,
}

/// Runs the host with all guests of one size, of mixed sizes and links, and with stalled guests, one run after the other.
///
/// # Errors
/// If a host or a guest cannot be started.
pub fn measure(bench: &GuestBench) -> Result<Vec<GuestRun>, Error> {
    let alike = [(FrameSize { width: 80, height: 24 }, None)];
    let mut runs = vec![LoadRun::start("80×24", bench, &alike, 0)?.measure(bench)?];
    runs.push(LoadRun::start("mixed", bench, &MIXED, 0)?.measure(bench)?);
    if bench.stalled > 0 {
        runs.push(LoadRun::start("80×24, stalled", bench, &alike, bench.stalled)?.measure(bench)?);
    }
    Ok(runs)
}

/// The runs as a table.
pub fn table(runs: &[GuestRun]) -> String {
    let mut text = format!(
        "{:16}{:>7}{:>16}{:>18}{:>14}{:>10}{:>26}{:>8}\n",
        "guests", "", "CPU % of a core", "memory MB", "frames/s", "bytes/s", "key to screen ms", "keys"
    );
    text += &format!(
        "{:16}{:>7}{:>8}{:>8}{:>9}{:>9}{:>7}{:>7}{:>10}{:>9}{:>8}{:>9}{:>8}\n",
        "", "", "host", "guest", "host", "guest", "mean", "least", "", "median", "99 %", "worst", "shown"
    );
    for run in runs {
        let memory = |memory: Option<f64>| memory.map_or_else(|| "-".to_owned(), |mb| format!("{mb:.1}"));
        text += &format!(
            "{:16}{:>7}{:>8.1}{:>8.2}{:>9}{:>9}{:>7.1}{:>7.1}{:>10.0}{:>9.0}{:>8.0}{:>9.0}{:>8}\n",
            run.name,
            run.guests,
            run.host_cpu,
            run.guest_cpu,
            memory(run.host_memory),
            memory(run.guest_memory),
            run.frames,
            run.fewest_frames,
            run.bytes,
            run.key_median,
            run.key_99,
            run.key_worst,
            format!("{}/{}", run.keys_shown, run.keys_sent),
        );
    }
    text
}

/// A host with its guests.
struct LoadRun {
    name: &'static str,
    host: Child,
    guests: Vec<Terminal>,
    stalled: usize,
    /// Where the host's socket is.
    folder: PathBuf,
}

impl LoadRun {
    fn start(
        name: &'static str,
        bench: &GuestBench,
        kinds: &[(FrameSize, Option<f64>)],
        stalled: usize,
    ) -> Result<Self, Error> {
        let folder = std::env::temp_dir().join(format!("slosh-bench-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let mut host = program(&folder)?;
        host.args(["host", bench.scene, "--name", "bench", "--seed", "1"]);
        host.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::inherit());
        let mut run = Self { name, host: host.spawn()?, guests: Vec::new(), stalled, folder };
        run.wait_for_socket()?;
        for number in 0..bench.guests + stalled {
            let (size, rate) = kinds[number % kinds.len()];
            let guest = format!("g{number:03}");
            let mut join = program(&run.folder)?;
            join.args(["join", "bench", "--as", &guest]);
            let watched = (1..=WATCHED).contains(&number);
            run.guests.push(Terminal::start(join, guest, size, rate, watched)?);
            // All at once, they would be measured while they start.
            run.pump(Duration::from_millis(20));
        }
        Ok(run)
    }

    fn wait_for_socket(&mut self) -> Result<(), Error> {
        let start = Instant::now();
        while start.elapsed() < STARTING {
            if let Some(status) = self.host.try_wait()? {
                return Err(Error::Run(format!("the host has ended: {status}")));
            }
            if has_socket(&self.folder) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Err(Error::Run("the host does not listen".to_owned()))
    }

    /// Plays the terminals for so long.
    fn pump(&mut self, time: Duration) {
        let end = Instant::now() + time;
        loop {
            self.guests.iter_mut().for_each(Terminal::serve);
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            wait_for_any(&self.guests, left);
        }
    }

    fn measure(mut self, bench: &GuestBench) -> Result<GuestRun, Error> {
        let start = Instant::now();
        while !self.guests.iter().all(|guest| guest.frames > 0) {
            self.pump(Duration::from_millis(50));
            if let Some(ended) = self.guests.iter_mut().find_map(Terminal::ended) {
                return Err(Error::Run(format!("a guest has ended: {ended}")));
            }
            if start.elapsed() > STARTING {
                return Err(Error::Run("a guest got no picture within a minute".to_owned()));
            }
        }
        let playing = bench.guests;
        let mut stirring = Stirring::default();
        let warm = Instant::now();
        let measured = bench.seconds.map_or(MEASURED, Duration::from_secs_f64);
        while warm.elapsed() < WARMING_UP.min(measured) {
            stirring.stir(&mut self.guests[..playing.min(STIRRING)]);
            self.pump(Duration::from_millis(10));
        }
        self.guests[playing..].iter_mut().for_each(|guest| guest.stalled = true);
        self.guests.iter_mut().for_each(Terminal::reset);
        let before = self.usage();
        let (mut keys, start) = (Keys::default(), Instant::now());
        while start.elapsed() < measured {
            stirring.stir(&mut self.guests[..playing.min(STIRRING)]);
            self.pump(Duration::from_millis(2));
            keys.press_and_look(&mut self.guests[..playing]);
        }
        let (seconds, after) = (start.elapsed().as_secs_f64(), self.usage());
        let (host, guests) = (after.0.since(&before.0), Usage::mean_since(&after.1[..playing], &before.1[..playing]));
        let playing = &self.guests[..playing];
        let mean = |value: fn(&Terminal) -> f64| playing.iter().map(value).sum::<f64>() / playing.len() as f64;
        let fewest = playing.iter().map(|guest| guest.frames).min().unwrap_or(0);
        Ok(GuestRun {
            name: self.name.to_owned(),
            guests: bench.guests,
            stalled: self.stalled,
            host_cpu: 100.0 * host.cpu / seconds,
            guest_cpu: 100.0 * guests.cpu / seconds,
            host_memory: host.memory,
            guest_memory: guests.memory,
            frames: mean(|guest| guest.frames as f64) / seconds,
            fewest_frames: fewest as f64 / seconds,
            bytes: mean(|guest| guest.bytes as f64) / seconds,
            key_median: keys.at(0.5),
            key_99: keys.at(0.99),
            key_worst: keys.at(1.0),
            keys_shown: keys.times.len(),
            keys_sent: keys.sent,
        })
    }

    fn usage(&self) -> (Usage, Vec<Usage>) {
        (usage(self.host.id()), self.guests.iter().map(|guest| usage(guest.process())).collect())
    }
}

impl Drop for LoadRun {
    fn drop(&mut self) {
        self.guests.clear();
        // It may have ended by itself.
        let _ = self.host.kill();
        let _ = self.host.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The program itself, with none of the user's settings and with sockets in `folder`.
fn program(folder: &Path) -> Result<Command, Error> {
    let mut command = Command::new(std::env::current_exe()?);
    let own = std::env::vars_os().map(|(name, _)| name).filter(|name| name.to_string_lossy().starts_with("SLOSH_"));
    for name in own.chain(["TMUX", "TMUX_PANE", "STY", "NO_COLOR", "SSH_CONNECTION", "SSH_TTY"].map(Into::into)) {
        command.env_remove(name);
    }
    command.env("XDG_RUNTIME_DIR", folder).env("XDG_CONFIG_HOME", folder);
    command.env("TERM", "xterm-256color").env("COLORTERM", "truecolor").env("LANG", "C.UTF-8");
    Ok(command)
}

fn has_socket(folder: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    let sockets = std::fs::read_dir(folder.join("slosh"));
    sockets.into_iter().flatten().flatten().any(|entry| entry.file_type().is_ok_and(|kind| kind.is_socket()))
}

/// Pointers that go round in the tank with the button down.
#[derive(Default)]
struct Stirring {
    turns: u32,
    last: Option<Instant>,
}

impl Stirring {
    fn stir(&mut self, guests: &mut [Terminal]) {
        if self.last.is_some_and(|last| last.elapsed() < STIR_INTERVAL) {
            return;
        }
        self.last = Some(Instant::now());
        self.turns += 1;
        // The first guests are watched too: those move their pointers for the keys.
        if let Some(guest) = guests.first_mut() {
            let angle = 0.25 * self.turns as f32;
            let place = (0.5 + 0.3 * angle.cos(), 0.6 + 0.15 * angle.sin());
            guest.drag(place, self.turns == 1);
        }
    }
}

/// The watched guests move their pointers, each in its turn, and look where their names are.
#[derive(Default)]
struct Keys {
    turn: usize,
    last: Option<Instant>,
    waiting: Vec<(usize, u16, Instant)>,
    sent: usize,
    /// Milliseconds.
    times: Vec<f64>,
}

impl Keys {
    fn press_and_look(&mut self, guests: &mut [Terminal]) {
        let times = &mut self.times;
        self.waiting.retain(|&(number, row, pressed)| {
            let shown = guests[number].shows_own_name_in(row);
            if shown {
                times.push(1e3 * pressed.elapsed().as_secs_f64());
            }
            !shown && pressed.elapsed() < LOST
        });
        let watched = guests.iter().enumerate().filter(|(_, guest)| guest.is_watched()).map(|(number, _)| number);
        let watched: Vec<usize> = watched.collect();
        if watched.is_empty() || self.last.is_some_and(|last| last.elapsed() < KEY_INTERVAL / watched.len() as u32) {
            return;
        }
        self.last = Some(Instant::now());
        self.turn += 1;
        let number = watched[self.turn % watched.len()];
        if self.waiting.iter().any(|(other, ..)| *other == number) {
            return;
        }
        // Another row every time, and a column of its own.
        let round = self.turn / watched.len();
        let row = guests[number].point((0.1 + 0.1 * (self.turn % watched.len()) as f32, [0.35, 0.65, 0.5][round % 3]));
        self.sent += 1;
        self.waiting.push((number, row, Instant::now()));
    }

    fn at(&self, share: f64) -> f64 {
        let mut times = self.times.clone();
        times.sort_by(f64::total_cmp);
        times.get(((times.len() as f64 - 1.0) * share).round() as usize).copied().unwrap_or(f64::NAN)
    }
}
