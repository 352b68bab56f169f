//! The `[cloth]` table of a scene: hanging sheets and chains.

use crate::data::{DataError, Entry, Fields};
use crate::scene::numbers::{
    NumberField, NumberTable, TableCount, TableInfo, has_number, number, read_numbers, wind, words,
};
use crate::scene::read::{color, each};
use crate::sim::clock::STEP;
use crate::sim::cloth::{Cloth, ClothDef, Edge, MAX_NODES, Pins, Sheet};
use glam::Vec2;
use std::ops::RangeInclusive;

/// The numbers of `[cloth]`; see [`ClothDef`] for their meaning.
const NUMBERS: [NumberField<ClothDef>; 11] = [
    number(
        "mass",
        0.001..=100.0,
        |definition| &mut definition.mass,
        words(3, "weight", "How heavy a square metre of it is"),
    ),
    number(
        "stretch",
        0.1..=1.0e6,
        |definition| &mut definition.stretch,
        words(5, "strength", "How hard it is to stretch along its threads"),
    ),
    number("shear", 0.0..=1.0e6, |definition| &mut definition.shear, words(8, "skew", "How hard it is to shear")),
    number(
        "bend",
        0.0..=1.0e6,
        |definition| &mut definition.bend,
        words(5, "crispness", "How hard it is to fold: silk has little, paper much"),
    ),
    number(
        "damping",
        0.0..=0.1,
        |definition| &mut definition.damping,
        words(9, "inner damping", "How soon its own vibrations die away"),
    ),
    number(
        "linear_damping",
        0.0..=100.0,
        |definition| &mut definition.linear_damping,
        words(6, "slowness", "How much still air brakes it"),
    ),
    number(
        "break_strain",
        0.01..=1000.0,
        |definition| &mut definition.break_strain,
        words(4, "toughness", "The strain at which a thread tears"),
    ),
    number("gusts", 0.0..=1.0, |definition| &mut definition.gusts, words(3, "gusts", "How much the wind varies")),
    number(
        "drag_coefficient",
        0.0..=10.0,
        |definition| &mut definition.drag_coefficient,
        words(6, "sail", "How much of the wind it catches"),
    ),
    number(
        "liquid_drag",
        0.0..=1000.0,
        |definition| &mut definition.liquid_drag,
        words(7, "water grip", "How strongly liquid that flows over it drags it along"),
    ),
    number(
        "thickness",
        0.001..=0.1,
        |definition| &mut definition.thickness,
        words(9, "thread thickness", "How thick it is drawn where it is seen edge on"),
    ),
];

/// The components of `wind`, m/s: to the right, up, and towards the viewer.
const WIND: [NumberField<ClothDef>; 3] = [
    wind(0, SPEEDS, |definition| &mut definition.wind[0], 2),
    wind(1, SPEEDS, |definition| &mut definition.wind[1], 7),
    wind(2, SPEEDS, |definition| &mut definition.wind[2], 8),
];
const SPEEDS: RangeInclusive<f32> = -30.0..=30.0;

/// The numbers of `[cloth]`.
pub static TABLE: NumberTable<ClothDef> = NumberTable {
    info: TableInfo {
        is_effective: |world, key| world.cloth.as_ref().is_some_and(|cloth| is_effective(cloth, key)),
        takes_bare: |key| has_number(&NUMBERS, key),
        is_computable: |world| world.cloth.as_ref().is_none_or(|cloth| work(cloth).is_ok()),
        ..TableInfo::new("cloth", TableCount::One(|world| world.cloth.is_some()))
    },
    numbers: &[&NUMBERS, &WIND],
    table: |world, _| world.cloth.as_mut(),
};

/// Whether the number at `key` changes the motion of the cloth. Gusts scale the wind, which acts through the drag
/// coefficient; a chain cannot shear.
fn is_effective(definition: &ClothDef, key: &str) -> bool {
    let all_edge_on = definition.sheet.iter().all(Sheet::is_edge_on);
    let nodes = |side: usize| definition.sheet.iter().map(|sheet| sheet.nodes[side]).max().unwrap_or(0);
    match key {
        "gusts" => definition.drag_coefficient > 0.0 && definition.wind != [0.0; 3],
        "wind right" | "wind up" => definition.drag_coefficient > 0.0,
        "wind towards" => definition.drag_coefficient > 0.0 && !all_edge_on,
        // Only sheets that are seen edge on show it.
        "thickness" => definition.sheet.iter().any(Sheet::is_edge_on),
        "shear" => nodes(1) > 1,
        "bend" => nodes(0).max(nodes(1)) > 2,
        _ => true,
    }
}

const EDGES: [(&str, Edge); 7] = [
    ("none", Edge::None),
    ("top", Edge::Top),
    ("bottom", Edge::Bottom),
    ("left", Edge::Left),
    ("right", Edge::Right),
    ("ends", Edge::Ends),
    ("corners", Edge::Corners),
];

/// Range of the number of nodes across and down.
const NODES: RangeInclusive<f32> = 1.0..=1000.0;

/// Range of the size across and down, in metres.
const SIZE: RangeInclusive<f32> = 0.0..=20.0;
const LEAST_SIZE: f32 = 0.01;

/// Upper limit on nodes times substeps in a step: about a tenth of a second of work.
const MOST_WORK: u64 = 1_000_000;

/// # Errors
/// Names the key whose value is unknown or out of range.
pub fn parse(mut fields: Fields) -> Result<ClothDef, DataError> {
    let mut definition = ClothDef::default();
    read_numbers(&mut fields, NUMBERS, &mut definition)?;
    definition.wind = fields.get("wind").map_or(Ok(definition.wind), |entry| entry.numbers(SPEEDS))?;
    definition.label = fields.get("color").as_ref().map(color).transpose()?;
    definition.sheet = each(&mut fields, "sheet", sheet)?;
    if definition.sheet.is_empty() {
        return Err(fields.error("`cloth` has no sheet: add [[cloth.sheet]] with at, size, nodes and pins"));
    }
    work(&definition).map_err(|message| fields.error(message))?;
    fields.done()?;
    Ok(definition)
}

/// Checks the work of a step against a limit, so that a scene stays responsive.
///
/// # Errors
/// States the work that the definition would need.
pub fn work(definition: &ClothDef) -> Result<(), String> {
    let nodes: usize = definition.sheet.iter().map(|sheet| sheet.nodes[0] * sheet.nodes[1]).sum();
    if nodes > MAX_NODES {
        return Err(format!("`cloth` may have {MAX_NODES} nodes in all its sheets, not {nodes}"));
    }
    let substeps = Cloth::new(definition.clone(), Vec2::ONE).min_substeps(STEP);
    let most = MOST_WORK / nodes as u64;
    if u64::from(substeps) > most {
        return Err(format!(
            "`cloth` is so stiff that its {nodes} nodes would need {substeps} substeps in a step of 1/60 s, and may have \
             {most}: give it less stretch, shear, bend, damping or drag_coefficient, more mass, or fewer nodes"
        ));
    }
    Ok(())
}

fn sheet(mut fields: Fields) -> Result<Sheet, DataError> {
    let nodes = nodes(&fields.need("nodes")?)?;
    let size = size(&fields.need("size")?, nodes)?;
    let sheet = Sheet {
        at: fields.need("at")?.numbers(0.0..=1.0)?,
        anchor: fields.number("anchor", 0.0..=1.0, 0.5)?,
        size,
        nodes,
        span: fields.get("span").map(|entry| entry.number(LEAST_SIZE..=size[0])).transpose()?,
        folds: Some(fields.integer("folds", 1..=100, 0)? as usize).filter(|&folds| folds > 0),
        angle: fields.number("angle", -360.0..=360.0, 0.0)?,
        pins: pins(&fields.need("pins")?)?,
    };
    fields.done()?;
    Ok(sheet)
}

fn nodes(entry: &Entry) -> Result<[usize; 2], DataError> {
    let nodes = entry.numbers(NODES)?;
    if nodes[0] < 2.0 || nodes != nodes.map(f32::trunc) {
        return Err(entry.error("must be whole numbers: 2 or more across, 1 or more down"));
    }
    Ok(nodes.map(|count| count as usize))
}

fn size(entry: &Entry, nodes: [usize; 2]) -> Result<[f32; 2], DataError> {
    let size = entry.numbers(SIZE)?;
    let least = [LEAST_SIZE, if nodes[1] == 1 { 0.0 } else { LEAST_SIZE }];
    if size[0] < least[0] || size[1] < least[1] {
        return Err(entry.error(format_args!("must be at least {LEAST_SIZE} across and, of more than one row, down")));
    }
    if nodes[1] == 1 && size[1] != 0.0 {
        return Err(entry.error("must be 0 down for a sheet of a single row of nodes"));
    }
    Ok(size)
}

/// Reads pins: a word, or a list of positions on the sheet.
fn pins(entry: &Entry) -> Result<Pins, DataError> {
    if entry.text().is_ok() {
        return entry.word(&EDGES).map(Pins::Along);
    }
    let place = |place: &Entry| place.numbers(0.0..=1.0);
    entry.list(1000)?.iter().map(place).collect::<Result<Vec<_>, _>>().map(Pins::At)
}
