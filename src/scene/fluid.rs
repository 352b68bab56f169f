//! The fluids of a scene: the `[fluid]` table, and the fluids of pools.

use crate::data::{DataError, Entry, Fields};
use crate::scene::fluids;
use crate::scene::fluids::lookup;
use crate::scene::numbers::{NumberField, NumberTable, TableCount, TableInfo, has_number, number, read_numbers, words};
use crate::scene::parameters::OTHERS;
use crate::sim::definition::{LiquidRegion, WorldDef};
use crate::sim::liquid::fluid::{Fluid, WallResponse};
use crate::sim::liquid::phases::PhaseDef;
use crate::sim::liquid::thermal::{MAX_POINTS, ViscosityCurve};

/// The numbers in `[fluid]`; see [`Fluid`] for their meaning.
const NUMBERS: [NumberField<Fluid>; 33] = [
    number(
        "rest_density",
        2.0..=12.0,
        |fluid| &mut fluid.pressure.rest_density,
        words(20, "smoothness", "How many neighbours a particle has: more is smoother and slower"),
    ),
    number(
        "stiffness",
        0.0..=1000.0,
        |fluid| &mut fluid.pressure.stiffness,
        words(9, "far pressure", "How strongly it resists compression over a distance"),
    ),
    number(
        "tension_scale",
        0.0..=1.0,
        |fluid| &mut fluid.pressure.tension_scale,
        words(2, "surface tension", "How strongly the surface draws together into sheets and beads"),
    ),
    number(
        "near_stiffness",
        0.0..=3000.0,
        |fluid| &mut fluid.pressure.near_stiffness,
        words(7, "firmness", "How hard it is to compress: low is springy, high is like water"),
    ),
    number(
        "near_rest_density",
        0.0..=8.0,
        |fluid| &mut fluid.pressure.near_rest_density,
        words(20, "near spacing", "The density of near particles above which they repel"),
    ),
    number(
        "viscosity",
        0.0..=1.0,
        |fluid| &mut fluid.phase.viscous.viscosity,
        words(1, "thickness", "How slowly it flows: water has none, oil a little, honey much"),
    ),
    number(
        "sigma",
        0.0..=1.0,
        |fluid| &mut fluid.phase.viscous.sigma,
        words(8, "stickiness", "How much it damps slow approach of particles"),
    ),
    number(
        "beta",
        0.0..=10.0,
        |fluid| &mut fluid.phase.viscous.beta,
        words(10, "splash damping", "How much it damps fast approach of particles"),
    ),
    number(
        "thermal_speed",
        0.0..=1.0,
        |fluid| &mut fluid.thermal_speed,
        words(6, "liveliness", "The random motion of particles that keeps thin liquid fluid"),
    ),
    number(
        "restitution",
        0.0..=1.0,
        |fluid| &mut fluid.walls.restitution,
        words(4, "bounce", "How much of its speed it keeps where it hits a wall"),
    ),
    number(
        "release_speed",
        0.0..=10.0,
        |fluid| &mut fluid.walls.release_speed,
        words(12, "wall release", "The speed at which particles leave a wall that they touch"),
    ),
    number(
        "wall_density",
        0.0..=2.0,
        |fluid| &mut fluid.walls.wall_density,
        words(20, "wall density", "The assumed density of liquid behind a wall"),
    ),
    number(
        "mirrored_pressure",
        0.0..=1.0,
        |fluid| &mut fluid.walls.mirrored_pressure,
        words(20, "wall push", "The share of the liquid's pressure that a wall returns"),
    ),
    number(
        "adhesion",
        0.0..=1.0,
        |fluid| &mut fluid.walls.adhesion,
        words(11, "wall pull", "How strongly a wall draws the liquid to itself"),
    ),
    number(
        "wall_friction",
        0.0..=10.0,
        |fluid| &mut fluid.walls.wall_friction,
        words(5, "wall grip", "How much walls brake the liquid beside them"),
    ),
    number(
        "slip_speed",
        0.001..=100.0,
        |fluid| &mut fluid.walls.slip_speed,
        words(20, "slip speed", "The speed above which the liquid slips along walls"),
    ),
    number(
        "wall_drag",
        0.0..=1.0,
        |fluid| &mut fluid.walls.wall_drag,
        words(13, "wave damping", "How much walls damp large waves"),
    ),
    number(
        "spring",
        0.0..=500.0,
        |fluid| &mut fluid.phase.elastic.spring,
        words(2, "springiness", "How strongly it springs back into its shape"),
    ),
    number(
        "yield_ratio",
        0.0..=1.0,
        |fluid| &mut fluid.phase.elastic.yield_ratio,
        words(7, "yield", "The strain above which it deforms for good"),
    ),
    number(
        "plasticity",
        0.0..=100.0,
        |fluid| &mut fluid.phase.elastic.plasticity,
        words(3, "softness", "How quickly it takes on a new shape"),
    ),
    number(
        "density",
        0.1..=20.0,
        |fluid| &mut fluid.phase.density,
        words(5, "weight", "How heavy it is: a lighter fluid floats on it"),
    ),
    number(
        "diffusion",
        0.0..=0.01,
        |fluid| &mut fluid.phase.diffusion,
        words(6, "mixing", "How quickly its colour mixes with that of other fluids"),
    ),
    number(
        "interfacial_repulsion",
        0.0..=20.0,
        |fluid| &mut fluid.phase.interfacial_repulsion,
        words(4, "parting", "How strongly it separates from other fluids"),
    ),
    number(
        "wetting",
        0.0..=1.0,
        |fluid| &mut fluid.phase.wetting,
        words(12, "wetting", "How much it wets walls: without it drops of it stay round"),
    ),
    number(
        "foam",
        0.0..=4.0,
        |fluid| &mut fluid.phase.whitening.foam,
        words(6, "foam", "How much spray and foam it makes where it breaks"),
    ),
    number(
        "embers",
        0.0..=4.0,
        |fluid| &mut fluid.phase.whitening.embers,
        words(3, "embers", "How many sparks it throws where it moves"),
    ),
    number(
        "conductivity",
        0.0..=0.1,
        |fluid| &mut fluid.phase.thermal.conductivity,
        words(6, "heat conduction", "How quickly heat spreads through it"),
    ),
    number(
        "heat_capacity",
        100.0..=20_000.0,
        |fluid| &mut fluid.phase.thermal.heat_capacity,
        words(14, "heat capacity", "How much heat warms it by one degree"),
    ),
    number(
        "expansion",
        -0.01..=0.1,
        |fluid| &mut fluid.phase.thermal.expansion,
        words(7, "expansion", "How much it expands when it warms, so that it rises"),
    ),
    number(
        "melting_point",
        -273.0..=3000.0,
        |fluid| &mut fluid.phase.thermal.melting_point,
        words(8, "melting point", "The temperature at which it melts and freezes"),
    ),
    number(
        "latent_heat",
        0.0..=1e7,
        |fluid| &mut fluid.phase.thermal.latent_heat,
        words(15, "heat of melting", "How much heat melting takes"),
    ),
    number(
        "boiling_point",
        -273.0..=5000.0,
        |fluid| &mut fluid.phase.thermal.boiling_point,
        words(9, "boiling point", "The temperature at which it boils"),
    ),
    number(
        "boiling_heat",
        0.0..=1e7,
        |fluid| &mut fluid.phase.thermal.boiling_heat,
        words(16, "heat of boiling", "How much heat boiling takes"),
    ),
];

/// Number of entries at the end of [`NUMBERS`] that concern heat.
const THERMAL: usize = 7;

/// The numbers of `[fluid]`.
pub static TABLE: NumberTable<Fluid> = NumberTable {
    info: TableInfo {
        is_effective: |world, key| {
            (world.has_heat() || !is_thermal(key)) && is_effective(&world.fluid, &world.other_phases(), key)
        },
        takes_bare: has,
        // If liquid enters only through an inlet, the scene is mainly about its cloth.
        rank_offset: |world| if world.liquid.is_empty() && world.inlet.is_empty() { OTHERS } else { 0 },
        ..TableInfo::new("fluid", TableCount::One(WorldDef::has_liquid))
    },
    numbers: &[&NUMBERS],
    table: |world, _| Some(&mut world.fluid),
};

const WALLS: [(&str, WallResponse); 3] = [
    ("bounce", WallResponse::Bounce),
    ("anti-stick", WallResponse::AntiStick),
    ("half-plane", WallResponse::HalfPlane),
];

/// Whether the number at `key` changes the flow of the fluid in a tank with `others`.
fn is_effective(fluid: &Fluid, others: &[PhaseDef], key: &str) -> bool {
    let elastic = &fluid.phase.elastic;
    match key {
        // Each of these scales a pressure that is proportional to `stiffness`.
        "rest_density" | "tension_scale" => fluid.pressure.stiffness > 0.0,
        "adhesion" => fluid.pressure.stiffness > 0.0 && fluid.walls.response == WallResponse::HalfPlane,
        "near_rest_density" => fluid.pressure.near_stiffness > 0.0,
        "release_speed" => fluid.walls.response == WallResponse::AntiStick,
        "wall_density" | "mirrored_pressure" | "wall_friction" | "wall_drag" => {
            fluid.walls.response == WallResponse::HalfPlane
        }
        "slip_speed" => fluid.walls.response == WallResponse::HalfPlane && fluid.walls.wall_friction > 0.0,
        // Particles that were poured have no springs at first, and get some only if springs are dynamic.
        "spring" => elastic.spring > 0.0 || elastic.dynamic_springs,
        "plasticity" => elastic.spring > 0.0,
        "yield_ratio" => elastic.spring > 0.0 && elastic.plasticity > 0.0,
        // Only if the fluid makes some.
        "foam" => fluid.phase.whitening.foam > 0.0,
        "embers" => fluid.phase.whitening.embers > 0.0,
        "density" | "interfacial_repulsion" => !others.is_empty(),
        // Walls repel as fluids do.
        "wetting" => {
            let phases = others.iter().map(|other| &other.fluid.phase).chain([&fluid.phase]);
            !others.is_empty() && phases.map(|phase| phase.interfacial_repulsion).any(|repulsion| repulsion > 0.0)
        }
        "melting_point" | "latent_heat" => fluid.phase.thermal.solid.is_some(),
        // It has an effect only after something boils.
        "boiling_heat" => false,
        "viscosity" => fluid.phase.thermal.viscosity_at.is_empty(),
        "boiling_point" => fluid.phase.thermal.boiling_heat > 0.0,
        // Diffusion between two fluids is the lower of their values.
        "diffusion" => others.iter().any(|other| other.fluid.phase.diffusion > 0.0),
        _ => true,
    }
}

/// Whether the key concerns heat, and so has no effect in a tank without a temperature.
fn is_thermal(key: &str) -> bool {
    NUMBERS[NUMBERS.len() - THERMAL..].iter().any(|number| number.key == key)
}

/// Whether `[fluid]` has this key.
fn has(key: &str) -> bool {
    ["preset", "wall", "calms", "dynamic_springs", "gas", "viscosity_at", "solid"].contains(&key)
        || has_number(&NUMBERS, key)
}

/// Reads a fluid from a table. Values that the table does not give are those of `like`.
///
/// # Errors
/// Names the key whose value is out of range.
pub fn fluid(fields: &mut Fields, like: Fluid) -> Result<Fluid, DataError> {
    let mut fluid = like;
    fluid.walls.response = fields.word("wall", &WALLS, fluid.walls.response)?;
    fluid.calms = fields.switch("calms", fluid.calms)?;
    fluid.phase.elastic.dynamic_springs = fields.switch("dynamic_springs", fluid.phase.elastic.dynamic_springs)?;
    fluid.phase.gas = fields.switch("gas", fluid.phase.gas)?;
    read_numbers(fields, NUMBERS, &mut fluid)?;
    if let Some(entry) = fields.get("viscosity_at") {
        fluid.phase.thermal.viscosity_at = viscosity_at(&entry)?;
    }
    Ok(fluid)
}

/// Reads temperatures and viscosities, the coldest first.
fn viscosity_at(entry: &Entry) -> Result<ViscosityCurve, DataError> {
    let points = entry.list(MAX_POINTS)?;
    let points = points.iter().map(|point| point.numbers(-273.0..=5000.0)).collect::<Result<Vec<[f32; 2]>, _>>()?;
    let sound = points.iter().all(|point| (1e-7..=1.0).contains(&point[1])) && points.len() != 1;
    ViscosityCurve::new(&points).filter(|_| sound).ok_or_else(|| {
        entry.error("must be two or more of [°C, m²/s], the coldest first, with viscosities from 1e-7 to 1")
    })
}

/// Reads a fluid: a name, or a table that may name one and override its values. Also returns the palette that comes
/// with the name.
///
/// # Errors
/// Names the key whose value is out of range, or a preset that does not exist.
pub fn parse_fluid(entry: &Entry) -> Result<(Fluid, Option<String>), DataError> {
    let own = |name: &Entry| lookup(name).map(|named| (named.fluid, Some(named.palette.clone())));
    if entry.is_text() {
        return own(entry);
    }
    let mut fields = entry.fields()?;
    let (like, palette) = fields.get("preset").map_or(Ok((*fluids::water(), None)), |name| own(&name))?;
    let mut fluid = fluid(&mut fields, like)?;
    if let Some(solid) = fields.get("solid") {
        fluid.phase.thermal.solid = if solid.text()?.is_empty() { None } else { Some(fluids::solid(&solid)?) };
    }
    fields.done()?;
    Ok((fluid, palette))
}

/// Determines the scene's own fluid: that of `[fluid]`, or else that of the first pool. Pools of the same fluid then
/// have no fluid of their own.
///
/// # Errors
/// As [`parse_fluid`], and if pools contradict the table.
pub fn of_scene(table: Option<Entry>, pools: &mut [LiquidRegion]) -> Result<(Fluid, Option<String>), DataError> {
    let first = pools.first().and_then(|pool| pool.fluid.map(|fluid| (fluid, pool.fluid_label.clone())));
    let (fluid, palette) = match (table, first) {
        (Some(table), _) => parse_fluid(&table)?,
        (None, Some(first)) => first,
        (None, None) => (*fluids::water(), None),
    };
    for pool in pools {
        if pool.fluid == Some(fluid) && pool.fluid_label == palette {
            (pool.fluid, pool.fluid_label) = (None, None);
        } else if pool.fluid_label.is_some() {
            // The pool has the scene's fluid in another colour.
            pool.fluid = pool.fluid.or(Some(fluid));
        }
    }
    Ok((fluid, palette))
}
