use crate::app::action::table::{LineInput, SECTIONS};
use crate::app::error::Error;
use crate::app::files::{self, failed};
use crate::cli::args::toy::ToyArgs;
use crate::cli::settings::layers::Sources;
use crate::cli::settings::table::SETTINGS;
use crate::cli::settings::{Settings, layers, listing};
use crate::data::{self, Node};
use crate::term::sanitize;
use clap::Args;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Print the settings in force and the origin of each value
///
/// Flags override variables such as SLOSH_PALETTE, which override $XDG_CONFIG_HOME/slosh/config.toml, which overrides
/// the defaults.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    #[command(flatten)]
    pub toy: ToyArgs,
    /// Write a file that explains every setting; --force overwrites an existing one
    #[arg(long)]
    pub init: bool,
}

/// Column of the comments, unless the line before a comment is longer.
const COLUMN: usize = 34;

pub fn run(args: &ConfigArgs) -> Result<(), Error> {
    if args.init {
        return init(args.toy.show.force);
    }
    let sources = Sources::read(args.toy.settings())?;
    let tree = sources.tree()?;
    let settings = Settings::read(&tree)?;
    if args.toy.scene.replay().is_none() {
        args.toy.scene.load(&settings)?;
    }
    let mut text = in_force(&tree, &settings)?;
    for (variable, advice) in sources.unknown_variables() {
        text += &format!("# {}: {advice}\n", sanitize::escaped(variable));
    }
    Ok(io::stdout().lock().write_all(text.as_bytes())?)
}

fn in_force(tree: &Node, settings: &Settings) -> Result<String, data::DataError> {
    let mut text = match layers::place() {
        Some(path) if path.exists() => format!("# {}\n", shown(&path)),
        Some(path) => format!("# {} does not exist; slosh config --init writes it\n", shown(&path)),
        None => String::new(),
    };
    for (line, origin) in listing::in_force(tree, settings)? {
        let origin = sanitize::escaped(&origin);
        text += &if origin.is_empty() { format!("{line}\n") } else { format!("{line:COLUMN$} # {origin}\n") };
    }
    Ok(text)
}

fn shown(path: &Path) -> String {
    sanitize::escaped(&path.to_string_lossy())
}

/// Returns a file in which every key is commented out, so that it has no effect until it is edited.
fn template() -> String {
    let mut text =
        "# Settings of slosh. Lines that are commented out show the defaults. Variables such as SLOSH_PALETTE\n\
                    # override this file, and flags such as --palette override both; slosh config shows the result.\n"
            .to_owned();
    for spec in SETTINGS {
        text += &format!("\n# {}\n# {} = {}\n", spec.help, spec.name, spec.default);
    }
    text += "\n[keys]\n\
             # An action has one key or a list of keys: a character as it is typed (\"H\", \"?\"), or left, right, up, down,\n\
             # home, end, pageup, pagedown, insert, delete, enter, tab, backspace, esc, space, plus, f1 to f12; with\n\
             # shift+, ctrl+ or alt+ before it.\n";
    for section in SECTIONS {
        for line in section.lines {
            let LineInput::Actions(specs) = line.input else { continue };
            text += &format!("\n# {}\n", line.help);
            specs.iter().for_each(|spec| text += &format!("# {} = {:?}\n", spec.name, spec.keys));
        }
    }
    text
}

fn init(force: bool) -> Result<(), Error> {
    let path = layers::place().ok_or_else(|| Error::Run("no home folder to write settings to".to_owned()))?;
    let at = |error: io::Error| failed(&path, &error);
    path.parent().map_or(Ok(()), fs::create_dir_all).map_err(at)?;
    files::write(&path, template().as_bytes(), force).map_err(at)?;
    Ok(writeln!(io::stdout(), "{}", shown(&path))?)
}
