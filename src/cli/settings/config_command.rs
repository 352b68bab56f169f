//! `slosh config`: what is in force and where it comes from; `slosh config --init`: a file to start from.

use crate::app::action::keymap;
use crate::app::action::keymap::VERBS;
use crate::app::error::Failure;
use crate::app::files;
use crate::app::files::failed;
use crate::cli::ConfigArgs;
use crate::cli::settings::layers;
use crate::cli::settings::layers::Sources;
use crate::cli::settings::{KEYS, Settings};
use crate::data::{Error, Node};
use crate::term::sanitize;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Where the comments begin, if what stands before them is not longer.
const COLUMN: usize = 34;

/// Prints, or writes the file.
pub fn run(args: &ConfigArgs) -> Result<(), Failure> {
    if args.init {
        return init(args.toy.show.keep.force);
    }
    let tree = Sources::read(args.toy.settings())?.tree()?;
    let settings = Settings::of(&tree)?;
    let text = in_force(&tree, &settings)?;
    io::stdout().lock().write_all(text.as_bytes())?;
    Ok(())
}

/// Every key with its value, as a file that says the same, and in comments where each value comes from.
fn in_force(tree: &Node, settings: &Settings) -> Result<String, Error> {
    let mut text = match layers::place() {
        Some(path) if path.exists() => format!("# {}\n", shown(&path)),
        Some(path) => format!("# {} does not exist; slosh config --init writes it\n", shown(&path)),
        None => String::new(),
    };
    for (said, origin) in lines(tree, settings)? {
        let origin = sanitize::escaped(&origin);
        text += &if origin.is_empty() { format!("{said}\n") } else { format!("{said:COLUMN$} # {origin}\n") };
    }
    Ok(text)
}

fn shown(path: &Path) -> String {
    sanitize::escaped(&path.to_string_lossy()).into_owned()
}

/// A settings file that says the same anywhere: without the names of a scene's file and of a theme, and of where anything comes from.
///
/// # Errors
/// As for [`Settings::of`].
pub fn portable(tree: &Node, settings: &Settings) -> Result<String, Error> {
    let lines = lines(tree, settings)?.into_iter().map(|(said, _)| said);
    // What the theme says is said there too.
    let usual =
        |key: &str| KEYS.iter().find(|known| known.name == key).map(|key| format!("{} = {}", key.name, key.usual));
    let local = |said: &str| ["scene", "theme"].into_iter().find(|key| said.starts_with(&format!("{key} = ")));
    let lines = lines.map(|said| local(&said).and_then(usual).unwrap_or(said));
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

/// Lines of a settings file, and the origin of each.
fn lines(tree: &Node, settings: &Settings) -> Result<Vec<(String, String)>, Error> {
    let (mut lines, mut fields) = (Vec::new(), tree.fields()?);
    for key in &KEYS {
        let entry = fields.need(key.name)?;
        lines.push((format!("{} = {}", key.name, entry.to_toml()), entry.origin()));
    }
    for key in ["palettes", "themes"] {
        let own = fields.get(key).map(|own| (format!("{key} = {}", own.to_toml()), own.origin()));
        lines.extend(own);
    }
    lines.push(("\n[keys]".to_owned(), String::new()));
    let mut bound = fields.get("keys").map(|keys| keys.fields()).transpose()?;
    for (name, action) in VERBS {
        let origin =
            bound.as_mut().and_then(|keys| keys.get(name)).map_or_else(|| "default".to_owned(), |entry| entry.origin());
        let keys: Vec<String> =
            settings.keymap.chords(action).map(|chord| format!("{:?}", chord.to_string())).collect();
        lines.push((format!("{name} = [{}]", keys.join(", ")), origin));
    }
    Ok(lines)
}

/// A file in which every key is commented out: it changes nothing until somebody edits it.
fn template() -> String {
    let mut text =
        "# Settings of slosh. What is commented out is what holds without it. Variables such as SLOSH_PALETTE\n\
                    # go before this file, and flags such as --palette go before both; slosh config shows the sum.\n"
            .to_owned();
    for key in &KEYS {
        text += &format!("\n# {}\n# {} = {}\n", key.about, key.name, key.usual);
    }
    text += "\n[keys]\n";
    for line in keymap::EMBEDDED.lines() {
        let said = line.is_empty() || line.starts_with('#');
        text += &if said { format!("{line}\n") } else { format!("# {line}\n") };
    }
    text
}

fn init(force: bool) -> Result<(), Failure> {
    let path = layers::place().ok_or_else(|| Failure::Run("there is no home to write settings to".to_owned()))?;
    let at = |error: io::Error| failed(&path, &error);
    path.parent().map_or(Ok(()), fs::create_dir_all).map_err(at)?;
    files::write(&path, template().as_bytes(), force).map_err(at)?;
    writeln!(io::stdout(), "{}", shown(&path))?;
    Ok(())
}
