//! The layers of settings: defaults, file, environment, flags. Each overrides the one before.

use crate::app::error::Error;
use crate::app::files;
use crate::cli::settings::Settings;
use crate::cli::settings::table::SETTINGS;
use crate::cli::settings::theme::{Theme, named_theme};
use crate::data::{self, Node, Setting};
use etcetera::BaseStrategy;
use std::path::PathBuf;

const PREFIX: &str = "SLOSH_";

/// The variable that names the settings file in place of the usual one. That file must exist.
const FILE: &str = "SLOSH_CONFIG";

/// Variables that are not settings: those that tests set for a debug build, and for themselves.
const OTHERS: &[&str] = if cfg!(debug_assertions) { &["SLOSH_PANIC_AFTER", "SLOSH_TEST_"] } else { &["SLOSH_TEST_"] };

#[derive(Clone, Debug, Default)]
pub struct Sources {
    pub file: Option<(String, String)>,
    /// The slosh variables that are not empty.
    pub variables: Vec<(String, String)>,
    pub flags: Vec<Setting>,
}

impl Sources {
    pub fn read(flags: Vec<Setting>) -> Result<Self, Error> {
        let file = match named_file().or_else(default_file) {
            Some(path) => Some((path.display().to_string(), files::text(&path, "settings file")?)),
            None => None,
        };
        let mut variables = Vec::new();
        for (name, value) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            if name.starts_with(PREFIX) && name != FILE && !OTHERS.iter().any(|other| name.starts_with(other)) {
                let value = value.into_string().or_else(|value| match key_of(&name) {
                    Some(_) => Err(Error::Input(format!("{name}: is not UTF-8"))),
                    None => Ok(value.to_string_lossy().into_owned()),
                })?;
                variables.push((name, value));
            }
        }
        Ok(Self { file, variables, flags })
    }

    /// Combines all layers. If several layers name a theme, the last one counts; every other setting of the same layer overrides
    /// it.
    pub fn tree(&self) -> Result<Node, data::DataError> {
        let mut tree = match &self.file {
            Some((path, text)) => Node::parse(text, path)?,
            None => Node::parse("", "config.toml")?,
        };
        let themes = Theme::all(&tree)?;
        let layers = [self.said_by_variables(), self.flags.clone()];
        let is_theme = |setting: &&Setting| setting.bare_key() == Some("theme");
        let last = layers.iter().rposition(|layer| layer.iter().any(|setting| is_theme(&setting)));
        if last.is_none() {
            let theme = theme_of(&tree, &themes)?;
            lay_below(&mut tree, theme)?;
        }
        let defaults = SETTINGS.iter().map(|spec| Setting::with_origin(spec.name, spec.default, "default"));
        lay_below(&mut tree, defaults.collect())?;
        for (number, layer) in layers.iter().enumerate() {
            if last == Some(number) {
                layer.iter().filter(is_theme).try_for_each(|theme| tree.set(theme))?;
                theme_of(&tree, &themes)?.iter().try_for_each(|setting| tree.set(setting))?;
            }
            layer.iter().try_for_each(|setting| tree.set(setting))?;
        }
        Ok(tree)
    }

    fn said_by_variables(&self) -> Vec<Setting> {
        let said = self.variables.iter().filter(|(_, value)| !value.is_empty());
        let setting = |(name, value): &(String, String)| {
            Some(Setting::with_origin(key_of(name)?, value, &format!("{name}={value}")))
        };
        said.filter_map(setting).collect()
    }

    /// Returns the slosh variables that are no settings, each with advice. They may belong to another version, so they
    /// are no errors.
    pub fn unknown_variables(&self) -> impl Iterator<Item = (&str, String)> {
        let names: Vec<&str> = SETTINGS.iter().map(|spec| spec.name).collect();
        self.variables.iter().filter(|(name, _)| key_of(name).is_none()).map(move |(name, _)| {
            let near = data::nearest(&name[PREFIX.len()..], &names);
            let near = near.map(|near| format!("; did you mean {}?", variable_of(near)));
            (name.as_str(), format!("unknown setting{}", near.unwrap_or_default()))
        })
    }

    pub fn settings(&self) -> Result<Settings, data::DataError> {
        Settings::read(&self.tree()?)
    }
}

pub fn settings(flags: Vec<Setting>) -> Result<Settings, Error> {
    Ok(Sources::read(flags)?.settings()?)
}

fn lay_below(tree: &mut Node, settings: Vec<Setting>) -> Result<(), data::DataError> {
    let unsaid = |setting: &&Setting| setting.bare_key().is_some_and(|key| !tree.has(key));
    let unsaid: Vec<Setting> = settings.iter().filter(unsaid).cloned().collect();
    unsaid.iter().try_for_each(|setting| tree.set(setting))
}

fn theme_of(tree: &Node, themes: &[Theme]) -> Result<Vec<Setting>, data::DataError> {
    Ok(named_theme(&mut tree.fields()?, themes)?.map_or_else(Vec::new, |theme| theme.settings))
}

/// `color-by` → `SLOSH_COLOR_BY`.
pub fn variable_of(key: &str) -> String {
    format!("{PREFIX}{}", key.to_uppercase().replace('-', "_"))
}

/// `SLOSH_COLOR_BY` → `color-by`.
fn key_of(variable: &str) -> Option<&'static str> {
    SETTINGS.iter().map(|spec| spec.name).find(|name| variable_of(name) == variable)
}

fn named_file() -> Option<PathBuf> {
    std::env::var_os(FILE).filter(|path| !path.is_empty()).map(PathBuf::from)
}

fn default_file() -> Option<PathBuf> {
    places().into_iter().find(|path| path.exists())
}

/// The places of a settings file; a new one is written to the first: `$XDG_CONFIG_HOME/slosh/config.toml`, and the platform's own
/// folder (on macOS ~/Library/Application Support, on Windows %APPDATA%).
pub fn places() -> Vec<PathBuf> {
    let said = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let native = etcetera::base_strategy::choose_native_strategy().ok().map(|native| native.config_dir());
    let mut places: Vec<PathBuf> = said.into_iter().chain(native).map(|dir| dir.join("slosh/config.toml")).collect();
    places.dedup();
    places
}

pub fn place() -> Option<PathBuf> {
    named_file().or_else(default_file).or_else(|| places().into_iter().next())
}
