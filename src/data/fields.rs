//! Reads values from a tree, by key and range.

use crate::data::{DataError, Node, Setting, Value};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;

impl Node {
    pub fn fields(&self) -> Result<Fields<'_>, DataError> {
        Entry { node: self, path: String::new() }.fields()
    }
}

/// A node that is being read, with its key path.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    node: &'a Node,
    path: String,
}

impl<'a> Entry<'a> {
    pub fn error(&self, message: impl fmt::Display) -> DataError {
        DataError::new(&self.node.origin, format!("`{}` {message}", self.path))
    }

    fn must_be(&self, what: impl fmt::Display) -> DataError {
        self.error(format_args!("must be {what}, not {}", self.node.value.describe()))
    }

    pub fn number(&self, range: RangeInclusive<f32>) -> Result<f32, DataError> {
        let number = match self.node.value {
            Value::Integer(i) => i as f32,
            Value::Number(x) => x as f32,
            _ => f32::NAN,
        };
        // NaN is outside every range.
        if range.contains(&number) {
            return Ok(number);
        }
        Err(self.must_be(format_args!("a number from {} to {}", range.start(), range.end())))
    }

    pub fn integer(&self, range: RangeInclusive<i64>) -> Result<i64, DataError> {
        match self.node.value {
            Value::Integer(i) if range.contains(&i) => Ok(i),
            _ => Err(self.must_be(format_args!("a whole number from {} to {}", range.start(), range.end()))),
        }
    }

    pub fn switch(&self) -> Result<bool, DataError> {
        match self.node.value {
            Value::Switch(on) => Ok(on),
            _ => Err(self.must_be("true or false")),
        }
    }

    /// Where the value was written: a file and line, a flag, or a variable.
    pub fn origin(&self) -> String {
        self.node.origin.to_string()
    }

    /// The value as TOML, in one line.
    pub fn to_toml(&self) -> String {
        self.node.value.to_toml()
    }

    /// A setting of this value for `key` of another tree. Errors name the origin of the value.
    pub fn setting(&self, key: &str) -> Setting {
        Setting::from_node(key, self.node.clone())
    }

    pub fn is_table(&self) -> bool {
        matches!(self.node.value, Value::Table(_))
    }

    pub fn text(&self) -> Result<&'a str, DataError> {
        match &self.node.value {
            Value::Text(text) => Ok(text),
            _ => Err(self.must_be("text in quotes")),
        }
    }

    /// Reads a table of texts with any keys.
    pub fn texts(&self) -> Result<BTreeMap<String, String>, DataError> {
        let Value::Table(entries) = &self.node.value else { return Err(self.must_be("a table")) };
        let text = |(key, node): &(String, Node)| {
            let entry = Entry { node, path: format!("{}.{key}", self.path) };
            Ok((key.clone(), entry.text()?.to_owned()))
        };
        entries.iter().map(text).collect()
    }

    /// Reads one of a few words, each for a value; an integer is a word too, as in `color = 256`. An error lists them.
    pub fn word<T: Copy>(&self, words: &[(&str, T)]) -> Result<T, DataError> {
        let names: Vec<&str> = words.iter().map(|&(name, _)| name).collect();
        let text = match &self.node.value {
            Value::Text(text) => text.clone(),
            Value::Integer(i) => i.to_string(),
            _ if names.join(", ").len() > MAX_LIST => return Err(self.must_be("a name; `slosh list` shows all")),
            _ => return Err(self.must_be(format_args!("one of {}", names.join(", ")))),
        };
        words
            .iter()
            .find(|(name, _)| *name == text)
            .map(|&(_, value)| value)
            .ok_or_else(|| self.error(format_args!("is {text:?}; {}", advice_of_many(&text, &names, "slosh list"))))
    }

    /// As [`Entry::word`], of values that have names.
    pub fn one_of<T: Copy, const N: usize>(&self, all: [T; N], name: fn(T) -> &'static str) -> Result<T, DataError> {
        self.word(&all.map(|it| (name(it), it)))
    }

    /// Reads exactly `N` numbers within `range`.
    pub fn numbers<const N: usize>(&self, range: RangeInclusive<f32>) -> Result<[f32; N], DataError> {
        let mut numbers = [0.0; N];
        self.numbers_into(numbers.iter_mut().map(|number| (number, range.clone())))?;
        Ok(numbers)
    }

    /// Reads exactly as many numbers as there are places for them, each within its range.
    pub fn numbers_into<'b>(
        &self,
        places: impl ExactSizeIterator<Item = (&'b mut f32, RangeInclusive<f32>)>,
    ) -> Result<(), DataError> {
        let items = match &self.node.value {
            Value::List(items) if items.len() == places.len() => items,
            _ => return Err(self.must_be(format_args!("a list of {} numbers", places.len()))),
        };
        for ((place, range), node) in places.zip(items) {
            *place = Entry { node, path: self.path.clone() }.number(range)?;
        }
        Ok(())
    }

    pub fn list(&self, max: usize) -> Result<Vec<Entry<'a>>, DataError> {
        let Value::List(items) = &self.node.value else { return Err(self.must_be("a list")) };
        if items.len() > max {
            return Err(self.must_be(format_args!("a list of at most {max}")));
        }
        let entry = |(at, node)| Entry { node, path: format!("{}.{at}", self.path) };
        Ok(items.iter().enumerate().map(entry).collect())
    }

    /// The entries of a list, or a text alone.
    pub fn one_or_list(&self, max: usize) -> Result<Vec<Entry<'a>>, DataError> {
        if self.text().is_ok() { Ok(vec![self.clone()]) } else { self.list(max) }
    }

    /// Reads a list of at most `max` points, each of exactly `N` numbers within `range`.
    pub fn points<const N: usize>(&self, max: usize, range: RangeInclusive<f32>) -> Result<Vec<[f32; N]>, DataError> {
        self.list(max)?.iter().map(|point| point.numbers(range.clone())).collect()
    }

    /// Reads a table with `read`, which gets every key.
    pub fn table<T>(&self, read: impl FnOnce(&mut Fields<'a>) -> Result<T, DataError>) -> Result<T, DataError> {
        let mut fields = self.fields()?;
        let value = read(&mut fields)?;
        fields.done()?;
        Ok(value)
    }

    pub fn fields(&self) -> Result<Fields<'a>, DataError> {
        let Value::Table(entries) = &self.node.value else { return Err(self.must_be("a table")) };
        Ok(Fields { at: self.clone(), entries, asked: Vec::new() })
    }
}

/// A table that is being read. It stores the keys that were read, so that [`Fields::done`] can report the others.
#[derive(Debug)]
pub struct Fields<'a> {
    at: Entry<'a>,
    entries: &'a [(String, Node)],
    asked: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    pub fn get(&mut self, key: &'static str) -> Option<Entry<'a>> {
        // Some keys are read twice, and listed once.
        if !self.asked.contains(&key) {
            self.asked.push(key);
        }
        let (_, node) = self.entries.iter().find(|(name, _)| name == key)?;
        Some(Entry { node, path: self.path_of(key) })
    }

    pub fn need(&mut self, key: &'static str) -> Result<Entry<'a>, DataError> {
        let missing = DataError::new(&self.at.node.origin, format!("`{}` is missing", self.path_of(key)));
        self.get(key).ok_or(missing)
    }

    pub fn number(&mut self, key: &'static str, range: RangeInclusive<f32>, default: f32) -> Result<f32, DataError> {
        self.get(key).map_or(Ok(default), |entry| entry.number(range))
    }

    pub fn optional(&mut self, key: &'static str, range: RangeInclusive<f32>) -> Result<Option<f32>, DataError> {
        self.get(key).map(|entry| entry.number(range)).transpose()
    }

    pub fn table<T>(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&mut Fields<'a>) -> Result<T, DataError>,
    ) -> Result<Option<T>, DataError> {
        self.get(key).map(|entry| entry.table(read)).transpose()
    }

    pub fn tables<T>(
        &mut self,
        key: &'static str,
        max: usize,
        read: impl Fn(&mut Fields<'a>) -> Result<T, DataError>,
    ) -> Result<Vec<T>, DataError> {
        self.list(key, max)?.iter().map(|entry| entry.table(&read)).collect()
    }

    pub fn integer(&mut self, key: &'static str, range: RangeInclusive<i64>, default: i64) -> Result<i64, DataError> {
        self.get(key).map_or(Ok(default), |entry| entry.integer(range))
    }

    pub fn switch(&mut self, key: &'static str, default: bool) -> Result<bool, DataError> {
        self.get(key).map_or(Ok(default), |entry| entry.switch())
    }

    pub fn text(&mut self, key: &'static str) -> Result<Option<&'a str>, DataError> {
        self.get(key).map(|entry| entry.text()).transpose()
    }

    pub fn one_of<T: Copy, const N: usize>(
        &mut self,
        key: &'static str,
        all: [T; N],
        name: fn(T) -> &'static str,
        default: T,
    ) -> Result<T, DataError> {
        self.get(key).map_or(Ok(default), |entry| entry.one_of(all, name))
    }

    /// Returns the entries of the list at `key`; none if it was not given.
    pub fn list(&mut self, key: &'static str, max: usize) -> Result<Vec<Entry<'a>>, DataError> {
        self.get(key).map_or(Ok(Vec::new()), |entry| entry.list(max))
    }

    /// An error about this table as a whole. `message` is a complete sentence.
    pub fn error(&self, message: impl fmt::Display) -> DataError {
        DataError::new(&self.at.node.origin, message.to_string())
    }

    /// Rejects unknown keys. The error names the first, and the nearest known key.
    pub fn done(&self) -> Result<(), DataError> {
        match self.entries.iter().find(|(key, _)| !self.asked.contains(&key.as_str())) {
            None => Ok(()),
            Some((key, node)) => {
                let path = self.path_of(key);
                let message = format!("`{path}` is an unknown key; {}", advice(key, &self.asked));
                Err(DataError { known_keys: self.asked.clone(), ..DataError::new(&node.origin, message) })
            }
        }
    }

    fn path_of(&self, key: &str) -> String {
        if self.at.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.at.path) }
    }
}

/// The most characters of a list of choices that an error writes out.
const MAX_LIST: usize = 100;

/// Advice about a name that is none of `choices`: all of a few, with the nearest, or the three nearest of many.
pub fn advice(name: &str, choices: &[&str]) -> String {
    advice_of_many(name, choices, "")
}

/// As [`advice`], with the command that lists all of many choices.
pub fn advice_of_many(name: &str, choices: &[&str], command: &str) -> String {
    let all = choices.join(", ");
    if all.len() <= MAX_LIST {
        return match nearest(name, choices) {
            Some(near) => format!("did you mean {near}? Choices: {all}"),
            None => format!("choices: {all}"),
        };
    }
    did_you_mean(&alike(name, choices), command)
}

/// Advice by the first three of many choices.
pub fn did_you_mean(near: &[&str], command: &str) -> String {
    let advice = match near {
        [a, b, c, ..] => format!("did you mean {a}, {b} or {c}?"),
        _ => "there are many others;".to_owned(),
    };
    if command.is_empty() { advice } else { format!("{advice} `{command}` shows all") }
}

/// The choices by their likeness to a name, the nearest first; none for a name of great length.
pub fn alike<'a>(name: &str, choices: &[&'a str]) -> Vec<&'a str> {
    by_likeness(name, choices, edit_likeness).into_iter().map(|(_, choice)| choice).collect()
}

/// Likeness by the number of edits, or because one begins with the other. Jaro's measure finds "oil" near to "hourglas".
fn edit_likeness(name: &str, choice: &str) -> f64 {
    let begins = name.len() > 2 && choice.starts_with(name) || choice.len() > 2 && name.starts_with(choice);
    strsim::normalized_damerau_levenshtein(name, choice).max(if begins { 0.7 } else { 0.0 })
}

/// The choice of which `name` is a slip of the keyboard: one edit in four letters.
pub fn mistyped<'a>(name: &str, choices: &[&'a str]) -> Option<&'a str> {
    let ranked = by_likeness(name, choices, strsim::normalized_damerau_levenshtein);
    ranked.first().filter(|&&(likeness, _)| likeness >= 0.75).map(|&(_, choice)| choice)
}

pub fn nearest<'a>(name: &str, choices: &[&'a str]) -> Option<&'a str> {
    let ranked = by_likeness(name, choices, strsim::jaro_winkler);
    ranked.first().filter(|&&(likeness, _)| likeness > 0.75).map(|&(_, choice)| choice)
}

fn by_likeness<'a>(name: &str, choices: &[&'a str], measure: fn(&str, &str) -> f64) -> Vec<(f64, &'a str)> {
    // A name of this length is near to none of them, and comparing it with each would take seconds.
    if name.len() > 100 {
        return Vec::new();
    }
    let name = name.to_lowercase();
    let mut ranked: Vec<_> = choices.iter().map(|&choice| (measure(&name, choice), choice)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    ranked
}
