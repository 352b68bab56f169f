//! Regions, positions and colours, which several tables of a scene have.

use crate::data::{DataError, Entry, Fields};
use crate::scene::{drawing, polygon};
use crate::sim::boundary::region::Region;
use crate::sim::definition::LiquidRegion;
use std::ops::RangeInclusive;

pub const MAX_ENTRIES: usize = 500;

const MAX_CORNERS: usize = 250;

/// Range of a position, as a fraction of the tank. An obstacle may extend a little beyond the tank.
const POSITION: RangeInclusive<f32> = -0.5..=1.5;

pub const LENGTH: RangeInclusive<f32> = 0.001..=10.0;

pub const REGIONS: [&str; 5] = ["box", "circle", "capsule", "polygon", "art"];

/// The table must hold exactly one of [`REGIONS`].
pub fn region(fields: &mut Fields) -> Result<Region, DataError> {
    let given = REGIONS.map(|key| fields.get(key));
    match given {
        [Some(entry), None, None, None, None] => upright_box(&entry),
        [None, Some(entry), None, None, None] => entry.table(|fields| {
            Ok(Region::Circle { at: position(fields, "at")?, radius: fields.need("radius")?.number(LENGTH)? })
        }),
        [None, None, Some(entry), None, None] => entry.table(|fields| {
            Ok(Region::Capsule {
                from: position(fields, "from")?,
                to: position(fields, "to")?,
                radius: fields.need("radius")?.number(LENGTH)?,
            })
        }),
        [None, None, None, Some(entry), None] => outline(&entry),
        [None, None, None, None, Some(entry)] => {
            drawing::parse(entry.text()?).map(Region::Drawing).map_err(|wrong| entry.error(wrong))
        }
        [None, None, None, None, None] => Err(fields.error("needs one of box, circle, capsule, polygon, art")),
        _ => Err(fields.error("takes only one of box, circle, capsule, polygon, art")),
    }
}

fn position(fields: &mut Fields, key: &'static str) -> Result<[f32; 2], DataError> {
    fields.need(key)?.numbers(POSITION)
}

fn upright_box(entry: &Entry) -> Result<Region, DataError> {
    let [left, bottom, right, top] = box_edges(entry)?;
    if right <= 0.0 || left >= 1.0 || top <= 0.0 || bottom >= 1.0 {
        return Err(entry.error("lies outside the tank, which reaches from [0, 0] to [1, 1]"));
    }
    Ok(Region::Box([left, bottom, right, top]))
}

pub fn box_edges(entry: &Entry) -> Result<[f32; 4], DataError> {
    let [left, bottom, right, top] = entry.numbers(POSITION)?;
    if left >= right || bottom >= top {
        return Err(entry.error("must be [left, bottom, right, top] with left below right and bottom below top"));
    }
    Ok([left, bottom, right, top])
}

fn outline(entry: &Entry) -> Result<Region, DataError> {
    let corners = entry.points(MAX_CORNERS, POSITION)?;
    polygon::check_in_tank(&corners).map_err(|wrong| entry.error(wrong))?;
    Ok(Region::Polygon(corners))
}

pub fn region_at_start(fields: &mut Fields) -> Result<LiquidRegion, DataError> {
    Ok(LiquidRegion {
        velocity: velocity(fields, 20.0)?.unwrap_or_default(),
        thermal_speed: fields.number("thermal_speed", 0.0..=2.0, 0.0)?,
        ..LiquidRegion::from(region(fields)?)
    })
}

pub fn velocity(fields: &mut Fields, max_speed: f32) -> Result<Option<[f32; 2]>, DataError> {
    fields.get("velocity").map(|entry| entry.numbers(-max_speed..=max_speed)).transpose()
}

/// The colour stays text: the simulation passes it on as a label, and the view parses it.
pub fn color(fields: &mut Fields) -> Result<Option<String>, DataError> {
    let Some(entry) = fields.get("color") else { return Ok(None) };
    let text = entry.text()?;
    let digits = text.strip_prefix('#').unwrap_or_default();
    if digits.len() != 6 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Err(entry.error(format_args!("must be a colour such as \"#1877c9\", not {text:?}")));
    }
    Ok(Some(text.to_owned()))
}
