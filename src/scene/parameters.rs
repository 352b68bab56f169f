//! The numbers of a scene that can be changed during a run.

use crate::scene::table::{OTHERS, Table};
use crate::scene::{body, cloth, fluid, piston, smoke, sph};
use crate::sim::World;
use crate::sim::definition::WorldDef;
use crate::sim::parameters::{Number, Numbers};
use std::borrow::Cow;
use std::ops::RangeInclusive;

/// A parameter: its key, its range, and its field.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The key in its table. For a list of tables, the list and the index come first: `dye.0.buoyancy`.
    pub key: Cow<'static, str>,
    /// The range of values.
    pub range: RangeInclusive<f32>,
    /// The label in the panel. For a list of tables, the list comes first, with the index if there are several tables; for air and
    /// cloth their name, if another number of the scene has the same label.
    pub label: Cow<'static, str>,
    /// Its effect, in one line.
    pub about: &'static str,
    rank: u8,
    table: &'static Table,
    /// Index of its table in a list of tables, and its own among the numbers of the table.
    index: usize,
    number: usize,
}

/// All tables with numbers, in the order of the panel. A key without a table belongs to the first that has it.
pub(super) static TABLES: [&Table; 10] = [
    &GRAVITY,
    &METABALLS,
    &smoke::TABLE,
    &smoke::DYE_TABLE,
    &cloth::TABLE,
    &sph::TABLE,
    &fluid::TABLE,
    &body::TABLE,
    &piston::TABLE,
    &piston::INLET_TABLE,
];

static GRAVITY: Table = Table {
    is_effective: |world, key| {
        if key == "pointer_strength" {
            return world.labels.contains_key(key);
        }
        let liquid = world.has_liquid() || world.sph.is_some();
        let others = liquid || world.cloth.is_some() || !world.body.is_empty();
        others
            || world.has_heat()
            || world.smoke.as_ref().is_none_or(|smoke| smoke.dye.iter().any(|dye| dye.buoyancy != 0.0))
    },
    ..Table::new("", |world, _| Some(world.numbers()))
};

/// Only where the scene names them: elsewhere the picture's usual metaballs are what one wants.
static METABALLS: Table = Table {
    is_effective: |world, key| world.labels.contains_key(key),
    ..Table::new("metaballs", |world, _| (world.has_liquid() || world.sph.is_some()).then(|| world.metaballs.numbers()))
};

/// Number of parameters that the panel shows first.
const MAIN: usize = 5;

/// Returns the numbers that have an effect in the world now, and the one at `key`. A lid moves nothing at a free-slip ceiling.
pub fn active(world: &WorldDef, key: &str) -> Vec<Parameter> {
    let is_effective = |parameter: &Parameter| (parameter.table.is_effective)(world, parameter.own_key());
    all(world).into_iter().filter(|parameter| parameter.key == key || is_effective(parameter)).collect()
}

/// Sorts the parameters by rank, and returns the number of those that the panel shows first.
pub fn main_first(parameters: &mut [Parameter]) -> usize {
    parameters.sort_by_key(|parameter| parameter.rank);
    MAIN.max(parameters.iter().filter(|parameter| parameter.rank == 0).count()).min(parameters.len())
}

/// Changes one number of a running world.
pub fn set(world: &mut World, parameter: &Parameter, to: f32) {
    world.edit_parameters(|definition| parameter.set_value(definition, to));
}

/// Returns all numbers of a scene.
pub fn all(world: &WorldDef) -> Vec<Parameter> {
    let mut parameters = Vec::new();
    let mut scene = world.clone();
    for table in TABLES {
        let offset = (table.rank_offset)(world);
        let max_count = if table.is_list { usize::MAX } else { 1 };
        let count = (0..max_count).take_while(|&index| (table.numbers)(&mut scene, index).is_some()).count();
        for index in 0..count {
            let numbers = (table.numbers)(&mut scene, index).unwrap_or_default();
            for (number, Number { key, range, text, .. }) in numbers.into_iter().enumerate() {
                let Some(text) = text else { continue };
                let (key, label) = if table.is_list {
                    let list = table.path.rsplit('.').next().unwrap_or_default();
                    let name = if count == 1 { list.to_owned() } else { format!("{list} {index}") };
                    (format!("{list}.{index}.{key}").into(), format!("{name}: {}", text.label).into())
                } else {
                    (key.into(), text.label.into())
                };
                let rank = text.rank.saturating_add(offset + if index == 0 { 0 } else { OTHERS });
                let key: Cow<str> = key;
                // What the scene names itself comes first.
                let (label, rank) = match world.labels.get(&*key) {
                    Some(own) => (own.clone().into(), 0),
                    None => (label, rank),
                };
                parameters.push(Parameter { key, range, label, about: text.about, rank, table, index, number });
            }
        }
    }
    name_twins(&mut parameters);
    parameters
}

/// The air and the cloth of a tank with liquid have some numbers of the same name.
fn name_twins(parameters: &mut [Parameter]) {
    let labels: Vec<_> = parameters.iter().map(|parameter| parameter.label.clone()).collect();
    let is_twin = |label: &str| labels.iter().filter(|other| *other == label).count() > 1;
    for parameter in parameters.iter_mut().filter(|parameter| is_twin(&parameter.label)) {
        let matter = match parameter.table.path {
            "smoke" => "air",
            "cloth" => "cloth",
            _ => continue,
        };
        parameter.label = format!("{matter}: {}", parameter.label).into();
    }
}

impl Parameter {
    /// Returns the value in a scene; 0 if the scene does not have it.
    pub fn value(&self, world: &WorldDef) -> f32 {
        let mut world = world.clone();
        self.within(&mut world).map_or(0.0, |value| *value)
    }

    /// Clamped to the range. Restores the value if the program could not compute the scene then.
    pub fn set_value(&self, world: &mut WorldDef, to: f32) {
        let Some(value) = self.within(world).filter(|_| to.is_finite()) else { return };
        let before = std::mem::replace(value, to.clamp(*self.range.start(), *self.range.end()));
        if !(self.table.is_computable)(world)
            && let Some(value) = self.within(world)
        {
            *value = before;
        }
    }

    /// Returns the setting that gives another scene this scene's value: `KEY=VALUE`, as for `--set`.
    pub fn setting(&self, world: &WorldDef) -> String {
        if let Some(setting) = (self.table.whole)(world) {
            return setting;
        }
        let path = match self.table {
            Table { path: "", .. } => String::new(),
            Table { path, is_list: true, .. } => format!("{path}.{}.", self.index),
            Table { path, .. } => format!("{path}."),
        };
        let mut world = world.clone();
        let numbers = (self.table.numbers)(&mut world, self.index).unwrap_or_default();
        // A vector is one setting for all of its components.
        match numbers.get(self.number).and_then(Number::vector) {
            None => {
                let value = numbers.get(self.number).map_or(0.0, |number| *number.value);
                format!("{path}{}={value}", self.own_key())
            }
            Some(vector) => {
                let components = numbers.iter().filter(|number| number.vector() == Some(vector));
                format!("{path}{vector}={:?}", components.map(|number| *number.value).collect::<Vec<f32>>())
            }
        }
    }

    fn own_key(&self) -> &str {
        self.key.rsplit('.').next().unwrap_or_default()
    }

    fn within<'a>(&self, world: &'a mut WorldDef) -> Option<&'a mut f32> {
        (self.table.numbers)(world, self.index)?.into_iter().nth(self.number).map(|number| number.value)
    }
}
