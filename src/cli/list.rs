//! `slosh list`: the names that can be chosen, as plain text.

use crate::app::error::Error;
use crate::cli::args::scene_lookup;
use crate::cli::own_scenes;
use crate::cli::own_scenes::OwnScene;
use crate::cli::settings::theme;
use crate::scene::fluids;
use crate::scene::{GROUPS, Group, Scene};
use crate::sim::liquid::particle_liquid::Force;
use crate::term::sanitize;
use crate::view::{ColorBy, ColorDepth, GlyphMode, palette};
use std::io::{self, Write};

/// Writes every name with its line of description.
pub fn run() -> Result<(), Error> {
    let palettes = palette::embedded().iter().map(|palette| (palette.name(), palette.about().to_owned()));
    let glyphs = GlyphMode::ALL.map(|glyphs| (glyphs.name(), glyphs.about().to_owned()));
    let drives = [
        (ColorBy::Density, "the densest deep, the thinnest light"),
        (ColorBy::Speed, "the slowest deep, the fastest light"),
        (ColorBy::Pressure, "the highest pressure deep, the lowest light"),
        (ColorBy::Amount, "as density, with all dyes in the palette's colours"),
        (ColorBy::Force(Force::Pressure), "each force by itself, the weakest deep, the strongest light"),
        (ColorBy::Force(Force::Viscosity), "where forces are told apart: in the scenes with [sph]"),
        (ColorBy::Force(Force::Tension), "elsewhere, as density"),
        (ColorBy::Surface, "the inside deep, the surface's particles light"),
        (ColorBy::Temperature, "the coldest deep, the hottest light, where there is a temperature"),
    ];
    let depths = ColorDepth::ALL.map(|depth| (depth.name(), String::new()));
    let mut out = io::stdout().lock();
    let own = own_scenes::all();
    if !own.is_empty() {
        // A file that is no scene says here what is wrong with it.
        let about = |own: &OwnScene| match scene_lookup::load(&own.name, &[]) {
            Ok(scene) => scene.about,
            Err(error) => sanitize::message(&error.to_string()),
        };
        let folder = own_scenes::folder().unwrap_or_default();
        let folder = sanitize::escaped(&folder.to_string_lossy()).into_owned();
        let described: Vec<_> = own.iter().map(|own| (&*own.name, about(own))).collect();
        section(&mut out, &format!("Scenes, your own (in {folder})"), described)?;
    }
    for Group { name, scenes } in GROUPS {
        let described = scenes.iter().map(|&(name, text)| Ok((name, Scene::parse(text, name)?.about)));
        let described = described.collect::<Result<Vec<_>, Error>>()?;
        section(&mut out, &format!("Scenes, {name} (slosh NAME, or slosh my-scene.toml)"), described)?;
    }
    let fluids = fluids::embedded().iter().map(|fluid| (fluid.name.as_str(), fluid.about.clone()));
    section(&mut out, "Fluids (in a scene: [fluid] preset = \"NAME\"; or --set is=NAME)", fluids)?;
    section(&mut out, "Palettes (--palette NAME)", palettes)?;
    let themes = theme::embedded().iter().map(|theme| (theme.name.as_str(), theme.about.clone()));
    section(&mut out, "Themes (--theme NAME)", themes)?;
    section(&mut out, "Glyphs (--glyphs NAME)", glyphs)?;
    section(
        &mut out,
        "Quantities that the colour shows (--color-by NAME)",
        drives.map(|(drive, about)| (drive.name(), about.to_owned())),
    )?;
    section(&mut out, "Colours (--color NAME, or auto)", depths)?;
    Ok(())
}

fn section<'a>(
    out: &mut impl Write,
    title: &str,
    entries: impl IntoIterator<Item = (&'a str, String)>,
) -> io::Result<()> {
    writeln!(out, "{title}")?;
    for (name, about) in entries {
        writeln!(out, "{}", format!("  {name:<16}{about}").trim_end())?;
    }
    writeln!(out)
}
