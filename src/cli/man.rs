//! `slosh man`: the manual page, made from the definition of the flags.

use crate::app::action::help;
use crate::app::action::help::HelpLine;
use crate::app::action::keymap::Keymap;
use crate::app::error::Error;
use crate::cli::settings::layers::variable_of;
use crate::cli::settings::table::SETTINGS;
use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use std::io::{self, Write};

/// Writes the manual page.
pub fn print(command: Command) -> Result<(), Error> {
    let mut page = Vec::new();
    let man = Man::new(command.clone());
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    commands(command, &mut page)?;
    keys().to_writer(&mut page)?;
    files().to_writer(&mut page)?;
    man.render_version_section(&mut page)?;
    io::stdout().lock().write_all(&page)?;
    Ok(())
}

/// The flags of every command that are not the toy's, for which a page of its own would be too much.
fn commands(mut toy: Command, page: &mut Vec<u8>) -> io::Result<()> {
    toy.build();
    for command in toy.get_subcommands().filter(|command| command.get_name() != "help") {
        let mut roff = Roff::new();
        let name = format!("slosh {}", command.get_name());
        roff.control("SH", [name.to_uppercase().as_str()]);
        roff.text([roman(command.get_about().map(ToString::to_string).unwrap_or_default())]);
        let known = |id: &str| toy.get_arguments().any(|arg| arg.get_id().as_str() == id);
        for arg in command.get_arguments().filter(|arg| !known(arg.get_id().as_str()) && !arg.is_hide_set()) {
            roff.control("TP", []);
            roff.text([bold(arg.to_string())]);
            roff.text([roman(arg.get_help().map(ToString::to_string).unwrap_or_default())]);
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
            HelpLine::Entry { keys, help, .. } => {
                roff.control("TP", []);
                roff.text([bold(keys)]).text([roman(help)]);
            }
            HelpLine::Blank => {}
        }
    }
    roff
}

fn files() -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["FILES AND ENVIRONMENT"]);
    roff.text([
        bold("$XDG_CONFIG_HOME/slosh/config.toml"),
        roman(" holds settings; "),
        bold("slosh config --init"),
        roman(" writes one to start from. SLOSH_CONFIG names another file. A variable goes before its key in the file, and a flag before both:"),
    ]);
    for spec in SETTINGS {
        roff.control("TP", []);
        roff.text([bold(format!("{}, {}", spec.name, variable_of(spec.name)))]);
        roff.text([roman(format!("{} [{}]", spec.help, spec.default))]);
    }
    roff
}
