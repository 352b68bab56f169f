//! `slosh clock`, `slosh text`, `slosh melt`: acts in this terminal, and with none.

use crate::app::action::Window;
use crate::app::demo::Plot;
use crate::app::demo::clock::Face;
use crate::app::demo::wall_clock::{Dial, TimeOfDay};
use crate::app::error::Failure;
use crate::app::files;
use crate::app::interactive;
use crate::app::interactive::SetUp;
use crate::cli::{ActArgs, ClockArgs, MeltArgs, StageArgs, TextArgs};
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::process::Command;

/// What a screen holds, with all its colours: every cell of 400×250 with two of its own. In a recording that is a line of
/// its header.
const LONGEST: u64 = 4 << 20;

/// Words that are piped in: many times as many as can be read.
const LONGEST_WORDS: u64 = 64 << 10;

/// The clock, until somebody ends it.
pub fn clock(args: &ClockArgs) -> Result<(), Failure> {
    let dial = Dial::new(args.tz.as_deref(), args.time).map_err(Failure::Input)?;
    let face = Face { twelve: args.twelve, seconds: args.seconds };
    play(Plot::Clock { face, now: dial.seconds() }, Some(dial), &args.act)
}

/// Words, until somebody ends them.
pub fn text(args: &TextArgs) -> Result<(), Failure> {
    play(words(&args.words.join(" "))?, None, &args.act)
}

/// What is on the screen, until somebody ends it.
pub fn melt(args: &MeltArgs) -> Result<(), Failure> {
    let text = if io::stdin().is_terminal() { captured()? } else { read(io::stdin().lock(), "standard input")? };
    play(Plot::Page { text, window: window() }, None, &args.act)
}

fn play(plot: Plot, dial: Option<Dial>, args: &ActArgs) -> Result<(), Failure> {
    interactive::start(SetUp::of_act(plot, dial, args.settings())?, &args.show)
}

/// What plays with no terminal instead of a scene, if anything.
pub fn staged(args: &StageArgs) -> Result<Option<Plot>, Failure> {
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
    let window = Window { columns: args.size.width, rows: args.size.height, cell: [0, 0] };
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
