//! The `[sph]` table of a scene: a liquid by smoothed particle hydrodynamics, and its pools.

use crate::data::{DataError, Fields};
use crate::scene::region::{MAX_ENTRIES, region_at_start};
use crate::scene::table::{Table, read_numbers};
use crate::sim::definition::SphDef;
use crate::sim::liquid::pressure::wcsph::SphMaterial;
use crate::sim::liquid::pressure::wcsph::kernels::Kernel;
use crate::sim::parameters::Numbers;

/// The keys of `[sph]` that a setting may give without the table's name. The others are also keys of other tables.
const BARE_KEYS: [&str; 5] = ["gamma", "bulk_viscosity", "surface_tension", "surface_threshold", "neighbours"];

pub static TABLE: Table = Table {
    is_effective: |world, key| world.sph.as_ref().is_some_and(|sph| is_effective(&sph.material, key)),
    takes_bare: |key| BARE_KEYS.contains(&key),
    ..Table::new("sph", |world, _| world.sph.as_mut().map(|sph| sph.material.numbers()))
};

fn is_effective(material: &SphMaterial, key: &str) -> bool {
    match key {
        // At walls, adhesion also counts in the surface fraction that pictures show, but it exerts a force only with a tension.
        "adhesion" => material.surface_tension > 0.0,
        "foam" => material.foam > 0.0,
        _ => true,
    }
}

pub fn sph(fields: &mut Fields) -> Result<SphDef, DataError> {
    let mut material = SphMaterial::default();
    let has_bulk_viscosity = fields.get("bulk_viscosity").is_some();
    read_numbers(fields, &mut material)?;
    // It would slow the waves of a liquid that is kept warm so that its surface tension can move it.
    if material.surface_tension > 0.0 && !has_bulk_viscosity {
        material.bulk_viscosity = 0.0;
    }
    material.density_kernel = fields.one_of("density_kernel", Kernel::ALL, Kernel::name, material.density_kernel)?;
    let liquid = fields.tables("liquid", MAX_ENTRIES, region_at_start)?;
    if liquid.is_empty() {
        return Err(fields.error("holds no liquid: add [[sph.liquid]] with a region, such as box = [0, 0, 0.4, 0.9]"));
    }
    Ok(SphDef { material, liquid })
}
