use crate::sim::cloth::definition::ClothDef;
use crate::sim::cloth::integrator::Rates;
use crate::sim::cloth::topology::ClothSpring;
use glam::DVec3;

/// Speed of a node, m/s, up to which the bound of the step holds against air drag.
const MAX_AIR_SPEED: f64 = 20.0;

/// Vector area of the cloth between a node's neighbours.
pub fn vector_area(x: &[DVec3], [left, right, up, down]: [u32; 4], edge_on: bool) -> DVec3 {
    let across = 0.5 * (x[right as usize] - x[left as usize]);
    let upward = if edge_on { DVec3::NEG_Z } else { 0.5 * (x[up as usize] - x[down as usize]) };
    across.cross(upward)
}

/// Bounds of the rates of a cloth.
///
/// A spring of stiffness k adds 2 k/m to the row of each of its ends in the matrix of the springs, so no ω² exceeds the
/// greatest sum of these (Gershgorin 1931).
pub fn rates(definition: &ClothDef, springs: &[ClothSpring], mass: &[f64]) -> Rates {
    let mut sums = vec![0.0; mass.len()];
    for spring in springs {
        for end in spring.ends {
            sums[end as usize] += 2.0 * spring.stiffness / mass[end as usize];
        }
    }
    let wind = definition.wind.map(f64::from);
    let gale = MAX_AIR_SPEED + 2.0 * (wind[0].powi(2) + wind[1].powi(2) + wind[2].powi(2)).sqrt();
    let linear = f64::from(definition.linear_damping);
    let air = linear + 2.0 * f64::from(definition.drag_coefficient) * gale / f64::from(definition.mass);
    Rates { square: sums.into_iter().fold(0.0, f64::max), damping: definition.damping.into(), linear: [linear, air] }
}
