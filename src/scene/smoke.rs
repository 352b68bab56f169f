//! The `[smoke]` table of a scene: what a grid is filled with.

use crate::data::{Error, Fields};
use crate::scene::read::{Parameter, color, each, numbers, region};
use crate::sim::grid_fluid::{Cloud, Dye, FEWEST, MOST, Medium, Side, Sides, Source};
use std::ops::RangeInclusive;

/// The keys of `[smoke]` that a setting may give without the table.
pub const KEYS: [&str; 11] =
    ["cells", "viscosity", "diffusion", "confinement", "wind", "lid", "swirl", "left", "right", "floor", "ceiling"];

const SIDES: [(&str, Side); 5] = [
    ("wall", Side::Wall),
    ("slip", Side::Slip),
    ("inflow", Side::Inflow),
    ("outflow", Side::Outflow),
    ("wrap", Side::Wrap),
];

/// Velocities, m/s.
const SPEEDS: RangeInclusive<f32> = -20.0..=20.0;

/// The numbers of `[smoke]` that may change while it flows; see [`Medium`] for what they mean.
pub const NUMBERS: [Parameter<Medium>; 4] = [
    ("viscosity", 0.0..=10.0, |medium| &mut medium.viscosity),
    ("diffusion", 0.0..=10.0, |medium| &mut medium.diffusion),
    ("confinement", 0.0..=20.0, |medium| &mut medium.confinement),
    ("lid", SPEEDS, |medium| &mut medium.lid),
];

/// And its `wind`, to the right and up.
pub const WIND: [Parameter<Medium>; 2] =
    [("wind right", SPEEDS, |medium| &mut medium.wind[0]), ("wind up", SPEEDS, |medium| &mut medium.wind[1])];

/// Whether the number of that key changes what flows. A lid drags what is at a ceiling that is a wall. The wind comes in
/// by sides that let it in, and blows for ever along sides that wrap; elsewhere it is over with the first step.
pub fn heeds(medium: &Medium, key: &str) -> bool {
    let Sides { left, right, floor, ceiling } = medium.sides;
    let comes_in = [left, right, floor, ceiling].contains(&Side::Inflow);
    match key {
        "lid" => ceiling == Side::Wall,
        "wind right" => comes_in || left == Side::Wrap,
        "wind up" => comes_in || floor == Side::Wrap,
        _ => true,
    }
}

/// Whether gravity does anything to it.
pub fn has_weight(medium: &Medium) -> bool {
    medium.dye.iter().any(|dye| dye.lift != 0.0)
}

/// The numbers of each of its dyes.
pub const DYE: [Parameter<Dye>; 2] =
    [("lift", -1.0..=1.0, |dye| &mut dye.lift), ("fade", 0.0..=100.0, |dye| &mut dye.fade)];

pub fn medium(mut fields: Fields) -> Result<Medium, Error> {
    let default = Medium::default();
    let cells = fields.integer("cells", FEWEST as i64..=MOST as i64, 0);
    let mut medium = Medium {
        cells: Some(cells? as usize).filter(|&cells| cells > 0),
        density: fields.number("density", 0.0001..=20.0, default.density)?,
        wind: velocity(&mut fields, "wind")?.unwrap_or(default.wind),
        swirl: fields.number("swirl", SPEEDS, default.swirl)?,
        sides: sides(&mut fields)?,
        dye: each(&mut fields, "dye", dye)?,
        source: each(&mut fields, "source", source)?,
        cloud: each(&mut fields, "cloud", cloud)?,
        ..default
    };
    numbers(&mut fields, NUMBERS, &mut medium)?;
    if medium.dye.is_empty() {
        medium.dye = Medium::default().dye;
    }
    check_names(&mut fields, &medium)?;
    fields.done()?;
    Ok(medium)
}

fn sides(fields: &mut Fields) -> Result<Sides, Error> {
    let sides = Sides {
        left: fields.word("left", &SIDES, Side::Wall)?,
        right: fields.word("right", &SIDES, Side::Wall)?,
        floor: fields.word("floor", &SIDES, Side::Wall)?,
        ceiling: fields.word("ceiling", &SIDES, Side::Wall)?,
    };
    for (one, other, names) in
        [(sides.left, sides.right, "`left` and `right`"), (sides.floor, sides.ceiling, "`floor` and `ceiling`")]
    {
        if (one == Side::Wrap) != (other == Side::Wrap) {
            return Err(fields.error(format_args!("{names} must both be \"wrap\", or neither")));
        }
    }
    let all = [sides.left, sides.right, sides.floor, sides.ceiling];
    if all.contains(&Side::Inflow) && !all.contains(&Side::Outflow) {
        return Err(fields.error("what comes in by \"inflow\" must leave: make another side \"outflow\""));
    }
    Ok(sides)
}

fn dye(mut fields: Fields) -> Result<Dye, Error> {
    let mut dye = Dye {
        name: fields.text("name")?.unwrap_or_default().to_owned(),
        color: fields.get("color").as_ref().map(color).transpose()?,
        ..Dye::default()
    };
    numbers(&mut fields, DYE, &mut dye)?;
    fields.done()?;
    Ok(dye)
}

fn source(mut fields: Fields) -> Result<Source, Error> {
    let source = Source {
        region: region(&mut fields)?,
        dye: fields.text("dye")?.unwrap_or_default().to_owned(),
        rate: fields.number("rate", 0.0..=1000.0, 10.0)?,
        velocity: velocity(&mut fields, "velocity")?,
    };
    fields.done()?;
    Ok(source)
}

fn cloud(mut fields: Fields) -> Result<Cloud, Error> {
    let cloud = Cloud {
        region: region(&mut fields)?,
        dye: fields.text("dye")?.unwrap_or_default().to_owned(),
        amount: fields.number("amount", 0.0..=1.0, 1.0)?,
        velocity: velocity(&mut fields, "velocity")?.unwrap_or_default(),
    };
    fields.done()?;
    Ok(cloud)
}

fn velocity(fields: &mut Fields, key: &'static str) -> Result<Option<[f32; 2]>, Error> {
    fields.get(key).map(|entry| entry.numbers(SPEEDS)).transpose()
}

/// Sources and clouds are of dyes that there are.
fn check_names(fields: &mut Fields, medium: &Medium) -> Result<(), Error> {
    let sources = medium.source.iter().map(|source| &source.dye);
    let used = sources.chain(medium.cloud.iter().map(|cloud| &cloud.dye));
    let known = |name: &str| name.is_empty() || medium.dye.iter().any(|dye| dye.name == name);
    match used.into_iter().find(|name| !known(name)) {
        None => Ok(()),
        Some(name) => {
            let named = medium.dye.iter().map(|dye| dye.name.as_str()).filter(|name| !name.is_empty());
            let names: Vec<&str> = named.collect();
            let known =
                if names.is_empty() { "none has a name".to_owned() } else { format!("there are {}", names.join(", ")) };
            Err(fields.error(format_args!("no dye is called {name:?}; {known}")))
        }
    }
}
