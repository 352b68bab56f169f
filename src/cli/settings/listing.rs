//! Lists the settings in force as a settings file.

use crate::app::action::table::{self, ActionSpec};
use crate::app::input::keymap::Keymap;
use crate::cli::settings::Settings;
use crate::cli::settings::table::SETTINGS;
use crate::data::{DataError, Node, Setting};

/// Lines, and where the value of each was given; this is empty for a heading.
pub fn in_force(tree: &Node, settings: &Settings) -> Result<Vec<(String, String)>, DataError> {
    let (mut lines, mut fields) = (Vec::new(), tree.fields()?);
    for spec in SETTINGS {
        let entry = fields.need(spec.name)?;
        lines.push((format!("{} = {}", spec.name, entry.to_toml()), entry.origin()));
    }
    for key in ["palettes", "themes"] {
        if let Some(own) = fields.get(key) {
            lines.push((format!("{key} = {}", own.to_toml()), own.origin()));
        }
    }
    lines.push(("\n[keys]".to_owned(), String::new()));
    let mut bound = fields.get("keys").map(|keys| keys.fields()).transpose()?;
    for &ActionSpec { name, action, .. } in table::actions() {
        let keymap = &settings.controls.keymap;
        // An action without an entry has lost its keys to those that have one.
        let lost = Keymap::default().combos(action).find_map(|chord| keymap.lookup(chord).filter(|&it| it != action));
        let taker = lost.and_then(table::find).map(|spec| spec.name);
        let mut entry = |name| bound.as_mut().and_then(|keys| keys.get(name));
        let own = entry(name).or_else(|| taker.and_then(entry));
        let origin = own.map_or_else(|| "default".to_owned(), |entry| entry.origin());
        let keys: Vec<String> = keymap.combos(action).map(|chord| format!("{:?}", chord.to_string())).collect();
        lines.push((format!("{name} = [{}]", keys.join(", ")), origin));
    }
    Ok(lines)
}

/// A settings file that has the same effect on any machine: without paths, without the name of a theme (its values are listed),
/// and without origins.
pub fn portable(tree: &Node, settings: &Settings) -> Result<String, DataError> {
    let mut tree = tree.clone();
    for spec in SETTINGS.iter().filter(|spec| matches!(spec.name, "scene" | "theme")) {
        tree.set(&Setting::with_origin(spec.name, spec.default, "default"))?;
    }
    let lines = in_force(&tree, settings)?.into_iter().map(|(line, _)| line);
    Ok(lines.collect::<Vec<_>>().join("\n"))
}
