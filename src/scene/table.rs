//! A table of numbers in a scene file, as the reader, the settings, the share codes and the panel see it.

use crate::data::{DataError, Fields};
use crate::sim::definition::WorldDef;
use crate::sim::parameters::{Number, Numbers};

/// Added to the rank of the numbers of further bodies or dyes, so that those of the first one come first.
pub const OTHERS: u8 = 20;

#[derive(Debug)]
pub struct Table {
    /// Its path in a scene file, such as `smoke.dye`; empty for the scene itself.
    pub path: &'static str,
    pub is_list: bool,
    /// The numbers of the table with this index, if the scene has it.
    pub numbers: fn(&mut WorldDef, usize) -> Option<Vec<Number<'_>>>,
    /// Whether the number at this key has an effect in the world as it is now.
    pub is_effective: fn(&WorldDef, &str) -> bool,
    /// Whether a setting may give this key without the table's name.
    pub takes_bare: fn(&str) -> bool,
    pub is_computable: fn(&WorldDef) -> bool,
    /// Offset that is added to the rank of the table's numbers in the panel.
    pub rank_offset: fn(&WorldDef) -> u8,
    /// One setting for all numbers together, for a scene whose file has no such table.
    pub whole: fn(&WorldDef) -> Option<String>,
}

impl Table {
    /// A single table whose numbers always have an effect.
    pub const fn new(path: &'static str, numbers: fn(&mut WorldDef, usize) -> Option<Vec<Number<'_>>>) -> Self {
        Self {
            path,
            is_list: false,
            numbers,
            is_effective: |_, _| true,
            takes_bare: |_| false,
            is_computable: |_| true,
            rank_offset: |_| 0,
            whole: |_| None,
        }
    }
}

/// The numbers that are not in the table keep their values.
pub fn read_numbers(fields: &mut Fields, into: &mut impl Numbers) -> Result<(), DataError> {
    let mut numbers = into.numbers();
    for components in numbers.chunk_by_mut(|a, b| a.vector().is_some() && a.vector() == b.vector()) {
        let key = components[0].vector().unwrap_or(components[0].key);
        let Some(entry) = fields.get(key) else { continue };
        if components[0].vector().is_some() {
            entry.numbers_into(components.iter_mut().map(|number| (&mut *number.value, number.range.clone())))?;
        } else {
            *components[0].value = entry.number(components[0].range.clone())?;
        }
    }
    Ok(())
}

pub fn numbers_only<T: Numbers + Default>(fields: &mut Fields) -> Result<T, DataError> {
    let mut value = T::default();
    read_numbers(fields, &mut value)?;
    Ok(value)
}

pub fn has_number<T: Numbers + Default>(key: &str) -> bool {
    T::default().numbers().iter().any(|number| number.key == key)
}
