//! Themes: palette, background, glyphs and overlay colours under one name. A theme is a list of settings, each of which the layer
//! that names it may override. A theme that inherits takes missing values from its parent.

use crate::data::{DataError, Entry, Fields, Node, Setting, about, inherit, with_embedded};
use std::sync::OnceLock;

const EMBEDDED: &str = include_str!("../../data/themes.toml");

const MAX_THEMES: usize = 1000;

const KEYS: [&str; 5] = ["palette", "background", "glyphs", "color-by", "overlay"];

#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    pub name: String,
    /// One line for `slosh list`.
    pub about: String,
    pub settings: Vec<Setting>,
}

impl Theme {
    /// The user's own themes (`[[themes]]` in the settings file), then the embedded ones.
    pub fn all(settings: &Node) -> Result<Vec<Theme>, DataError> {
        let own = Self::read_all(&settings.fields()?.list("themes", MAX_THEMES)?, embedded())?;
        Ok(with_embedded(own, embedded(), |theme| &theme.name))
    }

    fn read_all(entries: &[Entry], known: &[Theme]) -> Result<Vec<Theme>, DataError> {
        inherit(entries, known, |theme| &theme.name, Self::read)
    }

    fn read(fields: &mut Fields, parent: Option<&Theme>) -> Result<Self, DataError> {
        let name = fields.need("name")?.text()?.to_owned();
        let own = KEYS.map(|key| fields.get(key).map(|entry| entry.setting(key)));
        let inherited = |key: &str| parent?.settings.iter().find(|setting| setting.bare_key() == Some(key)).cloned();
        let settings = KEYS.into_iter().zip(own).filter_map(|(key, own)| own.or_else(|| inherited(key))).collect();
        let about = about(fields, parent.map(|parent| &*parent.name))?.unwrap_or_default();
        Ok(Self { name, about, settings })
    }
}

pub fn named_theme(fields: &mut Fields, themes: &[Theme]) -> Result<Option<Theme>, DataError> {
    let named = themes.iter().map(|theme| (theme.name.as_str(), Some(theme)));
    let choices: Vec<(&str, Option<&Theme>)> = [("none", None)].into_iter().chain(named).collect();
    Ok(fields.get("theme").map(|entry| entry.word(&choices)).transpose()?.flatten().cloned())
}

pub fn embedded() -> &'static [Theme] {
    static THEMES: OnceLock<Vec<Theme>> = OnceLock::new();
    THEMES.get_or_init(|| {
        let tree = Node::parse(EMBEDDED, "themes.toml").expect("a test reads the embedded themes");
        let read = || Theme::read_all(&tree.fields()?.list("theme", MAX_THEMES)?, &[]);
        read().expect("a test reads the embedded themes")
    })
}
