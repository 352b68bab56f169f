//! How the picture looks.

use crate::cli::args::output::flag;
use crate::cli::args::value_parsers::{DEPTHS, DRIVES, GLYPHS, Named, PALETTES, THEMES, WEAVES};
use crate::data::Setting;
use clap::Args;

/// What the flags for the picture say.
#[derive(Clone, Debug, Default, PartialEq, Args)]
pub struct LookArgs {
    /// Palette, background, glyphs and what is written over them, by one name (`slosh list` names the themes)
    #[arg(long, value_name = "T", help_heading = "Picture", value_parser = Named(THEMES), hide_possible_values = true)]
    pub theme: Option<String>,
    /// What the picture is made of: wedge, sextant, quadrant, half, ascii, braille or octant
    #[arg(long, value_name = "G", help_heading = "Picture", value_parser = Named(GLYPHS), hide_possible_values = true)]
    pub glyphs: Option<String>,
    /// The liquid's colours (`slosh list` names the palettes)
    #[arg(long, value_name = "P", help_heading = "Picture", value_parser = Named(PALETTES), hide_possible_values = true)]
    pub palette: Option<String>,
    /// How many colours: auto, truecolor, 256, 16 or mono
    #[arg(long, value_name = "C", help_heading = "Picture", value_parser = Named(DEPTHS), hide_possible_values = true)]
    pub color: Option<String>,
    /// What the colour stands for: density, speed, pressure, amount (of dye), surface, or a force (`slosh list` names them)
    #[arg(long, value_name = "D", help_heading = "Picture", value_parser = Named(DRIVES), hide_possible_values = true)]
    pub drive: Option<String>,
    /// Behind the fluid: auto, terminal for the terminal's own, or a colour such as #101018 [default: auto]
    #[arg(long, value_name = "B")]
    pub background: Option<String>,
    /// What of a cloth is drawn: surface, wire or both
    #[arg(long, value_name = "W", help_heading = "Picture", value_parser = Named(WEAVES), hide_possible_values = true)]
    pub cloth: Option<String>,
}

impl LookArgs {
    /// What is said, as settings.
    pub fn settings(&self) -> Vec<Setting> {
        let said = [
            ("theme", &self.theme),
            ("glyphs", &self.glyphs),
            ("palette", &self.palette),
            ("color", &self.color),
            ("drive", &self.drive),
            ("cloth", &self.cloth),
            ("background", &self.background),
        ];
        said.into_iter().filter_map(|(key, value)| flag(key, value.as_ref())).collect()
    }
}
