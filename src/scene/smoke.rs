//! The `[smoke]` table of a scene: the fluid on a grid.

use crate::data::{DataError, Fields};
use crate::scene::region::{MAX_ENTRIES, color, region, velocity};
use crate::scene::table::{Table, has_number, read_numbers};
use crate::sim::definition::WorldDef;
use crate::sim::grid_fluid::{Dye, GridFluidDef, InitialDye, MAX_CELLS, MIN_CELLS, Side, Sides, Source};
use crate::sim::heat::TEMPERATURES;
use crate::sim::parameters::Numbers;

/// The numbers that apply in a tank with a temperature.
const THERMAL: [&str; 3] = ["conductivity", "heat_capacity", "expansion"];

/// Whether a setting may give a key of `[smoke]` without the table's name. The others are also keys of other tables.
fn takes_bare(key: &str) -> bool {
    let is_elsewhere = key == "density" || THERMAL.contains(&key);
    ["cells", "wind", "left", "right", "floor", "ceiling"].contains(&key)
        || has_number::<GridFluidDef>(key) && !is_elsewhere
}

pub static TABLE: Table = Table {
    is_effective: |world, key| {
        (world.has_heat() || !THERMAL.contains(&key))
            && world.smoke.as_ref().is_some_and(|smoke| is_effective(smoke, key))
    },
    takes_bare,
    ..Table::new("smoke", |world, _| world.smoke.as_mut().map(GridFluidDef::numbers))
};

pub static DYE_TABLE: Table = Table {
    is_list: true,
    whole: default_dye_setting,
    ..Table::new("smoke.dye", |world, index| world.smoke.as_mut()?.dye.get_mut(index).map(Dye::numbers))
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

/// A lid drags only a no-slip ceiling. The wind enters by inflow, and lasts along periodic sides; else projection ends it.
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

/// Where it names no dye, the scene adds one, which depends on what else is in the tank.
pub fn smoke(fields: &mut Fields) -> Result<GridFluidDef, DataError> {
    let cells = fields.integer("cells", MIN_CELLS as i64..=MAX_CELLS as i64, 0)?;
    let mut definition = GridFluidDef {
        cells: Some(cells as usize).filter(|&cells| cells > 0),
        sides: sides(fields)?,
        dye: fields.tables("dye", MAX_ENTRIES, dye)?,
        source: fields.tables("source", MAX_ENTRIES, source)?,
        initial_dye: fields.tables("initial_dye", MAX_ENTRIES, initial_dye)?,
        ..GridFluidDef::default()
    };
    read_numbers(fields, &mut definition)?;
    check_names(fields, &definition)?;
    Ok(definition)
}

fn sides(fields: &mut Fields) -> Result<Sides, DataError> {
    let mut side = |key| fields.one_of(key, Side::ALL, Side::name, Side::NoSlip);
    let sides = Sides { left: side("left")?, right: side("right")?, floor: side("floor")?, ceiling: side("ceiling")? };
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

fn dye(fields: &mut Fields) -> Result<Dye, DataError> {
    let mut dye = Dye { name: name(fields, "name")?, label: color(fields)?, ..Dye::default() };
    read_numbers(fields, &mut dye)?;
    Ok(dye)
}

fn source(fields: &mut Fields) -> Result<Source, DataError> {
    Ok(Source {
        region: region(fields)?,
        dye: name(fields, "dye")?,
        rate: fields.number("rate", 0.0..=1000.0, 10.0)?,
        velocity: velocity(fields, 20.0)?,
        temperature: fields.optional("temperature", TEMPERATURES)?,
    })
}

fn initial_dye(fields: &mut Fields) -> Result<InitialDye, DataError> {
    Ok(InitialDye {
        region: region(fields)?,
        dye: name(fields, "dye")?,
        amount: fields.number("amount", 0.0..=1.0, 1.0)?,
        velocity: velocity(fields, 20.0)?.unwrap_or_default(),
        temperature: fields.optional("temperature", TEMPERATURES)?,
    })
}

fn name(fields: &mut Fields, key: &'static str) -> Result<String, DataError> {
    Ok(fields.text(key)?.unwrap_or_default().to_owned())
}

fn check_names(fields: &mut Fields, definition: &GridFluidDef) -> Result<(), DataError> {
    let sources = fields.list("source", MAX_ENTRIES)?;
    let initial = fields.list("initial_dye", MAX_ENTRIES)?;
    let used = definition.source.iter().map(|source| &source.dye);
    let used =
        used.chain(definition.initial_dye.iter().map(|initial| &initial.dye)).zip(sources.iter().chain(&initial));
    let known = |name: &str| name.is_empty() || definition.dye.iter().any(|dye| dye.name == name);
    match used.into_iter().find(|(name, _)| !known(name)) {
        None => Ok(()),
        Some((name, entry)) => {
            let named = definition.dye.iter().map(|dye| dye.name.as_str()).filter(|name| !name.is_empty());
            let names: Vec<&str> = named.collect();
            let known =
                if names.is_empty() { "none has a name".to_owned() } else { format!("there are {}", names.join(", ")) };
            Err(entry.error(format_args!("`dye`: no dye is called {name:?}; {known}")))
        }
    }
}
