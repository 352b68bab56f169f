//! The submerged fraction of a body.

use crate::sim::liquid::Liquid;
use crate::sim::rigid::Body;
use glam::Vec2;

/// Distances to each side of a body, in h, between which the liquid's level is measured, and the number of strips.
const BESIDE: (f32, f32) = (0.6, 3.6);
const STRIPS: usize = 6;

/// Relative density below which a particle counts as spray.
const SPRAY: f32 = 0.4;

/// Fraction of a body below the level beside it, a straight line between both sides'. Without `gravity` down is the tank's.
pub fn submerged(body: &Body, liquid: &Liquid, gravity: Vec2) -> f32 {
    let up = -gravity.try_normalize().unwrap_or(Vec2::NEG_Y);
    let along = -up.perp();
    let (left, right) = extent(body, along);
    let h = liquid.h();
    let mut tops = [[f32::NEG_INFINITY; STRIPS]; 2];
    let p = liquid.particles();
    for slot in p.alive() {
        let place = along.dot(p.position(slot));
        let (side, far) = if place < left { (0, left - place) } else { (1, place - right) };
        let strip = (far / h - BESIDE.0) / (BESIDE.1 - BESIDE.0) * STRIPS as f32;
        if (0.0..STRIPS as f32).contains(&strip) && liquid.relative_density(slot) > SPRAY {
            let top: &mut f32 = &mut tops[side][strip as usize];
            *top = top.max(up.dot(p.position(slot)) + 0.5 * liquid.spacing());
        }
    }
    let middles = [left - 0.5 * (BESIDE.0 + BESIDE.1) * h, right + 0.5 * (BESIDE.0 + BESIDE.1) * h];
    let levels = tops.map(median);
    match levels {
        [None, None] => 0.0,
        [Some(level), None] | [None, Some(level)] => body.hull.fraction_below(up, level),
        [Some(a), Some(b)] => {
            let normal = (up - along * (b - a) / (middles[1] - middles[0])).normalize();
            body.hull.fraction_below(normal, normal.dot(along * middles[0] + up * a))
        }
    }
}

fn extent(body: &Body, along: Vec2) -> (f32, f32) {
    let hull = &body.hull;
    let places = || hull.corners.iter().map(|corner| along.dot(*corner));
    (places().fold(f32::INFINITY, f32::min) - hull.radius, places().fold(f32::NEG_INFINITY, f32::max) + hull.radius)
}

/// The median of the strips that contain particles.
fn median(mut tops: [f32; STRIPS]) -> Option<f32> {
    tops.sort_unstable_by(f32::total_cmp);
    let first = tops.iter().position(|&top| top > f32::NEG_INFINITY)?;
    let wet = &tops[first..];
    Some(0.5 * (wet[(wet.len() - 1) / 2] + wet[wet.len() / 2]))
}
