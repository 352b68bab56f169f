//! The numbers of a scene, declared once for the reader of scene files, the settings, the share codes and the panel.

use crate::data::{DataError, Fields};
use crate::sim::definition::WorldDef;
use std::fmt;
use std::ops::RangeInclusive;

/// A number of a table: key, range, field, and text in the panel.
pub struct NumberField<T> {
    pub key: &'static str,
    pub range: RangeInclusive<f32>,
    pub value: fn(&mut T) -> &mut f32,
    pub words: Words,
}

/// The text of a number in the panel.
#[derive(Clone, Copy, Debug)]
pub struct Words {
    /// Rank among the numbers of a scene: the panel shows those of low rank first, and the others on request.
    pub rank: u8,
    /// Its name.
    pub label: &'static str,
    /// Its effect.
    pub about: &'static str,
}

pub const fn number<T>(
    key: &'static str,
    range: RangeInclusive<f32>,
    value: fn(&mut T) -> &mut f32,
    words: Words,
) -> NumberField<T> {
    NumberField { key, range, value, words }
}

pub const fn words(rank: u8, label: &'static str, about: &'static str) -> Words {
    Words { rank, label, about }
}

/// The components of a wind, to the right, up, and towards the viewer: keys, labels and descriptions.
const WIND: [(&str, &str, &str); 3] = [
    ("wind right", "wind sideways", "How fast the wind blows to the right"),
    ("wind up", "wind upwards", "How fast the wind blows up"),
    ("wind towards", "wind forwards", "How fast the wind blows towards you"),
];

/// The component of a wind along an axis. A scene file has them as one list, `wind`; the panel shows each component.
pub const fn wind<T>(
    axis: usize,
    range: RangeInclusive<f32>,
    value: fn(&mut T) -> &mut f32,
    rank: u8,
) -> NumberField<T> {
    let (key, label, about) = WIND[axis];
    number(key, range, value, words(rank, label, about))
}

/// Reads the numbers that are in the table; the others keep their values.
pub fn read_numbers<T>(
    fields: &mut Fields,
    numbers: impl IntoIterator<Item = NumberField<T>>,
    of: &mut T,
) -> Result<(), DataError> {
    for NumberField { key, range, value, .. } in numbers {
        let value = value(of);
        *value = fields.number(key, range, *value)?;
    }
    Ok(())
}

/// Whether one of the numbers has this key.
pub fn has_number<T>(parameters: &[NumberField<T>], key: &str) -> bool {
    parameters.iter().any(|number| number.key == key)
}

/// The numbers of one table of a scene, such as `[smoke]`, or of each table of a list, such as `[[body]]`. A matter
/// declares one for each of its tables, and lists it in `parameters::TABLES`.
pub struct NumberTable<T: 'static> {
    /// The part that does not depend on the type of the table.
    pub info: TableInfo,
    /// Its numbers.
    pub numbers: &'static [&'static [NumberField<T>]],
    /// Returns the table with this index, if the scene has it.
    pub table: fn(&mut WorldDef, usize) -> Option<&mut T>,
}

/// The part of a [`NumberTable`] that does not depend on the type of the table.
pub struct TableInfo {
    /// Its path in a scene file, such as `smoke.dye`; empty for the scene itself.
    pub path: &'static str,
    /// The number of such tables in a scene.
    pub count: TableCount,
    /// Whether the number at this key has an effect in the world as it is now.
    pub is_effective: fn(&WorldDef, &str) -> bool,
    /// Whether a setting may give this key without the table's name.
    pub takes_bare: fn(&str) -> bool,
    /// Whether the program can compute the scene after a number was changed.
    pub is_computable: fn(&WorldDef) -> bool,
    /// Offset that is added to the rank of the table's numbers in the panel.
    pub rank_offset: fn(&WorldDef) -> u8,
    /// One setting for all numbers together, for a scene whose file has no such table.
    pub whole: fn(&WorldDef) -> Option<String>,
}

/// The number of tables at one path of a scene.
#[derive(Clone, Copy, Debug)]
pub enum TableCount {
    /// One or none.
    One(fn(&WorldDef) -> bool),
    /// A list.
    List(fn(&WorldDef) -> usize),
}

impl TableInfo {
    /// A table whose numbers always have an effect; the other fields have the values that most tables need.
    pub const fn new(path: &'static str, count: TableCount) -> Self {
        Self {
            path,
            count,
            is_effective: |_, _| true,
            takes_bare: |_| false,
            is_computable: |_| true,
            rank_offset: |_| 0,
            whole: |_| None,
        }
    }
}

/// A [`NumberTable`] of any type.
pub trait Numbers: Sync {
    /// See [`NumberTable::info`].
    fn info(&self) -> &TableInfo;
    /// Keys, ranges and texts of its numbers.
    fn describe(&self) -> Vec<(&'static str, RangeInclusive<f32>, Words)>;
    /// Returns a number of the table with the index `table`, if the scene has it.
    fn value<'a>(&self, world: &'a mut WorldDef, table: usize, number: usize) -> Option<&'a mut f32>;
}

impl<T> Numbers for NumberTable<T> {
    fn info(&self) -> &TableInfo {
        &self.info
    }

    fn describe(&self) -> Vec<(&'static str, RangeInclusive<f32>, Words)> {
        self.numbers.iter().copied().flatten().map(|field| (field.key, field.range.clone(), field.words)).collect()
    }

    fn value<'a>(&self, world: &'a mut WorldDef, table: usize, number: usize) -> Option<&'a mut f32> {
        let field = self.numbers.iter().copied().flatten().nth(number)?;
        (self.table)(world, table).map(field.value)
    }
}

impl fmt::Debug for dyn Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}]", self.info().path)
    }
}
