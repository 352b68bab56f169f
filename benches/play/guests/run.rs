//! One run: a host and its guests.

use crate::guest_kind::GuestKind;
use crate::guests::GuestBench;
use crate::guests::cores::Cores;
use crate::guests::keys::{Keys, MAX_WATCHED};
use crate::guests::process::{Usage, usage};
use crate::guests::terminal::{Terminal, wait_for_any};
use slosh::app::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Upper limit on the time until all guests have their first picture, and the time that the tank then runs before the
/// measurement.
const STARTING: Duration = Duration::from_secs(60);
const WARMING_UP: Duration = Duration::from_secs(3);

/// Default duration of the measurement.
const MEASURED: Duration = Duration::from_secs(20);

/// Interval at which a stirring guest moves its pointer.
const STIR_INTERVAL: Duration = Duration::from_millis(50);

/// The measurements of one run.
pub struct Measured {
    /// Percent of a core, and MB.
    pub host_cpu: f64,
    pub host_memory: Option<f64>,
    /// The guests that play, without the stalled ones.
    pub guests: Vec<MeasuredGuest>,
}

/// The measurements of one guest: percent of a core, MB, frames and bytes per second.
pub struct MeasuredGuest {
    pub number: usize,
    pub cpu: f64,
    pub memory: Option<f64>,
    pub frames: f64,
    pub bytes: f64,
    pub keys: Keys,
}

/// A host with its guests.
pub struct LoadRun {
    host: Child,
    guests: Vec<Terminal>,
    /// Number of guests that play; the others stall.
    playing: usize,
    measured: Duration,
    /// The folder of the host's socket.
    folder: PathBuf,
}

impl LoadRun {
    /// Starts a host and all guests.
    ///
    /// # Errors
    /// If one cannot be started.
    pub fn start(bench: &GuestBench, kinds: &[GuestKind], stalled: usize, cores: &Cores) -> Result<Self, Error> {
        let folder = std::env::temp_dir().join(format!("slosh-bench-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let mut host = program(&folder)?;
        host.args(["host", bench.scene, "--name", "bench", "--seed", "1"]);
        host.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::inherit());
        let mut run = Self {
            host: cores.measured(|| Ok(host.spawn()?))?,
            guests: Vec::new(),
            playing: bench.guests,
            measured: bench.seconds.map_or(MEASURED, Duration::from_secs_f64),
            folder,
        };
        run.wait_for_socket()?;
        for number in 0..bench.guests + stalled {
            let GuestKind { size, rate } = kinds[number % kinds.len()];
            let guest = format!("g{number:03}");
            let mut join = program(&run.folder)?;
            join.args(["join", "bench", "--as", &guest]);
            // Guest 0 stirs, so it is not watched.
            let watched = (1..=MAX_WATCHED).contains(&number);
            run.guests.push(cores.measured(|| Terminal::start(join, guest, size, rate, watched))?);
            // If all started at the same time, starting would be part of the measurement.
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

    /// Plays the terminals for this time.
    fn pump(&mut self, time: Duration) {
        let end = Instant::now() + time;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            wait_for_any(&mut self.guests, left);
            if left.is_zero() {
                return;
            }
        }
    }

    /// Plays all guests, and returns the measurements.
    ///
    /// # Errors
    /// If a guest ends, or gets no picture.
    pub fn measure(mut self) -> Result<Measured, Error> {
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
        let playing = self.playing;
        let mut stirring = Stirring::default();
        let warm = Instant::now();
        while warm.elapsed() < WARMING_UP.min(self.measured) {
            stirring.stir(&mut self.guests[..playing]);
            self.pump(Duration::from_millis(10));
        }
        self.guests[playing..].iter_mut().for_each(|guest| guest.stalled = true);
        self.guests.iter_mut().for_each(Terminal::reset);
        let before = self.usage();
        let mut keys = vec![Keys::default(); playing];
        let start = Instant::now();
        while start.elapsed() < self.measured {
            stirring.stir(&mut self.guests[..playing]);
            self.pump(Duration::from_millis(2));
            let watched = self.guests[..playing].iter_mut().zip(&mut keys).filter(|(guest, _)| guest.is_watched());
            watched.enumerate().for_each(|(place, (guest, keys))| keys.press_and_look(guest, place));
        }
        let (seconds, after) = (start.elapsed().as_secs_f64(), self.usage());
        let host = after.0.since(&before.0);
        let taken = after.1.iter().zip(&before.1).map(|(after, before)| after.since(before));
        let guests = self.guests[..playing].iter().zip(taken).zip(keys).enumerate();
        Ok(Measured {
            host_cpu: 100.0 * host.cpu / seconds,
            host_memory: host.memory,
            guests: guests
                .map(|(number, ((guest, taken), keys))| MeasuredGuest {
                    number,
                    cpu: 100.0 * taken.cpu / seconds,
                    memory: taken.memory,
                    frames: guest.frames as f64 / seconds,
                    bytes: guest.bytes as f64 / seconds,
                    keys,
                })
                .collect(),
        })
    }

    fn usage(&self) -> (Usage, Vec<Usage>) {
        (usage(self.host.id()), self.guests.iter().map(|guest| usage(guest.process())).collect())
    }
}

impl Drop for LoadRun {
    fn drop(&mut self) {
        self.guests.clear();
        // The host may already have ended.
        let _ = self.host.kill();
        let _ = self.host.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A command that runs this program, without the user's settings and with sockets in `folder`.
fn program(folder: &Path) -> Result<Command, Error> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_slosh"));
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

/// Moves pointers in circles through the tank with the button down: that of guest 0, and those of two guests beyond the
/// watched ones, whose pointers move for the latency.
#[derive(Default)]
struct Stirring {
    turns: u32,
    last: Option<Instant>,
}

impl Stirring {
    /// Numbers of the guests that stir.
    const GUESTS: [usize; 3] = [0, MAX_WATCHED + 1, MAX_WATCHED + 2];

    fn stir(&mut self, guests: &mut [Terminal]) {
        if self.last.is_some_and(|last| last.elapsed() < STIR_INTERVAL) {
            return;
        }
        self.last = Some(Instant::now());
        self.turns += 1;
        for (nth, number) in Self::GUESTS.into_iter().enumerate() {
            let Some(guest) = guests.get_mut(number) else { return };
            let angle = 0.25 * self.turns as f32 + 2.0 * nth as f32;
            // This is below all names that are looked for: a ring that crosses a name hides it for up to six frames.
            let place = (0.5 + 0.3 * angle.cos(), 0.92 + 0.05 * angle.sin());
            guest.drag(place, self.turns == 1);
        }
    }
}
