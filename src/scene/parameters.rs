//! The numbers of a scene that can be changed during a run.

use crate::scene::numbers::{NumberTable, Numbers, TableCount, TableInfo, Words, number, words};
use crate::scene::{body, cloth, fluid, smoke, sph};
use crate::sim::World;
use crate::sim::definition::WorldDef;
use std::borrow::Cow;
use std::ops::RangeInclusive;

/// A parameter: its key, its range, and its field.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The key in its table. For a list of tables, the list and the index come first: `dye.0.buoyancy`.
    pub key: Cow<'static, str>,
    /// The range of values.
    pub range: RangeInclusive<f32>,
    /// The label in the panel. For a list of tables, the list comes first, with the index if there are several tables.
    pub label: Cow<'static, str>,
    /// Its effect, in one line.
    pub about: &'static str,
    rank: u8,
    numbers: &'static dyn Numbers,
    table: usize,
    number: usize,
}

/// All tables with numbers, in the order of the panel. If a key without a table could belong to several, the first one
/// is meant.
pub static TABLES: [&dyn Numbers; 7] =
    [&GRAVITY, &smoke::TABLE, &smoke::DYE_TABLE, &cloth::TABLE, &sph::TABLE, &fluid::TABLE, &body::TABLE];

static GRAVITY: NumberTable<WorldDef> = NumberTable {
    info: TableInfo {
        is_effective: |world, _| {
            let liquid = world.has_liquid() || world.sph.is_some();
            let others = liquid || world.cloth.is_some() || !world.body.is_empty();
            others || world.has_heat() || world.smoke.as_ref().is_none_or(smoke::has_weight)
        },
        ..TableInfo::new("", TableCount::One(|_| true))
    },
    numbers: &[&[number(
        "gravity",
        0.0..=1000.0,
        |world: &mut WorldDef| &mut world.gravity,
        words(2, "gravity", "Gravitational acceleration, m/s²: 9.81 on earth, 1.6 on the moon"),
    )]],
    table: |world, _| Some(world),
};

/// Offset that is added to the rank of the numbers of further bodies or dyes, so that the panel shows those of the
/// first one first.
pub const OTHERS: u8 = 20;

/// Number of parameters that the panel shows first.
const MAIN: usize = 5;

/// Returns the numbers that have an effect in the world as it is now. A lid, for example, moves nothing at a free-slip
/// ceiling.
pub fn active(world: &WorldDef) -> Vec<Parameter> {
    active_and(world, "")
}

/// Returns the same numbers, and the one at `key` even if it has no effect now.
pub fn active_and(world: &WorldDef, key: &str) -> Vec<Parameter> {
    all(world).into_iter().filter(|parameter| parameter.key == key || parameter.is_effective(world)).collect()
}

/// Sorts the parameters by rank, and returns the number of those that the panel shows first.
pub fn main_first(parameters: &mut [Parameter]) -> usize {
    parameters.sort_by_key(|parameter| parameter.rank);
    MAIN.min(parameters.len())
}

/// Changes one number of a running world.
pub fn set(world: &mut World, parameter: &Parameter, to: f32) {
    world.edit_parameters(|definition| parameter.set_value(definition, to));
}

/// Returns all numbers of a scene.
pub fn all(world: &WorldDef) -> Vec<Parameter> {
    let mut parameters = Vec::new();
    for numbers in TABLES {
        let (count, list) = match numbers.info().count {
            TableCount::One(exists) => (usize::from(exists(world)), None),
            TableCount::List(count) => (count(world), numbers.info().path.rsplit('.').next()),
        };
        let offset = (numbers.info().rank_offset)(world);
        for table in 0..count {
            for (number, (key, range, Words { rank, label, about })) in numbers.describe().into_iter().enumerate() {
                let (key, label) = match list {
                    None => (key.into(), label.into()),
                    Some(list) => {
                        let name = if count == 1 { list.to_owned() } else { format!("{list} {table}") };
                        (format!("{list}.{table}.{key}").into(), format!("{name}: {label}").into())
                    }
                };
                let rank = rank.saturating_add(offset + if table == 0 { 0 } else { OTHERS });
                parameters.push(Parameter { key, range, label, about, rank, numbers, table, number });
            }
        }
    }
    parameters
}

impl Parameter {
    /// Returns the value in a scene; 0 if the scene does not have it.
    pub fn value(&self, world: &WorldDef) -> f32 {
        let mut world = world.clone();
        self.within(&mut world).map_or(0.0, |value| *value)
    }

    /// Changes the value, clamped to its range. Restores it if the program could not compute the scene then.
    pub fn set_value(&self, world: &mut WorldDef, to: f32) {
        let Some(value) = self.within(world).filter(|_| to.is_finite()) else { return };
        let before = std::mem::replace(value, to.clamp(*self.range.start(), *self.range.end()));
        if !(self.numbers.info().is_computable)(world)
            && let Some(value) = self.within(world)
        {
            *value = before;
        }
    }

    /// Returns the setting that gives another scene this scene's value: `KEY=VALUE`, as for `--set`.
    pub fn setting(&self, world: &WorldDef) -> String {
        if let Some(setting) = (self.numbers.info().whole)(world) {
            return setting;
        }
        let path = match (self.numbers.info().path, self.numbers.info().count) {
            ("", _) => String::new(),
            (path, TableCount::One(_)) => format!("{path}."),
            (path, TableCount::List(_)) => format!("{path}.{}.", self.table),
        };
        // A vector is one setting for all of its components.
        match self.own_key().split_once(' ') {
            None => format!("{path}{}={}", self.own_key(), self.value(world)),
            Some((vector, _)) => {
                let is_part = |key: &str| key.split_once(' ').is_some_and(|(of, _)| of == vector);
                let keys = self.numbers.describe().into_iter().map(|(key, ..)| key).enumerate();
                let parts = keys.filter(|(_, key)| is_part(key)).map(|(number, _)| Self { number, ..self.clone() });
                format!("{path}{vector}={:?}", parts.map(|part| part.value(world)).collect::<Vec<_>>())
            }
        }
    }

    /// The key in its own table.
    fn own_key(&self) -> &str {
        self.key.rsplit('.').next().unwrap_or_default()
    }

    fn is_effective(&self, world: &WorldDef) -> bool {
        (self.numbers.info().is_effective)(world, self.own_key())
    }

    fn within<'a>(&self, world: &'a mut WorldDef) -> Option<&'a mut f32> {
        self.numbers.value(world, self.table, self.number)
    }
}
