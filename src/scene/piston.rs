//! The `[[piston]]` entries of a scene, and the numbers of pistons and inlets.

use crate::data::{DataError, Fields};
use crate::scene::region::box_edges;
use crate::scene::table::{Table, read_numbers};
use crate::sim::definition::{InletDef, PistonDef, SwingDef};
use crate::sim::parameters::Numbers;

pub static TABLE: Table =
    Table { is_list: true, ..Table::new("piston", |world, index| world.piston.get_mut(index).map(PistonDef::numbers)) };

/// The panel does not offer it: an inlet may wait for drops, or for what outlets will remove.
pub static INLET_TABLE: Table = Table {
    is_list: true,
    is_effective: |_, _| false,
    ..Table::new("inlet", |world, index| world.inlet.get_mut(index).map(InletDef::numbers))
};

pub fn piston(fields: &mut Fields) -> Result<PistonDef, DataError> {
    let travel = fields.need("travel")?;
    let mut piston = PistonDef {
        at_start: box_edges(&fields.need("box")?)?,
        travel: travel.numbers(-1.0..=1.0)?,
        position: 0.0,
        speed: fields.number("speed", 0.01..=5.0, 1.0)?,
        swing: fields.table("swing", swing)?,
    };
    read_numbers(fields, &mut piston)?;
    if piston.travel == [0.0, 0.0] {
        return Err(travel.error("must lead somewhere, as [0, 0.3] leads up; [0, 0] does not"));
    }
    Ok(piston)
}

fn swing(fields: &mut Fields) -> Result<SwingDef, DataError> {
    Ok(SwingDef {
        amplitude: fields.need("amplitude")?.number(0.0..=1.0)?,
        period: fields.need("period")?.number(0.2..=3600.0)?,
        phase: fields.number("phase", 0.0..=1.0, 0.0)?,
    })
}
