//! Lists the settings in force as a settings file.

use crate::app::action::table::{self, ActionSpec};
use crate::cli::settings::Settings;
use crate::cli::settings::table::SETTINGS;
use crate::data::{DataError, Node};

pub struct ListedSetting {
    pub line: String,
    /// Where the value was given; empty for a heading.
    pub origin: String,
}

pub fn in_force(tree: &Node, settings: &Settings) -> Result<Vec<ListedSetting>, DataError> {
    let (mut lines, mut fields) = (Vec::new(), tree.fields()?);
    for spec in SETTINGS {
        let entry = fields.need(spec.name)?;
        lines.push(ListedSetting { line: format!("{} = {}", spec.name, entry.to_toml()), origin: entry.origin() });
    }
    for key in ["palettes", "themes"] {
        if let Some(own) = fields.get(key) {
            lines.push(ListedSetting { line: format!("{key} = {}", own.to_toml()), origin: own.origin() });
        }
    }
    lines.push(ListedSetting { line: "\n[keys]".to_owned(), origin: String::new() });
    let mut bound = fields.get("keys").map(|keys| keys.fields()).transpose()?;
    for &ActionSpec { name, action, .. } in table::actions() {
        let own = bound.as_mut().and_then(|keys| keys.get(name));
        let origin = own.map_or_else(|| "default".to_owned(), |entry| entry.origin());
        let keys: Vec<String> =
            settings.controls.keymap.combos(action).map(|chord| format!("{:?}", chord.to_string())).collect();
        lines.push(ListedSetting { line: format!("{name} = [{}]", keys.join(", ")), origin });
    }
    Ok(lines)
}

/// A settings file that has the same effect on any machine: without paths, without the name of a theme (its values are listed),
/// and without origins.
pub fn portable(tree: &Node, settings: &Settings) -> Result<String, DataError> {
    let local = |line: &str| {
        let mut local = SETTINGS.iter().filter(|spec| matches!(spec.name, "scene" | "theme"));
        local.find(|spec| line.starts_with(&format!("{} = ", spec.name)))
    };
    let lines = in_force(tree, settings)?.into_iter().map(|ListedSetting { line, .. }| match local(&line) {
        Some(spec) => format!("{} = {}", spec.name, spec.default),
        None => line,
    });
    Ok(lines.collect::<Vec<_>>().join("\n"))
}
