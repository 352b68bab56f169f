//! Specks of whitewater against bodies and cloth: both stop them, and feel nothing of it.
//!
//! Once a step, after the specks have moved. Liquid in the middle of its way keeps foam and bubbles off a body, so that it is
//! mostly spray that meets one.

use crate::sim::clock::STEP;
use crate::sim::cloth::{Cloth, SpringKind};
use crate::sim::coupling::liquid_cloth::{MovingSegment, SegmentContact};
use crate::sim::liquid::whitewater::specks::Speck;
use crate::sim::matter::Matter;
use crate::sim::rigid::Bodies;
use glam::{DVec2, Vec2};

/// Stops the specks that have gone into a body or through a sheet seen edge on.
pub fn stop_specks(specks: &mut [Speck], matter: &[Matter]) {
    if specks.is_empty() {
        return;
    }
    matter.iter().filter_map(Matter::as_bodies).for_each(|bodies| stop_at_bodies(specks, bodies));
    matter.iter().filter_map(Matter::as_cloth).for_each(|cloth| stop_at_cloth(specks, cloth));
}

fn stop_at_bodies(specks: &mut [Speck], bodies: &Bodies) {
    for body in bodies.all() {
        let reach = body.reach() * body.reach();
        for speck in specks.iter_mut().filter(|speck| speck.at.distance_squared(body.at) < reach) {
            let contact = body.hull().contact(speck.at);
            if contact.distance < 0.0 {
                let at = speck.at - contact.distance * contact.normal;
                speck.hit(at, contact.normal, body.velocity_at(at));
            }
        }
    }
}

/// A sheet seen from the front is behind what falls, as it is behind the liquid.
fn stop_at_cloth(specks: &mut [Speck], cloth: &Cloth) {
    let thickness = cloth.definition().thickness;
    for sheet in cloth.sheets().iter().filter(|sheet| sheet.is_edge_on()) {
        let places = || sheet.nodes().map(|node| cloth.places()[node].truncate().as_vec2());
        let (low, high) = (places().fold(Vec2::INFINITY, Vec2::min), places().fold(Vec2::NEG_INFINITY, Vec2::max));
        for speck in specks.iter_mut() {
            let way = speck.velocity * STEP;
            let (from, to) = (speck.at - way, speck.at);
            // The cloth moves, too: about as far in a step as it is given here on every side.
            let margin = Vec2::splat(thickness + way.length());
            if from.max(to).cmplt(low - margin).any() || from.min(to).cmpgt(high + margin).any() {
                continue;
            }
            let whole = sheet.nodes().filter(|&node| cloth.is_intact(node, SpringKind::Across));
            let met = whole.filter_map(|node| {
                segment(cloth, node).contact(from.as_dvec2(), speck.at.as_dvec2(), f64::from(thickness))
            });
            // The deepest: the one that it has come through, where a fold has several.
            if let Some(contact) = met.reduce(|a, b| if b.depth > a.depth { b } else { a }) {
                land(speck, &contact, cloth);
            }
        }
    }
}

/// A segment as it has moved in the step.
fn segment(cloth: &Cloth, node: usize) -> MovingSegment {
    let ends = [node, node + 1];
    let motion = ends.map(|node| {
        let (at, velocity) = (cloth.places()[node].truncate(), cloth.velocities()[node].truncate());
        (at - velocity * f64::from(STEP), at)
    });
    MovingSegment { nodes: ends, motion }
}

fn land(speck: &mut Speck, contact: &SegmentContact, cloth: &Cloth) {
    let weighed = contact.nodes.iter().zip(contact.weights);
    let velocity: DVec2 = weighed.map(|(&node, weight)| weight * cloth.velocities()[node].truncate()).sum();
    let at = speck.at + (contact.normal * contact.depth).as_vec2();
    speck.hit(at, contact.normal.as_vec2(), velocity.as_vec2());
}
