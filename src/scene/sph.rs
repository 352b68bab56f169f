//! The `[sph]` table of a scene: a liquid that follows smoothed particle hydrodynamics, and where it is.

use crate::data::{Error, Fields};
use crate::scene::read::{NumberField, each, numbers, place};
use crate::sim::definition::LiquidRegion;
use crate::sim::definition::SphDef;
use crate::sim::liquid::sph::SphMaterial;
use crate::sim::liquid::sph::kernels::Kernel;

/// The keys of `[sph]` that a setting may give without the table; the others are keys of other tables too.
pub const KEYS: [&str; 5] = ["gamma", "bulk_viscosity", "tension", "threshold", "neighbours"];

/// The numbers in `[sph]` that may change while it flows; see [`SphMaterial`] for what they mean.
pub const NUMBERS: [NumberField<SphMaterial>; 10] = [
    ("rest_density", 1.0..=20_000.0, |substance| &mut substance.rest_density),
    ("stiffness", 100.0..=1e7, |substance| &mut substance.stiffness),
    ("gamma", 1.0..=7.0, |substance| &mut substance.gamma),
    ("viscosity", 0.0..=1000.0, |substance| &mut substance.viscosity),
    ("bulk_viscosity", 0.0..=0.5, |substance| &mut substance.bulk_viscosity),
    ("tension", 0.0..=1000.0, |substance| &mut substance.tension),
    ("threshold", 0.02..=0.4, |substance| &mut substance.threshold),
    ("restitution", 0.0..=1.0, |substance| &mut substance.restitution),
    ("wall_friction", 0.0..=10.0, |substance| &mut substance.wall_friction),
    ("adhesion", 0.0..=1.0, |substance| &mut substance.adhesion),
];

/// Whether the number of that key changes how the liquid flows.
pub fn is_effective(substance: &SphMaterial, key: &str) -> bool {
    match key {
        // A wall's share in the surface shows in pictures of it, too; what it draws to itself does only with a tension.
        "adhesion" => substance.tension > 0.0,
        _ => true,
    }
}

const NEIGHBOURS: NumberField<SphMaterial> = ("neighbours", 12.0..=60.0, |substance| &mut substance.neighbours);

const KERNELS: [(&str, Kernel); 2] = [("spiky", Kernel::Spiky), ("poly6", Kernel::Poly6)];

pub fn liquid(mut fields: Fields) -> Result<SphDef, Error> {
    let mut liquid = SphDef::default();
    numbers(&mut fields, NUMBERS.into_iter().chain([NEIGHBOURS]), &mut liquid.material)?;
    liquid.material.density = fields.word("density", &KERNELS, liquid.material.density)?;
    liquid.pool = each(&mut fields, "pool", pool)?;
    if liquid.pool.is_empty() {
        return Err(fields.error("holds no liquid: add [[sph.pool]] with a region, such as box = [0, 0, 0.4, 0.9]"));
    }
    fields.done()?;
    Ok(liquid)
}

fn pool(mut fields: Fields) -> Result<LiquidRegion, Error> {
    let pool = place(&mut fields)?;
    fields.done()?;
    Ok(pool)
}
