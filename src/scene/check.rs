//! Checks of a scene beyond the range of each value.

use crate::sim::WorldOptions;
use crate::sim::boundary::{Shape, Walls};
use crate::sim::definition::{LiquidRegion, WorldDef};
use crate::sim::liquid::MAX_PHASES;
use crate::sim::world::tank::{tank_aspect, tank_size};
use glam::Vec2;

/// Checks that a polygon is simple and encloses an area of the tank.
///
/// # Errors
/// If there are too few corners, corners coincide, or edges cross.
pub fn outline(corners: &[[f32; 2]]) -> Result<(), String> {
    simple(corners)?;
    let (min, max) = Shape::Polygon(corners.iter().copied().map(Vec2::from).collect()).bounds();
    if max.min_element() <= 0.0 || min.max_element() >= 1.0 {
        return Err("lies outside the tank, which reaches from [0, 0] to [1, 1]".to_owned());
    }
    Ok(())
}

/// Checks that a polygon is simple.
///
/// # Errors
/// If two edges cross.
pub fn simple(corners: &[[f32; 2]]) -> Result<(), String> {
    if corners.len() < 3 {
        return Err(format!("must have at least 3 corners, not {}", corners.len()));
    }
    let corners: Vec<Vec2> = corners.iter().copied().map(Vec2::from).collect();
    let edge = |number: usize| (corners[number], corners[(number + 1) % corners.len()]);
    for a in 0..corners.len() {
        for b in a + 1..corners.len() {
            let neighbours = b == a + 1 || (a == 0 && b == corners.len() - 1);
            if !neighbours && cross(edge(a), edge(b)) {
                return Err(format!(
                    "must not cross itself: the sides from corner {} and corner {} meet",
                    a + 1,
                    b + 1
                ));
            }
        }
    }
    let twice_area: f32 = (0..corners.len()).map(|number| edge(number).0.perp_dot(edge(number).1)).sum();
    if twice_area.abs() < 1e-5 {
        return Err("must enclose an area; its corners lie on one line".to_owned());
    }
    Ok(())
}

/// Whether two segments have a common point.
fn cross((a, b): (Vec2, Vec2), (c, d): (Vec2, Vec2)) -> bool {
    let side = |p: Vec2, q: Vec2, r: Vec2| (q - p).perp_dot(r - p);
    let (ac, ad, ca, cb) = (side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b));
    // The segments are collinear. They meet if their projections on both axes overlap.
    if ac == 0.0 && ad == 0.0 {
        return a.min(b).cmple(c.max(d)).all() && c.min(d).cmple(a.max(b)).all();
    }
    ac * ad <= 0.0 && ca * cb <= 0.0
}

/// Checks that the solid forms of fluids in a tank with heat fit among the phases.
///
/// # Errors
/// Names the number of fluids and solids.
pub fn heat(world: &WorldDef) -> Result<(), String> {
    if !world.has_heat() {
        return Ok(());
    }
    let (fluids, solids) = (1 + world.other_phases().len(), world.solids().len());
    if fluids + solids > MAX_PHASES {
        return Err(format!(
            "a tank holds at most {MAX_PHASES} different fluids with the solids that they set to, not {fluids} and {solids}"
        ));
    }
    Ok(())
}

/// Points along each side of the tank at which [`room`] samples the pools.
const LOOKS: usize = 160;

/// Upper limit on the grid cells of one particle's size in a tank: it bounds memory.
const MOST_SQUARES: f32 = 4.0e7;

/// Checks that pools have a free area, and that it is not too small for the particle count in a tank of that size.
///
/// # Errors
/// If the pools have no free area, or too small a one.
pub fn room(world: &WorldDef) -> Result<(), String> {
    let pools: Vec<&LiquidRegion> = world.liquid.iter().chain(world.sph.iter().flat_map(|sph| &sph.liquid)).collect();
    if pools.is_empty() && (world.smoke.is_some() || world.cloth.is_some() || !world.body.is_empty()) {
        return Ok(());
    }
    if pools.is_empty() {
        return Err("holds no liquid and no smoke: add [[liquid]] with a region, such as box = [0, 0, 0.4, 0.9], or \
                    [smoke], or [cloth], or [[body]] with an outline, such as disc = 0.1"
            .to_owned());
    }
    let size = tank_size(world.tank.area, tank_aspect(world, WorldOptions::default().aspect));
    let obstacles = world.obstacle.iter().map(|region| region.shape(size)).collect();
    let walls = Walls::new(size, world.tank.shape.into(), obstacles, 0.1 * size.min_element());
    let pools: Vec<Shape> = pools.iter().map(|pool| pool.region.shape(size)).collect();
    let mut wet = 0;
    for look in 0..LOOKS * LOOKS {
        let share = (Vec2::new((look % LOOKS) as f32, (look / LOOKS) as f32) + 0.5) / LOOKS as f32;
        let p = share * size;
        wet += usize::from(pools.iter().any(|pool| pool.contact(p).distance < 0.0) && walls.distance(p) > 0.0);
    }
    if wet == 0 {
        return Err(
            "no [[liquid]] region has room: all of it is too small, outside the tank or in an obstacle".to_owned()
        );
    }
    let squares = world.particles as f32 * (LOOKS * LOOKS) as f32 / wet as f32;
    if squares > MOST_SQUARES {
        let most = (MOST_SQUARES / squares * world.particles as f32) as usize;
        return Err(format!(
            "its liquid is so small that it can have at most {most} particles, not {}",
            world.particles
        ));
    }
    Ok(())
}
