//! The parameters of a fluid in a table: `[fluid]`, and each fluid of its own.

use crate::data::{DataError, Entry, Fields};
use crate::scene::table::{OTHERS, Table, has_number, read_numbers};
use crate::sim::heat::enthalpy::{MAX_POINTS, Thermal, ViscosityCurve};
use crate::sim::liquid::fluid::{Fluid, WallResponse};
use crate::sim::liquid::phases::PhaseDef;
use crate::sim::parameters::Numbers;

pub static TABLE: Table = Table {
    is_effective: |world, key| {
        let has_solids = !world.body.is_empty() || world.cloth.is_some();
        (world.has_heat() || !has_number::<Thermal>(key)) && is_effective(&world.fluid, &world.other_phases(), key)
            || key == "density" && has_solids
    },
    takes_bare: has,
    // If liquid enters only through an inlet, the scene is mainly about its cloth.
    rank_offset: |world| if world.liquid.is_empty() && world.inlet.is_empty() { OTHERS } else { 0 },
    ..Table::new("fluid", |world, _| world.has_liquid().then(|| world.fluid.numbers()))
};

/// In a tank with `others`.
fn is_effective(fluid: &Fluid, others: &[PhaseDef], key: &str) -> bool {
    let elastic = &fluid.phase.elastic;
    match key {
        // Each of these scales a pressure that is proportional to `stiffness`.
        "rest_density" | "tension_scale" => fluid.pressure.stiffness > 0.0,
        "adhesion" => fluid.pressure.stiffness > 0.0 && fluid.walls.response == WallResponse::HalfPlane,
        // Where a grid carries the weight, it tells only how far the liquid calms. Several fluids move each other for long.
        // The particles alone have a thermostat, unless one of the fluids is viscous.
        "thermal_speed" if !fluid.grid_pressure => {
            !fluid.phase.is_viscous() && !others.iter().any(|other| other.fluid.phase.is_viscous())
        }
        "thermal_speed" => fluid.thermal_speed > 0.0 && others.is_empty() && fluid.calms,
        // A grid brings a thick liquid to rest before it meets a wall.
        "restitution" => fluid.phase.viscous.viscosity == 0.0 || !fluid.grid_pressure,
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
        "melting_point" | "latent_heat" => fluid.phase.solid.is_some(),
        // It has an effect only after something boils.
        "boiling_heat" => false,
        // Where nothing freezes it has none.
        "undercooling" => fluid.phase.solid.is_some() && fluid.phase.thermal.undercooling > 0.0,
        "viscosity" => fluid.phase.thermal.viscosity_at.is_empty(),
        "boiling_point" => fluid.phase.thermal.boiling_heat > 0.0,
        // Diffusion between two fluids is the lower of their values.
        "diffusion" => others.iter().any(|other| other.fluid.phase.diffusion > 0.0),
        _ => true,
    }
}

fn has(key: &str) -> bool {
    ["preset", "wall", "calms", "grid_pressure", "dynamic_springs", "gas", "viscosity_at", "solid"].contains(&key)
        || has_number::<Fluid>(key)
}

/// Values that the table does not give are those of `like`.
pub fn fluid(fields: &mut Fields, like: Fluid) -> Result<Fluid, DataError> {
    let mut fluid = like;
    fluid.walls.response = fields.one_of("wall", WallResponse::ALL, WallResponse::name, fluid.walls.response)?;
    fluid.calms = fields.switch("calms", fluid.calms)?;
    fluid.grid_pressure = fields.switch("grid_pressure", fluid.grid_pressure)?;
    fluid.phase.elastic.dynamic_springs = fields.switch("dynamic_springs", fluid.phase.elastic.dynamic_springs)?;
    fluid.phase.gas = fields.switch("gas", fluid.phase.gas)?;
    read_numbers(fields, &mut fluid)?;
    if let Some(entry) = fields.get("viscosity_at") {
        fluid.phase.thermal.viscosity_at = viscosity_at(&entry)?;
    }
    Ok(fluid)
}

/// Reads temperatures and viscosities, the coldest first.
fn viscosity_at(entry: &Entry) -> Result<ViscosityCurve, DataError> {
    let points: Vec<[f32; 2]> = entry.points(MAX_POINTS, -273.0..=5000.0)?;
    let sound = points.iter().all(|point| (1e-7..=1.0).contains(&point[1])) && points.len() != 1;
    ViscosityCurve::new(&points).filter(|_| sound).ok_or_else(|| {
        entry.error("must be two or more of [°C, m²/s], the coldest first, with viscosities from 1e-7 to 1")
    })
}
