//! Settings: their declarations, and the values in force. Each layer overrides the one before: defaults, config.toml, SLOSH_*
//! variables, flags (`layers`). One declaration for each setting checks and stores its value (`table`).

pub mod layers;
pub mod listing;
pub mod table;
pub mod theme;
mod values;

use crate::app::input::keymap::Keymap;
use crate::data::{DataError, Fields, Node, with_embedded};
use crate::view::{Palette, palette};
use table::SETTINGS;
use theme::{Theme, named_theme};
pub use values::Settings;

impl Settings {
    /// Reads a tree that has all [`SETTINGS`]. Errors name the origin and the key of the value, and what would be right.
    pub fn read(tree: &Node) -> Result<Self, DataError> {
        let mut fields = tree.fields()?;
        let mut settings = Self::default();
        settings.look.palettes = palettes(&mut fields)?;
        // The values of the theme are in the tree already, so the key only has to be valid.
        named_theme(&mut fields, &Theme::all(tree)?)?;
        fields.get("themes");
        for spec in SETTINGS {
            (spec.store)(&fields.need(spec.name)?, &mut settings)?;
        }
        if let Some(keys) = fields.get("keys") {
            settings.controls.keymap = Keymap::default().merged_with(keys.fields()?)?;
        }
        fields.done()?;
        Ok(settings)
    }
}

/// The user's own palettes (`[[palettes]]`), then the embedded ones.
fn palettes(fields: &mut Fields) -> Result<Vec<Palette>, DataError> {
    let own = Palette::read_all(&fields.list("palettes", palette::MAX_PALETTES)?, palette::embedded())?;
    Ok(with_embedded(own, palette::embedded(), Palette::name))
}
