//! Themes: a palette, what is behind the fluid, glyphs and the colours of what is written over it, by one name.
//!
//! A theme is nothing but settings: whoever names one says all of them at once, and may say any of them otherwise in the
//! same place. One that inherits is as the other where it says nothing itself.

use crate::data::{Entry, Error, Fields, Node, Setting, about, inherit};
use std::sync::OnceLock;

/// The themes that slosh comes with.
const EMBEDDED: &str = include_str!("../../data/themes.toml");

/// Themes that a file may have.
const MOST: usize = 1000;

/// What a theme may set.
const KEYS: [&str; 5] = ["palette", "background", "glyphs", "drive", "overlay"];

#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    pub name: String,
    /// One line for `slosh list`.
    pub about: String,
    pub settings: Vec<Setting>,
}

impl Theme {
    /// The user's own, `[[themes]]` in his settings, then those that slosh comes with.
    ///
    /// # Errors
    /// Names line and key of what is missing or unknown, and what would be right.
    pub fn all(settings: &Node) -> Result<Vec<Theme>, Error> {
        let mut all = Self::read_all(&settings.fields()?.list("themes", MOST)?, embedded())?;
        all.extend_from_slice(embedded());
        Ok(all)
    }

    fn read_all(entries: &[Entry], known: &[Theme]) -> Result<Vec<Theme>, Error> {
        inherit(entries, known, |theme| &theme.name, Self::read)
    }

    fn read(fields: &mut Fields, parent: Option<&Theme>) -> Result<Self, Error> {
        let name = fields.need("name")?.text()?.to_owned();
        let own = KEYS.map(|key| fields.get(key).map(|entry| entry.setting(key)));
        let inherited = |key: &str| parent?.settings.iter().find(|setting| setting.bare_key() == Some(key)).cloned();
        let settings = KEYS.into_iter().zip(own).filter_map(|(key, own)| own.or_else(|| inherited(key))).collect();
        let about = about(fields, parent.map(|parent| &*parent.name))?.unwrap_or_default();
        Ok(Self { name, about, settings })
    }
}

/// The embedded themes.
pub fn embedded() -> &'static [Theme] {
    static THEMES: OnceLock<Vec<Theme>> = OnceLock::new();
    THEMES.get_or_init(|| {
        let tree = Node::parse(EMBEDDED, "themes.toml").expect("a test reads the embedded themes");
        let read = || Theme::read_all(&tree.fields()?.list("theme", MOST)?, &[]);
        read().expect("a test reads the embedded themes")
    })
}
