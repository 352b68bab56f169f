//! Values of flags that have names: what completions offer for them.

use crate::app::recorder::Edition;
use crate::app::saver::Dismissal;
use crate::cli::settings;
use crate::cli::settings::theme;
use crate::scene;
use crate::view::{Drive, Glyphs, Weave, palette};
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command};
use std::ffi::OsStr;

/// Takes any text and offers names for it. Whether the text is one of them is asked where the configuration is read:
/// flags, variables and files are refused in the same words.
#[derive(Clone, Copy)]
pub struct Named(pub fn() -> Vec<&'static str>);

pub const GLYPHS: fn() -> Vec<&'static str> = || Glyphs::ALL.map(Glyphs::name).to_vec();
pub const PALETTES: fn() -> Vec<&'static str> = || palette::names().collect();
pub const SCENES: fn() -> Vec<&'static str> = || scene::names().to_vec();
pub const DRIVES: fn() -> Vec<&'static str> = || Drive::ALL.map(Drive::name).to_vec();
pub const WEAVES: fn() -> Vec<&'static str> = || Weave::ALL.map(Weave::name).to_vec();
pub const DEPTHS: fn() -> Vec<&'static str> = settings::names_of_depths;
pub const DISMISSALS: fn() -> Vec<&'static str> = || Dismissal::ALL.map(Dismissal::name).to_vec();
pub const THEMES: fn() -> Vec<&'static str> =
    || theme::embedded().iter().map(|theme| theme.name.as_str()).chain(["none"]).collect();
pub const CASTS: fn() -> Vec<&'static str> = || Edition::ALL.map(Edition::name).to_vec();

impl TypedValueParser for Named {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0().into_iter().map(PossibleValue::new)))
    }
}
