//! `slosh man`: the manual page slosh(1), generated from the declarations of the flags.

use crate::app::action::help::{self, HelpLine};
use crate::app::error::Error;
use crate::app::input::keymap::Keymap;
use crate::cli::settings::layers::variable_of;
use crate::cli::settings::table::{SETTINGS, SettingSpec};
use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::io::{self, Write};

pub const EXAMPLES: &str = "\
Examples:
  slosh                                  play; ? shows the keys, q quits
  slosh saver -p lagoon                  the screensaver, in turquoise
  slosh render fountain -s 100x30 -o fountain.gif";

/// The date of the newest release in the change log; before that, today.
pub fn date() -> String {
    let head =
        include_str!("../../CHANGELOG.md").lines().find_map(|line| line.strip_prefix("## [")?.split_once("] - "));
    let released = head.map(|(_, date)| date).filter(|date| date.starts_with(|c: char| c.is_ascii_digit()));
    released.map_or_else(|| jiff::Timestamp::now().strftime("%Y-%m-%d").to_string(), str::to_owned)
}

pub fn print(command: Command) -> Result<(), Error> {
    Ok(io::stdout().lock().write_all(wrapped(&program_page(command)?).as_bytes())?)
}

fn program_page(command: Command) -> io::Result<String> {
    let mut page = Vec::new();
    let man = Man::new(command.clone()).title("SLOSH").date(date());
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    commands(command, &mut page)?;
    for section in [keys(), exit_status(), environment(), files(), examples(), see_also()] {
        section.to_writer(&mut page)?;
    }
    man.render_version_section(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

/// Lines of at most 78 bytes, as `mandoc -T lint` requires. A line that begins with a dot or a quote would be a request of roff,
/// so these are escaped.
pub fn wrapped(page: &str) -> String {
    let mut text = String::new();
    let mut as_it_is = false;
    for line in page.lines().map(str::trim_end) {
        as_it_is = if as_it_is { line != ".fi" } else { line == ".nf" };
        if line.starts_with('.') || as_it_is {
            text += line;
            text.push('\n');
            continue;
        }
        // mandoc counts a non-ASCII character as the eight bytes of its escape.
        let width = if line.is_ascii() { 76 } else { 44 };
        let options = textwrap::Options::new(width).break_words(false);
        for (number, part) in textwrap::wrap(line, options).iter().enumerate() {
            let escape = number > 0 && part.starts_with(['.', '\'']);
            text += if escape { "\\&" } else { "" };
            text += part;
            text.push('\n');
        }
    }
    text
}

fn commands(mut toy: Command, page: &mut Vec<u8>) -> io::Result<()> {
    toy.build();
    let shown = |command: &&Command| command.get_name() != "help" && !command.is_hide_set();
    for command in toy.get_subcommands().filter(shown) {
        let mut roff = Roff::new();
        let name = format!("slosh {}", command.get_name());
        roff.control("SH", [name.to_uppercase().as_str()]);
        roff.text([roman(command.get_about().map(ToString::to_string).unwrap_or_default())]);
        let known = |id: &str| toy.get_arguments().any(|arg| arg.get_id().as_str() == id);
        for arg in command.get_arguments().filter(|arg| !known(arg.get_id().as_str()) && !arg.is_hide_set()) {
            term(&mut roff, arg.to_string(), arg.get_help().map(ToString::to_string).unwrap_or_default());
        }
        roff.to_writer(page)?;
    }
    Ok(())
}

fn keys() -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["KEYS AND MOUSE"]);
    for line in help::columns(&Keymap::default(), false).into_iter().flatten() {
        match line {
            HelpLine::Heading(heading) => drop(roff.control("SS", [heading])),
            HelpLine::Entry { keys, help, .. } => term(&mut roff, keys, help),
            HelpLine::Blank => {}
        }
    }
    roff
}

fn terms<'a>(title: &str, terms: impl IntoIterator<Item = (&'a str, &'a str)>) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", [title]);
    terms.into_iter().for_each(|(name, meaning)| term(&mut roff, name, meaning));
    roff
}

fn term(roff: &mut Roff, name: impl Into<String>, meaning: impl Into<String>) {
    roff.control("TP", []);
    roff.text([bold(name)]).text([roman(meaning)]);
}

fn exit_status() -> Roff {
    let codes = [
        ("0", "Success, or the reader of the output closed the pipe."),
        ("1", "The input is valid, but the command failed: no terminal, a full disk, a file that cannot be written."),
        (
            "2",
            "The input is invalid: an unknown name or flag, a value out of range, a file that does not parse. The message \
             names the file, the line or key, and what would be right.",
        ),
        ("128+N", "Ended by signal N. The terminal is restored first."),
    ];
    terms("EXIT STATUS", codes)
}

fn environment() -> Roff {
    let variables = [
        ("NO_COLOR", "If set and not empty, no colour is used unless --color asks for it."),
        ("CLICOLOR_FORCE", "If set and not 0, colour is used even where standard output is no terminal."),
        ("COLORTERM", "truecolor or 24bit: the terminal has 24-bit colour."),
        ("TERM", "The kind of terminal. `slosh doctor` shows the effect of each of these."),
        ("SLOSH_CONFIG", "The settings file to read instead of the usual one."),
    ];
    let setting = |spec: &SettingSpec| (variable_of(spec.name), format!("{} [{}]", spec.help, spec.default));
    let settings: Vec<(String, String)> = SETTINGS.iter().map(setting).collect();
    let settings = settings.iter().map(|(variable, meaning)| (variable.as_str(), meaning.as_str()));
    terms("ENVIRONMENT", variables.into_iter().chain(settings))
}

fn files() -> Roff {
    let meaning = "Settings: a key for each variable above, in lower case without SLOSH_. A variable overrides the key, a flag \
                   overrides both. `slosh config --init` writes one to start from; `slosh config` shows the values in force \
                   and their origins.";
    terms("FILES", [("$XDG_CONFIG_HOME/slosh/config.toml", meaning)])
}

fn examples() -> Roff {
    let example = |line: &'static str| line.trim().split_once("   ").unwrap_or((line.trim(), ""));
    terms("EXAMPLES", EXAMPLES.lines().skip(1).map(example).map(|(command, meaning)| (command, meaning.trim())))
}

fn see_also() -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["SEE ALSO"]);
    roff.text([bold("slosh-scene"), roman("(5), ")]);
    roff.text([bold("tmux"), roman("(1), "), bold("ssh"), roman("(1), "), bold("vlock"), roman("(1)")]);
    roff
}
