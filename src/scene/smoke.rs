//! The `[smoke]` table of a scene: what a grid is filled with.

use crate::data::{DataError, Fields};
use crate::scene::numbers::{NumberField, NumberTable, TableCount, TableInfo, number, read_numbers, wind, words};
use crate::scene::read::{color, each, region};
use crate::sim::definition::WorldDef;
use crate::sim::grid_fluid::{Dye, GridFluidDef, InitialDye, MAX_CELLS, MIN_CELLS, Side, Sides, Source};
use crate::sim::heat::TEMPERATURES;
use std::ops::RangeInclusive;

/// The keys of `[smoke]` that a setting may give without the table's name.
const BARE_KEYS: [&str; 11] = [
    "cells",
    "viscosity",
    "diffusion",
    "vorticity_confinement",
    "wind",
    "lid_speed",
    "taylor_green_speed",
    "left",
    "right",
    "floor",
    "ceiling",
];

const SIDES: [(&str, Side); 5] = [
    ("no-slip", Side::NoSlip),
    ("free-slip", Side::FreeSlip),
    ("inflow", Side::Inflow),
    ("outflow", Side::Outflow),
    ("periodic", Side::Periodic),
];

/// Range of velocities, m/s.
const SPEEDS: RangeInclusive<f32> = -20.0..=20.0;

/// The numbers of `[smoke]` that may change during a run; see [`GridFluidDef`] for their meaning.
const NUMBERS: [NumberField<GridFluidDef>; 7] = [
    number(
        "viscosity",
        0.0..=10.0,
        |definition| &mut definition.viscosity,
        words(2, "thickness", "How slowly it flows: low values curl, high values creep"),
    ),
    number(
        "diffusion",
        0.0..=10.0,
        |definition| &mut definition.diffusion,
        words(3, "spreading", "How quickly its edges blur"),
    ),
    number(
        "vorticity_confinement",
        0.0..=20.0,
        |definition| &mut definition.vorticity_confinement,
        words(1, "swirl", "How much small eddies are strengthened"),
    ),
    number(
        "lid_speed",
        SPEEDS,
        |definition| &mut definition.lid_speed,
        words(3, "lid speed", "The speed of the ceiling, which drags the fluid along"),
    ),
    number(
        "conductivity",
        0.0..=10.0,
        |definition| &mut definition.conductivity,
        words(5, "heat conduction", "How quickly heat spreads through it"),
    ),
    number(
        "heat_capacity",
        100.0..=20_000.0,
        |definition| &mut definition.heat_capacity,
        words(9, "heat capacity", "How much heat warms it by one degree"),
    ),
    number(
        "expansion",
        -0.01..=0.1,
        |definition| &mut definition.expansion,
        words(4, "expansion", "How much it expands when it warms, so that it rises"),
    ),
];

/// The numbers of `[smoke]`.
pub static TABLE: NumberTable<GridFluidDef> = NumberTable {
    info: TableInfo {
        is_effective: |world, key| {
            (world.has_heat() || !is_thermal(key)) && world.smoke.as_ref().is_some_and(|smoke| is_effective(smoke, key))
        },
        takes_bare: |key| BARE_KEYS.contains(&key),
        ..TableInfo::new("smoke", TableCount::One(|world| world.smoke.is_some()))
    },
    numbers: &[&NUMBERS, &WIND],
    table: |world, _| world.smoke.as_mut(),
};

/// The numbers of each `[[smoke.dye]]`.
pub static DYE_TABLE: NumberTable<Dye> = NumberTable {
    info: TableInfo {
        whole: default_dye_setting,
        ..TableInfo::new("smoke.dye", TableCount::List(|world| world.smoke.as_ref().map_or(0, |smoke| smoke.dye.len())))
    },
    numbers: &[&DYE],
    table: |world, number| world.smoke.as_mut()?.dye.get_mut(number),
};

/// The setting for the dye of a scene whose file declares none: a setting cannot name a part of that dye.
fn default_dye_setting(world: &WorldDef) -> Option<String> {
    match &*world.smoke.as_ref()?.dye {
        [Dye { name, label: None, buoyancy, decay_rate }] if name.is_empty() => {
            Some(format!("smoke.dye=[{{ buoyancy = {buoyancy}, decay_rate = {decay_rate} }}]"))
        }
        _ => None,
    }
}

/// Whether the key concerns heat, and so has no effect in a tank without a temperature.
fn is_thermal(key: &str) -> bool {
    ["conductivity", "heat_capacity", "expansion"].contains(&key)
}

/// The components of `wind`, to the right and up.
const WIND: [NumberField<GridFluidDef>; 2] = [
    wind(0, SPEEDS, |definition| &mut definition.wind[0], 2),
    wind(1, SPEEDS, |definition| &mut definition.wind[1], 4),
];

/// Whether the number at `key` changes the flow. A lid drags the fluid only at a no-slip ceiling. The wind enters
/// through inflow sides, and lasts for ever along periodic sides; elsewhere the first projection removes it.
fn is_effective(definition: &GridFluidDef, key: &str) -> bool {
    let Sides { left, right, floor, ceiling } = definition.sides;
    let comes_in = [left, right, floor, ceiling].contains(&Side::Inflow);
    match key {
        "lid_speed" => ceiling == Side::NoSlip,
        "wind right" => comes_in || left == Side::Periodic,
        "wind up" => comes_in || floor == Side::Periodic,
        _ => true,
    }
}

/// Whether gravity acts on the fluid.
pub fn has_weight(definition: &GridFluidDef) -> bool {
    definition.dye.iter().any(|dye| dye.buoyancy != 0.0)
}

/// The numbers of each dye.
const DYE: [NumberField<Dye>; 2] = [
    number(
        "buoyancy",
        -1.0..=1.0,
        |dye| &mut dye.buoyancy,
        words(2, "buoyancy", "How fast it rises; below zero it sinks"),
    ),
    number("decay_rate", 0.0..=100.0, |dye| &mut dye.decay_rate, words(3, "fading", "How quickly it vanishes")),
];

/// # Errors
/// Names the key whose value is unknown or out of range.
pub fn parse(mut fields: Fields) -> Result<GridFluidDef, DataError> {
    let default = GridFluidDef::default();
    let cells = fields.integer("cells", MIN_CELLS as i64..=MAX_CELLS as i64, 0);
    let mut definition = GridFluidDef {
        cells: Some(cells? as usize).filter(|&cells| cells > 0),
        density: fields.number("density", 0.0001..=20.0, default.density)?,
        wind: velocity(&mut fields, "wind")?.unwrap_or(default.wind),
        taylor_green_speed: fields.number("taylor_green_speed", SPEEDS, default.taylor_green_speed)?,
        sides: sides(&mut fields)?,
        dye: each(&mut fields, "dye", dye)?,
        source: each(&mut fields, "source", source)?,
        initial_dye: each(&mut fields, "initial_dye", initial_dye)?,
        ..default
    };
    read_numbers(&mut fields, NUMBERS, &mut definition)?;
    if definition.dye.is_empty() {
        definition.dye = GridFluidDef::default().dye;
    }
    check_names(&mut fields, &definition)?;
    fields.done()?;
    Ok(definition)
}

fn sides(fields: &mut Fields) -> Result<Sides, DataError> {
    let sides = Sides {
        left: fields.word("left", &SIDES, Side::NoSlip)?,
        right: fields.word("right", &SIDES, Side::NoSlip)?,
        floor: fields.word("floor", &SIDES, Side::NoSlip)?,
        ceiling: fields.word("ceiling", &SIDES, Side::NoSlip)?,
    };
    for (one, other, names) in
        [(sides.left, sides.right, "`left` and `right`"), (sides.floor, sides.ceiling, "`floor` and `ceiling`")]
    {
        if (one == Side::Periodic) != (other == Side::Periodic) {
            return Err(fields.error(format_args!("{names} must both be \"periodic\", or neither")));
        }
    }
    let all = [sides.left, sides.right, sides.floor, sides.ceiling];
    if all.contains(&Side::Inflow) && !all.contains(&Side::Outflow) {
        return Err(fields.error("\"inflow\" needs a way out: make another side \"outflow\""));
    }
    Ok(sides)
}

fn dye(mut fields: Fields) -> Result<Dye, DataError> {
    let mut dye = Dye {
        name: fields.text("name")?.unwrap_or_default().to_owned(),
        label: fields.get("color").as_ref().map(color).transpose()?,
        ..Dye::default()
    };
    read_numbers(&mut fields, DYE, &mut dye)?;
    fields.done()?;
    Ok(dye)
}

fn source(mut fields: Fields) -> Result<Source, DataError> {
    let source = Source {
        region: region(&mut fields)?,
        dye: fields.text("dye")?.unwrap_or_default().to_owned(),
        rate: fields.number("rate", 0.0..=1000.0, 10.0)?,
        velocity: velocity(&mut fields, "velocity")?,
        temperature: temperature(&mut fields)?,
    };
    fields.done()?;
    Ok(source)
}

fn initial_dye(mut fields: Fields) -> Result<InitialDye, DataError> {
    let initial = InitialDye {
        region: region(&mut fields)?,
        dye: fields.text("dye")?.unwrap_or_default().to_owned(),
        amount: fields.number("amount", 0.0..=1.0, 1.0)?,
        velocity: velocity(&mut fields, "velocity")?.unwrap_or_default(),
        temperature: temperature(&mut fields)?,
    };
    fields.done()?;
    Ok(initial)
}

fn temperature(fields: &mut Fields) -> Result<Option<f32>, DataError> {
    fields.get("temperature").map(|entry| entry.number(TEMPERATURES)).transpose()
}

fn velocity(fields: &mut Fields, key: &'static str) -> Result<Option<[f32; 2]>, DataError> {
    fields.get(key).map(|entry| entry.numbers(SPEEDS)).transpose()
}

/// Checks that sources and initial dye name existing dyes.
fn check_names(fields: &mut Fields, definition: &GridFluidDef) -> Result<(), DataError> {
    let sources = definition.source.iter().map(|source| &source.dye);
    let used = sources.chain(definition.initial_dye.iter().map(|initial| &initial.dye));
    let known = |name: &str| name.is_empty() || definition.dye.iter().any(|dye| dye.name == name);
    match used.into_iter().find(|name| !known(name)) {
        None => Ok(()),
        Some(name) => {
            let named = definition.dye.iter().map(|dye| dye.name.as_str()).filter(|name| !name.is_empty());
            let names: Vec<&str> = named.collect();
            let known =
                if names.is_empty() { "none has a name".to_owned() } else { format!("there are {}", names.join(", ")) };
            Err(fields.error(format_args!("no dye is called {name:?}; {known}")))
        }
    }
}
