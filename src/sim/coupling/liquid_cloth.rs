//! Coupling of particle liquids with cloth. A particle within its radius of a segment of a sheet seen edge on, or through it, is
//! moved back and takes on its velocity along the normal; before a sheet seen from the front it runs down as a film. Impulses go
//! to the nodes by their weights. A particle's earlier position is its velocity times dt back.

use crate::math::Elementary;
use crate::sim::StepContext;
use crate::sim::cloth::{Cloth, SpringKind};
use crate::sim::coupling::spatial_hash::SpatialHash;
use crate::sim::liquid::Liquid;
use crate::sim::liquid::immersed_sheets::SheetNode;
use glam::{DVec2, Vec2};

/// Distance beyond its ends at which a segment still stops a crossing particle, as a fraction of its length: no gap at a joint.
const OVERLAP: f64 = 0.1;

/// Maximum number of corrections of a particle or a speck in a fold, where two segments push it towards each other.
pub(super) const MAX_PASSES: usize = 3;

#[derive(Clone, Debug, Default)]
pub struct LiquidClothCoupling {
    segments: SpatialHash,
    meshes: SpatialHash,
}

pub(super) struct SegmentContact {
    pub weights: [f64; 2],
    /// Unit vector away from the segment, to the particle's side.
    pub normal: DVec2,
    /// Distance that it must move along the normal, metres.
    pub depth: f64,
}

impl LiquidClothCoupling {
    /// Gives the sheets that are seen edge on to a liquid whose weight a grid carries.
    pub fn immerse(&mut self, cloth: &Cloth, liquid: &mut Liquid, env: &StepContext) {
        let is_on_grid = liquid.is_on_grid();
        let sheets = &mut liquid.store.sheets;
        sheets.threads.clear();
        sheets.nodes.clear();
        if is_on_grid {
            sheets.threads.extend(threads(cloth).map(|node| node as u32));
        }
        if !sheets.threads.is_empty() {
            sheets.thickness = cloth.definition.thickness;
            sheets.nodes.extend((0..cloth.at.len()).map(|node| SheetNode {
                at: cloth.at[node].truncate().as_vec2(),
                velocity: cloth.velocity[node].truncate().as_vec2(),
                load: Vec2::ZERO,
            }));
            cloth.implicit_step(env.gravity.as_dvec2(), env.dt.into(), &mut sheets.inertia, &mut sheets.momentum);
        }
    }

    /// Loads the nodes with the pressure of a grid.
    pub fn load(&self, cloth: &mut Cloth, liquid: &mut Liquid, env: &StepContext) {
        let sheets = &mut liquid.store.sheets;
        for node in 0..cloth.at.len() {
            let load = sheets.nodes.get(node).map_or(DVec2::ZERO, |node| node.load.as_dvec2());
            cloth.load[node] = load / f64::from(env.dt);
        }
    }

    /// Resolves the contacts of a liquid's particles with the cloth, at their positions in this substep.
    pub fn couple(&mut self, cloth: &mut Cloth, liquid: &mut Liquid, env: &StepContext) {
        if liquid.store.particles.is_empty() {
            return;
        }
        self.sort(cloth, liquid, env);
        for slot in 0..liquid.store.particles.slots() {
            if liquid.store.particles.is_alive(slot) {
                self.resolve_hit(cloth, liquid, slot, env);
                self.film_drag(cloth, liquid, slot, env);
            }
        }
    }

    fn sort(&mut self, cloth: &Cloth, liquid: &Liquid, env: &StepContext) {
        let p = liquid.particles();
        let fastest = p.alive().map(|slot| p.velocity(slot).length_squared()).fold(0.0, f32::max).sqrt();
        let reach = Vec2::splat(radius(liquid) + cloth.definition.thickness + fastest * env.dt);
        let size = env.walls.size();
        let side = (2.0 * cloth.support_radius()).max(4.0 * radius(liquid));
        let bounds = |node: usize| {
            let (before, now) = cloth.node_motion(node);
            (before.min(now).as_vec2(), before.max(now).as_vec2())
        };
        let segment = |node: usize| {
            let ((a, b), (c, d)) = (bounds(node), bounds(node + 1));
            (node as u32, a.min(c) - reach, b.max(d) + reach)
        };
        self.segments.fill(size, side, threads(cloth).map(segment));
        let mesh = |corners: [usize; 4]| {
            let at = corners.map(|node| cloth.at[node].truncate().as_vec2());
            (corners[0] as u32, at[0].min(at[1]).min(at[2].min(at[3])), at[0].max(at[1]).max(at[2].max(at[3])))
        };
        self.meshes.fill(size, side, cloth.topology.meshes().map(mesh));
    }

    /// Moves a particle that has come too near to segments or through one back, and exchanges the impulse of the collision.
    fn resolve_hit(&self, cloth: &mut Cloth, liquid: &mut Liquid, slot: usize, env: &StepContext) {
        if self.segments.is_empty() {
            return;
        }
        let radius = f64::from(radius(liquid) + cloth.definition.thickness);
        let p = liquid.particles();
        let at = p.position(slot);
        let from = (at - p.velocity(slot) * env.dt).as_dvec2();
        let mut pass = || {
            let mut touched = false;
            for &segment in self.segments.query(liquid.store.particles.position(slot)) {
                let to = liquid.store.particles.position(slot);
                let nodes = [segment as usize, segment as usize + 1];
                let motion = nodes.map(|node| cloth.node_motion(node));
                let Some(contact) = segment_contact(motion, from, to.as_dvec2(), radius) else { continue };
                touched = true;
                liquid.store.particles.set_position(slot, to + (contact.normal * contact.depth).as_vec2());
                contact_impulse(cloth, liquid, slot, nodes, &contact, env.dt);
            }
            touched
        };
        // Between a sheet and a wall, the wall decides last.
        if (0..MAX_PASSES).take_while(|_| pass()).count() > 0 {
            let p = &mut liquid.store.particles;
            p.set_position(slot, env.walls.end_of_way(at, p.position(slot)).0);
        }
    }

    /// Drags a particle that runs over a sheet seen from the front.
    fn film_drag(&self, cloth: &mut Cloth, liquid: &mut Liquid, slot: usize, env: &StepContext) {
        if self.meshes.is_empty() {
            return;
        }
        let at = liquid.store.particles.position(slot);
        let triangle = |&mesh: &u32| cloth.topology.triangle_at(&cloth.at, mesh as usize, at.as_dvec2());
        let over = self.meshes.query(at).iter().filter_map(triangle);
        // Of folds behind each other, the one in front counts.
        let Some((_, nodes, weights)) = over.reduce(|a, b| if b.0 > a.0 { b } else { a }) else { return };
        let fraction = 1.0 - (-f64::from(cloth.definition.liquid_drag * env.dt)).exponential();
        let point = cloth.point_velocity(&nodes, &weights);
        let lost = fraction * (liquid.store.particles.velocity(slot).as_dvec2() - point);
        exchange_impulse(cloth, liquid, slot, &nodes, &weights, lost);
    }
}

/// The first nodes of the intact threads of sheets seen edge on.
fn threads(cloth: &Cloth) -> impl Iterator<Item = usize> + Clone {
    let edge_on = cloth.topology.sheets.iter().filter(|piece| piece.is_edge_on()).flat_map(|piece| piece.nodes());
    edge_on.filter(|&node| cloth.topology.is_intact(node, SpringKind::Across))
}

/// Returns the contact of a particle that moved from one place to another with a segment whose ends did too, if it touches.
pub(super) fn segment_contact(
    [(a_before, a), (b_before, b)]: [(DVec2, DVec2); 2],
    from: DVec2,
    to: DVec2,
    radius: f64,
) -> Option<SegmentContact> {
    let side = (b_before - a_before).perp_dot(from - a_before).signum();
    let along = b - a;
    let length = along.length();
    let normal = (side * along.perp()).try_normalize()?;
    let height = normal.dot(to - a);
    if height >= radius {
        return None;
    }
    let place = along.dot(to - a) / (length * length);
    let at = |place: f64, normal: DVec2, depth: f64| SegmentContact { weights: [1.0 - place, place], normal, depth };
    let end = place.clamp(0.0, 1.0);
    if height < 0.0 {
        // On the other side: it passed through if it was on the segment when their paths met.
        let start = ((b_before - a_before).perp_dot(from - a_before) / a_before.distance(b_before)).abs();
        let when = start / (start - height);
        let (a, b) = (a_before.lerp(a, when), b_before.lerp(b, when));
        let met = (b - a).dot(from.lerp(to, when) - a) / (b - a).length_squared();
        return (-OVERLAP..=1.0 + OVERLAP).contains(&met).then(|| at(end, normal, radius - height));
    }
    if end == place {
        return Some(at(place, normal, radius - height));
    }
    let offset = to - (a + end * along);
    let distance = offset.length();
    let normal = offset.try_normalize()?;
    (distance < radius).then(|| at(end, normal, radius - distance))
}

/// Stops the particle along the normal, relative to the segment, and slows it along the segment.
fn contact_impulse(
    cloth: &mut Cloth,
    liquid: &mut Liquid,
    slot: usize,
    nodes: [usize; 2],
    contact: &SegmentContact,
    dt: f32,
) {
    let point = cloth.point_velocity(&nodes, &contact.weights);
    let relative = liquid.store.particles.velocity(slot).as_dvec2() - point;
    let approach = relative.dot(contact.normal).min(0.0);
    let slide = relative - relative.dot(contact.normal) * contact.normal;
    let fraction = 1.0 - (-f64::from(cloth.definition.liquid_drag * dt)).exponential();
    let lost = approach * contact.normal + fraction * slide;
    exchange_impulse(cloth, liquid, slot, &nodes, &contact.weights, lost);
}

/// Inverse of the effective mass of a point of the cloth for an impulse.
fn inverse_mass(cloth: &Cloth, nodes: &[usize], weights: &[f64]) -> f64 {
    nodes.iter().zip(weights).map(|(&node, weight)| cloth.inverse_mass(node) * weight * weight).sum()
}

/// Removes `lost` (m/s) from a particle's velocity relative to the cloth, which gets the exact opposite impulse.
fn exchange_impulse(
    cloth: &mut Cloth,
    liquid: &mut Liquid,
    slot: usize,
    nodes: &[usize],
    weights: &[f64],
    lost: DVec2,
) {
    let mass = f64::from(liquid.mass(slot));
    let impulse = -lost / (1.0 / mass + inverse_mass(cloth, nodes, weights));
    let p = &mut liquid.store.particles;
    let before = p.velocity(slot);
    p.set_velocity(slot, (before.as_dvec2() + impulse / mass).as_vec2());
    // Single precision has rounded the change: the cloth gets the opposite of the rounded one.
    let taken = (p.velocity(slot).as_dvec2() - before.as_dvec2()) * mass;
    for (&node, weight) in nodes.iter().zip(weights) {
        cloth.push(node, -taken * *weight);
    }
}

/// Distance that particles keep from a surface, metres.
fn radius(liquid: &Liquid) -> f32 {
    0.5 * liquid.spacing()
}
