//! The `[sph]` table of a scene: a liquid by smoothed particle hydrodynamics, and its pools.

use crate::data::{DataError, Fields};
use crate::scene::numbers::{NumberField, NumberTable, TableCount, TableInfo, number, read_numbers, words};
use crate::scene::read::{each, place};
use crate::sim::definition::{LiquidRegion, SphDef};
use crate::sim::liquid::pressure::wcsph::SphMaterial;
use crate::sim::liquid::pressure::wcsph::kernels::Kernel;

/// The keys of `[sph]` that a setting may give without the table's name. The others are also keys of other tables.
const BARE_KEYS: [&str; 5] = ["gamma", "bulk_viscosity", "surface_tension", "surface_threshold", "neighbours"];

/// The numbers in `[sph]` that may change during a run; see [`SphMaterial`] for their meaning.
const NUMBERS: [NumberField<SphMaterial>; 11] = [
    number(
        "rest_density",
        1.0..=20_000.0,
        |substance| &mut substance.rest_density,
        words(5, "weight", "How heavy a cubic metre of it is"),
    ),
    number(
        "stiffness",
        100.0..=1e7,
        |substance| &mut substance.stiffness,
        words(6, "firmness", "How hard it is to compress"),
    ),
    number(
        "gamma",
        1.0..=7.0,
        |substance| &mut substance.gamma,
        words(8, "hardening", "How much it stiffens with compression"),
    ),
    number(
        "viscosity",
        0.0..=1000.0,
        |substance| &mut substance.viscosity,
        words(1, "thickness", "How slowly it flows: low is water, high is honey"),
    ),
    number(
        "bulk_viscosity",
        0.0..=0.5,
        |substance| &mut substance.bulk_viscosity,
        words(7, "sound damping", "How soon sound waves after an impact die away"),
    ),
    number(
        "surface_tension",
        0.0..=1000.0,
        |substance| &mut substance.surface_tension,
        words(2, "surface tension", "How strongly the surface draws together into beads"),
    ),
    number(
        "surface_threshold",
        0.02..=0.4,
        |substance| &mut substance.surface_threshold,
        words(9, "surface bound", "The lack of neighbours above which a particle is surface"),
    ),
    number(
        "restitution",
        0.0..=1.0,
        |substance| &mut substance.restitution,
        words(3, "bounce", "How much of its speed it keeps where it hits a wall"),
    ),
    number(
        "wall_friction",
        0.0..=10.0,
        |substance| &mut substance.wall_friction,
        words(4, "wall grip", "How much walls brake the liquid beside them"),
    ),
    number(
        "adhesion",
        0.0..=1.0,
        |substance| &mut substance.adhesion,
        words(8, "wall pull", "How strongly a wall draws the surface to itself"),
    ),
    number(
        "foam",
        0.0..=4.0,
        |substance| &mut substance.foam,
        words(6, "foam", "How much spray and foam it makes where it breaks"),
    ),
];

/// The numbers of `[sph]`.
pub static TABLE: NumberTable<SphMaterial> = NumberTable {
    info: TableInfo {
        is_effective: |world, key| world.sph.as_ref().is_some_and(|sph| is_effective(&sph.material, key)),
        takes_bare: |key| BARE_KEYS.contains(&key),
        ..TableInfo::new("sph", TableCount::One(|world| world.sph.is_some()))
    },
    numbers: &[&NUMBERS],
    table: |world, _| world.sph.as_mut().map(|sph| &mut sph.material),
};

/// Whether the number at `key` changes the flow of the liquid.
fn is_effective(substance: &SphMaterial, key: &str) -> bool {
    match key {
        // At walls, adhesion also counts in the surface fraction that pictures show, but it exerts a force only with a
        // tension.
        "adhesion" => substance.surface_tension > 0.0,
        "foam" => substance.foam > 0.0,
        _ => true,
    }
}

const NEIGHBOURS: NumberField<SphMaterial> = number(
    "neighbours",
    12.0..=60.0,
    |substance| &mut substance.neighbours,
    words(20, "smoothness", "How many neighbours a particle has: more is smoother and slower"),
);

const KERNELS: [(&str, Kernel); 2] = [("spiky", Kernel::Spiky), ("poly6", Kernel::Poly6)];

/// # Errors
/// Names the key whose value is unknown or out of range.
pub fn liquid(mut fields: Fields) -> Result<SphDef, DataError> {
    let mut liquid = SphDef::default();
    read_numbers(&mut fields, NUMBERS.into_iter().chain([NEIGHBOURS]), &mut liquid.material)?;
    liquid.material.density_kernel = fields.word("density_kernel", &KERNELS, liquid.material.density_kernel)?;
    liquid.liquid = each(&mut fields, "liquid", pool)?;
    if liquid.liquid.is_empty() {
        return Err(fields.error("holds no liquid: add [[sph.liquid]] with a region, such as box = [0, 0, 0.4, 0.9]"));
    }
    fields.done()?;
    Ok(liquid)
}

fn pool(mut fields: Fields) -> Result<LiquidRegion, DataError> {
    let pool = place(&mut fields)?;
    fields.done()?;
    Ok(pool)
}
