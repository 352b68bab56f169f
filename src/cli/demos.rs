//! `slosh clock`, `slosh text`, `slosh melt`: acts in this terminal, and with none.

use crate::app::action::Window;
use crate::app::demo::Plot;
use crate::app::demo::clock::Face;
use crate::app::demo::wall_clock::{Dial, TimeOfDay};
use crate::app::error::Failure;
use crate::app::files;
use crate::cli::args::SimulationArgs;
use crate::cli::args::headless::HeadlessArgs;
use crate::cli::args::toy::ShowArgs;
use crate::cli::launch::Launch;
use crate::data::Setting;
use clap::Args;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::process::Command;

/// How a demo plays in this terminal.
#[derive(Debug, Args)]
pub struct DemoArgs {
    #[command(flatten)]
    pub show: ShowArgs,
    #[command(flatten)]
    simulation: SimulationArgs,
}

impl DemoArgs {
    fn settings(&self) -> Vec<Setting> {
        [self.show.settings(), self.simulation.settings()].concat()
    }
}

/// Show the time: digits are vessels, and what they hold falls and is poured anew
///
/// In the time zone that TZ names, or the system's.
#[derive(Debug, Args)]
pub struct ClockArgs {
    /// Show seconds too
    #[arg(long)]
    pub seconds: bool,
    /// Hours from 1 to 12
    #[arg(long = "12h")]
    pub twelve: bool,
    /// Another time zone, as Europe/Paris or UTC
    #[arg(long, value_name = "ZONE")]
    pub tz: Option<String>,
    /// As if it were this time now, as 12:34, 12:34:50 or 9:34pm
    #[arg(long, value_name = "TIME")]
    pub time: Option<TimeOfDay>,
    #[command(flatten)]
    pub demo: DemoArgs,
}

/// Write words in liquid: they hold, melt, and flow back at m and at the end
#[derive(Debug, Args)]
pub struct TextArgs {
    /// What to write; - reads standard input
    #[arg(required = true, value_name = "WORDS")]
    pub words: Vec<String>,
    #[command(flatten)]
    pub demo: DemoArgs,
}

/// Melt what is on the screen: what is piped in, with its colours, or in tmux this pane
///
/// It flows back at m and at the end.
#[derive(Debug, Args)]
pub struct MeltArgs {
    #[command(flatten)]
    pub demo: DemoArgs,
}

/// What a screen holds, with all its colours: every cell of 400×250 with two of its own. In a recording that is a line of
/// its header.
const LONGEST: u64 = 4 << 20;

/// Words that are piped in: many times as many as can be read.
const LONGEST_WORDS: u64 = 64 << 10;

/// The clock, until somebody ends it.
pub fn clock(args: &ClockArgs) -> Result<(), Failure> {
    let dial = Dial::new(args.tz.as_deref(), args.time).map_err(Failure::Input)?;
    let face = Face { twelve: args.twelve, seconds: args.seconds };
    play(Plot::Clock { face, now: dial.seconds() }, Some(dial), &args.demo)
}

/// Words, until somebody ends them.
pub fn text(args: &TextArgs) -> Result<(), Failure> {
    play(words(&args.words.join(" "))?, None, &args.demo)
}

/// What is on the screen, until somebody ends it.
pub fn melt(args: &MeltArgs) -> Result<(), Failure> {
    let text = if io::stdin().is_terminal() { captured()? } else { read(io::stdin().lock(), "standard input")? };
    play(Plot::Page { text, window: window() }, None, &args.demo)
}

fn play(plot: Plot, dial: Option<Dial>, args: &DemoArgs) -> Result<(), Failure> {
    Launch::of_demo(plot, dial, args.settings())?.play(&args.show)
}

/// The demo that plays with no terminal instead of a scene, if any.
///
/// # Errors
/// If its text cannot be read.
pub fn headless(args: &HeadlessArgs) -> Result<Option<Plot>, Failure> {
    if let Some(TimeOfDay { seconds, exact, twelve }) = args.clock {
        return Ok(Some(Plot::Clock { face: Face { twelve, seconds: exact }, now: seconds }));
    }
    if let Some(text) = &args.text {
        return words(text).map(Some);
    }
    let Some(path) = &args.melt else { return Ok(None) };
    let text = if path == Path::new("-") {
        read(io::stdin().lock(), "standard input")?
    } else {
        let name = path.display().to_string();
        read(File::open(path).map_err(|error| Failure::Input(format!("{name}: {error}")))?, &name)?
    };
    let window = Window { columns: args.size().width, rows: args.size().height, cell: [0, 0] };
    Ok(Some(Plot::Page { text, window }))
}

fn words(text: &str) -> Result<Plot, Failure> {
    if text != "-" {
        return Ok(Plot::Text(text.to_owned()));
    }
    if io::stdin().is_terminal() {
        return Err(Failure::Input("- reads standard input, which is a terminal: pipe words in".to_owned()));
    }
    let bytes = files::read(io::stdin().lock(), LONGEST_WORDS, "text");
    let bytes = bytes.map_err(|error| Failure::Input(format!("standard input: {error}")))?;
    Ok(Plot::Text(String::from_utf8_lossy(&bytes).into_owned()))
}

/// Reads what a screen may hold. What is no UTF-8 in it a terminal would not show either.
fn read(from: impl Read, name: &str) -> Result<String, Failure> {
    let bytes = files::read(from, LONGEST, "screen").map_err(|error| Failure::Input(format!("{name}: {error}")))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// What tmux shows in the pane that we run in.
fn captured() -> Result<String, Failure> {
    let advice = "pipe in what is to melt, as in `ls --color=always | slosh melt`";
    let pane = std::env::var("TMUX_PANE").ok().filter(|_| std::env::var_os("TMUX").is_some());
    let Some(pane) = pane else {
        return Err(Failure::Input(format!(
            "no program can read what is on this terminal's screen, except in tmux; {advice}"
        )));
    };
    // Blanks at the ends of lines count (-N), for they may be coloured; before tmux 3.1 they could not be had.
    let capture = |flags| Command::new("tmux").args(["capture-pane", flags, "-t", &pane]).output();
    let output = capture("-epN").and_then(|output| if output.status.success() { Ok(output) } else { capture("-ep") });
    let output = output.map_err(|error| Failure::Run(format!("tmux: {error}; {advice}")))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(Failure::Run(format!("tmux: {}; {advice}", said.trim())));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// This terminal's window: that of most where there is none.
fn window() -> Window {
    let Ok(size) = crossterm::terminal::window_size() else { return Window { columns: 80, rows: 24, cell: [0, 0] } };
    let (columns, rows) = (size.columns.clamp(1, Window::LARGEST.0), size.rows.clamp(1, Window::LARGEST.1));
    Window { columns, rows, cell: [size.width / columns, size.height / rows] }
}
