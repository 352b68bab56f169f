//! Checks of polygons.

use crate::sim::boundary::Shape;
use glam::Vec2;

/// The least area that a polygon encloses, in squares of its unit.
const MIN_AREA: f32 = 5e-6;

/// A polygon must be simple and enclose an area of the tank.
pub fn check_in_tank(corners: &[[f32; 2]]) -> Result<(), String> {
    check(corners)?;
    let (min, max) = Shape::Polygon(corners.iter().copied().map(Vec2::from).collect()).bounds();
    if max.min_element() <= 0.0 || min.max_element() >= 1.0 {
        return Err("lies outside the tank, which reaches from [0, 0] to [1, 1]".to_owned());
    }
    Ok(())
}

pub fn check(corners: &[[f32; 2]]) -> Result<(), String> {
    if corners.len() < 3 {
        return Err(format!("must have at least 3 corners, not {}", corners.len()));
    }
    let corners: Vec<Vec2> = corners.iter().copied().map(Vec2::from).collect();
    let edge = |number: usize| (corners[number], corners[(number + 1) % corners.len()]);
    for a in 0..corners.len() {
        for b in a + 1..corners.len() {
            let are_adjacent = b == a + 1 || (a == 0 && b == corners.len() - 1);
            if !are_adjacent && cross(edge(a), edge(b)) {
                let (first, second) = (a + 1, b + 1);
                return Err(format!("must not cross itself: the sides from corner {first} and corner {second} meet"));
            }
        }
    }
    let twice_area: f32 = (0..corners.len()).map(|number| edge(number).0.perp_dot(edge(number).1)).sum();
    if twice_area == 0.0 {
        return Err("must enclose an area; its corners lie on one line".to_owned());
    }
    if twice_area.abs() < 2.0 * MIN_AREA {
        return Err(format!("must enclose an area of at least {MIN_AREA}, not {}", 0.5 * twice_area.abs()));
    }
    Ok(())
}

fn cross((a, b): (Vec2, Vec2), (c, d): (Vec2, Vec2)) -> bool {
    let side = |p: Vec2, q: Vec2, r: Vec2| (q - p).perp_dot(r - p);
    let (ac, ad, ca, cb) = (side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b));
    // The segments are collinear. They meet if their projections on both axes overlap.
    if ac == 0.0 && ad == 0.0 {
        return a.min(b).cmple(c.max(d)).all() && c.min(d).cmple(a.max(b)).all();
    }
    ac * ad <= 0.0 && ca * cb <= 0.0
}
