//! `slosh clock`, `slosh text`, `slosh melt`: acts in this terminal, and with none.

use super::act::Act;
use super::clock::{Clock, Face};
use super::config::{ActArgs, ClockArgs, MeltArgs, StageArgs, TextArgs};
use super::dial::{Dial, TimeOfDay};
use super::failure::Failure;
use super::page::Page;
use super::words::Words;
use super::{Options, sources, toy};
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::process::Command;

/// More than any screen holds, with all its colours.
const LONGEST: u64 = 16 << 20;

/// The clock, until somebody ends it.
pub fn clock(args: &ClockArgs) -> Result<(), Failure> {
    let dial = Dial::new(args.tz.as_deref(), args.time).map_err(Failure::Input)?;
    let face = Face { twelve: args.twelve, seconds: args.seconds };
    let act = Act::Clock(Clock::new(face, dial.seconds()));
    play(act, Some(dial), &args.act)
}

/// Words, until somebody ends them.
pub fn text(args: &TextArgs) -> Result<(), Failure> {
    let words = words(&args.words.join(" "))?;
    play(Act::Words(words), None, &args.act)
}

/// What is on the screen, until somebody ends it.
pub fn melt(args: &MeltArgs) -> Result<(), Failure> {
    let text = if io::stdin().is_terminal() { captured()? } else { read(io::stdin().lock(), "standard input")? };
    let (columns, rows, cell) = window();
    let page = Page::read(&text, (columns, rows), cell).map_err(Failure::Input)?;
    play(Act::Words(Words::of_page(page)), None, &args.act)
}

fn play(act: Act, dial: Option<Dial>, args: &ActArgs) -> Result<(), Failure> {
    let scene = act.scene();
    let settings = sources::settings(args.settings())?;
    let seed = settings.seed_or_any();
    let options = Options { act: Some(act), seed, dial, idle: None, ..Options::of(&settings, scene, Vec::new()) };
    toy::act(options, &settings, &args.show)
}

/// The act that plays with no terminal.
pub fn staged(args: &StageArgs) -> Result<Option<Act>, Failure> {
    if let Some(TimeOfDay { seconds, exact, twelve }) = args.clock {
        return Ok(Some(Act::Clock(Clock::new(Face { twelve, seconds: exact }, seconds))));
    }
    if let Some(text) = &args.text {
        return Ok(Some(Act::Words(words(text)?)));
    }
    let Some(path) = &args.melt else { return Ok(None) };
    let text = if path == Path::new("-") {
        read(io::stdin().lock(), "standard input")?
    } else {
        let name = path.display().to_string();
        read(File::open(path).map_err(|error| Failure::Input(format!("{name}: {error}")))?, &name)?
    };
    let page = Page::read(&text, (args.size.width, args.size.height), (0, 0)).map_err(Failure::Input)?;
    Ok(Some(Act::Words(Words::of_page(page))))
}

fn words(text: &str) -> Result<Words, Failure> {
    let piped = text == "-";
    let text = if piped {
        if io::stdin().is_terminal() {
            return Err(Failure::Input("- reads standard input, which is a terminal: pipe words in".to_owned()));
        }
        String::from_utf8_lossy(&read(io::stdin().lock(), "standard input")?).into_owned()
    } else {
        text.to_owned()
    };
    Words::of_text(&text).map_err(Failure::Input)
}

fn read(from: impl Read, name: &str) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = from.take(LONGEST + 1).read_to_end(&mut bytes);
    read.map_err(|error| Failure::Input(format!("{name}: {error}")))?;
    if bytes.len() as u64 > LONGEST {
        return Err(Failure::Input(format!("{name}: is longer than any screen (16 MiB)")));
    }
    Ok(bytes)
}

/// What tmux shows in the pane that we run in.
fn captured() -> Result<Vec<u8>, Failure> {
    let advice = "pipe in what is to melt, as in `ls --color=always | slosh melt`";
    let pane = std::env::var("TMUX_PANE").ok().filter(|_| std::env::var_os("TMUX").is_some());
    let Some(pane) = pane else {
        return Err(Failure::Input(format!(
            "no program can read what is on this terminal's screen, except in tmux; {advice}"
        )));
    };
    let output = Command::new("tmux").args(["capture-pane", "-e", "-p", "-t", &pane]).output();
    let output = output.map_err(|error| Failure::Run(format!("tmux: {error}; {advice}")))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(Failure::Run(format!("tmux: {}; {advice}", said.trim())));
    }
    Ok(output.stdout)
}

/// The size of this terminal, and of its cells in pixels: that of most where there is none.
fn window() -> (u16, u16, (u16, u16)) {
    let Ok(size) = crossterm::terminal::window_size() else { return (80, 24, (0, 0)) };
    let (columns, rows) = (size.columns.max(1), size.rows.max(1));
    (columns, rows, (size.width / columns, size.height / rows))
}
