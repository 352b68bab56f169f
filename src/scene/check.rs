//! Checks of a scene beyond the range of each value.

use crate::data::{DataError, Entry};
use crate::scene::region::REGIONS;
use crate::sim::WorldOptions;
use crate::sim::boundary::{Shape, Walls};
use crate::sim::definition::{LiquidRegion, WorldDef};
use crate::sim::liquid::pressure::wcsph;
use crate::sim::liquid::rest_state::RestState;
use crate::sim::world::pistons;
use glam::Vec2;

pub fn heaters(world: &WorldDef, entries: &[Entry]) -> Result<(), DataError> {
    let size = world.tank.size(world.aspect(WorldOptions::default().aspect));
    for (heater, entry) in world.heater.iter().zip(entries) {
        let (min, max) = heater.region.shape(size).bounds();
        if max.min_element() <= 0.0 || min.cmpge(size).any() {
            let mut fields = entry.fields()?;
            let region = REGIONS.into_iter().find_map(|key| fields.get(key)).unwrap_or_else(|| entry.clone());
            return Err(region.error("lies outside the tank: a heater needs a region in it or on a wall"));
        }
    }
    Ok(())
}

/// Points along each side of the tank at which [`room`] samples the pools.
const SAMPLES: usize = 160;

/// Upper limit on the grid cells of one particle's size in a tank: it bounds memory.
const MAX_CELLS: f32 = 4.0e7;

/// Pools must have a free area that is not too small for the particle count in a tank of that size.
pub fn room(world: &WorldDef) -> Result<(), String> {
    let dry = pools(world).next().is_none();
    if dry && (world.smoke.is_some() || world.cloth.is_some() || !world.body.is_empty()) {
        return Ok(());
    }
    if dry {
        return Err("holds no liquid and no smoke: add [[liquid]] with a region, such as box = [0, 0, 0.4, 0.9], or \
                    [smoke], or [cloth], or [[body]] with an outline, such as disc = 0.1"
            .to_owned());
    }
    // Every start of the program checks every scene: a few samples of the pools suffice.
    let enough = world.particles as f32 / MAX_CELLS * (SAMPLES * SAMPLES) as f32;
    let wet = wet(world, enough as usize + 1);
    if wet == 0.0 {
        return Err(
            "no [[liquid]] region has room: all of it is too small, outside the tank or in an obstacle".to_owned()
        );
    }
    let cells = world.particles as f32 / wet;
    if cells > MAX_CELLS {
        let max = (MAX_CELLS / cells * world.particles as f32) as usize;
        return Err(format!(
            "its liquid is so small that it can have at most {max} particles, not {}",
            world.particles
        ));
    }
    Ok(())
}

/// The solids of the tank at its start, in a usual window.
pub fn walls(world: &WorldDef) -> Walls {
    pistons::walls_at_start(world, world.tank.size(world.aspect(WorldOptions::default().aspect)))
}

/// Fraction of the tank that its pools fill, at [`SAMPLES`]² points, of which no more than `enough` are counted.
fn wet(world: &WorldDef, enough: usize) -> f32 {
    let walls = walls(world);
    let size = walls.size();
    let pools: Vec<Shape> = pools(world).map(|pool| pool.region.shape(size)).collect();
    let is_wet = |sample: &usize| {
        let fraction = (Vec2::new((sample % SAMPLES) as f32, (sample / SAMPLES) as f32) + 0.5) / SAMPLES as f32;
        let p = fraction * size;
        pools.iter().any(|pool| pool.contact(p).distance < 0.0) && walls.distance(p) > 0.0
    };
    let wet = (0..SAMPLES * SAMPLES).filter(is_wet).take(enough).count();
    wet as f32 / (SAMPLES * SAMPLES) as f32
}

fn pools(world: &WorldDef) -> impl Iterator<Item = &LiquidRegion> {
    world.liquid.iter().chain(world.sph.iter().flat_map(|sph| &sph.liquid))
}

/// Number of particles of interaction radius `h` metres that fill the pools, at least 1; an error if there are more than `max`.
pub fn count_at(world: &WorldDef, h: f32, max: usize) -> Result<usize, String> {
    let rest =
        world.sph.as_ref().map_or_else(|| RestState::of(&world.fluid.pressure), |sph| wcsph::rest(&sph.material));
    let count = (wet(world, usize::MAX) * world.tank.area * rest.number_density / (h * h)) as usize;
    if count > max {
        let least = h * (count as f32 / max as f32).sqrt();
        return Err(format!(
            "`interaction_radius` {h} gives {count} particles, more than {max}: give {least:.3} or more"
        ));
    }
    Ok(count.max(1))
}
