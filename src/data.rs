//! Data: TOML, read strictly, with errors that a person can act on.
//!
//! serde's derive was tried and dropped here. It knows the line of a wrong type but not of a number out of range, says
//! "expected f32", and forgets where an overriding flag came from. Instead a file becomes a tree whose every node
//! knows where it was written; [`Fields`] takes values out by key and range, and what nobody asked for is an unknown
//! key. Files, flags and (one day) environment variables are layers on one tree, and errors name the right one.

mod heirs;

pub use heirs::{about, heirs};

use std::fmt;
use std::ops::RangeInclusive;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// A file and line, or a flag.
    pub origin: String,
    /// What is wrong there and what would be right.
    pub message: String,
}

impl Error {
    pub fn new(origin: &str, message: impl Into<String>) -> Self {
        Self { origin: origin.to_owned(), message: message.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}: {}", self.origin, self.message)
    }
}

impl std::error::Error for Error {}

/// A value and where it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    value: Value,
    origin: String,
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
    /// The same as TOML, in one line.
    fn to_toml(&self) -> String {
        match self {
            Value::Text(text) => toml::Value::from(text.as_str()).to_string(),
            Value::Number(x) => toml::Value::from(*x).to_string(),
            Value::Date => "a date".to_owned(),
            Value::List(items) => {
                format!("[{}]", items.iter().map(|item| item.value.to_toml()).collect::<Vec<_>>().join(", "))
            }
            Value::Table(entries) => {
                let entry = |(key, node): &(String, Node)| format!("{key:?} = {}", node.value.to_toml());
                format!("{{ {} }}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
            }
            Value::Integer(_) | Value::Switch(_) => self.describe(),
        }
    }

    /// For "must be a number, not …".
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

impl Node {
    /// Reads TOML; `source` is the name that errors give to it.
    pub fn parse(text: &str, source: &str) -> Result<Node, Error> {
        let lines = Lines { text, source };
        let table = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or_else(|| source.to_owned(), |span| lines.origin(span.start));
            Error::new(&at, error.message())
        })?;
        Ok(Node { value: lines.table(table.get_ref()), origin: source.to_owned() })
    }

    /// Puts the setting's value in its place, over whatever the tree held there.
    pub fn set(&mut self, setting: &Setting) -> Result<(), Error> {
        let (last, way) = setting.path.split_last().expect("a setting has a key");
        let mut node = self;
        for step in way {
            node = node.child(step, &setting.node.origin)?;
        }
        *node.child(last, &setting.node.origin)? = setting.node.clone();
        Ok(())
    }

    /// The entry `step` of a table, made if it is missing, or of a list, counted from 0.
    fn child(&mut self, step: &str, origin: &str) -> Result<&mut Node, Error> {
        match &mut self.value {
            Value::Table(entries) => {
                let at = entries.iter().position(|(key, _)| key == step).unwrap_or_else(|| {
                    entries
                        .push((step.to_owned(), Node { value: Value::Table(Vec::new()), origin: origin.to_owned() }));
                    entries.len() - 1
                });
                Ok(&mut entries[at].1)
            }
            Value::List(items) => {
                let count = items.len();
                let wrong = || Error::new(origin, format!("`{step}` must be one of the {count} entries, from 0"));
                step.parse().ok().and_then(|at: usize| items.get_mut(at)).ok_or_else(wrong)
            }
            other => Err(Error::new(origin, format!("`{step}` cannot be set inside {}", other.describe()))),
        }
    }

    /// Whether the tree says anything about `key`.
    pub fn has(&self, key: &str) -> bool {
        matches!(&self.value, Value::Table(entries) if entries.iter().any(|(name, _)| name == key))
    }

    /// The whole tree as a table to read.
    pub fn fields(&self) -> Result<Fields<'_>, Error> {
        Entry { node: self, path: String::new() }.fields()
    }
}

/// Turns byte offsets into lines while the text is converted to nodes.
struct Lines<'a> {
    text: &'a str,
    source: &'a str,
}

impl Lines<'_> {
    fn origin(&self, offset: usize) -> String {
        let before = &self.text.as_bytes()[..offset.min(self.text.len())];
        format!("{}:{}", self.source, 1 + before.iter().filter(|&&byte| byte == b'\n').count())
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
            // What is beyond 64 bits is beyond every range too, and the error is about the range.
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

/// One key with a value that is laid over a tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    path: Vec<String>,
    node: Node,
}

impl Setting {
    /// Reads `KEY=VALUE`. The key may be dotted and count into lists (`tap.0.speed`); the value is TOML, or text
    /// where it is not. `flag` is what errors call it, together with the text.
    pub fn parse(text: &str, flag: &str) -> Result<Setting, Error> {
        let origin = format!("{flag} {text}");
        let (key, value) =
            text.split_once('=').ok_or_else(|| Error::new(&origin, "must be KEY=VALUE, as in gravity=1.6"))?;
        let path: Vec<String> = key.trim().split('.').map(str::to_owned).collect();
        if path.iter().any(String::is_empty) {
            return Err(Error::new(&origin, "must be KEY=VALUE with a key such as gravity or fluid.stiffness"));
        }
        Ok(Setting { path, node: Node::from_flag(value.trim(), origin) })
    }

    /// A flag of its own that stands for one key.
    pub fn of_flag(key: &str, value: &str, flag: &str) -> Setting {
        Self::of_origin(key, value, &format!("{flag} {value}"))
    }

    /// A value for one key; `origin` is what errors call it.
    pub fn of_origin(key: &str, value: &str, origin: &str) -> Setting {
        Setting { path: vec![key.to_owned()], node: Node::from_flag(value, origin.to_owned()) }
    }

    /// Text for one key, whatever it looks like.
    pub fn of_text(key: &str, text: &str, origin: &str) -> Setting {
        let node = Node { value: Value::Text(text.to_owned()), origin: origin.to_owned() };
        Setting { path: vec![key.to_owned()], node }
    }

    /// `KEY=VALUE`, which [`Setting::parse`] reads.
    pub fn to_text(&self) -> String {
        format!("{}={}", self.path.join("."), self.node.value.to_toml())
    }

    /// The key, if it has one part only.
    pub fn bare_key(&self) -> Option<&str> {
        self.path.first().filter(|_| self.path.len() == 1).map(String::as_str)
    }

    /// The same setting one table further down.
    pub fn within(mut self, table: &str) -> Self {
        self.path.insert(0, table.to_owned());
        self
    }
}

impl Node {
    fn from_flag(text: &str, origin: String) -> Self {
        let lines = Lines { text: "", source: &origin };
        let value = match DeValue::parse(text) {
            Ok(parsed) => lines.value(parsed.get_ref()),
            Err(_) => Value::Text(text.to_owned()),
        };
        let mut node = Node { value, origin };
        node.call_all_by_its_origin();
        node
    }

    /// A flag has no lines: what is inside a list that was given by flag is called by the flag.
    fn call_all_by_its_origin(&mut self) {
        let children: Vec<&mut Node> = match &mut self.value {
            Value::List(items) => items.iter_mut().collect(),
            Value::Table(entries) => entries.iter_mut().map(|(_, node)| node).collect(),
            _ => return,
        };
        for child in children {
            child.origin.clone_from(&self.origin);
            child.call_all_by_its_origin();
        }
    }
}

/// A node on its way to becoming a value, with the key path that leads to it.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    node: &'a Node,
    path: String,
}

impl<'a> Entry<'a> {
    /// An error about this entry: `message` continues the sentence that begins with its key.
    pub fn error(&self, message: impl fmt::Display) -> Error {
        Error::new(&self.node.origin, format!("`{}` {message}", self.path))
    }

    fn must_be(&self, what: impl fmt::Display) -> Error {
        self.error(format_args!("must be {what}, not {}", self.node.value.describe()))
    }

    /// A finite number within `range`.
    pub fn number(&self, range: RangeInclusive<f32>) -> Result<f32, Error> {
        let number = match self.node.value {
            Value::Integer(i) => i as f32,
            Value::Number(x) => x as f32,
            _ => f32::NAN,
        };
        // NaN is in no range.
        if range.contains(&number) {
            return Ok(number);
        }
        Err(self.must_be(format_args!("a number from {} to {}", range.start(), range.end())))
    }

    /// A whole number within `range`.
    pub fn integer(&self, range: RangeInclusive<i64>) -> Result<i64, Error> {
        match self.node.value {
            Value::Integer(i) if range.contains(&i) => Ok(i),
            _ => Err(self.must_be(format_args!("a whole number from {} to {}", range.start(), range.end()))),
        }
    }

    pub fn switch(&self) -> Result<bool, Error> {
        match self.node.value {
            Value::Switch(on) => Ok(on),
            _ => Err(self.must_be("true or false")),
        }
    }

    /// Where it was written: a file and line, a flag, a variable.
    pub fn origin(&self) -> &'a str {
        &self.node.origin
    }

    /// The value as TOML, in one line.
    pub fn to_toml(&self) -> String {
        self.node.value.to_toml()
    }

    /// This value for `key` of another tree; errors name where it was written here.
    pub fn setting(&self, key: &str) -> Setting {
        Setting { path: vec![key.to_owned()], node: self.node.clone() }
    }

    pub fn is_text(&self) -> bool {
        matches!(self.node.value, Value::Text(_))
    }

    pub fn text(&self) -> Result<&'a str, Error> {
        match &self.node.value {
            Value::Text(text) => Ok(text),
            _ => Err(self.must_be("text in quotes")),
        }
    }

    /// One of a few words, each standing for a value. A whole number is a word too, as in `color = 256`.
    pub fn word<T: Copy>(&self, words: &[(&str, T)]) -> Result<T, Error> {
        let names: Vec<&str> = words.iter().map(|&(name, _)| name).collect();
        let text = match &self.node.value {
            Value::Text(text) => text.clone(),
            Value::Integer(i) => i.to_string(),
            _ => return Err(self.must_be(format_args!("one of {}", listed(&names)))),
        };
        words
            .iter()
            .find(|(name, _)| *name == text)
            .map(|&(_, value)| value)
            .ok_or_else(|| self.error(format_args!("is {text:?}; {}", advice(&text, &names))))
    }

    /// Exactly `N` numbers within `range`.
    pub fn numbers<const N: usize>(&self, range: RangeInclusive<f32>) -> Result<[f32; N], Error> {
        let items = match &self.node.value {
            Value::List(items) if items.len() == N => items,
            _ => return Err(self.must_be(format_args!("a list of {N} numbers"))),
        };
        let mut numbers = [0.0; N];
        for (number, node) in numbers.iter_mut().zip(items) {
            *number = Entry { node, path: self.path.clone() }.number(range.clone())?;
        }
        Ok(numbers)
    }

    /// The entries of a list of at most `most`.
    pub fn list(&self, most: usize) -> Result<Vec<Entry<'a>>, Error> {
        let Value::List(items) = &self.node.value else { return Err(self.must_be("a list")) };
        if items.len() > most {
            return Err(self.must_be(format_args!("a list of at most {most}")));
        }
        let entry = |(at, node)| Entry { node, path: format!("{}.{at}", self.path) };
        Ok(items.iter().enumerate().map(entry).collect())
    }

    /// The keys of a table.
    pub fn fields(&self) -> Result<Fields<'a>, Error> {
        let Value::Table(entries) = &self.node.value else { return Err(self.must_be("a table")) };
        Ok(Fields { at: self.clone(), entries, asked: Vec::new() })
    }
}

/// A table being read: it remembers which keys were asked for, so that [`Fields::done`] can name the others.
#[derive(Debug)]
pub struct Fields<'a> {
    at: Entry<'a>,
    entries: &'a [(String, Node)],
    asked: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    /// The value at `key`, if it was given.
    pub fn get(&mut self, key: &'static str) -> Option<Entry<'a>> {
        self.asked.push(key);
        let (_, node) = self.entries.iter().find(|(name, _)| name == key)?;
        Some(Entry { node, path: self.path_of(key) })
    }

    /// The value at `key`, which must be there.
    pub fn need(&mut self, key: &'static str) -> Result<Entry<'a>, Error> {
        let missing = Error::new(&self.at.node.origin, format!("`{}` is missing", self.path_of(key)));
        self.get(key).ok_or(missing)
    }

    /// The number at `key`, or `default`.
    pub fn number(&mut self, key: &'static str, range: RangeInclusive<f32>, default: f32) -> Result<f32, Error> {
        self.get(key).map_or(Ok(default), |entry| entry.number(range))
    }

    /// The whole number at `key`, or `default`.
    pub fn integer(&mut self, key: &'static str, range: RangeInclusive<i64>, default: i64) -> Result<i64, Error> {
        self.get(key).map_or(Ok(default), |entry| entry.integer(range))
    }

    /// The switch at `key`, or `default`.
    pub fn switch(&mut self, key: &'static str, default: bool) -> Result<bool, Error> {
        self.get(key).map_or(Ok(default), |entry| entry.switch())
    }

    /// The text at `key`, if it was given.
    pub fn text(&mut self, key: &'static str) -> Result<Option<&'a str>, Error> {
        self.get(key).map(|entry| entry.text()).transpose()
    }

    /// The word at `key`, or `default`.
    pub fn word<T: Copy>(&mut self, key: &'static str, words: &[(&str, T)], default: T) -> Result<T, Error> {
        self.get(key).map_or(Ok(default), |entry| entry.word(words))
    }

    /// The entries of the list at `key`; none if it was not given.
    pub fn list(&mut self, key: &'static str, most: usize) -> Result<Vec<Entry<'a>>, Error> {
        self.get(key).map_or(Ok(Vec::new()), |entry| entry.list(most))
    }

    /// An error about this table as a whole: `message` is a sentence of its own.
    pub fn error(&self, message: impl fmt::Display) -> Error {
        Error::new(&self.at.node.origin, message.to_string())
    }

    /// Refuses keys that nobody has asked for.
    pub fn done(self) -> Result<(), Error> {
        match self.entries.iter().find(|(key, _)| !self.asked.contains(&key.as_str())) {
            None => Ok(()),
            Some((key, node)) => {
                let path = self.path_of(key);
                Err(Error::new(&node.origin, format!("`{path}` is no known key; {}", advice(key, &self.asked))))
            }
        }
    }

    fn path_of(&self, key: &str) -> String {
        if self.at.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.at.path) }
    }
}

/// What to do about a name that is none of `choices`: the nearest, if one is near, and all of them.
pub fn advice(name: &str, choices: &[&str]) -> String {
    let all = listed(choices);
    match nearest(name, choices) {
        Some(near) => format!("did you mean {near}? Choices: {all}"),
        None => format!("choices: {all}"),
    }
}

/// The choice that `name` was most likely meant to be.
pub fn nearest<'a>(name: &str, choices: &[&'a str]) -> Option<&'a str> {
    let name = name.to_lowercase();
    choices
        .iter()
        .map(|&choice| (strsim::jaro_winkler(&name, choice), choice))
        .filter(|&(likeness, _)| likeness > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, choice)| choice)
}

fn listed(choices: &[&str]) -> String {
    choices.join(", ")
}
