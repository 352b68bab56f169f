//! Fills regions with particles, and gives them thermal motion.

use crate::math::{Elementary, direction};
use crate::sim::boundary::{Shape, Walls};
use crate::sim::liquid::RestState;
use glam::Vec2;

/// Maximum number of lattice nodes in a tank, so that the search for a spacing ends.
const MAX_NODES: f32 = 5e7;

/// How finely regions are filled.
#[derive(Clone, Copy, Debug)]
pub enum Resolution {
    Count(usize),
    /// The interaction radius, metres.
    Radius(f32),
}

/// Places on a shaken hexagonal lattice that fills the free part of `regions`, and the interaction radius at which it is `rest`;
/// none if there is no room. A perfect crystal would fall as one block.
pub fn fill(regions: &[Shape], walls: &Walls, rest: &RestState, resolution: Resolution, seed: u64) -> (Vec<Vec2>, f32) {
    let (mut places, spacing) = match resolution {
        Resolution::Radius(h) => (nodes(regions, walls, h * rest.spacing, MAX_NODES as usize), h * rest.spacing),
        Resolution::Count(count) => fill_with(regions, walls, count),
    };
    let mut rng = fastrand::Rng::with_seed(seed);
    for place in &mut places {
        let shaken = *place + 0.1 * spacing * Vec2::new(rng.f32() - 0.5, rng.f32() - 0.5);
        *place = walls.end_of_way(*place, shaken).0;
    }
    (places, spacing / rest.spacing)
}

/// Unshaken places for a number of particles, and their spacing.
fn fill_with(regions: &[Shape], walls: &Walls, count: usize) -> (Vec<Vec2>, f32) {
    // The number of nodes falls with the spacing: too many at the lower end, too few at the upper end.
    let (mut lower, mut upper) = ((walls.size().element_product() / MAX_NODES).sqrt(), walls.size().length());
    let suffices = |spacing: f32| nodes(regions, walls, spacing, count + 1).len() >= count;
    // A spacing that suffices: half of it does so too, and need not be tried. Fine lattices take long where solids fill the bottom.
    let coarse = (walls.size().element_product() / count as f32).sqrt();
    let mut fine = coarse;
    while !suffices(fine) {
        if fine <= lower {
            return (Vec::new(), coarse);
        }
        fine = (0.5 * fine).max(lower);
    }
    for _ in 0..40 {
        let spacing = 0.5 * (lower + upper);
        if spacing <= 0.5 * fine || suffices(spacing) { lower = spacing } else { upper = spacing }
    }
    let mut places = nodes(regions, walls, lower, usize::MAX);
    // Symmetric regions gain several nodes at once: drop the surplus from the top, where liquid is free anyway.
    places.truncate(count);
    (places, lower)
}

/// Every second one is the opposite of the one before, so that their sum is zero.
#[derive(Clone, Debug, Default)]
pub struct ThermalVelocity(Option<Vec2>);

impl ThermalVelocity {
    /// Normally distributed, with a root mean square of `thermal_speed` m/s along each axis.
    pub fn next(&mut self, thermal_speed: f32, rng: &mut fastrand::Rng) -> Vec2 {
        if thermal_speed == 0.0 {
            return Vec2::ZERO;
        }
        if let Some(before) = self.0.take() {
            return -before;
        }
        // Box and Muller 1958.
        let far = (-2.0 * (1.0 - rng.f32()).logarithm()).sqrt();
        let velocity = thermal_speed * far * direction(std::f32::consts::TAU * rng.f32());
        self.0 = Some(velocity);
        velocity
    }
}

/// The lattice nodes in the regions, at least 0.24 of a spacing from walls, bottom row first; stops soon after `enough`.
fn nodes(regions: &[Shape], walls: &Walls, spacing: f32, enough: usize) -> Vec<Vec2> {
    let mut nodes = Vec::new();
    let Some((min, max)) = bounds(regions, walls.size()) else { return nodes };
    let pitch = Vec2::new(spacing, spacing * 0.75f32.sqrt());
    let mut row = 0;
    loop {
        let y = min.y + (row as f32 + 0.5) * pitch.y;
        if y >= max.y || nodes.len() >= enough {
            return nodes;
        }
        let at_height = |region: &&Shape| {
            let (lower, upper) = region.bounds();
            (lower.y - spacing..upper.y + spacing).contains(&y)
        };
        let regions: Vec<&Shape> = regions.iter().filter(at_height).collect();
        let mut x = min.x + if row % 2 == 0 { 0.25 } else { 0.75 } * pitch.x;
        while x < max.x {
            let node = Vec2::new(x, y);
            let inside = regions.iter().any(|region| region.contact(node).distance < 0.0);
            if inside && walls.distance(node) > 0.24 * spacing {
                nodes.push(node);
            }
            x += pitch.x;
        }
        row += 1;
    }
}

fn bounds(regions: &[Shape], size: Vec2) -> Option<(Vec2, Vec2)> {
    let (min, max) = regions.iter().map(Shape::bounds).reduce(|(min, max), (lo, hi)| (min.min(lo), max.max(hi)))?;
    Some((min.max(Vec2::ZERO), max.min(size)))
}
