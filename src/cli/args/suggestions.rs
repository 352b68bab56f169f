//! The values that completions suggest for a setting: built-in names, the user's own names, and files.

use crate::cli::own_scenes;
use crate::cli::settings::layers::{self, Sources};
use crate::cli::settings::theme::Theme;
use clap_complete::engine::{CompletionCandidate, PathCompleter, ValueCompleter};
use std::ffi::OsStr;
use std::path::Path;

/// The values of a setting that begin with the typed text. Of a list separated by commas it completes the last name. In place of
/// a command only the favourite scenes are offered, until a letter is typed.
pub fn values(setting: &str, own: fn() -> Vec<&'static str>, typed: &OsStr) -> Vec<CompletionCandidate> {
    // The shell passes `-- slosh WORD`.
    let is_first_word = std::env::args_os().count() == 4;
    if setting == "scene" && typed.is_empty() && is_first_word {
        let favorites = layers::settings(Vec::new()).map(|settings| settings.controls.favorites).unwrap_or_default();
        return favorites.into_iter().map(CompletionCandidate::new).collect();
    }
    let mut names: Vec<String> = own().into_iter().map(str::to_owned).collect();
    for name in of_the_user(setting) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let text = typed.to_str().unwrap_or_default();
    let is_list = matches!(setting, "scenes" | "light");
    let start = text.rfind(',').filter(|_| is_list).map_or(0, |comma| comma + 1);
    let (before, begun) = text.split_at(start);
    let begins = |name: &String| typed.to_str().is_some() && name.starts_with(begun);
    let mut values: Vec<_> =
        names.into_iter().filter(begins).map(|name| CompletionCandidate::new(format!("{before}{name}"))).collect();
    if setting == "scene" {
        values.extend(PathCompleter::any().filter(is_scene_file).complete(typed));
    }
    values
}

/// Whether the file may stand in place of a scene's name: scenes, recordings, and the folders that may contain them.
fn is_scene_file(path: &Path) -> bool {
    path.is_dir() || path.extension().is_some_and(|ending| ending == "toml" || ending == "slosh")
}

/// Returns the names that the settings file adds. Returns none if the file cannot be read; the command itself reports the error.
fn of_the_user(setting: &str) -> Vec<String> {
    match setting {
        "scene" | "scenes" => own_scenes::all().into_iter().map(|own| own.name).collect(),
        "palette" => {
            let settings = layers::settings(Vec::new()).ok();
            let palettes = settings.map(|settings| settings.look.palettes).unwrap_or_default();
            palettes.iter().map(|palette| palette.name().to_owned()).collect()
        }
        "theme" => {
            let tree = Sources::read(Vec::new()).ok().and_then(|sources| sources.tree().ok());
            let themes = tree.and_then(|tree| Theme::all(&tree).ok()).unwrap_or_default();
            themes.into_iter().map(|theme| theme.name).collect()
        }
        _ => Vec::new(),
    }
}
