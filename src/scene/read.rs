//! From a scene's text to a [`Scene`]: the tables of the file, and what is checked of all together.

use crate::data::{DataError, Entry, Fields, Node, Setting, advice};
use crate::scene::region::{LENGTH, MAX_ENTRIES, region, region_at_start};
use crate::scene::table::{numbers_only, read_numbers};
use crate::scene::{PARTICLES, Scene, body, check, cloth, feed, fish, fluids, mark, parameters, piston, smoke, sph};
use crate::sim::ASPECTS;
use crate::sim::boundary::Container;
use crate::sim::boundary::drawing::Drawing;
use crate::sim::boundary::region::Region;
use crate::sim::definition::{
    DropTimes, FlipDef, GateDef, InletDef, KnockDef, LiquidRegion, OutletDef, RollDef, TankDef, TankMotionDef,
    WallMaterial, WorldDef, number_among,
};
use crate::sim::grid_fluid::Dye;
use crate::sim::heat::{HeaterDef, TEMPERATURES};
use crate::sim::life::definition::Species;
use crate::sim::liquid::MAX_FLUIDS;
use crate::sim::liquid::fluid::Fluid;
use crate::sim::liquid::phases::Removable;
use crate::sim::world::tank_motion::FLIP_TIME;
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;

/// The keys for the resolution of a liquid, of which a scene has one. A setting of either replaces the file's other.
const RESOLUTIONS: [&str; 2] = ["particles", "interaction_radius"];

/// Range of the interaction radius, metres.
const INTERACTION_RADIUS: RangeInclusive<f32> = 0.005..=1.0;

/// Range of a heater's power, in watts per metre of the tank's depth. Negative values cool.
const HEATER_POWER: RangeInclusive<f32> = -1e8..=1e8;

impl Scene {
    /// Parses a scene. `source` names the text in errors: a path, or another name that the user knows.
    ///
    /// # Errors
    /// Names the line and the key that is unknown, missing or out of range.
    pub fn parse(text: &str, source: &str) -> Result<Scene, DataError> {
        Scene::parse_with(text, source, &[], &[])
    }

    /// The embedded scene of this name.
    pub fn embedded(name: &str) -> Option<Scene> {
        crate::scene::find(name).and_then(|text| Scene::parse(text, name).ok())
    }

    /// Checks a scene that a program has filled in, as a file with the same content.
    ///
    /// # Errors
    /// As [`Scene::parse`]; the lines are those of [`Scene::to_toml`].
    pub fn check(&self) -> Result<(), DataError> {
        let table = self.table().map_err(|error| DataError::new(self.name.clone(), error.to_string()))?;
        Scene::parse(&table.to_string(), &self.name).map(drop)
    }

    /// Writes the scene as a file with the same content.
    ///
    /// # Panics
    /// If a number is larger than TOML has them; see [`Scene::check`].
    pub fn to_toml(&self) -> String {
        self.table().expect("a scene is plain tables").to_string()
    }

    fn table(&self) -> Result<toml::Table, toml::ser::Error> {
        let mut table = toml::Table::try_from(self)?;
        if self.world.interaction_radius.is_some() {
            table.remove("particles");
        }
        Ok(table)
    }

    /// Parses a scene and applies settings. The keys of `[fluid]` and `[tank]` may be given without the table's name. The scene may
    /// name `species` besides those that slosh comes with.
    ///
    /// # Errors
    /// As [`Scene::parse`], and names a setting that the scene does not have.
    pub fn parse_with(
        text: &str,
        source: &str,
        settings: &[Setting],
        species: &[Arc<Species>],
    ) -> Result<Scene, DataError> {
        let mut tree = Node::parse(text, source)?;
        let [count, radius] = RESOLUTIONS.map(|key| settings.iter().any(|setting| setting.bare_key() == Some(key)));
        for (key, replaced) in RESOLUTIONS.into_iter().zip([radius && !count, count && !radius]) {
            if replaced {
                tree.remove(key);
            }
        }
        for setting in settings {
            let table = setting.bare_key().and_then(|key| table_of(key, &tree));
            tree.set(&table.map_or_else(|| setting.clone(), |table| setting.clone().within(table)))?;
        }
        let mut scene = scene(&mut tree.fields()?, species)?;
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

fn scene(fields: &mut Fields, species: &[Arc<Species>]) -> Result<Scene, DataError> {
    let mut liquid = fields.tables("liquid", MAX_ENTRIES, pool)?;
    let (fluid, look) = fluids::of_scene(fields.get("fluid"), &mut liquid)?;
    let mut inlet = fields.tables("inlet", MAX_ENTRIES, inlet)?;
    let name = fields.text("name")?.unwrap_or_default().to_owned();
    let about = fields.text("about")?.unwrap_or_default().to_owned();
    let palette = fields.text("palette")?.map(str::to_owned).or_else(|| look.clone());
    // An inlet may name the scene's own fluid, and then has the scene's colours.
    for inlet in inlet.iter_mut().filter(|inlet| inlet.fluid == Some(fluid) && inlet.fluid_label == look) {
        inlet.fluid_label.clone_from(&palette);
    }
    // With a palette alone, it pours the scene's fluid in another colour.
    for inlet in inlet.iter_mut().filter(|inlet| inlet.fluid_label.is_some()) {
        inlet.fluid = inlet.fluid.or(Some(fluid));
    }
    let default = WorldDef::default();
    let mut world = WorldDef {
        particles: fields.integer("particles", PARTICLES, default.particles as i64)? as usize,
        interaction_radius: fields.optional("interaction_radius", INTERACTION_RADIUS)?,
        metaballs: fields.table("metaballs", numbers_only)?.unwrap_or_default(),
        labels: fields.get("labels").map(|entry| entry.texts()).transpose()?.unwrap_or_default(),
        substeps: fields.integer("substeps", 1..=1000, i64::from(default.substeps))? as u32,
        gate: fields.get("gate").map(gate).transpose()?,
        fluid_label: palette,
        repeat: fields.optional("repeat", 1.0..=3600.0)?,
        mark: fields.tables("mark", MAX_ENTRIES, mark::mark)?,
        tank: fields.table("tank", tank)?.unwrap_or_default(),
        fluid,
        liquid,
        sph: fields.table("sph", sph::sph)?,
        smoke: fields.table("smoke", smoke::smoke)?,
        body: fields.tables("body", MAX_ENTRIES, body::body)?,
        fish: fields.tables("fish", MAX_ENTRIES, |fields| fish::fish(fields, species))?,
        weed: fields.tables("weed", MAX_ENTRIES, fish::weed)?,
        bubbles: fields.tables("bubbles", MAX_ENTRIES, fish::bubbles)?,
        cloth: fields.table("cloth", cloth::cloth)?,
        obstacle: fields.tables("obstacle", MAX_ENTRIES, region)?,
        piston: fields.tables("piston", MAX_ENTRIES, piston::piston)?,
        inlet,
        outlet: fields.tables("outlet", MAX_ENTRIES, outlet)?,
        heat: fields.table("heat", numbers_only)?,
        heater: fields.tables("heater", MAX_ENTRIES, heater)?,
        ..default
    };
    // Of the numbers of the scene itself; `[fluid]` and the other tables have their own.
    read_numbers(fields, &mut world)?;
    let may_boil = world.has_heat() && world.has_liquid();
    if let Some(smoke) = world.smoke.as_mut().filter(|smoke| smoke.dye.is_empty()) {
        smoke.dye.push(if may_boil { Dye::steam() } else { Dye::default() });
    }
    let feed = fields.tables("feed", MAX_ENTRIES, feed::feed)?;
    fields.done()?;
    if let [Some(count), Some(radius)] = RESOLUTIONS.map(|key| fields.get(key)) {
        return Err(
            radius.error(format_args!("and `particles` ({}) exclude each other: give one of them", count.origin()))
        );
    }
    check_whole(fields, &world)?;
    if let Some(h) = world.interaction_radius {
        world.particles =
            check::count_at(&world, h, *PARTICLES.end() as usize).map_err(|message| fields.error(message))?;
    }
    for (feed, entry) in feed.iter().zip(fields.list("feed", MAX_ENTRIES)?) {
        feed.validated(&world).map_err(|(key, wrong)| entry.error(format_args!("`{key}`: {wrong}")))?;
    }
    Ok(Scene { name, about, feed, world })
}

fn check_whole(fields: &mut Fields, world: &WorldDef) -> Result<(), DataError> {
    let inlets = fields.list("inlet", MAX_ENTRIES)?;
    let others = world.other_phases();
    let pools = world.liquid.iter().map(|pool| (&pool.fluid, &pool.fluid_label));
    let named = pools.chain(world.inlet.iter().map(|inlet| (&inlet.fluid, &inlet.fluid_label)));
    for (entry, (fluid, label)) in fields.list("liquid", MAX_ENTRIES)?.iter().chain(&inlets).zip(named) {
        if number_among(fluid, label, &others).is_some_and(|number| usize::from(number) >= MAX_FLUIDS) {
            let (mut own, phases) = (entry.fields()?, 1 + others.len());
            let key = ["fluid", "palette"].into_iter().find_map(|key| own.get(key)).unwrap_or_else(|| entry.clone());
            return Err(key.error(format_args!(
                "is one fluid too many: a tank holds at most {MAX_FLUIDS} different fluids, and these are {phases}"
            )));
        }
    }
    let poured = inlets.iter().zip(&world.inlet).find(|(_, inlet)| inlet.fluid.is_some());
    if let Some((inlet, _)) = poured.filter(|_| world.sph.is_some()) {
        return Err(inlet.error("takes neither `fluid` nor `palette` in a tank with [sph]: it pours that liquid"));
    }
    if world.sph.is_some() && !world.liquid.is_empty() {
        return Err(
            fields.error("holds [[liquid]] and [sph]: a tank has one liquid; the pools of [sph] are [[sph.liquid]]")
        );
    }
    if let Some(labels) = fields.get("labels") {
        let known: Vec<String> = parameters::all(world).into_iter().map(|it| it.key.into_owned()).collect();
        if let Some(key) = world.labels.keys().find(|key| !known.contains(key)) {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            return Err(
                labels.error(format_args!("names no parameter of this scene: {key:?}; {}", advice(key, &known)))
            );
        }
    }
    check::room(world).map_err(|message| fields.error(message))?;
    if let Some(cloth) = fields.get("cloth") {
        let entry = cloth.fields()?.get("integrator").unwrap_or(cloth);
        cloth::check_integrator(world).map_err(|message| entry.error(message))?;
    }
    let heat = fields.get("heat").or(fields.list("heater", MAX_ENTRIES)?.into_iter().next());
    if world.sph.is_some() && world.has_heat() {
        let message = "the particles of [sph] have no temperature: use [[liquid]], or leave out [heat] and [[heater]]";
        let whole = fields.error(message);
        return Err(heat.map_or(whole.clone(), |heat| DataError { origin: heat.origin(), ..whole }));
    }
    check::heaters(world, &fields.list("heater", MAX_ENTRIES)?)?;
    body::fits(world, &fields.list("body", MAX_ENTRIES)?)?;
    fish::check(world, &fields.list("fish", MAX_ENTRIES)?)?;
    match fields.get("gate") {
        Some(gate) if world.obstacle.is_empty() => Err(gate.error("lifts the first [[obstacle]], and there is none")),
        _ => Ok(()),
    }
}

fn gate(entry: Entry) -> Result<GateDef, DataError> {
    let seconds = 0.0..=3600.0;
    if !entry.is_table() {
        return Ok(GateDef { at: entry.number(seconds)?, opening_time: 0.0 });
    }
    entry.table(|fields| {
        Ok(GateDef {
            at: fields.need("at")?.number(seconds)?,
            opening_time: fields.number("opening_time", 0.0..=60.0, 0.0)?,
        })
    })
}

fn tank(fields: &mut Fields) -> Result<TankDef, DataError> {
    let mut tank = TankDef {
        aspect: fields.optional("aspect", ASPECTS)?,
        shape: fields.one_of("shape", Container::ALL, Container::name, Container::Box)?,
        walls: fields.one_of("walls", WallMaterial::ALL, WallMaterial::name, WallMaterial::Stone)?,
        motion: TankMotionDef {
            roll: fields.table("roll", roll)?,
            flip: fields.table("flip", flip)?,
            knock: fields.table("knock", knock)?,
        },
        ..TankDef::default()
    };
    read_numbers(fields, &mut tank)?;
    Ok(tank)
}

fn roll(fields: &mut Fields) -> Result<RollDef, DataError> {
    Ok(RollDef {
        angle: fields.need("angle")?.number(-90.0..=90.0)?,
        period: fields.need("period")?.number(0.5..=3600.0)?,
        first: first(fields, 0.0)?,
    })
}

fn flip(fields: &mut Fields) -> Result<FlipDef, DataError> {
    let every = fields.need("every")?.number(FLIP_TIME..=3600.0)?;
    Ok(FlipDef { every, first: first(fields, every)? })
}

fn knock(fields: &mut Fields) -> Result<KnockDef, DataError> {
    let every = fields.need("every")?.number(0.5..=3600.0)?;
    Ok(KnockDef { velocity: fields.need("velocity")?.numbers(-10.0..=10.0)?, every, first: first(fields, every)? })
}

fn first(fields: &mut Fields, default: f32) -> Result<f32, DataError> {
    fields.number("first", 0.0..=3600.0, default)
}

fn heater(fields: &mut Fields) -> Result<HeaterDef, DataError> {
    let region = region(fields)?;
    let temperature = fields.optional("temperature", TEMPERATURES)?;
    let power = fields.optional("power", HEATER_POWER)?;
    if temperature.is_some() == power.is_some() {
        return Err(
            fields.error("needs one of temperature (°C, of the walls in it) and power (W/m, for what is in it)")
        );
    }
    Ok(HeaterDef { region, temperature, power })
}

fn pool(fields: &mut Fields) -> Result<LiquidRegion, DataError> {
    let pool = region_at_start(fields)?;
    let chosen = fields.get("fluid").map(|entry| fluids::parse_fluid(&entry)).transpose()?;
    let (fluid, look) = chosen.unzip();
    let temperature = fields.optional("temperature", TEMPERATURES)?;
    let palette = fields.text("palette")?.map(str::to_owned);
    Ok(LiquidRegion { fluid, fluid_label: palette.or(look.flatten()), temperature, ..pool })
}

fn inlet(fields: &mut Fields) -> Result<InletDef, DataError> {
    let (fluid, look) = fields.get("fluid").map(|entry| poured_fluid(&entry)).transpose()?.unzip();
    let gas = fields.switch("gas", false)?;
    if let Some(entry) = fields.get("palette").filter(|_| gas) {
        return Err(entry.error("must be left out where gas is true: gas is not drawn"));
    }
    Ok(InletDef {
        fluid_label: fields.text("palette")?.map(str::to_owned).or(look.flatten()),
        at: fields.need("at")?.numbers(0.0..=1.0)?,
        toward: direction(&fields.need("toward")?)?,
        width: fields.need("width")?.number(LENGTH)?,
        speed: fields.need("speed")?.number(0.0..=20.0)?,
        drops: fields.table("drops", drop_times)?,
        gas,
        temperature: fields.optional("temperature", TEMPERATURES)?,
        fluid,
    })
}

fn poured_fluid(entry: &Entry) -> Result<(Fluid, Option<String>), DataError> {
    let (fluid, palette) = fluids::parse_fluid(entry)?;
    if fluid.phase.elastic.spring > 0.0 && !fluid.phase.elastic.dynamic_springs {
        return Err(entry.error("cannot be poured: its springs hold only what was there at the start"));
    }
    Ok((fluid, palette))
}

fn drop_times(fields: &mut Fields) -> Result<DropTimes, DataError> {
    let every = fields.need("every")?.number(0.1..=3600.0)?;
    Ok(DropTimes { every, duration: fields.need("for")?.number(0.01..=every)?, first: first(fields, 0.0)? })
}

fn direction(entry: &Entry) -> Result<[f32; 2], DataError> {
    let direction = entry.numbers(-1000.0..=1000.0)?;
    if direction == [0.0, 0.0] {
        return Err(entry.error("must point somewhere, as [0, 1] points up; [0, 0] does not"));
    }
    Ok(direction)
}

fn outlet(fields: &mut Fields) -> Result<OutletDef, DataError> {
    let region = region(fields)?;
    let rate = fields.need("rate")?.number(0.0..=100.0)?;
    let removes = Removable { gas: fields.switch("gas", false)?, solid: fields.switch("solid", false)? };
    if let Some(entry) = fields.get("solid").filter(|_| removes.gas && removes.solid) {
        return Err(entry.error("must be false where gas is true: no gas is solid"));
    }
    Ok(OutletDef { region, rate, removes })
}

/// Returns the table of a key that is given without one, if it is not a key of the scene itself.
fn table_of(key: &str, scene: &Node) -> Option<&'static str> {
    match key {
        // Grids, SPH and double-density liquids all have this key.
        "viscosity" => ["smoke", "sph"].into_iter().find(|table| scene.has(table)).or(Some("fluid")),
        "area" | "aspect" | "shape" => Some("tank"),
        "integrator" | "texture" => Some("cloth"),
        key => parameters::TABLES.into_iter().find(|table| (table.takes_bare)(key)).map(|table| table.path),
    }
}
