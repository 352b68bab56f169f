//! Settings: single values that override those of a tree, from flags and variables.

use crate::data::{DataError, Lines, Node, Origin, Value};
use toml::de::DeValue;

/// A key with a value that overrides that of a tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    path: Vec<String>,
    node: Node,
}

impl Setting {
    /// Parses `KEY=VALUE`. The key may have dots and list indices (`inlet.0.speed`). The value is TOML; anything else is text.
    ///
    /// # Errors
    /// If the text is not of that form. Errors name the origin by `flag` and the text.
    pub fn parse(text: &str, flag: &str) -> Result<Setting, DataError> {
        let origin = format!("{flag} {text}");
        let (key, value) =
            text.split_once('=').ok_or_else(|| DataError::new(&origin, "must be KEY=VALUE, as in gravity=1.6"))?;
        let path: Vec<String> = key.trim().split('.').map(str::to_owned).collect();
        if path.iter().any(String::is_empty) {
            return Err(DataError::new(&origin, "must be KEY=VALUE with a key such as gravity or fluid.stiffness"));
        }
        Ok(Setting { path, node: Node::from_flag(value.trim(), &origin) })
    }

    /// A setting for one key; errors name its origin `origin`.
    pub fn with_origin(key: &str, value: &str, origin: &str) -> Setting {
        Self::from_node(key, Node::from_flag(value, origin))
    }

    /// A setting whose value is text, even if it looks like TOML.
    pub fn from_text(key: &str, text: &str, origin: &str) -> Setting {
        Self::from_node(key, Node { value: Value::Text(text.to_owned()), origin: Origin::new(origin) })
    }

    pub(super) fn from_node(key: &str, node: Node) -> Setting {
        Setting { path: vec![key.to_owned()], node }
    }

    /// Formats the setting as `KEY=VALUE`, which [`Setting::parse`] reads.
    pub fn to_text(&self) -> String {
        format!("{}={}", self.path.join("."), self.node.value.to_toml())
    }

    /// The key, if it has only one part.
    pub fn bare_key(&self) -> Option<&str> {
        self.path.first().filter(|_| self.path.len() == 1).map(String::as_str)
    }

    /// The same setting inside `table`.
    pub fn within(mut self, table: &str) -> Self {
        self.path.insert(0, table.to_owned());
        self
    }
}

impl Node {
    pub fn set(&mut self, setting: &Setting) -> Result<(), DataError> {
        let (last, way) = setting.path.split_last().expect("a setting has a key");
        let mut node = self;
        for step in way {
            node = node.child(step, &setting.node.origin)?;
        }
        *node.child(last, &setting.node.origin)? = setting.node.clone();
        Ok(())
    }

    pub fn remove(&mut self, key: &str) {
        if let Value::Table(entries) = &mut self.value {
            entries.retain(|(name, _)| name != key);
        }
    }

    /// Returns the entry `step` of a table, created if missing, or of a list, counted from 0.
    fn child(&mut self, step: &str, origin: &Origin) -> Result<&mut Node, DataError> {
        match &mut self.value {
            Value::Table(entries) => {
                let at = entries.iter().position(|(key, _)| key == step).unwrap_or_else(|| {
                    entries.push((step.to_owned(), Node { value: Value::Table(Vec::new()), origin: origin.clone() }));
                    entries.len() - 1
                });
                Ok(&mut entries[at].1)
            }
            Value::List(items) => {
                let count = items.len();
                let wrong = || DataError::new(origin, format!("`{step}` must be one of the {count} entries, from 0"));
                step.parse().ok().and_then(|at: usize| items.get_mut(at)).ok_or_else(wrong)
            }
            other => Err(DataError::new(origin, format!("`{step}` cannot be set inside {}", other.describe()))),
        }
    }

    fn from_flag(text: &str, origin: &str) -> Self {
        let lines = Lines { source: origin.into(), ends: None };
        let value = match DeValue::parse(text) {
            Ok(parsed) => lines.value(parsed.get_ref()),
            Err(_) => Value::Text(text.to_owned()),
        };
        Node { value, origin: lines.origin(0) }
    }
}
