//! From a scene's text to a [`Scene`]: every key, its range and its default.

use crate::data::{DataError, Entry, Fields, Node, Setting};
use crate::scene::numbers::Numbers;
use crate::scene::{Scene, body, check, cloth, drawing, fluid, heat, parameters, smoke, sph};
use crate::sim::ASPECTS;
use crate::sim::boundary::drawing::Drawing;
use crate::sim::boundary::region::Region;
use crate::sim::definition::{
    DropTimes, FlipDef, GateDef, InletDef, KnockDef, LiquidRegion, OutletDef, RollDef, TankDef, TankMotionDef,
    TankShape, WorldDef,
};
use crate::sim::heat::TEMPERATURES;
use crate::sim::liquid::MAX_PHASES;
use crate::sim::liquid::fluid::Fluid;
use crate::sim::liquid::phases::Removable;
use crate::sim::world::tank_motion::FLIP_TIME;
use std::ops::RangeInclusive;
use std::path::Path;

/// Range of a scene's particle count.
pub const PARTICLES: RangeInclusive<i64> = 1..=2_000_000;

/// Upper limit on the regions, inlets or outlets of a scene, each.
const MOST: usize = 500;

/// Upper limit on the corners of a polygon.
const MOST_CORNERS: usize = 250;

/// Range of a position, as a fraction of the tank. Positions a little outside are allowed, so that an obstacle may
/// extend beyond the tank.
const PLACE: RangeInclusive<f32> = -0.5..=1.5;

/// Range of a length in metres.
const LENGTH: RangeInclusive<f32> = 0.001..=10.0;

impl Scene {
    /// Parses a scene. `source` names the text in errors: a path, or another name that the user knows.
    ///
    /// # Errors
    /// Names the line and the key that is unknown, missing or out of range.
    pub fn parse(text: &str, source: &str) -> Result<Scene, DataError> {
        Scene::parse_with(text, source, &[])
    }

    /// Writes the scene as a file with the same content.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("a scene is plain tables")
    }

    /// Parses a scene and applies settings. The keys of `[fluid]` and `[tank]` may be given without the table's name.
    ///
    /// # Errors
    /// As [`Scene::parse`], and names a setting that the scene does not have.
    pub fn parse_with(text: &str, source: &str, settings: &[Setting]) -> Result<Scene, DataError> {
        let mut tree = Node::parse(text, source)?;
        for setting in settings {
            let table = setting.bare_key().and_then(|key| table_of(key, &tree));
            tree.set(&table.map_or_else(|| setting.clone(), |table| setting.clone().within(table)))?;
        }
        let mut scene = scene(tree.fields()?)?;
        if scene.name.is_empty() {
            scene.name = Path::new(source).file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into());
        }
        Ok(scene)
    }

    /// Adds a drawing to the tank as an obstacle.
    ///
    /// # Errors
    /// If that leaves no room for the liquid.
    pub fn with_obstacle(mut self, drawing: Drawing) -> Result<Scene, String> {
        self.world.obstacle.push(Region::Drawing(drawing));
        check::room(&self.world).map(|()| self)
    }
}

fn scene(mut fields: Fields) -> Result<Scene, DataError> {
    let default = WorldDef::default();
    let mut liquid = each(&mut fields, "liquid", pool)?;
    let (fluid, look) = fluid::of_scene(fields.get("fluid"), &mut liquid)?;
    let mut inlet = each(&mut fields, "inlet", inlet)?;
    let (name, about) =
        (fields.text("name")?.unwrap_or_default().to_owned(), fields.text("about")?.unwrap_or_default().to_owned());
    let palette = fields.text("palette")?.map(str::to_owned).or_else(|| look.clone());
    // An inlet may name the scene's own fluid, and then has the scene's colours.
    for inlet in inlet.iter_mut().filter(|inlet| inlet.fluid == Some(fluid) && inlet.fluid_label == look) {
        inlet.fluid_label.clone_from(&palette);
    }
    let world = WorldDef {
        particles: fields.integer("particles", PARTICLES, default.particles as i64)? as usize,
        gravity: fields.number("gravity", 0.0..=1000.0, default.gravity)?,
        substeps: fields.integer("substeps", 1..=1000, i64::from(default.substeps))? as u32,
        gate: fields.get("gate").map(gate).transpose()?,
        fluid_label: palette,
        tank: fields.get("tank").map_or(Ok(default.tank), |entry| tank(entry.fields()?))?,
        fluid,
        liquid,
        sph: fields.get("sph").map(|entry| sph::liquid(entry.fields()?)).transpose()?,
        smoke: fields.get("smoke").map(|entry| smoke::parse(entry.fields()?)).transpose()?,
        body: each(&mut fields, "body", body::parse)?,
        cloth: fields.get("cloth").map(|entry| cloth::parse(entry.fields()?)).transpose()?,
        obstacle: each(&mut fields, "obstacle", obstacle)?,
        inlet,
        outlet: each(&mut fields, "outlet", outlet)?,
        heat: fields.get("heat").map(|entry| heat::parse(entry.fields()?)).transpose()?,
        heater: each(&mut fields, "heater", heat::heater)?,
    };
    let (whole, bodies, gate) = (fields.error(""), fields.list("body", MOST)?, fields.get("gate"));
    let heat = fields.get("heat").or(fields.list("heater", MOST)?.into_iter().next());
    let poured = fields.list("inlet", MOST)?.into_iter().zip(&world.inlet).find(|(_, inlet)| inlet.fluid.is_some());
    fields.done()?;
    let fluids = 1 + world.other_phases().len();
    if fluids > MAX_PHASES {
        let message = format!("a tank holds at most {MAX_PHASES} different fluids, not {fluids}");
        return Err(DataError { message, ..whole });
    }
    if let Some((inlet, _)) = poured.filter(|_| world.sph.is_some()) {
        return Err(inlet.error("takes no `fluid` in a tank with [sph]: it pours that liquid"));
    }
    if world.sph.is_some() && !world.liquid.is_empty() {
        let message = "holds [[liquid]] and [sph]: a tank has one liquid; the pools of [sph] are [[sph.liquid]]";
        return Err(DataError { message: message.to_owned(), ..whole });
    }
    check::room(&world).map_err(|message| DataError { message, ..whole.clone() })?;
    if world.sph.is_some() && world.has_heat() {
        let at = heat.map_or(whole, |heat| heat.error(""));
        let message = "the particles of [sph] have no temperature: use [[liquid]], or leave out [heat] and [[heater]]";
        return Err(DataError { message: message.to_owned(), ..at });
    }
    check::heat(&world).map_err(|message| DataError { message, ..whole })?;
    body::fits(&world, &bodies)?;
    if let Some(gate) = gate.filter(|_| world.obstacle.is_empty()) {
        return Err(gate.error("lifts the first [[obstacle]], and there is none"));
    }
    Ok(Scene { name, about, world })
}

/// Reads every entry of the list at `key`.
pub(super) fn each<T>(
    fields: &mut Fields,
    key: &'static str,
    read: fn(Fields) -> Result<T, DataError>,
) -> Result<Vec<T>, DataError> {
    fields.list(key, MOST)?.iter().map(|entry| read(entry.fields()?)).collect()
}

fn gate(entry: Entry) -> Result<GateDef, DataError> {
    let seconds = 0.0..=3600.0;
    if !entry.is_table() {
        return Ok(GateDef { at: entry.number(seconds)?, opening_time: 0.0 });
    }
    let mut fields = entry.fields()?;
    let gate = GateDef {
        at: fields.need("at")?.number(seconds)?,
        opening_time: fields.number("opening_time", 0.0..=60.0, 0.0)?,
    };
    fields.done()?;
    Ok(gate)
}

fn tank(mut fields: Fields) -> Result<TankDef, DataError> {
    let default = TankDef::default();
    let shapes = [("box", TankShape::Box), ("circle", TankShape::Circle)];
    let tank = TankDef {
        area: fields.number("area", 0.01..=100.0, default.area)?,
        aspect: fields.get("aspect").map(|entry| entry.number(ASPECTS)).transpose()?,
        shape: fields.word("shape", &shapes, default.shape)?,
        motion: TankMotionDef {
            roll: fields.get("roll").map(|entry| roll(entry.fields()?)).transpose()?,
            flip: fields.get("flip").map(|entry| flip(entry.fields()?)).transpose()?,
            knock: fields.get("knock").map(|entry| knock(entry.fields()?)).transpose()?,
        },
    };
    fields.done()?;
    Ok(tank)
}

fn roll(mut fields: Fields) -> Result<RollDef, DataError> {
    let angle = fields.need("angle")?.number(-90.0..=90.0)?;
    let period = fields.need("period")?.number(0.5..=3600.0)?;
    let first = fields.number("first", 0.0..=3600.0, 0.0)?;
    fields.done()?;
    Ok(RollDef { angle, period, first })
}

fn flip(mut fields: Fields) -> Result<FlipDef, DataError> {
    let every = fields.need("every")?.number(FLIP_TIME..=3600.0)?;
    let first = fields.number("first", 0.0..=3600.0, every)?;
    fields.done()?;
    Ok(FlipDef { every, first })
}

fn knock(mut fields: Fields) -> Result<KnockDef, DataError> {
    let velocity = fields.need("velocity")?.numbers(-10.0..=10.0)?;
    let every = fields.need("every")?.number(0.5..=3600.0)?;
    let first = fields.number("first", 0.0..=3600.0, every)?;
    fields.done()?;
    Ok(KnockDef { velocity, every, first })
}

/// Returns the table of a key that is given without one, if it is not a key of the scene itself.
fn table_of(key: &str, scene: &Node) -> Option<&'static str> {
    match key {
        // Grids, SPH and double-density liquids all have this key.
        "viscosity" => ["smoke", "sph"].into_iter().find(|table| scene.has(table)).or(Some("fluid")),
        "area" | "aspect" | "shape" => Some("tank"),
        key => parameters::TABLES
            .into_iter()
            .map(Numbers::info)
            .find(|table| (table.takes_bare)(key))
            .map(|table| table.path),
    }
}

/// Reads the region of a pool, and its initial velocity.
pub(super) fn place(fields: &mut Fields) -> Result<LiquidRegion, DataError> {
    let region = region(fields)?;
    let velocity = fields.get("velocity").map_or(Ok([0.0; 2]), |entry| entry.numbers(-20.0..=20.0))?;
    let thermal_speed = fields.number("thermal_speed", 0.0..=2.0, 0.0)?;
    Ok(LiquidRegion { region, velocity, thermal_speed, temperature: None, fluid: None, fluid_label: None })
}

fn pool(mut fields: Fields) -> Result<LiquidRegion, DataError> {
    let place = place(&mut fields)?;
    let chosen = fields.get("fluid").map(|entry| fluid::parse_fluid(&entry)).transpose()?;
    let temperature = fields.get("temperature").map(|entry| entry.number(TEMPERATURES)).transpose()?;
    let palette = fields.text("palette")?.map(str::to_owned);
    fields.done()?;
    let (fluid, look) = chosen.map_or((None, None), |(fluid, look)| (Some(fluid), look));
    Ok(LiquidRegion { fluid, fluid_label: palette.or(look), temperature, ..place })
}

fn obstacle(mut fields: Fields) -> Result<Region, DataError> {
    let region = region(&mut fields)?;
    fields.done()?;
    Ok(region)
}

fn inlet(mut fields: Fields) -> Result<InletDef, DataError> {
    let poured = fields.get("fluid").map(|entry| poured_fluid(&entry)).transpose()?;
    let (fluid, look) = poured.map_or((None, None), |(fluid, palette)| (Some(fluid), palette));
    let fluid_label = fields.text("palette")?.map(str::to_owned).or(look);
    let inlet = InletDef {
        at: fields.need("at")?.numbers(0.0..=1.0)?,
        toward: direction(&fields.need("toward")?)?,
        width: fields.need("width")?.number(LENGTH)?,
        speed: fields.need("speed")?.number(0.01..=20.0)?,
        drops: fields.get("drops").map(|entry| drop_times(entry.fields()?)).transpose()?,
        gas: fields.switch("gas", false)?,
        temperature: fields.get("temperature").map(|entry| entry.number(TEMPERATURES)).transpose()?,
        fluid,
        fluid_label,
    };
    fields.done()?;
    Ok(inlet)
}

fn poured_fluid(entry: &Entry) -> Result<(Fluid, Option<String>), DataError> {
    let (fluid, palette) = fluid::parse_fluid(entry)?;
    if fluid.phase.elastic.spring > 0.0 && !fluid.phase.elastic.dynamic_springs {
        return Err(entry.error("cannot be poured: its springs hold only what was there at the start"));
    }
    Ok((fluid, palette))
}

fn drop_times(mut fields: Fields) -> Result<DropTimes, DataError> {
    let every = fields.need("every")?.number(0.1..=3600.0)?;
    let duration = fields.need("for")?.number(0.01..=every)?;
    let first = fields.number("first", 0.0..=3600.0, 0.0)?;
    fields.done()?;
    Ok(DropTimes { every, duration, first })
}

fn direction(entry: &Entry) -> Result<[f32; 2], DataError> {
    let direction = entry.numbers(-1000.0..=1000.0)?;
    if direction == [0.0, 0.0] {
        return Err(entry.error("must point somewhere, as [0, 1] points up; [0, 0] does not"));
    }
    Ok(direction)
}

fn outlet(mut fields: Fields) -> Result<OutletDef, DataError> {
    let region = region(&mut fields)?;
    let rate = fields.need("rate")?.number(0.0..=100.0)?;
    let removes = Removable { gas: fields.switch("gas", false)?, solid: fields.switch("solid", false)? };
    if let Some(entry) = fields.get("solid").filter(|_| removes.gas && removes.solid) {
        return Err(entry.error("must be false where gas is true: no gas is solid"));
    }
    fields.done()?;
    Ok(OutletDef { region, rate, removes })
}

/// Reads a region: the table must hold exactly one of five keys.
pub(super) fn region(fields: &mut Fields) -> Result<Region, DataError> {
    let given = ["box", "circle", "capsule", "polygon", "art"].map(|key| fields.get(key));
    match given {
        [Some(entry), None, None, None, None] => upright_box(&entry),
        [None, Some(entry), None, None, None] => circle(entry.fields()?),
        [None, None, Some(entry), None, None] => capsule(entry.fields()?),
        [None, None, None, Some(entry), None] => polygon(&entry),
        [None, None, None, None, Some(entry)] => art(&entry),
        [None, None, None, None, None] => Err(fields.error("needs one of box, circle, capsule, polygon, art")),
        _ => Err(fields.error("takes only one of box, circle, capsule, polygon, art")),
    }
}

fn art(entry: &Entry) -> Result<Region, DataError> {
    drawing::parse(entry.text()?).map(Region::Drawing).map_err(|wrong| entry.error(wrong))
}

fn upright_box(entry: &Entry) -> Result<Region, DataError> {
    let [left, bottom, right, top] = entry.numbers(PLACE)?;
    if left >= right || bottom >= top {
        return Err(entry.error("must be [left, bottom, right, top] with left below right and bottom below top"));
    }
    if right <= 0.0 || left >= 1.0 || top <= 0.0 || bottom >= 1.0 {
        return Err(entry.error("lies outside the tank, which reaches from [0, 0] to [1, 1]"));
    }
    Ok(Region::Box([left, bottom, right, top]))
}

fn circle(mut fields: Fields) -> Result<Region, DataError> {
    let region =
        Region::Circle { at: fields.need("at")?.numbers(PLACE)?, radius: fields.need("radius")?.number(LENGTH)? };
    fields.done()?;
    Ok(region)
}

fn capsule(mut fields: Fields) -> Result<Region, DataError> {
    let region = Region::Capsule {
        from: fields.need("from")?.numbers(PLACE)?,
        to: fields.need("to")?.numbers(PLACE)?,
        radius: fields.need("radius")?.number(LENGTH)?,
    };
    fields.done()?;
    Ok(region)
}

fn polygon(entry: &Entry) -> Result<Region, DataError> {
    let corners =
        entry.list(MOST_CORNERS)?.iter().map(|corner| corner.numbers(PLACE)).collect::<Result<Vec<_>, _>>()?;
    check::outline(&corners).map_err(|wrong| entry.error(wrong))?;
    Ok(Region::Polygon(corners))
}

/// Reads a colour. It stays text: the simulation passes it on as a label, and the view parses it.
pub(super) fn color(entry: &Entry) -> Result<String, DataError> {
    let text = entry.text()?;
    let digits = text.strip_prefix('#').unwrap_or_default();
    if digits.len() != 6 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return Err(entry.error(format_args!("must be a colour such as \"#1877c9\", not {text:?}")));
    }
    Ok(text.to_owned())
}
