//! The user's own scenes: the files in the folder `scenes` beside the settings file.

use crate::cli::settings::layers;
use std::fs;
use std::path::PathBuf;

/// Upper limit on the number of scenes, so that a recording can hold all of them.
const MAX_SCENES: usize = 100;

/// A scene of the user's own. Its name is the name of its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnScene {
    pub name: String,
    pub path: PathBuf,
}

pub fn folder() -> Option<PathBuf> {
    Some(layers::place()?.parent()?.join("scenes"))
}

pub fn all() -> Vec<OwnScene> {
    let entries = folder().and_then(|folder| fs::read_dir(folder).ok());
    let paths = entries.into_iter().flatten().flatten().map(|entry| entry.path());
    let mut scenes: Vec<OwnScene> = paths.filter_map(own_scene).collect();
    scenes.sort_by(|one, other| one.name.cmp(&other.name));
    scenes.truncate(MAX_SCENES);
    scenes
}

pub fn find(name: &str) -> Option<OwnScene> {
    all().into_iter().find(|scene| scene.name == name)
}

fn own_scene(path: PathBuf) -> Option<OwnScene> {
    let is_scene = path.extension().is_some_and(|ending| ending == "toml") && path.is_file();
    let name = path.file_stem()?.to_str()?.to_owned();
    let usable = is_scene && !name.starts_with('.') && !name.chars().any(char::is_control);
    usable.then_some(OwnScene { name, path })
}
