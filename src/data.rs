//! Data: TOML, read strictly, with errors that name file, line and key. Every node has its origin; [`Fields`] reads values by key
//! and range, and keys that were not read are unknown. (Serde's derive knows neither the line of a number out of range nor the
//! origin of an overriding flag.)

mod fields;
mod inherit;
mod setting;

pub use fields::{Entry, Fields, advice, advice_of_many, alike, did_you_mean, mistyped, nearest};
pub use inherit::{about, inherit, with_embedded};
pub use setting::Setting;

use std::fmt;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// An error in data, and its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataError {
    /// A file and line, or a flag.
    pub origin: String,
    /// What is wrong there and what would be right.
    pub message: String,
    /// The keys that there are, if one is unknown.
    pub known_keys: Vec<&'static str>,
}

impl DataError {
    /// An error at `origin`, a file or the name of an entry.
    pub fn new(origin: impl fmt::Display, message: impl Into<String>) -> Self {
        Self { origin: origin.to_string(), message: message.into(), known_keys: Vec::new() }
    }
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", self.origin, self.message)
    }
}

impl std::error::Error for DataError {}

/// The origin of a value: a file and a line, a flag, or a variable. All values of one origin share its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    source: Arc<str>,
    /// Line number, from 1.
    line: Option<usize>,
}

impl Origin {
    fn new(source: &str) -> Self {
        Self { source: source.into(), line: None }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}", self.source),
            None => f.write_str(&self.source),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    value: Value,
    origin: Origin,
}

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Text(String),
    Integer(i64),
    Number(f64),
    Switch(bool),
    Date,
    List(Vec<Node>),
    Table(Vec<(String, Node)>),
}

impl Value {
    /// Formats the value as TOML in one line.
    fn to_toml(&self) -> String {
        match self {
            Value::Text(text) => quoted(text),
            Value::Number(x) => toml::Value::from(*x).to_string(),
            Value::List(items) => {
                format!("[{}]", items.iter().map(|item| item.value.to_toml()).collect::<Vec<_>>().join(", "))
            }
            Value::Table(entries) => {
                let entry = |(key, node): &(String, Node)| format!("{key:?} = {}", node.value.to_toml());
                format!("{{ {} }}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
            }
            Value::Integer(_) | Value::Switch(_) | Value::Date => self.describe(),
        }
    }

    /// Describes the value for messages such as "must be a number, not …".
    fn describe(&self) -> String {
        match self {
            Value::Text(text) => format!("the text {text:?}"),
            Value::Integer(i) => i.to_string(),
            Value::Number(x) => x.to_string(),
            Value::Switch(on) => on.to_string(),
            Value::Date => "a date".to_owned(),
            Value::List(items) => format!("a list of {}", items.len()),
            Value::Table(_) => "a table".to_owned(),
        }
    }
}

/// Invisible characters are escaped: the crate toml escapes ASCII's controls only, and terminals act on others too.
fn quoted(text: &str) -> String {
    let is_seen = |c: &char| matches!(c, '"' | '\'' | '\\') || c.escape_debug().len() == 1;
    if text.chars().all(|c| is_seen(&c)) {
        return toml::Value::from(text).to_string();
    }
    let escaped = text.chars().map(|c| match c {
        '"' | '\\' => format!("\\{c}"),
        c if is_seen(&c) => c.to_string(),
        c => format!("\\U{:08x}", u32::from(c)),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

impl Node {
    /// Parses TOML; errors name it `source`.
    pub fn parse(text: &str, source: &str) -> Result<Node, DataError> {
        let lines = Lines::new(text, source);
        let table = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or_else(|| Origin::new(source), |span| lines.origin(span.start));
            DataError::new(at, error.message())
        })?;
        Ok(Node { value: lines.table(table.get_ref()), origin: Origin::new(source) })
    }

    /// Where the first table in the tree that has this text for `key` has it.
    pub fn place_of(&self, key: &str, text: &str) -> Option<String> {
        match &self.value {
            Value::Table(entries) => entries.iter().find_map(|(name, node)| match &node.value {
                Value::Text(own) if name == key && own == text => Some(node.origin.to_string()),
                _ => node.place_of(key, text),
            }),
            Value::List(items) => items.iter().find_map(|item| item.place_of(key, text)),
            _ => None,
        }
    }

    pub fn has(&self, key: &str) -> bool {
        matches!(&self.value, Value::Table(entries) if entries.iter().any(|(name, _)| name == key))
    }
}

struct Lines {
    source: Arc<str>,
    /// None in a flag, which has no lines: all values in it have its name as their origin.
    ends: Option<Vec<usize>>,
}

impl Lines {
    /// Finds all line ends once: counting lines for every key is quadratic.
    fn new(text: &str, source: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| at).collect();
        Self { source: source.into(), ends: Some(ends) }
    }

    fn origin(&self, offset: usize) -> Origin {
        let line = self.ends.as_ref().map(|ends| 1 + ends.partition_point(|&end| end < offset));
        Origin { source: Arc::clone(&self.source), line }
    }

    fn table(&self, table: &DeTable) -> Value {
        let entry = |(key, value): (&Spanned<_>, &Spanned<DeValue>)| {
            let key: &Spanned<std::borrow::Cow<str>> = key;
            let node = Node { value: self.value(value.get_ref()), origin: self.origin(key.span().start) };
            (key.get_ref().to_string(), node)
        };
        Value::Table(table.iter().map(entry).collect())
    }

    fn value(&self, value: &DeValue) -> Value {
        match value {
            DeValue::String(text) => Value::Text(text.to_string()),
            // An integer beyond 64 bits is out of every range, so the range error reports it.
            DeValue::Integer(i) => i64::from_str_radix(i.as_str(), i.radix())
                .map_or_else(|_| Value::Number(i.as_str().parse().unwrap_or(f64::INFINITY)), Value::Integer),
            DeValue::Float(x) => Value::Number(x.as_str().parse().unwrap_or(f64::NAN)),
            DeValue::Boolean(on) => Value::Switch(*on),
            DeValue::Datetime(_) => Value::Date,
            DeValue::Array(items) => Value::List(
                items
                    .iter()
                    .map(|item| Node { value: self.value(item.get_ref()), origin: self.origin(item.span().start) })
                    .collect(),
            ),
            DeValue::Table(table) => self.table(table),
        }
    }
}
