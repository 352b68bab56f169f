//! Finding a scene by name or by file.

use crate::app::error::Error;
use crate::app::files::read_text;
use crate::data;
use crate::data::Setting;
use crate::scene;
use crate::scene::Scene;
use std::fs::File;
use std::path::Path;

/// What a scene is called where nothing is said.
pub const DEFAULT: &str = scene::EMBEDDED[0].0;

/// The scene of that name, or in that file, with settings laid over it.
pub fn load(name: &str, settings: &[Setting]) -> Result<Scene, Error> {
    if let Some(text) = scene::find(name) {
        return Ok(Scene::parse_with(text, &format!("{name}.toml"), settings)?);
    }
    let path = Path::new(name);
    if is_unknown(name) {
        let advice = data::advice(name, &scene::names());
        return Err(Error::Input(format!("unknown scene {name:?}; {advice}, or a file such as my-scene.toml")));
    }
    let text = File::open(path)
        .and_then(|file| read_text(file, "scene"))
        .map_err(|error| Error::Input(format!("{name}: {error}")))?;
    Ok(Scene::parse_with(&text, name, settings)?)
}

/// Whether a word is neither the name of a scene nor looks like a file.
pub fn is_unknown(name: &str) -> bool {
    let path = Path::new(name);
    let looks_like_a_file =
        path.extension().is_some_and(|ending| ["toml", "slosh"].iter().any(|it| ending.eq_ignore_ascii_case(it)))
            || path.components().count() > 1
            || path.exists();
    scene::find(name).is_none() && !looks_like_a_file
}
