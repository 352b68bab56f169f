//! The `[[body]]` entries of a scene: rigid bodies.

use crate::data::{DataError, Entry, Fields};
use crate::scene::region::{color, velocity};
use crate::scene::table::{Table, read_numbers};
use crate::scene::{check, polygon};
use crate::sim::boundary::convex::Hull;
use crate::sim::definition::{MAX_BODY_WIDTH, WorldDef};
use crate::sim::heat::TEMPERATURES;
use crate::sim::parameters::Numbers;
use crate::sim::rigid::definition::{BodyDef, Outline};
use crate::sim::rigid::{Bodies, Material};
use glam::Vec2;
use std::ops::RangeInclusive;

/// Range of the radius of a disc, and of half a side of a box, in metres.
const SIZE: RangeInclusive<f32> = 0.005..=5.0;

const MAX_CORNERS: usize = 60;

/// Lower limit on the area of a polygon, m².
const MIN_AREA: f32 = 1e-4;

pub static TABLE: Table = Table {
    is_list: true,
    is_effective,
    ..Table::new("body", |world, index| world.body.get_mut(index).map(|body| body.material.numbers()))
};

/// Only liquids stick to a body, and a single body without other matter falls and bounces in the same way at any density.
fn is_effective(world: &WorldDef, key: &str) -> bool {
    let liquid = world.has_liquid() || world.sph.is_some();
    match key {
        "heat_capacity" => world.has_heat(),
        "stickiness" => liquid,
        "density" => liquid || world.smoke.is_some() || world.cloth.is_some() || world.body.len() > 1,
        _ => true,
    }
}

pub fn body(fields: &mut Fields) -> Result<BodyDef, DataError> {
    let mut material = Material { label: color(fields)?, ..Material::default() };
    read_numbers(fields, &mut material)?;
    Ok(BodyDef {
        outline: outline(fields)?,
        at: fields.need("at")?.numbers(0.0..=1.0)?,
        angle: fields.number("angle", -360.0..=360.0, 0.0)?,
        velocity: velocity(fields, 10.0)?.unwrap_or_default(),
        angular_velocity: fields.number("angular_velocity", -3600.0..=3600.0, 0.0)?,
        temperature: fields.optional("temperature", TEMPERATURES)?,
        material,
    })
}

fn outline(fields: &mut Fields) -> Result<Outline, DataError> {
    match ["disc", "box", "polygon"].map(|key| fields.get(key)) {
        [Some(entry), None, None] => entry.number(SIZE).map(Outline::Disc),
        [None, Some(entry), None] => entry.numbers(2.0 * SIZE.start()..=2.0 * SIZE.end()).map(Outline::Box),
        [None, None, Some(entry)] => convex_polygon(&entry),
        [None, None, None] => Err(fields.error("needs one of disc, box, polygon")),
        _ => Err(fields.error("takes only one of disc, box, polygon")),
    }
}

fn convex_polygon(entry: &Entry) -> Result<Outline, DataError> {
    let corners: Vec<[f32; 2]> = entry.points(MAX_CORNERS, -5.0..=5.0)?;
    polygon::check(&corners).map_err(|wrong| entry.error(wrong))?;
    let points: Vec<Vec2> = corners.iter().copied().map(Vec2::from).collect();
    if !Hull::is_convex(&points) {
        return Err(entry.error("must be convex: it may turn one way only, and at every corner"));
    }
    if Hull::polygon(points).mass_data().area < MIN_AREA {
        return Err(entry.error(format_args!("must enclose {MIN_AREA} m² or more; corners are in metres")));
    }
    Ok(Outline::Polygon(corners))
}

/// Every body must fit the tank, at the scene's aspect or in a square window. `entries` are the bodies' origins.
pub fn fits(world: &WorldDef, entries: &[Entry]) -> Result<(), DataError> {
    let shortest = world.tank.size(world.tank.aspect.unwrap_or(1.0)).min_element();
    let max_width = MAX_BODY_WIDTH * shortest;
    for (body, entry) in world.body.iter().zip(entries) {
        let width = body.width();
        if width > max_width {
            return Err(entry.error(format_args!(
                "is {width:.3} m across and has no room in a tank whose shorter side is {shortest:.3} m: it may be \
                 {max_width:.3} m"
            )));
        }
    }
    // Without a solid they find room, and every start of the program checks every scene.
    if world.body.is_empty() || world.obstacle.is_empty() && world.piston.is_empty() {
        return Ok(());
    }
    let walls = check::walls(world);
    let mut bodies = Bodies::new(world.body.iter().map(|body| body.build(walls.size())).collect());
    if let Some(number) = bodies.separate(&walls) {
        return Err(entries[number].fields()?.need("at")?.error(
            "is in an [[obstacle]] or a [[piston]] and cannot be moved out of it: there must be free space for the body beside it",
        ));
    }
    Ok(())
}
