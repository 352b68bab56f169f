//! `slosh bench --guests`: measures a host, and guests on ptys that answer like terminals, at several sizes and link
//! speeds.
//!
//! Host and guests are this program, started as a user starts it, so the figures include the full cost of a guest. The
//! bench plays the terminals: it reads at the rate of each link, answers queries, moves pointers, and looks for the
//! effect on the screens of some guests. With `--core` the bench runs on the other cores, so that its own work is in no
//! figure.

mod cores;
mod keys;
mod process;
mod run;
mod terminal;

use crate::guest_kind::GuestKind;
use cores::Cores;
use keys::share_of;
use run::{LoadRun, Measured};
use serde::Serialize;
use slosh::app::error::Error;

/// The kinds of guests in the mixed run, in turn.
const MIXED: [GuestKind; 8] = [
    GuestKind::new(80, 24, None),
    GuestKind::new(120, 40, None),
    GuestKind::new(80, 24, Some(125e3)),
    GuestKind::new(60, 20, None),
    GuestKind::new(100, 30, Some(250e3)),
    GuestKind::new(80, 24, Some(20e3)),
    GuestKind::new(132, 43, None),
    GuestKind::new(40, 12, Some(8e3)),
];

/// The machine, and the figures of all runs.
#[derive(Debug, Serialize)]
pub struct GuestReport {
    version: &'static str,
    scene: String,
    /// The processor, and the number of cores for the host and its guests.
    processor: String,
    cores: usize,
    runs: Vec<GuestRun>,
}

/// The figures of one run.
#[derive(Debug, Serialize)]
pub struct GuestRun {
    /// The property that distinguishes this run.
    name: String,
    stalled: usize,
    /// Percent of a core, and private memory in MB (`None` where the system does not report it) of the host.
    host_cpu: f64,
    host_memory: Option<f64>,
    #[serde(flatten)]
    all: Figures,
    /// Figures by kind of guest, if there are several kinds.
    kinds: Vec<(String, Figures)>,
}

/// Figures of a set of guests.
#[derive(Debug, Serialize)]
struct Figures {
    guests: usize,
    /// Means over the guests' processes, in the same units as for the host.
    guest_cpu: f64,
    guest_memory: Option<f64>,
    /// Frames per second: the mean, and the minimum over the guests.
    frames: f64,
    fewest_frames: f64,
    /// Mean bytes per second of a guest.
    bytes: f64,
    /// Latency from the movement of a pointer to its ring on the screen, milliseconds.
    key_median: f64,
    key_99: f64,
    key_worst: f64,
    keys_shown: usize,
    keys_sent: usize,
}

/// Parameters of the measurement.
pub struct GuestBench<'a> {
    pub scene: &'a str,
    pub guests: usize,
    /// Number of guests that stop reading, in an additional run.
    pub stalled: usize,
    pub seconds: Option<f64>,
    /// Kinds of guests. If empty: a run with all at 80×24, then one with the usual mixture.
    pub mix: &'a [GuestKind],
    /// Number of times that all runs are made, in turn, so that other load on the machine affects all of them.
    pub rounds: u16,
    /// The core for the host and its guests; `None` for all cores.
    pub core: Option<usize>,
}

/// Runs the host with guests of one size, of mixed sizes and links, and with stalled guests.
///
/// # Errors
/// If a host or a guest cannot be started.
pub fn measure(bench: &GuestBench) -> Result<GuestReport, Error> {
    let alike = [GuestKind::new(80, 24, None)];
    let first: (&str, &[GuestKind]) = if bench.mix.is_empty() { ("80×24", &alike) } else { ("given", bench.mix) };
    let mut setups = vec![(first.0.to_owned(), first.1, 0)];
    if bench.mix.is_empty() {
        setups.push(("mixed".to_owned(), &MIXED, 0));
    }
    if bench.stalled > 0 {
        setups.push((format!("{}, stalled", first.0), first.1, bench.stalled));
    }
    let cores = Cores::new(bench.core)?;
    let mut rounds: Vec<Vec<Measured>> = setups.iter().map(|_| Vec::new()).collect();
    for _ in 0..bench.rounds {
        for ((_, kinds, stalled), rounds) in setups.iter().zip(&mut rounds) {
            rounds.push(LoadRun::start(bench, kinds, *stalled, &cores)?.measure()?);
        }
    }
    let run = |((name, kinds, stalled), rounds): ((String, &[GuestKind], usize), Vec<Measured>)| GuestRun {
        name,
        stalled,
        host_cpu: mean(rounds.iter().map(|round| round.host_cpu)),
        host_memory: rounds.last().and_then(|round| round.host_memory),
        all: figures(&rounds, |_| true),
        kinds: match kinds {
            [_] => Vec::new(),
            _ => kinds
                .iter()
                .enumerate()
                .filter(|(nth, _)| *nth < bench.guests)
                .map(|(nth, kind)| (kind.to_string(), figures(&rounds, |guest| guest % kinds.len() == nth)))
                .collect(),
        },
    };
    Ok(GuestReport {
        version: env!("CARGO_PKG_VERSION"),
        scene: bench.scene.to_owned(),
        processor: cores.processor().to_owned(),
        cores: cores.count(),
        runs: setups.into_iter().zip(rounds).map(run).collect(),
    })
}

/// Returns the figures of those guests for whose numbers `counts` is true.
fn figures(rounds: &[Measured], counts: impl Fn(usize) -> bool) -> Figures {
    let guests = || rounds.iter().flat_map(|round| &round.guests).filter(|guest| counts(guest.number));
    let mut times: Vec<f64> = guests().flat_map(|guest| guest.keys.times.iter().copied()).collect();
    times.sort_by(f64::total_cmp);
    let memory: Option<Vec<f64>> = guests().map(|guest| guest.memory).collect();
    Figures {
        guests: guests().count() / rounds.len().max(1),
        guest_cpu: mean(guests().map(|guest| guest.cpu)),
        guest_memory: memory.map(|memory| mean(memory.into_iter())),
        frames: mean(guests().map(|guest| guest.frames)),
        fewest_frames: guests().map(|guest| guest.frames).fold(f64::INFINITY, f64::min),
        bytes: mean(guests().map(|guest| guest.bytes)),
        key_median: share_of(&times, 0.5),
        key_99: share_of(&times, 0.99),
        key_worst: share_of(&times, 1.0),
        keys_shown: times.len(),
        keys_sent: guests().map(|guest| guest.keys.sent).sum(),
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / f64::max(count, 1.0)
}

/// The report as a table.
pub fn table(report: &GuestReport) -> String {
    let GuestReport { version, scene, processor, cores, runs } = report;
    let cores = if *cores == 1 { "one core".to_owned() } else { format!("{cores} cores") };
    let mut text = format!("slosh {version}, {scene}; {processor}, {cores} for the host and its guests\n\n");
    text += &format!(
        "{:20}{:>7}{:>16}{:>18}{:>14}{:>10}{:>26}{:>11}\n",
        "guests", "", "CPU % of a core", "memory MB", "frames/s", "bytes/s", "key to screen ms", "keys"
    );
    text += &format!(
        "{:20}{:>7}{:>8}{:>8}{:>9}{:>9}{:>7}{:>7}{:>10}{:>9}{:>8}{:>9}{:>11}\n",
        "", "", "host", "guest", "host", "guest", "mean", "least", "", "median", "99 %", "worst", "shown"
    );
    for run in runs {
        text += &row(&run.name, Some((run.host_cpu, run.host_memory)), &run.all);
        for (name, figures) in &run.kinds {
            text += &row(&format!("  {name}"), None, figures);
        }
    }
    text
}

fn row(name: &str, host: Option<(f64, Option<f64>)>, figures: &Figures) -> String {
    let memory = |memory: Option<f64>| memory.map_or_else(|| "-".to_owned(), |mb| format!("{mb:.1}"));
    let (host_cpu, host_memory) =
        host.map_or((String::new(), String::new()), |(cpu, mb)| (format!("{cpu:.1}"), memory(mb)));
    let ms = |ms: f64| if ms.is_nan() { "-".to_owned() } else { format!("{ms:.0}") };
    format!(
        "{:20}{:>7}{:>8}{:>8.2}{:>9}{:>9}{:>7.1}{:>7.1}{:>10.0}{:>9}{:>8}{:>9}{:>11}\n",
        name,
        figures.guests,
        host_cpu,
        figures.guest_cpu,
        host_memory,
        memory(figures.guest_memory),
        figures.frames,
        figures.fewest_frames,
        figures.bytes,
        ms(figures.key_median),
        ms(figures.key_99),
        ms(figures.key_worst),
        format!("{}/{}", figures.keys_shown, figures.keys_sent),
    )
}
