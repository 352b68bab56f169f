//! Settings in two stages: layers of what somebody said, resolved to what is in force.

use super::failure::Failure;
use crate::data;
use crate::sim::scene::Scene;
use crate::view::{ColorDepth, Drive, Glyphs, Palette, palette};
use clap::Args;

/// What one source says; nothing where it is silent. The command line is one source, and so are a file of defaults
/// and the environment: whoever adds one adds a layer to [`Settings::resolve`].
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct Layer {
    /// What the picture is made of: octant, sextant, quadrant, half, braille or ascii
    #[arg(long, value_name = "G", help_heading = "Picture")]
    pub glyphs: Option<String>,
    /// The liquid's colours (`slosh list` names the palettes)
    #[arg(long, value_name = "P", help_heading = "Picture")]
    pub palette: Option<String>,
    /// How many colours: auto, truecolor, 256, 16 or mono
    #[arg(long, value_name = "C", help_heading = "Picture")]
    pub color: Option<String>,
    /// What the colour stands for: density, speed, pressure or amount
    #[arg(long, value_name = "D", help_heading = "Picture")]
    pub drive: Option<String>,
}

/// What is in force. Nothing stands for "whatever suits": the terminal, or the scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    pub glyphs: Option<Glyphs>,
    pub palette: Option<Palette>,
    pub color: Option<ColorDepth>,
    pub drive: Drive,
}

impl Settings {
    /// Later layers go before earlier ones.
    pub fn resolve(layers: &[&Layer]) -> Result<Self, Failure> {
        let said = |field: fn(&Layer) -> &Option<String>| layers.iter().rev().find_map(|layer| field(layer).as_deref());
        Ok(Self {
            glyphs: said(|layer| &layer.glyphs)
                .map(|name| by_name("glyphs", name, Glyphs::ALL, Glyphs::name))
                .transpose()?,
            palette: said(|layer| &layer.palette).map(find_palette).transpose()?,
            color: said(|layer| &layer.color).map(find_depth).transpose()?.flatten(),
            drive: said(|layer| &layer.drive)
                .map_or(Ok(Drive::default()), |name| by_name("drive", name, Drive::ALL, Drive::name))?,
        })
    }
}

fn find_palette(name: &str) -> Result<Palette, Failure> {
    let names: Vec<&str> = palette::names().collect();
    palette::find(name).cloned().ok_or_else(|| unknown("palette", name, &names))
}

/// `auto` is no depth: it leaves the choice to the terminal.
fn find_depth(name: &str) -> Result<Option<ColorDepth>, Failure> {
    let choices = [None].into_iter().chain(ColorDepth::ALL.map(Some));
    by_name("color", name, choices, |depth| depth.map_or("auto", ColorDepth::name))
}

fn by_name<T: Copy>(
    what: &str,
    name: &str,
    choices: impl IntoIterator<Item = T>,
    name_of: fn(T) -> &'static str,
) -> Result<T, Failure> {
    let choices: Vec<T> = choices.into_iter().collect();
    let names: Vec<&str> = choices.iter().map(|&choice| name_of(choice)).collect();
    let at = names.iter().position(|known| *known == name);
    at.map(|at| choices[at]).ok_or_else(|| unknown(what, name, &names))
}

/// The palette that a scene was made for, or the default.
pub fn palette_of(scene: &Scene) -> Result<Palette, Failure> {
    let found = scene.palette.as_deref().map(find_palette).transpose();
    Ok(found.map_err(|failure| Failure::Input(format!("{}: {failure}", scene.name)))?.unwrap_or_default())
}

fn unknown(what: &str, name: &str, choices: &[&str]) -> Failure {
    Failure::Input(format!("no {what} is called {name:?}; {}", data::advice(name, choices)))
}
