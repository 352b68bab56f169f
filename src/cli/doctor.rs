mod block_strip;

use crate::app::error::Error;
use crate::cli::args::toy::ToyArgs;
use crate::cli::settings::Settings;
use crate::cli::settings::layers::Sources;
use crate::term::{Caps, Env, Fact, Provenance, QueryResult, TerminalKind, query, sanitize};
use clap::Args;
use serde::Serialize;
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

/// Show the capabilities of this terminal, and the source of each decision
///
/// Queries the terminal, and waits up to a second for its replies.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    #[command(flatten)]
    pub toy: ToyArgs,
    /// Print JSON, for scripts
    #[arg(long)]
    pub json: bool,
}

const TIMEOUT: Duration = Duration::from_millis(1000);

#[derive(Debug, Serialize)]
struct Finding {
    what: &'static str,
    value: String,
    because: String,
}

fn finding(what: &'static str, value: impl Into<String>, because: impl ToString) -> Finding {
    Finding { what, value: value.into(), because: because.to_string() }
}

/// `otherwise`: the default, where the value is not known.
fn known(what: &'static str, value: Option<String>, because: Provenance, otherwise: &str) -> Finding {
    value.map_or_else(|| finding(what, otherwise, Provenance::Default), |value| finding(what, value, because))
}

pub fn run(args: &DoctorArgs) -> Result<(), Error> {
    let sources = Sources::read(args.toy.settings())?;
    let settings = sources.settings()?;
    let mut caps = Caps::from_env(&Env::read(), settings.terminal.color);
    let asked = if io::stdout().is_terminal() { Some(query(&mut caps, TIMEOUT)?) } else { None };
    #[cfg(unix)]
    if caps.kind == TerminalKind::Tmux && crate::term::pacing::tmux::clients_have_true_color() {
        caps.accept_true_color_of_clients();
    }
    let mut findings = findings(&caps, asked, &settings);
    findings.extend(sources.unknown_variables().map(|(variable, advice)| finding("variable", variable, advice)));
    let mut out = io::stdout().lock();
    if args.json {
        let text = serde_json::to_string_pretty(&findings).map_err(io::Error::other)?;
        return Ok(writeln!(out, "{}", sanitize::json(&text))?);
    }
    let strip = asked.is_some() && caps.utf8 && caps.kind != TerminalKind::Dumb && caps.draws_blocks != Some(true);
    for Finding { what, value, because } in findings {
        // The terminal's name may come from a variable with arbitrary content.
        let value = sanitize::escaped(&value);
        writeln!(out, "{what:<19} {value:<27} {because}")?;
    }
    if strip {
        block_strip::write(&mut out)?;
    }
    Ok(())
}

fn findings(caps: &Caps, asked: Option<QueryResult>, settings: &Settings) -> Vec<Finding> {
    let of = |fact: Fact| caps.provenance[fact as usize];
    let yes = |is: bool| if is { "yes" } else { "no" };
    let octants = match (caps.octant_fits, caps.draws_octants) {
        (None, _) => "only if set",
        (Some(false), _) => "no: not one column wide",
        (Some(true), false) => "fit; drawing not confirmed",
        (Some(true), true) => "yes",
    };
    let blocks = match caps.draws_blocks {
        Some(true) => "tile in any font",
        Some(false) => "drawn by the font: see below",
        None => "perhaps by the font: see below",
    };
    let mouse = match (settings.controls.mouse && caps.is_modern(), caps.pixel_mouse) {
        (false, _) => "off",
        (true, false) => "in cells",
        (true, true) => "in pixels",
    };
    let window = asked.and_then(|asked| asked.size).filter(|size| size.columns > 0 || size.rows > 0);
    let window = window.map(|size| format!("{}x{} cells", size.columns, size.rows));
    let cell = caps.cell_pixels.map(|(width, height)| format!("{width}x{height} pixels"));
    let unknown = if caps.hides_background() { "not told: painted black" } else { "the palette's own" };
    let background = caps.colors.background.map(|rgb| rgb.to_string());
    let mut all = vec![
        finding("host", caps.kind.name(), of(Fact::Kind)),
        finding("name", caps.name.as_deref().unwrap_or("not reported"), of(Fact::Name)),
        answers(caps, asked),
        known("window", window, Provenance::Device, "80x24 cells"),
        known("cell", cell, of(Fact::CellPixels), "twice as high as wide"),
        finding(
            "colours",
            caps.depth.name(),
            if settings.terminal.color.is_some() { Provenance::Setting } else { of(Fact::Depth) },
        ),
        match settings.look.glyphs {
            Some(glyphs) => finding("glyphs", glyphs.name(), Provenance::Setting),
            None => finding("glyphs", caps.glyphs.name(), of(Fact::Glyphs)),
        },
        finding("octants", octants, of(Fact::Octants)),
        finding("blocks", blocks, of(Fact::Blocks)),
        known("background", background, of(Fact::Background), unknown),
        finding("atomic frames", yes(caps.is_modern() && caps.sync != Some(false)), of(Fact::Sync)),
        finding("mouse", mouse, if settings.controls.mouse { of(Fact::PixelMouse) } else { Provenance::Setting }),
        finding("key releases", yes(caps.key_release), of(Fact::KeyRelease)),
        finding("resize reports", yes(caps.resizes), of(Fact::Resizes)),
        finding("dark or light", yes(caps.scheme_changes), of(Fact::SchemeChanges)),
        finding("clipboard", if caps.clipboard { "yes" } else { "not confirmed" }, of(Fact::Clipboard)),
        finding("erase (ECH)", yes(caps.erase), of(Fact::Erase)),
        finding("repeat (REP)", yes(caps.repeat), of(Fact::Repeat)),
    ];
    all.extend(link(caps, asked, settings));
    all
}

fn answers(caps: &Caps, asked: Option<QueryResult>) -> Finding {
    let Some(asked) = asked else { return finding("replies", "not queried", "standard output is not a terminal") };
    match asked.first_reply {
        Some(time) => {
            let value =
                format!("after {} ms{}", time.as_millis(), if asked.complete { "" } else { ", not to all queries" });
            finding("replies", value, Provenance::Answer("first to last, DA1"))
        }
        None if caps.queries().is_empty() => finding("replies", "not queried", caps.provenance[Fact::Kind as usize]),
        None => finding("replies", "none", format!("waited {} ms", TIMEOUT.as_millis())),
    }
}

fn link(caps: &Caps, asked: Option<QueryResult>, settings: &Settings) -> Vec<Finding> {
    let mute = asked.is_some_and(|asked| asked.first_reply.is_none());
    let (value, because) = match caps.kind {
        TerminalKind::Tmux if caps.ssh && settings.terminal.bandwidth.is_none() => {
            ("16 KB a second", "tmux hides the rate of ssh; for a fast link: --bandwidth 1M")
        }
        TerminalKind::Tmux => ("as tmux's clients allow", "tmux replies itself"),
        TerminalKind::Mosh => ("30 frames a second", "mosh replies itself"),
        TerminalKind::ConPty => ("30 frames a second", "Windows pseudo console"),
        TerminalKind::GnuScreen => ("by replies, 30 a second", "screen replies itself"),
        _ if mute => ("1 MB a second", "no replies"),
        _ => ("by replies", "status requests, one a frame"),
    };
    let most = settings.terminal.bandwidth.map(|rate| format!("{rate} bytes a second"));
    vec![
        finding("link", value, because),
        known("bandwidth", most, Provenance::Setting, "auto"),
        finding("over ssh", if caps.ssh { "yes" } else { "no" }, Provenance::Variable("SSH_TTY, SSH_CONNECTION")),
    ]
}
