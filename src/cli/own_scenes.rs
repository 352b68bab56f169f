//! The user's own scenes and species of fish: the files in the folder `scenes` beside the settings file.

use crate::app::error::Error;
use crate::app::files;
use crate::cli::settings::layers;
use crate::scene::fish::parse_species;
use crate::sim::life::definition::Species;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const SPECIES: &str = ".species.toml";

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

pub fn species(beside: Option<&Path>) -> Result<Vec<Arc<Species>>, Error> {
    let folders = beside.and_then(Path::parent).map(Path::to_owned).into_iter().chain(folder());
    let entries =
        folders.filter_map(|folder| fs::read_dir(if folder.as_os_str().is_empty() { ".".into() } else { folder }).ok());
    let paths = entries.flatten().flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.to_string_lossy().ends_with(SPECIES)).collect();
    paths.sort();
    paths.dedup();
    paths.truncate(MAX_SCENES);
    let read = |path: PathBuf| {
        let text = files::text(&path, "species")?;
        Ok(parse_species(&text, &path.to_string_lossy())?)
    };
    paths.into_iter().map(read).collect()
}

fn own_scene(path: PathBuf) -> Option<OwnScene> {
    let is_species = path.to_string_lossy().ends_with(SPECIES);
    let is_scene = path.extension().is_some_and(|ending| ending == "toml") && !is_species && path.is_file();
    let name = path.file_stem()?.to_str()?.to_owned();
    let usable = is_scene && !name.starts_with('.') && !name.chars().any(char::is_control);
    usable.then_some(OwnScene { name, path })
}
