//! `slosh list`: all names that a user can choose, the user's own first, as plain text or as JSON.

use crate::app::error::Error;
use crate::cli::args::scene_lookup;
use crate::cli::own_scenes::{self, OwnScene};
use crate::cli::settings::layers::Sources;
use crate::cli::settings::theme::{self, Theme};
use crate::scene::{GROUPS, Group, Scene, fluids};
use crate::sim::liquid::pressure::Force;
use crate::term::sanitize;
use crate::view::{ColorBy, ColorDepth, GlyphMode, Palette, palette};
use clap::Args;
use serde::Serialize;
use std::io::{self, Write};

/// List scenes, fluids, palettes, themes, glyph sets and quantities
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Print JSON, for scripts
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Serialize)]
struct Listing {
    scenes: Vec<SceneGroup>,
    fluids: Vec<Named>,
    palettes: Vec<Named>,
    themes: Vec<Named>,
    glyphs: Vec<Named>,
    #[serde(rename = "color-by")]
    color_by: Vec<Named>,
    colors: Vec<Named>,
}

#[derive(Debug, Serialize)]
struct SceneGroup {
    group: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<String>,
    scenes: Vec<Named>,
}

#[derive(Debug, Serialize)]
struct Named {
    name: String,
    about: String,
    yours: bool,
}

impl Named {
    fn new(name: &str, about: &str, yours: bool) -> Self {
        Self { name: name.to_owned(), about: about.to_owned(), yours }
    }
}

pub fn run(args: &ListArgs) -> Result<(), Error> {
    let listing = Listing::collect()?;
    let mut out = io::stdout().lock();
    if args.json {
        let text = serde_json::to_string_pretty(&listing).map_err(io::Error::other)?;
        return Ok(writeln!(out, "{}", sanitize::json(&text))?);
    }
    Ok(listing.write(&mut out)?)
}

impl Listing {
    fn collect() -> Result<Self, Error> {
        let tree = Sources::read(Vec::new())?.tree()?;
        let settings = crate::cli::settings::Settings::read(&tree)?;
        let mut scenes: Vec<SceneGroup> = own_scenes().into_iter().collect();
        for Group { name, scenes: embedded } in GROUPS {
            let named =
                embedded.iter().map(|&(name, text)| Ok(Named::new(name, &Scene::parse(text, name)?.about, false)));
            scenes.push(SceneGroup { group: name, folder: None, scenes: named.collect::<Result<_, Error>>()? });
        }
        let fluids = fluids::embedded().iter().map(|fluid| Named::new(&fluid.name, &fluid.about, false));
        let glyphs = GlyphMode::ALL.map(|glyphs| Named::new(glyphs.name(), glyphs.about(), false));
        let depths = ColorDepth::ALL.into_iter().rev().map(|depth| Named::new(depth.name(), "", false));
        let palette = |it: &Palette| Named::new(it.name(), it.about(), !palette::embedded().contains(it));
        let theme = |it: &Theme| Named::new(&it.name, &it.about, !theme::embedded().contains(it));
        Ok(Self {
            scenes,
            fluids: fluids.collect(),
            palettes: settings.look.palettes.iter().map(palette).collect(),
            themes: Theme::all(&tree)?.iter().map(theme).collect(),
            glyphs: glyphs.into(),
            color_by: quantities().into(),
            colors: depths.collect(),
        })
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        for SceneGroup { group, folder, scenes } in &self.scenes {
            match folder {
                Some(folder) => section(out, &format!("Scenes, your own (in {folder})"), scenes)?,
                None => section(out, &format!("Scenes, {group} (slosh NAME, or slosh my-scene.toml)"), scenes)?,
            }
        }
        section(out, "Fluids (in a scene: [fluid] preset = \"NAME\"; or --set is=NAME)", &self.fluids)?;
        for (kind, flag, all) in [("Palettes", "palette", &self.palettes), ("Themes", "theme", &self.themes)] {
            let (own, embedded): (Vec<_>, Vec<_>) = all.iter().partition(|named| named.yours);
            if !own.is_empty() {
                section(out, &format!("{kind}, your own (--{flag} NAME)"), own)?;
            }
            section(out, &format!("{kind} (--{flag} NAME)"), embedded)?;
        }
        section(out, "Glyphs (--glyphs NAME)", &self.glyphs)?;
        section(out, "Quantities that the colour shows (--color-by NAME)", &self.color_by)?;
        section(out, "Colours (--color NAME, or auto)", &self.colors)
    }
}

fn own_scenes() -> Option<SceneGroup> {
    let about = |own: &OwnScene| match scene_lookup::load(&own.name, &[]) {
        Ok(scene) => scene.about,
        Err(error) => sanitize::message(&error.to_string()),
    };
    let scenes: Vec<_> = own_scenes::all().iter().map(|own| Named::new(&own.name, &about(own), true)).collect();
    let folder = own_scenes::folder().unwrap_or_default();
    let folder = Some(sanitize::escaped(&folder.to_string_lossy()));
    (!scenes.is_empty()).then_some(SceneGroup { group: "yours", folder, scenes })
}

fn quantities() -> [Named; 9] {
    [
        (ColorBy::Density, "deep colours for high density, light ones for low"),
        (ColorBy::Speed, "deep colours for low speed, light ones for high"),
        (ColorBy::Pressure, "deep colours for high pressure, light ones for low"),
        (ColorBy::Amount, "as density, with all dyes in the palette's colours"),
        (ColorBy::Force(Force::Pressure), "one kind of force: deep colours for weak, light ones for strong"),
        (ColorBy::Force(Force::Viscosity), "in scenes with [sph], which keep the forces separate"),
        (ColorBy::Force(Force::Tension), "in other scenes as density"),
        (ColorBy::Surface, "deep colours inside, light ones for particles at the surface"),
        (ColorBy::Temperature, "deep colours for cold, light ones for hot, in scenes with a temperature"),
    ]
    .map(|(quantity, about)| Named::new(quantity.name(), about, false))
}

fn section<'a>(out: &mut impl Write, title: &str, entries: impl IntoIterator<Item = &'a Named>) -> io::Result<()> {
    writeln!(out, "{title}")?;
    for Named { name, about, .. } in entries {
        writeln!(out, "{}", format!("  {name:<17} {about}").trim_end())?;
    }
    writeln!(out)
}
