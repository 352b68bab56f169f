//! Bodies and cloth stop specks of whitewater, once a step, without a reaction. The side of a sheet that a speck is on follows
//! from the positions one step ago; a new speck comes from the side of its particle.

use crate::sim::cloth::{Cloth, SheetRange, SpringKind};
use crate::sim::coupling::liquid_cloth::{MAX_PASSES, segment_contact};
use crate::sim::liquid::whitewater::specks::Speck;
use crate::sim::rigid::Bodies;
use glam::{DVec2, Vec2};

/// Positions of the cloth one step ago.
#[derive(Clone, Debug, Default)]
pub struct SpeckCoupling {
    nodes: Vec<DVec2>,
}

impl SpeckCoupling {
    /// Stops specks that have entered a body or passed a sheet seen edge on. Call it once a step, with or without specks.
    pub fn stop(&mut self, specks: &mut [Speck], bodies: Option<&Bodies>, cloth: Option<&Cloth>) {
        bodies.into_iter().for_each(|bodies| stop_at_bodies(specks, bodies));
        if let Some(cloth) = cloth {
            if self.nodes.len() != cloth.at.len() {
                self.keep_nodes(cloth);
            }
            if !specks.is_empty() {
                self.stop_at_cloth(specks, cloth);
            }
            self.keep_nodes(cloth);
        }
    }

    fn keep_nodes(&mut self, cloth: &Cloth) {
        self.nodes.clear();
        self.nodes.extend(cloth.at.iter().map(|place| place.truncate()));
    }

    /// Stops specks at sheets seen edge on; a sheet seen from the front is behind falling specks, as it is behind the liquid.
    fn stop_at_cloth(&self, specks: &mut [Speck], cloth: &Cloth) {
        let thickness = cloth.definition.thickness;
        let margin = Vec2::splat(thickness);
        for sheet in cloth.topology.sheets.iter().filter(|sheet| sheet.is_edge_on()) {
            let now = sheet.nodes().map(|node| cloth.at[node].truncate());
            let places = || now.clone().chain(sheet.nodes().map(|node| self.nodes[node])).map(|at| at.as_vec2());
            let low = places().fold(Vec2::INFINITY, Vec2::min) - margin;
            let high = places().fold(Vec2::NEG_INFINITY, Vec2::max) + margin;
            for speck in specks.iter_mut() {
                let (from, to) = (speck.before, speck.at);
                if from.max(to).cmplt(low).any() || from.min(to).cmpgt(high).any() {
                    continue;
                }
                self.stop_at_segments(speck, sheet, cloth);
            }
        }
    }

    /// Out of one segment after the other, because in a hollow the way out of one leads into the next.
    fn stop_at_segments(&self, speck: &mut Speck, sheet: &SheetRange, cloth: &Cloth) {
        let (from, thickness) = (speck.before.as_dvec2(), f64::from(cloth.definition.thickness));
        let mut pass = || {
            let mut touched = false;
            for node in sheet.nodes().filter(|&node| cloth.topology.is_intact(node, SpringKind::Across)) {
                let nodes = [node, node + 1];
                let motion = nodes.map(|node| {
                    let now = cloth.at[node].truncate();
                    (if speck.is_new() { now } else { self.nodes[node] }, now)
                });
                let Some(contact) = segment_contact(motion, from, speck.at.as_dvec2(), thickness) else { continue };
                let velocity = cloth.point_velocity(&nodes, &contact.weights);
                let at = speck.at + (contact.normal * contact.depth).as_vec2();
                speck.deflect(at, contact.normal.as_vec2(), velocity.as_vec2());
                touched = true;
            }
            touched
        };
        if (0..MAX_PASSES).take_while(|_| pass()).count() > 0 {
            speck.wear();
        }
    }
}

fn stop_at_bodies(specks: &mut [Speck], bodies: &Bodies) {
    for body in &bodies.all {
        let reach = body.bounding_radius() * body.bounding_radius();
        for speck in specks.iter_mut().filter(|speck| speck.at.distance_squared(body.at) < reach) {
            let contact = body.hull.contact(speck.at);
            if contact.distance < 0.0 {
                let at = speck.at - contact.distance * contact.normal;
                speck.hit(at, contact.normal, body.velocity_at(at));
            }
        }
    }
}
