use crate::app::error::Error;
use crate::app::{files, record};
use crate::cli::args::texture;
use crate::cli::own_scenes;
use crate::cli::settings::Settings;
use crate::data::{self, Node, Setting};
use crate::scene::{self, Scene};
use crate::sim::life::definition::Species;
use crate::view::Palette;
use std::path::Path;
use std::sync::Arc;

/// Loads the scene of that name, or in that file, and applies settings. A scene of the user's own replaces an embedded
/// one of the same name.
pub fn load(name: &str, settings: &[Setting]) -> Result<Scene, Error> {
    if let Some(own) = own_scenes::find(name) {
        return Ok(Scene { name: own.name, ..load_file(&own.path, settings)? });
    }
    if let Some(text) = scene::find(name) {
        let source = format!("{name}.toml");
        let species = species_for(text, settings, None)?;
        return Ok(Scene::parse_with(text, &source, settings, &species)?);
    }
    if let Some(format) = record::Format::of(Path::new(name)) {
        files::open(Path::new(name)).map_err(|error| Error::Input(format!("{name}: {error}")))?;
        return Err(Error::Input(format!("{name} is a recording, not a scene: play it with {}", format.player)));
    }
    if is_unknown(name) { Err(unknown(name)) } else { load_file(Path::new(name), settings) }
}

/// A scene's texture is beside the scene's file.
fn load_file(path: &Path, settings: &[Setting]) -> Result<Scene, Error> {
    let source = path.to_string_lossy();
    let text = files::text(path, "scene")?;
    let species = species_for(&text, settings, Some(path))?;
    let mut scene = Scene::parse_with(&text, &source, settings, &species)?;
    if let Some(cloth) = &mut scene.world.cloth
        && let Some(file) = cloth.texture.clone()
    {
        let applied = texture::apply(cloth, &path.with_file_name(file));
        applied.map_err(|message| Error::Input(format!("{source}: `cloth.texture`: {message}")))?;
    }
    Ok(scene)
}

/// Refuses a scene, loaded by `name`, one of whose own palettes is needed and not known.
pub fn check_palettes(name: &str, Scene { name: scene, world, .. }: &Scene, settings: &Settings) -> Result<(), Error> {
    let names: Vec<&str> = settings.look.palettes.iter().map(Palette::name).collect();
    let first = world.fluid_label.iter().filter(|_| settings.look.palette.is_none());
    let pools = world.liquid.iter().filter_map(|pool| pool.fluid_label.as_ref());
    let inlets = world.inlet.iter().filter_map(|inlet| inlet.fluid_label.as_ref());
    let Some(unknown) = first.chain(pools).chain(inlets).find(|name| !names.contains(&name.as_str())) else {
        return Ok(());
    };
    let place = place_of(name, "palette", unknown).unwrap_or_else(|| scene.clone());
    let advice = data::advice_of_many(unknown, &names, "slosh list");
    Err(Error::Input(format!("{place}: unknown palette {unknown:?}; {advice}")))
}

/// Where the file of a scene, named as for [`load`], has this text for `key`: file and line.
fn place_of(name: &str, key: &str, text: &str) -> Option<String> {
    let path = own_scenes::find(name).map_or_else(|| name.into(), |own| own.path);
    let content = files::text(&path, "scene").ok()?;
    Node::parse(&content, &path.to_string_lossy()).ok()?.place_of(key, text)
}

/// The user's species, for a scene in which there may be fish: a broken file is no error elsewhere.
fn species_for(text: &str, settings: &[Setting], beside: Option<&Path>) -> Result<Vec<Arc<Species>>, Error> {
    let lives = text.contains("fish") || settings.iter().any(|setting| setting.to_text().contains("fish"));
    if lives { own_scenes::species(beside) } else { Ok(Vec::new()) }
}

/// Advises by the names of scenes, or by their descriptions if the word is in some.
pub fn unknown(name: &str) -> Error {
    let own = own_scenes::all();
    let names: Vec<&str> = own.iter().map(|own| &*own.name).chain(scene::names().iter().copied()).collect();
    let mut near = data::alike(name, &names);
    if data::mistyped(name, &names).is_none() && name.len() > 2 {
        let word = name.to_lowercase();
        // The first line of a scene is its description.
        let tells = |text: &str| text.lines().next().is_some_and(|about| about.to_lowercase().contains(&word));
        near.sort_by_key(|name| !(name.starts_with(&word) || scene::find(name).is_some_and(tells)));
    }
    Error::Input(format!("unknown scene {name:?}; {}", data::did_you_mean(&near, "slosh list")))
}

pub fn is_unknown(name: &str) -> bool {
    let path = Path::new(name);
    let looks_like_a_file = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("toml"))
        || record::Format::of(path).is_some()
        || path.components().count() > 1
        || path.exists();
    scene::find(name).is_none() && !looks_like_a_file && own_scenes::find(name).is_none()
}
