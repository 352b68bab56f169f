//! The `[[body]]` entries of a scene: rigid bodies.

use crate::data::{DataError, Entry, Fields};
use crate::scene::numbers::{NumberField, NumberTable, TableCount, TableInfo, number, read_numbers, words};
use crate::scene::{check, read};
use crate::sim::boundary::convex::Hull;
use crate::sim::definition::{MAX_BODY_WIDTH, WorldDef};
use crate::sim::heat::TEMPERATURES;
use crate::sim::rigid::Material;
use crate::sim::rigid::definition::{BodyDef, Outline};
use crate::sim::world::tank::tank_size;
use glam::Vec2;
use std::ops::RangeInclusive;

/// Range of the radius of a disc, and of half a side of a box, in metres.
const SIZE: RangeInclusive<f32> = 0.005..=5.0;

/// Upper limit on the corners of a polygon.
const MOST_CORNERS: usize = 60;

/// Lower limit on the area of a polygon, m².
const LEAST_AREA: f32 = 1e-4;

/// The numbers of a body that may change during a run; see [`Material`] for their meaning.
const NUMBERS: [NumberField<Material>; 5] = [
    number(
        "density",
        0.02..=20.0,
        |material| &mut material.density,
        words(3, "weight", "How heavy it is: below 1 it floats on water"),
    ),
    number(
        "friction",
        0.0..=2.0,
        |material| &mut material.friction,
        words(6, "roughness", "How much friction it has on other surfaces"),
    ),
    number(
        "stickiness",
        0.0..=100.0,
        |material| &mut material.stickiness,
        words(8, "stickiness", "How strongly liquid clings to it"),
    ),
    number(
        "restitution",
        0.0..=1.0,
        |material| &mut material.restitution,
        words(4, "bounce", "How much of its speed it keeps where it hits something"),
    ),
    number(
        "heat_capacity",
        100.0..=20_000.0,
        |material| &mut material.heat_capacity,
        words(12, "heat capacity", "How much heat warms it by one degree"),
    ),
];

/// The numbers of each `[[body]]`.
pub static TABLE: NumberTable<Material> = NumberTable {
    info: TableInfo { is_effective, ..TableInfo::new("body", TableCount::List(|world| world.body.len())) },
    numbers: &[&NUMBERS],
    table: |world, number| world.body.get_mut(number).map(|body| &mut body.material),
};

/// Whether the number at `key` has an effect in the world as it is now. Only liquids stick to a body, and a single body
/// without other matter falls and bounces in the same way at any density.
fn is_effective(world: &WorldDef, key: &str) -> bool {
    let liquid = world.has_liquid() || world.sph.is_some();
    match key {
        "heat_capacity" => world.has_heat(),
        "stickiness" => liquid,
        "density" => liquid || world.smoke.is_some() || world.cloth.is_some() || world.body.len() > 1,
        _ => true,
    }
}

/// Reads one body.
///
/// # Errors
/// Names the key whose value is unknown or out of range.
pub fn parse(mut fields: Fields) -> Result<BodyDef, DataError> {
    let mut material =
        Material { label: fields.get("color").as_ref().map(read::color).transpose()?, ..Material::default() };
    read_numbers(&mut fields, NUMBERS, &mut material)?;
    let body = BodyDef {
        outline: outline(&mut fields)?,
        at: fields.need("at")?.numbers(0.0..=1.0)?,
        angle: fields.number("angle", -360.0..=360.0, 0.0)?,
        velocity: fields.get("velocity").map_or(Ok([0.0; 2]), |entry| entry.numbers(-10.0..=10.0))?,
        angular_velocity: fields.number("angular_velocity", -3600.0..=3600.0, 0.0)?,
        temperature: fields.get("temperature").map(|entry| entry.number(TEMPERATURES)).transpose()?,
        material,
    };
    fields.done()?;
    Ok(body)
}

/// Reads an outline: the table must hold exactly one of three keys.
fn outline(fields: &mut Fields) -> Result<Outline, DataError> {
    match ["disc", "box", "polygon"].map(|key| fields.get(key)) {
        [Some(entry), None, None] => entry.number(SIZE).map(Outline::Disc),
        [None, Some(entry), None] => entry.numbers(2.0 * SIZE.start()..=2.0 * SIZE.end()).map(Outline::Box),
        [None, None, Some(entry)] => polygon(&entry),
        [None, None, None] => Err(fields.error("needs one of disc, box, polygon")),
        _ => Err(fields.error("takes only one of disc, box, polygon")),
    }
}

fn polygon(entry: &Entry) -> Result<Outline, DataError> {
    let corners: Vec<[f32; 2]> =
        entry.list(MOST_CORNERS)?.iter().map(|corner| corner.numbers(-5.0..=5.0)).collect::<Result<_, _>>()?;
    check::simple(&corners).map_err(|wrong| entry.error(wrong))?;
    let places: Vec<Vec2> = corners.iter().copied().map(Vec2::from).collect();
    if !Hull::is_convex(&places) {
        return Err(entry.error("must be convex: it may turn one way only, and at every corner"));
    }
    if Hull::polygon(places).mass_data().area < LEAST_AREA {
        return Err(entry.error(format_args!("must enclose {LEAST_AREA} m² or more; corners are in metres")));
    }
    Ok(Outline::Polygon(corners))
}

/// Checks that every body is small enough for the tank, at the scene's own aspect or in a square window. `entries` are
/// the origins of the bodies.
///
/// # Errors
/// Names the body that is too wide.
pub fn fits(world: &WorldDef, entries: &[Entry]) -> Result<(), DataError> {
    let shortest = tank_size(world.tank.area, world.tank.aspect.unwrap_or(1.0)).min_element();
    let most = MAX_BODY_WIDTH * shortest;
    for (body, entry) in world.body.iter().zip(entries) {
        let across = body.width();
        if across > most {
            return Err(entry.error(format_args!(
                "is {across:.3} m across and has no room in a tank whose shorter side is {shortest:.3} m: it may be {most:.3} m"
            )));
        }
    }
    Ok(())
}
