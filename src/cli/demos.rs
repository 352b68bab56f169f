//! `slosh clock`, `slosh timer`, `slosh text`, `slosh melt`: demos in this terminal, and headless.

use crate::app::action::Window;
use crate::app::demo::DemoSpec;
use crate::app::demo::clock::ClockFormat;
use crate::app::demo::timer::{self, TimerSpec};
use crate::app::demo::wall_clock::{Countdown, DemoClock, TimeOfDay, WallClock};
use crate::app::error::Error;
use crate::app::files;
use crate::cli::args::SimulationArgs;
use crate::cli::args::headless::HeadlessArgs;
use crate::cli::args::toy::ShowArgs;
use crate::cli::launch;
use crate::term;
use clap::Args;
use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::process::Command;

/// Arguments of a demo that plays in this terminal.
#[derive(Debug, Args)]
pub struct DemoArgs {
    #[command(flatten)]
    pub show: ShowArgs,
    #[command(flatten)]
    simulation: SimulationArgs,
}

/// Show the time: digits are containers that empty and fill
///
/// In the time zone that TZ names, or the system's.
#[derive(Debug, Args)]
pub struct ClockArgs {
    /// Also show seconds
    #[arg(long)]
    pub seconds: bool,
    /// Show hours from 1 to 12
    #[arg(long = "12h")]
    pub twelve: bool,
    /// Use another time zone, as Europe/Paris or UTC
    #[arg(long, value_name = "ZONE")]
    pub tz: Option<String>,
    /// Start at this time instead of the present, as 12:34, 12:34:50 or 9:34pm
    #[arg(long, value_name = "TIME")]
    pub time: Option<TimeOfDay>,
    #[command(flatten)]
    pub demo: DemoArgs,
}

/// Count down: an hourglass whose last drop falls on the second
///
/// Space pauses it, m shows the time left. At the end it rings and exits with code 0; if it is ended before, with code 1.
#[derive(Debug, Args)]
pub struct TimerArgs {
    /// 25m, 90s, 1h30m or 1:30:00; or until 17:30
    #[arg(required = true, num_args = 1..=2, value_name = "TIME")]
    pub time: Vec<String>,
    /// Show the time left in digits
    #[arg(long)]
    pub digits: bool,
    /// Run a shell command at the end, in place of the bell
    #[arg(long, value_name = "CMD", value_hint = clap::ValueHint::CommandString)]
    pub then: Option<String>,
    #[command(flatten)]
    pub demo: DemoArgs,
}

/// Write words in liquid: they hold, melt and flow back, for ever; m does it at once
///
/// They also flow back before the end.
#[derive(Debug, Args)]
pub struct TextArgs {
    /// Words to write; - reads standard input
    #[arg(required = true, value_name = "WORDS")]
    pub words: Vec<String>,
    #[command(flatten)]
    pub demo: DemoArgs,
}

/// Melt a page of text: piped input in its colours, or in tmux the content of this pane
///
/// The page flows back at m and at the end; piped input also by itself, and melts again.
#[derive(Debug, Args)]
pub struct MeltArgs {
    #[command(flatten)]
    pub demo: DemoArgs,
}

/// Upper limit on the text of a page, in bytes: 400×250 cells with two colours each.
const MAX_SCREEN: u64 = 4 << 20;

/// Upper limit on words from standard input, in bytes: many times what is legible.
const MAX_WORDS: u64 = 64 << 10;

pub fn clock(args: &ClockArgs) -> Result<(), Error> {
    let wall_clock = WallClock::new(args.tz.as_deref(), args.time).map_err(Error::Input)?;
    let format = ClockFormat { twelve: args.twelve, seconds: args.seconds };
    play(DemoSpec::Clock { format, now: wall_clock.seconds() }, Some(DemoClock::TimeOfDay(wall_clock)), &args.demo)
}

pub fn timer(args: &TimerArgs) -> Result<(), Error> {
    let words: Vec<&str> = args.time.iter().map(String::as_str).collect();
    let (whole, is_fixed) = match words[..] {
        ["until", time] => {
            let time = time.parse().map_err(Error::Input)?;
            (WallClock::new(None, None).map_err(Error::Input)?.until(time), true)
        }
        [time] => (timer::duration(time).map_err(Error::Input)?, false),
        _ => return Err(Error::Input(format!("{:?} is no time such as 25m or until 17:30", args.time.join(" ")))),
    };
    let countdown = Countdown::new(whole, is_fixed);
    let spec = TimerSpec { whole, digits: args.digits, bell: args.then.is_none() };
    play(DemoSpec::Timer(spec), Some(DemoClock::Countdown(countdown.clone())), &args.demo)?;
    if countdown.left() > 0 {
        return Err(Error::Run(format!("the timer was stopped with {} left", timer::clock_text(countdown.left()))));
    }
    let Some(then) = &args.then else { return Ok(()) };
    let shell = if cfg!(windows) { ["cmd", "/C"] } else { ["sh", "-c"] };
    let status = Command::new(shell[0]).args([shell[1], then]).status();
    match status.map_err(|error| Error::Run(format!("{}: {error}", shell[0])))? {
        status if status.success() => Ok(()),
        status => Err(Error::Run(format!("{then}: {status}"))),
    }
}

pub fn text(args: &TextArgs) -> Result<(), Error> {
    play(words(&args.words.join(" "))?, None, &args.demo)
}

pub fn melt(args: &MeltArgs) -> Result<(), Error> {
    let loops = !io::stdin().is_terminal();
    let text = if loops { read(io::stdin().lock(), "standard input", MAX_SCREEN, "screen")? } else { captured()? };
    play(DemoSpec::ScreenCapture { text, window: window(), loops }, None, &args.demo)
}

fn play(demo: DemoSpec, clock: Option<DemoClock>, args: &DemoArgs) -> Result<(), Error> {
    let flags = [args.show.flags.settings(), args.simulation.settings()].concat();
    let (settings, options) = launch::demo_options(demo, clock, flags)?;
    launch::show(&settings, options, &args.show)
}

pub fn headless(args: &HeadlessArgs) -> Result<Option<DemoSpec>, Error> {
    if let Some(scene) = args.scene.flags.value("scene")
        && let Some(flag) = args.demo_flag()
    {
        return Err(Error::Input(format!("{scene}: --{flag} is shown instead of a scene: leave out one of the two")));
    }
    if let Some(TimeOfDay { seconds, exact, twelve }) = args.clock {
        return Ok(Some(DemoSpec::Clock { format: ClockFormat { twelve, seconds: exact }, now: seconds }));
    }
    if let Some(whole) = args.timer {
        return Ok(Some(DemoSpec::Timer(TimerSpec { whole, digits: true, bell: false })));
    }
    if let Some(text) = &args.text {
        return words(text).map(Some);
    }
    let Some(path) = &args.melt else { return Ok(None) };
    let text = if path == Path::new("-") {
        read(io::stdin().lock(), "standard input", MAX_SCREEN, "screen")?
    } else {
        let name = path.display().to_string();
        let file = files::open(path).map_err(|error| Error::Input(format!("{name}: {error}")))?;
        read(file, &name, MAX_SCREEN, "screen")?
    };
    Ok(Some(DemoSpec::ScreenCapture { text, window: args.window(), loops: true }))
}

fn words(text: &str) -> Result<DemoSpec, Error> {
    if text != "-" {
        return Ok(DemoSpec::Text(text.to_owned()));
    }
    if io::stdin().is_terminal() {
        return Err(Error::Input("- reads standard input, which is a terminal: pipe words in".to_owned()));
    }
    read(io::stdin().lock(), "standard input", MAX_WORDS, "text").map(DemoSpec::Text)
}

/// Invalid UTF-8 is replaced, as terminals do.
fn read(from: impl Read, name: &str, most: u64, what: &str) -> Result<String, Error> {
    let bytes = files::read(from, most, what).map_err(|error| Error::Input(format!("{name}: {error}")))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn captured() -> Result<String, Error> {
    let advice = "pipe in a page of text, as in `ls --color=always | slosh melt`";
    if std::env::var_os("TMUX").is_none() {
        return Err(Error::Input(format!("a program cannot read this terminal's screen, except in tmux; {advice}")));
    }
    // A popup is no pane; without a target tmux takes the pane below it.
    let pane = std::env::var("TMUX_PANE").ok().filter(|pane| !pane.is_empty());
    let target: Vec<&str> = pane.iter().flat_map(|pane| ["-t", pane]).collect();
    // Trailing blanks may be coloured, so they are kept (-N). tmux before 3.1 does not have that flag.
    let capture = |flags| Command::new("tmux").args(["capture-pane", flags]).args(&target).output();
    let output = capture("-epN").and_then(|output| if output.status.success() { Ok(output) } else { capture("-ep") });
    let output = output.map_err(|error| Error::Run(format!("tmux: {error}; {advice}")))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(Error::Run(format!("tmux: {}; {advice}", said.trim())));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn window() -> Window {
    let Some(size) = term::window_size() else { return Window { columns: 80, rows: 24, cell: [0, 0] } };
    let (columns, rows) = (size.columns.clamp(1, Window::LARGEST.0), size.rows.clamp(1, Window::LARGEST.1));
    Window { columns, rows, cell: [size.width / columns, size.height / rows] }
}
