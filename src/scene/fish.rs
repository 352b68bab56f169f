//! What lives in a tank: the `[[fish]]`, `[[weed]]` and `[[bubbles]]` of a scene, and species, which are files of their own.

use crate::data::{DataError, Entry, Fields, Node, advice};
use crate::scene::polygon;
use crate::scene::region::color;
use crate::scene::table::read_numbers;
use crate::sim::definition::{MAX_BODY_WIDTH, WorldDef};
use crate::sim::life::MAX_FISH;
use crate::sim::life::definition::{BubblesDef, FishDef, Habitat, Part, PartShape, Species, WeedDef};
use std::sync::{Arc, OnceLock};

/// Upper limits on the parts of a drawing and on the corners of one, and the range of a place in it, in body lengths.
const MAX_PARTS: usize = 24;
const MAX_CORNERS: usize = 40;
const PLACE: std::ops::RangeInclusive<f32> = -1.0..=1.0;

/// Range of the seconds of a rest.
const REST: std::ops::RangeInclusive<f32> = 0.0..=600.0;

macro_rules! species {
    ($($name:literal),+) => {
        /// Name and text of the species that come with the program.
        pub const EMBEDDED: &[(&str, &str)] = &[$(($name, include_str!(concat!("../data/species/", $name, ".toml")))),+];
    };
}

species!("tetra", "clownfish", "angelfish", "goby", "grouper", "crab", "snail");

/// The species that come with the program.
pub fn embedded() -> &'static [Arc<Species>] {
    static SPECIES: OnceLock<Vec<Arc<Species>>> = OnceLock::new();
    SPECIES.get_or_init(|| {
        let read = |&(name, text): &(&str, &str)| parse_species(text, &format!("{name}.toml"));
        EMBEDDED.iter().map(|it| read(it).expect("a test reads the embedded species")).collect()
    })
}

/// Reads a species from the text of its file, which `source` names in errors.
///
/// # Errors
/// Names the line and the key that is unknown, missing or out of range.
pub fn parse_species(text: &str, source: &str) -> Result<Arc<Species>, DataError> {
    let tree = Node::parse(text, source)?;
    let mut fields = tree.fields()?;
    let species = species(&mut fields)?;
    fields.done()?;
    Ok(Arc::new(species))
}

/// Reads the fish of a scene. A species is one of `own`, an embedded one, or a table.
pub(super) fn fish(fields: &mut Fields, own: &[Arc<Species>]) -> Result<FishDef, DataError> {
    let entry = fields.need("species")?;
    let species = if entry.is_table() { Arc::new(entry.table(species)?) } else { lookup(&entry, own)? };
    let default = if species.school > 1 { species.school } else { 1 };
    Ok(FishDef { count: fields.integer("count", 0..=MAX_FISH as i64, default as i64)? as usize, species })
}

fn lookup(entry: &Entry, own: &[Arc<Species>]) -> Result<Arc<Species>, DataError> {
    let name = entry.text()?;
    let all = || own.iter().chain(embedded());
    all().find(|species| species.name == name).cloned().ok_or_else(|| {
        let names: Vec<&str> = all().map(|species| species.name.as_str()).collect();
        entry.error(format_args!("is {name:?}; {}", advice(name, &names)))
    })
}

fn species(fields: &mut Fields) -> Result<Species, DataError> {
    let default = Species::default();
    let mut species = Species {
        name: fields.need("name")?.text()?.to_owned(),
        habitat: fields.one_of("habitat", Habitat::ALL, Habitat::name, default.habitat)?,
        school: fields.integer("school", 1..=MAX_FISH as i64, default.school as i64)? as usize,
        depth: ordered(fields, "depth", 0.0..=1.0, default.depth)?,
        rest: ordered(fields, "rest", REST, default.rest)?,
        part: fields.tables("part", MAX_PARTS, part)?,
        ..default
    };
    read_numbers(fields, &mut species)?;
    if species.part.is_empty() {
        return Err(fields.error("needs a [[part]]: the body, and then what is drawn over it"));
    }
    if species.burst < species.speed {
        return Err(fields.error("`burst`, the greatest speed, must not be less than `speed`"));
    }
    Ok(species)
}

fn ordered(
    fields: &mut Fields,
    key: &'static str,
    range: std::ops::RangeInclusive<f32>,
    default: [f32; 2],
) -> Result<[f32; 2], DataError> {
    let Some(entry) = fields.get(key) else { return Ok(default) };
    let [from, to] = entry.numbers(range)?;
    if from > to {
        return Err(entry.error("must be the lower limit and then the upper one"));
    }
    Ok([from, to])
}

fn part(fields: &mut Fields) -> Result<Part, DataError> {
    let label = color(fields)?.ok_or_else(|| fields.error("needs a color, such as \"#e8702a\""))?;
    let shape = match ["polygon", "disc"].map(|key| fields.get(key)) {
        [Some(entry), None] => PartShape::Polygon(corners(&entry)?),
        [None, Some(entry)] => {
            let disc: [f32; 3] = entry.numbers(PLACE)?;
            if disc[2] <= 0.0 {
                return Err(entry.error("must be [x, y, radius], with a radius above 0"));
            }
            PartShape::Disc(disc)
        }
        _ => return Err(fields.error("needs one of polygon and disc")),
    };
    Ok(Part { shape, label })
}

fn corners(entry: &Entry) -> Result<Vec<[f32; 2]>, DataError> {
    let corners = entry.points(MAX_CORNERS, PLACE)?;
    polygon::check(&corners).map_err(|wrong| entry.error(wrong))?;
    Ok(corners)
}

pub(super) fn weed(fields: &mut Fields) -> Result<WeedDef, DataError> {
    Ok(WeedDef {
        at: fields.need("at")?.number(0.0..=1.0)?,
        length: fields.number("length", 0.05..=2.0, 0.4)?,
        width: fields.number("width", 0.005..=0.1, 0.025)?,
        label: color(fields)?,
    })
}

pub(super) fn bubbles(fields: &mut Fields) -> Result<BubblesDef, DataError> {
    Ok(BubblesDef { at: fields.need("at")?.numbers(0.0..=1.0)?, rate: fields.number("rate", 0.0..=60.0, 8.0)? })
}

/// Fish need a liquid, and each must fit into the tank.
pub(super) fn check(world: &WorldDef, entries: &[Entry]) -> Result<(), DataError> {
    let shortest = world.tank.size(world.tank.aspect.unwrap_or(1.0)).min_element();
    for (def, entry) in world.fish.iter().zip(entries) {
        if !world.has_liquid() && world.sph.is_none() {
            return Err(entry.error("lives in a liquid: the scene needs a [[liquid]]"));
        }
        let longest = def.species.length * def.species.growth;
        if longest > MAX_BODY_WIDTH * shortest {
            return Err(entry.error(format_args!(
                "grows to {longest:.2} m and has no room in a tank whose shorter side is {shortest:.2} m"
            )));
        }
    }
    Ok(())
}
