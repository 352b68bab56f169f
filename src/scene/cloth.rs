//! The `[cloth]` table of a scene: hanging sheets and chains.

use crate::data::{DataError, Entry, Fields};
use crate::scene::region::{MAX_ENTRIES, color};
use crate::scene::table::{Table, has_number, read_numbers};
use crate::sim::clock::STEP;
use crate::sim::cloth::integrator::Integrator;
use crate::sim::cloth::{Cloth, ClothDef, Edge, MAX_NODES, Pins, Sheet};
use crate::sim::definition::WorldDef;
use crate::sim::parameters::Numbers;
use glam::Vec2;
use std::ops::RangeInclusive;

pub static TABLE: Table = Table {
    is_effective: |world, key| world.cloth.as_ref().is_some_and(|cloth| is_effective(cloth, key)),
    takes_bare: has_number::<ClothDef>,
    is_computable: |world| {
        world.cloth.as_ref().is_none_or(|cloth| check_work(cloth).and_then(|()| check_integrator(world)).is_ok())
    },
    ..Table::new("cloth", |world, _| world.cloth.as_mut().map(ClothDef::numbers))
};

/// Gusts scale the wind, which acts through the drag coefficient; a chain cannot shear.
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

/// Range of the number of nodes across and down.
const NODES: RangeInclusive<f32> = 1.0..=1000.0;

/// Range of the size across and down, in metres.
const SIZE: RangeInclusive<f32> = 0.0..=20.0;
const MIN_SIZE: f32 = 0.01;

/// Upper limit on a scene's substeps.
const MAX_SUBSTEPS: f64 = 1000.0;

/// Upper limit on nodes times substeps in a step: about a tenth of a second of work.
const MAX_WORK: u64 = 1_000_000;

pub fn cloth(fields: &mut Fields) -> Result<ClothDef, DataError> {
    let mut definition = ClothDef::default();
    read_numbers(fields, &mut definition)?;
    definition.integrator = fields.one_of("integrator", Integrator::ALL, Integrator::name, definition.integrator)?;
    definition.label = color(fields)?;
    definition.texture = fields.text("texture")?.map(str::to_owned);
    definition.sheet = fields.tables("sheet", MAX_ENTRIES, sheet)?;
    if definition.sheet.is_empty() {
        return Err(fields.error("`cloth` has no sheet: add [[cloth.sheet]] with at, size, nodes and pins"));
    }
    check_work(&definition).map_err(|message| fields.error(message))?;
    Ok(definition)
}

/// So that a scene stays responsive. The error states the work that the definition would need.
fn check_work(definition: &ClothDef) -> Result<(), String> {
    let nodes: usize = definition.sheet.iter().map(|sheet| sheet.nodes[0] * sheet.nodes[1]).sum();
    if nodes > MAX_NODES {
        return Err(format!("`cloth` may have {MAX_NODES} nodes in all its sheets, not {nodes}"));
    }
    let substeps = Cloth::new(definition.clone(), Vec2::ONE).min_substeps(STEP);
    let max_substeps = MAX_WORK / nodes as u64;
    if u64::from(substeps) > max_substeps {
        return Err(format!(
            "`cloth` is so stiff that its {nodes} nodes would need {substeps} substeps in a step of 1/60 s, and may have \
             {max_substeps}: give it less stretch, shear, bend, damping or drag_coefficient, more mass, or fewer nodes"
        ));
    }
    Ok(())
}

/// Dampings that an error may advise, 1/s.
const DAMPINGS: [f32; 5] = [1.0, 3.0, 10.0, 30.0, 100.0];

/// The integrator must be stable at the step that the scene takes. The error states the step that would do.
pub fn check_integrator(world: &WorldDef) -> Result<(), String> {
    let Some(definition) = &world.cloth else { return Ok(()) };
    let cloth = Cloth::new(definition.clone(), Vec2::ONE);
    let substeps = |count: u32| count * cloth.min_substeps(STEP / count as f32);
    let (step, max_step) = (f64::from(STEP) / f64::from(substeps(world.substeps)), cloth.max_step());
    let name = definition.integrator.name();
    if definition.integrator.is_default() || step <= max_step {
        return Ok(());
    }
    let microseconds = |step: f64| format!("{:.0} µs", 1e6 * step);
    let stable_substeps = |cloth: &Cloth| (f64::from(STEP) / cloth.max_step()).ceil();
    let count = stable_substeps(&cloth);
    if count > MAX_SUBSTEPS {
        let damped = DAMPINGS.into_iter().find_map(|linear_damping| {
            let count = stable_substeps(&Cloth::new(ClothDef { linear_damping, ..definition.clone() }, Vec2::ONE));
            (count <= MAX_SUBSTEPS)
                .then(|| format!("give it linear_damping = {linear_damping} and substeps = {count}, or"))
        });
        let advice = damped.unwrap_or_else(|| "give it less stretch, or".to_owned());
        return Err(format!(
            "`{name}` would be unstable at any step of this cloth that can be computed: {advice} take `rk4`"
        ));
    }
    Err(format!(
        "`{name}` would be unstable at this cloth's step of {}, and is stable at {}: give the scene substeps = {count}, or \
         take `rk4`",
        microseconds(step),
        microseconds(max_step)
    ))
}

fn sheet(fields: &mut Fields) -> Result<Sheet, DataError> {
    let nodes = nodes(&fields.need("nodes")?)?;
    let size = size(&fields.need("size")?, nodes)?;
    Ok(Sheet {
        at: fields.need("at")?.numbers(0.0..=1.0)?,
        anchor: fields.number("anchor", 0.0..=1.0, 0.5)?,
        size,
        nodes,
        span: fields.optional("span", MIN_SIZE..=size[0])?,
        folds: Some(fields.integer("folds", 1..=100, 0)? as usize).filter(|&folds| folds > 0),
        angle: fields.number("angle", -360.0..=360.0, 0.0)?,
        pins: pins(&fields.need("pins")?)?,
    })
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
    let min = [MIN_SIZE, if nodes[1] == 1 { 0.0 } else { MIN_SIZE }];
    if size[0] < min[0] || size[1] < min[1] {
        return Err(entry.error(format_args!("must be at least {MIN_SIZE} across and, of more than one row, down")));
    }
    if nodes[1] == 1 && size[1] != 0.0 {
        return Err(entry.error("must be 0 down for a sheet of a single row of nodes"));
    }
    Ok(size)
}

fn pins(entry: &Entry) -> Result<Pins, DataError> {
    if entry.text().is_ok() {
        return entry.one_of(Edge::ALL, Edge::name).map(Pins::Along);
    }
    entry.points(1000, 0.0..=1.0).map(Pins::At)
}
